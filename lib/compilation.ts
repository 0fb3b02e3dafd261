/**
 * What a compilation is asked for and what it gives: options, functions and compilations, finished or not, and how they are told in a line.
 */
import { type Diagnostic, excerpt, isFailure, renderDiagnostic } from "./diagnostics.js";
import type { InternalError } from "./errors.js";
import { counted } from "./inspect.js";
import type { KnobReading } from "./knobs/index.js";
import { readingsInBrief } from "./knobs/reads.js";
import type { Func, Program } from "./ori/types.js";
import type { PhaseEvent, PhaseName, PhaseOptions, PhaseRecord } from "./phases/index.js";
import type { Module } from "./ptx/index.js";
import type { AllocationOptions, AllocationResult } from "./regalloc/index.js";
import type { Code } from "./sass/code.js";
import { listing } from "./sass/index.js";
import type { Target, TargetName } from "./target/index.js";

/** How PTX is compiled. */
export interface CompileOptions {
  /** The SM to compile for: `sm_90`. */
  readonly target: TargetName;
  /**
   * Optimization level: 0, 1, 2 or 3; 3 is the same as 2. Any other whole number counts as 3 (measured: ptxas -O4 gives the code
   * of -O3, -O-1 code that differs from it in 22 lines of nbody's 297). Default 3, as ptxas.
   */
  readonly opt?: number;
  /** Name of the input in messages. Default "<text>". */
  readonly file?: string;
  /** `-maxrregcount`. */
  readonly maxRegisters?: number;
  /** `-override-directive-values`. */
  readonly overrideDirectives?: boolean;
  /** `-c`: a relocatable object for nvlink. */
  readonly relocatable?: boolean;
  /** `-fmad`: from -O1 on, products and sums without rounding modifier are rounded once. Default true. */
  readonly fmad?: boolean;
  /** `-lineinfo`: lines of the PTX text, and of the source that its `.loc` name, in the cubin; default: if there are `.loc`, as ptxas. */
  readonly lineInfo?: boolean;
  /** Command line recorded in the cubin; default: what ptxas would record for these options. */
  readonly commandLine?: string;
  /** Names of the entries to compile; all by default. One that the module does not have is an error. */
  readonly entries?: readonly string[];
  /** Which phases run, hooks, other bodies, how control words are chosen. */
  readonly phases?: Omit<
    PhaseOptions,
    "level" | "verify" | "observe" | "allocation" | "onAllocation" | "from" | "to" | "stopBefore"
  >;
  /** Policies, knobs and ceilings of the register allocator. */
  readonly allocation?: Omit<AllocationOptions, "maxRegisters">;
  /** Knobs by name, as text or values; unknown ones and those that nothing reads are errors. `allocation` and `phases` win. */
  readonly knobs?: Readonly<Record<string, string | number | boolean>>;
  /** Called before and after each phase of each function; costs nothing when absent. */
  readonly observe?: (event: PhaseEvent) => void;
  /** Keep no copy of the functions as lowered: `lowered` is then what `func` is, and `knobs` is empty. For callers who want the cubin alone. Default false. */
  readonly lean?: boolean;
  /** Run the IR verifier after every phase and the allocation checker; findings throw inside and end that kernel. Default false. */
  readonly verify?: boolean;
}

/** The stages of a compilation, in order. */
export type Stage = "parse" | "check" | "lower" | "phases" | "encode" | "link";

/** One function on its way, with every intermediate result that was reached. */
interface FunctionInAnyState {
  /** Name of its symbol. */
  readonly name: string;
  /** As lowered: virtual registers, before any phase. */
  readonly lowered: Func;
  /** What became of each phase. */
  readonly phases: readonly PhaseRecord[];
}

interface FinishedInAnyWay extends FunctionInAnyState {
  readonly ok: true;
  /** What the phases were run with: `runPhases(snapshot, phaseOptions)` goes on from any snapshot to the same code. */
  readonly phaseOptions: PhaseOptions;
  /** After the phases: physical registers, control words. */
  readonly func: Func;
  /** null where a body of the caller allocated. */
  readonly allocation: AllocationResult | null;
}

/** A kernel that became code. */
export interface FinishedEntry extends FinishedInAnyWay {
  readonly kind: "entry";
  /** Machine code with its resources. */
  readonly code: Code;
}

/** A function that became code. */
export interface FinishedRoutine extends FinishedInAnyWay {
  readonly kind: "func";
  /** null in an executable: the code is part of that of the kernels that call it. */
  readonly code: Code | null;
}

/** A function that went through all stages. */
export type FinishedFunction = FinishedEntry | FinishedRoutine;

