/**
 * Correctly rounded f64 division, reciprocal and square root, in all rounding modes.
 *
 * Both work on significands in [1, 2) (for square roots [1, 4)), so that no step over- or underflows, and end with integers:
 *
 *  1. The result is approximated by Newton steps to within a unit or so in the last place.
 *  2. The remainder r = a − q·b (x − s²) is computed exactly by fma. A step down while it is negative, a step up while one
 *     more unit still fits, and q is the truncated result: 0 ≤ r < b·ulp.
 *  3. Comparing r with half a unit times b tells the bits after the last: the rounding is then done on integers, which also
 *     covers denormal results and overflow.
 *
 * Zeros, infinities and NaNs: all other magnitudes become 1, and the reciprocal and product of the machine give the answer. The
 * reciprocal looks at the upper word alone: a product by one first makes a NaN whose payload is in the lower word a quiet one.
 */
import type { Rounding } from "./float32.js";

/** p = the magnitude of the truncated result is rounded up, from `rest` and `half` (a unit's half), `k` and the sign bits. */
const roundUp: Readonly<Record<Rounding, string>> = {
  rn: `
  and.b64 t, k, 1;
  add.u64 t, t, rest;
  setp.gt.u64 p, t, half;`,
  rz: `
  setp.ne.u64 p, rest, rest;`,
  rp: `
  setp.ne.u64 p, rest, 0;
  setp.eq.and.u64 p, sign, 0, p;`,
  rm: `
  setp.ne.u64 p, rest, 0;
  setp.ne.and.u64 p, sign, 0, p;`,
};

/** t = the magnitude an overflow becomes. */
const overflow: Readonly<Record<Rounding, string>> = {
  rn: `
  mov.b64 t, 0x7ff0000000000000;`,
  rz: `
  mov.b64 t, 0x7fefffffffffffff;`,
  rp: `
  setp.eq.u64 p, sign, 0;
  selp.b64 t, 0x7ff0000000000000, 0x7fefffffffffffff, p;`,
  rm: `
  setp.ne.u64 p, sign, 0;
  selp.b64 t, 0x7ff0000000000000, 0x7fefffffffffffff, p;`,
};

/** Splits the magnitude bits `n` into a significand `m` in [1, 2) and a biased exponent `e`; denormals are scaled by 2⁵⁴. */
function split(n: string, m: string, e: string): string {
  return `
  setp.lt.u64 p, ${n}, 0x0010000000000000;
  mov.b64 ${m}, ${n};
  mul.f64 f, ${m}, 0d4350000000000000;
  selp.f64 ${m}, f, ${m}, p;
  selp.b32 w, -54, 0, p;
  mov.b64 t, ${m};
  shr.u64 k, t, 52;
  cvt.u32.u64 ${e}, k;
  add.s32 ${e}, ${e}, w;
  and.b64 t, t, 0x000fffffffffffff;
  or.b64 t, t, 0x3ff0000000000000;
  mov.b64 ${m}, t;`;
}

/** p = the magnitude bits `n` are those of a zero, an infinity or a NaN. */
function special(n: string, p: string): string {
  return `
  setp.eq.u64 ${p}, ${n}, 0;
  setp.ge.or.u64 ${p}, ${n}, 0x7ff0000000000000, ${p};`;
}

