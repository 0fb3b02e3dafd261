/** Integer arithmetic and comparison (and the uniform twins). */
import { Mod } from "../../isa/operand.js";
import type { Makers, Site } from "../site.js";
import { high, type LaneFunction, type Source } from "../stamp.js";
import { type Exec, Step } from "../state.js";

const TWO32 = 4294967296;

// ------------------------------------------------------------------------------------------------ sums

/** Splits an exact sum of unsigned words: low word returned, carries (0…3 of them) as bits 0 and 1 of `high.word`. */
function carried(sum: number): number {
  const carries = Math.floor(sum / TWO32);
  high.word = carries >= 2 ? 3 : carries >= 1 ? 1 : 0;
  return sum | 0 || (sum - carries * TWO32) | 0;
}

/**
 * The unsigned 33-bit addend of a word: `-x` counts as 2^32 − x, so that the carry of a − b is "no borrow" also for
 * b = 0.
 */
const addend = (x: number): number => x >>> 0;

const add3: LaneFunction = (a, b, c) => (a + b + c) | 0;
const add3c: LaneFunction = (a, b, c) => carried(addend(a) + addend(b) + addend(c));
const add3x: LaneFunction = (a, b, c, i, j) => (a + b + c + i + j) | 0;
const add3xc: LaneFunction = (a, b, c, i, j) => carried(addend(a) + addend(b) + addend(c) + i + j);

/** A sum with carries out where an operand is negated: the signs are applied in the 33-bit sum. */
function negatedSum(s: Site): LaneFunction {
  const neg = ["a", "b", "c"].map((n) => (s.operand(n).mods & Mod.Neg) !== 0);
  const [na, nb, nc] = neg;
  const term = (x: number, n: boolean): number => (n ? TWO32 - (x >>> 0) : x >>> 0);
  return (a, b, c) => carried(term(a, na!) + term(b, nb!) + term(c, nc!));
}

const plain = (s: Source): Source => ({ ...s, neg: false });

export function writesCarry(s: Site, ...slots: string[]): boolean {
  return slots.some((n) => (s.pred(n) & 7) !== 7);
}

/** UIADD3.64: sums of pairs. */
const add3Wide: LaneFunction = (al, ah, bl, bh, cl, ch) => {
  const low = addend(al) + addend(bl) + addend(cl);
  high.word = (ah + bh + ch + Math.floor(low / TWO32)) | 0;
  return low | 0;
};

function iadd3(s: Site): Exec {
  if (s.has("64")) {
    if (writesCarry(s, "co", "co2")) s.unsupported("carry of a 64-bit sum");
    return s.lanes(add3Wide, [s.long("a"), s.long("b"), s.long("c")], { d: "w" });
  }
  const sources = [s.int("a"), s.int("b"), s.int("c")];
  const preds = ["co", "co2"];
  if (s.has("X")) {
    const f = writesCarry(s, ...preds) ? add3xc : add3x;
    return s.lanes(f, [...sources, s.flag("ci"), s.flag("ci2")], { d: "i", preds });
  }
  if (!writesCarry(s, ...preds)) return s.lanes(add3, sources, { d: "i" });
  if (sources.some((x) => x.neg)) return s.lanes(negatedSum(s), sources.map(plain), { d: "i", preds });
  return s.lanes(add3c, sources, { d: "i", preds });
}

