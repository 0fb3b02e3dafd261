import type { Span } from "../diagnostics.js";
import type { LaunchBounds, MachineInst, Param } from "../ori/types.js";
import type { Target } from "../target/types.js";

/** A place in the words that names a symbol and is filled when the cubin is put together (or by the driver). */
export interface CodeReloc {
  /** Byte offset of the instruction. */
  readonly offset: number;
  readonly symbol: string;
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
  readonly name: string;
  /** Byte offset of its first instruction. */
  readonly offset: number;
  readonly frameBytes: number;
  readonly spillStores: number;
  readonly spillLoads: number;
}

/** Machine code of one function: what the encoder makes and the cubin writer takes. */
export interface Code {
  readonly name: string;
  readonly kind: "entry" | "func";
  readonly target: Target;
  /** Four u32 per instruction, little endian (word 0 = bits 31:0), including the tail (self-branch and NOPs). */
  readonly words: Uint32Array;
  /** The instructions before the tail in word order: instruction i is at byte offset 16·i. */
  readonly insts: readonly MachineInst[];
  /** Source position of each of them. */
  readonly locs: readonly (Span | null)[];
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
  readonly spillStores: number;
  readonly spillLoads: number;
  readonly barriers: number;
  readonly params: readonly Param[];
  readonly paramBytes: number;
  readonly limits: LaunchBounds;
  /** Functions after a kernel in its code, in their order. */
  readonly routines: readonly Routine[];
}
