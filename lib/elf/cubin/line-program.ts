/** Writes `.nv_debug_line_sass`: line of the PTX text → SASS offset, one DWARF 2 program for all functions (digest G §1D). */
import type { Span } from "../../diagnostics.js";
import { sleb, uleb } from "./fixed.js";

export interface LineInput {
  /** Position of each instruction, 16 bytes apart. */
  readonly locs: readonly (Span | null)[];
  /** Bytes of the function, tail included. */
  readonly size: number;
}

export interface LineProgram {
  readonly bytes: Uint8Array;
  /** Where the address of each function goes, for relocations. */
  readonly places: readonly number[];
}

/** min_inst 1, default_is_stmt 1, line_base −5, line_range 14, opcode_base 10, lengths, no directories, no files. */
const header: readonly number[] = [1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0];

export function lineProgram(functions: readonly LineInput[]): LineProgram {
  const body: number[] = [];
  const places: number[] = [];
  const start = 10 + header.length;
  for (const f of functions) {
    // DW_LNE_set_address, then file 0: the PTX text.
    places.push(start + body.length + 3);
    body.push(0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0);
    const reached = rows(f.locs, body);
    body.push(2, ...uleb(f.size - reached), 0, 1, 1);
  }
  const size = 2 + 4 + header.length + body.length;
  const word = (n: number): number[] => [n & 0xff, (n >>> 8) & 0xff, (n >>> 16) & 0xff, (n >>> 24) & 0xff];
  return { bytes: Uint8Array.from([...word(size), 2, 0, ...word(header.length), ...header, ...body]), places };
}

/** A row wherever the line changes; returns the offset of the last one. */
function rows(locs: readonly (Span | null)[], out: number[]): number {
  let line = 1;
  let last = 0;
  let offset = 0;
  locs.forEach((loc, i) => {
    if (loc === null || loc.line === last) return;
    const delta = loc.line - line;
    if (delta !== 0) out.push(3, ...sleb(delta));
    if (i * 16 !== offset) out.push(2, ...uleb(i * 16 - offset));
    out.push(1);
    line = loc.line;
    last = loc.line;
    offset = i * 16;
  });
  return offset;
}
