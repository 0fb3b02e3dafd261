/** Operations of chain kernels (types.ts): memory, exchange between threads, barriers, special registers. */
import { type ChainOp, list } from "./types.js";

export const memoryOps: readonly ChainOp[] = [
  ...list(
    "r",
    "r",
    `
    shfl.sync.bfly.b32 O, I, 1, 31, -1;
    shfl.sync.idx.b32 O, A, I, 31, -1;
    shfl.sync.idx.b32 O, A, B, I, -1;
    match.any.sync.b32 O, I, -1;
    redux.sync.add.s32 O, I, -1;
    redux.sync.min.u32 O, I, -1;
    ld.shared.b32 O, [I];
    ld.shared.v2.b32 {O, T}, [I+8];
    ld.shared.u8 O, [I];
    ld.local.b32 O, [I];
    ld.const.b32 O, [I];
    st.volatile.shared.b32 [SM], I; ld.volatile.shared.b32 O, [SM];
    st.volatile.shared.b32 [I], A; ld.volatile.shared.b32 O, [SM];
    st.local.b32 [LM], I; membar.cta; ld.local.b32 O, [LM];
    atom.shared.add.u32 O, [SM], I;
    atom.shared.exch.b32 O, [I], A;
    atom.shared.cas.b32 O, [SM], I, A;
    atom.global.add.u32 O, [G], I;
    atom.global.cas.b32 O, [G], A, I;
    st.volatile.global.b32 [G], I; ld.volatile.global.b32 O, [G];
    red.shared.add.u32 [SM], I; ld.volatile.shared.b32 O, [SM];
    red.global.add.u32 [G], I; ld.volatile.global.b32 O, [G];
    vote.sync.ballot.b32 O, P, I;
    bar.warp.sync I; ld.volatile.shared.b32 O, [SM];
    bar.sync 0, 64; ld.volatile.shared.b32 O, [SM];
    tex.1d.v4.f32.s32 {O, T, T, T}, [tx, {I}];
    suld.b.1d.b32.trap O, [sf, {I}];
    red.global.add.u32 [PL], X; add.s32 O, I, A;
    elect.sync T|TP, -1; @TP add.s32 I, I, A; mov.b32 O, I;
    movmatrix.sync.aligned.m8n8.trans.b16 O, I;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {O}, [I];
    createpolicy.cvt.L2.b64 TL, M; ld.volatile.shared.b32 O, [I];
    .reg .b64 LB; ld.volatile.global.b64 LB, [G]; tex.1d.v4.f32.s32 {O, T, T, T}, [LB, {I}];
    bfe.u32 T, I, 2, 2; { LB: .branchtargets LBa, LBb, LBc, LBd; brx.idx T, LB; LBa: st.volatile.shared.b32 [SM], I; LBb: st.volatile.shared.b32 [SM], A; LBc: membar.cta; LBd: ld.volatile.shared.b32 O, [SM]; }
  `,
  ),
  ...list(
    "r",
    "l",
    `
    ld.shared.b64 O, [I];
    ld.const.b64 O, [I];
    ld.local.b64 O, [I];
  `,
  ),
  ...list(
    "l",
    "l",
    `
    ld.global.b64 O, [I];
    ld.b64 O, [I];
    st.volatile.global.b64 [G], I; ld.volatile.global.b64 O, [G];
    st.volatile.shared.b64 [SM], I; ld.volatile.shared.b64 O, [SM];
    atom.global.add.f64 O, [G], I;
    atom.global.add.u64 O, [I], L;
    st.volatile.global.b32 [I], A; ld.volatile.global.b64 O, [G];
  `,
  ),
  ...list(
    "l",
    "r",
    `
    ld.global.b32 O, [I];
    ld.global.nc.b32 O, [I];
    ld.b32 O, [I];
    atom.global.add.u32 O, [I], A;
    ld.volatile.global.u8 O, [I];
    tex.1d.v4.f32.s32 {O, T, T, T}, [I, {A}];
    suld.b.1d.b32.trap O, [I, {A}];
    mov.b64 {T, U}, I; bar.warp.sync T; add.s32 O, U, A;
    mov.b64 {T, U}, I; shfl.sync.bfly.b32 O, T, U, 31, -1;
  `,
  ),
  ...list(
    "",
    "r",
    `
    mov.u32 O, %clock;
    mov.u32 O, %laneid;
    mov.u32 O, %smid;
    mov.u32 O, 0x12345;
    mov.b32 O, A;
    activemask.b32 O;
    ld.param.b32 O, [uni];
    ld.volatile.shared.b32 O, [SM];
  `,
  ),
  ...list(
    "",
    "l",
    `
    mov.u64 O, %clock64;
    mov.u64 O, %globaltimer;
    mov.b64 O, L;
    mul.wide.u32 O, A, B;
    ld.volatile.global.b64 O, [G];
  `,
  ),
];
