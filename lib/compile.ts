/**
 * The whole road, PTX text to cubin: the only place that knows the order of the stages. Each stage is a public function
 * of its own; this one calls them in turn, keeps every intermediate result, and lets no failing kernel stop the others.
 */
import { forgetAnalyses } from "./analysis/index.js";
import {
  type Compilation,
  type CompiledFunction,
  type CompileOptions,
  type Dump,
  described,
  type FinishedCompilation,
  functionLine,
  outcome,
  type Stage,
  summary,
} from "./compilation.js";
import { type Diagnostic, diagnostic, isFailure } from "./diagnostics.js";
import type { SourceLines } from "./elf/cubin/debug.js";
import { knownAddresses, sharedAlignments } from "./elf/cubin/place.js";
import { link } from "./elf/index.js";
import { InternalError } from "./errors.js";
import { answers, shownAs, showsBelow } from "./inspect.js";
import { type KnobValues, optionsOf, readKnobs } from "./knobs/index.js";
import { KnobLog, readingsText, readingsTitle } from "./knobs/reads.js";
import { lower } from "./lower/index.js";
import { joinRoutines, reaching, snapshot, stackDepth } from "./ori/index.js";
import type { Block, Func, Program } from "./ori/types.js";
import {
  dumpIr,
  type PhaseEvent,
  type PhaseName,
  type PhaseOptions,
  type PhaseRecord,
  parsePhaseList,
  phaseNames,
  phaseStatistics,
  runPhases,
  settleAddresses,
} from "./phases/index.js";
import { analyze, check, type Module, parse } from "./ptx/index.js";
import { type AllocationResult, type RegisterLimit, registerLimit } from "./regalloc/index.js";
import type { Result } from "./result.js";
import type { Code } from "./sass/code.js";
import { type EncodeOptions, encodeFunc } from "./sass/index.js";
import { assignOfKnobs, policyOptions, settingsOfKnobs } from "./sched/index.js";
import { sourceLines, strayLocs } from "./source-lines.js";
import { type Target, target as targetOf } from "./target/index.js";
import type { PipelineOptions } from "./view/pipeline/data.js";

export type * from "./compilation.js";
export { summary } from "./compilation.js";

/**
 * Compiles a PTX module. Never throws for bad input; see `diagnostics`. Throws RangeError on an unknown target name. The
 * result shows itself in notebooks and by console.log as `summary` tells it.
 */
export function compile(text: string, options: CompileOptions): Compilation {
  return new Run(text, options).result();
}

/** Puts its own observers into the options with which the phases of a function run. */
export type WatchPhases = (func: Func, options: PhaseOptions) => PhaseOptions;

/** As `compile`; `watch` is asked before the phases of each function and must not change what they do. */
export function compileWatched(text: string, options: CompileOptions, watch: WatchPhases): Compilation {
  return new Run(text, options, null, watch).result();
}

/**
 * Finishes a compilation anew from snapshots of its functions, by name, with other phase options: what stands before them is not done
 * again. Functions without a snapshot start as they were lowered. The snapshots are used up.
 */
export function compileFrom(
  earlier: FinishedCompilation,
  starts: ReadonlyMap<string, Func>,
  options: CompileOptions,
): Compilation {
  return new Run(earlier.text, options, { earlier, starts }).result();
}

/** Where a run goes on. */
interface Resumed {
  readonly earlier: FinishedCompilation;
  readonly starts: ReadonlyMap<string, Func>;
}

class Run {
  private readonly text: string;
  private readonly options: CompileOptions;
  private readonly target: Target;
  private readonly file: string;
  private readonly diagnostics: Diagnostic[] = [];
  private readonly internalErrors: InternalError[] = [];
  private readonly times: Record<Stage, number> = { parse: 0, check: 0, lower: 0, phases: 0, encode: 0, link: 0 };
  private knobs: KnobValues = {};
  private log = new KnobLog({});
  private readonly dumps: Dump[] = [];
  private dumped: readonly string[] = [];
  private module: Module | null = null;
  private program: Program | null = null;
  private functions: CompiledFunction[] = [];
  private cubin: Uint8Array | null = null;

