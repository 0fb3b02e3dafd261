/**
 * Rules that no bare sample instruction shows: gates of the open forms and of word combinations, and what atomics take. Wording and targets measured
 * on ptxas 13.0.88.
 */

/**
 * names | types (* all; + means any one of them occurs) | modifiers or - (`a+b`: both, `%` is a) | message | targets: those that refuse, or after ! those that accept;
 * empty where the message says which. Read before the arguments are looked at.
 */
export const EARLY_GATES: string = `
* | + bf16 | - | Feature '.bf16' requires .target sm_80 or higher |
* | + bf16 | - | Feature '.bf16' requires PTX ISA .version 7.0 or later |
* | + bf16x2 | - | Feature '.bf16x2' requires .target sm_80 or higher |
* | + bf16x2 | - | Feature '.bf16x2' requires PTX ISA .version 7.0 or later |
* | + tf32 | - | Feature '.tf32' requires .target sm_80 or higher |
* | + tf32 | - | Feature '.tf32' requires PTX ISA .version 7.0 or later |
* | * | 32x32b 16x32bx2 16x64b 16x128b 16x256b | Feature '.%' not supported on .target '#' | !sm_100a sm_100f sm_103a sm_103f sm_110a sm_110f
* | * | 128x256b 4x256b 128x128b 64x128b 32x128b | Feature '.%' not supported on .target '#' | !sm_100a sm_100f sm_103a sm_103f sm_110a sm_110f
mma | * | sp::ordered_metadata | Feature '.%' requires .target sm_80 or higher |
mma | * | sp sp::ordered_metadata | Feature 'Sparse MMA' requires .target sm_80 or higher |
mma | * | sp sp::ordered_metadata | Feature 'Sparse MMA' requires PTX ISA .version 7.1 or later |
mma | * | sp::ordered_metadata | Feature '.%' requires PTX ISA .version 8.5 or later |
* | * | abs | Feature '.%' requires .target sm_86 or higher |
* | * | abs | Feature '.%' requires PTX ISA .version 7.2 or later |
ld st | * | mmio | Feature '.%' requires PTX ISA .version 8.2 or later |
fence | * | mbarrier_init | Feature '.op_restrict' requires .target sm_90 or higher |
fence | * | sync_restrict::shared::cta sync_restrict::shared::cluster | Feature '.sync_restrict' requires .target sm_90 or higher |
`;

