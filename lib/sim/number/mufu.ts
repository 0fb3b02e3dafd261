/**
 * The multi-function unit. NVIDIA publishes error bounds, not tables, so every function is computed in double precision
 * and rounded to nearest: at least as accurate as the hardware. Code that relies on the result being an approximation
 * with a bounded error (division and square root refine it) is served; results of `*.approx` PTX may differ from a GPU
 * in the last place. Subnormal inputs of the f32 functions count as zero, and RCP and EX2 flush their results: ptxas scales
 * around both (seen in its code for rcp.approx, rsqrt.approx, lg2.approx, ex2.approx without .ftz).
 */

import { flush } from "./f32.js";
import { doubleOf, highOf } from "./f64.js";

/** Turns to radians without losing the phase of large arguments: the argument of SIN and COS counts revolutions. */
function radians(turns: number): number {
  return (turns - Math.round(turns)) * 2 * Math.PI;
}

/** Functions of one f32. */
export const mufu32: Readonly<Record<string, (x: number) => number>> = {
  RCP: (x) => flush(Math.fround(1 / flush(x))),
  RSQ: (x) => Math.fround(1 / Math.sqrt(flush(x))),
  SQRT: (x) => Math.fround(Math.sqrt(flush(x))),
  LG2: (x) => Math.fround(Math.log2(flush(x))),
  EX2: (x) => flush(Math.fround(2 ** x)),
  SIN: (x) => Math.fround(Math.sin(radians(x))),
  COS: (x) => Math.fround(Math.cos(radians(x))),
  TANH: (x) => Math.fround(Math.tanh(x)),
};

/** High word of the reciprocal of the double with high word `hi` and low word 0. */
export function rcp64h(hi: number): number {
  return high64(1 / flushed64(hi));
}

/** High word of the reciprocal square root. */
export function rsq64h(hi: number): number {
  return high64(1 / Math.sqrt(flushed64(hi)));
}

function flushed64(hi: number): number {
  return (hi & 0x7ff00000) === 0 ? (hi < 0 ? -0 : 0) : doubleOf(0, hi);
}

function high64(x: number): number {
  if (Number.isNaN(x)) return 0x7fffffff;
  const hi = highOf(x);
  return (hi & 0x7ff00000) === 0 ? hi & 0x80000000 : hi;
}
