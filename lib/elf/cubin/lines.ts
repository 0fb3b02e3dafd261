/**
 * DWARF 2 line programs as ptxas writes them: `.debug_line` (source line → SASS) and `.nv_debug_line_sass` (line of the
 * PTX text → SASS), wiki page 60, measured. Only what those programs use is understood; anything else ends the reading quietly,
 * because lines are help for people and never needed to run the code.
 */
import { latin1, view } from "../elf64.js";

export interface LineRow {
  /** Symbol index of the function, from the relocation of its DW_LNE_set_address. */
  readonly symbol: number;
  readonly offset: number;
  readonly file: number;
  readonly line: number;
  /** Name of the file with its directory, "" when the table has none. */
  readonly path: string;
}

/** Bytes of input a single program may make rows for: one row per byte at most, so memory stays bounded. */
interface Cursor {
  at: number;
  readonly end: number;
  readonly bytes: Uint8Array;
}

function uleb(c: Cursor): number {
  let value = 0;
  for (let shift = 0; c.at < c.end; shift += 7) {
    const byte = c.bytes[c.at++]!;
    if (shift < 49) value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  return value;
}

function sleb(c: Cursor): number {
  let value = 0;
  for (let shift = 0; c.at < c.end; shift += 7) {
    const byte = c.bytes[c.at++]!;
    if (shift < 49) value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return shift < 49 && (byte & 0x40) !== 0 ? value - 2 ** (shift + 7) : value;
  }
  return value;
}

/** Rows of all programs in `bytes`; `symbolAt` gives the symbol that the eight bytes at an offset are relocated by. */
export function readLines(bytes: Uint8Array, symbolAt: (offset: number) => number | null): LineRow[] {
  const v = view(bytes);
  const rows: LineRow[] = [];
  let at = 0;
  while (at + 10 <= bytes.length) {
    const end = at + 4 + v.getUint32(at, true);
    const program = at + 10 + v.getUint32(at + 6, true);
    if (end > bytes.length || program > end || at + 15 > bytes.length) break;
    readProgram(bytes, { at: program, end, bytes }, at + 10, symbolAt, rows);
    at = end;
  }
  return rows;
}

/** Paths by file number (from 1): after the header stand the directories, then file names with the number of theirs. */
function fileNames(bytes: Uint8Array, header: number, end: number): string[] {
  const c: Cursor = { at: header + 4 + bytes[header + 4]!, end, bytes };
  const directories = [""];
  for (let name = nextString(c); name !== ""; name = nextString(c)) directories.push(name);
  const names = [""];
  for (let name = nextString(c); name !== ""; name = nextString(c)) {
    const directory = directories[uleb(c)] ?? "";
    uleb(c);
    uleb(c);
    names.push(directory === "" || name.startsWith("/") ? name : `${directory}/${name}`);
  }
  return names;
}

/** The string at the cursor; "" when nothing is left. */
function nextString(c: Cursor): string {
  if (c.at >= c.end) return "";
  const start = c.at;
  while (c.at < c.end && c.bytes[c.at] !== 0) c.at++;
  const text = latin1(c.bytes.subarray(start, c.at));
  c.at++;
  return text;
}

function readProgram(
  bytes: Uint8Array,
  c: Cursor,
  header: number,
  symbolAt: (offset: number) => number | null,
  rows: LineRow[],
): void {
  const minimum = bytes[header]!;
  const lineBase = (bytes[header + 2]! << 24) >> 24;
  const lineRange = bytes[header + 3]! || 1;
  const opcodeBase = bytes[header + 4]!;
  const names = fileNames(bytes, header, c.at);
  let symbol = 0;
  let offset = 0;
  let file = 1;
  let line = 1;
  const reset = (): void => {
    symbol = 0;
    offset = 0;
    file = 1;
    line = 1;
  };
  while (c.at < c.end) {
    const op = c.bytes[c.at++]!;
    if (op >= opcodeBase) {
      const k = op - opcodeBase;
      offset += Math.floor(k / lineRange) * minimum;
      line += lineBase + (k % lineRange);
      rows.push({ symbol, offset, file, line, path: names[file] ?? "" });
    } else if (op === 0) {
      const size = uleb(c);
      const next = c.at + size;
      const sub = c.bytes[c.at];
      if (sub === 1) reset();
      else if (sub === 2) {
        symbol = symbolAt(c.at + 1) ?? 0;
        offset = 0;
      }
      c.at = Math.max(c.at, Math.min(next, c.end));
    } else if (op === 1) rows.push({ symbol, offset, file, line, path: names[file] ?? "" });
    else if (op === 2) offset += uleb(c) * minimum;
    else if (op === 3) line += sleb(c);
    else if (op === 4) file = uleb(c);
    else if (op === 5) uleb(c);
    else if (op === 8) offset += Math.floor((255 - opcodeBase) / lineRange) * minimum;
    else if (op === 9) {
      offset += (c.bytes[c.at] ?? 0) + (c.bytes[c.at + 1] ?? 0) * 256;
      c.at += 2;
    }
  }
}