/** IADD of sm_120 on: two operands, 32 or 64 bits, with a carry. A negated operand counts as its complement and one. */
function iadd(s: Site): Exec {
  if (s.has("XOR")) s.unsupported("exclusive or");
  const wide = s.has("64");
  const x = s.has("X");
  const sources = wide ? [s.long("a"), s.long("b")] : [s.int("a"), s.int("b")];
  const ci = x ? s.flag("ci") : s.constant(0);
  const [na, nb] = sources.map((o) => o.neg);
  // The carry of a - b is that of a + ~b + 1: also for b = 0.
  const invert = (o: Source): Source => (o.neg ? { ...o, neg: false, not: true } : o);
  const plus = (na ? 1 : 0) + (nb ? 1 : 0);
  const f: LaneFunction = wide
    ? (al, ah, bl, bh, c) => {
        const low = (al >>> 0) + (bl >>> 0) + c + plus;
        const up = (ah >>> 0) + (bh >>> 0) + Math.floor(low / TWO32);
        carryOut = up >= TWO32 ? 1 : 0;
        high.word = up | 0;
        return low | 0;
      }
    : (a, b, c) => carried((a >>> 0) + (b >>> 0) + c + plus);
  const all = [...sources.map(invert), ci];
  if (!wide) return s.lanes(f, all, { d: "i", preds: ["co"] });
  return writesCarry(s, "co") ? wordsAndCarry(s, f, all) : s.lanes(f, all, { d: "w" });
}

// ------------------------------------------------------------------------------------------------ products

/** Upper word of the unsigned product. */
function mulhiU(a: number, b: number): number {
  const al = a & 0xffff;
  const ah = a >>> 16;
  const bl = b & 0xffff;
  const bh = b >>> 16;
  const ll = al * bl;
  const lh = al * bh;
  const hl = ah * bl;
  const mid = (ll >>> 16) + (lh & 0xffff) + (hl & 0xffff);
  return (ah * bh + (lh >>> 16) + (hl >>> 16) + (mid >>> 16)) | 0;
}

function mulhiS(a: number, b: number): number {
  return (mulhiU(a, b) - (a < 0 ? b : 0) - (b < 0 ? a : 0)) | 0;
}

/** `(hi:lo) + (ch:cl) + carry`: low word returned, upper in `high.word`; the carry out in `carryOut`. */
let carryOut = 0;
function addWide(lo: number, hi: number, cl: number, ch: number, ci: number): number {
  const low = (lo >>> 0) + (cl >>> 0) + ci;
  const up = (hi >>> 0) + (ch >>> 0) + (low >= TWO32 ? 1 : 0);
  carryOut = up >= TWO32 ? 1 : 0;
  high.word = up | 0;
  return low | 0;
}

const mad: LaneFunction = (a, b, c) => (Math.imul(a, b) + c) | 0;
const madX: LaneFunction = (a, b, c, i) => (Math.imul(a, b) + c + i) | 0;
const wideU: LaneFunction = (a, b, cl, ch) => addWide(Math.imul(a, b), mulhiU(a, b), cl, ch, 0);
const wideS: LaneFunction = (a, b, cl, ch) => addWide(Math.imul(a, b), mulhiS(a, b), cl, ch, 0);
const wideUX: LaneFunction = (a, b, cl, ch, i) => addWide(Math.imul(a, b), mulhiU(a, b), cl, ch, i);
const wideSX: LaneFunction = (a, b, cl, ch, i) => addWide(Math.imul(a, b), mulhiS(a, b), cl, ch, i);
const top = (f: LaneFunction): LaneFunction => {
  return (a, b, cl, ch, i) => {
    f(a, b, cl, ch, i);
    const r = high.word;
    high.word = carryOut;
    return r;
  };
};
const hiU = top(wideU);
const hiS = top(wideS);
const hiUX = top(wideUX);
const hiSX = top(wideSX);

function imad(s: Site): Exec {
  const unsigned = s.has("U32");
  const x = s.has("X");
  const ab = [s.int("a"), s.int("b")];
  const ci = x ? [s.flag("ci")] : [];
  if (s.has("HI")) {
    const f = x ? (unsigned ? hiUX : hiSX) : unsigned ? hiU : hiS;
    return s.lanes(f, [...ab, s.long("c"), ...ci], { d: "i", preds: ["co"] });
  }
  if (s.has("WIDE")) {
    if (writesCarry(s, "co")) return wideWithCarry(s, unsigned, x);
    const f = x ? (unsigned ? wideUX : wideSX) : unsigned ? wideU : wideS;
    return s.lanes(f, [...ab, s.long("c"), ...ci], { d: "w" });
  }
  return s.lanes(x ? madX : mad, [...ab, s.int("c"), ...ci], { d: "i" });
}