export function divisionF64(rounding: Rounding): string {
  return `
.func (.reg .f64 d) div_f64 (.reg .f64 a, .reg .f64 b)
{
  .reg .f64 f, ma, mb, nb, y, q, r, u, z;
  .reg .b64 na, nd, sign, t, k, bits, rest, half;
  .reg .b32 ea, ed, e, w;
  .reg .pred p, pa, pb, up;
  mov.b64 na, a;
  mov.b64 nd, b;
  xor.b64 sign, na, nd;
  and.b64 sign, sign, 0x8000000000000000;
  and.b64 na, na, 0x7fffffffffffffff;
  and.b64 nd, nd, 0x7fffffffffffffff;
${special("na", "pa")}
${special("nd", "pb")}
  mov.b64 f, na;
  selp.f64 z, f, 0d3FF0000000000000, pa;
  mov.b64 f, nd;
  selp.f64 f, f, 0d3FF0000000000000, pb;
  mul.f64 f, f, 0d3FF0000000000000;
  rcp.approx.ftz.f64 f, f;
  mul.f64 z, z, f;
  or.pred pa, pa, pb;
${split("na", "ma", "ea")}
${split("nd", "mb", "ed")}
  sub.s32 e, ea, ed;
  add.s32 e, e, 1023;
  setp.lt.f64 p, ma, mb;
  add.f64 f, ma, ma;
  selp.f64 ma, f, ma, p;
  selp.b32 w, 1, 0, p;
  sub.s32 e, e, w;
  rcp.approx.ftz.f64 y, mb;
  neg.f64 nb, mb;
  fma.rn.f64 f, nb, y, 0d3FF0000000000000;
  fma.rn.f64 y, y, f, y;
  fma.rn.f64 f, nb, y, 0d3FF0000000000000;
  fma.rn.f64 y, y, f, y;
  mul.f64 q, ma, y;
  fma.rn.f64 r, nb, q, ma;
  fma.rn.f64 q, r, y, q;
  fma.rn.f64 r, nb, q, ma;
  setp.lt.f64 p, r, 0d0000000000000000;
  mov.b64 k, q;
  sub.u64 t, k, 1;
  selp.b64 k, t, k, p;
  mov.b64 q, k;
  fma.rn.f64 r, nb, q, ma;
  mul.f64 u, mb, 0d3CB0000000000000;
  setp.ge.f64 p, r, u;
  add.u64 t, k, 1;
  selp.b64 k, t, k, p;
  mov.b64 q, k;
  fma.rn.f64 r, nb, q, ma;
  mul.f64 u, mb, 0d3CA0000000000000;
  and.b64 k, k, 0x000fffffffffffff;
  or.b64 k, k, 0x0010000000000000;
  shl.b64 k, k, 2;
  setp.ge.f64 p, r, u;
  selp.b64 t, 2, 0, p;
  or.b64 k, k, t;
  setp.neu.f64 p, r, 0d0000000000000000;
  setp.neu.and.f64 p, r, u, p;
  selp.b64 t, 1, 0, p;
  or.b64 bits, k, t;
  sub.s32 w, 1, e;
  max.s32 w, w, 0;
  add.s32 w, w, 2;
  min.s32 w, w, 60;
  shr.u64 k, bits, w;
  shl.b64 t, k, w;
  sub.u64 rest, bits, t;
  sub.s32 w, w, 1;
  shl.b64 half, 1, w;
${roundUp[rounding]}
  selp.b64 t, 1, 0, p;
  add.u64 k, k, t;
  sub.s32 e, e, 1;
  max.s32 e, e, 0;
  cvt.u64.u32 bits, e;
  shl.b64 bits, bits, 52;
  add.u64 bits, bits, k;
  setp.ge.u64 up, bits, 0x7ff0000000000000;
${overflow[rounding]}
  selp.b64 bits, t, bits, up;
  mov.b64 t, z;
  selp.b64 bits, t, bits, pa;
  or.b64 bits, bits, sign;
  mov.b64 d, bits;
}`;
}

/** p = the root is rounded up: r against s·ulp, which is half a unit's square step, and never equal to it. */
const rootUp: Readonly<Record<Rounding, string>> = {
  rn: `
  mul.f64 u, s, 0d3CB0000000000000;
  setp.gt.f64 p, r, u;`,
  rz: `
  setp.ne.u64 p, k, k;`,
  rm: `
  setp.ne.u64 p, k, k;`,
  rp: `
  setp.neu.f64 p, r, 0d0000000000000000;`,
};

/**
 * Square root: s truncated satisfies s² ≤ m < (s + u)², u = 2⁻⁵². Rounding to nearest goes up when m > (s + u/2)², that is
 * r = m − s² > s·u + u²/4; r and s·u are multiples of u², so this is r > s·u. Results are never denormal.
 */
