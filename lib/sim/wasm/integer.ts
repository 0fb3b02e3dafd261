/** Integer arithmetic, logic, shifts, four lanes at a time; the meaning is that of ops/integer.ts and ops/bits.ts. */
import { File, Kind, Mod, type Operand } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { Untranslated, type V } from "./emission.js";
import { Type } from "./encoder.js";
import { Op } from "./opcodes.js";
import type { Segment } from "./segment.js";
import type { Emitters } from "./table.js";

/** Is the predicate result wanted? */
export const wanted = (s: Site, name: string): boolean => (s.pred(name) & 7) !== 7;

/** RZ, not inverted. */
const isZero = (o: Operand): boolean => o.kind === Kind.Reg && o.id < 0 && (o.mods & Mod.Not) === 0;

export function setResult(e: Segment, s: Site, v: V): void {
  e.setDst(s.operand("d"), e.newValue(v));
}

/** a + b, and where it carries, as masks to be summed. */
function sum(e: Segment, a: V, b: V, carries: V[] | null): V {
  const r = e.v(Op.i32x4Add, a, b);
  carries?.push(e.v(Op.i32x4LtU, r, a));
  return r;
}

/** Adds 1 where the mask is set. */
function plusOne(e: Segment, a: V, mask: V, carries: V[] | null): V {
  const r = e.v(Op.i32x4Sub, a, mask);
  carries?.push(e.v(Op.i32x4LtU, r, a));
  return r;
}

/** Minus the number of carries. */
const total = (e: Segment, carries: readonly V[]): V => carries.reduce((x, y) => e.v(Op.i32x4Add, x, y));

function iadd3(e: Segment, s: Site): void {
  if (s.has("64")) {
    if (wanted(s, "co") || wanted(s, "co2")) throw new Untranslated("carry of a 64-bit sum");
    const [a, b, c] = ["a", "b", "c"].map((n) => e.long(...(e.pairOf(s, n) as [never, never])));
    e.setLong(s.operand("d"), [
      e.v(Op.i64x2Add, e.v(Op.i64x2Add, a![0], b![0]), c![0]),
      e.v(Op.i64x2Add, e.v(Op.i64x2Add, a![1], b![1]), c![1]),
    ]);
    return;
  }
  const carry = wanted(s, "co") || wanted(s, "co2");
  const carries: V[] | null = carry ? [] : null;
  const x = s.has("X");
  const terms: V[] = [];
  for (const n of ["a", "b", "c"]) {
    const o = s.operand(n);
    if (isZero(o) && (o.mods & Mod.Neg) === 0) continue;
    const v = e.int(s, n);
    terms.push(v);
    // Here −x is 2³² − x: the carry of a − b is "no borrow" also for b = 0.
    if (!x && carry && o.mods & Mod.Neg) carries!.push(e.v(Op.i32x4Eq, v, e.words(0)));
  }
  let r = terms[0] ?? e.words(0);
  for (const t of terms.slice(1)) r = sum(e, r, t, carries);
  if (x)
    for (const n of ["ci", "ci2"]) {
      const known = e.knownFlag(s, n);
      if (known !== false) r = plusOne(e, r, e.flag(s, n), carries);
    }
  const preds: [number, V][] = [];
  if (carry) {
    const n = carries!.length === 0 ? e.words(0) : total(e, carries!);
    if (wanted(s, "co")) preds.push([s.pred("co"), e.v(Op.i32x4LtS, n, e.words(0))]);
    if (wanted(s, "co2")) preds.push([s.pred("co2"), e.v(Op.i32x4LtS, n, e.words(-1))]);
  }
  setResult(e, s, r);
  for (const [p, v] of preds) e.setPred(p, v);
}

