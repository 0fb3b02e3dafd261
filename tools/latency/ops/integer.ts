/** Operations of chain kernels (types.ts): integer arithmetic and logic, 32 and 64 bits. */
import { type ChainOp, list } from "./types.js";

export const integerOps: readonly ChainOp[] = [
  ...list(
    "r",
    "r",
    `
    add.s32 O, I, A;
    sub.s32 O, A, I;
    add.s32 T, A, B; add.s32 O, T, I;
    lop3.b32 O, I, A, B, 0x6a;
    lop3.b32 O, A, I, B, 0x6a;
    lop3.b32 O, A, B, I, 0x6a;
    xor.b32 O, I, A;
    shl.b32 O, I, A;
    shl.b32 O, A, I;
    shr.s32 O, I, 5;
    shf.l.wrap.b32 O, I, A, B;
    shf.l.wrap.b32 O, A, I, B;
    shf.r.clamp.b32 O, A, B, I;
    prmt.b32 O, I, A, B;
    prmt.b32 O, A, I, B;
    prmt.b32 O, A, B, I;
    min.s32 O, I, A;
    max.u32 O, A, I;
    min.s16x2 O, I, A;
    add.u16x2 O, I, A;
    bfe.s32 O, I, 3, 9;
    bmsk.clamp.b32 O, I, A;
    szext.wrap.s32 O, I, A;
    abs.s32 O, I;
    neg.s32 O, I;
    shl.b32 T, I, 3; add.s32 O, T, A;
    shl.b32 T, A, 3; add.s32 O, T, I;
    mul.lo.s32 O, I, A;
    mad.lo.s32 O, I, A, B;
    mad.lo.s32 O, A, I, B;
    mad.lo.s32 O, A, B, I;
    mul.hi.u32 O, I, A;
    mad.hi.u32 O, A, B, I;
    mul24.lo.s32 O, I, A;
    dp4a.u32.u32 O, I, A, B;
    dp4a.s32.s32 O, A, B, I;
    dp2a.lo.s32.s32 O, I, A, B;
    sad.s32 O, I, A, B;
    vabsdiff4.u32.u32.u32.add O, I, A, B;
    selp.b32 O, I, A, P;
    selp.b32 O, A, I, P;
    @P add.s32 I, I, A; mov.b32 O, I;
    set.lt.u32.s32 O, I, A;
    cvt.s32.s8 O, I;
    cvt.sat.s8.s32 O, I;
    cvt.pack.sat.s16.s32 O, I, A;
    cvt.pack.sat.u8.s32.b32 O, I, A, B;
    popc.b32 O, I;
    bfind.u32 O, I;
    brev.b32 O, I;
    clz.b32 O, I;
  `,
  ),
  ...list(
    "r",
    "l",
    `
    mul.wide.u32 O, I, A;
    mul.wide.s32 O, A, I;
    mad.wide.u32 O, I, A, L;
    cvt.u64.u32 O, I;
    cvt.s64.s32 O, I;
    mov.b64 O, {I, A};
    mov.b64 O, {A, I};
    mov.b64 TL, {I, A}; add.s64 O, TL, L;
    mov.b64 TL, {I, A}; mad.wide.u32 O, B, C, TL;
    mov.b64 TL, {A, I}; mad.wide.u32 O, B, C, TL;
    mad.lo.s32 T, I, A, B; add.s32 U, I, A; mov.b64 TL, {T, U}; mad.wide.u32 O, B, C, TL;
  `,
  ),
  ...list(
    "l",
    "l",
    `
    add.s64 O, I, L;
    sub.s64 O, L, I;
    mad.wide.u32 O, A, B, I;
    mad.lo.s64 O, I, L, M;
    mul.hi.u64 O, I, L;
    mul.hi.s64 O, L, I;
    mad.hi.u64 O, I, L, M;
    { .reg .b64 c, d; add.cc.u64 c, I, L; addc.u64 d, L, M; xor.b64 O, c, d; }
    { .reg .b32 a, b, c, d; mov.b64 {a, b}, I; mad.lo.cc.u32 c, a, b, A; madc.hi.u32 d, a, b, B; mov.b64 O, {c, d}; }
    div.u64 O, I, L;
    shl.b64 O, I, A;
    shr.u64 O, I, 7;
    and.b64 O, I, L;
    max.s64 O, I, L;
    selp.b64 O, I, L, P;
  `,
  ),
  ...list(
    "l",
    "r",
    `
    mov.b64 {O, T}, I;
    mov.b64 {T, O}, I;
    mov.b64 {T, U}, I; add.s32 O, U, A;
    mov.b64 {T, U}, I; add.s32 O, T, A;
    mov.b64 {T, U}, I; mad.lo.s32 O, U, A, B;
    mov.b64 {T, U}, I; mad.lo.s32 O, T, A, B;
    mov.b64 {T, U}, I; prmt.b32 O, A, U, B;
    popc.b64 O, I;
    mov.b64 {T, U}, I; xor.b32 O, T, U;
    mov.b64 {T, U}, I; mad.lo.s32 O, T, U, A;
    mov.b64 {T, U}, I; shf.l.wrap.b32 O, T, U, 7;
  `,
  ),
];
