/**
 * What integer and logic instructions compute, as bit vectors, for the prover. test/rules/sides.test.ts tries what is
 * proved with them in the simulator. Sources come in slot order with their modifiers applied, but for LEA, which shifts first.
 */
import type { Form } from "../../lib/isa/types.js";
import type { Term, Terms } from "./terms.js";

/** Results by slot; null: not said. */
type Meaning = (t: Terms, s: readonly Term[], form: Form, mods: readonly string[]) => readonly (Term | null)[];

const has = (f: Form, m: string): boolean => f.mods.includes(m);
const k32 = (t: Terms, n: number): Term => t.constant(n, 32);
const pick = (t: Terms, p: Term, less: Term, a: Term, b: Term): Term => t.ite(t.eq(p, less), a, b);

/** The smaller where p holds, else the larger. */
function minMax(t: Terms, unsigned: boolean, a: Term, b: Term, p: Term): Term {
  const less = unsigned ? t.ult(a, b) : t.slt(a, b);
  return pick(t, p, less, a, b);
}

function table(t: Terms, lut: Term, ins: readonly Term[]): Term {
  const w = ins[0]!.width;
  let out = t.constant(0, w);
  for (let k = 0; k < 8; k++) {
    const bit = t.extract(k, k, lut);
    const all = w === 1 ? bit : t.sext(bit, w);
    const row = ins.map((o, n) => (((k >> (2 - n)) & 1) === 1 ? o : t.not(o)));
    out = t.or(out, t.and(all, t.and(row[0]!, t.and(row[1]!, row[2]!))));
  }
  return out;
}

function compare(t: Terms, word: string, unsigned: boolean, a: Term, b: Term): Term {
  const less = (x: Term, y: Term): Term => (unsigned ? t.ult(x, y) : t.slt(x, y));
  switch (word) {
    case "LT":
      return less(a, b);
    case "GT":
      return less(b, a);
    case "LE":
      return t.not(less(b, a));
    case "GE":
      return t.not(less(a, b));
    case "EQ":
      return t.eq(a, b);
    case "NE":
      return t.not(t.eq(a, b));
    default:
      throw new Error(`comparison ${word}`);
  }
}

/** The upper words of a pair, of whose lower words the last source tells. */
function compareUpper(t: Terms, f: Form, s: readonly Term[]): Term {
  const word = f.mods[0]!;
  const same = t.eq(s[0]!, s[1]!);
  if (word === "NE") return t.or(t.not(same), s[3]!);
  if (word === "EQ") return t.and(same, s[3]!);
  const strict = compare(t, word.startsWith("L") ? "LT" : "GT", has(f, "U32"), s[0]!, s[1]!);
  return t.or(strict, t.and(same, s[3]!));
}

function shift(t: Terms, s: readonly Term[], f: Form): Term {
  const [a, n, c] = s as [Term, Term, Term];
  const wide = has(f, "U64") || has(f, "S64");
  const right = has(f, "R");
  const signed = has(f, "S32") || has(f, "S64");
  const most = wide ? 63 : 32;
  const by = has(f, "W")
    ? t.and(n, k32(t, wide ? 63 : 31))
    : t.ite(t.ult(n, k32(t, most)), n, k32(t, most + (wide ? 1 : 0)));
  const pair = t.concat(c, a);
  const by64 = t.zext(by, 64);
  if (right && has(f, "HI")) {
    const x = t.concat(signed ? t.sext(t.extract(31, 31, c), 32) : k32(t, 0), c);
    void x;
    // The upper word alone, filled with zeros or its sign.
    return t.extract(31, 0, (signed ? t.ashr : t.lshr)(signed ? t.sext(c, 64) : t.zext(c, 64), by64));
  }
  if (right) return t.extract(31, 0, (signed ? t.ashr : t.lshr)(pair, by64));
  if (has(f, "HI")) return t.extract(63, 32, t.shl(pair, by64));
  return t.extract(31, 0, t.shl(t.zext(a, 64), by64));
}

function lea(t: Terms, s: readonly Term[], f: Form, mods: readonly string[]): Term {
  const [a, b] = s as [Term, Term];
  const low = !has(f, "HI");
  const n = t.zext(t.and(low || has(f, "SX32") ? s[2]! : s[3]!, k32(t, 31)), 64);
  const upper = low ? k32(t, 0) : has(f, "SX32") ? t.ashr(a, k32(t, 31)) : s[2]!;
  const shifted = t.shl(t.concat(upper, a), n);
  const v = low ? t.extract(31, 0, shifted) : t.extract(63, 32, shifted);
  const term = mods[0] === "-" ? t.neg(v) : mods[0] === "~" ? t.not(v) : v;
  return t.add(term, b);
}

function permute(t: Terms, [a, b, c]: readonly Term[]): Term {
  const pair = t.concat(c!, a!);
  const bytes = [0, 1, 2, 3].map((k) => {
    const sel = t.extract(4 * k + 2, 4 * k, b!);
    const byte = t.extract(7, 0, t.lshr(pair, t.shl(t.zext(sel, 64), t.constant(3, 64))));
    const sign = t.ashr(byte, t.constant(7, 8));
    return t.ite(t.extract(4 * k + 3, 4 * k + 3, b!), sign, byte);
  });
  return t.concat(t.concat(bytes[3]!, bytes[2]!), t.concat(bytes[1]!, bytes[0]!));
}