function imad(e: Segment, s: Site): void {
  const unsigned = s.has("U32");
  const x = s.has("X");
  const hi = s.has("HI");
  const wide = s.has("WIDE");
  if (wanted(s, "co")) throw new Untranslated("carry of a product");
  const a = e.int(s, "a");
  const ob = s.operand("b");
  const one = ob.kind === Kind.Imm && ob.value === 1 && (ob.mods & 7) === 0;
  if (!hi && !wide) {
    const b = e.int(s, "b");
    let r = one ? a : e.v(Op.i32x4Mul, a, b);
    const c = e.int(s, "c");
    if (!isZero(s.operand("c"))) r = e.v(Op.i32x4Add, r, c);
    if (x) r = plusOne(e, r, e.flag(s, "ci"), null);
    setResult(e, s, r);
    return;
  }
  const b = e.int(s, "b");
  const [cl, ch] = e.pairOf(s, "c");
  let low = e.v(unsigned ? Op.i64x2ExtmulLowU : Op.i64x2ExtmulLowS, a, b);
  let high = e.v(unsigned ? Op.i64x2ExtmulHighU : Op.i64x2ExtmulHighS, a, b);
  if (!isZero(s.operand("c"))) {
    const [c0, c1] = e.long(cl, ch);
    low = e.v(Op.i64x2Add, low, c0);
    high = e.v(Op.i64x2Add, high, c1);
  }
  if (x) {
    // A mask of 32 bits doubled is one of 64, which is −1.
    const ci = e.flag(s, "ci");
    low = e.v(Op.i64x2Sub, low, e.shuffled(ci, ci, [0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7]));
    high = e.v(Op.i64x2Sub, high, e.shuffled(ci, ci, [8, 9, 10, 11, 8, 9, 10, 11, 12, 13, 14, 15, 12, 13, 14, 15]));
  }
  if (wide) e.setLong(s.operand("d"), [low, high]);
  else setResult(e, s, e.oddWords(low, high));
}

function lea(e: Segment, s: Site): void {
  const n = s.imm("n") & 31;
  const x = s.has("X");
  const isHigh = s.has("HI");
  const extended = s.has("SX32");
  const o = s.operand("a");
  const ob = s.operand("b");
  const am = o.mods;
  const bm = ob.mods;
  if (o.part !== "" || ob.part !== "" || am & Mod.Abs || bm & Mod.Abs) throw new Untranslated("operand of LEA");
  if (isHigh && am & Mod.Neg) throw new Untranslated("negated wide operand of LEA.HI");
  const a = e.value(e.operand(o));
  let shifted: V;
  if (!isHigh) shifted = n === 0 ? a : e.shifted(Op.i32x4Shl, a, n);
  else {
    const c = extended ? e.shifted(Op.i32x4ShrS, a, 31) : e.int(s, "c");
    shifted = n === 0 ? c : e.v(Op.or, e.shifted(Op.i32x4Shl, c, n), e.shifted(Op.i32x4ShrU, a, 32 - n));
  }
  if (am & Mod.Not) shifted = e.v(Op.not, shifted);
  let b = e.value(e.operand(ob));
  if (bm & Mod.Not) throw new Untranslated("inverted operand of LEA");
  const carries: V[] | null = wanted(s, "co") ? [] : null;
  const negated = (v: V): V => {
    const r = e.v(Op.i32x4Neg, v);
    carries?.push(e.v(Op.i32x4Eq, r, e.words(0)));
    return r;
  };
  if (am & Mod.Neg) shifted = negated(shifted);
  if (bm & Mod.Neg) b = negated(b);
  let r = sum(e, shifted, b, carries);
  if (x) r = plusOne(e, r, e.flag(s, "ci"), carries);
  const co = carries === null ? null : e.v(Op.i32x4LtS, total(e, carries), e.words(0));
  setResult(e, s, r);
  if (co !== null) e.setPred(s.pred("co"), co);
}

// ------------------------------------------------------------------------------------------------ comparisons

const signedOps: Readonly<Record<string, number>> = {
  LT: Op.i32x4LtS,
  EQ: Op.i32x4Eq,
  LE: Op.i32x4LeS,
  GT: Op.i32x4GtS,
  NE: Op.i32x4Ne,
  GE: Op.i32x4GeS,
};
const unsignedOps: Readonly<Record<string, number>> = {
  LT: Op.i32x4LtU,
  EQ: Op.i32x4Eq,
  LE: Op.i32x4LeU,
  GT: Op.i32x4GtU,
  NE: Op.i32x4Ne,
  GE: Op.i32x4GeU,
};
const names = ["F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"];
const choices: Readonly<Record<string, string>> = Object.fromEntries(names.map((n) => [n, n]));
const bools: Readonly<Record<string, number>> = { AND: Op.and, OR: Op.or, XOR: Op.xor };

function compared(e: Segment, cmp: string, unsigned: boolean, a: V, b: V): V {
  const op = (unsigned ? unsignedOps : signedOps)[cmp];
  return op === undefined ? e.words(cmp === "T" ? -1 : 0) : e.v(op, a, b);
}

