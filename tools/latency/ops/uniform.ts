/** Operations of chain kernels (types.ts): values alike in all threads. */
import { type ChainOp, list } from "./types.js";

export const uniformOps: readonly ChainOp[] = [
  ...list(
    "",
    "u",
    `
    ld.param.b32 O, [uni];
    mov.u32 O, %ctaid.x;
    mov.u32 O, %ctaid.y;
    activemask.b32 O;
    vote.sync.ballot.b32 O, P, -1;
    redux.sync.add.s32 O, A, -1;
    mov.u32 O, %clock;
    ld.const.b32 O, [cn];
    elect.sync O|TP, -1;
    atom.global.add.u32 O, [PL], X;
    mov.u32 O, %nctaid.x;
    mov.u32 O, %cluster_ctarank;
  `,
  ),
  ...list(
    "",
    "w",
    `
    elect.sync T|O, -1;
    vote.sync.any.pred O, P, -1;
  `,
  ),
  ...list(
    "u",
    "u",
    `
    add.s32 O, I, X;
    sub.s32 O, X, I;
    add.s32 T, X, Y; add.s32 O, T, I;
    lop3.b32 O, I, X, Y, 0x6a;
    xor.b32 O, I, 0x55;
    shl.b32 O, I, X;
    shl.b32 O, I, 5;
    shr.s32 O, I, X;
    shf.l.wrap.b32 O, I, X, Y;
    shl.b32 T, I, 3; add.s32 O, T, X;
    mul.lo.s32 O, I, X;
    mad.lo.s32 O, X, Y, I;
    mul.hi.u32 O, I, X;
    prmt.b32 O, I, X, 0x3210;
    prmt.b32 O, I, X, 0x4012;
    bfe.u32 O, I, 3, 9;
    bfe.s32 O, I, 3, 9;
    min.s32 O, I, X;
    popc.b32 O, I;
    clz.b32 O, I;
    bfind.u32 O, I;
    brev.b32 O, I;
    abs.s32 O, I;
    ld.const.b32 O, [I];
    { .reg .pred q; setp.lt.s32 q, I, X; selp.b32 O, X, Y, q; }
    { .reg .b64 q; mul.wide.u32 q, I, X; mov.b64 {T, O}, q; }
    { .reg .b64 q; mul.wide.u32 q, I, X; mov.b64 {O, T}, q; }
    { .reg .b64 q; mov.b64 q, {I, X}; add.s64 q, q, PL; mov.b64 {T, O}, q; }
    add.f32 O, I, X;
    fma.rn.f32 O, I, X, Y;
    cvt.rn.f16x2.f32 O, I, X;
    cvt.rn.f32.s32 O, I;
    min.f32 O, I, X;
    { .reg .b64 q; mul.wide.u32 q, I, X; ld.const.b32 O, [cn]; mov.b64 {O, T}, q; }
    add.s32 T, I, X; ld.const.b32 O, [T];
    mad.lo.s32 T, I, X, Y; and.b32 T, T, 28; ld.const.b32 O, [T];
    { .reg .b32 t; mov.b32 t, cn; add.s32 t, t, I; ld.const.b32 O, [t+4]; }
    sub.s32 T, I, X; xor.b32 O, T, Y;
  `,
  ),
  ...list(
    "u",
    "w",
    `
    setp.lt.s32 O, I, X;
    setp.ge.u32 O, X, I;
    setp.lt.and.s32 O, I, X, W;
    and.b32 T, I, 64; setp.ne.s32 O, T, 0;
  `,
  ),
  ...list(
    "w",
    "w",
    `
    and.pred O, I, W;
    setp.lt.and.s32 O, X, Y, I;
    setp.lt.or.s32 O, Y, X, I;
    xor.pred O, I, W;
    vote.sync.any.pred O, I, -1;
  `,
  ),
  ...list(
    "w",
    "u",
    `
    selp.b32 O, X, Y, I;
    mov.b32 O, X; @I add.s32 O, Y, 7;
    mov.b32 O, X; @I mov.b32 O, Y;
    mov.b32 O, X; @I mul.lo.s32 O, Y, Y;
    mov.b32 O, X; @I ld.param.b32 O, [uni];
    mov.b32 O, X; @I ld.const.b32 O, [cn];
    mov.b32 O, X; @I mov.u32 O, %ctaid.x;
    mov.b32 O, X; @I vote.sync.ballot.b32 O, P, -1;
    mov.b32 O, X; @I bra LB; membar.cta; add.s32 O, O, 3; LB:
    mov.b32 O, X; @I lop3.b32 O, X, Y, O, 0x6a;
    mov.b32 O, X; @I shl.b32 O, Y, X;
    vote.sync.ballot.b32 O, I, -1;
  `,
  ),
  ...list(
    "w",
    "r",
    `
    selp.b32 O, A, B, I;
    mov.b32 O, A; @I add.s32 O, B, C;
    mov.b32 O, A; @I add.f32 O, B, C;
    mov.b32 O, A; @I ld.volatile.shared.b32 O, [SM];
    @I bra LB; membar.cta; LB: ld.volatile.shared.b32 O, [SM];
    @I st.volatile.shared.b32 [SM], A; ld.volatile.shared.b32 O, [SM];
    @I bar.sync 0, 64; ld.volatile.shared.b32 O, [SM];
    mov.b32 O, A; @I add.f16x2 O, B, C;
    mov.b32 O, A; @I ld.volatile.global.b32 O, [G];
    mov.b32 O, A; @I mad.lo.s32 O, B, C, A;
  `,
  ),
  ...list(
    "u",
    "r",
    `
    add.s32 O, I, A;
    add.f32 O, A, I;
    fma.rn.f32 O, A, I, B;
    fma.rn.f32 O, A, B, I;
    mad.lo.s32 O, A, I, B;
    mad.lo.s32 O, A, B, I;
    lop3.b32 O, A, I, B, 0x6a;
    shl.b32 O, A, I;
    prmt.b32 O, A, I, B;
    selp.b32 O, A, I, P;
    min.s32 O, A, I;
    max.f32 O, A, I;
    fma.rn.f16x2 O, A, I, B;
    fma.rn.bf16x2 O, A, B, I;
    add.f16x2 O, A, I;
    mov.b32 O, I; st.volatile.shared.b32 [SM], O;
    shfl.sync.idx.b32 O, A, I, 31, -1;
    ex2.approx.f32 O, I;
    popc.b32 O, I;
    cvt.rzi.s32.f32 O, I;
    ld.shared.b32 O, [I];
    ld.shared.b32 O, [I+16];
    add.s32 T, I, A; ld.shared.b32 O, [T];
    { .reg .b64 q; cvt.u64.u32 q, I; add.s64 q, q, G; ld.volatile.global.b32 O, [q]; }
    { .reg .b64 q; cvt.u64.u32 q, I; add.s64 q, q, PL; ld.volatile.global.b32 O, [q]; }
    { .reg .b64 q; cvt.u64.u32 q, I; add.s64 q, q, PL; st.volatile.global.b32 [q], A; ld.volatile.shared.b32 O, [SM]; }
    st.volatile.shared.b32 [I], A; ld.volatile.shared.b32 O, [SM];
    ld.const.b32 O, [I+4];
    atom.shared.add.u32 O, [I], A;
    bar.sync I, 64; ld.volatile.shared.b32 O, [SM];
    vote.sync.ballot.b32 O, P, I;
    mul.hi.u32 O, A, I;
    dp4a.u32.u32 O, A, I, B;
    shf.l.wrap.b32 O, A, I, B;
    tex.1d.v4.f32.s32 {O, T, T, T}, [tx, {I}];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B,C,A}, {B,I}, {A,A,B,C};
    { .reg .b64 q; mov.b64 q, {I, X}; ld.global.b32 O, [q]; }
    { .reg .b64 q; mov.b64 q, {X, I}; ld.volatile.global.b32 O, [q+16]; }
    { .reg .pred q; setp.gt.s32 q, I, 7; @q bra LB; membar.cta; LB: ld.volatile.shared.b32 O, [SM]; }
    fma.rn.f16x2 O, A, B, I;
    add.bf16x2 O, A, I;
    mad.hi.u32 O, A, I, B;
    sad.s32 O, A, I, B;
    min.f16x2 O, A, I;
    red.shared.add.u32 [I], A; ld.volatile.shared.b32 O, [SM];
    atom.shared.cas.b32 O, [SM], I, A;
    and.b32 T, I, 1; { LB: .branchtargets LBa, LBb; brx.idx.uni T, LB; LBa: st.volatile.shared.b32 [SM], A; membar.cta; LBb: ld.volatile.shared.b32 O, [SM]; }
    mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {O,T}, {A}, {I}, {B,C};
  `,
  ),
  ...list(
    "u",
    "l",
    `
    mul.wide.u32 O, A, I;
    mad.wide.u32 O, A, I, L;
    { .reg .b64 q; cvt.u64.u32 q, I; add.s64 O, q, L; }
    cvt.rn.f64.s32 O, I;
    { .reg .b64 q; mov.b64 q, {I, X}; add.f64 O, q, L; }
    { .reg .b64 q; mov.b64 q, {I, X}; fma.rn.f64 O, q, L, M; }
    { .reg .b64 q; mov.b64 q, {I, X}; ld.volatile.global.b64 O, [q]; }
    { .reg .b64 q; mov.b64 q, {I, X}; mad.wide.u32 O, A, B, q; }
  `,
  ),
  ...list(
    "u",
    "p",
    `
    setp.lt.s32 O, A, I;
    setp.lt.f32 O, A, I;
    setp.lt.and.s32 O, A, I, P;
    setp.lt.f16x2 O|TP, A, I;
    { .reg .b64 q; mov.b64 q, {I, X}; setp.lt.f64 O, q, L; }
  `,
  ),
  ...list(
    "r",
    "u",
    `
    redux.sync.add.s32 O, I, -1;
    redux.sync.max.s32 O, I, -1;
    redux.sync.or.b32 O, I, -1;
    vote.sync.ballot.b32 O, P, -1; st.volatile.shared.b32 [SM], I;
  `,
  ),
  ...list(
    "p",
    "u",
    `
    vote.sync.ballot.b32 O, I, -1;
  `,
  ),
  ...list(
    "p",
    "w",
    `
    vote.sync.any.pred O, I, -1;
    vote.sync.all.pred O, I, -1;
    vote.sync.uni.pred O, I, -1;
    vote.sync.any.pred TP, I, -1; and.pred O, TP, W;
  `,
  ),
  ...list(
    "w",
    "l",
    `
    selp.b64 O, L, M, I;
    mov.b64 O, L; @I add.f64 O, L, M;
  `,
  ),
  ...list(
    "w",
    "p",
    `
    setp.lt.and.s32 O, A, B, I;
    setp.lt.or.f32 O, A, B, I;
    setp.lt.and.f64 O, L, M, I;
    and.pred O, I, P;
  `,
  ),
];