function wideWithCarry(s: Site, unsigned: boolean, x: boolean): Exec {
  const sources = [s.int("a"), s.int("b"), s.long("c"), ...(x ? [s.flag("ci")] : [])];
  return wordsAndCarry(s, x ? (unsigned ? wideUX : wideSX) : unsigned ? wideU : wideS, sources);
}

/** Two result words and a carry (`carryOut`): the carry is computed by a second pass over the same operands. */
function wordsAndCarry(s: Site, f: LaneFunction, sources: readonly Source[]): Exec {
  const carry: LaneFunction = (...args) => {
    f(...args);
    return carryOut;
  };
  const carries = s.lanes(carry, sources, { d: "none", preds: ["co"] });
  const words = s.lanes(f, sources, { d: "w" });
  // The predicate may be the carry in, so the words come first unless they overwrite an operand: then a copy decides.
  const co = s.pred("co");
  return (w, m) => {
    const before = w.P[co]!;
    carries(w, m);
    const after = w.P[co]!;
    w.P[co] = before;
    words(w, m);
    w.P[co] = after;
    return Step.Next;
  };
}

// ------------------------------------------------------------------------------------------------ shifted sums

const shiftedLow = (a: number, n: number): number => a << n;
const shiftedHigh = (a: number, c: number, n: number): number => (n === 0 ? c : (c << n) | (a >>> (32 - n)));

function lea(s: Site): Exec {
  const n = s.imm("n") & 31;
  const x = s.has("X");
  const isHigh = s.has("HI");
  const extended = s.has("SX32");
  const a = s.int("a");
  const b = s.int("b");
  if (isHigh && a.neg) s.unsupported("negated wide operand of LEA.HI");
  const na = a.neg;
  const nb = b.neg;
  const not = a.not;
  const term = (v: number, neg: boolean): number => (neg ? TWO32 - (v >>> 0) : v >>> 0);
  // The sign or inversion of a applies to the shifted value.
  const sum = (v: number, bv: number, ci: number): number => carried(term(not ? ~v : v, na) + term(bv, nb) + ci);
  const f: LaneFunction = isHigh
    ? extended
      ? (av, bv, ci) => sum(shiftedHigh(av, av >> 31, n), bv, ci)
      : (av, bv, cv, ci) => sum(shiftedHigh(av, cv, n), bv, ci)
    : (av, bv, ci) => sum(shiftedLow(av, n), bv, ci);
  const shifted: Source = { ...a, neg: false, not: false };
  const third = isHigh && !extended ? [s.int("c")] : [];
  const ci = x ? s.flag("ci") : s.constant(0);
  return s.lanes(f, [shifted, plain(b), ...third, ci], { d: "i", preds: ["co"] });
}

// ------------------------------------------------------------------------------------------------ comparisons

type Compare = (a: number, b: number) => boolean;
export const signedCompare: Readonly<Record<string, Compare>> = {
  F: () => false,
  LT: (a, b) => a < b,
  EQ: (a, b) => a === b,
  LE: (a, b) => a <= b,
  GT: (a, b) => a > b,
  NE: (a, b) => a !== b,
  GE: (a, b) => a >= b,
  T: () => true,
};

/** `(r bool pin, !r bool pin)` as bits 0 and 1; the index of the table is `r · 2 + pin`. */
export const boolTables: Readonly<Record<string, readonly number[]>> = {
  AND: [0, 2, 0, 1],
  OR: [2, 3, 1, 3],
  XOR: [2, 1, 1, 2],
};

const setpCache = new Map<string, LaneFunction>();

