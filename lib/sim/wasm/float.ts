/**
 * f32 and f64 arithmetic, four lanes at a time, with the results of ops/float.ts and ops/double.ts bit for bit.
 *
 * The FMA of f32 without a processor's: product and sum in f64 are rounded again to f32. The product is exact, so the second
 * rounding errs only where the sum lies midway between two f32 (its low 29 bits are 1 0…0) or is subnormal as f32, where the middle lies
 * elsewhere. Such sums are noted, and the round is done again with the sum rounded to odd first (see number/rounding.ts). Where a result is
 * an operand of the next FMA it stays an f64, rounded to 24 bits.
 *
 * The FMA of f64: product and sum where the factors are short, as numbers that come from f32 are, so that the product is exact. Else product and sum with their errors (Dekker, Knuth), and the result where it is the same with the rest a little larger
 * and a little smaller; the round is done again with the simulator's own where it is not.
 */
import { Kind, Mod } from "../../isa/operand.js";
import { Rounding } from "../number/rounding.js";
import type { Site } from "../site.js";
import { Callee, Untranslated, type V, type Value } from "./emission.js";
import { Fn, Type } from "./encoder.js";
import { type Maker, quickFma64 } from "./fma64.js";
import { setPredicates } from "./integer.js";
import { Op } from "./opcodes.js";
import type { Segment } from "./segment.js";
import type { Emitters } from "./table.js";

function nearest(s: Site): void {
  if (s.rounding() !== Rounding.RN) throw new Untranslated("rounding mode");
}

/** Stores an f32 result. */
function setFloat(e: Segment, s: Site, x: V, ftz: boolean, sat: boolean): void {
  let v = x;
  if (ftz) v = e.flushed(v);
  if (!sat) {
    e.setDst(s.operand("d"), e.floatValue(v));
    return;
  }
  // NaN saturates to +0.
  const one = e.f32s(1);
  const below = e.v(Op.bitselect, v, one, e.v(Op.f32x4Lt, v, one));
  e.setDst(s.operand("d"), e.newValue(e.v(Op.and, below, e.v(Op.f32x4Gt, v, e.words(0)))));
}

function fadd(e: Segment, s: Site): void {
  nearest(s);
  const ftz = s.has("FTZ");
  const [a, b] = [e.f32(s, "a", ftz), e.f32(s, "b", ftz)];
  setFloat(e, s, e.v(Op.f32x4Add, e.float(a), e.float(b)), ftz, s.has("SAT"));
}

function fmul(e: Segment, s: Site): void {
  nearest(s);
  if (s.has("FMZ")) throw new Untranslated("FMZ");
  const ftz = s.has("FTZ");
  const [a, b] = [e.f32(s, "a", ftz), e.f32(s, "b", ftz)];
  let r = e.v(Op.f32x4Mul, e.float(a), e.float(b));
  if (ftz) {
    // What rounds up to the least normal number counts as subnormal.
    const [x, y] = [e.promoted(a), e.promoted(b)];
    const least = e.f64s(2 ** -126);
    const tiny = [0, 1].map((i) => e.v(Op.f64x2Lt, e.v(Op.f64x2Abs, e.v(Op.f64x2Mul, x[i]!, y[i]!)), least)) as [V, V];
    r = e.v(Op.andnot, r, e.v(Op.and, e.evenWords(...tiny), e.words(0x7fffffff)));
  }
  setFloat(e, s, r, false, s.has("SAT"));
}