/** p = r bool pin, q = !r bool pin. */
export function setPredicates(e: Segment, s: Site, r: V): void {
  const op = s.choose(bools, Op.and);
  const known = e.knownFlag(s, "pin");
  const pin = known === true && op === Op.and ? null : e.flag(s, "pin");
  const join = (x: V): V => (pin === null ? x : e.v(op, x, pin));
  const p = wanted(s, "p") ? join(r) : null;
  const q = wanted(s, "q") ? join(e.v(Op.not, r)) : null;
  if (p !== null) e.setPred(s.pred("p"), p);
  if (q !== null) e.setPred(s.pred("q"), q);
}

function isetp(e: Segment, s: Site): void {
  const cmp = s.choose(choices, "T");
  const wide = s.choose({ U64: "U64", S64: "S64" }, null);
  if (wide !== null) {
    const [al, ah] = e.pairOf(s, "a").map((x) => e.value(x)) as [V, V];
    const [bl, bh] = e.pairOf(s, "b").map((x) => e.value(x)) as [V, V];
    const low = compared(e, cmp, true, al, bl);
    const high = compared(e, cmp, wide === "U64", ah, bh);
    setPredicates(e, s, e.v(Op.bitselect, low, high, e.v(Op.i32x4Eq, ah, bh)));
    return;
  }
  const unsigned = s.has("U32");
  const a = e.int(s, "a");
  const b = e.int(s, "b");
  let r = compared(e, cmp, unsigned, a, b);
  if (s.has("EX")) r = e.v(Op.bitselect, e.flag(s, "plo"), r, e.v(Op.i32x4Eq, a, b));
  setPredicates(e, s, r);
}

function imnmx(e: Segment, s: Site): void {
  for (const n of ["co", "co2", "p", "q"]) if (wanted(s, n)) throw new Untranslated("predicate result");
  const ci = s.find("ci");
  if (ci !== null && !(ci.id < 0 && (ci.mods & Mod.Not) !== 0)) throw new Untranslated("second predicate");
  extremum(e, s, [e.int(s, "a"), e.int(s, "b")]);
}

/** The least or the greatest of the words, as the predicate says. */
function extremum(e: Segment, s: Site, words: readonly V[]): void {
  const unsigned = s.has("U32");
  s.has("S32");
  const least = (): V => words.reduce((a, b) => e.v(unsigned ? Op.i32x4MinU : Op.i32x4MinS, a, b));
  const greatest = (): V => words.reduce((a, b) => e.v(unsigned ? Op.i32x4MaxU : Op.i32x4MaxS, a, b));
  const known = e.knownFlag(s, "pin");
  if (known !== null) setResult(e, s, known ? least() : greatest());
  else setResult(e, s, e.v(Op.bitselect, least(), greatest(), e.flag(s, "pin")));
}

function imnmx3(e: Segment, s: Site): void {
  extremum(e, s, [e.int(s, "a"), e.int(s, "b"), e.int(s, "c")]);
}

function viaddmnmx(e: Segment, s: Site): void {
  extremum(e, s, [e.v(Op.i32x4Add, e.int(s, "a"), e.int(s, "b")), e.int(s, "c")]);
}

// ------------------------------------------------------------------------------------------------ logic

/** Two inputs under a 4-bit truth table (a 0xc, b 0xa). */
function two(e: Segment, table: number, a: () => V, b: () => V): V {
  switch (table) {
    case 0x0:
      return e.words(0);
    case 0x1:
      return e.v(Op.not, e.v(Op.or, a(), b()));
    case 0x2:
      return e.v(Op.andnot, b(), a());
    case 0x3:
      return e.v(Op.not, a());
    case 0x4:
      return e.v(Op.andnot, a(), b());
    case 0x5:
      return e.v(Op.not, b());
    case 0x6:
      return e.v(Op.xor, a(), b());
    case 0x7:
      return e.v(Op.not, e.v(Op.and, a(), b()));
    case 0x8:
      return e.v(Op.and, a(), b());
    case 0x9:
      return e.v(Op.not, e.v(Op.xor, a(), b()));
    case 0xa:
      return b();
    case 0xb:
      return e.v(Op.or, e.v(Op.not, a()), b());
    case 0xc:
      return a();
    case 0xd:
      return e.v(Op.or, a(), e.v(Op.not, b()));
    case 0xe:
      return e.v(Op.or, a(), b());
    default:
      return e.words(-1);
  }
}

