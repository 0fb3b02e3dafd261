/**
 * Every knob that has a reader changes a decision: the machine words of some kernel are others with it than without. A knob
 * that gets a reader needs a line here.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CompileOptions, compile, ori, unwrap } from "../../lib/index.js";
import { knobs, readKnobs } from "../../lib/knobs/index.js";
import { optionsOf } from "../../lib/knobs/registry.js";
import { policyNamed, scheduleFunc, settingsOfKnobs } from "../../lib/sched/index.js";
import { kernels } from "./kernels";

const corpus = join(__dirname, "../corpus");
const sources: Readonly<Record<string, () => string>> = {
  gemm_mma: () => readFileSync(join(corpus, "matrix/gemm_mma.sm_90.ptx"), "latin1"),
  gemm_wgmma: () => readFileSync(join(corpus, "matrix/gemm_wgmma.sm_90a.ptx"), "latin1"),
  relu_f16: () => readFileSync(join(corpus, "triton-style/relu_f16.ptx"), "latin1"),
  nbody128: () => kernel("nbody").replace(/^(\s*)\{\s*$/m, ".maxntid 128, 1, 1\n{"),
};
function kernel(name: string): string {
  return kernels[name] ?? sources[name]?.() ?? readFileSync(join(corpus, `ptx/sm_90/${name}.ptx`), "latin1");
}

const words = new Map<string, string>();
function wordsOf(name: string, options: Partial<CompileOptions>): string {
  const key = JSON.stringify([name, options]);
  const known = words.get(key);
  if (known !== undefined) return known;
  const c = compile(kernel(name), { target: name === "gemm_wgmma" ? "sm_90a" : "sm_90", ...options });
  if (!c.ok) throw new Error(c.diagnostics[0]?.message);
  const made = c.functions.map((f) => (f.code === null ? "" : Array.from(f.code.words).join())).join();
  words.set(key, made);
  return made;
}

interface Proof {
  readonly kernel: string;
  readonly value: string | number;
  /** `-maxrregcount`, where registers have to be scarce. */
  readonly limit?: number;
  /** Other knobs that are set in both. */
  readonly both?: Readonly<Record<string, string | number>>;
}

const proofs: Readonly<Record<string, Proof>> = {
  DisablePhases: { kernel: "sgemm", value: "SinkCodeIntoBlock" },
  NamedPhases: { kernel: "sgemm", value: "OriPerformLiveDeadFirst" },
  PostSchedBudget: { kernel: "constant_memory", value: 0 },
  PostSchedForceReverseOrder: { kernel: "bitonic", value: 1 },
  PreserveSchedOrder: { kernel: "bitonic", value: 1 },
  RegAllocAvoidBankConflictMac: { kernel: "dgemm", value: 0 },
  RegAllocAvoidBankConflictMacPenalty: { kernel: "dgemm", value: 0 },
  RegAllocCoalesceBudget: { kernel: "mix64", value: 0 },
  RegAllocCoalescing: { kernel: "mix64", value: 0 },
  RegAllocEstimatedLoopIterations: { kernel: "dgemm", value: "1", limit: 24 },
  RegAllocNumNonSpillTrials: { kernel: "nbody", value: 0, limit: 24 },
  RegAllocPerfDiffBackoff: { kernel: "nbody", value: 0, limit: 24 },
  RegAllocPerfDiffBackoffBegin: { kernel: "nbody", value: 0, limit: 24, both: { RegAllocPerfDiffBackoff: 0 } },
  RegAllocPerfDiffBackoffEnd: { kernel: "nbody", value: 0, limit: 24 },
  RegAllocSortRegs: { kernel: "bitonic", value: 1 },
  RegAllocSpillLatencyScale: { kernel: "dgemm", value: 100, limit: 24 },
  RegAllocSpillMemResScale: { kernel: "dgemm", value: 0, limit: 24 },
  RegAllocThresholdForDiscardConflicts: { kernel: "bitonic", value: -1 },
  RegAllocUserSmemBytesPerCTA: { kernel: "nbody128", value: 65536 },
  SchedCountLoadsPerTex: { kernel: "local_array", value: 16 },
  SchedCrossBlock: { kernel: "bitonic", value: 0 },
  SchedDisableAll: { kernel: "bitonic", value: 1 },
  SchedDynBatchBudget: { kernel: "constant_memory", value: 0 },
  SchedForceReverseOrder: { kernel: "bitonic", value: 1 },
  SchedLDSLatency: { kernel: "dynamic_shared", value: 1 },
  SchedMaxMemDep: { kernel: "struct_param", value: 1 },
  SchedMaxRLiveCarefulSlack: { kernel: "bitonic", value: 40 },
  SchedMaxRLiveOKslack: { kernel: "bitonic", value: 40 },
  SchedMaxRLiveOKslackColdBlocks: { kernel: "nbody", value: 30 },
  SchedMaxRTarget: { kernel: "bitonic", value: 1 },
  SchedMemNoAlias: { kernel: "bitonic", value: 1 },
  SchedReadAvailTarget: { kernel: "constant_memory", value: 8 },
  SchedReadLatency: { kernel: "bitonic", value: 1 },
  SchedReadSBBaseLatency: { kernel: "constant_memory", value: 1 },
  SchedReadSBBaseUseLSULat: { kernel: "constant_memory", value: 1 },
  SchedReadSbDmmaLatency: { kernel: "dmma", value: 1 },
  SchedReadSbLdgstsLatency: { kernel: "gemm_mma", value: 1 },
  SchedReduceRegBudget: { kernel: "gemm_mma", value: 0 },
  SchedResBusyADU: { kernel: "gemm_mma", value: 2 },
  SchedResBusyALU: { kernel: "gemm_mma", value: 1 },
  SchedResBusyCBU: { kernel: "mix64", value: 8 },
  SchedResBusyDMMA: { kernel: "dmma", value: 1 },
  SchedResBusyFMA: { kernel: "gemm_mma", value: 1 },
  SchedResBusyFP16: { kernel: "relu_f16", value: 16 },
  SchedResBusyFP64: { kernel: "nbody", value: 8 },
  SchedResBusyGMMA: { kernel: "gemm_wgmma", value: 1 },
  SchedResBusyHMMA16816: { kernel: "gemm_mma", value: 1 },
  SchedResBusyHMMA1688: { kernel: "hmma1688", value: 1 },
  SchedResBusyIMMA: { kernel: "imma", value: 1 },
  SchedResBusyLSU: { kernel: "gemm_mma", value: 1 },
  SchedResBusyMachineOpcode: { kernel: "gemm_mma", value: "IADD3,20" },
  SchedResBusyOp: { kernel: "gemm_mma", value: "IADD3,20" },
  SchedResBusyUDP: { kernel: "nbody", value: 4 },
  SchedResBusyXU64: { kernel: "mix64", value: 4 },
  SchedSyncsLatency: { kernel: "barrier", value: 1 },
  SchedTexBatchTargetSelectSchedulerTarget: { kernel: "relu_f16", value: 1 },
  SchedXU64Latency: { kernel: "relu_f16", value: 1 },
};

