/**
 * ELF64, little endian: the generic half of the container. Nothing here knows about GPUs.
 *
 * The reader takes any bytes. Every offset, count and name is checked against the file before it is used, sections are
 * views of the input (never copies), and what cannot be believed becomes a Diagnostic instead of an exception.
 * Memory is bounded by the file: a count in a header is believed only when the file is large enough to hold the table.
 */
import { type Diagnostic, diagnostic } from "../diagnostics.js";
import { fail, ok, type Result } from "../result.js";

export const ET = { Rel: 1, Exec: 2, ExtensibleProgram: 0xff00 } as const;
export const SHT = {
  Null: 0,
  Progbits: 1,
  Symtab: 2,
  Strtab: 3,
  Rela: 4,
  Note: 7,
  Nobits: 8,
  Rel: 9,
  SymtabShndx: 18,
} as const;
/**
 * Whether sections of a type have bytes in the file. Global and shared memory of relocatable CUDA objects
 * (SHT_CUDA_GLOBAL, SHT_CUDA_SHARED) have none, as NOBITS sections (measured on ptxas's `-c` objects).
 */
export function heldInFile(type: number): boolean {
  return type !== SHT.Null && type !== SHT.Nobits && type !== 0x70000007 && type !== 0x7000000a;
}
export const SHF = { Write: 1, Alloc: 2, Exec: 4, InfoLink: 0x40 } as const;
export const STB = { Local: 0, Global: 1, Weak: 2 } as const;
export const STT = { NoType: 0, Object: 1, Func: 2, Section: 3 } as const;
export const PT = { Load: 1, Phdr: 6 } as const;
export const PF = { X: 1, W: 2, R: 4 } as const;
export const SHN = { Undef: 0, LoReserve: 0xff00, Abs: 0xfff1, Common: 0xfff2, Xindex: 0xffff } as const;

export const EHDR_SIZE = 64;
export const SHDR_SIZE = 64;
export const PHDR_SIZE = 56;
export const SYM_SIZE = 24;
export const REL_SIZE = 16;
export const RELA_SIZE = 24;

/** A section of an ELF file; fields as in its header. */
export interface ElfSection {
  /** Index in the section table. */
  readonly index: number;
  /** Name as the table of names has it: `.text.k`. */
  readonly name: string;
  /** SHT_* number. */
  readonly type: number;
  /** Always below 2^53; larger values are refused by the reader. */
  readonly flags: number;
  /** Address in memory; 0 in cubins. */
  readonly addr: number;
  /** Byte offset in the file. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
  /** Index of the section that it refers to. */
  readonly link: number;
  /** What depends on the type: of relocations the section that they change. */
  readonly info: number;
  /** Bytes that its place is a multiple of. */
  readonly align: number;
  /** Bytes of an entry; 0 where it has none. */
  readonly entsize: number;
  /** The bytes in the file; empty for SHT_NOBITS. */
  readonly data: Uint8Array;
}

/** A symbol of an ELF file. */
export interface ElfSymbol {
  /** Index in the symbol table. */
  readonly index: number;
  /** Its name, "" for none. */
  readonly name: string;
  /** STB_* number: local, global, weak. */
  readonly bind: number;
  /** STT_* number: function, object, section … */
  readonly type: number;
  /** st_other: visibility in the low two bits, the rest belongs to the machine. */
  readonly other: number;
  /** Section index, SHN_XINDEX already resolved. */
  readonly section: number;
  /** Byte offset in its section. */
  readonly value: number;
  /** Bytes. */
  readonly size: number;
}

/** A relocation of an ELF file. */
export interface ElfRelocation {
  /** Byte offset in the section that it changes. */
  readonly offset: number;
  /** R_* number of the machine. */
  readonly type: number;
  /** Index of the symbol. */
  readonly symbol: number;
  /** 0 in SHT_REL sections, where the addend lies in the relocated bytes. */
  readonly addend: number;
}

