/**
 * What is known of a value's bits from the few instructions that make it: bits that are 0, bits that are 1, equal bits at the top.
 * ptxas 13.0.88 knows as much of the 12,000 small bodies, but nothing after extrema and POPC; of sums and longer chains it is not known how far it looks
 * (here as far as the turns of unrolled loops need it, whose tests fold).
 */
import { isReg, isZeroReg, sameOperand } from "../ori/operand.js";
import { File, type Inst, Kind, Mod, type Operand } from "../ori/types.js";
import { type Combining, unused } from "./combining.js";

/** Bits that are 0 and bits that are 1, as masks of 32 bits (unsigned). */
export interface KnownBits {
  readonly zeros: number;
  readonly ones: number;
}

const NOTHING: KnownBits = { zeros: 0, ones: 0 };
const u32 = (n: number): number => n >>> 0;
/** Instructions looked through on one path, and in all. */
const DEPTH = 8;
const MOST = 24;
/** Left of these for the question that is asked. */
let left = 0;

export const exactly = (value: number): KnownBits => ({ zeros: u32(~value), ones: u32(value) });
/** No bit from this one on. */
const below = (bit: number): KnownBits => ({ zeros: bit > 31 ? 0 : u32(-1 << bit), ones: 0 });
const either = (a: KnownBits, b: KnownBits): KnownBits => ({
  zeros: u32(a.zeros & b.zeros),
  ones: u32(a.ones & b.ones),
});

/** What is known of the 32-bit value of an operand, its inversion applied. */
export function knownBits(c: Combining, o: Operand, depth: number = DEPTH): KnownBits {
  const literal = c.literal(o);
  if (literal !== null) return exactly(literal);
  if (!isReg(o) || o.file !== File.R || o.width !== 1 || o.part !== "" || (o.mods & ~Mod.Not) !== 0) return NOTHING;
  const plain = o.mods === 0 ? o : { ...o, mods: 0 };
  const inst = c.made(plain);
  if (depth === DEPTH) left = MOST;
  if (inst === null || depth === 0 || left-- <= 0 || !inst.dsts.some((d) => sameOperand(d, plain))) return NOTHING;
  const known = knownOf(c, inst, depth - 1);
  return o.mods === 0 ? known : { zeros: known.ones, ones: known.zeros };
}

/** What is known of the one result of an instruction. */
export function knownOf(c: Combining, inst: Inst, depth: number = DEPTH): KnownBits {
  if (depth === DEPTH) left = MOST;
  const of = (k: number): KnownBits => knownBits(c, inst.srcs[k] as Operand, depth);
  switch (inst.form.name) {
    case "LOP3.LUT": {
      const lut = inst.srcs[3] as Operand;
      return lut.kind === Kind.Imm ? logic(lut.value, [of(0), of(1), of(2)]) : NOTHING;
    }
    case "IADD3":
      return summed(inst, of);
    case "SHF.L.U32":
    case "SHF.R.U32.HI":
    case "SHF.R.S32.HI":
      return shifted(c, inst, of);
    case "SEL":
      return either(of(0), of(1));
    case "SGXT.U32": {
      const w = c.literal(inst.srcs[1] as Operand);
      if (w === null) return { zeros: of(0).zeros, ones: 0 };
      return w > 31 ? of(0) : both(of(0), below(w));
    }
    case "PRMT":
      return permuted(c, inst, of);
    default:
      return loaded(inst);
  }
}

const both = (a: KnownBits, b: KnownBits): KnownBits => ({
  zeros: u32((a.zeros & ~b.ones) | b.zeros),
  ones: u32((a.ones & ~b.zeros) | b.ones),
});

/** Bits at which an input is so: `value` of 0 or 1 may be. */
const may = (k: KnownBits, value: number): number => u32(value === 0 ? ~k.ones : ~k.zeros);

/** Bits at which a combination of inputs may stand: bit 2 of the row is the first input. */
export function rowMay(row: number, ins: readonly KnownBits[]): number {
  return u32(may(ins[0]!, (row >> 2) & 1) & may(ins[1]!, (row >> 1) & 1) & may(ins[2]!, row & 1));
}

/** What a truth table makes of three inputs. */
export function logic(lut: number, ins: readonly KnownBits[]): KnownBits {
  let [zero, one] = [0, 0];
  for (let row = 0; row < 8; row++) {
    if (((lut >> row) & 1) !== 0) one |= rowMay(row, ins);
    else zero |= rowMay(row, ins);
  }
  return { zeros: u32(~one), ones: u32(~zero) };
}

