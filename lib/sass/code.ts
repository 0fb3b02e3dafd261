import type { Span } from "../diagnostics.js";
import type { LaunchBounds, MachineInst, Param } from "../ori/types.js";
import type { Target } from "../target/types.js";

/** A place in the words that names a symbol and is filled when the cubin is put together (or by the driver). */
export interface CodeReloc {
  /** Byte offset of the instruction. */
  readonly offset: number;
  /** Name of the symbol. */
  readonly symbol: string;
  /** What is added to its address, in bytes. */
  readonly addend: number;
  /** What is stored: low or high half of the address in bits 63:32, a call target, …; the operand's `part`. */
  readonly what: string;
}

/** Where an indirect branch goes: words of a table in constant bank 2. */
export interface CodeTable {
  /** Byte offset in the bank. */
  readonly offset: number;
  /** Byte offset of the branch. */
  readonly branch: number;
  /** Byte offsets in the code, in the order of the table. */
  readonly targets: readonly number[];
}

/** A function that lies in the code of a kernel. */
export interface Routine {
  /** Name of the function. */
  readonly name: string;
  /** Byte offset of its first instruction. */
  readonly offset: number;
  /** Bytes of its stack frame. */
  readonly frameBytes: number;
  /** Bytes of spilled values that it writes. */
  readonly spillStores: number;
  /** Bytes that it reads back. */
  readonly spillLoads: number;
}

/** Machine code of one function: what the encoder makes and the cubin writer takes. */
export interface Code {
  /** Name of its symbol. */
  readonly name: string;
  /** A kernel, or a function that others call. */
  readonly kind: "entry" | "func";
  /** The SM that the words are for. */
  readonly target: Target;
  /** Four u32 per instruction, little endian (word 0 = bits 31:0), including the tail (self-branch and NOPs). */
  readonly words: Uint32Array;
  /** The instructions before the tail in word order: instruction i is at byte offset 16·i. */
  readonly insts: readonly MachineInst[];
  /** Source position of each of them. */
  readonly locs: readonly (Span | null)[];
  /** Relocations of the words. */
  readonly relocs: readonly CodeReloc[];
  /** Block id → byte offset. */
  readonly labels: ReadonlyMap<number, number>;
  /** Jump tables in the order of their places. */
  readonly tables: readonly CodeTable[];
  /** As reported by ptxas: highest R index + 1 + 2 (measured on ptxas 13.0.88), at least 4. */
  readonly registers: number;
  /** Bytes of local memory frame (depot and spills). */
  readonly frameBytes: number;
  /** The deepest stack of frames, of all calls that are known; a function that calls itself counts once. */
  readonly stackBytes: number;
  /** Bytes of spilled values that the code writes. */
  readonly spillStores: number;
  /** Bytes that it reads back. */
  readonly spillLoads: number;
  /** CTA barriers used, 0 to 16. */
  readonly barriers: number;
  /** Parameters with their places. */
  readonly params: readonly Param[];
  /** Bytes of all parameters. */
  readonly paramBytes: number;
  /** What the PTX says of launches. */
  readonly limits: LaunchBounds;
  /** Functions after a kernel in its code, in their order. */
  readonly routines: readonly Routine[];
}
