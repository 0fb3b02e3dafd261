/**
 * The call ABI of ptxas 13.0.88, the same on sm_75 to sm_121 (read off its code for functions of many signatures at -O0 and
 * -O3, `-c` and recursive; test/oracle/calls.test.ts).
 *
 * R1 is the stack pointer, R20:R21 hold the return address. Parameters lie in R4 … R15: each takes the first run of free registers
 * that holds all of it and begins at a multiple of its alignment (4 to 16 bytes), so that later small ones fill gaps; one that
 * finds no run lies on the stack, at [R1 + n] as the callee is entered, in order, at multiples of its alignment. The result begins
 * at R4; one of more than 48 bytes is written to local memory at the address that the caller passes in R4, before all parameters.
 *
 * The callee keeps R2, R16 … R31 and of the registers above those whose number is 4 to 7 modulo 8; B6 and later convergence barriers;
 * no predicate and, as far as its own code goes, no uniform register below UR36.
 */
import { File } from "./operand.js";

export const STACK_REGISTER = 1;
/** Bytes: what the stack pointer is a multiple of where a function begins (ptxas 13.0.88). */
export const STACK_STEP = 8;
/** First of the pair that holds the return address. */
export const RETURN_ADDRESS = 20;
/** First and last register of parameters and results. */
export const FIRST_ARGUMENT = 4;
export const LAST_ARGUMENT = 15;
/** Results of more bytes than this go through memory. */
export const LARGEST_RESULT: number = 4 * (LAST_ARGUMENT - FIRST_ARGUMENT + 1);
/** Convergence barriers from this one on are kept. */
export const FIRST_KEPT_BARRIER = 6;
/** Uniform registers from this one on may hold what a caller keeps: a callee leaves them alone. */
export const FIRST_KEPT_UNIFORM = 36;
/** A function that is called must be granted this many registers, as ptxas counts them. */
export const LEAST_REGISTERS = 24;
/** Offsets from the stack pointer as the function is entered, for its parameters on the stack: the frame's size is added once it is known. */
export const INCOMING = 0x400000;

/** The callee keeps general register `n`. */
export function isKept(n: number): boolean {
  return n === STACK_REGISTER || n === 2 || (n >= 16 && n < 32) || (n >= 32 && (n & 7) >= 4);
}

/** What a caller may find changed after a call. */
export function isClobbered(file: File, n: number): boolean {
  if (file === File.R) return !isKept(n);
  if (file === File.UR) return n < FIRST_KEPT_UNIFORM;
  return file !== File.B || n < FIRST_KEPT_BARRIER;
}

export interface PassedValue {
  readonly size: number;
  /** Bytes. */
  readonly align: number;
}

/** Where a parameter lies: in registers from `register` on, or `offset` bytes from the stack pointer. */
export type Place =
  | { readonly register: number; readonly offset: -1 }
  | { readonly register: -1; readonly offset: number };

export interface Passing {
  /** In the order of the parameters. */
  readonly places: readonly Place[];
  /** Bytes of parameters on the stack. */
  readonly stackBytes: number;
  /** The result is written through the address in R4. */
  readonly resultInMemory: boolean;
}

/** Where the parameters lie of a function with a result of `resultSize` bytes. */
export function passing(parameters: readonly PassedValue[], resultSize: number): Passing {
  const taken = new Uint8Array(LAST_ARGUMENT + 1);
  const resultInMemory = resultSize > LARGEST_RESULT;
  if (resultInMemory) taken[FIRST_ARGUMENT] = 1;
  let stackBytes = 0;
  const places = parameters.map((p): Place => {
    const align = Math.min(16, Math.max(4, p.align));
    const registers = Math.max(1, Math.ceil(p.size / 4));
    for (let r = FIRST_ARGUMENT; r + registers <= LAST_ARGUMENT + 1; r += align / 4) {
      if (taken.subarray(r, r + registers).some((t) => t === 1)) continue;
      taken.fill(1, r, r + registers);
      return { register: r, offset: -1 };
    }
    const offset = Math.ceil(stackBytes / align) * align;
    stackBytes = offset + 4 * registers;
    return { register: -1, offset };
  });
  return { places, stackBytes, resultInMemory };
}
