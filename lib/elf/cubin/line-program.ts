/**
 * Writes line tables: `.debug_line` (source line → SASS offset) and `.nv_debug_line_sass` (line of the PTX text → SASS offset), one
 * DWARF 2 program for all functions (wiki page 60, measured), and the same with addresses among Mercury instructions.
 */
import { asciiBytes } from "../elf64-write.js";
import { sleb, uleb } from "./fixed.js";

/** A line of a file, numbered from 1 (0: the program names none). Equal positions of inlined code share `inlined`. */
export interface Position {
  /** Number of the file, from 1. */
  readonly file: number;
  /** Line in it, from 1. */
  readonly line: number;
  /** The call that brought it in; null for code that stands where it was written. */
  readonly inlined: Inlined | null;
}

/** A call that was inlined. */
export interface Inlined {
  /** Byte of the function's name in `.debug_str`. */
  readonly name: number;
  /** Where the call stands. */
  readonly caller: Position;
}

/** A file of a line table. */
export interface LineFile {
  /** Its path as the PTX gave it. */
  readonly path: string;
  /** Seconds since 1970 and bytes; 0 where not known. */
  readonly time: number;
  /** Its size in bytes; 0 for unknown. */
  readonly size: number;
}

export interface LineFunction {
  /** Of each instruction, 16 bytes apart; null where there is none: as the one before. */
  readonly positions: readonly (Position | null)[];
  /** Bytes of the function, tail included. */
  readonly size: number;
}

export interface LineTable {
  readonly files: readonly LineFile[];
  readonly functions: readonly LineFunction[];
  /** Names of inlined functions stand in `.debug_str`. */
  readonly strings: boolean;
}

/** Addresses among Mercury instructions (see capmerc-derive.ts). */
export interface MercuryLines {
  /** Per function: of each word, and of the end. */
  readonly addresses: readonly Uint32Array[];
  /** Whether code before the first statement is marked so. */
  readonly marked: boolean;
}

export interface LineProgram {
  readonly bytes: Uint8Array;
  /** Where the address of each function goes, for relocations. */
  readonly places: readonly number[];
  /** Where the start of `.debug_str` goes (four bytes); null without it. */
  readonly strings: number | null;
}

const MINIMUM = 1;
const LINE_BASE = -5;
const LINE_RANGE = 14;
const OPCODE_BASE = 10;
/** min_inst, default_is_stmt, line_base, line_range, opcode_base, operand counts. */
const header: readonly number[] = [
  ...[MINIMUM, 1, LINE_BASE & 0xff, LINE_RANGE, OPCODE_BASE],
  ...[0, 1, 1, 1, 1, 0, 0, 0, 1],
];

/** Extended operations: end of sequence, address; of NVIDIA: the call that the rows were inlined at, code without a statement. */
const END = [0, 1, 1];
const SET_ADDRESS = [0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0];
const INLINED_CALL = 0x90;
const WITHOUT_STATEMENT = 0x92;

export function lineProgram(table: LineTable, mercury?: MercuryLines): LineProgram {
  const head = [...header, ...names(table.files)];
  const start = 10 + head.length + (table.strings ? 4 : 0);
  const body: number[] = [];
  const places: number[] = [];
  table.functions.forEach((f, i) => {
    places.push(start + body.length + 3);
    body.push(...SET_ADDRESS);
    const addresses = mercury?.addresses[i];
    const end = addresses === undefined ? f.size : addresses[addresses.length - 1]!;
    const rows = new Rows(body);
    rows.write(f.positions, (k) => addresses?.[k] ?? k * 16, mercury?.marked === true);
    rows.advance(end);
    body.push(...END);
  });
  const size = start - 4 + body.length;
  const word = (n: number): number[] => [n & 0xff, (n >>> 8) & 0xff, (n >>> 16) & 0xff, (n >>> 24) & 0xff];
  const zero = table.strings ? word(0) : [];
  const bytes = Uint8Array.from([...word(size), 2, 0, ...word(start - 10), ...head, ...zero, ...body]);
  return { bytes, places, strings: table.strings ? start - 4 : null };
}