/** A note of an ELF file. */
export interface ElfNote {
  /** Who made it. */
  readonly name: string;
  /** Number whose meaning the maker defines. */
  readonly type: number;
  /** Its contents. */
  readonly desc: Uint8Array;
}

/** A segment of an ELF file: what a loader puts into memory. */
export interface ElfSegment {
  /** PT_* number. */
  readonly type: number;
  /** PF_* bits: read, write, execute. */
  readonly flags: number;
  /** Byte offset in the file. */
  readonly offset: number;
  /** Address in memory. */
  readonly vaddr: number;
  /** Physical address; 0 in cubins. */
  readonly paddr: number;
  /** Bytes in the file. */
  readonly filesz: number;
  /** Bytes in memory. */
  readonly memsz: number;
  /** Bytes that its place is a multiple of. */
  readonly align: number;
}

/** An ELF file, read. */
export interface Elf {
  /** The whole file. */
  readonly bytes: Uint8Array;
  /** EI_OSABI of the header. */
  readonly osabi: number;
  /** EI_ABIVERSION of the header. */
  readonly abiVersion: number;
  /** ET_* number: executable, relocatable. */
  readonly type: number;
  /** EM_* number of the machine; 190 for CUDA. */
  readonly machine: number;
  /** e_flags: of a cubin the SM, twice, and bits of the ABI. */
  readonly flags: number;
  /** Address of the entry; 0 in cubins. */
  readonly entry: number;
  /** Index of the section with the names of sections. */
  readonly shstrndx: number;
  /** All sections, the empty first one included. */
  readonly sections: readonly ElfSection[];
  /** All segments. */
  readonly segments: readonly ElfSegment[];
}

/** A malformed file, told without a position: there is no source text. */
export function elfError(message: string): Diagnostic {
  return diagnostic("error", message);
}

export function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A 64-bit field as a number; −1 when it does not fit into 53 bits (no such value is ever believable). */
function u64(v: DataView, at: number): number {
  const high = v.getUint32(at + 4, true);
  return high > 0x1fffff ? -1 : high * 0x100000000 + v.getUint32(at, true);
}

/** NUL-terminated string of a string table; null when the offset is outside or the terminator is missing. */
export function stringAt(table: Uint8Array, offset: number): string | null {
  if (offset >= table.length) return null;
  const end = table.indexOf(0, offset);
  return end < 0 ? null : latin1(table.subarray(offset, end));
}

/** Bytes as characters U+0000…U+00FF, whatever they are. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

interface RawHeader {
  readonly name: number;
  readonly section: Omit<ElfSection, "name" | "data">;
}

function rawHeader(v: DataView, at: number, index: number): RawHeader {
  return {
    name: v.getUint32(at, true),
    section: {
      index,
      type: v.getUint32(at + 4, true),
      flags: u64(v, at + 8),
      addr: u64(v, at + 16),
      offset: u64(v, at + 24),
      size: u64(v, at + 32),
      link: v.getUint32(at + 40, true),
      info: v.getUint32(at + 44, true),
      align: u64(v, at + 48),
      entsize: u64(v, at + 56),
    },
  };
}

/** Sections and names that share bytes: all together at most so many times the file, so that a small file stays small. */
const MOST_SHARED = 16;

/** True when `count` entries of `size` bytes lie inside the file from `offset` on. */
function inside(fileSize: number, offset: number, count: number, size: number): boolean {
  return offset >= 0 && count >= 0 && offset <= fileSize && count * size <= fileSize - offset;
}

