/**
 * Every knob that has a reader changes a decision: the machine words of some kernel are others with it than without. A knob
 * that gets a reader needs a line here.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CompileOptions,
  compile,
  lower,
  ori,
  parse,
  runPhases,
  type TargetName,
  unwrap,
} from "../../lib/index.js";
import { knobs, readKnobs } from "../../lib/knobs/index.js";
import { optionsOf } from "../../lib/knobs/registry.js";
import { unrollLoops } from "../../lib/phases/unroll.js";
import { unrollLimits } from "../../lib/phases/unroll-cost.js";
import { policyNamed, scheduleFunc, settingsOfKnobs } from "../../lib/sched/index.js";
import { corpusProofs } from "./corpus";
import { kernels } from "./kernels";
import { type Proof, smallProofs } from "./proofs";
import { small } from "./small";

const corpus = join(__dirname, "../corpus");
const sources: Readonly<Record<string, () => string>> = {
  gemm_wgmma: () => readFileSync(join(corpus, "matrix/gemm_wgmma.sm_90a.ptx"), "latin1"),
  relu_f16: () => readFileSync(join(corpus, "triton-style/relu_f16.ptx"), "latin1"),
  nbody128: () => kernel("nbody").replace(/^(\s*)\{\s*$/m, ".maxntid 128, 1, 1\n{"),
};
function kernel(name: string): string {
  return (
    small[name] ?? kernels[name] ?? sources[name]?.() ?? readFileSync(join(corpus, `ptx/sm_90/${name}.ptx`), "latin1")
  );
}

const made = new Map<string, string>();
/** The machine words, or the texts of the functions after a phase. */
function madeOf(name: string, after: Proof["after"], options: Partial<CompileOptions>): string {
  const key = JSON.stringify([name, after, options]);
  const known = made.get(key);
  if (known !== undefined) return known;
  const texts: string[] = [];
  const target = (/^\.target (sm_\w+)/m.exec(small[name] ?? "")?.[1] ?? "sm_90") as TargetName;
  const c = compile(kernel(name), {
    target: name === "gemm_wgmma" ? "sm_90a" : target,
    ...options,
    ...(after !== undefined && {
      observe: (e) => void (e.kind === "after" && e.phase === after && texts.push(e.text())),
    }),
  });
  if (!c.ok) throw new Error(c.diagnostics[0]?.message);
  const words = c.functions.map((f) => (f.code === null ? "" : Array.from(f.code.words).join())).join();
  made.set(key, after === undefined ? words : texts.join("\n"));
  return made.get(key) as string;
}

/** The rest: kernels of the corpus, and pairs of products (kernels.ts). */
const proofs: Readonly<Record<string, Proof>> = {
  ...smallProofs,
  RegAllocPerfDiffBackoff: { kernel: "sgemm", value: 0, limit: 20, both: { RegAllocPerfDiffBackoffBegin: 0 } },
  RegAllocPerfDiffBackoffEnd: { kernel: "sgemm", value: 0, limit: 20, both: { RegAllocPerfDiffBackoffBegin: 0 } },
  RegAllocUserSmemBytesPerCTA: { kernel: "nbody128", value: 65536 },
  SchedReadSbDmmaLatency: { kernel: "dmma", value: 30 },
  SchedReduceRegBudget: { kernel: "dmma", value: 0 },
  SchedResBusyDMMA: { kernel: "dmma", value: 16 },
  SchedResBusyFP16: { kernel: "relu_f16", value: 16 },
  SchedResBusyGMMA: { kernel: "gemm_wgmma", value: 1 },
  SchedResBusyHMMA1688: { kernel: "hmma1688", value: 1 },
  SchedResBusyIMMA: { kernel: "imma", value: 1 },
  SchedSyncsLatency: { kernel: "sgemm", value: 0 },
};

test.each(Object.entries(proofs))("%s", (name, { kernel: k, value, after, limit, both = {} }) => {
  const options = limit === undefined ? {} : { maxRegisters: limit };
  const set = madeOf(k, after, { ...options, knobs: { ...both, [name]: value } });
  // Compared here, so that a failure does not print both.
  expect(set === madeOf(k, after, { ...options, knobs: both })).toBe(false);
});

const chain = Array.from({ length: 6 }, () => "IADD3 R20, R20, 0x1, RZ");
const fetches = [8, 10].map((r) => `TEX.LL RZ, R${r}, R${r + 6}, R${r + 20}, UR4, 0x0, 2D, 0x1`);

