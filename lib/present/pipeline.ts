/**
 * What the page of a compilation shows (`view.pipeline`): every moment that changed a function is written down, while it is compiled (`ptxlab view`) or by
 * running its phases once more from the function as it was lowered, with the options that it was compiled with.
 */
import { analysis, type Cfg, regionsOf } from "../analysis/index.js";
import type { Compilation, CompiledFunction } from "../compile.js";
import { disassemble } from "../disassemble.js";
import { readCubin } from "../elf/index.js";
import { registerName } from "../isa/text.js";
import { printInst, snapshot } from "../ori/index.js";
import { File, type Func } from "../ori/types.js";
import { Metrics, type PhaseOptions, type PhaseRow, phaseRow, runPhases } from "../phases/index.js";
import { ruleTexts } from "../rules/index.js";
import { type Code, controlText } from "../sass/index.js";
import { type BlockGraph, type FuncLatency, funcLatency, latencyModel } from "../sched/index.js";
import { sourceLines } from "../source-lines.js";
import type {
  PipelineBlock,
  PipelineData,
  PipelineDecision,
  PipelineDependences,
  PipelineFigures,
  PipelineFunction,
  PipelineMoment,
  PipelineOptions,
  PipelineSass,
  PipelineSource,
} from "../view/index.js";
import type { PtxOrigin } from "./compilation.js";
import { Decisions } from "./decisions.js";
import { dependencesOf } from "./dependences.js";

/** Threads per block where the kernel does not say. */
export const DEFAULT_THREADS = 256;

/** Threads of a block: as the kernel demands, else what it allows, else 256. */
export function threadsOf({ limits }: Func): number {
  const size = limits.reqntid ?? limits.maxntid;
  return size === null ? DEFAULT_THREADS : Math.max(1, size[0] * size[1] * size[2]);
}

/** The figures of a function as it stands. */
export function figuresOf(func: Func, threads: number = threadsOf(func)): PipelineFigures {
  return figures(new Metrics(func), funcLatency(func), threads);
}

/** Throws RangeError on a name in `functions` that the compilation does not have, and on one in `why` that is no rule with a text. */
export function pipelineData(
  c: Compilation,
  options: PipelineOptions = {},
  origin?: PtxOrigin,
  recorder: PipelineRecorder = new PipelineRecorder(options),
): PipelineData {
  const missing = options.functions?.find((name) => !c.functions.some((f) => f.name === name));
  if (missing !== undefined) throw new RangeError(`the compilation has no function ${missing}`);
  if (typeof options.why === "object") {
    const rules = ruleTexts();
    const unknown = options.why.find((name) => !rules.has(name));
    if (unknown !== undefined) throw new RangeError(`there is no rule '${unknown}' that is a text`);
  }
  const functions = c.functions.filter((f) => options.functions?.includes(f.name) ?? true);
  const cuda = options.cuda ?? (origin && { name: "CUDA", text: origin.text });
  const sources: PipelineSource[] = [{ kind: "ptx", name: c.file, lines: c.text.split("\n") }];
  if (cuda !== undefined) sources.unshift({ kind: "cuda", name: cuda.name, lines: cuda.text.split("\n") });
  const level = functions.find((f) => f.phaseOptions !== null)?.phaseOptions?.level;
  const size = c.cubin === null ? "no cubin" : `cubin of ${c.cubin.length} bytes`;
  return {
    title: functions.length === 1 ? (functions[0]?.name ?? c.file) : c.file,
    subtitle: `ptxlab, ${c.target.name}${level === undefined ? "" : `, -O${level}`}, ${size}`,
    sources,
    cudaLines:
      origin !== undefined
        ? origin.places.map((p) => p?.line ?? 0)
        : cuda === undefined
          ? []
          : linesOfCuda(c, cuda.name),
    functions: functions.map((f) => functionData(f, c, options, recorder)),
  };
}

/** What was written down of a function while its phases ran. */
interface Recorded {
  readonly threads: number;
  readonly moments: readonly PipelineMoment[];
  readonly decisions: Decisions;
  /** Milliseconds by phase. */
  readonly times: ReadonlyMap<string, number>;
}

/** Writes down what the page shows of the phases: while a function is compiled (`watch` of `compileWatched`), or else when they are run once more. */
export class PipelineRecorder {
  private readonly recorded = new Map<string, Recorded>();

  constructor(private readonly options: PipelineOptions) {}

  /** Observers beside those of the options. */
  readonly watch = (func: Func, given: PhaseOptions): PhaseOptions => {
    const { functions, why = false } = this.options;
    if (functions?.includes(func.name) === false) return given;
    const threads = threadsOf(func);
    const moments = [momentOf(func, null, threads, [])];
    const decisions = new Decisions(func, why);
    const times = new Map<string, number>();
    this.recorded.set(func.name, { threads, moments, decisions, times });
    const watched = decisions.options(given);
    let began = 0;
    return {
      ...watched,
      onAllocation: (result) => {
        given.onAllocation?.(result);
        watched.onAllocation?.(result);
      },
      observe: (e) => {
        given.observe?.(e);
        if (e.kind === "after") {
          times.set(e.phase, performance.now() - began);
          const made = decisions.take();
          if (e.changed) moments.push(momentOf(e.func, phaseRow(e.phase) ?? null, threads, made));
        } else began = performance.now();
      },
    };
  };

  /** What is known of a function; where its phases were not watched they run once more, with the options that it was compiled with. */
  of(f: CompiledFunction): Recorded {
    const known = this.recorded.get(f.name);
    if (known !== undefined) return known;
    const func = snapshot(f.lowered);
    const options = this.watch(func, f.phaseOptions ?? {});
    if (f.phaseOptions !== null) runPhases(func, { ...options, verify: false });
    return this.recorded.get(f.name) as Recorded;
  }
}

