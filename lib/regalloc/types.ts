/** What the allocator takes, tells and returns. All of it is plain data, so that notebooks can plot and replace it. */
import type { OnKnob } from "../knobs/reads.js";
import type { File, Func, Inst } from "../ori/types.js";

/** Per-value facts that policies decide on. */
export interface ValueFacts {
  /** Id of the virtual register. */
  readonly id: number;
  /** Its register file. */
  readonly file: File;
  /** Registers it occupies, and the multiple its first register must be of. */
  readonly width: number;
  /** What its first register must be a multiple of. */
  readonly align: number;
  /** Operands that mention it, weighted by block frequency. */
  readonly uses: number;
  /** Operands that define it, weighted by block frequency. */
  readonly defs: number;
  /** Program points at which at least one of its registers is occupied (two points per instruction). */
  readonly points: number;
  /** First and last program point of its live range. */
  readonly first: number;
  /** Last program point of its live range. */
  readonly last: number;
  /** Made by the spiller: must not be spilled again. */
  readonly temporary: boolean;
  /** First factor of a product of 64 bits: it is placed right after the wide values. */
  readonly factor: boolean;
}

/**
 * One entry of a value's constraint list. `kind` names a row of `constraintKinds` (constraints.ts); hard conflicts are
 * not constraints, they are a bit set per value and never selectable.
 */
export interface Constraint {
  /** What it asks for. */
  readonly kind: ConstraintKind;
  /** Value whose register is meant, or −1 when `slot` says it. */
  readonly target: number;
  /** Physical register or bound, as the kind says; an offset to the target's register when there is a target. */
  readonly slot: number;
  /** What it adds to the cost where it is not met. */
  readonly weight: number;
  /** May be dropped on a retry. */
  readonly soft: boolean;
}

/** Kinds of constraints, rows of `constraintKinds`. */
export type ConstraintKind =
  | "point"
  | "excludeOne"
  | "fixed"
  | "below"
  | "even"
  | "odd"
  | "alignedPair"
  | "phi"
  | "evenParity"
  | "oddParity"
  | "partnerEven"
  | "partnerOdd"
  | "ratherEven"
  | "ratherOdd"
  | "ratherNot"
  | "prefer";

/** What the choice of one register sees. Arrays are indexed by physical register, `slots` long. */
export interface Scan {
  /** The value that a register is looked for. */
  readonly value: ValueFacts;
  /** Physical registers of the file. */
  readonly slots: number;
  /** Highest register number allowed. */
  readonly ceiling: number;
  /** Where the search begins; after the last register it goes on at 0. */
  readonly first: number;
  /** Distance between two registers that are tried: the value's alignment. */
  readonly step: number;
  /** 1 = taken by an interfering value (hard). */
  readonly occupied: Uint8Array;
  /** Costs that decide first, by register. */
  readonly primary: Int32Array;
  /** Costs that decide among equal primary ones. */
  readonly secondary: Int32Array;
  /** Attempts of this round before, from 0. */
  readonly attempt: number;
  /** Slots with a higher primary cost are passed over on the first attempt. */
  readonly threshold: number;
}

/** Why a register was taken. */
export type Why = "fixed" | "zero-cost" | "cheapest" | "none";
/** The register that a value gets. */
export interface Choice {
  /** −1 when no register is free. */
  readonly slot: number;
  /** Why that one. */
  readonly why: Why;
}

/** The decisions a researcher may want to change; each has a default in policies.ts. */
export interface Policies {
  /** Higher is allocated earlier; attempts count from 0; ties go to the lower value id. */
  readonly priority: (v: ValueFacts, attempt: number) => number;
  /** Lower is spilled earlier. */
  readonly spillCost: (v: ValueFacts) => number;
  /** Fills the constraint list of a value. */
  readonly constraints: ConstraintPolicy;
  /** Chooses the register of one value. */
  readonly select: (scan: Scan) => Choice;
}

/** `other` is copied to or from the value: their registers match when this value sits at that of `other` + `offset`. */
export interface CopyHint {
  /** Id of the other value. */
  readonly other: number;
  /** Registers between the two. */
  readonly offset: number;
  /** Executions of the copy, scaled. */
  readonly weight: number;
}

/** A memory instruction reads one of two values shortly before the other is written: that waits if the value sits at the register of `other` + `offset`. */
export interface HeldHint {
  /** Id of the other value. */
  readonly other: number;
  /** Registers between the two. */
  readonly offset: number;
}