function ffma(e: Segment, s: Site): void {
  nearest(s);
  if (s.has("FMZ")) throw new Untranslated("FMZ");
  const ftz = s.has("FTZ");
  const sat = s.has("SAT");
  const [a, b, c] = [e.f32(s, "a", ftz), e.f32(s, "b", ftz), e.f32(s, "c", ftz)] as [Value, Value, Value];
  if (e.fma === "relaxed") {
    setFloat(e, s, e.v(Op.f32x4RelaxedMadd, e.float(a), e.float(b), e.float(c)), ftz, sat);
    return;
  }
  if (e.fma === "exact") {
    const d = e.local();
    e.out.get(e.float(a)).get(e.float(b)).get(e.float(c)).index(Op.call, Callee.fma32x4).set(d);
    setFloat(e, s, d, ftz, sat);
    return;
  }
  const [x, y, z] = [e.promoted(a), e.promoted(b), e.promoted(c)];
  const sums = [0, 1].map((i) => e.v(Op.f64x2Add, e.v(Op.f64x2Mul, x[i]!, y[i]!), z[i]!)) as [V, V];
  const rounded = [e.roundedToSingle(0, sums[0]), e.roundedToSingle(1, sums[1])] as const;
  if (ftz || sat) {
    setFloat(e, s, e.demoted(...sums), ftz, sat);
    return;
  }
  const bits = (): V => {
    const whole = e.demoted(...sums);
    return e.v(Op.bitselect, e.words(0x7fffffff), whole, e.v(Op.f32x4Ne, whole, whole));
  };
  e.setDst(
    s.operand("d"),
    e.lazy(bits, null, () => [rounded[0](), rounded[1]()]),
  );
}

/** a·b + c rounded once: the sum is rounded to odd before it is rounded to f32. */
export function exactFma32x4(): Fn {
  const fn = new Fn([Type.v128, Type.v128, Type.v128], [Type.v128]);
  const { code } = fn;
  const v = (op: number, ...args: readonly number[]): number => {
    for (const a of args) code.get(a);
    const d = fn.local(Type.v128);
    code.op(op).set(d);
    return d;
  };
  const constant = (low: number, high: number): number => {
    const d = fn.local(Type.v128);
    code.words(low, high, low, high).set(d);
    return d;
  };
  const zero = constant(0, 0);
  const one = constant(1, 0);
  const half = (upper: boolean): number => {
    const [a, b, c] = [0, 1, 2].map((x) => {
      let from = x;
      if (upper) {
        from = fn.local(Type.v128);
        code.get(x).get(x).shuffle([8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]).set(from);
      }
      return v(Op.f64x2Promote, from);
    }) as [number, number, number];
    const p = v(Op.f64x2Mul, a, b);
    const s = v(Op.f64x2Add, p, c);
    const t = v(Op.f64x2Sub, s, p);
    const error = v(Op.f64x2Add, v(Op.f64x2Sub, p, v(Op.f64x2Sub, s, t)), v(Op.f64x2Sub, c, t));
    const finite = v(Op.f64x2Eq, v(Op.f64x2Sub, s, s), zero);
    const inexact = v(Op.and, finite, v(Op.f64x2Ne, error, zero));
    const even = v(Op.i64x2Eq, v(Op.and, s, one), zero);
    const apart = fn.local(Type.v128);
    code.get(s).get(error).op(Op.xor).i32(63).op(Op.i64x2ShrS).set(apart);
    const step = v(Op.and, v(Op.or, apart, one), v(Op.and, inexact, even));
    return v(Op.f32x4Demote, v(Op.i64x2Add, s, step));
  };
  const low = half(false);
  const high = half(true);
  code.get(low).get(high).shuffle([0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]);
  return fn;
}

// ------------------------------------------------------------------------------------------------ comparisons

/** Comparisons by the vector operations whose results are joined by or; inverted where the name ends in U (true on NaN). */
interface Comparison {
  readonly ops: readonly ("Eq" | "Ne" | "Lt" | "Gt" | "Le" | "Ge")[];
  readonly inverted: boolean;
}

const comparisons: Readonly<Record<string, Comparison | boolean>> = {
  F: false,
  LT: { ops: ["Lt"], inverted: false },
  EQ: { ops: ["Eq"], inverted: false },
  LE: { ops: ["Le"], inverted: false },
  GT: { ops: ["Gt"], inverted: false },
  NE: { ops: ["Lt", "Gt"], inverted: false },
  GE: { ops: ["Ge"], inverted: false },
  NUM: { ops: ["Le", "Gt"], inverted: false },
  NAN: { ops: ["Le", "Gt"], inverted: true },
  LTU: { ops: ["Ge"], inverted: true },
  EQU: { ops: ["Lt", "Gt"], inverted: true },
  LEU: { ops: ["Gt"], inverted: true },
  GTU: { ops: ["Le"], inverted: true },
  NEU: { ops: ["Ne"], inverted: false },
  GEU: { ops: ["Lt"], inverted: true },
  T: true,
};
const names: Readonly<Record<string, string>> = Object.fromEntries(Object.keys(comparisons).map((k) => [k, k]));