  constructor(
    text: string,
    options: CompileOptions,
    private readonly resumed: Resumed | null = null,
    private readonly watch: WatchPhases = (_, given) => given,
  ) {
    this.text = text;
    this.options = options;
    this.target = targetOf(options.target);
    this.file = options.file ?? "<text>";
  }

  result(): Compilation {
    this.guarded("", () => this.stages());
    const { target, text, file, diagnostics, times, internalErrors, module, program, functions, cubin } = this;
    const state = { target, text, file, diagnostics, knobs: [], dumps: this.dumps, times, internalErrors };
    const finished = functions.filter((f) => f.ok);
    const compilation: Compilation =
      cubin !== null && module !== null && program !== null
        ? { ok: true, ...state, module, program, functions: finished, cubin }
        : { ok: false, ...state, module, program, functions, cubin: null };
    const shown = shownAs(
      this.options.lean === true ? compilation : withReadings(compilation, this.log),
      (c) => summary(c, this.file),
      (c) => `[${outcome(c)}]`,
      async (c, text) => (await import("./present/compilation.js")).presentCompilation(c, text),
    );
    showsBelow(shown, async (c) => (await import("./present/cubin.js")).chartsOfCubin(c.cubin));
    return answers(shown, "ptxlab.pipeline", async (c, options: PipelineOptions) =>
      (await import("./present/pipeline.js")).pipelineData(c, options),
    );
  }

  private stages(): void {
    const { opt = 3, relocatable = false } = this.options;
    if (!Number.isInteger(opt)) {
      this.diagnostics.push(diagnostic("error", `opt is a whole number, not ${opt}`));
      return;
    }
    const knobs = readKnobs(this.options.knobs ?? {});
    this.diagnostics.push(...knobs.diagnostics);
    if (!knobs.ok) return;
    this.knobs = knobs.value;
    this.log = new KnobLog(this.knobs);
    this.dumped = this.dumpedPhases();
    if (this.failed()) return;
    const program = this.resumed === null ? this.lowered() : this.lookedUp(this.resumed);
    if (program === null) return;
    this.program = program;
    // What a kernel reaches is asked before phases change the code.
    const reached = this.resumed === null ? reachedBy(program) : reachedAgain(program, this.resumed.earlier);
    for (const func of program.funcs) {
      const alignments = sharedAlignments(program, func, relocatable);
      if (alignments.size > 0) func.alignments = alignments;
      if (!relocatable && opt > 0) settleAddresses(func, knownAddresses(program, func));
    }
    const records = program.funcs.map((func) => this.function(func, callersOf(func, reached)));
    for (const r of records) this.guarded(r.name, () => this.encode(r, program, reached));
    this.functions = records.map((r) => compiled(r, relocatable));
    if (this.failed()) return;
    this.finish(program);
  }

  /** The functions of an earlier compilation at the places where they go on. */
  private lookedUp({ earlier, starts }: Resumed): Program {
    this.module = earlier.module;
    const funcs = earlier.functions.map((f) => starts.get(f.name) ?? snapshot(f.lowered));
    return { ...earlier.program, funcs };
  }

  /** From the text to functions before any phase; null: refused. */
  private lowered(): Program | null {
    const { target, file } = this;
    const { relocatable = false, entries } = this.options;
    const parsed = this.timed("parse", () => parse(this.text, { file }));
    if (!parsed.ok) {
      // Semantic findings before the first syntax error come first, as ptxas prints them.
      this.diagnostics.push(...analyze(this.text, { target: target.name, file }).diagnostics);
      return null;
    }
    this.module = parsed.value;
    const module = parsed.value;
    this.diagnostics.push(...parsed.diagnostics);
    this.diagnostics.push(...this.timed("check", () => check(module, { target: target.name, file, relocatable })));
    const stray = strayLocs(module);
    if (stray !== null) this.diagnostics.push(stray);
    if (this.failed() || this.unknownEntries(module)) return null;
    return this.take("lower", () =>
      lower(module, {
        target,
        relocatable,
        contracts: this.options.fmad ?? true,
        remarks: this.options.opt !== 0,
        ...(entries && { entries }),
        errorBarriers: this.log.asked("lower", { noErrorBarriers: false }).noErrorBarriers !== true,
      }),
    );
  }

