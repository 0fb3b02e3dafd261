/**
 * What the page of a compilation is made of: plain data, told by instruction identity. An instruction keeps its id through
 * all phases; what is made of another names that one as its origin.
 */

/** A text that the code came from; lines count from 1. */
export interface PipelineSource {
  /** Language of the text. */
  readonly kind: "cuda" | "ptx";
  /** Name of the file. */
  readonly name: string;
  /** Its lines, without their ends. */
  readonly lines: readonly string[];
}

/** Why two instructions of a block are ordered: one reads or writes what the other writes or reads, both touch memory, or order itself. */
export type PipelineDependenceKind = "RAW" | "WAR" | "WAW" | "memory" | "order";

/**
 * The dependence graph of a block as it stands. Nodes are the places of its instructions, from 0; from the count of the instructions on they are joins,
 * which stand for "all of these" and take no time.
 */
export interface PipelineDependences {
  /** From, to, the least cycles between the issue of the two, and why; each goes from an earlier instruction to a later one. */
  readonly edges: readonly (readonly [from: number, to: number, cycles: number, kind: PipelineDependenceKind])[];
  /** Earliest issue cycle of each instruction by the longest path to it. */
  readonly earliest: readonly number[];
  /** Longest path in cycles from the issue of each instruction to the block's last result that is waited for. */
  readonly ahead: readonly number[];
  /** Cycle in which each instruction issues in the order as it stands, one warp alone. */
  readonly issue: readonly number[];
  /** Places of the instructions on a longest path, first to last. */
  readonly critical: readonly number[];
}

/** A block at one moment. */
export interface PipelineBlock {
  /** Id of the block. */
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
  /** Its instructions in order. */
  readonly insts: readonly PipelineInst[];
  /** What its instructions wait for; null where it has none. */
  readonly dependences: PipelineDependences | null;
}

/** Who decided: a rewrite of the optimizer, a rule that did not apply, the scheduler, the allocator, the control pass. */
export type PipelineDecider = "rewrite" | "refusal" | "scheduler" | "allocator" | "control";

/** What a phase decided at one instruction, and why. */
export interface PipelineDecision {
  /** Id of the instruction, −1 where it is not of one. */
  readonly inst: number;
  /** Who decided. */
  readonly by: PipelineDecider;
  /** What was decided: `rule NAME`, `%R4 gets R7`, `stall of 4 cycles`. */
  readonly what: string;
  /** Why: the rung of the ladder, what the register costs, who waits for whom; "" where there is no more to say. */
  readonly why: string;
  /** Ids of other instructions that it names. */
  readonly others: readonly number[];
}

/** Where one value lives, and in which register. Instruction i of the list reads at point 2i and writes at 2i + 1. */
export interface PipelineInterval {
  /** The virtual register as the IR's text has it. */
  readonly value: string;
  /** The PTX register it stands for, "" for none. */
  readonly name: string;
  /** Its first physical register. */
  readonly register: number;
  /** Registers that it takes. */
  readonly width: number;
  /** Bound to its register, made by the spiller, or neither. */
  readonly kind: "bound" | "spill code" | "";
  /** Why it has that register. */
  readonly why: string;
  /** Of each of its registers first and last program point of the stretches at which it is live: from, to, from, to …, ascending. */
  readonly points: readonly (readonly number[])[];
}

/** A register file as the allocator left it. */
export interface PipelineRegisterFile {
  /** R, UR, P, UP or B. */
  readonly file: string;
  /** Ids of the instructions that count the program points, in layout order. */
  readonly insts: readonly number[];
  /** Its values in the order of their first point. */
  readonly intervals: readonly PipelineInterval[];
}

/** A value that found no register. */
export interface PipelineSpill {
  /** The virtual register as the IR's text has it. */
  readonly value: string;
  /** The PTX register it stands for, "" for none. */
  readonly name: string;
  /** Where it went: `[R1+0x8]`, or the register of another file. */
  readonly home: string;
  /** Why it was this one. */
  readonly why: string;
}

/** What the allocator decided about a function. */
export interface PipelineAllocation {
  /** Register files with values, R first. */
  readonly files: readonly PipelineRegisterFile[];
  /** What went to memory or to another file. */
  readonly spills: readonly PipelineSpill[];
}

