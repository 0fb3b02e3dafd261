/** Types of forms and their slots. */

/** Register files. `B` are the convergence barriers B0…B15 of BSSY/BSYNC. */
export const File = {
  /** No register. */
  None: 0,
  /** Ordinary registers, one per thread. */
  R: 1,
  /** Uniform registers, one per warp. */
  UR: 2,
  /** Predicates, one bit per thread. */
  P: 3,
  /** Uniform predicates, one bit per warp. */
  UP: 4,
  /** Convergence barriers. */
  B: 5,
} as const;
export type File = (typeof File)[keyof typeof File];

/** One operand position of a form. */
export interface SlotInfo {
  /** Stable name, e.g. "d", "a", "b", "c", "base", "offset", "desc", "pout", "pin". */
  readonly name: string;
  /** Register file of the slot when it holds a register. */
  readonly file: File;
  /** Registers it reads or writes under this form's modifiers. */
  readonly width: number;
  /** Operand kinds it takes on at least one target: any of "reg", "imm", "const", "ureg", "label", "sreg", "sym". */
  readonly accepts: readonly string[];
  /** May be left out in the text; it then holds this default. */
  readonly optional: "PT" | "!PT" | "RZ" | "URZ" | "none" | `${number}` | null;
}

/** What an instruction does to the flow of control. */
export type Flow =
  | "next"
  | "branch"
  | "indirect"
  | "call"
  | "return"
  | "exit"
  | "trap"
  /** BSSY and friends: names a label but does not jump. */
  | "region"
  /** BSYNC/WARPSYNC/BREAK: reconvergence. */
  | "sync";

/** State spaces of memory. */
export type Space = "global" | "shared" | "local" | "const" | "generic" | "param";

/** What an instruction does to memory. */
export interface Memory {
  /** The state space. */
  readonly space: Space;
  /** The kind of access. */
  readonly access: "load" | "store" | "atomic" | "reduce" | "prefetch" | "fence";
  /** Bytes per thread. */
  readonly bytes: number;
}

/** An opcode with all of its modifiers, interned: equal texts are one object. */
export interface Form {
  /** Dense id in order of first use; deterministic only within one process: never sort by it. */
  readonly id: number;
  /** Canonical text: `LDG.E.128.STRONG.GPU`. */
  readonly name: string;
  /** Base mnemonic: `LDG`. */
  readonly op: string;
  /** Modifiers in printed order. */
  readonly mods: readonly string[];
  /** Definition slots in printed order. */
  readonly dsts: readonly SlotInfo[];
  /** Source slots in printed order. */
  readonly srcs: readonly SlotInfo[];
  /** What it does to the flow of control. */
  readonly flow: Flow;
  /** What it does to memory; null for nothing. */
  readonly memory: Memory | null;
  /** Must not be removed or repeated even if its results are unused (stores, barriers, volatile reads, control flow). */
  readonly sideEffect: boolean;
  /** Pseudo instructions exist only inside the compiler (`MOV.PHI`, parallel copies) and have no encoding. */
  readonly pseudo: boolean;
  /** The last source slot (and definition slot, if it says so) stands for any number of operands: `MOV.PHI`, `PCOPY`. */
  readonly variadic: boolean;
}