  /** In ptxas's words (measured). */
  private unknownEntries(module: Module): boolean {
    const known = module.items.flatMap((i) => (i.kind === "function" && i.entry ? [i.name] : []));
    for (const name of this.options.entries ?? []) {
      if (known.includes(name)) continue;
      this.diagnostics.push(diagnostic("fatal", `Unknown function ${name}`));
    }
    return this.failed();
  }

  private finish(program: Program): void {
    const { relocatable = false, lineInfo, commandLine, maxRegisters, opt = 3 } = this.options;
    const codes = this.functions.map((f) => f.code).filter((c) => c !== null);
    this.cubin = this.take("link", () =>
      link(codes, program, {
        relocatable,
        commandLine: commandLine ?? `-O ${opt} -arch ${this.target.name} ${relocatable ? "-c  " : ""}`,
        ...(maxRegisters !== undefined && { maxRegisters }),
        ...virtualSm(this.module),
        ...this.source(lineInfo),
        level: levelOf(opt),
        ...(this.log.asked("link", { anySharedSize: false }).anySharedSize === true && { anySharedSize: true }),
      }),
    );
  }

  private source(wanted: boolean | undefined): { source?: SourceLines } {
    if (this.module === null || wanted === false) return {};
    const source = sourceLines(this.module, this.text);
    return wanted === true || source.places.some((p) => p.position !== null) ? { source } : {};
  }

  /** The phases of one function; a failure is reported and leaves the rest of the record empty. `callers`: kernels that reach it. */
  private function(func: Func, callers: readonly Func[]): Progress {
    const record: Progress = {
      name: func.name,
      kind: func.kind,
      lowered: this.options.lean === true ? func : snapshot(func),
      phaseOptions: null,
      func: null,
      phases: [],
      allocation: null,
      code: null,
    };
    this.guarded(func.name, () => {
      const options = this.phaseOptions(func, callers, record);
      const { observe, onAllocation, onKnob, ...rest } = options;
      record.phaseOptions = rest;
      const ran = this.take("phases", () => runPhases(func, this.watch(func, options)));
      forgetAnalyses(func);
      if (ran === null) return;
      record.func = ran.func;
      record.phases = ran.records;
    });
    return record;
  }

  /** Words of a function; in an executable those of a kernel with all that it calls, and none of the called ones by themselves. */
  private encode(record: Progress, program: Program, reached: ReadonlyMap<Func, readonly Func[]>): void {
    const { func } = record;
    if (func === null) return;
    const routines = reached.get(func) ?? [];
    if (routines.some((r) => r.virtual)) return;
    if (this.options.relocatable === true || (func.kind === "entry" && routines.length === 0)) {
      record.code = this.timed("encode", () => encodeFunc(func, this.encoding()));
      return;
    }
    if (func.kind !== "entry") return;
    record.code = this.timed("encode", () => {
      const kernels = program.funcs.filter((f) => f.kind === "entry").length;
      const joined = joinRoutines(func, routines, program.taken ?? [], kernels > 1);
      return encodeFunc(joined.func, {
        ...this.encoding(),
        routines: routines.map((r) => ({ func: r, start: joined.starts.get(r.name) as Block })),
        stackBytes: stackDepth(func, routines, program.taken ?? []),
      });
    });
  }

