/**
 * The Ori IR. It speaks SASS from the first phase on: an instruction is a SASS form over operands; before register
 * allocation registers are virtual, afterwards physical. The same shapes serve decoded machine code.
 *
 * Two conventions keep every traversal trivial:
 *
 * 1. An operand names at most one register value. Addresses are flattened: `desc[UR4][R2.64+UR6+0x10]` is the four
 *    sources base (R2, width 2), uniform offset (UR6), immediate offset (0x10), descriptor (UR4, width 2).
 * 2. `dsts` and `srcs` are positional: one operand for every slot of the form's row in `lib/isa`, definitions
 *    first, each in printed order. A slot left out in the text holds its default (PT, !PT, RZ, URZ, immediate 0, NONE).
 */
import type { Span } from "../diagnostics.js";
import type { MachineInst, Operand } from "../isa/operand.js";
import * as operand from "../isa/operand.js";
import * as form from "../isa/types.js";
import type { Target } from "../target/types.js";

export { type Control, type Guard, type MachineInst, type Operand, type Said, saids } from "../isa/operand.js";

// Constants of their own: what CommonJS passes on from another module is a getter, and these are read in every loop.
/** Register files: R and UR of registers, P and UP of predicates, B of convergence barriers; None for operands that are no register. */
export const File: typeof form.File = form.File;
/** A register file. */
export type File = form.File;
/** What an operand is: register, immediate, constant of a bank, label, special register, symbol. */
export const Kind: typeof operand.Kind = operand.Kind;
/** The kind of an operand. */
export type Kind = operand.Kind;
/** Modifiers of operands, a bit set: Neg, Abs, Not, Reuse. */
export const Mod: typeof operand.Mod = operand.Mod;
/** `index` of an operand without index register. */
export const NO_INDEX: typeof operand.NO_INDEX = operand.NO_INDEX;
/** `id` of the hard-wired register of a file: RZ, URZ, PT, UPT. */
export const ZERO_REG: typeof operand.ZERO_REG = operand.ZERO_REG;

/**
 * What the calling convention adds to the operands of a call or return: registers that hold arguments, results, the return address. They
 * are values bound to these registers. A call with it leaves nothing in registers that its callee need not keep (lib/isa/abi.ts).
 */
export interface Passed {
  /** Registers that it reads. */
  readonly uses: readonly Operand[];
  /** Registers that it writes. */
  readonly defs: readonly Operand[];
}

/** Where an indirect branch of this compiler goes: a table of code offsets in constant bank 2 of its function. */
export interface JumpTable {
  /** Ids of blocks in the order of the table; the same may stand there several times. */
  readonly targets: readonly number[];
  /** Bytes from the start of the function's tables, −1 before ExpandJmxComputation lays them out. */
  readonly offset: number;
}

export interface Inst extends MachineInst {
  /** Dense, unique in its function, stable under edits. */
  id: number;
  /** Source position in the PTX text. */
  loc: Span | null;
  /** The instruction this one was made from (observation only), −1 when it came from lowering. */
  origin: number;
  /** Of calls by the ABI, and of returns from functions. */
  passed?: Passed | undefined;
  /** Of indirect branches that this compiler made; replaced as a whole, never edited. */
  table?: JumpTable | undefined;
}

/** A basic block: control enters at its first instruction and leaves at its last. */
export interface Block {
  /** Number in the function; what labels name. */
  id: number;
  /** Name of the PTX label, for listings; "" when there is none. */
  label: string;
  /** Its instructions in order. */
  insts: Inst[];
  /** Fall-through (if any) comes first, then targets in operand order. */
  succs: Block[];
  /** Blocks that go to this one, each once. */
  preds: Block[];
  /** Estimated executions relative to the entry = 1. */
  freq: number;
  /** `.pragma "nounroll"`: the loop that begins here keeps its turns. */
  nounroll?: boolean;
  /** A guarded instruction of the PTX text is branched around to here, if its guard is false. */
  skip?: boolean;
}

/** Virtual values: column per property, index = value id. Widths are in 32-bit registers (or predicates). */
export interface ValueTable {
  /** How many there are; ids are 0 … count − 1. */
  readonly count: number;
  /** Register file of a value. */
  file(id: number): File;
  /** Registers that a value is wide. */
  width(id: number): number;
  /** Name of the PTX register it stands for, "" for temporaries. */
  name(id: number): string;
  /** Physical register it must live in (the stack pointer: R1), −1 for none. */
  fixed(id: number): number;
  /** Adds a value and returns its id. */
  add(file: File, width?: number, name?: string, fixed?: number): number;
}

