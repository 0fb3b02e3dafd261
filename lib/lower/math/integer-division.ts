/**
 * Division and remainder of integers: quotient and remainder of unsigned numbers; signs are put around them in divide.ts.
 *
 * 32 bits. z is a lower bound of 2³²/b: b is converted upward, the reciprocal is lowered by two units in the last place
 * (more than its error), scaled by 2³² by adding to its exponent, and truncated. One Newton step z + (z·(−b·z mod 2³²) >> 32)
 * stays a lower bound, since the product −b·z mod 2³² = 2³² − b·z is exact; it squares the relative error of about 2⁻²², so
 * 2³²/b − z < 2, hence a·z >> 32 is at most 2 too small: two corrections make it right.
 *
 * 64 bits. y ≤ 1/b by less than 2⁻⁴⁸ of it: Newton steps in f64, then lowered by 2⁻⁴⁹. Every further operation rounds toward zero,
 * so estimates never exceed the quotient. The first leaves a remainder below b + 2¹⁷, the second one below 2b: one
 * correction makes it right.
 *
 * Nothing is promised for b = 0.
 */
export const integerDivision: Readonly<Record<"udivrem32" | "udivrem64", string>> = {
  udivrem32: `
.func (.reg .u32 q, .reg .u32 r) udivrem32 (.reg .u32 a, .reg .u32 b)
{
  .reg .f32 f;
  .reg .u32 z, e, t;
  .reg .pred p;
  cvt.rp.f32.u32 f, b;
  rcp.approx.ftz.f32 f, f;
  mov.b32 z, f;
  add.u32 z, z, 0x0ffffffe;
  mov.b32 f, z;
  cvt.rzi.ftz.u32.f32 z, f;
  mul.lo.u32 e, z, b;
  neg.s32 e, e;
  mul.hi.u32 e, z, e;
  add.u32 z, z, e;
  mul.hi.u32 q, a, z;
  mul.lo.u32 t, q, b;
  sub.u32 r, a, t;
  setp.ge.u32 p, r, b;
  add.u32 t, q, 1;
  selp.b32 q, t, q, p;
  sub.u32 t, r, b;
  selp.b32 r, t, r, p;
  setp.ge.u32 p, r, b;
  add.u32 t, q, 1;
  selp.b32 q, t, q, p;
  sub.u32 t, r, b;
  selp.b32 r, t, r, p;
}`,
  udivrem64: `
.func (.reg .u64 q, .reg .u64 r) udivrem64 (.reg .u64 a, .reg .u64 b)
{
  .reg .f64 d, y, e, x;
  .reg .u64 t;
  .reg .pred p;
  cvt.rp.f64.u64 d, b;
  rcp.approx.ftz.f64 y, d;
  neg.f64 d, d;
  fma.rn.f64 e, d, y, 0d3FF0000000000000;
  fma.rn.f64 y, y, e, y;
  fma.rn.f64 e, d, y, 0d3FF0000000000000;
  fma.rn.f64 y, y, e, y;
  mul.rz.f64 y, y, 0d3FEFFFFFFFFFFFF0;
  cvt.rz.f64.u64 x, a;
  mul.rz.f64 x, x, y;
  cvt.rzi.u64.f64 q, x;
  mul.lo.u64 t, q, b;
  sub.u64 r, a, t;
  cvt.rz.f64.u64 x, r;
  mul.rz.f64 x, x, y;
  cvt.rzi.u64.f64 t, x;
  add.u64 q, q, t;
  mul.lo.u64 t, t, b;
  sub.u64 r, r, t;
  setp.ge.u64 p, r, b;
  add.u64 t, q, 1;
  selp.b64 q, t, q, p;
  sub.u64 t, r, b;
  selp.b64 r, t, r, p;
}`,
};