/** The same, read when the arguments are right. */
export const LATE_GATES: string = `
* | * | shared::cluster | Feature '::cluster' requires PTX ISA .version 7.8 or later |
* | * | shared::cluster | Feature '::cluster' requires .target sm_90 or higher |
wgmma.fence wgmma.mma_async wgmma.commit_group wgmma.wait_group | * | - | Instruction '@' not supported on .target '#' | !sm_90a
tcgen05.alloc tcgen05.dealloc tcgen05.relinquish_alloc_permit tcgen05.wait tcgen05.cp tcgen05.shift tcgen05.fence tcgen05.commit tcgen05.mma tcgen05.mma.ws tcgen05.ld tcgen05.st | * | - | Instruction '@' not supported on .target '#' | !sm_100a sm_100f sm_103a sm_103f sm_110a sm_110f
tcgen05.ld.red | * | - | Instruction '@' not supported on .target '#' | !sm_103a sm_103f sm_110a sm_110f
mma | * | block_scale | Instruction 'mma with block scale' not supported on .target '#' | !sm_120a sm_120f sm_121a sm_121f
mma | + e2m1 e2m3 e3m2 | - | Instruction 'mma with with FP6/FP4 floating point type' not supported on .target '#' | !sm_120a sm_120f sm_121a sm_121f
mma | * | kind::f8f6f4 | Feature '.%' not supported on .target '#' | !sm_100a sm_100f sm_103a sm_103f sm_110a sm_110f sm_120a sm_120f sm_121a sm_121f
mma | + e4m3 e5m2 | - | Feature 'mma with FP8 floating point type' requires .target sm_89 or higher |
stmatrix | * | - | Feature '@' requires .target sm_90 or higher |
wmma.load.a wmma.load.b | bf16 tf32 | - | Feature 'WMMA with .bf16/.tf32 FP types' requires .target sm_80 or higher |
wmma.load.a wmma.load.b wmma.load.c wmma.store.d | f64 | - | Feature 'WMMA with fp64 types' requires .target sm_80 or higher |
wmma.load.a wmma.load.b wmma.load.c wmma.store.d | * | m16n16k8 m8n8k4 | Modifier '.%' requires .target sm_80 or higher |
cp.async | * | - | Feature '@' requires .target sm_80 or higher |
cp.async.bulk cp.async.bulk.prefetch cp.async.bulk.tensor cp.async.bulk.prefetch.tensor cp.reduce.async.bulk cp.reduce.async.bulk.tensor | * | - | Feature '@' requires .target sm_90 or higher |
cp.async.bulk cp.async.bulk.prefetch cp.async.bulk.tensor cp.async.bulk.prefetch.tensor cp.reduce.async.bulk cp.reduce.async.bulk.tensor | * | - | Feature '@' requires PTX ISA .version 8.0 or later |
multimem.ld_reduce multimem.st multimem.red mapa getctarank red.async st.async | * | - | Feature '@' requires .target sm_90 or higher |
tensormap.cp_fenceproxy | * | - | Instruction '@' not supported on .target '#' | sm_75 sm_80 sm_86 sm_87 sm_88 sm_89
setmaxnreg.inc setmaxnreg.dec | * | - | Instruction '@' not supported on .target '#' | !sm_90a sm_100a sm_100f sm_103a sm_103f sm_110a sm_110f sm_120a sm_120f sm_121a sm_121f
tcgen05.shift | * | - | Instruction '@' not supported on .target '#' | !sm_100a sm_103a sm_110a
tcgen05.mma tcgen05.mma.ws | * | kind::i8 | Feature '.%' not supported on .target '#' | !sm_100a sm_110a
tcgen05.mma | * | scale_vec::1X scale_vec::2X scale_vec::4X | Feature '.%' not supported on .target '#' | !sm_100a sm_103a sm_110a
tcgen05.mma | * | kind::mxf4nvf4 scale_vec::4X | Feature '.%' requires PTX ISA .version 8.7 or later |
tcgen05.mma | * | block16 block32 | Feature '.%' requires PTX ISA .version 8.8 or later |
tcgen05.ld.red | * | - | Feature '@' requires PTX ISA .version 8.8 or later |
tcgen05.mma | * | kind::mxf4+sp kind::mxf4nvf4+sp | Feature '.% with .sp modifier' not supported on .target '#' | !sm_100a sm_103a sm_110a
mma | * | kind::mxf4+sp::ordered_metadata kind::mxf4nvf4+sp::ordered_metadata | Instruction 'Sparse mma with block scale' not supported on .target '#' | !sm_120a sm_121a
cvt | * | rs | Feature '.%' not supported on .target '#' | !sm_100a sm_103a
cvt | tf32.f32 | rz | Feature '@ with .tf32.f32.rz' requires .target sm_90 or higher |
cvt | tf32.f32 | satfinite+rz | Modifier '.%' on 'cvt.tf32.f32.rz' requires .target sm_100 or higher |
mma | * | and | Modifier '.%' on '@' requires .target sm_80 or higher |
min max | f32 | NaN | Modifier '.%' requires .target sm_80 or higher |
min max | f16 f16x2 | NaN | Modifier '.%' requires .target sm_80 or higher |
cp.async.bulk.tensor | * | tile::gather4+shared::cluster im2col::w+shared::cluster | Feature '.% with destination state space as .shared::cluster' not supported on .target '#' | !sm_100f sm_100a sm_103f sm_103a sm_110f sm_110a
cp.async.bulk.tensor | * | tile::gather4+shared::cta im2col::w+shared::cta | Feature '.% with destination state space as .shared::cta' requires .target sm_100 or higher |
cp.async.bulk.tensor cp.reduce.async.bulk.tensor | * | tile::scatter4 | Feature '.%' not supported on .target '#' | !sm_100f sm_100a sm_103f sm_103a sm_110f sm_110a
cp.async.bulk.tensor cp.async.bulk.prefetch.tensor | * | im2col::w::128 | Feature '.%' not supported on .target '#' | !sm_100f sm_100a sm_103f sm_103a sm_110f sm_110a
cp.async.bulk.prefetch.tensor | * | tile::gather4 im2col::w | Feature '.% with @' not supported on .target '#' | !sm_100f sm_100a sm_103f sm_103a sm_110f sm_110a
cp.async.bulk | * | cp_mask | Feature '.%' requires .target sm_100 or higher |
cp.async.bulk.wait_group | * | read | Modifier '.%' requires .target sm_90 or higher |
clusterlaunchcontrol.try_cancel.async | * | multicast::cluster::all | Feature '.%' not supported on .target '#' | !sm_100f sm_100a sm_103f sm_103a sm_110f sm_110a sm_120f sm_120a sm_121f sm_121a
fence.proxy membar.proxy | * | tensormap::generic async::generic | Instruction '@ with unidirection proxy fence' not supported on .target '#' | sm_75 sm_80 sm_86 sm_87 sm_88 sm_89
fence.proxy membar.proxy | * | async | Modifier '.%' requires .target sm_90 or higher |
griddepcontrol | * | wait | Modifier '.%' requires .target sm_90 or higher |
prefetch | * | tensormap | Modifier '.%' requires .target sm_90 or higher |
prefetch | * | L2::evict_last L2::evict_normal | Modifier 'cache eviction priority' on '@' requires .target sm_80 or higher |
discard applypriority | * | - | Feature '@' requires .target sm_80 or higher |
st.async red.async | * | mmio | Feature 'st.async/red.async with .mmio modifier' requires .target sm_100 or higher |
st.bulk clusterlaunchcontrol.try_cancel.async clusterlaunchcontrol.query_cancel | * | - | Feature '@' requires .target sm_100 or higher |
tensormap.replace | * | - | Instruction '@' not supported on .target '#' | !sm_90a sm_100a sm_100f sm_103a sm_103f sm_110a sm_110f sm_120a sm_120f sm_121a sm_121f
atom red fence mbarrier.arrive mbarrier.test_wait mbarrier.try_wait | * | cluster | Feature '.cluster scope' requires .target sm_90 or higher |
ldu prefetch atom red | * | L2::cache_hint | Modifier '.%' requires .target sm_80 or higher |
atom red | * | v2 v4 v8 | Feature '@ instruction with vector types' requires .target sm_90 or higher |
mma | * | m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256 | Feature '.%' requires .target sm_80 or higher |
* | * | m16n16 m8n16 m16n8 | Feature '.%' not supported on .target '#' | !sm_100a sm_100f sm_103a sm_103f sm_110a sm_110f sm_120a sm_120f sm_121a sm_121f
cp.async.bulk.tensor cp.async.bulk.prefetch.tensor | * | cta_group::1 cta_group::2 | Feature '.%' not supported on .target '#' | !sm_100a sm_100f sm_103a sm_103f sm_110a sm_110f
ld st atom red fence mbarrier.arrive mbarrier.test_wait mbarrier.try_wait | * | cluster | Feature '.cluster scope' requires PTX ISA .version 7.8 or later |
fma | f32.f16 f32.bf16 | - | Feature '@.&' requires PTX ISA .version 8.6 or later |
add sub | f32.f16 f32.bf16 | - | Feature '@.&' requires PTX ISA .version 8.6 or later |
multimem.ld_reduce multimem.st multimem.red st.async red.async | * | - | Feature '@' requires PTX ISA .version 8.1 or later |
`;