/** Parses the file header, section headers with names, and program headers. Section contents are not interpreted. */
export function readElf(file: Uint8Array): Result<Elf> {
  // Slices of a Node Buffer share its memory: a copy that is edited would change the caller's file.
  const bytes = new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length < EHDR_SIZE) return fail([elfError(`not an ELF file: ${bytes.length} bytes`)]);
  const v = view(bytes);
  if (v.getUint32(0, false) !== 0x7f454c46) return fail([elfError("not an ELF file: bad magic number")]);
  if (bytes[4] !== 2 || bytes[5] !== 1) return fail([elfError("not a 64-bit little-endian ELF file")]);
  const phoff = u64(v, 32);
  const shoff = u64(v, 40);
  const phnum = v.getUint16(56, true);
  const shnum0 = v.getUint16(60, true);
  if (shoff !== 0 && v.getUint16(58, true) !== SHDR_SIZE) return fail([elfError("bad section header size")]);
  if (phnum !== 0 && v.getUint16(54, true) !== PHDR_SIZE) return fail([elfError("bad program header size")]);
  if (shoff !== 0 && !inside(bytes.length, shoff, 1, SHDR_SIZE))
    return fail([elfError("section headers outside the file")]);

  // With more than 0xfeff sections the true numbers are in section header 0 (gABI, extended numbering).
  const extended = shoff === 0 ? null : rawHeader(v, shoff, 0).section;
  const shnum = extended === null ? 0 : shnum0 === 0 ? extended.size : shnum0;
  const rawIndex = v.getUint16(62, true);
  const shstrndx = rawIndex === SHN.Xindex && extended !== null ? extended.link : rawIndex;
  if (!inside(bytes.length, shoff, shnum, SHDR_SIZE)) return fail([elfError("section headers outside the file")]);
  if (!inside(bytes.length, phoff, phnum, PHDR_SIZE)) return fail([elfError("program headers outside the file")]);

  const sections = readSections(bytes, v, shoff, shnum, shstrndx);
  if (!sections.ok) return sections;
  const segments: ElfSegment[] = [];
  for (let i = 0; i < phnum; i++) segments.push(segment(v, phoff + i * PHDR_SIZE));
  return ok({
    bytes,
    osabi: bytes[7]!,
    abiVersion: bytes[8]!,
    type: v.getUint16(16, true),
    machine: v.getUint16(18, true),
    entry: u64(v, 24),
    flags: v.getUint32(48, true),
    shstrndx,
    sections: sections.value,
    segments,
  });
}

function readSections(
  bytes: Uint8Array,
  v: DataView,
  shoff: number,
  shnum: number,
  shstrndx: number,
): Result<ElfSection[]> {
  const raw: RawHeader[] = [];
  for (let i = 0; i < shnum; i++) raw.push(rawHeader(v, shoff + i * SHDR_SIZE, i));
  const contents: Uint8Array[] = [];
  const empty = bytes.subarray(0, 0);
  let total = 0;
  for (const { section: s } of raw) {
    if (s.flags < 0 || s.addr < 0 || s.offset < 0 || s.size < 0 || s.align < 0 || s.entsize < 0)
      return fail([elfError(`section ${s.index}: a field exceeds 53 bits`)]);
    if (!heldInFile(s.type)) contents.push(empty);
    else if (!inside(bytes.length, s.offset, s.size, 1))
      return fail([elfError(`section ${s.index} lies outside the file`)]);
    else contents.push(bytes.subarray(s.offset, s.offset + s.size));
    total += s.size * (heldInFile(s.type) ? 1 : 0);
  }
  if (total > MOST_SHARED * bytes.length) return fail([elfError("sections overlap too much")]);
  const names = contents[shstrndx];
  if (shnum > 0 && names === undefined) return fail([elfError("no section name table")]);
  const sections: ElfSection[] = [];
  let named = 0;
  for (let i = 0; i < raw.length; i++) {
    const name = i === 0 ? "" : stringAt(names!, raw[i]!.name);
    if (name === null) return fail([elfError(`section ${i}: its name lies outside the name table`)]);
    named += name.length;
    if (named > MOST_SHARED * bytes.length) return fail([elfError("names of sections overlap too much")]);
    sections.push({ ...raw[i]!.section, name, data: contents[i]! });
  }
  return ok(sections);
}

function segment(v: DataView, at: number): ElfSegment {
  return {
    type: v.getUint32(at, true),
    flags: v.getUint32(at + 4, true),
    offset: u64(v, at + 8),
    vaddr: u64(v, at + 16),
    paddr: u64(v, at + 24),
    filesz: u64(v, at + 32),
    memsz: u64(v, at + 40),
    align: u64(v, at + 48),
  };
}