/** What is known where a value's constraints are made. */
export interface ConstraintContext {
  /** The function. */
  readonly func: Func;
  /** The register file. */
  readonly file: File;
  /** Register of a value in this attempt, −1 if it has none yet. */
  assigned(value: number): number;
  /** Copies to and from the value. */
  copies(value: number): readonly CopyHint[];
  /** For every instruction that reads the value and two other values of the file: those two. */
  triples(value: number): readonly (readonly [number, number])[];
  /** Values that some instruction reads beside this one, as often as there are such instructions. */
  partners(value: number): readonly number[];
  /** Results of instructions that read the value: it may stand where they will. */
  results(value: number): readonly number[];
  /** Values of which a memory instruction reads one's register shortly before the other's is written. */
  held(value: number): readonly HeldHint[];
}
/** Adds the constraints of a value to a list. */
export type ConstraintPolicy = (ctx: ConstraintContext, value: ValueFacts, out: Constraint[]) => void;

/** Numbers the wiki takes from knobs; set by name. */
export interface AllocatorKnobs {
  /** 684: congestion threshold of the primary cost. */
  readonly regAllocThreshold: number;
  /** 639: attempts without spilling. */
  readonly attempts: number;
  /** 642: soft constraints dropped at the head of the list per retry. */
  readonly relaxHead: number;
  /** 643: and at its tail. */
  readonly relaxTail: number;
  /** 641: the tail is relaxed too. */
  readonly bankAware: boolean;
  /** 618: copies ask for the same register; 617: in as many values of a file. */
  readonly coalescing: boolean;
  /** 617: values of a file for which copies ask. */
  readonly coalesceBudget: number;
  /** 613: three sources of an instruction avoid one bank (not 0); 614: what that weighs. */
  readonly bankPreference: number;
  /** 614: what it weighs that three sources avoid one bank. */
  readonly bankPenalty: number;
  /** 657: order in which values are taken: 0 wide ones first, 1 in order of definition. */
  readonly order: number;
  /** 670 and 672: what a load and what a store of spill code weigh. */
  readonly reloadScale: number;
  /** 672: what a store of spill code weighs. */
  readonly storeScale: number;
  /** 623: trips that a loop is taken to make when spills are weighed, as text; "" for 10. */
  readonly trips: string;
  /** 671: what an operand in a loop inside of another one weighs; 680: what one of a fetched texel does. */
  readonly nestedScale: number;
  /** 680: what an operand of a fetched texel weighs. */
  readonly textureScale: number;
  /** 640: 0 takes the lowest free register. */
  readonly level: number;
  /** 615: instructions between a value's definition and the instruction whose banks it is chosen for. */
  readonly bankWindow: number;
  /** 634: copies into and out of matrix instructions ask for the same register; 638: those of bound values do not. */
  readonly matrixCoalescing: boolean;
  /** 638: copies of bound values ask for nothing. */
  readonly noRetarget: boolean;
  /** 674: accesses of spill code that move two or four registers at once. */
  readonly spillBudget: number;
  /** 687: register counts to try; the first without spilling is taken. */
  readonly targets: readonly number[];
}

/** How registers are allocated. */
export interface AllocationOptions {
  /** Register limit as ptxas counts it (its reported number: highest index + 1 + 2). Default: the target's maximum. */
  readonly maxRegisters?: number;
  /** Lower ceilings for experiments and tests, in registers per file (R: as physical registers, without the 2). */
  readonly ceilings?: Partial<Record<"R" | "UR" | "P" | "UP" | "B", number>>;
  /** What decides among free registers: the lowest number, or what ptxas prefers from -O1 on (policies.ts). Default: the latter. */
  readonly numbering?: "lowest" | "banks";
  /** Registers, as ptxas counts, of which fewer are not looked for: where it is asked only whether a function fits. Default: as few as can be found. */
  readonly enough?: number;
  /** Leave copies of a register to itself in the code, as ptxas -O0 does. */
  readonly keepCopies?: boolean;
  /** Decisions to replace. Default: `defaultPolicies`. */
  readonly policies?: Partial<Policies>;
  /** Numbers to replace. Default: `defaultKnobs`. */
  readonly knobs?: Partial<AllocatorKnobs>;
  /** Called when one of them is first read. */
  readonly onKnob?: OnKnob;
  /** Called with every scan, attempt and spill. */
  readonly observe?: (event: AllocationEvent) => void;
}

