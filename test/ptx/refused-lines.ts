/** Instructions that ptxas 13.0.88 refuses for sm_100a, and what it says. */
export const refusedLines: readonly (readonly [line: string, message: string])[] = [
  ["setp.xor.u64 %p1, %l1, %l2, %p2;", "Comparison modifier required for instruction 'setp'"],
  ["setp.lt.b32 %p1, %r1, %r2;", "Mismatch between instruction type and comparison qualifier"],
  ["setp.lo.s32 %p1, %r1, %r2;", "Mismatch between instruction type and comparison qualifier"],
  ["setp.nan.u32 %p1, %r1, %r2;", "Mismatch between instruction type and comparison qualifier"],
  ["set.lt.u32.b32 %r1, %r1, %r2;", "Mismatch between instruction type and comparison qualifier"],
  ["min.abs.f32 %f1, %f1, %f2;", "Modifier '.abs' requires modifier '.xorsign'"],
  ["isspacep %p1, %l1;", "State space modifier required for instruction 'isspacep'"],
  ["isspacep.global.approx %p1, %l1;", "Illegal modifier '.approx' for instruction 'isspacep'"],
  ["setmaxnreg.dec.u32 24;", ".aligned modifier required for instruction 'setmaxnreg.dec'"],
  ["setmaxnreg.dec.aligned.u32 24;", ".sync modifier required for instruction 'setmaxnreg.dec'"],
  ["prefetch.global [%l1];", "Cache level modifier required for instruction 'prefetch'"],
  ["prefetch.aligned.global.L1 [%l1];", "Illegal modifier '.aligned' for instruction 'prefetch'"],
  ["txq.b32 %r1, [%l1];", "Query modifier required for instruction 'txq'"],
  ["suq.filter_mode.b32 %r1, [%l1];", "Illegal query modifier for instruction 'suq'"],
  ["suld.b.2d.b8 %h1, [%l1, {%r1, %r2}];", "Clamp modifier required for instruction 'suld.b'"],
  ["suld.b.b8.clamp %h1, [%l1, {%r1, %r2}];", "Geometry modifier required for instruction 'suld.b'"],
  ["tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, %l1, {%r1, %r2};", "Illegal Addressing Mode in instruction 'tex'"],
  ["txq.width.sat.b32 %r1, [%l1];", "Illegal modifier '.sat' for instruction 'txq'"],
  ["fence.proxy.acquire.gpu [%l1], 128;", ".proxykind modifier required for instruction 'fence.proxy'"],
  ["red.sync.add.u32 [%l1], %r1;", "Illegal modifier '.sync' for instruction 'red'"],
  ["atom.max.s64.sync %l1, [%l1], %l2;", "Illegal modifier '.sync' for instruction 'atom'"],
  ["atom.shared.add.noftz.bf16x2.rm %r1, [%l1], %r1;", "Illegal rounding modifier for instruction 'atom'"],
  ["redux.sync.min.s32.pred %r1, %r1, -1;", "Unexpected instruction types specified for 'redux'"],
  ["redux.sync.xor.b32 %r1, %f1, -1;", "Arguments mismatch for instruction 'redux'"],
  ["add.rn.f16x2 %f1, %r1, %r2;", "Arguments mismatch for instruction 'add'"],
  ["add.rn.f32x2 %d1, %l1, %l2;", "Arguments mismatch for instruction 'add'"],
  ["add.u16x2 %u1, %r1, %r2;", "Arguments mismatch for instruction 'add'"],
  ["cvt.rn.bf16x2.f32 %f1, %f2, %f3;", "Arguments mismatch for instruction 'cvt'"],
  ["barrier.cta.sync 3, 33;", "Number of threads participating in barrier must be in multiple of warp size"],
  ["barrier.arrive 16, 32;", "Barrier number '16' out of range, expected to be in range [0..15]"],
  ["bar.red.popc.u32 %r1, 16, %p1;", "Barrier number '16' out of range, expected to be in range [0..15]"],
  ["discard.global.L2 [%l1], 64;", "Argument 2 of instruction 'discard': unexpected value '64', expected to be 128"],
  [
    "mbarrier.test_wait.parity.shared::cta.b64 %p1, [%l1], 2;",
    "Argument 2 of instruction 'mbarrier.test_wait.parity': unexpected value '2', expected to be 0 or 1",
  ],
  [
    "ld.mmio.relaxed.sys.shared::cluster.b32 %r1, [%r2];",
    "Modifier '.mmio' cannot be applied to '.shared::cluster' space",
  ],
  ["st.mmio.relaxed.sys.shared.b32 [%r2], %r1;", "Modifier '.mmio' cannot be applied to '.shared' space"],
  ["ld.mmio.relaxed.gpu.global.b32 %r1, [%l1];", "Modifier '.mmio' cannot be combined with modifier '.gpu'"],
  ["ld.mmio.relaxed.sys.global.v2.b32 {%r1, %r2}, [%l1];", "Modifier '.mmio' cannot be combined with modifier '.v2'"],
  ["ld.mmio.relaxed.global.b32 %r1, [%l1];", "Modifier '.mmio' requires scope with 'ld' instruction"],
  ["ld.relaxed.gpu.global.ca.b32 %r1, [%l1];", "Modifier '.relaxed' cannot be combined with modifier '.ca'"],
  ["ld.acquire.gpu.local.b32 %r1, [%r2];", "Modifier '.acquire' cannot be applied to '.local' space"],
  ["st.volatile.const.b32 [%l1], %r1;", "State space incorrect for instruction 'st'"],
  ["ld.weak.gpu.global.b32 %r1, [%l1];", "Modifier '.weak' cannot be combined with modifier '.gpu'"],
  ["ld.shared.nc.b32 %r1, [%r2];", "Modifier '.nc' requires .global space"],
  ["ld.global.cv.nc.b32 %r1, [%l1];", "Illegal cache operation for instruction 'ld.nc'"],
  ["ld.shared.L2::128B.b32 %r1, [%r2];", "State space incorrect for feature 'cache prefetching'"],
  [
    "st.shared.L1::no_allocate.b32 [%r2], %r1;",
    "Modifier '.no_allocate' cannot be applied to '.shared' space for instruction 'st'",
  ],
  ["ld.global.cg.L1::evict_last.b32 %r1, [%l1];", "Modifier '.evict_last' cannot be combined with modifier '.cg'"],
  [
    "ld.global.L2::evict_last.b32 %r1, [%l1];",
    "Instruction 'ld' requires '.v8.b32/.v4.b64' type with '.L2::evict_last' modifier.",
  ],
  [
    "ld.shared.L2::cache_hint.b32 %r1, [%r2], %l1;",
    "Modifier '.L2::cache_hint' cannot be applied to '.shared' space for instruction 'ld'",
  ],
  ["cvt.rs.satfinite.e4m3x4.f32 %h1, {%f1, %f2, %f1, %f2}, %r1;", "Arguments mismatch for instruction 'cvt'"],
  [
    "cvt.rs.e4m3x4.f32 %r1, {%f1, %f2, %f1, %f2}, %r1;",
    "'.satfinite' modifier required for instruction 'cvt' with destination type '.e4m3x4'",
  ],
  ["st.global.v2.b32 [%l1], {%r1, %l2};", "Incompatible elements of vector expression"],
  ["ld.global.v2.u8 {%r1, %h1}, [%l1];", "Incompatible elements of vector expression"],
  ["tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%l1, {%r1, %l1}];", "Incompatible elements of vector expression"],
  [
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%d4},{%r1,%r2,%r3,%r4},{%r5,%r6},{%f1,%f2,%f3,%f4};",
    "Incompatible elements of vector expression",
  ],
  [
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%u4},{%r1,%r2,%r3,%r4},{%r5,%r6},{%f1,%f2,%f3,%f4};",
    "Vector with elements of different types are not allowed in mma instruction",
  ],
  ["st.global.v2.f32 [%l1], {%f1, 3};", "Vector with elements of different types are not allowed in st instruction"],
  ["tex.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%l1, {%f1,%f2,%f3}];", "Illegal vector size: 3"],
  ["st.global.v4.b32 [%l1], {%r1, %r2, %r3, %r4, %r5};", "Illegal vector size: 5"],
  ["redux.sync.and.b32 %r1, %r2, 0f3F800000;", "Arguments mismatch for instruction 'redux'"],
  ["redux.sync.add.u32 %r1, %r2, %f3;", "Arguments mismatch for instruction 'redux'"],
  ["set.lt.u32.u32 %r1, %r2, %r3, 1;", "Boolean operation is required for instruction 'set'"],
  ["set.lt.f16.f16 %h1, %h2, %h3, %p1;", "Boolean operation is required for instruction 'set'"],
  ["cvt.rs.f16x2.f32 %r1, %f1, %f2, 3;", "Arguments mismatch for instruction 'cvt'"],
  ["cvt.rs.f16x2.f32 %r1, %f1, %f2;", "Arguments mismatch for instruction 'cvt'"],
  ["cvt.rn.f16x2.f32 %r1, %f1, %f2, %r3;", "Arguments mismatch for instruction 'cvt'"],
  ["cvt.rs.satfinite.e4m3x4.f32 %r1, {%f1,%f2,%f3,%f4}, 3;", "Arguments mismatch for instruction 'cvt'"],
  ["cvt.rn.f16x2.e4m3x2 %r1, 3;", "Arguments mismatch for instruction 'cvt'"],
  ["setp.lt.s64 !%p1, %l1, %l2;", "Result register required for instruction 'setp'"],
  ["mul.f32 %f1, %f2, ~1.5;", "Integer constant expression expected"],
  ["dp2a.lo.u32.u32 %r1, %r2, {%r1,%r2}, %r3;", "Vector operand is not allowed for instruction 'dp2a.lo'"],
  ["fns.b32 %r1, %r2, %r1, [%r3];", "Argument 3 of instruction 'fns': must be register"],
  ["vset.s32.s32.relaxed.lt %r1, %r2, %r3;", "Illegal modifier '.relaxed' for instruction 'vset'"],
  ["vadd.s32.rp.s32.s32 %r1, %r2, %r3;", "Illegal rounding modifier for instruction 'vadd'"],
  ["vshl.u32.u32.u32 %r1, %r2, %r3;", "Clamp modifier required for instruction 'vshl'"],
  ["prefetchu.nc.L1 [%l1];", "Illegal modifier '.nc' for instruction 'prefetchu'"],
  ["testp.finite.f32.pred %p1, %f1;", "Unexpected instruction types specified for 'testp'"],
  ["sured.b.or.a1d.b32.clamp [%l1,{%r1,%r2}], %r3;", "Illegal modifier '.a1d' for instruction 'sured.b'"],
  ["barrier.red.pred %p2, %r1, %r2, %p1;", "Illegal reduction operation for instruction 'barrier.red.pred'"],
];

/** The lines in a module, and the number of the first. */
export function refusedModule(): { text: string; first: number } {
  const head = `.version 9.0
.target sm_100a
.address_size 64
.visible .entry k() {
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .u32 %u<9>; .reg .b64 %l<9>; .reg .f32 %f<9>; .reg .f64 %d<9>;
`;
  const lines = refusedLines.map(([line]) => line).join("\n");
  return { text: `${head}${lines}\nret;\n}\n`, first: head.split("\n").length };
}
