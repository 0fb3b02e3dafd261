/**
 * A cubin as lines of text, everything resolved to names: header, segments, sections, symbols, relocations, attributes.
 * What depends only on the place in the file or on the layout of string tables is left out, so that two cubins can be
 * compared line by line.
 */
import { ok, type Result } from "../../result.js";
import { type ElfSection, PF, PT, SHT } from "../elf64.js";
import { decodeInfo, type InfoRecord, infoName, infoWords } from "./info.js";
import { readCubin } from "./read.js";
import { relocationName } from "./relocations.js";
import { SHT_CUDA } from "./sections.js";
import type { Cubin } from "./types.js";

/** What a description of a cubin shows. */
export interface DescribeOptions {
  /** Print section contents as hexadecimal words (text sections always stay out). */
  readonly contents?: boolean;
}

const hex = (n: number): string => `0x${(n >>> 0).toString(16)}`;

/** A cubin in words: header, sections, symbols, attributes, one line each. */
export function describeCubin(bytes: Uint8Array, options: DescribeOptions = {}): Result<string[]> {
  const read = readCubin(bytes);
  if (!read.ok) return read;
  const cubin = read.value;
  const lines = [`${cubin.target} ${cubin.kind} flags=${hex(cubin.elf.flags)}`];
  for (const s of cubin.elf.sections) if (s.index > 0) lines.push(sectionLine(cubin, s));
  lines.push(...segmentLines(cubin), ...symbolLines(cubin));
  for (const s of cubin.elf.sections) lines.push(...contentLines(cubin, s, options));
  return ok(lines);
}

function sectionLine(cubin: Cubin, s: ElfSection): string {
  const name = (i: number): string => cubin.elf.sections[i]?.name || String(i);
  const info = (s.flags & 0x40) !== 0 ? name(s.info) : infoOf(cubin, s);
  const size = s.name.endsWith("strtab") ? "" : ` size=${hex(s.size)}`;
  return `section ${s.name} type=${hex(s.type)} flags=${hex(s.flags)} align=${s.align} entsize=${s.entsize} link=${name(s.link)} info=${info}${size}`;
}

/** The info of a text section is a function symbol, with the registers in the high byte on sm_75…89. */
function infoOf(cubin: Cubin, s: ElfSection): string {
  if (!s.name.startsWith(".text.")) return String(s.info);
  return `${s.info >>> 24}:${cubin.symbols[s.info & 0xffffff]?.name}`;
}

/** Segments by the sections that they hold, not by their place in the file. */
function segmentLines(cubin: Cubin): string[] {
  return cubin.elf.segments.map((p) => {
    const flags = `${p.flags & PF.R ? "r" : "-"}${p.flags & PF.W ? "w" : "-"}${p.flags & PF.X ? "x" : "-"}`;
    const held = cubin.elf.sections.filter(
      (s) =>
        s.index > 0 &&
        s.type !== SHT.Nobits &&
        s.size > 0 &&
        s.offset >= p.offset &&
        s.offset + s.size <= p.offset + p.filesz,
    );
    const type = p.type === PT.Phdr ? "PHDR" : p.type === PT.Load ? "LOAD" : hex(p.type);
    return `segment ${type} ${flags} filesz=${hex(p.filesz)} memsz=${hex(p.memsz)} ${held.map((s) => s.name).join(" ")}`;
  });
}

function symbolLines(cubin: Cubin): string[] {
  return cubin.symbols.map(
    (s) =>
      `symbol ${s.index} ${s.name || s.sectionName} bind=${s.bind} type=${s.type} other=${hex(s.other)} section=${s.sectionName || s.section} value=${hex(s.value)} size=${hex(s.size)}`,
  );
}

function contentLines(cubin: Cubin, s: ElfSection, options: DescribeOptions): string[] {
  if (s.type === SHT_CUDA.Info || s.type === SHT_CUDA.Compat) {
    const records = decodeInfo(s.data);
    return records.ok ? records.value.map((r) => `${s.name} ${recordText(cubin, r)}`) : [`${s.name} malformed`];
  }
  if (s.type === SHT.Rel || s.type === SHT.Rela) return relocationLines(cubin, s);
  if (s.type === SHT.Symtab || s.type === SHT.Strtab || !options.contents || s.name.startsWith(".text.")) return [];
  const lines: string[] = [];
  for (let at = 0; at < s.data.length; at += 16)
    lines.push(`${s.name}+${hex(at)} ${hexBytes(s.data.subarray(at, at + 16))}`);
  return lines;
}

function hexBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

/** Attributes whose first word is a symbol. */
const bySymbol: ReadonlySet<string> = new Set([
  "REGCOUNT",
  "FRAME_SIZE",
  "MIN_STACK_SIZE",
  "MAX_STACK_SIZE",
  "PARAM_CBANK",
]);

function recordText(cubin: Cubin, r: InfoRecord): string {
  if (r.format === 1) return infoName(r.code);
  if (r.format !== 4) return `${infoName(r.code)} ${hex(r.value)}`;
  const words = infoWords(r).map(hex);
  if (bySymbol.has(r.name)) {
    const symbol = cubin.symbols[infoWords(r)[0] ?? 0];
    words[0] = symbol?.name || symbol?.sectionName || "?";
  }
  return `${infoName(r.code)} ${words.join(" ")}`;
}

function relocationLines(cubin: Cubin, s: ElfSection): string[] {
  const size = s.type === SHT.Rela ? 24 : 16;
  const v = new DataView(s.data.buffer, s.data.byteOffset, s.data.byteLength);
  const lines: string[] = [];
  for (let at = 0; at + size <= s.data.length; at += size) {
    const symbol = cubin.symbols[v.getUint32(at + 12, true)];
    const addend = size === 24 ? v.getInt32(at + 16, true) : 0;
    lines.push(
      `${s.name} ${hex(v.getUint32(at, true))} ${relocationName(v.getUint32(at + 8, true))} ${symbol?.name || symbol?.sectionName}+${addend}`,
    );
  }
  return lines;
}