  /** The phases that DUMPIR names, with + or , between them; unknown ones are reported. */
  private dumpedPhases(): readonly string[] {
    const { dumps } = this.log.asked("report", { dumps: "" });
    if (typeof dumps !== "string" || dumps === "") return [];
    const requests = parsePhaseList(dumps.replaceAll(",", "+"), "DUMPIR", this.diagnostics);
    return requests.map((r) => phaseNames[r.index] as string);
  }

  private encoding(): EncodeOptions {
    return this.log.asked("encode", { noPadding: false }).noPadding === true ? { padded: false } : {};
  }

  /** Observers: the user's, and the one that DUMPIR asks for. */
  private observer(func: Func): ((event: PhaseEvent) => void) | undefined {
    const { observe } = this.options;
    if (this.dumped.length === 0) return observe;
    const dump = dumpIr(this.dumped, (phase, text) => this.dumps.push({ function: func.name, phase, text }));
    return (event) => {
      dump(event);
      observe?.(event);
    };
  }

  private phaseOptions(
    func: Func,
    callers: readonly Func[],
    record: { allocation: AllocationResult | null },
  ): PhaseOptions {
    const { maxRegisters, overrideDirectives, opt, phases, allocation, lean } = this.options;
    const observe = this.observer(func);
    const byKnobs = settingsOfKnobs(optionsOf("sched", this.knobs));
    const limitOf = (f: Func): RegisterLimit =>
      registerLimit(f.name, this.target, f.limits, {
        ...(maxRegisters !== undefined && { maxrregcount: maxRegisters }),
        ...(overrideDirectives !== undefined && { overrideDirectives }),
      });
    const limit = limitOf(func);
    if (func.kind === "entry") this.diagnostics.push(...limit.diagnostics);
    // A function takes registers of the kernel that calls it.
    const registers = Math.min(limit.registers, ...callers.map((f) => limitOf(f).registers));
    return {
      ...this.log.asked("phases", ofManager),
      ...phases,
      parameters: { ...optionsOf("optimizer", this.knobs), ...phases?.parameters },
      unroll: { ...optionsOf("unroll", this.knobs), ...phases?.unroll },
      assign: { ...assignOfKnobs(optionsOf("control", this.knobs)), ...phases?.assign },
      schedule: {
        ...byKnobs,
        ...phases?.schedule,
        options: { ...byKnobs.options, ...phases?.schedule?.options },
      },
      level: levelOf(opt),
      verify: this.options.verify ?? false,
      allocation: {
        ...allocation,
        knobs: { ...optionsOf("regalloc", this.knobs), ...allocation?.knobs },
        maxRegisters: registers,
      },
      onAllocation: (result) => {
        record.allocation = result;
      },
      ...(lean !== true && {
        onKnob: (component, option, value, otherwise, phase) => {
          if (!replaced(component, option, phase, phases)) this.log.note(phase, component, option, value, otherwise);
        },
      }),
      ...(observe && { observe }),
    };
  }

  private take<T>(stage: Stage, body: () => Result<T>): T | null {
    const result = this.timed(stage, body);
    this.diagnostics.push(...result.diagnostics);
    return result.ok ? result.value : null;
  }

  private timed<T>(stage: Stage, body: () => T): T {
    const start = performance.now();
    try {
      return body();
    } finally {
      this.times[stage] += performance.now() - start;
    }
  }

  /** Our own mistakes end the function they happen in, as a diagnostic that asks for a report. */
  private guarded(func: string, body: () => void): void {
    try {
      body();
    } catch (cause) {
      const error =
        cause instanceof InternalError
          ? cause
          : new InternalError(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause), {
              ...(func && { func }),
              ...(cause instanceof Error && cause.stack && { detail: cause.stack }),
            });
      this.internalErrors.push(error);
      this.diagnostics.push(diagnostic("fatal", `Internal error: ${error.message.split("\n")[0]}`));
    }
  }

  private failed(): boolean {
    return this.diagnostics.some(isFailure);
  }
}

