/** The left side of a rule as a body of PTX over `a … d` (u32), `e`, `f` (u64), `p`, `q`: what the probe of a rule gives to ptxas. */
import { evaluate } from "../../lib/rules/expression.js";
import type { Mods, PatternInst, PatternOperand, Rule } from "../../lib/rules/syntax.js";

/** A body that ends with its stores; null: PTX has no instruction for some part. */
export function ptxOf(rule: Rule, literals: ReadonlyMap<string, number>): string | null {
  const body = new Body(literals);
  try {
    return body.text(rule);
  } catch (e) {
    if (e instanceof NoSuch) return null;
    throw e;
  }
}

const rounding = (mods: readonly string[]): string =>
  mods.includes("FLOOR") ? "rmi" : mods.includes("CEIL") ? "rpi" : mods.includes("TRUNC") ? "rzi" : "rni";

class NoSuch extends Error {}

const hex = (n: number): string => `0x${(n >>> 0).toString(16)}`;

const logic: Readonly<Record<number, string>> = { 192: "and.b32", 252: "or.b32", 60: "xor.b32" };

/** Selectors of PRMT over one register that are conversions of PTX. */
const extensions: Readonly<Record<number, string>> = {
  30480: "cvt.u32.u16",
  30576: "cvt.u32.u8",
  39184: "cvt.s32.s16",
  34944: "cvt.s32.s8",
};

/** What gives an f32: ptxas knows ranges of results that are stored as such only (measured on saturated ones). */
const floating = /^(add|mul|fma|min|max|neg|abs|selp)\b.*\.f32$|^cvt\..*\.f32\.f32$/;
const storeOf = (register: string): string => `st.global.${register.startsWith("v") ? "f32" : "u32"}`;

class Body {
  private readonly literals: ReadonlyMap<string, number>;
  private readonly lines: string[] = [];
  private readonly named = new Map<string, string>();
  /** The last word of the vector that the frame loads is the third: where the fourth is not read, ptxas copies an operand of HFMA2.MMA. */
  private readonly words = ["a", "b", "d", "c"];
  private readonly predicates = ["p", "q"];
  private readonly shared: string[] = [];
  private count = 0;

  constructor(literals: ReadonlyMap<string, number>) {
    this.literals = literals;
  }

  text(rule: Rule): string {
    const at = rule.left.dsts.findIndex((d) => d.is === "name");
    const predicate = rule.left.form.dsts[at]?.file === 2 || /SETP|PLOP3/.test(rule.left.form.op);
    const d = this.instruction(rule.left);
    const stores = this.shared.map((s, k) => `${storeOf(s)} [o+${8 + 4 * k}], ${s};`);
    if (predicate) this.lines.push(`selp.b32 z, 5, 9, ${d}; st.global.u32 [o], z;`);
    else this.lines.push(`${storeOf(d)} [o], ${d};`);
    return [...this.lines, ...stores].join(" ");
  }

  private fresh(kind: "t" | "v" | "x"): string {
    return `${kind}${++this.count}`;
  }

  private emit(op: string, ...args: string[]): string {
    const d = this.fresh(op.startsWith("setp") ? "x" : floating.test(op) ? "v" : "t");
    this.lines.push(`${op} ${[d, ...args].join(", ")};`);
    return d;
  }

  private value(p: PatternOperand | undefined, float = false): string | null {
    if (p === undefined || p.is === "default") return null;
    const bits = (n: number): string => (float ? `0f${(n >>> 0).toString(16).padStart(8, "0")}` : hex(n));
    if (p.is === "zero") return p.predicate ? null : bits(p.not ? 0x80000000 : 0);
    if (p.is === "literal") return bits(evaluate(p.value, (n) => this.literals.get(n) ?? 0));
    const plain = p.is === "inner" ? this.inner(p) : this.variable(p.name, p.half);
    return this.signed(plain, p.mods, float);
  }

  private inner(p: PatternOperand & { is: "inner" }): string {
    const d = this.instruction(p.inst);
    if (p.name !== null) this.named.set(p.name, d);
    if (p.shared && !d.startsWith("x")) this.shared.push(d);
    return d;
  }

  private variable(name: string, half: 0 | 1 | null): string {
    if (half !== null) throw new NoSuch();
    const known = this.named.get(name);
    if (known !== undefined) return known;
    const next = /^[pq]/.test(name) ? this.predicates.shift() : this.words.shift();
    if (next === undefined) throw new NoSuch();
    this.named.set(name, next);
    return next;
  }

  private signed(v: string, mods: Mods, float: boolean): string {
    if (mods === "" || mods === "any") return v;
    if (mods === "-") return this.emit(float ? "neg.f32" : "neg.s32", v);
    if (mods === "|") return this.emit("abs.f32", v);
    if (mods === "~") return this.emit("not.b32", v);
    const d = this.fresh("x");
    this.lines.push(`not.pred ${d}, ${v};`);
    return d;
  }