function shifted(c: Combining, inst: Inst, of: (k: number) => KnownBits): KnownBits {
  const n = c.literal(inst.srcs[1] as Operand);
  const left = inst.form.name === "SHF.L.U32";
  if (n === null || n > 31 || !isZeroReg(inst.srcs[left ? 2 : 0] as Operand)) return NOTHING;
  const x = of(left ? 0 : 2);
  if (left) return { zeros: u32((x.zeros << n) | ~(-1 << n)), ones: u32(x.ones << n) };
  if (inst.form.name === "SHF.R.S32.HI") return { zeros: u32((x.zeros | 0) >> n), ones: u32((x.ones | 0) >> n) };
  return { zeros: u32((x.zeros >>> n) | ~(0xffffffff >>> n)), ones: x.ones >>> n };
}

/** Sums of what is not negated: bits are known where those of both sides and the carry are. */
function summed(inst: Inst, of: (k: number) => KnownBits): KnownBits {
  if (inst.srcs.some((o) => o.mods !== 0) || inst.dsts.slice(1).some((d) => !unused(d))) return NOTHING;
  const sum = (a: KnownBits, b: KnownBits): KnownBits => {
    const [most, least] = [u32(~a.zeros + ~b.zeros), u32(a.ones + b.ones)];
    const carry = u32(~(most ^ a.zeros ^ b.zeros) | (least ^ a.ones ^ b.ones));
    const known = u32((a.zeros | a.ones) & (b.zeros | b.ones) & carry);
    return { zeros: u32(~most & known), ones: u32(least & known) };
  };
  return sum(sum(of(0), of(1)), of(2));
}

function permuted(c: Combining, inst: Inst, of: (k: number) => KnownBits): KnownBits {
  const selector = c.literal(inst.srcs[1] as Operand);
  if (selector === null) return NOTHING;
  const [a, b] = [of(0), of(2)];
  let [zeros, ones] = [0, 0];
  for (let k = 0; k < 4; k++) {
    const n = (selector >>> (4 * k)) & 15;
    const from = (n & 4) !== 0 ? b : a;
    const spread = (n & 8) !== 0;
    const byte = (bits: number): number => {
      const v = (bits >>> (8 * (n & 3))) & 255;
      return spread ? (v >= 128 ? 255 : 0) : v;
    };
    zeros |= byte(from.zeros) << (8 * k);
    ones |= byte(from.ones) << (8 * k);
  }
  return { zeros: u32(zeros), ones: u32(ones) };
}

const loads: ReadonlySet<string> = new Set(["LDG", "LDS", "LDL", "LDC", "LD"]);

/** Loads of bytes and halves fill the register with zeros. */
function loaded(inst: Inst): KnownBits {
  if (!loads.has(inst.form.op) || inst.dsts.filter((d) => !unused(d)).length !== 1) return NOTHING;
  const { mods } = inst.form;
  return mods.includes("U8") ? below(8) : mods.includes("U16") ? below(16) : NOTHING;
}

/** How many bits at the top, the sign among them, are the same. */
export function signBits(c: Combining, o: Operand): number {
  const known = knownBits(c, o);
  const least = Math.max(1, Math.clz32(u32(~known.zeros)), Math.clz32(u32(~known.ones)));
  const inst = isReg(o) && o.mods === 0 && o.width === 1 ? c.made(o) : null;
  const n = inst === null ? null : c.literal(inst.srcs[1] ?? o);
  if (inst === null || n === null) return least;
  switch (inst.form.name) {
    case "SGXT":
      return n >= 1 && n <= 32 ? Math.max(least, 33 - n) : least;
    case "SHF.R.S32.HI":
      return n <= 31 ? Math.max(least, n + 1) : least;
    case "PRMT": {
      // The upper bytes spread the sign of the byte below them.
      const spread = (byte: number, from: number): boolean => ((n >>> (4 * byte)) & 15) === (8 | from);
      const from = n & 7;
      if (spread(1, from) && spread(2, from) && spread(3, from)) return Math.max(least, 25);
      const upper = (n >>> 4) & 7;
      return ((n >>> 4) & 8) === 0 && spread(2, upper) && spread(3, upper) ? Math.max(least, 17) : least;
    }
    default:
      return least;
  }
}