/** A function that a phase or the encoder refused, or one that calls such a one; what was reached is there. */
export interface UnfinishedFunction extends FunctionInAnyState {
  readonly ok: false;
  /** A kernel, or a function that others call. */
  readonly kind: "entry" | "func";
  /** Options of its phases; null where it did not come so far. */
  readonly phaseOptions: PhaseOptions | null;
  /** The IR as far as it came; null where lowering refused it. */
  readonly func: Func | null;
  /** What the allocator decided; null where it did not come so far. */
  readonly allocation: AllocationResult | null;
  /** There is none. */
  readonly code: null;
}

/** A function of a compilation, finished or not. */
export type CompiledFunction = FinishedFunction | UnfinishedFunction;

/** A function as it was after a phase. */
export interface Dump {
  /** Name of the function's symbol. */
  readonly function: string;
  /** After which phase it was. */
  readonly phase: PhaseName;
  /** Its IR as the printer writes it. */
  readonly text: string;
}

interface CompilationInAnyState {
  /** The SM that is compiled for. */
  readonly target: Target;
  /** The PTX that was compiled, and its name in messages. */
  readonly text: string;
  /** Name of the source in messages. */
  readonly file: string;
  /** Everything to tell the user, in the order found. */
  readonly diagnostics: readonly Diagnostic[];
  /** Knobs that were read: by which phases and stages, with which value, set or default; and those that were set and not read. */
  readonly knobs: readonly KnobReading[];
  /** Texts of the functions after the phases that the knob DUMPIR names. */
  readonly dumps: readonly Dump[];
  /** Milliseconds per stage, summed over the functions. */
  readonly times: Readonly<Record<Stage, number>>;
  /** Mistakes of ptxlab itself; each also stands among the diagnostics. */
  readonly internalErrors: readonly InternalError[];
}

/** A cubin was made. */
export interface FinishedCompilation extends CompilationInAnyState {
  readonly ok: true;
  /** The typed tree of the PTX. */
  readonly module: Module;
  /** The module after lowering. */
  readonly program: Program;
  /** Functions in source order. */
  readonly functions: readonly FinishedFunction[];
  /** The file that the driver loads. */
  readonly cubin: Uint8Array;
}

/** No cubin was made: `diagnostics` says why; what was reached is there. */
export interface FailedCompilation extends CompilationInAnyState {
  readonly ok: false;
  /** The typed tree of the PTX; null where the text does not parse. */
  readonly module: Module | null;
  /** The module after lowering; null where it did not come so far. */
  readonly program: Program | null;
  /** Functions in source order, also when one of them failed. */
  readonly functions: readonly CompiledFunction[];
  /** There is none. */
  readonly cubin: null;
}

/** `ok` tells which of the two it is. */
export type Compilation = FinishedCompilation | FailedCompilation;

/** The outcome in a line. */
export function outcome(c: Compilation): string {
  const made = c.cubin === null ? "no cubin" : `cubin of ${c.cubin.length} bytes`;
  const total = Object.values(c.times).reduce((a, b) => a + b, 0);
  return `Compilation for ${c.target.name}: ${made}, ${total.toFixed(1)} ms`;
}

/** What a function takes, in a line. */
export function functionLine(f: CompiledFunction): string {
  if (f.code === null) return `${f.kind} ${f.name}: ${f.ok ? "part of the code of its callers" : "no code"}`;
  const { insts, registers, frameBytes, spillStores, spillLoads } = f.code;
  const shared = f.func?.sharedBytes ?? 0;
  return (
    `${f.kind} ${f.name}: ${counted(insts.length, "instruction")}, ${counted(registers, "register")}, ${shared} bytes shared memory, ` +
    `${frameBytes} bytes stack frame, ${spillStores} bytes spill stores, ${spillLoads} bytes spill loads`
  );
}

/** The same with its listing, where there is code. */
export function described(f: CompiledFunction): string {
  return f.code === null ? functionLine(f) : `${functionLine(f)}\n${listing(f.code)}`;
}

/** What became of a compilation: the outcome, what each function takes, the diagnostics, where it failed with their lines and a caret. `file` names the input. */
export function summary(c: Compilation, file = "<text>"): string {
  return [
    outcome(c),
    ...c.functions.map((f) => `  ${functionLine(f)}`),
    ...readingsInBrief(c.knobs).map((line) => `  ${line}`),
    ...c.diagnostics.flatMap((d) => [renderDiagnostic(d, file), ...(isFailure(d) ? excerpt(d, c.text) : [])]),
  ].join("\n");
}