  private need(p: PatternOperand | undefined, float = false): string {
    const v = this.value(p, float);
    if (v === null) throw new NoSuch();
    return v;
  }

  private instruction(i: PatternInst): string {
    const { op, mods, name } = i.form;
    const [a, b, c] = i.srcs;
    const isZero = (p: PatternOperand | undefined): boolean => p?.is === "zero" && !p.predicate && !p.not;
    switch (op) {
      case "IADD3":
        if (mods.length > 0) throw new NoSuch();
        if (a?.is === "inner" && b?.is === "inner" && [a, b].every((o) => /^V?IMNMX$/.test(o.inst.form.op))) {
          // The greater less the smaller of two values, with what is added, is one instruction of PTX.
          const [x, y] = a.inst.srcs;
          return this.emit(
            `sad.${a.inst.form.mods.includes("U32") ? "u32" : "s32"}`,
            this.need(x),
            this.need(y),
            this.need(c),
          );
        }
        return this.sum(i.srcs.slice(0, 3).filter((s) => !isZero(s)));
      case "IMAD": {
        if (mods.some((m) => m !== "HI" && m !== "U32")) throw new NoSuch();
        const kind = mods.includes("HI") ? `hi.${mods.includes("U32") ? "u32" : "s32"}` : "lo.s32";
        if (!isZero(c)) return this.emit(`mad.${kind}`, this.need(a), this.need(b), this.need(c));
        return this.emit(`mul.${kind}`, this.need(a), this.need(b));
      }
      case "LEA": {
        const n = i.srcs[2];
        const same = a?.is === "name" && b?.is === "name" && a.name === b.name && n?.is === "literal";
        if (mods.length > 0 || !same) throw new NoSuch();
        const shift = evaluate(n.value, (k) => this.literals.get(k) ?? 0);
        return this.emit("mul.lo.s32", this.need(a), hex((1 << shift) + (b.mods === "-" ? -1 : 1)));
      }
      case "LOP3":
        return this.logic(i);
      case "SHF":
        return this.shift(name, i);
      case "SEL":
      case "FSEL":
        return this.emit(op === "SEL" ? "selp.b32" : "selp.f32", this.need(a), this.need(b), this.need(c));
      case "ISETP": {
        if (mods.includes("EX") || !mods.includes("AND")) throw new NoSuch();
        const type = mods.includes("U32") ? "u32" : "s32";
        const word = (mods[0] as string).toLowerCase();
        const pin = this.value(c);
        const operands = [this.need(a), this.need(b)];
        return pin === null
          ? this.emit(`setp.${word}.${type}`, ...operands)
          : this.emit(`setp.${word}.and.${type}`, ...operands, pin);
      }
      case "IMNMX":
      case "VIMNMX": {
        const max = c?.is === "zero" && c.not;
        if (mods.some((m) => m !== "U32")) throw new NoSuch();
        return this.emit(`${max ? "max" : "min"}.${mods.includes("U32") ? "u32" : "s32"}`, this.need(a), this.need(b));
      }
      case "IABS":
        return this.emit("abs.s32", this.need(a));
      case "BREV":
        return this.emit("brev.b32", this.need(a));
      case "POPC":
        return this.emit("popc.b32", this.need(a));
      case "PRMT": {
        const extension = b?.is === "literal" && isZero(c) ? extensions[this.literal(b)] : undefined;
        if (extension !== undefined) return this.emit(extension, this.need(a));
        return this.emit("prmt.b32", this.need(a), this.need(c), this.need(b));
      }
      case "SGXT":
        return this.field(i);
      case "FADD":
      case "FMUL": {
        const suffix = (mods.includes("FTZ") ? ".ftz" : "") + (mods.includes("SAT") ? ".sat" : "");
        const saturates = suffix === ".sat" && op === "FADD" && b?.is === "zero" && b.not;
        if (saturates) return this.emit("cvt.sat.f32.f32", this.need(a, true));
        return this.emit(`${op === "FADD" ? "add" : "mul"}${suffix}.f32`, this.need(a, true), this.need(b, true));
      }
      case "FFMA": {
        const suffix = (mods.includes("FTZ") ? ".ftz" : "") + (mods.includes("SAT") ? ".sat" : "");
        return this.emit(`fma.rn${suffix}.f32`, this.need(a, true), this.need(b, true), this.need(c, true));
      }
      case "FSETP":
        if (mods.length !== 2 || mods[1] !== "AND" || this.value(c) !== null) throw new NoSuch();
        return this.emit(`setp.${(mods[0] as string).toLowerCase()}.f32`, this.need(a, true), this.need(b, true));
      case "FRND":
        return this.emit(`cvt.${rounding(mods)}.f32.f32`, this.need(a, true));
      case "F2I":
        if (mods.includes("FTZ")) throw new NoSuch();
        return this.emit(`cvt.${rounding(mods)}.${mods.includes("U32") ? "u32" : "s32"}.f32`, this.need(a, true));
      case "FMNMX":
        if (mods.length > 0) throw new NoSuch();
        return this.emit(`${c?.is === "zero" && c.not ? "max" : "min"}.f32`, this.need(a, true), this.need(b, true));
      case "HADD2":
      case "HMUL2":
        return this.halves(op === "HADD2" ? "add" : "mul", mods, [a, b]);
      case "HFMA2":
        return this.halves("fma.rn", mods, [a, b, c]);
      default:
        throw new NoSuch();
    }
  }

