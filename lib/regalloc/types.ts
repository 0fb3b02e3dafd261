/** What the allocator takes, tells and returns. All of it is plain data, so that notebooks can plot and replace it. */
import type { File, Func } from "../ori/types.js";

/** Per-value facts that policies decide on. */
export interface ValueFacts {
  readonly id: number;
  readonly file: File;
  /** Registers it occupies, and the multiple its first register must be of. */
  readonly width: number;
  readonly align: number;
  /** Operands that mention it, weighted by block frequency. */
  readonly uses: number;
  readonly defs: number;
  /** Program points at which at least one of its registers is occupied (two points per instruction). */
  readonly points: number;
  /** First and last program point of its live range. */
  readonly first: number;
  readonly last: number;
  /** Made by the spiller: must not be spilled again. */
  readonly temporary: boolean;
}

/**
 * One entry of a value's constraint list. `kind` names a row of `constraintKinds` (constraints.ts); hard conflicts are
 * not constraints, they are a bit set per value and never selectable.
 */
export interface Constraint {
  readonly kind: ConstraintKind;
  /** Value whose register is meant, or −1 when `slot` says it. */
  readonly target: number;
  /** Physical register or bound, as the kind says; an offset to the target's register when there is a target. */
  readonly slot: number;
  readonly weight: number;
  /** May be dropped on a retry. */
  readonly soft: boolean;
}

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
  | "prefer";

/** What the choice of one register sees. Arrays are indexed by physical register, `slots` long. */
export interface Scan {
  readonly value: ValueFacts;
  readonly slots: number;
  /** Highest register number allowed. */
  readonly ceiling: number;
  readonly step: number;
  /** 1 = taken by an interfering value (hard). */
  readonly occupied: Uint8Array;
  readonly primary: Int32Array;
  readonly secondary: Int32Array;
  readonly attempt: number;
  /** Slots with a higher primary cost are passed over on the first attempt. */
  readonly threshold: number;
}

export type Why = "fixed" | "zero-cost" | "cheapest" | "none";
export interface Choice {
  /** −1 when no register is free. */
  readonly slot: number;
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
  readonly select: (scan: Scan) => Choice;
}

/** `other` is copied to or from the value: their registers match when this value sits at that of `other` + `offset`. */
export interface CopyHint {
  readonly other: number;
  readonly offset: number;
  /** Executions of the copy, scaled. */
  readonly weight: number;
}

export interface ConstraintContext {
  readonly func: Func;
  readonly file: File;
  /** Register of a value in this attempt, −1 if it has none yet. */
  assigned(value: number): number;
  copies(value: number): readonly CopyHint[];
  /** For every instruction that reads the value and two other values of the file: those two. */
  triples(value: number): readonly (readonly [number, number])[];
}
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
  readonly coalesceBudget: number;
  /** 613: three sources of an instruction avoid one bank (not 0); 614: what that weighs. */
  readonly bankPreference: number;
  readonly bankPenalty: number;
  /** 657: order in which values are taken: 0 wide ones first, 1 in order of definition. */
  readonly order: number;
  /** 670 and 672: what a load and what a store of spill code weigh. */
  readonly reloadScale: number;
  readonly storeScale: number;
  /** 623: trips that a loop is taken to make when spills are weighed, as text; "" for 10. */
  readonly trips: string;
  /** 671: what an operand in a loop inside of another one weighs; 680: what one of a fetched texel does. */
  readonly nestedScale: number;
  readonly textureScale: number;
  /** 640: 0 takes the lowest free register. */
  readonly level: number;
  /** 615: instructions between a value's definition and the instruction whose banks it is chosen for. */
  readonly bankWindow: number;
  /** 634: copies into and out of matrix instructions ask for the same register; 638: those of bound values do not. */
  readonly matrixCoalescing: boolean;
  readonly noRetarget: boolean;
  /** 674: accesses of spill code that move two or four registers at once. */
  readonly spillBudget: number;
  /** 687: register counts to try; the first without spilling is taken. */
  readonly targets: readonly number[];
}

export interface AllocationOptions {
  /** Register limit as ptxas counts it (its reported number: highest index + 1 + 2). Default: the target's maximum. */
  readonly maxRegisters?: number;
  /** Lower ceilings for experiments and tests, in registers per file (R: as physical registers, without the 2). */
  readonly ceilings?: Partial<Record<"R" | "UR" | "P" | "UP" | "B", number>>;
  /** Leave copies of a register to itself in the code, as ptxas -O0 does. */
  readonly keepCopies?: boolean;
  readonly policies?: Partial<Policies>;
  readonly knobs?: Partial<AllocatorKnobs>;
  readonly observe?: (event: AllocationEvent) => void;
}

export type AllocationEvent =
  /** A value was looked at. The arrays are copies. */
  | {
      readonly kind: "scan";
      readonly round: number;
      readonly attempt: number;
      readonly value: ValueFacts;
      readonly occupied: Uint8Array;
      readonly primary: Int32Array;
      readonly secondary: Int32Array;
      readonly slot: number;
      readonly why: Why;
    }
  /** All values of a file were looked at once. */
  | {
      readonly kind: "attempt";
      readonly file: File;
      readonly round: number;
      readonly attempt: number;
      /** Highest register + 1. */
      readonly used: number;
      readonly target: number;
      readonly cost: number;
      readonly failed: number;
    }
  | {
      readonly kind: "spill";
      readonly file: File;
      readonly round: number;
      readonly value: ValueFacts;
      readonly cost: number;
    };

export interface SpillSlot {
  readonly value: number;
  readonly name: string;
  readonly file: File;
  /** Where it went: local memory at this byte offset from R1, or −1 and … */
  readonly offset: number;
  /** … a value of another file (predicates and uniforms go to R first), −1 when it is in memory. */
  readonly home: number;
}

export interface AllocationResult {
  /** The function given, edited to physical registers. */
  readonly func: Func;
  /** As ptxas reports it. */
  readonly registers: number;
  /** Physical register of each value, −1 where there is none (spilled, never used). */
  readonly assignment: Int16Array;
  readonly spills: readonly SpillSlot[];
  /** Spill rounds needed. */
  readonly rounds: number;
}