function functionData(
  f: CompiledFunction,
  c: Compilation,
  options: PipelineOptions,
  recorder: PipelineRecorder,
): PipelineFunction {
  const { threads, moments, decisions, times } = recorder.of(f);
  return {
    name: f.name,
    kind: f.kind,
    threads,
    mostWarps: c.target.limits.maxWarpsPerSm,
    moments,
    phases: f.phases.map(({ phase, ran, why, edits }) => {
      const milliseconds = options.times === true ? (times.get(phase) ?? null) : null;
      return { phase, ran, why, edits, milliseconds };
    }),
    allocation: decisions.allocation(),
    sass: f.code === null || c.cubin === null || f.func === null ? null : sassOf(c.cubin, f.code, f.func),
  };
}

function figures(m: Metrics, latency: FuncLatency, threads: number): PipelineFigures {
  return {
    instructions: m.instructions,
    blocks: m.blocks,
    liveR: m.maxLive.R,
    registers: m.registers,
    warps: m.occupancy(threads).warpsPerSm,
    cycles: Math.round(latency.cycles),
    spills: m.spillStores + m.spillLoads,
  };
}

function momentOf(
  func: Func,
  row: PhaseRow | null,
  threads: number,
  decisions: readonly PipelineDecision[],
): PipelineMoment {
  const model = latencyModel(func.target);
  const dependences = new Map<number, PipelineDependences>();
  const onGraph = (graph: BlockGraph): void => void dependences.set(graph.block, dependencesOf(graph, model));
  const latency = funcLatency(func, { model, onGraph });
  return {
    phase: row?.name ?? "lowered",
    index: row?.index ?? -1,
    category: row?.category ?? "lowering",
    does: row?.does ?? "as it comes from lowering, before any phase",
    blocks: blocksOf(func, latency, dependences),
    figures: figures(new Metrics(func), latency, threads),
    decisions,
  };
}

function blocksOf(
  func: Func,
  latency: FuncLatency,
  dependences: ReadonlyMap<number, PipelineDependences>,
): PipelineBlock[] {
  const [cfg, { loops, innermost }] = [analysis(func, "cfg"), analysis(func, "loops")];
  const [frequencies, live] = [analysis(func, "frequencies"), analysis(func, "pressureOnEdges")];
  const cycles = new Map(latency.blocks.map((b) => [b.block, b.cycles]));
  const regions = regionNames(func, cfg);
  let at = 0;
  return func.blocks.map((block, b) => {
    const around: number[] = [];
    for (let l = innermost[b] as number; l >= 0; l = loops[l]?.parent ?? -1)
      around.unshift(func.blocks[loops[l]?.header ?? 0]?.id ?? 0);
    return {
      id: block.id,
      label: block.label,
      succs: block.succs.map((s) => s.id),
      frequency: frequencies[b] as number,
      loops: around,
      regions: [...(regions[b] ?? [])],
      cycles: Math.round(cycles.get(block.id) ?? 0),
      insts: block.insts.map((inst) => {
        const i = at++;
        return {
          id: inst.id,
          origin: inst.origin,
          line: inst.loc?.line ?? 0,
          text: printInst(func, inst),
          live: [live.R.at[i] as number, live.UR.at[i] as number, live.P.at[i] as number] as const,
        };
      }),
      dependences: dependences.get(block.id) ?? null,
    };
  });
}

/** Of each block (layout index) the convergence regions it is part of. */
function regionNames(func: Func, cfg: Cfg): (Set<string> | undefined)[] {
  const names: (Set<string> | undefined)[] = [];
  for (const { barrier, blocks } of regionsOf(func, cfg)) {
    const name = registerName(File.B, barrier);
    for (const b of blocks) names[b] = (names[b] ?? new Set()).add(name);
  }
  return names;
}

/** The code as it stands in the cubin, without the padding that ends it; what stands in the function's blocks keeps its id. */
function sassOf(bytes: Uint8Array, code: Code, func: Func): PipelineSass[] | null {
  const cubin = readCubin(bytes);
  const listed = cubin.ok ? disassemble(cubin.value).find((f) => f.name === code.name) : undefined;
  if (listed === undefined) return null;
  const insts = func.blocks.flatMap((b) => b.insts);
  const first = (code.labels.get(func.blocks[0]?.id ?? 0) ?? 0) / 16;
  return listed.instructions.slice(0, code.insts.length).map((row, k) => ({
    address: row.offset,
    label: listed.labels.get(row.offset) ?? "",
    text: row.text,
    control: row.control === null ? "" : controlText(row.control),
    id: insts[k - first]?.id ?? -1,
    line: code.locs[k]?.line ?? 0,
  }));
}

/** Lines of the CUDA source by line of the PTX: as its `.loc` say, in the file of that name (or the first one). */
function linesOfCuda(c: Compilation, name: string): number[] {
  if (c.module === null) return [];
  const { files, places } = sourceLines(c.module, c.text);
  const base = (path: string): string => path.replace(/^.*[\\/]/, "");
  const named = files.findIndex((f) => base(f.path) === base(name));
  const file = Math.max(0, named) + 1;
  let offset = 0;
  let p = 0;
  return c.text.split("\n").map((line) => {
    const end = offset + line.length;
    while (p < places.length && (places[p]?.start ?? 0) <= end) p++;
    offset = end + 1;
    let position = places[p - 1]?.position ?? null;
    // What was inlined from another file stands for the line that calls it.
    while (position !== null && position.file !== file) position = position.inlined?.caller ?? null;
    return position?.line ?? 0;
  });
}