/** The same, before all others: what a PTX version lacks altogether. */
export const VERSION_GATES: string = `
tcgen05.ld tcgen05.ld.red tcgen05.st tcgen05.cp | * | 16x64b 16x128b 16x256b 32x32b 16x32bx2 128x128b 128x256b 32x128b 4x256b 64x128b | Modifier '.%' requires PTX ISA .version 8.6 or later |
tcgen05.alloc tcgen05.dealloc tcgen05.relinquish_alloc_permit tcgen05.wait tcgen05.cp tcgen05.shift tcgen05.fence tcgen05.commit tcgen05.mma tcgen05.mma.ws tcgen05.ld tcgen05.ld.red tcgen05.st | * | - | Feature '@' requires PTX ISA .version 8.6 or later |
wgmma.fence wgmma.mma_async wgmma.commit_group wgmma.wait_group | * | - | Feature 'WGMMA' requires PTX ISA .version 8.0 or later |
setmaxnreg.inc setmaxnreg.dec | * | - | Feature '@' requires PTX ISA .version 8.0 or later |
tensormap.replace | * | - | Feature '@' requires PTX ISA .version 8.3 or later |
fence.proxy membar.proxy | * | - | Feature '@' requires PTX ISA .version 7.5 or later |
griddepcontrol movmatrix | * | - | Feature '@' requires PTX ISA .version 7.8 or later |
createpolicy.fractional createpolicy.range createpolicy.cvt | * | - | Feature '@' requires PTX ISA .version 7.4 or later |
ldmatrix | * | - | Feature '@' requires PTX ISA .version 6.5 or later |
nanosleep | * | - | Feature '@' requires PTX ISA .version 6.3 or later |
mma | * | - | Feature '@' requires PTX ISA .version 6.4 or later |
redux cp.async | * | - | Feature '@' requires PTX ISA .version 7.0 or later |
add sub mul | bf16 bf16x2 | - | Feature '@.&' requires PTX ISA .version 7.8 or later |
ex2 tanh setp | bf16 bf16x2 | - | Feature '@.&' requires PTX ISA .version 7.8 or later |
add sub mul fma | f32x2 | - | Feature '@.&' requires PTX ISA .version 8.6 or later |
add min max | u16x2 s16x2 | - | Feature '@.&' requires PTX ISA .version 8.0 or later |
cvt | u16.bf16 u32.bf16 u64.bf16 s16.bf16 s32.bf16 s64.bf16 f16.bf16 bf16.u16 bf16.u32 bf16.u64 bf16.s16 bf16.s32 bf16.s64 bf16.bf16 bf16.f64 | - | Feature 'cvt with .&' requires PTX ISA .version 7.8 or later |
atom red | * | v2 v4 v8 | Feature '@ instruction with vector types' requires PTX ISA .version 8.1 or later |
`;

