/**
 * Writes an ELF64 file from a list of sections: contents in index order from byte 64 on, each at its alignment, then
 * section headers, then program headers. String tables are made here; everything else is the caller's.
 */
import { InternalError } from "../errors.js";
import {
  EHDR_SIZE,
  type ElfSegment,
  PHDR_SIZE,
  REL_SIZE,
  RELA_SIZE,
  roundUp,
  SHDR_SIZE,
  SHT,
  SYM_SIZE,
  view,
} from "./elf64.js";

/** A section to be written. Sections refer to each other by object; indices are given in list order from 1. */
export interface SectionDraft {
  name: string;
  type: number;
  flags: number;
  align: number;
  entsize: number;
  link: SectionDraft | null;
  info: SectionDraft | number;
  /** Null for SHT_NOBITS. */
  data: Uint8Array | null;
  /** Bytes in memory; used for SHT_NOBITS. */
  size: number;
  /** Unused bytes after it in the file. */
  room: number;
  /** A section before it whose bytes are its own, too. */
  shares: SectionDraft | null;
}

export function section(draft: Partial<SectionDraft> & { name: string; type: number }): SectionDraft {
  return { flags: 0, align: 1, entsize: 0, link: null, info: 0, data: null, size: 0, room: 0, shares: null, ...draft };
}

/** Where a section came to lie. */
export interface PlacedSection {
  readonly draft: SectionDraft;
  readonly index: number;
  readonly offset: number;
  /** Bytes in the file. */
  readonly filesz: number;
  /** Bytes in memory. */
  readonly memsz: number;
}

export interface ElfDraft {
  readonly type: number;
  readonly machine: number;
  readonly osabi: number;
  readonly abiVersion: number;
  readonly flags: number;
  readonly sections: readonly SectionDraft[];
  /** The section that holds section names; its data is made here. */
  readonly names: SectionDraft;
  /** Strings that it begins with, empty when left out. */
  readonly nameTable?: StringTable;
  /** Program headers, given the placed sections and the place of the table itself. */
  readonly segments: (placed: readonly PlacedSection[], table: { offset: number }) => readonly ElfSegment[];
}

/** A string table that holds each string once, in order of first use. */
export class StringTable {
  private readonly offsets = new Map<string, number>([["", 0]]);
  private readonly parts: string[] = [""];
  private size = 1;

  add(text: string): number {
    const known = this.offsets.get(text);
    if (known !== undefined) return known;
    const at = this.size;
    this.offsets.set(text, at);
    this.parts.push(text);
    this.size += text.length + 1;
    return at;
  }

  /** An unused byte. */
  skip(): void {
    this.parts.push("");
    this.size++;
  }

  bytes(): Uint8Array {
    return asciiBytes(`${this.parts.join("\0")}\0`);
  }
}