/** Three vectors under an 8-bit truth table (a 0xf0, b 0xcc, c 0xaa): by c, what a and b make of it. */
function lookup(e: Segment, lut: number, a: () => V, b: () => V, c: () => V): V {
  if (lut === 0x96) return e.v(Op.xor, e.v(Op.xor, a(), b()), c());
  if (lut === 0xfe) return e.v(Op.or, e.v(Op.or, a(), b()), c());
  if (lut === 0x80) return e.v(Op.and, e.v(Op.and, a(), b()), c());
  let without = 0;
  let withC = 0;
  for (let i = 0; i < 4; i++) {
    // Index 2a + b of the small table is 4a + 2b + c of the large one.
    without |= ((lut >> (2 * i)) & 1) << i;
    withC |= ((lut >> (2 * i + 1)) & 1) << i;
  }
  if (without === withC) return two(e, without, a, b);
  if (without === 0 && withC === 0xf) return c();
  if (without === (withC ^ 0xf)) return e.v(Op.xor, two(e, without, a, b), c());
  if (without === 0) return e.v(Op.and, two(e, withC, a, b), c());
  if (withC === 0xf) return e.v(Op.or, two(e, without, a, b), c());
  return e.v(Op.bitselect, two(e, withC, a, b), two(e, without, a, b), c());
}

function lop3(e: Segment, s: Site): void {
  s.has("LUT");
  const and = s.has("PAND");
  const [a, b, c] = ["a", "b", "c"].map((n) => {
    let v: V | null = null;
    // Looked at whether it is used or not.
    const o = s.operand(n);
    if (o.part !== "") throw new Untranslated("operand part");
    void o.mods;
    return () => {
      v ??= e.int(s, n);
      return v;
    };
  }) as [() => V, () => V, () => V];
  const r = lookup(e, s.imm("lut") & 255, a, b, c);
  let p: V | null = null;
  if (wanted(s, "pout")) {
    const nonzero = e.v(Op.i32x4Ne, r, e.words(0));
    p = e.v(and ? Op.and : Op.or, nonzero, e.flag(s, "pin"));
  } else e.knownFlag(s, "pin");
  setResult(e, s, r);
  if (p !== null) e.setPred(s.pred("pout"), p);
}

function plop3(e: Segment, s: Site): void {
  s.has("LUT");
  const flags = ["a", "b", "c"].map((n) => {
    const o = s.find(n);
    if (o === null || (o.file !== File.P && o.file !== File.UP)) throw new Untranslated("register among predicates");
    return () => e.flag(s, n);
  }) as [() => V, () => V, () => V];
  for (const n of ["a", "b", "c"]) void s.operand(n).mods;
  const p = wanted(s, "p") ? lookup(e, s.imm("lut") & 255, ...flags) : null;
  const q = wanted(s, "q") ? lookup(e, s.imm("lut2") & 255, ...flags) : null;
  s.imm("lut2");
  if (p !== null) e.setPred(s.pred("p"), p);
  if (q !== null) e.setPred(s.pred("q"), q);
}

// ------------------------------------------------------------------------------------------------ shifts

/** For every lane the words of a, and scalar code that leaves one word on the stack. */
export function perLane(e: Segment, vectors: readonly V[], emit: (scalars: readonly number[]) => void): V {
  const scalars = vectors.map(() => e.local(Type.i32));
  const d = e.local();
  for (let k = 0; k < 4; k++) {
    if (k > 0) e.out.get(d);
    vectors.forEach((v, i) => {
      e.out.get(v).lane(Op.i32x4Extract, k).set(scalars[i]!);
    });
    emit(scalars);
    if (k === 0) e.out.op(Op.i32x4Splat).set(d);
    else e.out.lane(Op.i32x4Replace, k).set(d);
  }
  return d;
}

