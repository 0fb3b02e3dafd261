/**
 * What the page of a compilation is made of: plain data, told by instruction identity. An instruction keeps its id through
 * all phases; what is made of another names that one as its origin.
 */

/** A text that the code came from; lines count from 1. */
export interface PipelineSource {
  readonly kind: "cuda" | "ptx";
  readonly name: string;
  readonly lines: readonly string[];
}

/** A block at one moment. */
export interface PipelineBlock {
  readonly id: number;
  /** Name of the PTX label, "" when there is none. */
  readonly label: string;
  /** Ids of the blocks that follow. */
  readonly succs: readonly number[];
  /** Estimated executions per run of the function. */
  readonly frequency: number;
  /** Ids of the headers of the loops around it, outermost first. */
  readonly loops: readonly number[];
  /** Convergence regions (`B0` …) that are open in it or that it opens. */
  readonly regions: readonly string[];
  /** Cycles of one warp by the issue model. */
  readonly cycles: number;
  readonly insts: readonly PipelineInst[];
}

export interface PipelineInst {
  readonly id: number;
  /** The instruction it was made from, −1 when it came from lowering. */
  readonly origin: number;
  /** Line of the PTX, 0 when there is none. */
  readonly line: number;
  readonly text: string;
  /** Live registers at it, by file: R, UR, P. */
  readonly live: readonly [number, number, number];
}

/** Figures of a function at one moment. */
export interface PipelineFigures {
  readonly instructions: number;
  readonly blocks: number;
  /** Highest number of registers of file R that are live at once. */
  readonly liveR: number;
  /** Registers per thread: the most live ones before allocation, those allocated after it. */
  readonly registers: number;
  /** Warps per SM that these registers leave room for. */
  readonly warps: number;
  /** Cycles of one warp by the issue model, loops taken to make ten trips. */
  readonly cycles: number;
  /** Bytes of spill code. */
  readonly spills: number;
}

/** The function as lowered, or after a phase that changed it. */
export interface PipelineMoment {
  readonly phase: string;
  /** Position in the table of phases, −1 for the function as lowered. */
  readonly index: number;
  readonly category: string;
  /** What the phase is for. */
  readonly does: string;
  readonly blocks: readonly PipelineBlock[];
  readonly figures: PipelineFigures;
}

/** A phase that was passed, whether or not it ran. */
export interface PipelinePhase {
  readonly phase: string;
  readonly ran: boolean;
  /** Why it did not run. */
  readonly why: string;
  readonly edits: number;
}

/** One machine instruction. */
export interface PipelineSass {
  /** Byte offset. */
  readonly address: number;
  /** "" for none. */
  readonly label: string;
  readonly text: string;
  /** Control word in words. */
  readonly control: string;
  /** Instruction of the last moment, −1 for what the encoder added or what belongs to a called function. */
  readonly id: number;
  readonly line: number;
}

export interface PipelineFunction {
  readonly name: string;
  readonly kind: "entry" | "func";
  /** Threads per block that occupancy is told for, and warps that an SM can hold. */
  readonly threads: number;
  readonly mostWarps: number;
  readonly moments: readonly PipelineMoment[];
  readonly phases: readonly PipelinePhase[];
  /** Null where no code was made. */
  readonly sass: readonly PipelineSass[] | null;
}

export interface PipelineData {
  readonly title: string;
  /** One line on how it came about. */
  readonly subtitle: string;
  readonly sources: readonly PipelineSource[];
  /** Line of the CUDA source by line of the PTX (index 0: line 1), 0 where there is none. */
  readonly cudaLines: readonly number[];
  readonly functions: readonly PipelineFunction[];
}

/** Method of a value that tells what its page is made of. */
export const pipelineSymbol: unique symbol = Symbol.for("ptxlab.pipeline") as never;

export interface PipelineOptions {
  /** Names of the functions to show; all by default. */
  readonly functions?: readonly string[];
  /** The CUDA C++ that the PTX was made of; its lines are found by the PTX's `.loc`. */
  readonly cuda?: { readonly name: string; readonly text: string };
}

/** A value that tells what its page is made of, as a compilation does. */
export interface PipelineTeller {
  [pipelineSymbol]?(options: PipelineOptions): Promise<PipelineData>;
}

/** What a compilation, or data of one's own, tell. Throws TypeError for anything else. */
export async function pipelineData(from: object, options: PipelineOptions = {}): Promise<PipelineData> {
  const told = await (from as PipelineTeller)[pipelineSymbol]?.(options);
  if (told !== undefined) return told;
  if (!("functions" in from) || !("sources" in from))
    throw new TypeError("what is shown phase by phase is a compilation");
  return from as PipelineData;
}