export function squareRootF64(rounding: Rounding): string {
  return `
.func (.reg .f64 d) sqrt_f64 (.reg .f64 a)
{
  .reg .f64 f, m, y, h, s, r, u;
  .reg .b64 n, t, k;
  .reg .b32 e, w;
  .reg .pred p, pa;
  mov.b64 n, a;
  setp.eq.f64 pa, a, 0d0000000000000000;
  setp.ge.or.u64 pa, n, 0x7ff0000000000000, pa;
  and.b64 n, n, 0x7fffffffffffffff;
${split("n", "m", "e")}
  sub.s32 e, e, 1023;
  and.b32 w, e, 1;
  setp.ne.s32 p, w, 0;
  add.f64 f, m, m;
  selp.f64 m, f, m, p;
  sub.s32 e, e, w;
  shr.s32 e, e, 1;
  rsqrt.approx.ftz.f64 y, m;
  mul.f64 h, m, 0dBFE0000000000000;
  mul.f64 f, h, y;
  fma.rn.f64 f, f, y, 0d3FE0000000000000;
  fma.rn.f64 y, y, f, y;
  mul.f64 f, h, y;
  fma.rn.f64 f, f, y, 0d3FE0000000000000;
  fma.rn.f64 y, y, f, y;
  mul.f64 s, m, y;
  neg.f64 f, s;
  fma.rn.f64 r, f, s, m;
  mul.f64 h, y, 0d3FE0000000000000;
  fma.rn.f64 s, r, h, s;
  neg.f64 f, s;
  fma.rn.f64 r, f, s, m;
  setp.lt.f64 p, r, 0d0000000000000000;
  mov.b64 k, s;
  sub.u64 t, k, 1;
  selp.b64 k, t, k, p;
  add.u64 t, k, 1;
  mov.b64 u, t;
  neg.f64 f, u;
  fma.rn.f64 r, f, u, m;
  setp.ge.f64 p, r, 0d0000000000000000;
  selp.b64 k, t, k, p;
  mov.b64 s, k;
  neg.f64 f, s;
  fma.rn.f64 r, f, s, m;
${rootUp[rounding]}
  selp.b64 t, 1, 0, p;
  add.u64 k, k, t;
  cvt.s64.s32 t, e;
  shl.b64 t, t, 52;
  add.u64 k, k, t;
  mov.b64 t, a;
  add.f64 f, a, a;
  mov.b64 n, f;
  setp.lt.f64 p, a, 0d0000000000000000;
  selp.b64 n, 0xfff8000000000000, n, p;
  selp.b64 k, n, k, pa;
  mov.b64 d, k;
}`;
}

/** rsqrt.approx.f64: denormals scaled, one step of third order, y + y e (1/2 + 3/8 e) with e = 1 − x y², as ptxas takes it; a product brings denormals up and NaNs whose payload is in the lower word to light; zeros, infinities, negatives as the machine has them. */
export const reciprocalRootF64: string = `
.func (.reg .f64 d) rsqrt_f64 (.reg .f64 a)
{
  .reg .f64 x, y, h, f, z, scale;
  .reg .pred p, q;
  abs.f64 f, a;
  setp.lt.f64 p, f, 0d0010000000000000;
  selp.f64 x, 0d4350000000000000, 0d3FF0000000000000, p;
  mul.f64 x, a, x;
  selp.f64 scale, 0d41A0000000000000, 0d3FF0000000000000, p;
  rsqrt.approx.ftz.f64 y, x;
  mov.f64 z, y;
  mul.f64 h, y, y;
  neg.f64 h, h;
  fma.rn.f64 h, x, h, 0d3FF0000000000000;
  fma.rn.f64 f, h, 0d3FD8000000000000, 0d3FE0000000000000;
  mul.f64 h, y, h;
  fma.rn.f64 y, f, h, y;
  setp.gt.f64 q, x, 0d0000000000000000;
  setp.lt.and.f64 q, x, 0d7FF0000000000000, q;
  selp.f64 y, y, z, q;
  mul.f64 d, y, scale;
}`;