  private halves(op: string, mods: readonly string[], operands: readonly (PatternOperand | undefined)[]): string {
    const type = mods.includes("BF16_V2") ? "bf16x2" : "f16x2";
    const suffix = ["FTZ", "SAT"].map((m) => (mods.includes(m) ? `.${m.toLowerCase()}` : "")).join("");
    const signs: Readonly<Record<string, string>> = { "-": "neg", "|": "abs" };
    const values = operands.map((p) => {
      const sign = p?.is === "name" || p?.is === "inner" ? signs[p.mods] : undefined;
      if (sign === undefined) return this.need(p);
      return this.emit(`${sign}.${type}`, this.need({ ...p, mods: "" } as PatternOperand));
    });
    return this.emit(`${op}${suffix}.${type}`, ...values);
  }

  private literal(p: PatternOperand & { is: "literal" }): number {
    return evaluate(p.value, (n) => this.literals.get(n) ?? 0);
  }

  /** A field of a shifted value is one instruction of PTX. */
  private field({ form, srcs: [a, w] }: PatternInst): string {
    const op = form.mods.includes("U32") ? "bfe.u32" : "bfe.s32";
    const shift = a?.is === "inner" && /^SHF\.R\.[US]32\.HI$/.test(a.inst.form.name) ? a.inst : null;
    const n = shift?.srcs[1];
    if (shift === null || n?.is !== "literal") return this.emit(op, this.need(a), "0", this.need(w));
    return this.emit(op, this.need(shift.srcs[2]), hex(this.literal(n)), this.need(w));
  }

  /** `(y << n) & m | x & ~m` is what bfi puts together; null: the mask is none of its. */
  private inserted([y, mask, x]: readonly (PatternOperand | undefined)[]): string | null {
    if (mask?.is !== "literal") return null;
    const m = this.literal(mask);
    const from = Math.clz32(m & -m) === 32 ? 0 : 31 - Math.clz32(m & -m);
    const width = 32 - Math.clz32(m >>> from);
    const shift = y?.is === "inner" && y.inst.form.name === "SHF.L.U32" ? y.inst : null;
    const n = shift?.srcs[1];
    const by = n?.is === "literal" ? this.literal(n) : 0;
    if (by !== from || (m >>> from) + 1 !== 2 ** width) return null;
    return this.emit("bfi.b32", this.need(shift === null ? y : shift.srcs[0]), this.need(x), hex(from), hex(width));
  }

  private sum(terms: readonly PatternOperand[]): string {
    const negative = (p: PatternOperand): boolean => (p.is === "name" || p.is === "inner") && p.mods === "-";
    const plain = (p: PatternOperand): string => this.need(negative(p) ? ({ ...p, mods: "" } as PatternOperand) : p);
    const ordered = [...terms].sort((x, y) => Number(negative(x)) - Number(negative(y)));
    const [first, ...rest] = ordered;
    if (first === undefined) throw new NoSuch();
    let sum = negative(first) ? this.emit("neg.s32", plain(first)) : plain(first);
    for (const t of rest) sum = this.emit(negative(t) ? "sub.s32" : "add.s32", sum, plain(t));
    return sum;
  }

  private logic(i: PatternInst): string {
    const [a, b, c, table] = i.srcs;
    if (table?.is !== "literal" || table.value.is !== "number") throw new NoSuch();
    const lut = table.value.value;
    if (lut === 0x0f) return this.emit("not.b32", this.need(a));
    const word = logic[lut];
    if (word !== undefined) return this.emit(word, this.need(a), this.need(b));
    if (lut === 0xea && b?.is === "literal" && this.literal(b) === 0xffff) {
      // A mask of its own would be joined with the shift first.
      const low = this.emit("cvt.u32.u16", this.need(a));
      return this.emit("or.b32", low, this.need(c));
    }
    const inserted = lut === 0xe2 ? this.inserted(i.srcs) : null;
    if (inserted !== null) return inserted;
    return this.emit("lop3.b32", this.need(a), this.need(b), this.need(c), hex(lut));
  }

  private shift(name: string, { srcs: [a, n, c] }: PatternInst): string {
    if (name === "SHF.L.W.U32.HI") return this.emit("shf.l.wrap.b32", this.need(a), this.need(c), this.need(n));
    if (name === "SHF.L.U32") return this.emit("shl.b32", this.need(a), this.need(n));
    if (name === "SHF.R.U32.HI") return this.emit("shr.u32", this.need(c), this.need(n));
    if (name === "SHF.R.S32.HI") return this.emit("shr.s32", this.need(c), this.need(n));
    throw new NoSuch();
  }
}
