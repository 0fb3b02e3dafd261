/**
 * PTX operations for chain kernels. `I` is what the chain brings, `O` what goes on; `A B C` are 32-bit values, `L M` 64-bit
 * ones and `P Q` predicates that nothing hands over in time, `X Y` kernel parameters. Types: r 32 bits, l 64 bits, p predicate,
 * u 32 bits alike in all threads, w a predicate alike in all threads. Several of the
 * machine's classes are reached only with the modifiers shown; what a target does not have is dropped when ptxas refuses it.
 */
export type ValueType = "r" | "l" | "p" | "u" | "w";

export interface ChainOp {
  readonly from: ValueType | "";
  readonly to: ValueType;
  readonly text: string;
}

function list(from: ChainOp["from"], to: ChainOp["to"], texts: string): ChainOp[] {
  return texts
    .split("\n")
    .map((t) => t.trim())
    .filter((t) => t !== "")
    .map((text) => ({ from, to, text }));
}

export const chainOps: readonly ChainOp[] = [
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
    add.f32 O, I, A;
    mul.f32 O, I, A;
    fma.rn.f32 O, I, A, B;
    fma.rn.f32 O, A, I, B;
    fma.rn.f32 O, A, B, I;
    min.f32 O, I, A;
    max.NaN.f32 O, A, I;
    set.lt.f32.f32 O, I, A;
    set.lt.u32.f32 O, I, A;
    set.lt.u32.s32 O, I, A;
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
    cvt.s32.s8 O, I;
    { .reg .b16 h; cvt.u16.u32 h, I; cvt.rn.f32.u16 O, h; }
    { .reg .b16 h; cvt.rn.satfinite.e4m3x2.f32 h, I, A; cvt.u32.u16 O, h; }
    { .reg .b16 h; cvt.u16.u32 h, I; cvt.rn.f16x2.e4m3x2 O, h; }
    cvt.sat.s8.s32 O, I;
    cvt.pack.sat.s16.s32 O, I, A;
    cvt.pack.sat.u8.s32.b32 O, I, A, B;
    ex2.approx.f32 O, I;
    rcp.approx.ftz.f32 O, I;
    tanh.approx.f32 O, I;
    ex2.approx.f16x2 O, I;
    popc.b32 O, I;
    bfind.u32 O, I;
    brev.b32 O, I;
    clz.b32 O, I;
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
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B,C,A}, {B,C}, {I,A,B,C};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {T,U,V,O}, {A,B,C,A}, {B,C}, {A,B,C,I};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {O,T,U,V}, {I,B,C,A}, {B,C}, {A,A,B,C};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B,C,A}, {B,I}, {A,A,B,C};
    mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {O,T}, {A,B,C,A}, {B,C}, {I,A};
    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {O,T,U,V}, {I,B}, {C}, {A,A,B,C};
    mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {O,T}, {A,B}, {I}, {A,B};
    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B}, {C}, {I,A,B,C};
    mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {O,T,U,V}, {A,B,C,A}, {B,C}, {I,A,B,C};
    mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {O,T,U,V}, {A,B,C,A}, {B,I}, {C,A,B,C};
    mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {O,T,U,V}, {A,B}, {I}, {C,A,B,C};
    mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {O,T,U,V}, {A,B,C,A}, {B,C}, {I,A,B,C};
    mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {O,T,U,V}, {I,B,C,A}, {B,C}, {A,A,B,C};
    mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {O,T,U,V}, {A,B}, {I}, {A,A,B,C};
    mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {O,T}, {A}, {I}, {B,C};
    mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {O,T}, {A}, {C}, {I,B};
    mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {O,T,U,V}, {A,B,C,A}, {B,C}, {I,A,B,C};
    mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {O,T,U,V}, {A,B,C,A}, {B,C}, {I,A,B,C};
    mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {O,T,U,V,T,U,V,T}, {A,B}, {C,I}, {A,A,B,C,A,B,C,A};
    mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {O,T,U,V}, {A,B,C,A}, {B,C}, {I,A,B,C};
    mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B,C,A}, {B,C,A,B}, {I,A,B,C}, A, 0x0;
    mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {O,T}, {A}, {I}, {B,C};
    mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {O,T}, {A}, {C}, {I,B};
    mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {O,T}, {A}, {I}, {B,C};
    mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {O,T}, {A}, {C}, {I,B};
    mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32 {O,T,U,V}, {A,B}, {C}, {I,A,B,C};
    mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32 {O,T,U,V}, {I,B}, {C}, {A,A,B,C};
    mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc {O,T,U,V}, {A,B}, {C}, {I,A,B,C};
    mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {O,T,U,V}, {A,B}, {C}, {I,A,B,C};
    mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B}, {B,C}, {I,A,B,C}, A, 0x0;
    mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {O,T,U,V}, {A,B,C,A}, {B,C,A,B}, {I,A,B,C}, A, 0x0;
    mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {O,T,U,V}, {A,B}, {B,C}, {I,A,B,C}, A, 0x0;
    mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {O,T,U,V}, {A,B}, {B,C}, {I,A,B,C}, A, 0x0;
    mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B,C,A}, {B,C,A,B}, {C,A,B,C}, I, 0x0;
    red.global.add.u32 [PL], X; add.s32 O, I, A;
    elect.sync T|TP, -1; @TP add.s32 I, I, A; mov.b32 O, I;
    movmatrix.sync.aligned.m8n8.trans.b16 O, I;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {O}, [I];
    createpolicy.cvt.L2.b64 TL, M; ld.volatile.shared.b32 O, [I];
    { .reg .b32 t; .reg .pred q0, q1, q2, q3, q4, q5; and.b32 t, I, 1; setp.ne.s32 q0, t, 0; and.b32 t, I, 2; setp.ne.s32 q1, t, 0; and.b32 t, I, 4; setp.ne.s32 q2, t, 0; and.b32 t, I, 8; setp.ne.s32 q3, t, 0; and.b32 t, I, 16; setp.ne.s32 q4, t, 0; and.b32 t, I, 32; setp.ne.s32 q5, t, 0; selp.b32 t, A, B, q0; selp.b32 t, t, C, q1; selp.b32 t, B, t, q2; selp.b32 t, t, A, q3; selp.b32 t, C, t, q4; selp.b32 O, t, A, q5; }
    { .reg .b32 t; .reg .pred q0, q1, q2, q3, q4, q5; and.b32 t, I, 1; setp.ne.s32 q0, t, 0; and.b32 t, I, 2; setp.ne.s32 q1, t, 0; and.b32 t, I, 4; setp.ne.s32 q2, t, 0; and.b32 t, I, 8; setp.ne.s32 q3, t, 0; and.b32 t, I, 16; setp.ne.s32 q4, t, 0; and.b32 t, I, 32; setp.ne.s32 q5, t, 0; mov.b32 t, A; @q0 add.s32 t, t, B; @q1 add.f32 t, t, C; @q2 mul.lo.s32 t, t, A; @q3 add.f16x2 t, t, B; @q4 ld.volatile.shared.b32 t, [SM]; @q5 min.f32 t, t, C; mov.b32 O, t; }
    { .reg .b32 t; .reg .pred q0, q1, q2, q3, q4, q5; and.b32 t, I, 1; setp.ne.s32 q0, t, 0; and.b32 t, I, 2; setp.ne.s32 q1, t, 0; and.b32 t, I, 4; setp.ne.s32 q2, t, 0; and.b32 t, I, 8; setp.ne.s32 q3, t, 0; and.b32 t, I, 16; setp.ne.s32 q4, t, 0; and.b32 t, I, 32; setp.ne.s32 q5, t, 0; setp.lt.and.s32 q0, A, B, q0; setp.lt.or.f32 q1, A, B, q1; setp.lt.and.f64 q2, L, M, q2; xor.pred q3, q3, q4; selp.b32 t, A, B, q0; selp.b32 t, t, C, q1; selp.b32 t, B, t, q2; selp.b32 t, t, A, q3; selp.b32 O, C, t, q5; }
    .reg .b64 LB; ld.volatile.global.b64 LB, [G]; tex.1d.v4.f32.s32 {O, T, T, T}, [LB, {I}];
    bfe.u32 T, I, 2, 2; { LB: .branchtargets LBa, LBb, LBc, LBd; brx.idx T, LB; LBa: st.volatile.shared.b32 [SM], I; LBb: st.volatile.shared.b32 [SM], A; LBc: membar.cta; LBd: ld.volatile.shared.b32 O, [SM]; }
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
    cvt.f64.f32 O, I;
    cvt.rn.f64.s32 O, I;
    ld.shared.b64 O, [I];
    ld.const.b64 O, [I];
    ld.local.b64 O, [I];
    mov.b64 TL, {I, A}; add.s64 O, TL, L;
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
    add.f64 O, I, L;
    mul.f64 O, L, I;
    fma.rn.f64 O, I, L, M;
    fma.rn.f64 O, L, M, I;
    min.f64 O, I, L;
    neg.f64 O, I;
    add.rn.f32x2 O, I, L;
    fma.rn.f32x2 O, I, L, M;
    fma.rn.f32x2 O, L, M, I;
    ld.global.b64 O, [I];
    ld.b64 O, [I];
    st.volatile.global.b64 [G], I; ld.volatile.global.b64 O, [G];
    st.volatile.shared.b64 [SM], I; ld.volatile.shared.b64 O, [SM];
    atom.global.add.f64 O, [G], I;
    atom.global.add.u64 O, [I], L;
    cvt.rni.f64.f64 O, I;
    mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {O,TL}, {L}, {M}, {I,L};
    mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {O,TL}, {I}, {M}, {M,L};
    st.volatile.global.b32 [I], A; ld.volatile.global.b64 O, [G];
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
    mov.b64 {T, U}, I; add.f32 O, T, U;
    mov.b64 {T, U}, I; add.f16x2 O, U, A;
    mov.b64 {T, U}, I; add.f16x2 O, T, A;
    mov.b64 {T, U}, I; prmt.b32 O, A, U, B;
    cvt.rn.f32.f64 O, I;
    cvt.rzi.s32.f64 O, I;
    cvt.rn.f32.s64 O, I;
    popc.b64 O, I;
    ld.global.b32 O, [I];
    ld.global.nc.b32 O, [I];
    ld.b32 O, [I];
    atom.global.add.u32 O, [I], A;
    ld.volatile.global.u8 O, [I];
    tex.1d.v4.f32.s32 {O, T, T, T}, [I, {A}];
    suld.b.1d.b32.trap O, [I, {A}];
    cvt.rn.f32.u64 O, I;
    { .reg .b32 a, b; .reg .f16 h; mov.b64 {a, b}, I; add.f32 a, a, b; cvt.rn.f16x2.f32 O, a, b; }
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
    "p",
    `
    elect.sync T|O, -1;
    vote.sync.any.pred O, P, -1;
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
  `,
  ),
  ...list(
    "u",
    "p",
    `
    setp.lt.s32 O, A, I;
    setp.lt.f32 O, A, I;
    setp.lt.and.s32 O, A, I, P;
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

/** Second writers of a register under a predicate: what a first write must be away from. */
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
  `,
  ),
  ...rewrite(
    "w",
    `
    setp.lt.s32 O, X, Y;
    xor.pred O, %w0, %w1;
    vote.sync.any.pred O, P, -1;
    elect.sync T|O, -1;
  `,
  ),
];

export interface Rewrite {
  readonly to: ValueType;
  readonly text: string;
}

function rewrite(to: ValueType, texts: string): Rewrite[] {
  return list("", to, texts).map(({ text }) => ({ to, text }));
}
