/** Second writers for chain kernels (types.ts). */
import { type Rewrite, rewrite } from "./types.js";

export const rewrites: readonly Rewrite[] = [
  ...rewrite(
    "r",
    `
    add.s32 O, B, C;
    mov.b32 O, B;
    mad.lo.s32 O, B, C, A;
    mul.hi.u32 O, B, C;
    cvt.f32.f16 O, %h0;
    prmt.b32 O, B, C, A;
    selp.b32 O, B, C, Q;
    match.any.sync.b32 O, B, -1;
    tex.1d.v4.f32.s32 {O, T, T, T}, [tx, {B}];
    ld.local.b32 O, [LM];
    redux.sync.add.s32 O, B, -1;
    ld.param.b32 O, [uni];
    mov.u32 O, %ctaid.y;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B,C,A}, {B,C}, {C,A,B,C};
    mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {O,T}, {A}, {B}, {B,C};
    mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {O,T,U,V}, {A,B,C,A}, {B,A}, {C,A,B,C};
    add.f32 O, B, C;
    add.f16x2 O, B, C;
    fma.rn.bf16x2 O, B, C, A;
    cvt.rn.f32.s32 O, B;
    cvt.rn.f16x2.f32 O, B, C;
    vote.sync.ballot.b32 O, P, -1;
    ex2.approx.f32 O, B;
    ld.volatile.shared.b32 O, [SM];
    ld.volatile.global.b32 O, [G];
    shfl.sync.bfly.b32 O, B, 1, 31, -1;
    mov.u32 O, %clock;
    mov.u32 O, %smid;
    ld.const.b32 O, [B];
    atom.shared.add.u32 O, [SM], B;
    popc.b32 O, B;
    mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {O,T}, {A,B}, {C}, {A,B};
    fma.rn.f16x2 O, B, C, A;
    cvt.f32.f16 O, %h1;
    shf.l.wrap.b32 O, B, C, A;
    suld.b.1d.b32.trap O, [sf, {B}];
    ld.volatile.shared.u8 O, [SM];
  `,
  ),
  ...rewrite(
    "l",
    `
    add.s64 O, L, M;
    mul.wide.u32 O, B, C;
    mad.wide.u32 O, B, C, M;
    add.f64 O, L, M;
    ld.volatile.shared.b64 O, [SM];
    ld.volatile.global.b64 O, [G];
    mov.u64 O, %clock64;
    cvt.f64.f32 O, B;
    mov.b64 O, {B, C};
    fma.rn.f32x2 O, L, M, L;
    cvt.rn.f64.s32 O, B;
    min.s64 O, L, M;
    mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {O,TL}, {L}, {M}, {M,L};
    fma.rn.f64 O, L, M, L;
    shl.b64 O, L, A;
    selp.b64 O, L, M, Q;
    add.f16x2 T, B, C; mov.b64 O, {T, B};
    cvt.s64.s32 O, B;
  `,
  ),
  ...rewrite(
    "p",
    `
    setp.lt.s32 O, B, C;
    setp.lt.f32 O, B, C;
    setp.lt.f64 O, L, M;
    setp.lt.f16x2 O|TP, B, C;
    xor.pred O, Q, P;
    vote.sync.any.pred O, Q, -1;
    shfl.sync.down.b32 T|O, B, C, 31, -1;
    setp.lt.s64 O, L, M;
    setp.gt.bf16x2 O|TP, B, C;
    elect.sync T|O, -1;
    match.all.sync.b32 T|O, B, -1;
    setp.lt.and.f32 O, B, C, Q;
    vote.sync.all.pred O, Q, -1;
    isspacep.shared O, L;
    testp.infinite.f32 O, B;
    setp.lt.and.f16x2 O|TP, B, C, Q;
    and.b32 T, B, 1; setp.ne.s32 O, T, 0;
  `,
  ),
  ...rewrite(
    "u",
    `
    add.s32 O, X, Y;
    mov.b32 O, X;
    mul.lo.s32 O, X, Y;
    shl.b32 O, X, Y;
    popc.b32 O, Y;
    ld.param.b32 O, [uni];
    ld.const.b32 O, [cn];
    mov.u32 O, %ctaid.x;
    mov.u32 O, %ctaid.y;
    vote.sync.ballot.b32 O, P, -1;
    activemask.b32 O;
    redux.sync.add.s32 O, A, -1;
    elect.sync O|TP, -1;
    add.f32 O, X, Y;
    lop3.b32 O, X, Y, O, 0x6a;
    prmt.b32 O, X, Y, 0x4012;
    mul.hi.u32 O, X, Y;
    mov.b32 O, 77;
    vote.sync.ballot.b32 O, W, -1;
  `,
  ),
  ...rewrite(
    "w",
    `
    setp.lt.s32 O, X, Y;
    xor.pred O, %w0, %w1;
    vote.sync.any.pred O, P, -1;
    elect.sync T|O, -1;
    and.pred O, %w0, %w1;
    setp.lt.and.s32 O, X, Y, W;
    vote.sync.any.pred O, Q, -1;
  `,
  ),
];