/** One function per comparison, so that its loops are compiled once. */
function setpFunction(cmp: string, unsigned: boolean, bool: string, ex: boolean): LaneFunction {
  const key = `${cmp}${unsigned}${bool}${ex}`;
  let f = setpCache.get(key);
  if (f === undefined) {
    f = makeSetp(signedCompare[cmp]!, unsigned ? 0x80000000 : 0, boolTables[bool]!, ex);
    setpCache.set(key, f);
  }
  return f;
}

/** Unsigned order is signed order with the top bits flipped. */
function makeSetp(compare: Compare, flip: number, table: readonly number[], ex: boolean): LaneFunction {
  if (ex) {
    return (a, b, pin, lo) => {
      const r = a === b ? lo : compare(a ^ flip, b ^ flip) ? 1 : 0;
      return table[r * 2 + pin]!;
    };
  }
  return (a, b, pin) => table[(compare(a ^ flip, b ^ flip) ? 2 : 0) + pin]!;
}

/** Compares pairs of words: the upper ones decide, the lower ones (unsigned) when those are equal. */
function isetpWide(cmp: string, unsigned: boolean, bool: string): LaneFunction {
  const key = `${cmp}${unsigned}${bool}64`;
  let f = setpCache.get(key);
  if (f === undefined) {
    const compare = signedCompare[cmp]!;
    const table = boolTables[bool]!;
    const flip = unsigned ? 0x80000000 : 0;
    f = (al, ah, bl, bh, pin) => {
      const r = ah === bh ? compare(al ^ 0x80000000, bl ^ 0x80000000) : compare(ah ^ flip, bh ^ flip);
      return table[(r ? 2 : 0) + pin]!;
    };
    setpCache.set(key, f);
  }
  return f;
}

function isetp(s: Site): Exec {
  const cmp = s.choose({ F: "F", LT: "LT", EQ: "EQ", LE: "LE", GT: "GT", NE: "NE", GE: "GE", T: "T" }, "T");
  const bool = s.choose({ AND: "AND", OR: "OR", XOR: "XOR" }, "AND");
  const ex = s.has("EX");
  const wide = s.choose({ U64: "U64", S64: "S64" }, null);
  if (wide !== null) {
    if (ex) s.unsupported("upper words of 64-bit numbers");
    const f = isetpWide(cmp, wide === "U64", bool);
    return s.lanes(f, [s.long("a"), s.long("b"), s.flag("pin")], { d: "none", preds: ["p", "q"] });
  }
  const f = setpFunction(cmp, s.has("U32"), bool, ex);
  const sources = [s.int("a"), s.int("b"), s.flag("pin"), ...(ex ? [s.flag("plo")] : [])];
  return s.lanes(f, sources, { d: "none", preds: ["p", "q"] });
}

// ------------------------------------------------------------------------------------------------ minimum, maximum

type Pair = (a: number, b: number) => number;
const minS: Pair = Math.min;
const maxS: Pair = Math.max;
const minU: Pair = (a, b) => (a >>> 0 < b >>> 0 ? a : b);
const maxU: Pair = (a, b) => (a >>> 0 > b >>> 0 ? a : b);

/** Applies a function to both 16-bit halves. */
function halves(f: Pair, signed: boolean): Pair {
  return (a, b) => {
    const lo = signed ? f((a << 16) >> 16, (b << 16) >> 16) : f(a & 0xffff, b & 0xffff);
    const hi = signed ? f(a >> 16, b >> 16) : f(a >>> 16, b >>> 16);
    return (lo & 0xffff) | (hi << 16);
  };
}

const add4x8: Pair = bytes((a, b) => a + b, false);
/** The second word comes negated as a whole; what is taken away are its parts. */
const sub2x16: Pair = (a, b) => halves((x, y) => x - y, false)(a, -b | 0);
const sub4x8: Pair = (a, b) => bytes((x, y) => x - y, false)(a, -b | 0);

