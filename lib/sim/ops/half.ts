/**
 * Packed half instructions: f16x2, or bf16x2 with .BF16_V2. Each half of the result comes from the halves that the
 * operand's part selects (none: its own; .H0_H0, .H1_H1: one for both). Products are exact in double precision, sums
 * carry their error along, so every result is rounded once.
 */
import { Kind, Mod, type Operand } from "../../isa/operand.js";
import { f32OfBits } from "../number/f32.js";
import { BF16, bf16Value, F16, f16Value, type Short, shortBits, shortFma } from "../number/half.js";
import { Rounding } from "../number/rounding.js";
import { type Makers, type Site, Unsupported } from "../site.js";
import type { LaneFunction } from "../stamp.js";
import type { Exec } from "../state.js";
import { boolNames, compareNames, floatCompare } from "./float.js";
import { boolTables } from "./integer.js";

/** What a half instruction computes with. */
interface Flavour {
  readonly format: Short;
  readonly value: (bits: number) => number;
  readonly ftz: boolean;
  readonly sat: boolean;
  readonly relu: boolean;
  /** 0 · anything = 0. */
  readonly fmz: boolean;
}

function flavour(s: Site): Flavour {
  const bf = s.has("BF16_V2");
  s.has("MMA");
  const fmz = s.has("FMZ");
  return {
    format: bf ? BF16 : F16,
    value: bf ? bf16Value : f16Value,
    ftz: s.has("FTZ") || fmz,
    sat: s.has("SAT"),
    relu: s.has("RELU"),
    fmz,
  };
}

/** Which half of an operand result half `h` (0 low, 1 high) takes. */
function halfOf(o: Operand, h: 0 | 1): 0 | 1 {
  if (o.part === "") return h;
  if (o.part !== ".H0_H0" && o.part !== ".H1_H1") throw new Unsupported(`operand part ${o.part}`);
  return o.part === ".H0_H0" ? 0 : 1;
}

/** Reads the half for result half `h` (0 low, 1 high) out of a word. */
function reader(o: Operand, h: 0 | 1, f: Flavour): (x: number) => number {
  const which = halfOf(o, h);
  const abs = (o.mods & Mod.Abs) !== 0;
  const neg = (o.mods & Mod.Neg) !== 0;
  const { value, ftz } = f;
  const smallest = 2 ** f.format.least;
  return (x) => {
    let v = value(which === 1 ? x >>> 16 : x & 0xffff);
    if (ftz && Math.abs(v) < smallest) v = v < 0 || Object.is(v, -0) ? -0 : 0;
    if (abs) v = Math.abs(v);
    return neg ? -v : v;
  };
}

/**
 * A sum's operand: a half, or with `.F32` a whole word that counts for both halves (ptxas has constants of f16 as f32). It is cut toward zero: on sm_75
 * ptxas 13.0.88 makes `HADD2 d, a.F32, -RZ` of cvt.rz.f16.f32 from -O1 on, and of no other rounding.
 */
function termReader(o: Operand, h: 0 | 1, f: Flavour): (x: number) => number {
  if (o.part !== ".F32") return reader(o, h, f);
  if (f.ftz) throw new Unsupported(".FTZ with an f32 operand");
  const abs = (o.mods & Mod.Abs) !== 0;
  const neg = (o.mods & Mod.Neg) !== 0;
  return (x) => {
    const cut = f.value(shortBits(f32OfBits(x), 0, f.format, Rounding.RZ));
    const v = abs ? Math.abs(cut) : cut;
    return neg ? -v : v;
  };
}

/** The sign bit of the half for result half `h`, with the operand's own sign but without bars. */
function signOf(o: Operand, h: 0 | 1): (x: number) => number {
  const which = halfOf(o, h);
  const flip = (o.mods & Mod.Neg) !== 0 ? 0x8000 : 0;
  return (x) => ((which === 1 ? x >>> 16 : x) & 0x8000) ^ flip;
}

