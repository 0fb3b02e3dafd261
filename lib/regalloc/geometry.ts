/**
 * Register files and the places a value may take in them (wiki page 33 §Step 1; measured on ptxas 13.0.88, wiki page 32).
 *
 * R0…R252 are usable: ptxas never goes higher and reports highest index + 1 + 2, hence 255 at full pressure. R1 is the
 * stack pointer. UR63 is URZ up to sm_90; later targets have more, which nothing confirms as usable, so 63 everywhere.
 */
import { File } from "../ori/types.js";

export type FileName = "R" | "UR" | "P" | "UP" | "B";

export interface FileInfo {
  readonly file: File;
  readonly name: FileName;
  /** Usable registers, from 0 on. */
  readonly registers: number;
  /** Never given to a value that is not bound to it; −1 for none. */
  readonly reserved: number;
}

/** The stack pointer. */
export const STACK_POINTER = 1;
/** Uniform registers are given out from here on, at -O1 and above; those below come last (ptxas 13.0.88, sm_75 to sm_121). */
export const FIRST_UNIFORM = 4;
/** What ptxas adds to the highest register + 1 when it reports a number (measured on ptxas 13.0.88). */
export const REPORTED_EXTRA = 2;

/** In order of allocation: what is spilled from one file becomes a value of a later one. */
export const files: readonly FileInfo[] = [
  { file: File.B, name: "B", registers: 16, reserved: -1 },
  { file: File.UP, name: "UP", registers: 7, reserved: -1 },
  { file: File.UR, name: "UR", registers: 63, reserved: -1 },
  { file: File.P, name: "P", registers: 7, reserved: -1 },
  { file: File.R, name: "R", registers: 253, reserved: STACK_POINTER },
];

/** Pairs start at even registers, quads at multiples of four, larger tuples at multiples of eight. */
export function alignmentOf(width: number): number {
  return width <= 1 ? 1 : width === 2 ? 2 : width <= 4 ? 4 : 8;
}
