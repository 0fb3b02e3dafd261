/** f32 arithmetic. */
import { Kind, Mod } from "../../isa/operand.js";
import { add32, fma32, fma32Mode, mul32, toF32 } from "../number/f32.js";
import { BF16, bf16Value, F16, f16Value, shortBits } from "../number/half.js";
import { mufu32, rcp64h, rsq64h } from "../number/mufu.js";
import { Rounding } from "../number/rounding.js";
import type { Makers, Site } from "../site.js";
import type { LaneFunction, Source } from "../stamp.js";
import type { Exec } from "../state.js";
import { boolTables } from "./integer.js";

const addRN: LaneFunction = (a, b) => a + b;
const mulRN: LaneFunction = (a, b) => a * b;
const fmaRN: LaneFunction = (a, b, c) => fma32(a, b, c);

function byMode(f: (mode: Rounding) => LaneFunction): readonly LaneFunction[] {
  return [f(Rounding.RN), f(Rounding.RM), f(Rounding.RP), f(Rounding.RZ)];
}

const addModes = byMode((mode) => (a, b) => add32(a, b, mode));
const mulModes = byMode((mode) => (a, b) => mul32(a, b, mode));
const fmaModes = byMode((mode) => (a, b, c) => fma32Mode(a, b, c, mode));

/** Subnormals flushed before and after; with FMZ also 0 · anything = 0. */
function flushing(s: Site): { ftz: boolean; fmz: boolean } {
  const fmz = s.has("FMZ");
  return { ftz: s.has("FTZ") || fmz, fmz };
}

function fadd(s: Site): Exec {
  const mode = s.rounding();
  const ftz = s.has("FTZ");
  // The store rounds to f32: to nearest the sum in double precision is good enough (see add32).
  const f = mode === Rounding.RN ? addRN : addModes[mode]!;
  return s.lanes(f, [s.f32("a", ftz), s.f32("b", ftz)], { d: "f", ftz, sat: s.has("SAT") });
}

const scales: Readonly<Record<string, number>> = { D8: 1 / 8, D4: 1 / 4, D2: 1 / 2, M2: 2, M4: 4, M8: 8 };

function fmul(s: Site): Exec {
  const mode = s.rounding();
  const { ftz, fmz } = flushing(s);
  const scale = s.choose(scales, 1);
  let f = mode === Rounding.RN ? mulRN : mulModes[mode]!;
  if (scale !== 1) f = (a, b) => toF32(a * b * scale, 0, mode);
  if (fmz) {
    const g = f;
    f = (a, b) => (a === 0 || b === 0 ? 0 : g(a, b));
  }
  return s.lanes(f, [s.f32("a", ftz), s.f32("b", ftz)], { d: "f", ftz, sat: s.has("SAT") });
}

function ffma(s: Site): Exec {
  const mode = s.rounding();
  const { ftz, fmz } = flushing(s);
  let f = mode === Rounding.RN ? fmaRN : fmaModes[mode]!;
  if (fmz) {
    const g = f;
    f = (a, b, c) => (a === 0 || b === 0 ? 0 + c : g(a, b, c));
  }
  return s.lanes(f, [s.f32("a", ftz), s.f32("b", ftz), s.f32("c", ftz)], { d: "f", ftz, sat: s.has("SAT") });
}

/** Minimum and maximum: of a NaN and a number the number, or NaN with .NAN. */
function extremes(
  nan: boolean,
): readonly [min: (a: number, b: number) => number, max: (a: number, b: number) => number] {
  const missing = (a: number, b: number): number => (nan ? Number.NaN : Number.isNaN(a) ? b : a);
  return [
    (a, b) => (Number.isNaN(a) || Number.isNaN(b) ? missing(a, b) : Math.min(a, b)),
    (a, b) => (Number.isNaN(a) || Number.isNaN(b) ? missing(a, b) : Math.max(a, b)),
  ];
}

function fmnmx3(s: Site): Exec {
  const ftz = s.has("FTZ");
  const [min, max] = extremes(s.has("NAN"));
  const f: LaneFunction = (a, b, c, p) => (p ? min(min(a, b), c) : max(max(a, b), c));
  return s.lanes(f, [s.f32("a", ftz), s.f32("b", ftz), s.f32("c", ftz), s.flag("pin")], { d: "f" });
}

function fmnmx(s: Site): Exec {
  const ftz = s.has("FTZ");
  const [min, max] = extremes(s.has("NAN"));
  const sources = [s.f32("a", ftz), s.f32("b", ftz), s.flag("pin")];
  if (!s.has("XORSIGN")) return s.lanes((a, b, p) => (p ? min(a, b) : max(a, b)), sources, { d: "f" });
  // The signs are those before the bars: ptxas writes |a| and |b| and leaves them away from a constant.
  const f: LaneFunction = (a, b, p, x, y) => {
    const r = Math.abs(p ? min(a, b) : max(a, b));
    return (x ^ y) < 0 ? -r : r;
  };
  const signs = [s.bits("a"), s.bits("b")].map((x) => ({ ...x, abs: false }));
  return s.lanes(f, [...sources, ...signs], { d: "f" });
}

function fsel(s: Site): Exec {
  const ftz = s.has("FTZ");
  return s.lanes((a, b, p) => (p ? a : b), [s.bits("a", ftz), s.bits("b", ftz), s.flag("pin")], { d: "i" });
}

type Compare = (a: number, b: number) => boolean;
const unordered: Compare = (a, b) => Number.isNaN(a) || Number.isNaN(b);

