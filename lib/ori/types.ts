/**
 * The Ori IR. It speaks SASS from the first phase on: an instruction is a SASS form over operands; before register
 * allocation registers are virtual, afterwards physical. The same shapes serve decoded machine code.
 *
 * Two conventions keep every traversal trivial:
 *
 * 1. An operand names at most one register value. Addresses are flattened: `desc[UR4][R2.64+UR6+0x10]` is the four
 *    sources base (R2, width 2), uniform offset (UR6), immediate offset (0x10), descriptor (UR4, width 2).
 * 2. `dsts` and `srcs` are positional: one operand for every slot of the form's row in `lib/sass/isa`, definitions
 *    first, each in printed order. A slot left out in the text holds its default (PT, !PT, RZ, URZ, immediate 0, NONE).
 */
import type { Span } from "../diagnostics.js";
import { File, type Form } from "../sass/isa/form.js";

export { File };

/** Kinds of operands. Numbers, because passes switch on them in loops (style.md §22). */
export const Kind = {
  /** Slot absent in this encoding (a descriptor on sm_75). */
  None: 0,
  /** Register: `file`, `id`, `sub`, `width`. */
  Reg: 1,
  /** Immediate: `value` (u32 bit pattern, low half), `high` (upper half of a 64-bit literal). */
  Imm: 2,
  /** Constant bank: `c[id][value]`; `file`/`index` name an index register (`c[0x3][R2+0x10]`, `cx[UR4][0x10]`). */
  Const: 3,
  /** Code label: `id` is a block id (before encoding) or `value` a byte address (decoded code). */
  Label: 4,
  /** Special register (S2R, CS2R): `id` is its hardware index. */
  Sreg: 5,
  /** Symbol: `sym` is its name, `value` an addend; `part` says which half (`32@lo`, `32@hi`) when it is an address. */
  Sym: 6,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

/** `id` of the hard-wired register of a file: RZ, URZ, PT, UPT. Printed by name, encoded as the all-ones value. */
export const ZERO_REG = -1 as const;

/** Operand modifiers, a bit set. */
export const Mod = { Neg: 1, Abs: 2, Not: 4, Reuse: 8 } as const;

/**
 * One shape for all kinds, so that accesses stay monomorphic. Made by the constructors of `operand.ts` only, and never
 * shared between two slots.
 */
export interface Operand {
  kind: Kind;
  file: File;
  /** Consecutive registers read or written: 1, 2, 3, 4, 8… */
  width: number;
  /** Register number (virtual value id, or physical number), constant bank, block id, special register. */
  id: number;
  /** First register of a multi-register value that is meant: 0 … width of the value − 1. Always 0 when physical. */
  sub: number;
  value: number;
  high: number;
  /** Mod bits. */
  mods: number;
  /** Part selector, printed after the operand: "" | ".H0_H0" | ".H1_H1" | ".B1" | ".64" | "32@lo" … */
  part: string;
  /** Index register inside a constant operand, null-like −2 when absent. */
  index: number;
  sym: string;
}

export const NO_INDEX = -2 as const;

/** Execution guard `@P0` / `@!UP1`. */
export interface Guard {
  /** P or UP. */
  file: File;
  id: number;
  not: boolean;
}

/** The 21 scheduling bits of a machine word (digest E §2L.1). */
export interface Control {
  /** Cycles until the next instruction of the warp may issue, 0…15. */
  stall: number;
  /** The raw bit 109 (active low: 0 lets the scheduler switch away). */
  yield: number;
  /** Scoreboard set when the result is written, 0…5, 7 none. */
  writeSb: number;
  /** Scoreboard set when the operands have been read, 0…5, 7 none. */
  readSb: number;
  /** Scoreboards to wait for, bit n = SBn. */
  wait: number;
  /** Reuse-cache flags, bit n = source slot n. Kept on the operands as Mod.Reuse too when decoded. */
  reuse: number;
}

export interface Inst {
  /** Dense, unique in its function, stable under edits. */
  id: number;
  form: Form;
  dsts: Operand[];
  srcs: Operand[];
  guard: Guard | null;
  /** Source position in the PTX text. */
  loc: Span | null;
  control: Control | null;
  /** The instruction this one was made from (observation only), −1 when it came from lowering. */
  origin: number;
}

export interface Block {
  id: number;
  /** Name of the PTX label, for listings; "" when there is none. */
  label: string;
  insts: Inst[];
  /** Fall-through (if any) comes first, then targets in operand order. */
  succs: Block[];
  preds: Block[];
  /** Estimated executions relative to the entry = 1. */
  freq: number;
}

/** Virtual values: column per property, index = value id. Widths are in 32-bit registers (or predicates). */
export interface ValueTable {
  readonly count: number;
  file(id: number): File;
  width(id: number): number;
  /** Name of the PTX register it stands for, "" for temporaries. */
  name(id: number): string;
  /** Adds a value and returns its id. */
  add(file: File, width?: number, name?: string): number;
}

/** Stack frame of a function in local memory, bytes. */
export interface Frame {
  /** `.local` variables (depot), at the bottom. */
  localBytes: number;
  /** Spill slots, above. */
  spillBytes: number;
  spillStores: number;
  spillLoads: number;
}

/** A kernel parameter: bytes, offset from the parameter base. */
export interface Param {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  readonly align: number;
}

/** Milestones of a compilation (architecture §5); the verifier knows what holds at each. */
export const milestones = [
  "initial", "expanded", "ssa", "unsupported-ops-gone", "attributes-set", "scheduled", "allocated",
  "post-expanded", "controlled", "encoded",
] as const;
export type Milestone = (typeof milestones)[number];

export interface Func {
  name: string;
  kind: "entry" | "func";
  target: import("../target/types.js").Target;
  /** In layout order; blocks[0] is the entry. Ids are dense but need not be in order. */
  blocks: Block[];
  /** True until allocation. */
  virtual: boolean;
  values: ValueTable;
  frame: Frame;
  params: Param[];
  /** Bytes of parameters. */
  paramBytes: number;
  /** Bytes of statically allocated shared memory used by the function. */
  sharedBytes: number;
  /** Shared-memory, global and constant symbols it mentions are resolved by the cubin writer. */
  limits: LaunchBounds;
  /** Number of CTA barriers used (BAR), 0…16. */
  barriers: number;
  /** Registers used by the allocation per file: highest index + 1. Set by the allocator. */
  used: { R: number; UR: number; P: number; UP: number; B: number };
  milestone: Milestone;
  /** Grows with each edit; analyses are cached under it. */
  generation: number;
  nextInst: number;
  nextBlock: number;
}

/** What the PTX directives say about launches. 0 = not given. */
export interface LaunchBounds {
  maxntid: readonly [number, number, number] | null;
  reqntid: readonly [number, number, number] | null;
  minnctapersm: number;
  maxnreg: number;
  maxclusterrank: number;
  reqnctapercluster: readonly [number, number, number] | null;
}
