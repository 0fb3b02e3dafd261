/**
 * What is true of each SM. Sources: limits measured on ptxas 13.0.88 (messages of ptxas, public limits of shared
 * memory); constant-bank offsets and features measured on ptxas 13.0.88 output (test/oracle/target.test.ts).
 */
import type { ConstantBank, Feature, LaunchCell, Limits, TargetName } from "./types.js";

/** SM numbers of ptxas 13.0.88 in ascending order. */
export const sms = [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121] as const;
export type Sm = (typeof sms)[number];

/** The 23 names that `-arch` takes. */
export const targetNames: readonly TargetName[] = [
  "sm_75",
  "sm_80",
  "sm_86",
  "sm_87",
  "sm_88",
  "sm_89",
  "sm_90",
  "sm_90a",
  "sm_100",
  "sm_100a",
  "sm_100f",
  "sm_103",
  "sm_103a",
  "sm_103f",
  "sm_110",
  "sm_110a",
  "sm_110f",
  "sm_120",
  "sm_120a",
  "sm_120f",
  "sm_121",
  "sm_121a",
  "sm_121f",
];

/** SMs whose machine code is that of another in every test made (facts/README.md: 87 and 88 decode as 86). */
export const isaOf: Readonly<Record<Sm, number>> = {
  75: 75,
  80: 80,
  86: 86,
  87: 86,
  88: 86,
  89: 89,
  90: 90,
  100: 100,
  103: 103,
  110: 110,
  120: 120,
  121: 121,
};

interface Row {
  readonly threads: number;
  readonly ctas: number;
  /** KiB per SM and per CTA with opt-in. */
  readonly shared: number;
  readonly sharedCta: number;
}

const rows: Readonly<Record<Sm, Row>> = {
  75: { threads: 1024, ctas: 16, shared: 64, sharedCta: 64 },
  80: { threads: 2048, ctas: 32, shared: 164, sharedCta: 163 },
  86: { threads: 1536, ctas: 16, shared: 100, sharedCta: 99 },
  87: { threads: 1536, ctas: 16, shared: 164, sharedCta: 163 },
  88: { threads: 1536, ctas: 16, shared: 100, sharedCta: 99 },
  89: { threads: 1536, ctas: 24, shared: 100, sharedCta: 99 },
  90: { threads: 2048, ctas: 32, shared: 228, sharedCta: 227 },
  100: { threads: 2048, ctas: 32, shared: 228, sharedCta: 227 },
  103: { threads: 2048, ctas: 32, shared: 228, sharedCta: 227 },
  110: { threads: 1536, ctas: 24, shared: 228, sharedCta: 227 },
  120: { threads: 1536, ctas: 24, shared: 100, sharedCta: 99 },
  121: { threads: 1536, ctas: 24, shared: 100, sharedCta: 99 },
};

export function limitsOf(sm: Sm): Limits {
  const row = rows[sm];
  return {
    registersPerSm: 65536,
    maxRegistersPerThread: 255,
    uniformRegisters: features.wideUniformFile.on.includes(sm) ? 255 : 63,
    registerAllocationUnit: 256,
    maxThreadsPerSm: row.threads,
    maxCtasPerSm: row.ctas,
    maxThreadsPerCta: 1024,
    warpSize: 32,
    maxWarpsPerSm: row.threads / 32,
    schedulersPerSm: 4,
    sharedPerSm: row.shared * 1024,
    sharedPerCta: row.sharedCta * 1024,
    staticSharedLimit: 0xc000,
    reservedShared: sm >= 80 ? 1024 : 0,
    reservedSharedOffset: sm >= 90 ? 1024 : 0,
    sharedAllocationUnit: sm >= 80 ? 128 : 256,
  };
}

/** %envreg FROM … TO, four bytes apart. */
function environment(from: number, to: number, cell: (k: number) => LaunchCell): Record<string, LaunchCell> {
  const count = to - from + 1;
  return Object.fromEntries(Array.from({ length: count }, (_, k) => [`%envreg${from + k}`, cell(4 * k)]));
}

/** The same registers of each dimension. */
function byDimension(name: string, cell: (k: number) => LaunchCell): Record<string, LaunchCell> {
  return Object.fromEntries(["x", "y", "z"].map((d, k) => [`${name}.${d}`, cell(4 * k)]));
}

