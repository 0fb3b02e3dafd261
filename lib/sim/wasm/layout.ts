/**
 * Where things lie in the one WebAssembly memory of a device: what translated code needs besides global memory is below it.
 */
import { LANES, WARP_WORDS } from "../state.js";
import { threadSymbol } from "./host.js";

/** Threads that share a memory: each has a part of it for itself, below the global memory of all. */
export const MOST_THREADS = 16;
const THREAD_BYTES = 0x1000000;
/** Where the global memory of all threads is. */
export const SHARED_GLOBAL: number = MOST_THREADS * THREAD_BYTES;

/** Said by the thread before it loads this (threads/worker.ts): its number; null: it has a memory for itself. */
const thread: number | null = (globalThis as { [threadSymbol]?: number })[threadSymbol] ?? null;
const ORIGIN: number = (thread ?? 0) * THREAD_BYTES;
/** The memory is one that threads share. */
export const IS_SHARED: boolean = thread !== null;

/** What lanes that take no part store. */
export const TRASH: number = ORIGIN;
/** Addresses of which one is looked for: lower and upper words of four lanes. */
export const ADDRESSES: number = ORIGIN + 0x200;
/** Rows of registers that other lanes read: copies of 128 bytes. */
export const SCRATCH: number = ORIGIN + 0x400;
export const SCRATCH_ROWS = 64;
/** How many rounds segments go without short products (float.ts), a word each; several may share one. */
export const HINTS: number = ORIGIN + 0x3000;
export const HINT_WORDS = 0x400;
/** Bytes of every constant bank, a word each. */
export const BANK_BYTES: number = ORIGIN + 0x4000;
/** Allocations that accesses found last: lowest lower word of an address, and how many from there on are good. */
export const SLOTS: number = ORIGIN + 0x8000;
export const SLOT_BYTES = 8;
export const SLOTS_END: number = ORIGIN + 0xc0000;
/** Factors of matrix products (factors.ts). */
export const FACTORS: number = SLOTS_END;
/** What becomes of the scales of a product (scales.ts). */
export const SCALES: number = ORIGIN + 0x100000 - 0x6800;
export const FACTORS_END: number = SCALES;
/** Constant banks. */
export const BANKS: number = ORIGIN + 0x100000;
export const BANK_ROOM = 0x10000;
export const BANK_COUNT = 32;
/** CTAs: the state of their warps, then their shared memory. */
export const STATE: number = ORIGIN + 0x300000;
/**
 * Global memory; offset from GLOBAL_BASE. No higher than it must be: hosts count a memory of 20 MiB and more as pressure and collect garbage,
 * which takes longer than a short launch. There is room for the state of some 380 warps at a time. At least 2^23, so that no offset of an
 * instruction (24 bits, signed) leads below 0.
 */
export const GLOBAL: number = IS_SHARED ? SHARED_GLOBAL : 0x1000000;
export const STATE_END: number = IS_SHARED ? ORIGIN + THREAD_BYTES : GLOBAL;
/** Global memory has at least this room: what lanes that take no part load lies at the offsets of instructions from address 0 on. */
export const GLOBAL_LEAST = 0x120000;

/** A register row in a warp's state. */
export const ROW_BYTES: number = 4 * LANES;
export const PREDICATES: number = 4 * WARP_WORDS.I;
export const UNIFORM: number = PREDICATES + 4 * WARP_WORDS.P;
export const CONVERGENCE: number = UNIFORM + 4 * WARP_WORDS.U;
/** Words that the simulator and translated code tell each other. */
export const EXCHANGE: number = CONVERGENCE + 4 * WARP_WORDS.B;
export const Exchange = {
  /** Address of the CTA's shared memory, its size, and the shared address of its first byte. */
  sharedAt: 0,
  sharedSize: 1,
  sharedFirst: 2,
  /** Where to go on, instructions issued, threads that executed them. */
  pc: 3,
  issued: 4,
  threads: 5,
  /** Index of the CTA x, y, z, and its rank in its cluster. */
  block: 6,
  rank: 9,
  /** Address of the warp's local memory, and how many bytes of it each lane has (state.ts: words from the top down, a row of lanes for each). */
  localAt: 10,
  localSize: 11,
  /** Not 0: what the warp does is told (`observe`, in code that is made for it). */
  observed: 12,
} as const;
export const EXCHANGE_WORDS = 16;
/** Indices of the threads: x, y, z by lane. */
export const THREADS: number = EXCHANGE + 4 * EXCHANGE_WORDS;
export const WARP_BYTES: number = THREADS + 3 * ROW_BYTES;