/** Comparisons of floats: the plain ones are false on NaN, those ending in U true. */
export const floatCompare: Readonly<Record<string, Compare>> = {
  F: () => false,
  LT: (a, b) => a < b,
  EQ: (a, b) => a === b,
  LE: (a, b) => a <= b,
  GT: (a, b) => a > b,
  NE: (a, b) => a < b || a > b,
  GE: (a, b) => a >= b,
  NUM: (a, b) => !unordered(a, b),
  NAN: unordered,
  LTU: (a, b) => !(a >= b),
  EQU: (a, b) => !(a < b || a > b),
  LEU: (a, b) => !(a > b),
  GTU: (a, b) => !(a <= b),
  NEU: (a, b) => a !== b,
  GEU: (a, b) => !(a < b),
  T: () => true,
};

const floatSetp = new Map<string, LaneFunction>();

/** One function per comparison and boolean operator, for f32 and f64. */
export function floatSetpFunction(cmp: string, bool: string): LaneFunction {
  const key = `${cmp} ${bool}`;
  let f = floatSetp.get(key);
  if (f === undefined) {
    const compare = floatCompare[cmp]!;
    const table = boolTables[bool]!;
    f = (a, b, pin) => table[(compare(a, b) ? 2 : 0) + pin]!;
    floatSetp.set(key, f);
  }
  return f;
}

const names = <T>(table: Readonly<Record<string, T>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(table).map((k) => [k, k]));
export const compareNames: Readonly<Record<string, string>> = names(floatCompare);
export const boolNames: Readonly<Record<string, string>> = names(boolTables);

function fsetp(s: Site): Exec {
  const ftz = s.has("FTZ");
  const f = floatSetpFunction(s.choose(compareNames, "T"), s.choose(boolNames, "AND"));
  return s.lanes(f, [s.f32("a", ftz), s.f32("b", ftz), s.flag("pin")], { d: "none", preds: ["p", "q"] });
}

function fset(s: Site): Exec {
  const ftz = s.has("FTZ");
  const one = s.has("BF") ? 0x3f800000 : -1;
  const g = floatSetpFunction(s.choose(compareNames, "T"), s.choose(boolNames, "AND"));
  const f: LaneFunction = (a, b, pin) => (g(a, b, pin) & 1 ? one : 0);
  return s.lanes(f, [s.f32("a", ftz), s.f32("b", ftz), s.flag("pin")], { d: "i" });
}

const exponent = (x: number): number => Math.floor(Math.log2(Math.abs(x)));

/**
 * Does a / b need the slow path? NVIDIA does not publish the test. Here it is true whenever reciprocal, quotient or the
 * residual a − q·b could leave the normal range, which is what the fast path of ptxas's division needs to be exact; the
 * slow path is right for all inputs, so a wider test than the hardware's changes the path, not the quotient.
 */
function divisionCheck(a: number, b: number): number {
  if (!Number.isFinite(a) || !Number.isFinite(b) || a === 0 || b === 0) return 1;
  const ea = exponent(a);
  const eb = exponent(b);
  if (ea < -100 || eb < -125 || eb > 124) return 1;
  return ea - eb > 125 || ea - eb < -124 ? 1 : 0;
}

/** The upper word of a double as the operand of a 32-bit slot; an immediate is the double itself. */
function upperWord(s: Site, name: string): Source {
  const o = s.operand(name);
  return o.kind === Kind.Imm ? s.constant(o.high) : s.bits(name);
}

function mufu(s: Site): Exec {
  if (s.has("RCP64H")) return s.lanes(rcp64h, [upperWord(s, "b")], { d: "i" });
  if (s.has("RSQ64H")) return s.lanes(rsq64h, [upperWord(s, "b")], { d: "i" });
  const f = s.choose<((x: number) => number) | null>(mufu32, null) ?? s.unsupported("function");
  if (s.has("F16") || s.has("BF16")) {
    const short = s.has("F16");
    const { part, mods } = s.operand("b");
    const top = part === ".H1" || part === ".H1_H1";
    const [abs, neg] = [(mods & Mod.Abs) !== 0, (mods & Mod.Neg) !== 0];
    const g: LaneFunction = (b) => {
      const bits = top ? b >>> 16 : b & 0xffff;
      const y = short ? f16Value(bits) : bf16Value(bits);
      const x = abs ? Math.abs(y) : y;
      return shortBits(f(neg ? -x : x), 0, short ? F16 : BF16, Rounding.RN);
    };
    return s.lanes(g, [s.raw("b")], { d: "i" });
  }
  return s.lanes((x) => f(x), [s.f32("b")], { d: "f" });
}

/** Signs of FSWZADD per quad lane: two bits each; 0 a + c, 1 c − a, 2 a − c, 3 0. */
function fswzadd(s: Site): Exec {
  return s.unsupported("swizzled addition");
}

export const float: Makers = {
  FADD: fadd,
  FMUL: fmul,
  FFMA: ffma,
  FMNMX: fmnmx,
  FMNMX3: fmnmx3,
  FSEL: fsel,
  FSETP: fsetp,
  FSET: fset,
  FCHK: (s) => {
    s.has("DIVIDE");
    return s.lanes((a, b) => divisionCheck(a, b), [s.f32("a"), s.f32("b")], { d: "none", preds: ["p"] });
  },
  MUFU: mufu,
  FSWZADD: fswzadd,
};