const turing: ConstantBank = {
  paramBase: 0x160,
  stackPointer: 0x28,
  memoryDescriptor: null,
  ntid: 0x0,
  nctaid: 0xc,
  sharedWindow: 0x18,
  localWindow: 0x20,
  constantWindow: 0x50,
  textureRecords: 0x70,
  samplerRecords: 0x78,
  surfaceRecords: 0x80,
  systemShared: null,
  paramWindow: 0x40,
  paramEnd: 0x114,
  specialRegisters: {
    "%gridid": [0x30],
    "%current_graph_exec": [0x120],
    "%nsmid": 0x10c,
    "%dynamic_smem_size": 0x2c,
    ...environment(0, 31, (k) => 0x88 + k),
  },
  explicitCluster: null,
};
const ampere: ConstantBank = {
  ...turing,
  memoryDescriptor: 0x118,
  systemShared: 0x114,
  specialRegisters: {
    ...turing.specialRegisters,
    "%reserved_smem_offset_end": 0x120,
    "%reserved_smem_offset_1": 0x124,
  },
};
const hopper: ConstantBank = {
  ...turing,
  paramBase: 0x210,
  memoryDescriptor: 0x208,
  constantWindow: 0xd0,
  textureRecords: 0xf0,
  samplerRecords: 0xf8,
  surfaceRecords: 0x100,
  systemShared: 0x114,
  paramWindow: 0x198,
  paramEnd: 0x1a0,
  specialRegisters: {
    "%gridid": [0x30],
    "%current_graph_exec": [0x190],
    "%nsmid": 0x10c,
    "%dynamic_smem_size": 0x2c,
    ...byDimension("%cluster_nctaid", (k) => 0x144 + k),
    ...byDimension("reciprocal", (k) => 0x150 + k),
    ...byDimension("%nclusterid", (k) => 0x15c + k),
    "%cluster_nctarank": 0x188,
    "%reserved_smem_offset_begin": { value: 0 },
    "%reserved_smem_offset_cap": { value: 0x400 },
    "%reserved_smem_offset_0": { value: 0 },
    "%reserved_smem_offset_end": 0x68,
    "%reserved_smem_offset_1": 0x6c,
    "most shared": 0x13c,
    ...environment(0, 31, (k) => 0x40 + k),
  },
  explicitCluster: 0x140,
};
const blackwell: ConstantBank = {
  paramBase: 0x380,
  stackPointer: 0x37c,
  memoryDescriptor: 0x358,
  ntid: 0x360,
  nctaid: 0x370,
  sharedWindow: 0x2f0,
  localWindow: 0x2f8,
  constantWindow: 0x120,
  textureRecords: 0x150,
  samplerRecords: 0x158,
  surfaceRecords: 0x160,
  systemShared: 0x16c,
  paramWindow: 0x348,
  paramEnd: 0x350,
  specialRegisters: {
    "%gridid": [0x140],
    "%current_graph_exec": [0x2e8],
    "%nsmid": 0x2d0,
    ...byDimension("%cluster_nctaid", (k) => ({ byCluster: 0x2a0 + k })),
    "%dynamic_smem_size": { byCluster: 0x2ac },
    ...byDimension("reciprocal", (k) => ({ byCluster: 0x2b0 + k })),
    "most shared": { byCluster: 0x2bc },
    ...byDimension("%nclusterid", (k) => ({ byCluster: 0x2c0 + k })),
    "%cluster_nctarank": { byCluster: 0x2cc },
    "%reserved_smem_offset_begin": { value: 0 },
    "%reserved_smem_offset_cap": { value: 0x400 },
    "%reserved_smem_offset_0": { value: 0x40 },
    "%reserved_smem_offset_end": { byCluster: 0x278 },
    "%reserved_smem_offset_1": { byCluster: 0x27c },
    ...environment(0, 15, (k) => ({ byCluster: 0x250 + k })),
    ...environment(16, 31, (k) => 0xd0 + k),
  },
  explicitCluster: 0x36c,
};

export function constantsOf(sm: Sm): ConstantBank {
  return sm >= 100 ? blackwell : sm >= 90 ? hopper : sm >= 80 ? ampere : turing;
}