/** Directories, then files with the number of theirs. */
function names(files: readonly LineFile[]): number[] {
  const directories: string[] = [];
  const rows = files.map((f) => {
    const slash = f.path.lastIndexOf("/");
    const directory = f.path.slice(0, Math.max(slash, 0));
    if (slash > 0 && !directories.includes(directory)) directories.push(directory);
    const name = slash > 0 ? f.path.slice(slash + 1) : f.path;
    const number = slash > 0 ? directories.indexOf(directory) + 1 : 0;
    return [...asciiBytes(`${name}\0`), ...uleb(number), ...uleb(f.time), ...uleb(f.size)];
  });
  return [...directories.flatMap((d) => [...asciiBytes(`${d}\0`)]), 0, ...rows.flat(), 0];
}

/** The rows of one function: one wherever the position changes. */
class Rows {
  private readonly out: number[];
  private offset = 0;
  private file: number | null = null;
  private line = 1;
  private count = 0;
  private inlined: Position["inlined"] = null;
  /** Numbers (from 1) of the rows that stand for calls. */
  private readonly calls = new Map<Inlined, number>();

  constructor(out: number[]) {
    this.out = out;
  }

  /** Code before the first position counts to it. */
  write(positions: readonly (Position | null)[], address: (index: number) => number, marked: boolean): void {
    const first = positions.findIndex((p) => p !== null);
    if (first < 0) return;
    let pending = { at: 0, position: positions[first]! };
    let last: Position | null = null;
    const flush = (): void => {
      if (last === null || !same(last, pending.position)) this.position(pending.at, pending.position);
      last = pending.position;
    };
    const mark = marked && address(first) > 0;
    if (mark) this.extended(WITHOUT_STATEMENT, [1]);
    for (let i = first; i < positions.length; i++) {
      const position = positions[i];
      if (position == null) continue;
      const at = address(i);
      // Words that are one Mercury instruction, or none, share an address.
      if (at !== pending.at) flush();
      if (mark && i === first) {
        this.extended(WITHOUT_STATEMENT, [0]);
        this.advance(at);
      }
      pending = { at, position };
    }
    flush();
  }

  private position(at: number, p: Position): void {
    if (p.inlined !== this.inlined) {
      const of = p.inlined === null ? [0, 0] : [...uleb(this.call(at, p.inlined)), ...uleb(p.inlined.name)];
      this.extended(INLINED_CALL, of);
      this.inlined = p.inlined;
    }
    this.row(at, p);
  }

  /** A call is a row of its own, to which those of the inlined code refer. */
  private call(at: number, inlined: Inlined): number {
    const known = this.calls.get(inlined);
    if (known !== undefined) return known;
    this.position(at, inlined.caller);
    this.calls.set(inlined, this.count);
    return this.count;
  }

  private row(at: number, p: Position): void {
    const { out } = this;
    if (p.file !== this.file) out.push(4, ...uleb(p.file));
    const delta = p.line - this.line;
    const step = at - this.offset;
    const special = delta - LINE_BASE + LINE_RANGE * step + OPCODE_BASE;
    if (step > 0 && delta >= LINE_BASE && delta < LINE_BASE + LINE_RANGE && special < 256) out.push(special);
    else {
      if (delta !== 0) out.push(3, ...sleb(delta));
      this.advance(at);
      out.push(1);
    }
    this.file = p.file;
    this.line = p.line;
    this.offset = at;
    this.count++;
  }

  /** ptxas writes the step as a signed number. */
  advance(at: number): void {
    if (at !== this.offset) this.out.push(2, ...sleb(at - this.offset));
    this.offset = at;
  }

  private extended(op: number, operands: readonly number[]): void {
    this.out.push(0, 1 + operands.length, op, ...operands);
  }
}

function same(a: Position, b: Position): boolean {
  return a.file === b.file && a.line === b.line && a.inlined === b.inlined;
}