function compared(e: Segment, name: string, test: (op: "Eq" | "Ne" | "Lt" | "Gt" | "Le" | "Ge") => V): V {
  const c = comparisons[name]!;
  if (typeof c === "boolean") return e.words(c ? -1 : 0);
  const r = c.ops.map(test).reduce((x, y) => e.v(Op.or, x, y));
  return c.inverted ? e.v(Op.not, r) : r;
}

function fcompare(e: Segment, s: Site): V {
  const ftz = s.has("FTZ");
  const name = s.choose(names, "T");
  const [a, b] = [e.float(e.f32(s, "a", ftz)), e.float(e.f32(s, "b", ftz))];
  return compared(e, name, (op) => e.v(Op[`f32x4${op}`], a, b));
}

function fset(e: Segment, s: Site): void {
  const one = s.has("BF") ? 0x3f800000 : -1;
  if (s.choose<string>({ AND: "AND", OR: "OR", XOR: "XOR" }, "AND") !== "AND" || e.knownFlag(s, "pin") !== true)
    throw new Untranslated("predicate of FSET");
  e.setDst(s.operand("d"), e.newValue(e.v(Op.and, fcompare(e, s), e.words(one))));
}

function fmnmx(e: Segment, s: Site): void {
  if (s.has("XORSIGN")) throw new Untranslated("XORSIGN");
  const ftz = s.has("FTZ");
  const nan = s.has("NAN");
  const [a, b] = [e.float(e.f32(s, "a", ftz)), e.float(e.f32(s, "b", ftz))];
  const known = e.knownFlag(s, "pin");
  let r: V;
  if (known !== null) r = e.v(known ? Op.f32x4Min : Op.f32x4Max, a, b);
  else r = e.v(Op.bitselect, e.v(Op.f32x4Min, a, b), e.v(Op.f32x4Max, a, b), e.flag(s, "pin"));
  if (!nan) {
    r = e.v(Op.bitselect, b, r, e.v(Op.f32x4Ne, a, a));
    r = e.v(Op.bitselect, a, r, e.v(Op.f32x4Ne, b, b));
  }
  e.setDst(s.operand("d"), e.floatValue(r));
}

function fsel(e: Segment, s: Site): void {
  const ftz = s.has("FTZ");
  const [a, b] = [e.bits(s, "a", ftz), e.bits(s, "b", ftz)];
  e.setDst(s.operand("d"), e.newValue(e.v(Op.bitselect, a, b, e.flag(s, "pin"))));
}

// ------------------------------------------------------------------------------------------------ the multi-function unit

/** Functions that the simulator's own code computes (number/mufu.ts), lane by lane. */
const hosted: Readonly<Record<string, number>> = {
  LG2: Callee.log2,
  EX2: Callee.exp2,
  SIN: Callee.sin,
  COS: Callee.cos,
  TANH: Callee.tanh,
};

function mufu(e: Segment, s: Site): void {
  if (s.has("RCP64H") || s.has("RSQ64H") || s.has("F16") || s.has("BF16")) throw new Untranslated("operand of MUFU");
  const name = s.choose<string | null>(
    { RCP: "RCP", RSQ: "RSQ", SQRT: "SQRT", LG2: "LG2", EX2: "EX2", SIN: "SIN", COS: "COS", TANH: "TANH" },
    null,
  );
  if (name === null) throw new Untranslated("function");
  const b = e.f32(s, "b");
  if (name === "RCP" || name === "RSQ" || name === "SQRT") {
    const x = e.promoted(e.newValue(e.flushed(e.float(b))));
    const one = e.f64s(1);
    const r = x.map((v) => {
      const root = name === "RCP" ? v : e.v(Op.f64x2Sqrt, v);
      return name === "SQRT" ? root : e.v(Op.f64x2Div, one, root);
    }) as [V, V];
    setFloat(e, s, e.demoted(...r), name === "RCP", false);
    return;
  }
  const x = e.promoted(b);
  const halves = x.map((v) => {
    const d = e.local();
    for (let k = 0; k < 2; k++) {
      if (k > 0) e.out.get(d);
      e.out.get(v).lane(Op.f64x2Extract, k).index(Op.call, hosted[name]!);
      if (k === 0) e.out.op(Op.f64x2Splat).set(d);
      else e.out.lane(Op.f64x2Replace, k).set(d);
    }
    return d;
  }) as [V, V];
  setFloat(e, s, e.demoted(...halves), false, false);
}