/** Where each feature holds. */
export const features: Readonly<Record<Feature, { readonly on: readonly Sm[]; readonly why: string }>> = {
  memoryDescriptor: { on: since(80), why: "LDG/STG/LD/ST carry desc[UR], loaded from bank 0" },
  sleepSaysWarp: { on: sms.filter((sm) => sm < 80), why: "NANOSLEEP.WARP (ptxas 13.0.88, all levels)" },
  wideUniformFile: {
    on: since(100),
    why: "UR fields are 8 bits wide, URZ = 255 instead of 63 (measured on ptxas 13.0.88)",
  },
  constantOperands: {
    on: sms.filter((sm) => sm < 90),
    why: "-O0 code reads constants as ALU operands; from sm_90 on through LDC (measured)",
  },
  unifiedFunctions: { on: since(90), why: "objects name functions by the unified function table (measured)" },
  ldcu: { on: since(100), why: "constants go to uniform registers by LDCU instead of ULDC (measured)" },
  uniformBranch: {
    on: since(100),
    why: "ptxas branches by a uniform predicate (BRA.U UP0); on sm_90 it never does (measured)",
  },
  launchConstantsAt0x360: { on: since(100), why: "ntid, nctaid and the stack pointer moved in bank 0 (measured)" },
  fixedLatencyFp64: { on: [90, 100], why: "DADD, DMUL, DFMA, DSETP need no scoreboard (measured on ptxas 13.0.88)" },
  fixedLatencyMma: {
    on: since(80),
    why: "HMMA and BMMA need no scoreboard (measured: guarded on sm_75 at every level; tools/hazard-instructions.ts)",
  },
  fixedLatencyImma: {
    on: [80, 86, 87, 88, 89, 90, 100, 110, 120, 121],
    why: "IMMA needs no scoreboard (measured: guarded on sm_75 and sm_103 at every level; tools/hazard-instructions.ts)",
  },
  fixedLatencyR2ur: {
    on: since(90),
    why: "R2UR needs no scoreboard at -O0 (measured: guarded on sm_80, 86, 89, not on sm_90, 100, 120; sm_75 never uses it)",
  },
  wideBranchOffset: {
    on: since(90),
    why: "branch offsets as (offset>>2)[7:0] at 23:16 and the rest at 34 (measured on ptxas 13.0.88)",
  },
  rela: {
    on: since(90),
    why: "relocations with explicit addends: REL on sm_75-89, RELA from 90 (measured on ptxas 13.0.88)",
  },
  capmerc: { on: since(100), why: "Capsule Mercury sections beside the text (measured on ptxas 13.0.88)" },
  nopTail: { on: since(80), why: "at least 8 NOPs after the function (measured on ptxas 13.0.88)" },
  clearsBarriers: {
    on: [87],
    why: "functions begin by emptying the convergence barriers (measured; lib/sass/prologue.ts)",
  },
  clusters: { on: since(90), why: "thread block clusters; shared addresses carry the CTA rank in bits 31:24" },
  i2fp: { on: since(86), why: "32-bit integer to f32 by I2FP (measured: sm_80 has I2F, sm_86 I2FP)" },
  vimnmx: {
    on: sms.filter((sm) => sm === 90 || (sm >= 100 && sm !== 110)),
    why: "VIMNMX replaces IMNMX (measured on ptxas 13.0.88)",
  },
  vimnmxTypes: { on: since(120), why: "VIMNMX.S32, plain VIMNMX before (test/oracle/sass-table.test.ts)" },
  f2fp: { on: since(80), why: "f32 to f16 and bf16 by F2FP, to nearest and towards zero (facts/ptx-to-sass, sm_80)" },
  f2fpTypes: { on: since(89), why: "F2FP.F16.F32.PACK_AB, F2FP.PACK_AB before (measured)" },
  warpsyncAll: { on: since(90), why: "WARPSYNC.ALL instead of WARPSYNC 0xffffffff (measured)" },
  globalOperandsInOrder: {
    on: since(90),
    why: "global memory instructions read their operands in the order of issue (ptxas's waits, tools/control-fidelity.ts)",
  },
  barrierDrainsMemory: {
    on: [75],
    why: "stores before a barrier need no scoreboard: it comes back after them (ptxas, tools/control-fidelity.ts)",
  },
  barriersEmptied: {
    on: [75],
    why: "BMOV.32.CLEAR before each BSSY from -O1 on (ptxas 13.0.88; sm_87 has other BMOVs, the rest none)",
  },
  blocksEndDone: {
    on: since(90),
    why: "a block ends with all results of fixed latency there; before, they are carried into the next (tools/control-fidelity.ts)",
  },
  fenceTellsEnd: {
    on: [90, 100, 103, 110],
    why: "MEMBAR of a CTA's scope counts on a scoreboard, and what is written after it waits for that (ptxas 13.0.88 -O3, st.release.cta)",
  },
  guardedWritesRead: {
    on: [75],
    why: "a write under a guard waits for the value that it may leave, like a reader (ptxas's stalls, tools/harvest-latency.ts)",
  },
  scoreboardsKeptApart: {
    on: since(90),
    why: "what crosses a block's end takes another scoreboard than what comes there from elsewhere (ptxas's choice, tools/control-fidelity.ts)",
  },
  branchWaitsForShortResults: {
    on: since(90),
    why: "a branch waits for what should be there by then; before, the blocks after it do first thing (tools/control-fidelity.ts)",
  },
  collective: { on: since(90), why: "WARPSYNC.COLLECTIVE; a common subroutine before (test/oracle/gather.test.ts)" },
  castPredicate: { on: since(100), why: "ATOMS.CAST tells success by a predicate, by a register before (measured)" },
  sharedResultsCopied: {
    on: sms.filter((sm) => sm !== 80 && sm !== 90),
    why: "the loop in shared memory of an atomic on a generic address copies its result (measured)",
  },
  masksTrusted: {
    on: [75],
    why: "no WARPSYNC where lanes are together, whatever its mask; later SMs keep it with a mask in a register (measured)",
  },
  scaledShared: { on: sms.filter((sm) => sm < 90), why: "[R.X4] in shared memory (measured; encodable later, too)" },
  packedF32: { on: [100, 103], why: "FADD2, FMUL2, FFMA2 on pairs of f32 (measured)" },
  viaddmnmx: { on: [90, 100, 103], why: "VIADDMNMX and VIMNMX3 of sums and extrema (measured)" },
  fmaSums: { on: sms.filter((sm) => sm < 120), why: "sums also by the FMA pipe, as IMAD.IADD and IMAD.X (measured)" },
  viadd: { on: [90, 100, 103], why: "sums with a literal also as VIADD (measured)" },
  halfOnFma: { on: [80, 87, 90, 100, 103, 110, 120, 121], why: "HFMA2 for sums and products of f16x2 (measured)" },
  hfma2Mma: { on: [80, 87, 90], why: "which is HFMA2.MMA there (measured)" },
  vabsdiff: { on: sms.filter((sm) => sm < 120), why: "VABSDIFF is in the code of ptxas (measured)" },
  wholePairs: { on: since(120), why: "IADD.64, SEL.64, MOV.64, IMNMX.S64, ISETP.S64 on pairs of registers (measured)" },
  fmnmx3: { on: [100, 103, 110], why: "FMNMX3 (measured)" },
  redux: { on: since(80), why: "REDUX, and redux.sync in PTX" },
  credux: { on: [100, 103], why: "redux.sync.min and .max as CREDUX (measured)" },
  reconvergent: { on: since(100), why: "BSSY and BSYNC as .RECONVERGENT (measured)" },
  asyncCopy: { on: since(80), why: "cp.async as LDGSTS" },
  barrierInitByStore: { on: since(100), why: "mbarrier.init by STS, then the unit's copies are dropped (measured)" },
  bulkCopiesToCluster: {
    on: sms.filter((sm) => sm >= 90 && sm <= 110),
    why: "bulk copies reach other CTAs; on sm_120 ptxas calls a function of the driver for them (measured)",
  },
  uniformStores: {
    on: [100, 103, 110],
    why: "USTGR, UREDGR for st.async and red.async in global memory, plain strong accesses later (measured)",
  },
  sharedFill: { on: since(100), why: "UMEMSETS (measured: st.bulk is of sm_100 and later)" },
  warpgroupProducts: { on: [90], why: "HGMMA and its kin; wgmma is of sm_90a alone (the check sees to the suffix)" },
  mma80: { on: since(80), why: "HMMA and IMMA of depth 16 and more, bf16, tf32 (facts/ptx-to-sass)" },
  mmaHalf884: { on: [75], why: "HMMA.884 in steps; later ptxas calls a routine (measured)" },
  mmaDouble884: { on: [80, 86, 87, 88, 89], why: "DMMA.884, the name of DMMA.8x8x4 before sm_90 (measured)" },
  mmaDouble8x8x4: { on: since(90), why: "DMMA.8x8x4 (measured)" },
  mmaDouble16: { on: [90], why: "DMMA of 16 rows; later ptxas makes them of DMMA.8x8x4 (measured)" },
  mmaInteger8: { on: sms.filter((sm) => sm <= 90), why: "IMMA of 8 rows; later 16 rows, half of them zero (measured)" },
  mmaNibble: { on: sms.filter((sm) => sm <= 89), why: "IMMA of 4-bit and BMMA.XOR of 1-bit factors (measured)" },
  mmaNibble80: { on: sms.filter((sm) => sm >= 80 && sm <= 89), why: "the same on 16 rows (measured)" },
  mmaBitAnd: { on: sms.filter((sm) => sm >= 80 && sm <= 90), why: "BMMA.AND (measured)" },
  mmaByteFloat: { on: [89, 120, 121], why: "QMMA; elsewhere ptxas widens 8-bit floats to f16 (measured)" },
  mmaByteFloatLayouts: { on: [89], why: "QMMA names the layouts of its factors (lib/isa/rows/tensor.ts)" },
  uniformHandles: {
    on: since(90),
    why: "handles of textures and surfaces go to uniform registers; before, constant banks or packed registers (measured)",
  },
  textureLeastLevel: {
    on: [120, 121],
    why: "TEX takes level 0 in a kernel; before, .LL with level −32 says so (measured)",
  },
  mmaOrderedMetadata: {
    on: since(100),
    why: "sparse products of f16 and integers want their metadata in order: ptxas calls a routine that sorts others (measured)",
  },
  mmaSmallFloat: { on: [120, 121], why: "QMMA of 6-bit and 4-bit floats (measured)" },
};

function since(first: number): readonly Sm[] {
  return sms.filter((sm) => sm >= first);
}