/** Two products and a chain that the pipe's busy time lets come between them. */
function products(name: string): readonly string[] {
  const scaled = name.includes(".SF");
  const one = (d: number): string => `${name} R${d}, R24, R28, R${d}${scaled ? ", R30, R31, URZ" : ""}`;
  return [one(8), one(12), ...chain.map(() => "IMAD R20, R20, R20, R20"), "IMAD R16, R8, R12, R12"];
}

/** Instructions that PTX does not reach yet: the order that the scheduler chooses. */
const orders: Readonly<Record<string, readonly [value: number, code: readonly string[]]>> = {
  // What the fetch gives is wanted once, the sum at the end of a chain: which of the two comes first?
  SchedTexLatency: [1, [...chain, "TEX.LL RZ, R8, R14, R2, UR4, 0x0, 2D, 0x1", "IADD3 R9, R8, 0x1, RZ"]],
  // The second fetch may wait while the chain goes on.
  SchedTex2TexIssueRate: [60, [...fetches, ...chain]],
  SchedResBusyQMMA: [60, products("QMMA.16832.F32.E4M3.E4M3")],
  SchedResBusyOMMA: [60, products("OMMA.SF.16864.F32.E2M1.E2M1.E8")],
  SchedResBusyMXQMMA: [60, products("QMMA.SF.16832.F32.E4M3.E4M3.E8")],
  SchedSyncsPhasechkLatency: [
    300,
    [...chain, ...chain, ...chain, "SYNCS.PHASECHK.TRANS64 P0, [UR4], R2", "SEL R9, R14, R15, P0"],
  ],
};

test.each(Object.entries(orders))("%s", (name, [value, code]) => {
  const orderWith = (settings: Record<string, number>): number[] => {
    const text = [
      `func "f" entry ${code.some((l) => /[QO]MMA/.test(l)) ? "sm_120a" : "sm_90"} physical allocated`,
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

/** What the unroller decides about loops of several blocks, where no region stands in the way. */
const unrolling: Readonly<Record<string, string>> = {
  UnrollMultiBlockLoops: "branchy",
  LoopUnrollUnknownMultiBlock: "branchyUnknown",
  LoopUnrollNonInnermost: "inner",
};

test.each(Object.entries(unrolling))("%s", (name, k) => {
  const program = unwrap(lower(unwrap(parse(small[k] as string)), { target: "sm_80" }));
  const decided = (limits: object): unknown => {
    const func = ori.snapshot(program.funcs[0]!);
    unwrap(runPhases(func, { stopBefore: "OriLoopUnrolling" }));
    for (const b of func.blocks) b.insts = b.insts.filter((i) => i.form.op !== "BSSY" && i.form.op !== "BSYNC");
    func.generation++;
    return unrollLoops(func, { ...unrollLimits, ...limits });
  };
  expect(decided(optionsOf("unroll", unwrap(readKnobs({ [name]: 0 }))))).not.toEqual(decided({}));
});

test("DUMPIR: the texts of the functions after the named phases; an unknown name is told", () => {
  const of = (value: string) => compile(small.many as string, { target: "sm_80", knobs: { DUMPIR: value } });
  const { dumps } = of("generaloptimize+AllocateRegisters");
  expect(dumps.map((d) => [d.function, d.phase])).toEqual([
    ["k", "GeneralOptimize"],
    ["k", "AllocateRegisters"],
  ]);
  expect(dumps[0]!.text).toContain("FFMA");
  expect(of("GeneralOptimise").diagnostics[0]!.message).toMatch(/^DUMPIR: unknown phase 'GeneralOptimise'/);
});

test("DisableSmemSizePerCTACheck: static shared memory beyond what a kernel gets without a linker", () => {
  const ptx = (small.floats as string)
    .replace("s[1024]", "s[100000]")
    .replace("ld.param.u64 %b", "mov.u64 %b, s; ld.param.u64 %b");
  const of = (knobs: Readonly<Record<string, number>>) => compile(ptx, { target: "sm_80", knobs });
  expect(of({}).diagnostics[0]!.message).toContain("uses too much shared data");
  expect(of({ DisableSmemSizePerCTACheck: 1 }).ok).toBe(true);
});

/** Proved by tests of their own, above. */
const others = ["DUMPIR", "DisableSmemSizePerCTACheck"];

test("every knob with a reader is proved here, and no other", () => {
  const read = knobs.filter((k) => k.readBy !== null).map((k) => k.name);
  expect([...Object.keys(proofs), ...Object.keys(orders), ...Object.keys(unrolling), ...others].sort()).toEqual(
    read.sort(),
  );
});

test.each(Object.entries(corpusProofs))("%s, on kernels of the corpus", (name, { value, kernels: names }) => {
  const knob = { [name]: value };
  expect(names.some((k) => madeOf(k, undefined, { knobs: knob }) !== madeOf(k, undefined, {}))).toBe(true);
});
