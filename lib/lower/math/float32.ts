/**
 * Correctly rounded f32 division, reciprocal and square root, in all rounding modes, by way of f64. To nearest it serves the
 * operands that the code in line (lower/rounded.ts) leaves.
 *
 * Inputs (denormals too) and results lie well inside the range of f64, so nothing there over- or underflows. Division: two Newton
 * steps make r ≈ 1/b to about 2⁻⁵², q = a·r, then q + (a − q·b)·r with the remainder exact (fma): q is within one unit of
 * f64 of the quotient, and equal to it when the quotient is representable. A quotient of two 24-bit significands that is
 * not itself a rounding boundary of f32 (a 25-bit number) differs from each by at least 2⁻⁵⁰ of it, so the last conversion rounds q as it
 * would round the quotient. The same holds for square roots, with s + (x − s²)·(r/2).
 *
 * Zeros, infinities and NaNs come out right from the plain product a·(1/b), which is then 0, ∞ or NaN; or from x itself.
 */
export type Rounding = "rn" | "rz" | "rm" | "rp";

export function divisionF32(rounding: Rounding, ftz: boolean): string {
  const flush = ftz ? ".ftz" : "";
  return `
.func (.reg .f32 d) div_f32 (.reg .f32 a, .reg .f32 b)
{
  .reg .f64 x, y, r, e, q, q0;
  .reg .pred p;
  cvt${flush}.f64.f32 x, a;
  cvt${flush}.f64.f32 y, b;
  rcp.approx.ftz.f64 r, y;
  mul.f64 q0, x, r;
  neg.f64 y, y;
  fma.rn.f64 e, y, r, 0d3FF0000000000000;
  fma.rn.f64 r, r, e, r;
  fma.rn.f64 e, y, r, 0d3FF0000000000000;
  fma.rn.f64 r, r, e, r;
  mul.f64 q, x, r;
  fma.rn.f64 e, y, q, x;
  fma.rn.f64 q, e, r, q;
  abs.f64 e, q0;
  setp.gt.f64 p, e, 0d0000000000000000;
  setp.lt.and.f64 p, e, 0d7FF0000000000000, p;
  selp.f64 q, q, q0, p;
  cvt.${rounding}${flush}.f32.f64 d, q;
}`;
}

export function squareRootF32(rounding: Rounding, ftz: boolean): string {
  const flush = ftz ? ".ftz" : "";
  return `
.func (.reg .f32 d) sqrt_f32 (.reg .f32 a)
{
  .reg .f64 x, h, r, e, s;
  .reg .pred p;
  cvt${flush}.f64.f32 x, a;
  rsqrt.approx.ftz.f64 r, x;
  mul.f64 h, x, 0dBFE0000000000000;
  mul.f64 e, h, r;
  fma.rn.f64 e, e, r, 0d3FE0000000000000;
  fma.rn.f64 r, r, e, r;
  mul.f64 e, h, r;
  fma.rn.f64 e, e, r, 0d3FE0000000000000;
  fma.rn.f64 r, r, e, r;
  mul.f64 s, x, r;
  neg.f64 e, s;
  fma.rn.f64 e, e, s, x;
  mul.f64 h, r, 0d3FE0000000000000;
  fma.rn.f64 s, e, h, s;
  setp.eq.f64 p, x, 0d0000000000000000;
  setp.eq.or.f64 p, x, 0d7FF0000000000000, p;
  selp.f64 s, x, s, p;
  cvt.${rounding}${flush}.f32.f64 d, s;
}`;
}