/** Clamps a rounded result; works on its bits. */
function finish(f: Flavour): (bits: number) => number {
  if (!f.sat && !f.relu && !f.ftz) return (bits) => bits;
  const one = shortBits(1, 0, f.format, Rounding.RN);
  const smallest = 2 ** f.format.least;
  return (bits) => {
    const v = f.value(bits);
    if (f.sat) return Number.isNaN(v) || v <= 0 || (f.ftz && v < smallest) ? 0 : v >= 1 ? one : bits;
    if (f.relu && v <= 0) return 0;
    return f.ftz && Math.abs(v) < smallest ? bits & 0x8000 : bits;
  };
}

type Compute = (a: number, b: number, c: number, f: Flavour) => number;

function packed(s: Site, names: readonly string[], compute: Compute, read: typeof reader = reader): Exec {
  const f = flavour(s);
  const done = finish(f);
  const operands = names.map((n) => s.operand(n));
  for (const o of operands) if (o.kind === Kind.Imm && o.part !== "") s.unsupported("part of an immediate");
  const reads = ([0, 1] as const).map((h) => operands.map((o) => read(o, h, f)));
  const half = (h: 0 | 1, a: number, b: number, c: number): number => {
    const r = reads[h]!;
    return done(compute(r[0]!(a), r[1]!(b), r.length > 2 ? r[2]!(c) : 0, f));
  };
  const sources = names.map((n) => s.raw(n));
  if (s.has("F32")) {
    // One half of each operand, the result in f32.
    const r = reads[0]!;
    const wide: LaneFunction = (a, b, c) => {
      const x = r[0]!(a);
      const y = r[1]!(b);
      return Math.fround(r.length > 2 ? x * y + r[2]!(c) : x + y);
    };
    if (names.length === 2 && s.inst.form.op !== "HADD2") s.unsupported("f32 result");
    return s.lanes(wide, sources, { d: "f", ftz: f.ftz, sat: f.sat });
  }
  const both: LaneFunction = (a, b, c) => half(0, a, b, c) | (half(1, a, b, c) << 16);
  // ptxas moves constants with HFMA2 of zeros: the sum is known once.
  const known = operands.map(knownWord);
  if (known.every((x): x is number => x !== null)) return s.lanes(same, [s.constant(both(...known))], { d: "i" });
  return s.lanes(both, sources, { d: "i" });
}

const same: LaneFunction = (x) => x;

/** The word of an operand that is the same in every run: an immediate or a zero register; null for others. */
function knownWord(o: Operand): number | null {
  if (o.kind === Kind.Imm) return o.value | 0;
  return o.kind === Kind.Reg && o.id < 0 ? 0 : null;
}

const add: Compute = (a, b, _c, f) => shortBits(a + b, 0, f.format, Rounding.RN);
const mul: Compute = (a, b, _c, f) => (f.fmz && (a === 0 || b === 0) ? 0 : shortBits(a * b, 0, f.format, Rounding.RN));
const fma: Compute = (a, b, c, f) =>
  f.fmz && (a === 0 || b === 0) ? shortBits(c, 0, f.format, Rounding.RN) : shortFma(a, b, c, f.format, Rounding.RN);

/** Sums with bf16 may be inexact in double precision: a fused multiply by one carries the error. */
const addExact: Compute = (a, b, _c, f) => shortFma(a, 1, b, f.format, Rounding.RN);

function sum(s: Site): Exec {
  const exact = s.inst.form.mods.includes("BF16_V2");
  return packed(s, ["a", "b"], exact ? addExact : add, termReader);
}

type Extremum = (a: number, b: number, min: boolean) => number;

/** The lesser or greater of two; a NaN counts with `.NAN` alone. */
function extremum(s: Site): Extremum {
  const nan = s.has("NAN");
  return (a, b, min) => {
    if (Number.isNaN(a) || Number.isNaN(b)) return nan ? Number.NaN : Number.isNaN(a) ? b : a;
    return min ? Math.min(a, b) : Math.max(a, b);
  };
}

