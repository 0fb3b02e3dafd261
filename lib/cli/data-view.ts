/** Constants and data of a cubin as text: sections, the symbols in them, bytes as hexadecimal digits, u32 and f32, relocations. */

import {
  type Cubin,
  type CubinFunction,
  type CubinReloc,
  type CubinSymbol,
  type ElfSection,
  relocationName,
} from "../elf/index.js";
import { counted } from "../inspect.js";

/** Constant banks, variables in global, shared and local memory, and the tables of unified functions and data. */
const dataSection = /^\.nv\.(constant\d+|global|shared|local|uft|udt)\b/;

/** STT_SECTION and STT_FILE: names of places in the file, not of variables. */
const isVariable = (s: CubinSymbol): boolean => s.name !== "" && s.type !== 3 && s.type !== 4;

const hex = (n: number): string => `0x${n.toString(16)}`;

/** Every section with data, in file order; those of functions for the named ones alone. */
export function dataText(cubin: Cubin, functions: ReadonlySet<string>): string {
  const owners = new Map<number, CubinFunction>(cubin.functions.map((f) => [f.section, f]));
  const symbols = new Map<number, CubinSymbol[]>();
  for (const s of cubin.symbols) {
    if (!isVariable(s)) continue;
    const there = symbols.get(s.section);
    if (there === undefined) symbols.set(s.section, [s]);
    else there.push(s);
  }
  const out = [`\t.target ${cubin.target}`];
  for (const s of cubin.elf.sections) {
    if (!dataSection.test(s.name)) continue;
    const owner = owners.get(s.info) ?? null;
    if (owner !== null && !functions.has(owner.name)) continue;
    out.push("", ...sectionLines(s, symbols.get(s.index) ?? [], cubin.relocs.get(s.index) ?? [], owner));
  }
  return `${out.join("\n")}\n`;
}

/** A line that stands before the byte at `offset`. */
interface Mark {
  readonly offset: number;
  readonly text: string;
}

function sectionLines(
  s: ElfSection,
  symbols: readonly CubinSymbol[],
  relocs: readonly CubinReloc[],
  owner: CubinFunction | null,
): string[] {
  const bytes = s.data.length === s.size ? "" : ", no bytes in the file";
  const lines = [`${s.name}:  // ${counted(s.size, "byte")}, aligned to ${s.align}${bytes}`];
  const marks: Mark[] = symbols.map((v) => ({
    offset: v.value,
    text: `${v.name}:  // ${hex(v.value)}, ${counted(v.size, "byte")}${v.bind === 0 ? ", local" : v.bind === 2 ? ", weak" : ""}`,
  }));
  if (owner !== null && s.name.startsWith(".nv.constant0"))
    for (const p of owner.params) {
      const offset = owner.paramBase + p.offset;
      marks.push({ offset, text: `// parameter ${p.ordinal}: ${hex(offset)}, ${counted(p.size, "byte")}` });
    }
  marks.sort((a, b) => a.offset - b.offset);
  const places = [...relocs].sort((a, b) => a.offset - b.offset);
  const writer: Writer = { lines, data: s.data, at: 0, relocs: places, next: 0 };
  for (const m of marks) {
    writeBytes(writer, m.offset);
    lines.push(m.text);
  }
  writeBytes(writer, s.data.length);
  return lines;
}

/** Where the bytes of a section have been written up to, and which of its relocations comes next. */
interface Writer {
  readonly lines: string[];
  readonly data: Uint8Array;
  at: number;
  readonly relocs: readonly CubinReloc[];
  next: number;
}

/** A stretch of zeros of more bytes than this is one line. */
const ZEROS = 32;

/** Rows of up to 16 bytes as far as `to`, each with its relocations after it. */
function writeBytes(w: Writer, to: number): void {
  const end = Math.min(to, w.data.length);
  while (w.at < end) {
    const zeros = zerosFrom(w.data, w.at, Math.min(end, w.relocs[w.next]?.offset ?? end)) - w.at;
    const size = zeros > ZEROS ? zeros - (zeros % 16) : Math.min(16, end - w.at);
    w.lines.push(zeros > ZEROS ? `  ${offsetText(w.at)}  ${size} zeros` : bytesText(w.data, w.at, w.at + size));
    w.at += size;
    for (; w.next < w.relocs.length && w.relocs[w.next]!.offset < w.at; w.next++)
      w.lines.push(`        ${relocText(w.relocs[w.next]!)}`);
  }
}

const offsetText = (n: number): string => n.toString(16).padStart(4, "0");

function zerosFrom(data: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to && data[i] === 0) i++;
  return i;
}

/** Offset, bytes in file order, and what whole words from here on are as u32 and f32. */
function bytesText(data: Uint8Array, from: number, to: number): string {
  const v = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const digits: string[] = [];
  for (let i = from; i < to; i++) digits.push(data[i]!.toString(16).padStart(2, "0"));
  const u32: string[] = [];
  const f32: string[] = [];
  for (let i = from; i + 4 <= to; i += 4) {
    u32.push(String(v.getUint32(i, true)));
    f32.push(String(Number(v.getFloat32(i, true).toPrecision(9))));
  }
  const head = `  ${offsetText(from)}  ${digits.join(" ")}`;
  return u32.length === 0 ? head : `${head.padEnd(56)} u32 ${u32.join(" ")}  f32 ${f32.join(" ")}`;
}

function relocText(r: CubinReloc): string {
  const name = r.symbol.name || r.symbol.sectionName;
  const addend = r.addend === 0 ? "" : r.addend > 0 ? `+${hex(r.addend)}` : `-${hex(-r.addend)}`;
  return `// ${hex(r.offset)}: ${relocationName(r.type)} ${name}${addend}`;
}
