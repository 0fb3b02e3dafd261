/** Pairs of f32 in 64 bits (FADD2, FMUL2, FFMA2), and sums and products of halves with f32 (FHADD, FHFMA). */
import { Kind, Mod } from "../../isa/operand.js";
import { add32, bitsOfF32, f32OfBits, flush, fma32Mode, mul32 } from "../number/f32.js";
import { bf16Value, f16Value } from "../number/half.js";
import type { Rounding } from "../number/rounding.js";
import type { Makers, Site } from "../site.js";
import { high, type LaneFunction } from "../stamp.js";
import type { Exec } from "../state.js";

type Compute = (a: number, b: number, c: number, mode: Rounding) => number;

/** Both numbers of each operand; parts other than low with low and high with high are not modelled. */
function pairs(s: Site, names: readonly string[], compute: Compute): Exec {
  const mode = s.rounding();
  const ftz = s.has("FTZ");
  const z = ftz ? flush : (x: number): number => x;
  const read = names.map((n) => {
    const o = s.operand(n);
    if (o.kind === Kind.Imm || (o.part !== "" && o.part !== ".F32x2.HI_LO")) s.unsupported(`operand ${n}`);
    const { mods } = o;
    return (bits: number): number => {
      const x = z(f32OfBits(bits));
      const y = (mods & Mod.Abs) !== 0 ? Math.abs(x) : x;
      return (mods & Mod.Neg) !== 0 ? -y : y;
    };
  });
  const [a, b, c] = read as [(x: number) => number, (x: number) => number, ((x: number) => number)?];
  const one = (x: number, y: number, w: number): number =>
    bitsOfF32(z(compute(a(x), b(y), c === undefined ? 0 : c(w), mode)));
  const f: LaneFunction = (al, ah, bl, bh, cl, ch) => {
    high.word = one(ah, bh, ch);
    return one(al, bl, cl);
  };
  const words = names.flatMap((n) => [s.raw(n), s.raw(n, 1)]);
  return s.lanes(f, words, { d: "w" });
}

/** A half of an operand, as a number. */
function halfOf(s: Site, name: string): (bits: number) => number {
  const { part, mods } = s.operand(name);
  if (part !== "" && part !== ".H1") s.unsupported(`part of ${name}`);
  const shift = part === ".H1" ? 16 : 0;
  const value = s.has("BF16") ? bf16Value : f16Value;
  return (bits) => {
    const x = value((bits >>> shift) & 0xffff);
    const y = (mods & Mod.Abs) !== 0 ? Math.abs(x) : x;
    return (mods & Mod.Neg) !== 0 ? -y : y;
  };
}

function fhadd(s: Site): Exec {
  const mode = s.rounding();
  const a = halfOf(s, "a");
  return s.lanes((x, y) => add32(a(x), y, mode), [s.raw("a"), s.f32("b")], { d: "f", sat: s.has("SAT") });
}

function fhfma(s: Site): Exec {
  const mode = s.rounding();
  const [a, b] = [halfOf(s, "a"), halfOf(s, "b")];
  const f: LaneFunction = (x, y, c) => fma32Mode(a(x), b(y), c, mode);
  return s.lanes(f, [s.raw("a"), s.raw("b"), s.f32("c")], { d: "f", sat: s.has("SAT") });
}

export const floatPairs: Makers = {
  FADD2: (s) => pairs(s, ["a", "b"], (a, b, _c, mode) => add32(a, b, mode)),
  FMUL2: (s) => pairs(s, ["a", "b"], (a, b, _c, mode) => mul32(a, b, mode)),
  FFMA2: (s) => pairs(s, ["a", "b", "c"], fma32Mode),
  FHADD: fhadd,
  FHFMA: fhfma,
};