/** The same of four bytes. */
function bytes(f: Pair, signed: boolean): Pair {
  const part = (x: number, k: number): number => (signed ? (x << (24 - k)) >> 24 : (x >>> k) & 0xff);
  return (a, b) => [0, 8, 16, 24].reduce((all, k) => all | ((f(part(a, k), part(b, k)) & 0xff) << k), 0);
}

const minMax: Readonly<Record<string, readonly [min: Pair, max: Pair]>> = {
  U32: [minU, maxU],
  S32: [minS, maxS],
  U16x2: [halves(minU, false), halves(maxU, false)],
  S16x2: [halves(minS, true), halves(maxS, true)],
  U8x4: [bytes(minU, false), bytes(maxU, false)],
  S8x4: [bytes(minS, true), bytes(maxS, true)],
};

function minMaxOf(s: Site): readonly [Pair, Pair] {
  const [min, max] = s.choose(minMax, minMax.S32!);
  if (!s.has("RELU")) return [min, max];
  return [(a, b) => max(min(a, b), 0), (a, b) => max(max(a, b), 0)];
}

/** Minimum (maximum) of pairs of words. */
function imnmxWide(s: Site, unsigned: boolean): Exec {
  const less = isetpWide("LT", unsigned, "AND");
  const f: LaneFunction = (al, ah, bl, bh, p) => {
    const takesA = (less(al, ah, bl, bh, 1) & 1) === p;
    high.word = takesA ? ah : bh;
    return takesA ? al : bl;
  };
  return s.lanes(f, [s.long("a"), s.long("b"), s.flag("pin")], { d: "w" });
}

function imnmx(s: Site): Exec {
  if (writesCarry(s, "co", "co2", "p", "q")) s.unsupported("predicate result");
  // What the second predicate of sm_120 says is not known; ptxas has it false.
  const ci = s.find("ci");
  if (ci !== null && !(ci.id < 0 && (ci.mods & Mod.Not) !== 0)) s.unsupported("second predicate");
  const wide = s.choose({ U64: "U64", S64: "S64" }, null);
  if (wide !== null) return imnmxWide(s, wide === "U64");
  const [min, max] = minMaxOf(s);
  return s.lanes((a, b, p) => (p ? min(a, b) : max(a, b)), [s.int("a"), s.int("b"), s.flag("pin")], { d: "i" });
}

function imnmx3(s: Site): Exec {
  const [min, max] = minMaxOf(s);
  const f: LaneFunction = (a, b, c, p) => (p ? min(min(a, b), c) : max(max(a, b), c));
  return s.lanes(f, [s.int("a"), s.int("b"), s.int("c"), s.flag("pin")], { d: "i" });
}

/** d = min or max of a + b and c. */
function viaddmnmx(s: Site): Exec {
  if (s.inst.form.mods.some((m) => m.endsWith("16x2"))) s.unsupported("halves");
  const [min, max] = minMaxOf(s);
  const f: LaneFunction = (a, b, c, p) => (p ? min((a + b) | 0, c) : max((a + b) | 0, c));
  return s.lanes(f, [s.int("a"), s.int("b"), s.int("c"), s.flag("pin")], { d: "i" });
}

const difference = (unsigned: boolean): LaneFunction =>
  unsigned ? (a, b, c) => (Math.abs((a >>> 0) - (b >>> 0)) + c) | 0 : (a, b, c) => (Math.abs(a - b) + c) | 0;

