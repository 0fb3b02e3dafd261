/** What `liftFunction` makes of the code of a cubin. */
import type { CubinFunction, CubinReloc } from "../elf/index.js";
import type { Block, Func } from "../ori/types.js";

export interface LiftOptions {
  /** `keep` (default) leaves every instruction its control word, `drop` none. */
  readonly controls?: "keep" | "drop";
}

/** A place where control may come from outside the blocks before it: the function itself, and helpers behind it. */
export interface LiftedEntry {
  /** Name of its symbol; "" for a call target without one. */
  readonly name: string;
  readonly block: Block;
}

/**
 * The code of one text section as a function on physical registers. At first the id of an instruction is its index in
 * the section (its byte offset / 16), and `layout` order is address order.
 */
export interface Lifted {
  readonly func: Func;
  /** Where it came from; never changed. */
  readonly source: CubinFunction;
  /** What stands behind the last instruction (a branch to itself, NOPs), as words. No part of `func`. */
  readonly tail: Uint32Array;
  /** Byte offset of the tail. */
  readonly tailOffset: number;
  /** In order of address; the first is the function itself. */
  readonly entries: readonly LiftedEntry[];
  /** Relocations by the id of the instruction they apply to. A copy of an instruction takes those of its `origin`. */
  readonly relocs: ReadonlyMap<number, readonly CubinReloc[]>;
}