function shf(e: Segment, s: Site): void {
  const toLeft = s.has("L");
  s.has("R");
  const wantHigh = s.has("HI");
  const wrap = s.has("W");
  const type = s.choose({ S64: "S64", U64: "U64", S32: "S32", U32: "U32" }, "U32");
  const limit = type.endsWith("64") ? 64 : 32;
  const signed = type.startsWith("S");
  const ob = s.operand("b");
  if (ob.kind === Kind.Imm && (ob.mods & 7) === 0) {
    const given = ob.value | 0;
    const n = wrap ? given & (limit - 1) : given >>> 0 > limit ? limit : given;
    setResult(e, s, shiftedBy(e, s, toLeft, wantHigh, signed, n));
    return;
  }
  const [a, b, c] = [e.int(s, "a"), e.int(s, "b"), e.int(s, "c")];
  // The pair c:a as 64 bits; WebAssembly takes shift amounts modulo 64.
  const clamped = e.local(Type.i32);
  const r = perLane(e, [a, b, c], ([x, n, y]) => {
    const { out } = e;
    const amount = (): void => {
      out.get(clamped).op(Op.i64ExtendI32U);
    };
    if (wrap)
      out
        .get(n!)
        .i32(limit - 1)
        .op(Op.i32And)
        .set(clamped);
    else out.i32(limit).get(n!).get(n!).i32(limit).op(Op.i32GtU).op(Op.select).set(clamped);
    if (toLeft && !wantHigh) {
      // The word moved up by less than 32; else 0.
      out.get(x!).op(Op.i64ExtendI32U);
      amount();
      out.op(Op.i64Shl).op(Op.i32WrapI64).i32(0).get(clamped).i32(64).op(Op.i32LtU).op(Op.select);
      return;
    }
    const pair = (): void => {
      out.get(y!).op(Op.i64ExtendI32U);
      out.i64(32);
      out.op(Op.i64Shl).get(x!).op(Op.i64ExtendI32U).op(Op.i64Or);
    };
    if (toLeft) {
      pair();
      amount();
      out.op(Op.i64Shl);
      out.i64(32);
      out.op(Op.i64ShrU).op(Op.i32WrapI64).i32(0).get(clamped).i32(64).op(Op.i32LtU).op(Op.select);
      return;
    }
    const fill = (): void => {
      if (signed) out.get(y!).i32(31).op(Op.i32ShrS);
      else out.i32(0);
    };
    if (wantHigh) {
      // c alone, by less than 32.
      out
        .get(y!)
        .get(clamped)
        .op(signed ? Op.i32ShrS : Op.i32ShrU);
      fill();
      out.get(clamped).i32(32).op(Op.i32LtU).op(Op.select);
      return;
    }
    pair();
    amount();
    out.op(signed ? Op.i64ShrS : Op.i64ShrU).op(Op.i32WrapI64);
    fill();
    out.get(clamped).i32(64).op(Op.i32LtU).op(Op.select);
  });
  setResult(e, s, r);
}

/** The funnel shift by a constant of at most 64. */
function shiftedBy(e: Segment, s: Site, toLeft: boolean, wantHigh: boolean, signed: boolean, n: number): V {
  const a = (): V => e.int(s, "a");
  const c = (): V => e.int(s, "c");
  for (const x of ["a", "c"]) void s.operand(x).mods;
  const right = signed ? Op.i32x4ShrS : Op.i32x4ShrU;
  if (toLeft) {
    if (!wantHigh) return n === 0 ? a() : n < 32 ? e.shifted(Op.i32x4Shl, a(), n) : e.words(0);
    if (n === 0) return c();
    if (n >= 64) return e.words(0);
    if (n >= 32) return n === 32 ? a() : e.shifted(Op.i32x4Shl, a(), n - 32);
    return e.v(Op.or, e.shifted(Op.i32x4Shl, c(), n), e.shifted(Op.i32x4ShrU, a(), 32 - n));
  }
  const fill = (): V => (signed ? e.shifted(Op.i32x4ShrS, c(), 31) : e.words(0));
  if (wantHigh) return n === 0 ? c() : n < 32 ? e.shifted(right, c(), n) : fill();
  if (n === 0) return a();
  if (n >= 64) return fill();
  if (n >= 32) return n === 32 ? c() : e.shifted(right, c(), n - 32);
  return e.v(Op.or, e.shifted(Op.i32x4ShrU, a(), n), e.shifted(Op.i32x4Shl, c(), 32 - n));
}

function viadd(e: Segment, s: Site): void {
  if (s.has("ISAT") || s.has("16x2")) throw new Untranslated("VIADD of this type");
  s.has("32");
  s.has("S32");
  setResult(e, s, e.v(Op.i32x4Add, e.int(s, "a"), e.int(s, "b")));
}

export const integer: Emitters = {
  IADD3: { emit: iadd3 },
  IMAD: { emit: imad },
  VIADD: { emit: viadd },
  LEA: { emit: lea },
  ISETP: { emit: isetp },
  IMNMX: { emit: imnmx },
  VIMNMX: { emit: imnmx },
  VIMNMX3: { emit: imnmx3 },
  VIADDMNMX: { emit: viaddmnmx },
  IABS: { emit: (e, s) => setResult(e, s, e.v(Op.i32x4Abs, e.int(s, "b"))) },
  LOP3: { emit: lop3 },
  PLOP3: { emit: plop3 },
  SHF: { emit: shf },
};