/** The compilation, whose `knobs` are made when they are first asked for. */
function withReadings(c: Compilation, log: KnobLog): Compilation {
  let readings: Compilation["knobs"] | null = null;
  const get = (): Compilation["knobs"] => {
    readings ??= shownAs(
      [...log.readings()],
      readingsText,
      (r) => `[${readingsTitle(r)}]`,
      async (r, text) => (await import("./present/knobs.js")).presentReadings(r, text),
    );
    return readings;
  };
  return Object.defineProperty(c, "knobs", { enumerable: true, configurable: true, get });
}

/** What the manager of the phases does when no knob says otherwise. */
const ofManager = {
  disablePhases: "",
  namedPhases: "",
  phaseBudget: Number.POSITIVE_INFINITY,
  levelBudget: Number.POSITIVE_INFINITY,
};

/** Whether a policy of the caller decides in place of the one that the option would choose. */
function replaced(component: string, option: string, phase: PhaseName, phases: CompileOptions["phases"]): boolean {
  if (component === "control") return phases?.assign?.policy?.branch !== undefined;
  const half = phase === "PostSchedule" ? "post" : "pre";
  return component === "sched" && option in policyOptions[half] && phases?.schedule?.[half] !== undefined;
}

/** A function on its way. */
interface Progress {
  readonly name: string;
  readonly kind: "entry" | "func";
  readonly lowered: Func;
  phaseOptions: PhaseOptions | null;
  func: Func | null;
  phases: readonly PhaseRecord[];
  allocation: AllocationResult | null;
  code: Code | null;
}

/** What became of a function. */
function compiled(record: Progress, relocatable: boolean): CompiledFunction {
  const brief = (r: readonly PhaseRecord[]): string => `[${r.length} phases, ${r.filter((p) => p.ran).length} ran]`;
  const phases = shownAs([...record.phases], (r) => phaseStatistics(r).trimEnd(), brief);
  return shownAs(outcomeOf({ ...record, phases }, relocatable), described, (f) => `[${functionLine(f)}]`);
}

function outcomeOf(record: Progress, relocatable: boolean): CompiledFunction {
  const { kind, func, code, phaseOptions, ...rest } = record;
  if (func !== null && phaseOptions !== null) {
    if (kind === "entry" && code !== null) return { ok: true, kind, ...rest, phaseOptions, func, code };
    if (kind === "func" && (code !== null || !relocatable))
      return { ok: true, kind, ...rest, phaseOptions, func, code };
  }
  return { ok: false, kind, ...rest, phaseOptions, func, code: null };
}

function reachedBy(program: Program): ReadonlyMap<Func, readonly Func[]> {
  const reached = reaching(program.funcs, program.taken ?? [], program.kept);
  return new Map(program.funcs.map((f) => [f, reached(f)]));
}

/** The same of functions that phases have changed, by what they were before. */
function reachedAgain(program: Program, earlier: FinishedCompilation): ReadonlyMap<Func, readonly Func[]> {
  const before = reachedBy({ ...program, funcs: earlier.functions.map((f) => f.lowered) });
  const now = new Map(program.funcs.map((f) => [f.name, f]));
  const named = (f: Func): Func => now.get(f.name) ?? f;
  return new Map([...before].map(([f, list]) => [named(f), list.map(named)]));
}

/** Kernels that reach a function. */
function callersOf(func: Func, reached: ReadonlyMap<Func, readonly Func[]>): Func[] {
  if (func.kind === "entry") return [];
  return [...reached].flatMap(([f, all]) => (f.kind === "entry" && all.includes(func) ? [f] : []));
}

/** The level that `-O N` means. */
function levelOf(opt = 3): 0 | 1 | 2 | 3 {
  return opt === 0 || opt === 1 || opt === 2 ? opt : 3;
}

/** The number in the module's `.target sm_90a`. */
function virtualSm(module: Module | null): { virtualSm?: number } {
  const number = module?.target?.names.map((n) => /^sm_(\d+)/.exec(n)?.[1]).find((n) => n !== undefined);
  return number === undefined ? {} : { virtualSm: Number(number) };
}
