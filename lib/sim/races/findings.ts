/** What the race detector finds, as plain data. */
import type { CodePlace } from "../where.js";
import type { UnwrittenRegister } from "../written.js";

/** One of two accesses that race. */
export interface RaceAccess extends CodePlace {
  /** What the access does. */
  readonly kind: "read" | "write" | "atomic" | "copy";
  /** CTA index in the grid, thread index in the CTA. */
  readonly block: readonly [number, number, number];
  /** Thread index in the CTA. */
  readonly thread: readonly [number, number, number];
}

/** Two accesses to the same bytes of which at least one writes, and nothing says which comes first. */
export interface Race {
  /** Memory in which they meet. */
  readonly space: "shared" | "global";
  /** The first bytes at which they were seen to meet: an address in shared memory, or a global one. */
  readonly memoryAddress: number;
  /** In the order in which the simulator ran them; on a GPU either may come first. */
  readonly first: RaceAccess;
  /** The access that ran second. */
  readonly second: RaceAccess;
  /** How often these two instructions met so. */
  count: number;
}

/** A load of bytes that nobody has written since the block began. */
export interface UninitializedRead extends CodePlace {
  /** Memory that is read. */
  readonly space: "shared" | "local";
  /** Address of the first byte. */
  readonly memoryAddress: number;
  /** CTA index in the grid. */
  readonly block: readonly [number, number, number];
  /** Thread index in the CTA. */
  readonly thread: readonly [number, number, number];
  /** How often threads read so at this instruction. */
  count: number;
}

/** What a launch was seen to do that it should not. */
export interface Findings {
  /** One for each pair of instructions, in the order in which they were found. */
  readonly races: readonly Race[];
  /** One for each instruction. */
  readonly uninitialized: readonly UninitializedRead[];
  /** With `registers: true`, one for each instruction and register. */
  readonly registers: readonly UnwrittenRegister[];
}
