/**
 * Line tables of code that has moved: `.debug_line` and `.nv_debug_line_sass`. The rows of a sequence are read with the
 * extended opcode 0x90 (NVIDIA: the row is inlined code; row number of the call in the sequence, name), and written anew
 * for the new order: before an instruction its row when it is another one than that of the instruction before, and
 * before that the rows of the calls it was inlined by.
 */
import { sleb, uleb } from "../../elf/cubin/fixed.js";
import type { CodeMap } from "./map.js";

interface Row {
  readonly offset: number;
  readonly file: number;
  readonly line: number;
  /** Number of the row of the call that this code was inlined by, 0 for none; offset of its name. */
  readonly context: number;
  readonly name: number;
}

/** The sequence of one function: from its DW_LNE_set_address to its end. */
interface Sequence {
  /** Bytes of the table where the sequence begins and ends. */
  readonly start: number;
  readonly end: number;
  /** Byte offset of the address itself (its relocation). */
  readonly address: number;
  readonly rows: readonly Row[];
}

export interface MovedLines {
  readonly bytes: Uint8Array;
  /** Old byte offset of an address → new one. */
  readonly places: ReadonlyMap<number, number>;
}

/** `functions`: byte offset of an address (its relocation) → the code. A string says what was not understood. */
export function moveLines(bytes: Uint8Array, functions: ReadonlyMap<number, CodeMap>): MovedLines | string {
  const v = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out: number[] = [];
  const places = new Map<number, number>();
  let at = 0;
  while (at + 10 <= bytes.length) {
    const end = at + 4 + v.getUint32(at, true);
    const program = at + 10 + v.getUint32(at + 6, true);
    if (end > bytes.length || program > end) return "a line table is truncated";
    const table = new Table(bytes, at + 10, program, end);
    const start = out.length;
    for (let i = at; i < program; i++) out.push(bytes[i]!);
    const problem = table.write(out, functions, places);
    if (problem !== null) return problem;
    const size = out.length - start - 4;
    for (let i = 0; i < 4; i++) out[start + i] = (size >>> (8 * i)) & 0xff;
    at = end;
  }
  for (; at < bytes.length; at++) out.push(bytes[at]!);
  return { bytes: Uint8Array.from(out), places };
}

class Table {
  private at: number;
  private readonly minimum: number;
  private readonly lineBase: number;
  private readonly lineRange: number;
  private readonly opcodeBase: number;
  private problem: string | null = null;

  constructor(
    private readonly bytes: Uint8Array,
    header: number,
    program: number,
    private readonly end: number,
  ) {
    this.at = program;
    this.minimum = bytes[header]!;
    this.lineBase = (bytes[header + 2]! << 24) >> 24;
    this.lineRange = bytes[header + 3]! || 1;
    this.opcodeBase = bytes[header + 4]!;
  }

  write(out: number[], functions: ReadonlyMap<number, CodeMap>, places: Map<number, number>): string | null {
    if (this.minimum !== 1) return "a line table counts in other units than bytes";
    while (this.at < this.end) {
      const s = this.sequence();
      if (this.problem !== null) return this.problem;
      const map = functions.get(s.address);
      const from = out.length;
      if (map === undefined) for (let i = s.start; i < s.end; i++) out.push(this.bytes[i]!);
      else writeSequence(out, s.rows, map);
      if (s.address >= 0) places.set(s.address, from + 3);
      if (map === undefined && s.address >= 0) places.set(s.address, from + s.address - s.start);
    }
    return null;
  }