/** Stack frame of a function in local memory, bytes. */
export interface Frame {
  /** `.local` variables (depot), at the bottom. */
  localBytes: number;
  /** Spill slots, above. */
  spillBytes: number;
  /** Bytes of spilled values that the code writes, as ptxas reports them. */
  spillStores: number;
  /** Bytes that it reads back. */
  spillLoads: number;
}

/** A kernel parameter: bytes, offset from the parameter base. */
export interface Param {
  /** Its name in the PTX. */
  readonly name: string;
  /** Bytes from the start of the parameters. */
  readonly offset: number;
  /** Its bytes. */
  readonly size: number;
  /** Bytes that its place is a multiple of. */
  readonly align: number;
  /** What `.ptr` says of a pointer parameter: the space it points to and the alignment of the pointee in bytes. */
  readonly pointer?: {
    /** State space that it points to. */
    readonly space: "generic" | "global" | "shared" | "const" | "local";
    /** Bytes that the address is a multiple of. */
    readonly align: number;
  } | null;
}

/** What a reference names: `.texref`, `.samplerref`, `.surfref` of PTX. */
export type ReferenceKind = "texture" | "sampler" | "surface";

/** A texture, sampler or surface that PTX names; whoever loads the module binds it. */
export interface Reference {
  /** Its name in the file. */
  readonly name: string;
  /** What it names. */
  readonly kind: ReferenceKind;
  /** What a sampler is made with: address modes of x, y, z and the filter, a byte each, 0xff where PTX does not say. */
  readonly init: number;
}

/** A word of constant bank 0 that the driver fills with the number of a texture, sampler or surface. */
export interface ReferenceWord {
  /** Name of the reference. */
  readonly name: string;
  /** What it names. */
  readonly kind: ReferenceKind;
  /** Bytes from the start of the bank. Before sm_90 a texture and its sampler have the same. */
  readonly offset: number;
}

/** Milestones of a compilation (architecture §5); the verifier knows what holds at each. */
export const milestones = [
  "initial",
  "expanded",
  "ssa",
  "unsupported-ops-gone",
  "attributes-set",
  "scheduled",
  "allocated",
  "post-expanded",
  "controlled",
  "encoded",
] as const;
/** One of `milestones`. */
export type Milestone = (typeof milestones)[number];

/** How far a run through the phases has come. */
export interface PassedPhase {
  /** Name of the phase. */
  readonly phase: string;
  /** Level at which the phase ran. */
  readonly level: 0 | 1 | 2;
}

/** A function of the IR, from lowering to encoding. */
export interface Func {
  /** Name of its symbol. */
  name: string;
  /** A kernel, or a function that others call. */
  kind: "entry" | "func";
  /** Default: visible. */
  linkage?: ModuleSymbol["linkage"];
  /** The SM that it is compiled for. */
  target: Target;
  /** In layout order; blocks[0] is the entry. Ids are dense but need not be in order. */
  blocks: Block[];
  /** True until allocation. */
  virtual: boolean;
  /** Files and widths of its virtual registers. */
  values: ValueTable;
  /**
   * Calls end their blocks and lead to the blocks that they enter, returns to the blocks after calls (lib/lift). Without,
   * a call is an instruction that comes back, and a return leaves the function.
   */
  callEdges?: boolean;
  /** Its stack frame in local memory. */
  frame: Frame;
  /** Its parameters in order. */
  params: Param[];
  /** Bytes of parameters. */
  paramBytes: number;
  /** Words after the parameters that stand for textures, samplers and surfaces, as the text names these first. */
  references?: readonly ReferenceWord[];
  /** Bytes of statically allocated shared memory used by the function. */
  sharedBytes: number;
  /** What is known of the places of shared variables: their alignments in bytes, by name. */
  alignments?: ReadonlyMap<string, number>;
  /** Shared-memory, global and constant symbols it mentions are resolved by the cubin writer. */
  limits: LaunchBounds;
  /** Number of CTA barriers used (BAR), 0…16. */
  barriers: number;
  /** Registers used by the allocation per file: highest index + 1. Set by the allocator. */
  used: {
    /** Ordinary registers. */
    R: number;
    /** Uniform registers. */
    UR: number;
    /** Predicates. */
    P: number;
    /** Uniform predicates. */
    UP: number;
    /** Convergence barriers. */
    B: number;
  };
  /** How far it has come. */
  milestone: Milestone;
  /** The last phase that it has passed and the level of that run, so that a run can go on from here; null before the first. */
  passed: PassedPhase | null;
  /** Grows with each edit; analyses are cached under it. */
  generation: number;
  /** Id of the next instruction that is made. */
  nextInst: number;
  /** Id of the next block that is made. */
  nextBlock: number;
}