// ------------------------------------------------------------------------------------------------ f64

function dadd(e: Segment, s: Site): void {
  nearest(s);
  const [a, b] = [e.f64(s, "a"), e.f64(s, "b")];
  e.setDouble(s.operand("d"), [e.v(Op.f64x2Add, a[0], b[0]), e.v(Op.f64x2Add, a[1], b[1])]);
}

function dmul(e: Segment, s: Site): void {
  nearest(s);
  const [a, b] = [e.f64(s, "a"), e.f64(s, "b")];
  e.setDouble(s.operand("d"), [e.v(Op.f64x2Mul, a[0], b[0]), e.v(Op.f64x2Mul, a[1], b[1])]);
}

/** Code of the round, which keeps what was made of a vector. */
function makerOf(e: Segment): Maker {
  return {
    v: (op, ...args) => e.v(op, ...args),
    pairs: (low, high) => e.words(low, high, low, high),
    once: <T>(key: string, make: () => T): T => {
      let known = e.round.get(key) as T | undefined;
      if (known === undefined) {
        known = make();
        e.round.set(key, known);
      }
      return known;
    },
  };
}

function dfma(e: Segment, s: Site): void {
  nearest(s);
  const [a, b, c] = [e.f64(s, "a"), e.f64(s, "b"), e.f64(s, "c")];
  if (e.fma === "short") {
    for (const x of [...a, ...b]) e.noteShort(x);
    const [low, high] = [0, 1].map((i) => e.v(Op.f64x2Add, e.v(Op.f64x2Mul, a[i]!, b[i]!), c[i]!)) as [V, V];
    e.setDouble(s.operand("d"), [low, high]);
    return;
  }
  if (e.fma === "quick") {
    const [low, lowWrong] = quickFma64(makerOf(e), a[0], b[0], c[0]);
    const [high, highWrong] = quickFma64(makerOf(e), a[1], b[1], c[1]);
    e.risky = true;
    e.out.get(e.risk).get(e.evenWords(lowWrong, highWrong)).op(Op.or).set(e.risk);
    e.setDouble(s.operand("d"), [low, high]);
    return;
  }
  const half = (i: 0 | 1): V => {
    if (e.fma === "relaxed") return e.v(Op.f64x2RelaxedMadd, a[i], b[i], c[i]);
    const d = e.local();
    for (let k = 0; k < 2; k++) {
      if (k > 0) e.out.get(d);
      for (const x of [a, b, c]) e.out.get(x[i]).lane(Op.f64x2Extract, k);
      e.out.index(Op.call, Callee.fma64);
      if (k === 0) e.out.op(Op.f64x2Splat).set(d);
      else e.out.lane(Op.f64x2Replace, k).set(d);
    }
    return d;
  };
  e.setDouble(s.operand("d"), [half(0), half(1)]);
}

function dsetp(e: Segment, s: Site): void {
  if (s.has("MIN") || s.has("MAX")) throw new Untranslated("DSETP.MIN");
  const name = s.choose(names, "T");
  const [a, b] = [e.f64(s, "a"), e.f64(s, "b")];
  const half = (i: 0 | 1): V => compared(e, name, (op) => e.v(Op[`f64x2${op}`], a[i], b[i]));
  setPredicates(e, s, e.evenWords(half(0), half(1)));
}

// ------------------------------------------------------------------------------------------------ conversions