/** Place of the highest set bit; all ones for 0. */
function highest(t: Terms, a: Term): Term {
  let out = k32(t, 0xffffffff);
  for (let k = 0; k < 32; k++) out = t.ite(t.extract(k, k, a), k32(t, k), out);
  return out;
}

export const meanings: Readonly<Record<string, Meaning>> = {
  MOV: (_, [b]) => [b!],
  IADD3: (t, s, f) => {
    let sum = t.add(t.add(s[0]!, s[1]!), s[2]!);
    if (has(f, "X")) sum = t.add(sum, t.add(t.zext(s[3]!, 32), t.zext(s[4]!, 32)));
    return [sum, null, null];
  },
  VIADD: (t, [a, b]) => [t.add(a!, b!)],
  IMAD: (t, s, f) => {
    const [a, b, c] = s as [Term, Term, Term];
    if (has(f, "WIDE") || has(f, "HI")) {
      const e = (x: Term): Term => (has(f, "U32") ? t.zext(x, 64) : t.sext(x, 64));
      const sum = t.add(t.mul(e(a), e(b)), c.width === 64 ? c : t.zext(c, 64));
      return [has(f, "HI") ? t.extract(63, 32, sum) : sum, null];
    }
    const sum = t.add(t.mul(a, b), c);
    return [has(f, "X") ? t.add(sum, t.zext(s[3]!, 32)) : sum];
  },
  LEA: (t, s, f, mods) => [has(f, "X") ? t.add(lea(t, s, f, mods), t.zext(s.at(-1)!, 32)) : lea(t, s, f, mods), null],
  SHF: (t, s, f) => [shift(t, s, f)],
  LOP3: (t, s) => {
    const d = table(t, s[3]!, s.slice(0, 3));
    return [t.or(t.not(t.eq(d, k32(t, 0))), s[4]!), d];
  },
  PLOP3: (t, s) => [table(t, s[3]!, s.slice(0, 3)), null],
  PRMT: (t, s) => [permute(t, s)],
  SEL: (t, [a, b, p]) => [t.ite(p!, a!, b!)],
  FSEL: (t, [a, b, p]) => [t.ite(p!, a!, b!)],
  ISETP: (t, s, f) => {
    const c = has(f, "EX") ? compareUpper(t, f, s) : compare(t, f.mods[0]!, has(f, "U32"), s[0]!, s[1]!);
    const join = has(f, "AND") ? t.and : has(f, "OR") ? t.or : t.xor;
    return [join(c, s[2]!), null];
  },
  IMNMX: (t, s, f) => [minMax(t, has(f, "U32"), s[0]!, s[1]!, s[2]!)],
  VIMNMX: (t, s, f) => {
    const d = minMax(t, has(f, "U32"), s[0]!, s[1]!, s[2]!);
    return [has(f, "RELU") ? t.ite(t.slt(d, k32(t, 0)), k32(t, 0), d) : d, null, null];
  },
  VIMNMX3: (t, s, f) => [minMax(t, has(f, "U32"), minMax(t, has(f, "U32"), s[0]!, s[1]!, s[3]!), s[2]!, s[3]!)],
  VIADDMNMX: (t, s, f) => [minMax(t, has(f, "U32"), t.add(s[0]!, s[1]!), s[2]!, s[3]!)],
  VABSDIFF: (t, s, f) => {
    const [a, b, c] = s as [Term, Term, Term];
    const less = has(f, "U32") ? t.ult(a, b) : t.slt(a, b);
    return [t.add(t.ite(less, t.sub(b, a), t.sub(a, b)), c), null];
  },
  IABS: (t, [b]) => [t.ite(t.slt(b!, k32(t, 0)), t.neg(b!), b!)],
  BMSK: (t, [a, b]) => {
    const ones = t.sub(
      t.shl(t.constant(1, 64), t.zext(t.ite(t.ult(b!, k32(t, 32)), b!, k32(t, 32)), 64)),
      t.constant(1, 64),
    );
    const from = t.zext(t.ite(t.ult(a!, k32(t, 32)), a!, k32(t, 32)), 64);
    return [t.extract(31, 0, t.shl(ones, from))];
  },
  SGXT: (t, [a, b], f) => {
    const free = t.sub(k32(t, 32), t.ite(t.ult(b!, k32(t, 32)), b!, k32(t, 32)));
    return [(has(f, "U32") ? t.lshr : t.ashr)(t.shl(a!, free), free)].map((v) =>
      t.ite(t.eq(b!, k32(t, 0)), k32(t, 0), v),
    );
  },
  POPC: (t, [b]) => {
    let n = k32(t, 0);
    for (let k = 0; k < 32; k++) n = t.add(n, t.zext(t.extract(k, k, b!), 32));
    return [n];
  },
  FLO: (t, [b], f) => {
    if (!has(f, "U32")) throw new Error("FLO of signed");
    return [highest(t, b!), null];
  },
  BREV: (t, [b]) => {
    let out = t.extract(0, 0, b!);
    for (let k = 1; k < 32; k++) out = t.concat(out, t.extract(k, k, b!));
    return [out];
  },
};