/** An instruction at one moment. */
export interface PipelineInst {
  /** Id of the instruction; what became of it keeps it. */
  readonly id: number;
  /** The instruction it was made from, −1 when it came from lowering. */
  readonly origin: number;
  /** Line of the PTX, 0 when there is none. */
  readonly line: number;
  /** The instruction as text. */
  readonly text: string;
  /** Live registers at it, by file: R, UR, P. */
  readonly live: readonly [number, number, number];
}

/** Figures of a function at one moment. */
export interface PipelineFigures {
  /** Instructions of the function. */
  readonly instructions: number;
  /** Its basic blocks. */
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
  /** Phase after which it was taken. */
  readonly phase: string;
  /** Position in the table of phases, −1 for the function as lowered. */
  readonly index: number;
  /** What the phase is about. */
  readonly category: string;
  /** What the phase is for. */
  readonly does: string;
  /** The blocks in layout order. */
  readonly blocks: readonly PipelineBlock[];
  /** Figures of the function at that moment. */
  readonly figures: PipelineFigures;
  /** What the phase decided, in the order in which it did. */
  readonly decisions: readonly PipelineDecision[];
}

/** A phase that was passed, whether or not it ran. */
export interface PipelinePhase {
  /** Name of the phase. */
  readonly phase: string;
  /** It ran. */
  readonly ran: boolean;
  /** Why it did not run. */
  readonly why: string;
  /** Edits that it made. */
  readonly edits: number;
  /** Milliseconds that it took; null where that was not measured. */
  readonly milliseconds: number | null;
}

/** One machine instruction. */
export interface PipelineSass {
  /** Byte offset. */
  readonly address: number;
  /** "" for none. */
  readonly label: string;
  /** The instruction as nvdisasm prints it. */
  readonly text: string;
  /** Control word in words. */
  readonly control: string;
  /** Instruction of the last moment, −1 for what the encoder added or what belongs to a called function. */
  readonly id: number;
  /** Line of the PTX that it comes from, from 1; 0 for none. */
  readonly line: number;
}

/** A function through its phases. */
export interface PipelineFunction {
  /** Name of its symbol. */
  readonly name: string;
  /** A kernel, or a function that others call. */
  readonly kind: "entry" | "func";
  /** Threads per block that occupancy is told for, and warps that an SM can hold. */
  readonly threads: number;
  /** Warps that an SM can hold. */
  readonly mostWarps: number;
  /** The function after each phase that changed it. */
  readonly moments: readonly PipelineMoment[];
  /** All phases, with those that changed nothing. */
  readonly phases: readonly PipelinePhase[];
  /** Null where no registers were allocated. */
  readonly allocation: PipelineAllocation | null;
  /** Null where no code was made. */
  readonly sass: readonly PipelineSass[] | null;
}

/** All that a page of phases shows. */
export interface PipelineData {
  /** Title of the page. */
  readonly title: string;
  /** One line on how it came about. */
  readonly subtitle: string;
  /** Texts that the code comes from: PTX, and CUDA C++ where there is some. */
  readonly sources: readonly PipelineSource[];
  /** Line of the CUDA source by line of the PTX (index 0: line 1), 0 where there is none. */
  readonly cudaLines: readonly number[];
  /** The functions in the order of the source. */
  readonly functions: readonly PipelineFunction[];
}

/** Method of a value that tells what its page is made of. */
export const pipelineSymbol: unique symbol = Symbol.for("ptxlab.pipeline") as never;

/** What a page of phases is given. */
export interface PipelineOptions {
  /** Names of the functions to show; all by default. */
  readonly functions?: readonly string[];
  /**
   * Rules that are asked, after each phase that applies rules, why they do not apply where their root stands: `true` for all, or names
   * (`ruleTexts`). Costs time and space. Default: none.
   */
  readonly why?: boolean | readonly string[];
  /** Measure what each phase takes: the page is then another one each time. Default false. */
  readonly times?: boolean;
  /** The CUDA C++ that the PTX was made of; its lines are found by the PTX's `.loc`. */
  readonly cuda?: {
    /** Name of the file. */
    readonly name: string;
    /** The CUDA C++. */
    readonly text: string;
  };
}

/** A value that tells what its page is made of, as a compilation does. */
export interface PipelineTeller {
  /** What a page of its phases shows. */
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