const integrals: Readonly<Record<string, number>> = { FLOOR: Op.f32x4Floor, CEIL: Op.f32x4Ceil, TRUNC: Op.f32x4Trunc };

function f2i(e: Segment, s: Site): void {
  const ftz = s.has("FTZ");
  for (const t of ["F16", "BF16", "F64", "U8", "S8", "U16", "S16", "U64", "S64"])
    if (s.inst.form.mods.includes(t)) throw new Untranslated("types of F2I");
  s.has("F32");
  const unsigned = s.has("U32");
  s.has("S32");
  const integral = s.choose(integrals, Op.f32x4Nearest);
  const zero = s.has("NTZ");
  const x = e.v(integral, e.float(e.f32(s, "b", ftz)));
  let r = e.v(unsigned ? Op.i32x4TruncF32U : Op.i32x4TruncF32S, x);
  if (!zero) r = e.v(Op.bitselect, e.words(0x80000000), r, e.v(Op.f32x4Ne, x, x));
  e.setDst(s.operand("d"), e.newValue(r));
}

function i2f(e: Segment, s: Site): void {
  nearest(s);
  for (const t of ["F16", "BF16", "U8", "S8", "U16", "S16", "U64", "S64"])
    if (s.inst.form.mods.includes(t)) throw new Untranslated("types of I2F");
  const double = s.has("F64");
  s.has("F32");
  const unsigned = s.has("U32");
  s.has("S32");
  const o = s.operand("b");
  if (o.kind === Kind.Reg && (o.mods & (Mod.Neg | Mod.Abs | Mod.Not)) !== 0) throw new Untranslated("sign");
  const x = e.value(e.raw(s, "b"));
  if (!double) {
    e.setDst(s.operand("d"), e.newValue(e.v(unsigned ? Op.f32x4FromI32U : Op.f32x4FromI32S, x)));
    return;
  }
  const op = unsigned ? Op.f64x2FromLowI32U : Op.f64x2FromLowI32S;
  const high = e.shuffled(x, x, [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]);
  e.setDouble(s.operand("d"), [e.v(op, x), e.v(op, high)]);
}

function frnd(e: Segment, s: Site): void {
  const ftz = s.has("FTZ");
  for (const t of ["F16", "BF16", "F64"]) if (s.inst.form.mods.includes(t)) throw new Untranslated("type of FRND");
  s.has("F32");
  const integral = s.choose(integrals, Op.f32x4Nearest);
  e.setDst(s.operand("d"), e.floatValue(e.v(integral, e.float(e.f32(s, "b", ftz)))));
}

function f2f(e: Segment, s: Site): void {
  nearest(s);
  const { mods } = s.inst.form;
  const types = mods.filter((m) => m === "F32" || m === "F64" || m === "F16" || m === "BF16");
  for (const t of types) s.has(t);
  const ftz = s.has("FTZ");
  for (const m of ["FLOOR", "CEIL", "TRUNC"]) if (mods.includes(m)) throw new Untranslated("integral rounding");
  const [to, from] = types;
  if (to === "F64" && from === "F32") {
    e.setDouble(s.operand("d"), e.promoted(e.f32(s, "b", ftz)));
    return;
  }
  if (to !== "F32" || from !== "F64" || ftz) throw new Untranslated("types of F2F");
  e.setDst(s.operand("d"), e.floatValue(e.demoted(...(e.f64(s, "b") as [V, V]))));
}

export const float: Emitters = {
  FADD: { emit: fadd },
  FMUL: { emit: fmul },
  FFMA: { emit: ffma },
  FMNMX: { emit: fmnmx },
  FSEL: { emit: fsel },
  FSETP: { emit: (e, s) => setPredicates(e, s, fcompare(e, s)) },
  FSET: { emit: fset },
  MUFU: { emit: mufu },
  DADD: { emit: dadd },
  DMUL: { emit: dmul },
  DFMA: { emit: dfma },
  DSETP: { emit: dsetp },
  F2I: { emit: f2i },
  I2F: { emit: i2f },
  I2FP: { emit: i2f },
  FRND: { emit: frnd },
  F2F: { emit: f2f },
};
