/** Operations of chain kernels (types.ts): predicates: what makes them, what takes them. */
import { type ChainOp, list } from "./types.js";

export const predicateOps: readonly ChainOp[] = [
  ...list(
    "r",
    "r",
    `
    { .reg .b32 t; .reg .pred q0, q1, q2, q3, q4, q5; and.b32 t, I, 1; setp.ne.s32 q0, t, 0; and.b32 t, I, 2; setp.ne.s32 q1, t, 0; and.b32 t, I, 4; setp.ne.s32 q2, t, 0; and.b32 t, I, 8; setp.ne.s32 q3, t, 0; and.b32 t, I, 16; setp.ne.s32 q4, t, 0; and.b32 t, I, 32; setp.ne.s32 q5, t, 0; selp.b32 t, A, B, q0; selp.b32 t, t, C, q1; selp.b32 t, B, t, q2; selp.b32 t, t, A, q3; selp.b32 t, C, t, q4; selp.b32 O, t, A, q5; }
    { .reg .b32 t; .reg .pred q0, q1, q2, q3, q4, q5; and.b32 t, I, 1; setp.ne.s32 q0, t, 0; and.b32 t, I, 2; setp.ne.s32 q1, t, 0; and.b32 t, I, 4; setp.ne.s32 q2, t, 0; and.b32 t, I, 8; setp.ne.s32 q3, t, 0; and.b32 t, I, 16; setp.ne.s32 q4, t, 0; and.b32 t, I, 32; setp.ne.s32 q5, t, 0; mov.b32 t, A; @q0 add.s32 t, t, B; @q1 add.f32 t, t, C; @q2 mul.lo.s32 t, t, A; @q3 add.f16x2 t, t, B; @q4 ld.volatile.shared.b32 t, [SM]; @q5 min.f32 t, t, C; mov.b32 O, t; }
    { .reg .b32 t; .reg .pred q0, q1, q2, q3, q4, q5; and.b32 t, I, 1; setp.ne.s32 q0, t, 0; and.b32 t, I, 2; setp.ne.s32 q1, t, 0; and.b32 t, I, 4; setp.ne.s32 q2, t, 0; and.b32 t, I, 8; setp.ne.s32 q3, t, 0; and.b32 t, I, 16; setp.ne.s32 q4, t, 0; and.b32 t, I, 32; setp.ne.s32 q5, t, 0; setp.lt.and.s32 q0, A, B, q0; setp.lt.or.f32 q1, A, B, q1; setp.lt.and.f64 q2, L, M, q2; xor.pred q3, q3, q4; selp.b32 t, A, B, q0; selp.b32 t, t, C, q1; selp.b32 t, B, t, q2; selp.b32 t, t, A, q3; selp.b32 O, C, t, q5; }
    { .reg .b32 t; .reg .pred q0, q1, q2, q3, q4, q5, q6; and.b32 t, I, 1; setp.ne.s32 q0, t, 0; and.b32 t, I, 2; setp.ne.s32 q1, t, 0; and.b32 t, I, 4; setp.ne.s32 q2, t, 0; and.b32 t, I, 8; setp.ne.s32 q3, t, 0; and.b32 t, I, 16; setp.ne.s32 q4, t, 0; and.b32 t, I, 32; setp.ne.s32 q5, t, 0; setp.lt.and.f16x2 q0|q6, A, B, q0; setp.lt.and.f64 q1, L, M, q1; setp.lt.and.f32 q2, A, B, q2; selp.b32 t, A, B, q0; selp.b32 t, t, C, q1; selp.b32 t, B, t, q2; selp.b32 t, t, A, q3; selp.b32 t, C, t, q4; selp.b32 O, t, A, q5; }
    { .reg .b32 t; .reg .pred q0, q1, q2, q3, q4, q5; and.b32 t, I, 1; setp.ne.s32 q0, t, 0; and.b32 t, I, 2; setp.ne.s32 q1, t, 0; and.b32 t, I, 4; setp.ne.s32 q2, t, 0; and.b32 t, I, 8; setp.ne.s32 q3, t, 0; and.b32 t, I, 16; setp.ne.s32 q4, t, 0; and.b32 t, I, 32; setp.ne.s32 q5, t, 0; @q5 setp.lt.f64 q0, L, M; @q4 setp.lt.f32 q1, A, B; @q3 vote.sync.any.pred q2, q2, -1; selp.b32 t, A, B, q0; selp.b32 t, t, C, q1; selp.b32 t, B, t, q2; selp.b32 t, t, A, q3; selp.b32 t, C, t, q4; selp.b32 O, t, A, q5; }
  `,
  ),
  ...list(
    "r",
    "p",
    `
    setp.lt.s32 O, I, A;
    setp.ge.u32 O, A, I;
    setp.lt.and.s32 O, I, A, P;
    setp.lt.f32 O, I, A;
    setp.gt.or.f32 O, A, I, P;
    setp.lt.f16x2 O|TP, I, A;
    setp.gt.bf16x2 O|TP, I, A;
    { .reg .b16 h, g; mov.b32 {h, g}, I; setp.lt.f16 O, h, g; }
    and.b32 T, I, A; setp.ne.s32 O, T, 0;
    testp.infinite.f32 O, I;
    { .reg .b32 c, d; add.cc.u32 c, I, A; addc.u32 d, 0, 0; setp.ne.u32 O, d, 0; }
    match.all.sync.b32 T|O, I, -1;
    shfl.sync.down.b32 T|O, A, I, 31, -1;
  `,
  ),
  ...list(
    "l",
    "p",
    `
    setp.lt.f64 O, I, L;
    setp.lt.s64 O, I, L;
    setp.gt.and.f64 O, L, I, P;
    isspacep.shared O, I;
    { .reg .b64 c; .reg .b32 d; add.cc.u64 c, I, L; addc.u32 d, 0, 0; setp.ne.u32 O, d, 0; }
  `,
  ),
  ...list(
    "p",
    "p",
    `
    and.pred O, I, P;
    xor.pred O, P, I;
    setp.lt.and.s32 O, A, B, I;
    setp.lt.or.f32 O, A, B, I;
    setp.lt.and.f64 O, L, M, I;
    setp.lt.and.f16x2 O|TP, A, B, I;
    vote.sync.all.pred O, I, -1;
    vote.sync.any.pred O, I, -1;
    @I setp.lt.s32 P, A, B; mov.pred O, P;
    @I setp.lt.f32 P, A, B; mov.pred O, P;
    @I setp.lt.f64 P, L, M; mov.pred O, P;
    @I setp.lt.f16x2 P|TP, A, B; mov.pred O, P;
    setp.lt.and.s64 O, L, M, I;
    setp.lt.xor.f16x2 O|TP, A, B, I;
    vote.sync.uni.pred O, I, -1;
    @I setp.lt.s64 P, L, M; mov.pred O, P;
    @I vote.sync.any.pred P, Q, -1; mov.pred O, P;
  `,
  ),
  ...list(
    "p",
    "r",
    `
    selp.b32 O, A, B, I;
    selp.f32 O, A, B, I;
    { .reg .b32 a, b; selp.b32 a, 1, 0, I; selp.b32 b, 2, 0, P; or.b32 a, a, b; selp.b32 b, 4, 0, Q; or.b32 O, a, b; }
    mov.b32 O, A; @I mul.hi.u32 O, B, C;
    mov.b32 O, A; @I cvt.f32.f16 O, %h0;
    mov.b32 O, A; @I mov.u32 O, %clock;
    mov.b32 O, A; @I mov.u32 O, %smid;
    mov.b32 O, A; @I shfl.sync.bfly.b32 O, B, 1, 31, -1;
    mov.b32 O, A; @I ld.const.b32 O, [B];
    mov.b32 O, A; @I cvt.rn.f32.s32 O, B;
    mov.b32 O, A; @I prmt.b32 O, B, C, A;
    vote.sync.ballot.b32 O, I, -1;
    mov.b32 O, A; @I add.s32 O, B, C;
    mov.b32 O, A; @I mad.lo.s32 O, B, C, A;
    mov.b32 O, A; @I add.f32 O, B, C;
    mov.b32 O, A; @I add.f16x2 O, B, C;
    mov.b32 O, A; @!I lop3.b32 O, B, C, A, 0x6a;
    mov.b32 O, A; @I ld.volatile.shared.b32 O, [SM];
    mov.b32 O, A; @I ld.volatile.global.b32 O, [G];
    mov.b32 O, A; @I ex2.approx.f32 O, B;
    mov.b32 O, A; @I atom.shared.add.u32 O, [SM], B;
    @I st.volatile.shared.b32 [SM], A; ld.volatile.shared.b32 O, [SM];
    @I st.volatile.global.b32 [G], A; ld.volatile.shared.b32 O, [SM];
    @I bar.sync 0, 64; ld.volatile.shared.b32 O, [SM];
    @I bra LB; st.volatile.shared.b32 [SM], A; membar.cta; st.volatile.shared.b32 [SM], B; membar.cta; LB: ld.volatile.shared.b32 O, [SM];
    @!I exit; ld.volatile.shared.b32 O, [SM];
    barrier.sync 1, 64; @I red.shared.add.u32 [SM], A; ld.volatile.shared.b32 O, [SM];
    { .reg .b32 a, b; selp.b32 a, 1, 0, I; selp.b32 b, 2, 0, P; or.b32 a, a, b; selp.b32 b, 4, 0, Q; or.b32 a, a, b; st.volatile.shared.b32 [SM], a; mov.b32 O, A; @I add.f16x2 O, B, C; }
    mov.b32 O, A; @I popc.b32 O, B;
    mov.b32 O, A; @I dp4a.u32.u32 O, B, C, A;
    mov.b32 O, A; @I match.any.sync.b32 O, B, -1;
  `,
  ),
  ...list(
    "p",
    "l",
    `
    selp.b64 O, L, M, I;
    mov.b64 O, L; @I add.f64 O, L, M;
    mov.b64 O, L; @I mul.wide.u32 O, A, B;
    mov.b64 O, L; @I add.s64 O, L, M;
    mov.b64 O, L; @I ld.volatile.global.b64 O, [G];
  `,
  ),
  ...list(
    "",
    "p",
    `
    elect.sync T|O, -1;
    vote.sync.any.pred O, P, -1;
  `,
  ),
];