/** Name → gate of its form with so many operands, and the least SM that has it; measured. */
export const OPERAND_GATES: ReadonlyMap<string, readonly [operands: number, feature: string, from: number]> = new Map([
  ["min", [4, "min.f32 with 3 input operands", 100]],
  ["max", [4, "max.f32 with 3 input operands", 100]],
]);

/** Operation of atom and red → types it takes, and ptxas's list of them. */
export const ATOMIC_OPERATIONS: ReadonlyMap<string, readonly [types: string, named: string]> = new Map([
  [
    "add",
    [
      "u32 s32 u64 f64 f16 f16x2 f32 bf16 bf16x2",
      ".u32 or .s32 or .u64 or .f64 or f16 or f16x2 or .f32 or .bf16 or .bf16x2",
    ],
  ],
  [
    "min",
    ["u32 s32 u64 s64 f16 f16x2 bf16 bf16x2 f32", ".u32 or .s32 or .u64 or .s64 or .f16 or .f16x2 or .bf16 or .bf16x2"],
  ],
  [
    "max",
    ["u32 s32 u64 s64 f16 f16x2 bf16 bf16x2 f32", ".u32 or .s32 or .u64 or .s64 or .f16 or .f16x2 or .bf16 or .bf16x2"],
  ],
  ["inc", ["u32", ".u32"]],
  ["dec", ["u32", ".u32"]],
  ["and", ["b32 b64", ".b32 or .b64"]],
  ["or", ["b32 b64", ".b32 or .b64"]],
  ["xor", ["b32 b64", ".b32 or .b64"]],
  ["exch", ["b32 b64 b128", ".b32 or .b64 or .b128"]],
]);

/** Types of atom.cas; others are "unexpected instruction types". */
export const CAS_TYPES: ReadonlySet<string> = new Set(["b16", "b32", "b64", "b128"]);