/** A stretch of program points for which a register is a value's. Instruction i reads at point 2i and writes at 2i + 1. */
export interface Placement {
  /** The value that stands there. */
  readonly value: ValueFacts;
  /** Physical register, −1: the attempt has none for the value. */
  readonly register: number;
  /** First program point. */
  readonly from: number;
  /** Last program point. */
  readonly to: number;
}

/** What the allocator tells while it works. */
export type AllocationEvent =
  /** A value was looked at. The arrays are copies. */
  | {
      readonly kind: "scan";
      /** Spill round, from 0. */
      readonly round: number;
      /** Attempt of the round, from 0. */
      readonly attempt: number;
      /** The value that a register is looked for. */
      readonly value: ValueFacts;
      /** 1 where an interfering value stands, by register. */
      readonly occupied: Uint8Array;
      /** Primary costs by register. */
      readonly primary: Int32Array;
      /** Secondary costs by register. */
      readonly secondary: Int32Array;
      /** What was asked for in its name: copies of the same register, banks. */
      readonly constraints: readonly Constraint[];
      /** The register that it gets, −1 for none. */
      readonly slot: number;
      /** Why that one. */
      readonly why: Why;
    }
  /** All values of a file were looked at once. */
  | {
      readonly kind: "attempt";
      /** The register file. */
      readonly file: File;
      /** Spill round, from 0. */
      readonly round: number;
      /** Attempt of the round, from 0. */
      readonly attempt: number;
      /** Highest register + 1. */
      readonly used: number;
      /** Registers that were aimed at. */
      readonly target: number;
      /** Sum of the costs of all choices. */
      readonly cost: number;
      /** Values that got no register. */
      readonly failed: number;
      /** Program points of the function, two per instruction. */
      readonly points: number;
      /** Which value stands where at the end of the attempt; made when asked for, while the observer runs. */
      placements(): readonly Placement[];
    }
  | {
      readonly kind: "spill";
      /** The register file. */
      readonly file: File;
      /** Spill round, from 0. */
      readonly round: number;
      /** The value that goes to memory. */
      readonly value: ValueFacts;
      /** What its spill was taken to cost. */
      readonly cost: number;
      /** The value that needs the room; itself when it found none. */
      readonly room: ValueFacts;
    }
  /** All values of a file have a register that stays. */
  | {
      readonly kind: "placed";
      /** The register file. */
      readonly file: File;
      /** Spill rounds before. */
      readonly round: number;
      /** The function's instructions in layout order, as they stand now: they count the program points. */
      readonly insts: readonly Inst[];
      /** Where each value stands while. Made when it is asked for. */
      intervals(): readonly LiveInterval[];
    };

/** Where one value stands, and at which program points. Instruction i of the layout reads at point 2i and writes at 2i + 1. */
export interface LiveInterval {
  /** Id of the value. */
  readonly value: number;
  /** Its name in the text, "" for none. */
  readonly name: string;
  /** Its first register. */
  readonly register: number;
  /** Registers that it takes. */
  readonly width: number;
  /** It is bound to its register: the stack pointer, an argument of a function. */
  readonly fixed: boolean;
  /** It was made by the spiller. */
  readonly temporary: boolean;
  /** Of each of its registers first and last program point of the stretches at which it is occupied: from, to, from, to … ascending. */
  readonly points: readonly (readonly number[])[];
}

/** Where a spilled value went. */
export interface SpillSlot {
  /** Id of the value. */
  readonly value: number;
  /** Its name in the text, "" for none. */
  readonly name: string;
  /** Its register file. */
  readonly file: File;
  /** Where it went: local memory at this byte offset from R1, or −1 and … */
  readonly offset: number;
  /** … a value of another file (predicates and uniforms go to R first), −1 when it is in memory. */
  readonly home: number;
}

/** What allocation gave. */
export interface AllocationResult {
  /** The function given, edited to physical registers. */
  readonly func: Func;
  /** As ptxas reports it. */
  readonly registers: number;
  /** Physical register of each value, −1 where there is none (spilled, never used). */
  readonly assignment: Int16Array;
  /** Values that got no register. */
  readonly spills: readonly SpillSlot[];
  /** Spill rounds needed. */
  readonly rounds: number;
}