/** What the PTX directives say about launches. 0 = not given. */
export interface LaunchBounds {
  /** `.maxntid`: most threads per CTA along x, y, z; null when not given. */
  maxntid: readonly [number, number, number] | null;
  /** `.reqntid`: threads per CTA along x, y, z; null when not given. */
  reqntid: readonly [number, number, number] | null;
  /** `.minnctapersm`: CTAs that an SM must hold at once. */
  minnctapersm: number;
  /** `.maxnreg`: most registers per thread. */
  maxnreg: number;
  /** `.maxclusterrank`: most CTAs of a cluster. */
  maxclusterrank: number;
  /** `.explicitcluster`: launches always have clusters. */
  explicitcluster: boolean;
  /** `.reqnctapercluster`: CTAs per cluster along x, y, z; null when not given. */
  reqnctapercluster: readonly [number, number, number] | null;
}

/** A variable of the module, or of a function (static shared memory, constants made by lowering). */
export interface ModuleSymbol {
  /** Its name in the file. */
  readonly name: string;
  /** Memory that it lies in. */
  readonly space: "global" | "const" | "shared";
  /** Constant bank of the PTX, 0 unless given (`.const[2]`). */
  readonly bank: number;
  /** Bytes; 0 for `extern .shared x[]`. */
  readonly size: number;
  /** Bytes that its address is a multiple of. */
  readonly align: number;
  /** Who sees it; `internal` for this module alone. */
  readonly linkage: "extern" | "visible" | "weak" | "common" | "internal";
  /** Initial bytes up to the last that the text names, zeros after them; null = zeros (global) or uninitialized (shared). */
  readonly init: Uint8Array | null;
  /** `.attribute(.managed)`: the driver keeps it in memory that the host sees, too. */
  readonly managed?: boolean;
  /** Addresses of other symbols inside the initial value. */
  readonly pointers: readonly {
    /** Byte offset in the initial value. */
    readonly offset: number;
    /** Name of the symbol whose address stands there. */
    readonly symbol: string;
    /** Bytes added to that address. */
    readonly addend: number;
    /** Bytes of the address: 4 or 8, 1 for a single one. */
    readonly bytes: number;
    /** `0xff00(symbol)`: only this byte of the address, 0 the lowest. */
    readonly byte?: number;
    /** `generic(symbol)`; else in the symbol's own space. */
    readonly generic?: boolean;
  }[];
  /** Functions that mention it (static shared memory is laid out per kernel). */
  readonly users: readonly string[];
}

/** Prototypes as the linker compares them: `#` and letters for result and parameters (`#ilb12`). */
export interface CallFacts {
  /** Of all functions that the module declares. */
  readonly prototypes: ReadonlyMap<string, string>;
  /** Prototypes of a function's calls through addresses. */
  readonly indirect: ReadonlyMap<string, ReadonlySet<string>>;
  /** Functions whose addresses the code of a function takes. */
  readonly takes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Other names of functions. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** A module after lowering. */
export interface Program {
  /** The SM that it is lowered for. */
  readonly target: Target;
  /** `.version` of the PTX, e.g. [9, 0]. */
  readonly ptxVersion: readonly [number, number];
  /** `.address_size`: 32 or 64. */
  readonly addressSize: number;
  /** In source order: kernels, and functions that have code of their own. */
  readonly funcs: readonly Func[];
  /** Functions whose address something takes, in source order. */
  readonly taken?: readonly string[];
  /** Functions that the one kernel of an executable carries because a variable holds their address, called or not. */
  readonly kept?: readonly string[];
  /** What a linker is told of calls; by name of a function. */
  readonly calls?: CallFacts;
  /** Variables of the module and of its functions. */
  readonly symbols: readonly ModuleSymbol[];
  /** Textures and samplers are named apart (`texmode_independent`). */
  readonly independent?: boolean;
  /** Textures, samplers and surfaces that the module names, in source order. */
  readonly references?: readonly Reference[];
}