function minMax(s: Site): Exec {
  const choose = extremum(s);
  const xorsign = s.has("XORSIGN");
  const f = flavour(s);
  const pin = s.flag("pin");
  const reads = ([0, 1] as const).map((h) => [reader(s.operand("a"), h, f), reader(s.operand("b"), h, f)]);
  // As of FMNMX, the signs are those before the bars; no number keeps the canonical one.
  const signs = ([0, 1] as const).map((h) => [signOf(s.operand("a"), h), signOf(s.operand("b"), h)]);
  const half = (h: 0 | 1, a: number, b: number, min: boolean): number => {
    const x = choose(reads[h]![0]!(a), reads[h]![1]!(b), min);
    const bits = shortBits(x, 0, f.format, Rounding.RN);
    if (!xorsign || Number.isNaN(x)) return bits;
    return (bits & 0x7fff) | (signs[h]![0]!(a) ^ signs[h]![1]!(b));
  };
  const both: LaneFunction = (a, b, p) => half(0, a, b, p === 1) | (half(1, a, b, p === 1) << 16);
  return s.lanes(both, [s.raw("a"), s.raw("b"), pin], { d: "i" });
}

/** VHMNMX: the least or greatest of three in both halves. */
function minMax3(s: Site): Exec {
  const choose = extremum(s);
  const f = flavour(s);
  const pin = s.flag("pin");
  const names = ["a", "b", "c"] as const;
  const reads = ([0, 1] as const).map((h) => names.map((n) => reader(s.operand(n), h, f)));
  const half = (h: 0 | 1, a: number, b: number, c: number, min: boolean): number => {
    const [x, y, z] = reads[h] as [LaneFunction, LaneFunction, LaneFunction];
    return shortBits(choose(choose(x(a), y(b), min), z(c), min), 0, f.format, Rounding.RN);
  };
  const both: LaneFunction = (a, b, c, p) => half(0, a, b, c, p === 1) | (half(1, a, b, c, p === 1) << 16);
  return s.lanes(both, [s.raw("a"), s.raw("b"), s.raw("c"), pin], { d: "i" });
}

/** Comparison results of the two halves, each through the boolean operator, as bits 0 and 1. */
function comparer(s: Site): LaneFunction {
  const f = flavour(s);
  const compare = floatCompare[s.choose(compareNames, "T")]!;
  const reads = ([0, 1] as const).map((h) => [reader(s.operand("a"), h, f), reader(s.operand("b"), h, f)]);
  const test = (h: 0 | 1, a: number, b: number): number => (compare(reads[h]![0]!(a), reads[h]![1]!(b)) ? 1 : 0);
  return (a, b) => test(0, a, b) | (test(1, a, b) << 1);
}

function hsetp2(s: Site): Exec {
  const and = s.has("H_AND");
  const table = boolTables[s.choose(boolNames, "AND")]!;
  const compare = comparer(s);
  const f: LaneFunction = (a, b, pin) => {
    const r = compare(a, b);
    if (and) return table[(r === 3 ? 2 : 0) + pin]!;
    return (table[(r & 1) * 2 + pin]! & 1) | ((table[(r >> 1) * 2 + pin]! & 1) << 1);
  };
  return s.lanes(f, [s.raw("a"), s.raw("b"), s.flag("pin")], { d: "none", preds: ["p", "q"] });
}

function hset2(s: Site): Exec {
  const bf = s.has("BF");
  const table = boolTables[s.choose(boolNames, "AND")]!;
  const one = bf ? (s.inst.form.mods.includes("BF16_V2") ? 0x3f80 : 0x3c00) : 0xffff;
  const compare = comparer(s);
  const f: LaneFunction = (a, b, pin) => {
    const r = compare(a, b);
    const lo = table[(r & 1) * 2 + pin]! & 1;
    const hi = table[(r >> 1) * 2 + pin]! & 1;
    return (lo ? one : 0) | ((hi ? one : 0) << 16);
  };
  return s.lanes(f, [s.raw("a"), s.raw("b"), s.flag("pin")], { d: "i" });
}

export const half: Makers = {
  HADD2: sum,
  HMUL2: (s) => packed(s, ["a", "b"], mul),
  HFMA2: (s) => packed(s, ["a", "b", "c"], fma),
  HMNMX2: minMax,
  VHMNMX: minMax3,
  HSETP2: hsetp2,
  HSET2: hset2,
};