  private sequence(): Sequence {
    const start = this.at;
    let address = -1;
    const rows: Row[] = [];
    let offset = 0;
    let file = 1;
    let line = 1;
    let context = 0;
    let name = 0;
    const row = (): void => {
      rows.push({ offset, file, line, context, name });
    };
    while (this.at < this.end) {
      const op = this.bytes[this.at++]!;
      if (op >= this.opcodeBase) {
        offset += Math.floor((op - this.opcodeBase) / this.lineRange);
        line += this.lineBase + ((op - this.opcodeBase) % this.lineRange);
        row();
      } else if (op === 0) {
        const next = this.uleb() + this.at;
        const sub = this.bytes[this.at++];
        if (sub === 1) {
          this.at = next;
          return { start, end: this.at, address, rows };
        }
        if (sub === 2) {
          if (address >= 0 || rows.length > 0) this.problem = "a line table sets an address twice";
          address = this.at;
        } else if (sub === 0x90) {
          context = this.uleb();
          name = this.uleb();
        } else this.problem = `a line table has the extended opcode ${sub}`;
        this.at = next;
      } else if (op === 1) row();
      else if (op === 2) offset += this.uleb();
      else if (op === 3) line += this.sleb();
      else if (op === 4) file = this.uleb();
      else if (op === 8) offset += Math.floor((255 - this.opcodeBase) / this.lineRange);
      else {
        this.problem = `a line table has the opcode ${op}`;
        break;
      }
    }
    this.problem ??= "a line table has a sequence without an end";
    return { start, end: this.at, address, rows };
  }

  private uleb(): number {
    let value = 0;
    for (let shift = 0; this.at < this.end; shift += 7) {
      const byte = this.bytes[this.at++]!;
      if (shift < 49) value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  private sleb(): number {
    let value = 0;
    for (let shift = 0; this.at < this.end; shift += 7) {
      const byte = this.bytes[this.at++]!;
      if (shift < 49) value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return shift < 49 && (byte & 0x40) !== 0 ? value - 2 ** (shift + 7) : value;
    }
    return value;
  }
}

function writeSequence(out: number[], rows: readonly Row[], map: CodeMap): void {
  out.push(0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0);
  const rowAt = lastRows(rows, map.lifted.source.words.length >> 2);
  const order = map.order();
  const now: State = { out, offset: 0, file: 1, line: 1, context: 0, name: 0, count: 0, numbers: new Map() };
  let last = -1;
  order.forEach((id, i) => {
    const r = id < 0 ? last : rowAt[id]!;
    if (r < 0 || r === last) return;
    emit(r, rows, 16 * i, now);
    last = r;
  });
  out.push(2, ...uleb(map.size - now.offset), 0, 1, 1);
}

/** The last row that holds at each instruction, −1 before the first. */
function lastRows(rows: readonly Row[], count: number): Int32Array {
  const at = new Int32Array(count).fill(-1);
  rows.forEach((r, i) => {
    if (r.offset >> 4 < count) at[r.offset >> 4] = i;
  });
  for (let i = 1; i < count; i++) if (at[i] === -1) at[i] = at[i - 1]!;
  return at;
}

interface State {
  readonly out: number[];
  offset: number;
  file: number;
  line: number;
  context: number;
  name: number;
  /** Rows written so far; rows count from 1. */
  count: number;
  /** Old row index → its new number. */
  readonly numbers: Map<number, number>;
}

function emit(index: number, rows: readonly Row[], offset: number, now: State): void {
  const r = rows[index]!;
  const { out } = now;
  let context = 0;
  if (r.context > 0 && r.context <= index) {
    if (!now.numbers.has(r.context - 1)) emit(r.context - 1, rows, offset, now);
    context = now.numbers.get(r.context - 1)!;
  }
  if (r.file !== now.file) out.push(4, ...uleb(r.file));
  if (context !== now.context || r.name !== now.name) {
    const body = [0x90, ...uleb(context), ...uleb(r.name)];
    out.push(0, ...uleb(body.length), ...body);
  }
  if (r.line !== now.line) out.push(3, ...sleb(r.line - now.line));
  if (offset !== now.offset) out.push(2, ...uleb(offset - now.offset));
  out.push(1);
  now.offset = offset;
  now.file = r.file;
  now.line = r.line;
  now.context = context;
  now.name = r.name;
  now.numbers.set(index, ++now.count);
}