test.each(Object.entries(proofs))("%s", (name, { kernel: k, value, limit, both = {} }) => {
  const options = limit === undefined ? {} : { maxRegisters: limit };
  const set = wordsOf(k, { ...options, knobs: { ...both, [name]: value } });
  expect(set).not.toBe(wordsOf(k, { ...options, knobs: both }));
});

const chain = Array.from({ length: 6 }, () => "IADD3 R20, R20, 0x1, RZ");
const fetches = [8, 10].map((r) => `TEX.LL RZ, R${r}, R${r + 6}, R${r + 20}, UR4, 0x0, 2D, 0x1`);

/** Instructions that PTX does not reach yet: the order that the scheduler chooses. */
const orders: Readonly<Record<string, readonly [value: number, code: readonly string[]]>> = {
  // What the fetch gives is wanted once, the sum at the end of a chain: which of the two comes first?
  SchedTexLatency: [1, [...chain, "TEX.LL RZ, R8, R14, R2, UR4, 0x0, 2D, 0x1", "IADD3 R9, R8, 0x1, RZ"]],
  // The second fetch may wait while the chain goes on.
  SchedTex2TexIssueRate: [60, [...fetches, ...chain]],
  SchedSyncsPhasechkLatency: [
    300,
    [...chain, ...chain, ...chain, "SYNCS.PHASECHK.TRANS64 P0, [UR4], R2", "SEL R9, R14, R15, P0"],
  ],
};

test.each(Object.entries(orders))("%s", (name, [value, code]) => {
  const orderWith = (settings: Record<string, number>): number[] => {
    const text = [
      'func "f" entry sm_90 physical allocated',
      "b0 freq 1 <- ->",
      ...code.map((line, i) => `  ${line} ; ${i}`),
    ];
    const func = unwrap(ori.parseFunc(`${text.join("\n")}\n`));
    const { options } = settingsOfKnobs(optionsOf("sched", unwrap(readKnobs(settings))));
    scheduleFunc(func, policyNamed("critical-path")!, options);
    return func.blocks[0]!.insts.map((i) => i.id);
  };
  expect(orderWith({ [name]: value })).not.toEqual(orderWith({}));
});

test("every knob with a reader is proved here, and no other", () => {
  const read = knobs.filter((k) => k.readBy !== null).map((k) => k.name);
  expect([...Object.keys(proofs), ...Object.keys(orders)].sort()).toEqual(read.sort());
});

test("a compilation says which knobs were read, by whom, with which value", () => {
  const c = compile(kernel("saxpy"), { target: "sm_90", knobs: { SchedLDSLatency: "0x20", regallocsortregs: 1 } });
  expect(c.knobs).toEqual([
    { knob: "SchedLDSLatency", number: 757, value: 32, room: "sched", option: "ldsLatency" },
    { knob: "RegAllocSortRegs", number: 657, value: 1, room: "regalloc", option: "order" },
  ]);
});
