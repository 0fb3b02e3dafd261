/** What `liftFunction` makes of the code of a cubin. */
import type { Diagnostic } from "../diagnostics.js";
import type { CubinFunction, CubinReloc } from "../elf/index.js";
import type { Func, Kind } from "../ori/types.js";

/** How code is lifted. */
export interface LiftOptions {
  /** `keep` (default) leaves every instruction its control word, `drop` none. */
  readonly controls?: "keep" | "drop";
  /**
   * `physical` (default), or `virtual`: webs of definitions and uses become virtual registers, for `allocate`. Control
   * words hold for the registers that the code had, and go. Calls of routines in the function become control flow
   * (routines.ts), packs of predicates are split (predicates.ts); calls and returns that leave the function are refused.
   */
  readonly registers?: "physical" | "virtual";
}

/** A place where control may come from outside the blocks before it: the function itself, and helpers after it. */
export interface LiftedEntry {
  /** Name of its symbol; "" for a call target without one. */
  readonly name: string;
  /** Id of its first block. */
  readonly block: number;
}

/** A relocation of an instruction. */
export interface LiftedReloc extends CubinReloc {
  /** When symbol + addend is an address in this very function: the instruction that stands there. */
  readonly target: CodePoint | null;
  /** The source that it fills (a symbol in the lifted function), with what lies in the word itself. */
  readonly operand: {
    /** Source slot. */
    readonly slot: number;
    /** What kind of operand the word itself holds. */
    readonly kind: Kind;
    /** Its value as the word has it. */
    readonly value: number;
    /** Upper 32 bits of a 64-bit value. */
    readonly high: number;
  } | null;
}

/** An address in the code: that of an instruction, or the one after it (where a call comes back). */
export interface CodePoint {
  /** Id of the instruction. */
  readonly inst: number;
  /** The address after the instruction is meant. */
  readonly after: boolean;
}

/** An immediate that holds a code address as a number: `MOV R20, 0x90` before a call. */
export interface CodeAddress {
  /** Source slot. */
  readonly slot: number;
  /** Where the address points. */
  readonly target: CodePoint;
}

/** Words of constant bank 2 that hold byte offsets of code: tables of indirect branches, offsets of functions. */
export interface CodeTable {
  /** Byte offset in the bank. */
  readonly offset: number;
  /** 4 (branches) or 8 (functions). */
  readonly stride: number;
  /** Ids of the blocks, in the order of the words. */
  readonly blocks: readonly number[];
}

/**
 * The code of one text section as a function on physical registers. At first the id of an instruction is its index in
 * the section (its byte offset / 16), and `func.blocks` stand in address order. `func.blocks[0]` must stay the first:
 * returns and indirect branches count from there.
 */
export interface Lifted {
  /** The code as a function of the IR. */
  readonly func: Func;
  /** Where it came from; never changed. */
  readonly source: CubinFunction;
  /** What stands after the last instruction (a branch to itself, NOPs), as words. No part of `func`. */
  readonly tail: Uint32Array;
  /** Byte offset of the tail. */
  readonly tailOffset: number;
  /** In order of address; the first is the function itself. */
  readonly entries: readonly LiftedEntry[];
  /** Relocations by the id of the instruction they apply to. A copy of an instruction takes those of its `origin`. */
  readonly relocs: ReadonlyMap<number, readonly LiftedReloc[]>;
  /** Immediates that are code addresses, by instruction id. Encoding fills in where the code has come to stand. */
  readonly addresses: ReadonlyMap<number, CodeAddress>;
  /** Tables of code addresses in constant bank 2. */
  readonly tables: readonly CodeTable[];
  /** Byte offset in the source → id of the block that began there. */
  readonly blockAt: ReadonlyMap<number, number>;
  /** Why code must not move (addresses that could not be understood); empty when it may. */
  readonly pinned: readonly Diagnostic[];
}