/** One byte per character; what is not in U+0000…U+00FF loses its upper bits. */
export function asciiBytes(text: string): Uint8Array {
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

/** `S` is what stands for a section: a draft, or its index. */
export interface SymbolDraft<S = SectionDraft> {
  readonly name: string;
  readonly bind: number;
  readonly type: number;
  readonly other: number;
  readonly section: S | null;
  readonly value: number;
  readonly size: number;
}

/** The bytes of a symbol table; entry 0 is made here, symbol i of the list gets index i + 1. */
export function symbolBytes<S>(
  symbols: readonly SymbolDraft<S>[],
  strings: StringTable,
  indexOf: (section: S) => number,
): Uint8Array {
  const out = new Uint8Array((symbols.length + 1) * SYM_SIZE);
  const v = view(out);
  symbols.forEach((s, i) => {
    const at = (i + 1) * SYM_SIZE;
    v.setUint32(at, strings.add(s.name), true);
    v.setUint8(at + 4, (s.bind << 4) | s.type);
    v.setUint8(at + 5, s.other);
    v.setUint16(at + 6, s.section === null ? 0 : indexOf(s.section), true);
    putU64(v, at + 8, s.value);
    putU64(v, at + 16, s.size);
  });
  return out;
}

export interface RelocationDraft {
  readonly offset: number;
  readonly type: number;
  /** Index in the symbol table. */
  readonly symbol: number;
  readonly addend: number;
}

export function relocationBytes(list: readonly RelocationDraft[], explicit: boolean): Uint8Array {
  const size = explicit ? RELA_SIZE : REL_SIZE;
  const out = new Uint8Array(list.length * size);
  const v = view(out);
  list.forEach((r, i) => {
    putU64(v, i * size, r.offset);
    v.setUint32(i * size + 8, r.type, true);
    v.setUint32(i * size + 12, r.symbol, true);
    if (explicit) putU64(v, i * size + 16, r.addend);
  });
  return out;
}

export function noteBytes(name: string, type: number, desc: Uint8Array): Uint8Array {
  const nameSize = name.length + 1;
  const descAt = 12 + roundUp(nameSize, 4);
  const out = new Uint8Array(descAt + roundUp(desc.length, 4));
  const v = view(out);
  v.setUint32(0, nameSize, true);
  v.setUint32(4, desc.length, true);
  v.setUint32(8, type, true);
  out.set(asciiBytes(name), 12);
  out.set(desc, descAt);
  return out;
}

/** Two's complement for negative values. */
export function putU64(v: DataView, at: number, value: number): void {
  v.setUint32(at, value >>> 0, true);
  v.setInt32(at + 4, Math.floor(value / 0x100000000) | 0, true);
}

function place(sections: readonly SectionDraft[]): { placed: PlacedSection[]; end: number } {
  const placed: PlacedSection[] = [];
  let at = EHDR_SIZE;
  sections.forEach((draft, i) => {
    const filesz = draft.type === SHT.Nobits ? 0 : (draft.data?.length ?? 0);
    const shared = draft.shares === null ? undefined : placed.find((p) => p.draft === draft.shares);
    if (shared === undefined) at = roundUp(at, draft.align);
    placed.push({
      draft,
      index: i + 1,
      offset: shared?.offset ?? at,
      filesz,
      memsz: draft.data === null ? draft.size : draft.data.length,
    });
    if (shared === undefined) at += filesz + draft.room;
  });
  return { placed, end: at };
}

export function writeElf(draft: ElfDraft): Uint8Array {
  const names = draft.nameTable ?? new StringTable();
  const nameAt = draft.sections.map((s) => names.add(s.name));
  draft.names.data = names.bytes();
  const index = new Map<SectionDraft, number>(draft.sections.map((s, i) => [s, i + 1]));
  const { placed, end } = place(draft.sections);
  const shoff = roundUp(end, 8);
  const shnum = draft.sections.length + 1;
  if (shnum >= 0xff00) throw new InternalError(`${shnum} sections need extended numbering`);
  const phoff = shoff + shnum * SHDR_SIZE;
  const segments = draft.segments(placed, { offset: phoff });
  const out = new Uint8Array(phoff + segments.length * PHDR_SIZE);
  const v = view(out);
  fileHeader(v, draft, { shoff, shnum, phoff, phnum: segments.length, shstrndx: index.get(draft.names)! });
  placed.forEach((p, i) => {
    if (p.draft.type !== SHT.Nobits && p.draft.data !== null) put(out, p.draft.data, p.offset);
    sectionHeader(v, shoff + p.index * SHDR_SIZE, p, nameAt[i]!, index);
  });
  segments.forEach((s, i) => {
    programHeader(v, phoff + i * PHDR_SIZE, s);
  });
  return out;
}

const BLOCK = 0x10000;

/** Copies what is not zero: memory that nobody wrote to costs nothing, and an array may be large and almost empty. */
function put(out: Uint8Array, data: Uint8Array, offset: number): void {
  if (data.length <= BLOCK) {
    out.set(data, offset);
    return;
  }
  for (let at = 0; at < data.length; at += BLOCK) {
    const block = data.subarray(at, at + BLOCK);
    if (!isZero(block)) out.set(block, offset + at);
  }
}

function isZero(block: Uint8Array): boolean {
  for (let i = 0; i < block.length; i++) if (block[i] !== 0) return false;
  return true;
}

interface Tables {
  readonly shoff: number;
  readonly shnum: number;
  readonly phoff: number;
  readonly phnum: number;
  readonly shstrndx: number;
}

function fileHeader(v: DataView, draft: ElfDraft, t: Tables): void {
  v.setUint32(0, 0x7f454c46, false);
  v.setUint8(4, 2);
  v.setUint8(5, 1);
  v.setUint8(6, 1);
  v.setUint8(7, draft.osabi);
  v.setUint8(8, draft.abiVersion);
  v.setUint16(16, draft.type, true);
  v.setUint16(18, draft.machine, true);
  v.setUint32(20, 1, true);
  putU64(v, 32, t.phnum === 0 ? 0 : t.phoff);
  putU64(v, 40, t.shoff);
  v.setUint32(48, draft.flags, true);
  v.setUint16(52, EHDR_SIZE, true);
  v.setUint16(54, PHDR_SIZE, true);
  v.setUint16(56, t.phnum, true);
  v.setUint16(58, SHDR_SIZE, true);
  v.setUint16(60, t.shnum, true);
  v.setUint16(62, t.shstrndx, true);
}

function sectionHeader(
  v: DataView,
  at: number,
  p: PlacedSection,
  name: number,
  index: ReadonlyMap<SectionDraft, number>,
): void {
  const { draft } = p;
  const of = (s: SectionDraft): number => {
    const i = index.get(s);
    if (i === undefined) throw new InternalError(`section ${draft.name} refers to ${s.name}, which is not written`);
    return i;
  };
  v.setUint32(at, name, true);
  v.setUint32(at + 4, draft.type, true);
  putU64(v, at + 8, draft.flags);
  putU64(v, at + 24, p.offset);
  putU64(v, at + 32, p.memsz);
  v.setUint32(at + 40, draft.link === null ? 0 : of(draft.link), true);
  v.setUint32(at + 44, typeof draft.info === "number" ? draft.info >>> 0 : of(draft.info), true);
  putU64(v, at + 48, draft.align);
  putU64(v, at + 56, draft.entsize);
}

function programHeader(v: DataView, at: number, s: ElfSegment): void {
  v.setUint32(at, s.type, true);
  v.setUint32(at + 4, s.flags, true);
  putU64(v, at + 8, s.offset);
  putU64(v, at + 16, s.vaddr);
  putU64(v, at + 24, s.paddr);
  putU64(v, at + 32, s.filesz);
  putU64(v, at + 40, s.memsz);
  putU64(v, at + 48, s.align);
}