/** The symbols of an SHT_SYMTAB section (or one of the same layout). */
export function readSymbols(elf: Elf, table: ElfSection): Result<ElfSymbol[]> {
  const strings = elf.sections[table.link]?.data;
  if (strings === undefined) return fail([elfError(`${table.name}: no string table`)]);
  if (table.data.length % SYM_SIZE !== 0) return fail([elfError(`${table.name}: not a whole number of symbols`)]);
  const wide = elf.sections.find((s) => s.type === SHT.SymtabShndx && s.link === table.index)?.data;
  const v = view(table.data);
  const symbols: ElfSymbol[] = [];
  let named = 0;
  for (let index = 0; index * SYM_SIZE < table.data.length; index++) {
    const at = index * SYM_SIZE;
    const info = v.getUint8(at + 4);
    const name = stringAt(strings, v.getUint32(at, true));
    const value = u64(v, at + 8);
    const size = u64(v, at + 16);
    if (name === null || value < 0 || size < 0) return fail([elfError(`${table.name}: symbol ${index} is malformed`)]);
    named += name.length;
    if (named > MOST_SHARED * elf.bytes.length) return fail([elfError(`${table.name}: names overlap too much`)]);
    let section = v.getUint16(at + 6, true);
    if (section === SHN.Xindex) {
      if (wide === undefined || index * 4 + 4 > wide.length)
        return fail([elfError(`${table.name}: symbol ${index} has no extended section index`)]);
      section = view(wide).getUint32(index * 4, true);
    }
    symbols.push({ index, name, bind: info >> 4, type: info & 15, other: v.getUint8(at + 5), section, value, size });
  }
  return ok(symbols);
}

/** The entries of a section laid out as SHT_RELA (`explicit`) or SHT_REL. */
export function readRelocations(table: ElfSection, explicit: boolean): Result<ElfRelocation[]> {
  const size = explicit ? RELA_SIZE : REL_SIZE;
  if (table.data.length % size !== 0) return fail([elfError(`${table.name}: not a whole number of relocations`)]);
  const v = view(table.data);
  const list: ElfRelocation[] = [];
  for (let at = 0; at < table.data.length; at += size) {
    const offset = u64(v, at);
    const high = explicit ? v.getInt32(at + 20, true) : 0;
    const addend = explicit ? high * 0x100000000 + v.getUint32(at + 16, true) : 0;
    if (offset < 0 || !Number.isSafeInteger(addend)) return fail([elfError(`${table.name}: malformed relocation`)]);
    list.push({ offset, type: v.getUint32(at + 8, true), symbol: v.getUint32(at + 12, true), addend });
  }
  return ok(list);
}

/** The entries of an SHT_NOTE section. */
export function readNotes(table: ElfSection): Result<ElfNote[]> {
  const { data } = table;
  const v = view(data);
  const notes: ElfNote[] = [];
  let at = 0;
  while (at < data.length) {
    if (data.length - at < 12) return fail([elfError(`${table.name}: truncated note`)]);
    const nameSize = v.getUint32(at, true);
    const descSize = v.getUint32(at + 4, true);
    const name = at + 12;
    if (!inside(data.length, name, nameSize, 1)) return fail([elfError(`${table.name}: truncated note`)]);
    const desc = name + roundUp(nameSize, 4);
    if (!inside(data.length, desc, descSize, 1)) return fail([elfError(`${table.name}: truncated note`)]);
    const text = stringAt(data.subarray(name, name + nameSize), 0) ?? "";
    notes.push({ name: text, type: v.getUint32(at + 8, true), desc: data.subarray(desc, desc + descSize) });
    at = desc + roundUp(descSize, 4);
  }
  return ok(notes);
}

export function roundUp(n: number, align: number): number {
  return align <= 1 ? n : Math.ceil(n / align) * align;
}

/** The parts one after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}
