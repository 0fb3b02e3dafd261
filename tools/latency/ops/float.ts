/** Operations of chain kernels (types.ts): floating point and conversions. */
import { type ChainOp, list } from "./types.js";

export const floatOps: readonly ChainOp[] = [
  ...list(
    "r",
    "r",
    `
    add.f32 O, I, A;
    mul.f32 O, I, A;
    fma.rn.f32 O, I, A, B;
    fma.rn.f32 O, A, I, B;
    fma.rn.f32 O, A, B, I;
    min.f32 O, I, A;
    max.NaN.f32 O, A, I;
    set.lt.f32.f32 O, I, A;
    set.lt.u32.f32 O, I, A;
    slct.f32.s32 O, A, B, I;
    fma.rn.f16x2 O, I, A, B;
    fma.rn.f16x2 O, A, I, B;
    fma.rn.f16x2 O, A, B, I;
    add.f16x2 O, I, A;
    mul.f16x2 O, I, A;
    min.f16x2 O, I, A;
    fma.rn.relu.f16x2 O, I, A, B;
    fma.rn.bf16x2 O, I, A, B;
    add.bf16x2 O, I, A;
    max.bf16x2 O, I, A;
    set.lt.f16x2.f16x2 O, I, A;
    set.lt.u32.f16x2 O, I, A;
    { .reg .b16 h, g; mov.b32 {h, g}, I; cvt.f32.f16 O, h; }
    { .reg .b16 h, g; mov.b32 {h, g}, I; cvt.f32.f16 O, g; }
    { .reg .b16 h, g; mov.b32 {h, g}, I; cvt.f32.bf16 O, h; }
    { .reg .b16 h, g, e; cvt.rn.f16.f32 h, I; mov.b32 {g, e}, A; mov.b32 O, {h, g}; }
    { .reg .b16 h, g; mov.b32 {h, g}, I; fma.rn.f16 h, h, g, h; mov.b32 O, {g, h}; }
    cvt.rn.f16x2.f32 O, I, A;
    cvt.rn.bf16x2.f32 O, A, I;
    cvt.rn.f32.s32 O, I;
    cvt.rn.f32.u32 O, I;
    cvt.rzi.s32.f32 O, I;
    cvt.rni.f32.f32 O, I;
    { .reg .b16 h; cvt.u16.u32 h, I; cvt.rn.f32.u16 O, h; }
    { .reg .b16 h; cvt.rn.satfinite.e4m3x2.f32 h, I, A; cvt.u32.u16 O, h; }
    { .reg .b16 h; cvt.u16.u32 h, I; cvt.rn.f16x2.e4m3x2 O, h; }
    ex2.approx.f32 O, I;
    rcp.approx.ftz.f32 O, I;
    tanh.approx.f32 O, I;
    ex2.approx.f16x2 O, I;
  `,
  ),
  ...list(
    "r",
    "l",
    `
    cvt.f64.f32 O, I;
    cvt.rn.f64.s32 O, I;
    { .reg .b64 q; mov.b64 q, {I, A}; add.f64 O, q, L; }
    { .reg .b64 q; mov.b64 q, {A, I}; fma.rn.f64 O, L, M, q; }
    add.f16x2 T, I, A; mov.b64 O, {T, A};
    add.f16x2 T, I, A; fma.rn.f16x2 U, I, A, B; mov.b64 O, {T, U};
    add.f16x2 T, I, A; mul.f16x2 U, I, C; mov.b64 TL, {T, U}; mad.wide.u32 O, A, B, TL;
    { .reg .b16 h, g; mov.b32 {h, g}, I; cvt.f32.f16 T, h; cvt.f32.f16 U, g; mov.b64 O, {T, U}; }
    { .reg .b16 h, g; mov.b32 {h, g}, I; cvt.f32.f16 T, h; cvt.f32.f16 U, g; mov.b64 TL, {T, U}; mad.wide.u32 O, A, B, TL; }
    fma.rn.f32 T, I, A, B; fma.rn.f32 U, I, B, C; mov.b64 O, {T, U};
  `,
  ),
  ...list(
    "l",
    "l",
    `
    add.f64 O, I, L;
    mul.f64 O, L, I;
    fma.rn.f64 O, I, L, M;
    fma.rn.f64 O, L, M, I;
    min.f64 O, I, L;
    neg.f64 O, I;
    add.rn.f32x2 O, I, L;
    fma.rn.f32x2 O, I, L, M;
    fma.rn.f32x2 O, L, M, I;
    cvt.rni.f64.f64 O, I;
  `,
  ),
  ...list(
    "l",
    "r",
    `
    mov.b64 {T, U}, I; add.f32 O, T, U;
    mov.b64 {T, U}, I; add.f16x2 O, U, A;
    mov.b64 {T, U}, I; add.f16x2 O, T, A;
    cvt.rn.f32.f64 O, I;
    cvt.rzi.s32.f64 O, I;
    cvt.rn.f32.s64 O, I;
    cvt.rn.f32.u64 O, I;
    { .reg .b32 a, b; .reg .f16 h; mov.b64 {a, b}, I; add.f32 a, a, b; cvt.rn.f16x2.f32 O, a, b; }
    mov.b64 {T, U}, I; add.f16x2 O, T, U;
    mov.b64 {T, U}, I; fma.rn.f16x2 O, U, T, A;
    mov.b64 {T, U}, I; mul.f16x2 O, A, T; add.s32 O, O, U;
    mov.b64 {T, U}, I; fma.rn.bf16x2 O, A, T, U;
    { .reg .b16 h, g; mov.b64 {T, U}, I; mov.b32 {h, g}, T; cvt.f32.f16 T, h; add.f32 O, T, U; }
    { .reg .b16 h, g; mov.b64 {T, U}, I; mov.b32 {h, g}, U; cvt.f32.f16 U, g; add.f32 O, T, U; }
    mov.b64 {T, U}, I; fma.rn.f32 O, T, U, A;
  `,
  ),
];
