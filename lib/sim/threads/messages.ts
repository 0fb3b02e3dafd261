/** What the thread that launches and those that run blocks tell each other: plain data, and one shared array. */

import type { CubinFunction } from "../../elf/index.js";
import type { Launch } from "../launched.js";
import type { Allocation } from "../memory.js";
import type { Run } from "../types.js";
import type { HostMemory } from "../wasm/host.js";

/** Words of the control array of a launch. */
export const Control = {
  /** The next cluster that nobody has claimed. */
  next: 0,
  /** Threads that are done. */
  done: 1,
  /** 1: all threads are to stop. */
  stop: 2,
  /** After a fault: one more than the number of its cluster in the order of claims, the lowest of them; 0: none. Later ones stop. */
  fault: 3,
  /** Warp-instructions that all threads have issued, 64 bits. */
  issued: 4,
  words: 8,
} as const;

/** Programs, with their translations, that a thread remembers: those it was sent last. */
export const MOST_PROGRAMS = 16;

/** A program, sent to a thread once. */
export interface SentProgram {
  readonly sm: number;
  readonly functions: readonly CubinFunction[];
  readonly outside: readonly string[];
}

/** A launch as a thread is told of it. */
export interface Task {
  readonly control: Int32Array;
  readonly device: number;
  readonly memory: HostMemory;
  readonly globalBytes: number;
  readonly allocations: readonly Allocation[];
  readonly program: number;
  /** null: the thread has it. */
  readonly sent: SentProgram | null;
  readonly launch: Pick<
    Launch,
    | "kernel"
    | "entry"
    | "banks"
    | "grid"
    | "block"
    | "cluster"
    | "sharedBytes"
    | "dynamicShared"
    | "sharedReserved"
    | "budget"
    | "seconds"
    | "only"
    | "engine"
    | "order"
  >;
}

/** What a thread answers: what its blocks did, or the text of an error that should not be. */
export type Answer = { readonly run: Run } | { readonly error: string };
