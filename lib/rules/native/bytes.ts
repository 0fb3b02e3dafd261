/** PRMT over PRMT, and stores that read only part of what a PRMT made. Exact. */
import { imm, isZeroReg, RZ, sameOperand } from "../../ori/operand.js";
import { Kind, type Operand } from "../../ori/types.js";
import { type Apply, type CombineRule, isZero, plainReg } from "../combining.js";

/** Does a PRMT with this selector extend a byte or half by its sign? */
const isSpread = (selector: number): boolean => selector === 0x8880 || selector === 0x9910;

/** Both choose bytes of at most two registers: one does. */
const permuteOfPermute: Apply = (c, root, at) => {
  const [a, s, b] = root.srcs as [Operand, Operand, Operand];
  const outer = c.literal(s);
  if (outer === null || root.form.name !== "PRMT") return false;
  for (const [k, t] of [a, b].entries()) {
    if (!plainReg(t)) continue;
    const inner = c.inner(t, at, ["PRMT"], isSpread(outer));
    const chosen = inner === null ? null : c.literal(inner.srcs[1]!);
    if (inner === null || chosen === null) continue;
    const regs: Operand[] = [];
    /** The selector of byte n of an operand, where it stands in the end; −1: a third register. */
    const place = (o: Operand, n: number): number => {
      if (isZero(o)) return -2;
      let at = regs.findIndex((r) => sameOperand(r, o));
      if (at < 0) at = regs.push(o) - 1;
      return at > 1 ? -1 : at * 4 + n;
    };
    const selectors: number[] = [];
    for (let i = 0; i < 4; i++) {
      const n = (outer >>> (4 * i)) & 15;
      const from = (n & 4) === 0 ? a : b;
      const sign = n & 8;
      const through = k === ((n >> 2) & 1);
      const m = through ? (chosen >>> (4 * (n & 3))) & 15 : n & 3;
      const p = place(through ? ((m & 4) === 0 ? inner.srcs[0]! : inner.srcs[2]!) : from, m & 3);
      selectors.push(p < 0 ? p : sign | (m & 8) | p);
    }
    if (selectors.some((p) => p === -1) || regs.some((r) => !plainReg(r))) continue;
    const result = compose(selectors, regs);
    if (result !== null && c.write(at, root.form, root.dsts, result)) return true;
  }
  return false;
};

/** PRMT's sources; zero bytes (−2) come from RZ, where there is room for it. */
function compose(selectors: readonly number[], regs: readonly Operand[]): Operand[] | null {
  const zeros = selectors.includes(-2);
  if (zeros && regs.length > 1) return null;
  const [first, second] = regs;
  if (first === undefined) return null;
  let bits = 0;
  selectors.forEach((p, i) => {
    bits |= (p === -2 ? 7 : p & 15) << (4 * i);
  });
  return [first, imm(bits), second ?? RZ()];
}

const partSizes = ["U8", "S8", "U16", "S16"];

/** Stores of a byte or a half, as strong as they may be. */
export const partStores: readonly string[] = [
  ...partSizes.flatMap((size) => [`STS.${size}`, `STL.${size}`]),
  ...["STG", "ST"].flatMap((op) =>
    ["", ".EF", ".EL", ".LU", ".EU", ".NA"].flatMap((cache) =>
      partSizes.flatMap((size) =>
        ["", ".SYS", ".STRONG.CTA", ".STRONG.SM", ".STRONG.GPU", ".STRONG.SYS", ".MMIO.SYS"].map(
          (order) => `${op}.E${cache}.${size}${order}`,
        ),
      ),
    ),
  ),
];

/** A store of a byte or a half reads what the PRMT left in its place. */
const storeOfPart: Apply = (c, root, at) => {
  const slot = root.form.srcs.findIndex((s) => s.name === "data");
  const data = root.srcs[slot];
  if (data === undefined || !plainReg(data)) return false;
  const inner = c.inner(data, at, ["PRMT", "LOP3.LUT"]);
  if (inner === null) return false;
  const bytes = root.form.mods.some((m) => m === "U8" || m === "S8") ? 1 : 2;
  const whole = bytes === 1 ? 0xff : 0xffff;
  if (inner.form.name === "LOP3.LUT") {
    const mask = c.literal(inner.srcs[1]!);
    const isAnd = inner.srcs[3]!.kind === Kind.Imm && inner.srcs[3]!.value === 0xc0 && isZeroReg(inner.srcs[2]!);
    if (mask === null || !isAnd || (mask & whole) !== whole || !plainReg(inner.srcs[0]!)) return false;
    return c.write(
      at,
      root.form,
      root.dsts,
      root.srcs.map((o, k) => (k === slot ? inner.srcs[0]! : o)),
    );
  }
  const selectors = c.literal(inner.srcs[1]!);
  const nibbles = bytes === 1 ? 0xf : 0xff;
  if (selectors === null || (selectors & nibbles) !== (0x3210 & nibbles) || !plainReg(inner.srcs[0]!)) return false;
  return c.write(
    at,
    root.form,
    root.dsts,
    root.srcs.map((o, k) => (k === slot ? inner.srcs[0]! : o)),
  );
};

export const byteRules: readonly CombineRule[] = [
  { name: "permute-of-permute", roots: ["PRMT"], inner: ["PRMT"], apply: permuteOfPermute },
  { name: "store-of-part", roots: partStores, inner: ["PRMT", "LOP3.LUT"], apply: storeOfPart },
];