/** VABSDIFF4: differences byte by byte, or their sum, plus c. */
function vabsdiff4(s: Site): Exec {
  const unsigned = s.has("U8");
  const sum = s.has("ACC");
  if (writesCarry(s, "co")) s.unsupported("carry");
  const byte = (x: number, i: number): number => (unsigned ? (x >>> (8 * i)) & 255 : (x << (24 - 8 * i)) >> 24);
  const difference = (a: number, b: number, i: number): number => Math.abs(byte(a, i) - byte(b, i));
  const total: LaneFunction = (a, b, c) => {
    let r = c;
    for (let i = 0; i < 4; i++) r += difference(a, b, i);
    return r | 0;
  };
  // ptxas gives c of vabsdiff4 as it stands, without using it: PTX merges nothing where all bytes are asked for.
  const bytes: LaneFunction = (a, b) => {
    let r = 0;
    for (let i = 0; i < 4; i++) r |= (difference(a, b, i) & 255) << (8 * i);
    return r;
  };
  return s.lanes(sum ? total : bytes, [s.int("a"), s.int("b"), s.int("c")], { d: "i" });
}

// ------------------------------------------------------------------------------------------------ dot products

function idp(s: Site): Exec {
  const bytes = s.has("4A");
  const loHalf = s.choose({ LO: 0, HI: 2 }, 0);
  s.has("2A");
  // The first type belongs to a, the second to b.
  const types = s.inst.form.mods.filter((m) => /^[US](8|16)$/.test(m));
  for (const t of types) s.has(t);
  const [ta = "U8", tb = "U8"] = types;
  const pick = (x: number, i: number, width: number, signed: boolean): number => {
    const v = (x >>> (i * width)) & (width === 8 ? 0xff : 0xffff);
    return signed ? (v << (32 - width)) >> (32 - width) : v;
  };
  const sa = ta.startsWith("S");
  const sb = tb.startsWith("S");
  const f: LaneFunction = bytes
    ? (a, b, c) => {
        let r = c;
        for (let i = 0; i < 4; i++) r += pick(a, i, 8, sa) * pick(b, i, 8, sb);
        return r | 0;
      }
    : (a, b, c) => {
        let r = c;
        for (let i = 0; i < 2; i++) r += pick(a, i, 16, sa) * pick(b, i + loHalf, 8, sb);
        return r | 0;
      };
  return s.lanes(f, [s.int("a"), s.int("b"), s.int("c")], { d: "i" });
}

const add2: LaneFunction = (a, b) => (a + b) | 0;
const add2x16: LaneFunction = (a, b) => ((a + b) & 0xffff) | ((((a >>> 16) + (b >>> 16)) & 0xffff) << 16);

/** Names of the types differ by SM; sums of 32 bits have no sign unless they saturate. */
function viadd(s: Site): Exec {
  const word = s.choose({ "32": 1, S32: 2 }, 0);
  if (s.has("ISAT")) {
    if (word !== 2) s.unsupported(".ISAT of this type");
    const f: LaneFunction = (a, b) => Math.min(Math.max(a + b, -0x80000000), 0x7fffffff);
    return s.lanes(f, [s.int("a"), s.int("b")], { d: "i" });
  }
  const [a, b] = ["a", "b"].map((name) => (s.operand(name).mods & Mod.Neg) !== 0);
  const four = b ? sub4x8 : add4x8;
  const two = b ? sub2x16 : add2x16;
  const lanes = s.choose({ "16x2": two, U8x4: four, S8x4: four }, add2);
  if (lanes !== add2 && a) s.unsupported("a negated first operand");
  return s.lanes(lanes, [s.int("a"), s.int("b")], { d: "i" });
}

export const integer: Makers = {
  IADD3: iadd3,
  IADD: iadd,
  IMAD: imad,
  LEA: lea,
  IABS: (s) => s.lanes((b) => (b < 0 ? -b | 0 : b), [s.int("b")], { d: "i" }),
  IMNMX: imnmx,
  VIMNMX: imnmx,
  VIMNMX3: imnmx3,
  VIADDMNMX: viaddmnmx,
  VIADD: viadd,
  VABSDIFF: (s) => {
    if (writesCarry(s, "co")) s.unsupported("predicate result");
    return s.lanes(difference(s.has("U32")), [s.int("a"), s.int("b"), s.int("c")], { d: "i" });
  },
  VABSDIFF4: vabsdiff4,
  ISETP: isetp,
  IDP: idp,
};
