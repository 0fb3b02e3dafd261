/**
 * Reads a cubin: ours, or ptxas's for any SM.
 *
 * What belongs to a function is found as the driver finds it: sections point to their text section by `sh_info`, the
 * module's `.nv.info` names functions by symbol, `.nv.info.NAME` holds the rest.
 */
import { counted, shownAs } from "../../inspect.js";
import { fail, ok, type Result } from "../../result.js";
import { targetOfSm } from "../../target/index.js";
import {
  type Elf,
  type ElfSection,
  ET,
  elfError,
  latin1,
  readElf,
  readNotes,
  readRelocations,
  readSymbols,
  SHF,
  SHT,
  STT,
  stringAt,
  view,
} from "../elf64.js";
import { EIATTR } from "./attributes.js";
import { decodeInfo, type InfoRecord, infoWords } from "./info.js";
import { readLines } from "./lines.js";
import { inPlaceAddend } from "./relocations.js";
import { CUBIN_ABI, CUBIN_MACHINE, CUBIN_OSABI, SHT_CUDA, STO } from "./sections.js";
import type {
  CodeRange,
  Cubin,
  CubinBank,
  CubinFunction,
  CubinGlobals,
  CubinParam,
  CubinReloc,
  CubinSymbol,
  LineEntry,
  SourceLine,
} from "./types.js";

/** The file with what was looked up in it once. */
interface Context {
  readonly elf: Elf;
  readonly symbols: readonly CubinSymbol[];
  /** Relocations by the index of the section they apply to. */
  readonly relocs: ReadonlyMap<number, readonly CubinReloc[]>;
  /** Function symbols by the index of their section. */
  readonly code: ReadonlyMap<number, readonly CubinSymbol[]>;
  /** Sections by the text section that their sh_info names. */
  readonly belonging: ReadonlyMap<number, readonly ElfSection[]>;
  /** Value of {symbol, value} records of the module's `.nv.info`, by code and symbol. */
  readonly values: ReadonlyMap<number, ReadonlyMap<number, number>>;
  readonly lines: ReadonlyMap<number, readonly LineEntry[]>;
  readonly sources: ReadonlyMap<number, readonly SourceLine[]>;
}

function groupBy<T>(list: readonly T[], key: (item: T) => number): Map<number, T[]> {
  const map = new Map<number, T[]>();
  for (const item of list) {
    const group = map.get(key(item));
    if (group === undefined) map.set(key(item), [item]);
    else group.push(item);
  }
  return map;
}

/** Reads a cubin: functions with their words, constants, variables, attributes. Fails with a message where the file is damaged. */
export function readCubin(bytes: Uint8Array): Result<Cubin> {
  const elf = readElf(bytes);
  if (!elf.ok) return elf;
  const refusal = refuse(elf.value);
  if (refusal !== null) return fail([elfError(refusal)]);
  const symbols = cubinSymbols(elf.value);
  if (!symbols.ok) return symbols;
  const relocs = allRelocations(elf.value, symbols.value);
  if (!relocs.ok) return relocs;
  const info = recordsOf(elf.value.sections.find((s) => s.type === SHT_CUDA.Info && s.name === ".nv.info"));
  if (!info.ok) return info;
  const context: Context = {
    elf: elf.value,
    symbols: symbols.value,
    relocs: relocs.value,
    code: groupBy(
      symbols.value.filter((s) => s.type === STT.Func),
      (s) => s.section,
    ),
    belonging: groupBy(
      elf.value.sections.filter((s) => (s.flags & SHF.InfoLink) !== 0),
      (s) => s.info,
    ),
    values: moduleValues(info.value),
    lines: lineRows(elf.value, ".nv_debug_line_sass", relocs.value),
    sources: lineRows(elf.value, ".debug_line", relocs.value),
  };
  const functions: CubinFunction[] = [];
  for (const section of elf.value.sections) {
    if (section.type !== SHT.Progbits || (section.flags & SHF.Exec) === 0 || !section.name.startsWith(".text."))
      continue;
    const f = readFunction(context, section);
    if (!f.ok) return f;
    functions.push(f.value);
  }
  const sm = smOf(elf.value);
  const cubin: Cubin = {
    elf: elf.value,
    kind: elf.value.type === ET.Exec ? "executable" : elf.value.type === ET.Rel ? "relocatable" : "extensible",
    sm,
    target: `sm_${sm}${suffixOf(elf.value)}`,
    functions,
    symbols: symbols.value,
    relocs: relocs.value,
    banks: moduleBanks(context),
    globals: globalSections(context),
    info: info.value,
    ptxText: ptxText(elf.value),
    tool: toolNote(elf.value),
  };
  return ok(shownAs(cubin, describeBriefly, (c) => `[${headline(c)}]`));
}

function headline(c: Cubin): string {
  return `Cubin for ${c.target}: ${c.kind}, ${counted(c.functions.length, "function")}, ${c.elf.bytes.length} bytes`;
}

/** How a cubin shows itself in notebooks and by console.log. */
function describeBriefly(c: Cubin): string {
  const lines = c.functions.map(
    (f) =>
      `  ${f.kind} ${f.name}: ${counted(f.words.length / 4, "instruction")}, ${counted(f.registers, "register")}, ` +
      `${f.sharedBytes - f.sharedReserved} bytes shared memory, ${f.frameBytes} bytes stack frame`,
  );
  return [headline(c), ...lines].join("\n");
}

function refuse(elf: Elf): string | null {
  if (elf.machine !== CUBIN_MACHINE) return `not a cubin: ELF machine ${elf.machine} instead of ${CUBIN_MACHINE}`;
  if (elf.osabi !== CUBIN_OSABI || elf.abiVersion !== CUBIN_ABI)
    return `cubin of another ABI (${elf.osabi}, ${elf.abiVersion}); made by a toolkit older than CUDA 13`;
  if (elf.type !== ET.Exec && elf.type !== ET.Rel && elf.type !== ET.ExtensibleProgram)
    return `unknown ELF type ${elf.type}`;
  return null;
}

function smOf(elf: Elf): number {
  return (elf.flags >>> 8) & 0xff;
}

function cubinSymbols(elf: Elf): Result<CubinSymbol[]> {
  const table = elf.sections.find((s) => s.type === SHT.Symtab);
  if (table === undefined) return fail([elfError("no symbol table")]);
  const symbols = readSymbols(elf, table);
  if (!symbols.ok) return symbols;
  return ok(symbols.value.map((s) => ({ ...s, sectionName: elf.sections[s.section]?.name ?? "" })));
}

function allRelocations(elf: Elf, symbols: readonly CubinSymbol[]): Result<Map<number, CubinReloc[]>> {
  const map = new Map<number, CubinReloc[]>();
  for (const table of elf.sections) {
    if (table.type !== SHT.Rel && table.type !== SHT.Rela) continue;
    const target = elf.sections[table.info];
    const list = readRelocations(table, table.type === SHT.Rela);
    if (!list.ok) return list;
    if (target === undefined) return fail([elfError(`${table.name} relocates a section that does not exist`)]);
    const found = map.get(target.index) ?? [];
    for (const r of list.value) {
      const symbol = symbols[r.symbol];
      if (symbol === undefined) return fail([elfError(`${table.name} names a symbol that does not exist`)]);
      if (r.offset >= target.data.length) return fail([elfError(`${table.name} relocates beyond ${target.name}`)]);
      const addend = table.type === SHT.Rela ? r.addend : inPlaceAddend(r.type, target.data, r.offset);
      found.push({ offset: r.offset, type: r.type, symbol, addend });
    }
    map.set(target.index, found);
  }
  return ok(map);
}

function recordsOf(section: ElfSection | undefined): Result<InfoRecord[]> {
  if (section === undefined) return ok([]);
  const records = decodeInfo(section.data);
  return records.ok
    ? records
    : fail(records.diagnostics.map((d) => ({ ...d, message: `${section.name}: ${d.message}` })));
}

function readFunction(context: Context, text: ElfSection): Result<CubinFunction> {
  const name = text.name.slice(".text.".length);
  const code = context.code.get(text.index) ?? [];
  const symbol = code.find((s) => s.name === name);
  if (symbol === undefined) return fail([elfError(`${text.name} has no function symbol`)]);
  if (text.data.length % 16 !== 0) return fail([elfError(`${text.name} is not a whole number of instructions`)]);
  const mine = context.belonging.get(text.index) ?? [];
  const records = recordsOf(mine.find((s) => s.type === SHT_CUDA.Info));
  if (!records.ok) return records;
  const info = records.value;
  const reserved = targetOfSm(smOf(context.elf))?.limits.reservedSharedOffset ?? 0;
  const own = (prefix: string): ElfSection | undefined => mine.find((s) => s.name.startsWith(prefix));
  const bank0 = own(".nv.constant0.");
  const value = (code: number): number => context.values.get(code)?.get(symbol.index) ?? 0;
  const params = info.filter((r) => r.code === EIATTR.KPARAM_INFO || r.code === EIATTR.KPARAM_INFO_V2).map(param);
  const bank = infoWords(info.find((r) => r.code === EIATTR.PARAM_CBANK) ?? noRecord);
  return ok({
    name,
    kind: (symbol.other & STO.Entry) !== 0 ? "entry" : "func",
    section: text.index,
    symbol,
    words: wordsOf(text.data),
    relocs: context.relocs.get(text.index) ?? [],
    ranges: rangesOf(code),
    registers: value(EIATTR.REGCOUNT),
    frameBytes: value(EIATTR.FRAME_SIZE),
    stackBytes: value(EIATTR.MIN_STACK_SIZE),
    barriers: attribute(info, EIATTR.NUM_BARRIERS),
    sharedBytes: Math.max(own(".nv.shared.")?.size ?? 0, reserved),
    sharedReserved: reserved,
    params: params.sort((a, b) => a.ordinal - b.ordinal),
    paramBase: (bank[1] ?? 0) & 0xffff,
    paramBytes: attribute(info, EIATTR.CBANK_PARAM_SIZE),
    constant0: bank0?.data ?? null,
    constant0Relocs: context.relocs.get(bank0?.index ?? -1) ?? [],
    constant2: own(".nv.constant2.")?.data ?? null,
    maxThreads: triple(info, EIATTR.MAX_THREADS),
    reqThreads: triple(info, EIATTR.REQNTID),
    cluster: triple(info, EIATTR.CTA_PER_CLUSTER),
    info,
    ptxLines: context.lines.get(symbol.index) ?? [],
    sourceLines: context.sources.get(symbol.index) ?? [],
  });
}

const noRecord: InfoRecord = { code: 0, name: "", format: 4, value: 0, payload: new Uint8Array(0) };

/** Machine words as u32: a view when the bytes are aligned (and the host little-endian), else a copy. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  if (bytes.byteOffset % 4 === 0 && littleEndian)
    return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const v = view(bytes);
  const words = new Uint32Array(bytes.length / 4);
  for (let i = 0; i < words.length; i++) words[i] = v.getUint32(i * 4, true);
  return words;
}

const littleEndian: boolean = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

function rangesOf(code: readonly CubinSymbol[]): CodeRange[] {
  return code
    .map((s) => ({ name: s.name, offset: s.value, size: s.size }))
    .sort((a, b) => a.offset - b.offset || (a.name < b.name ? -1 : 1));
}

function moduleValues(info: readonly InfoRecord[]): Map<number, Map<number, number>> {
  const map = new Map<number, Map<number, number>>();
  for (const r of info) {
    const [symbol, value] = infoWords(r);
    if (symbol === undefined || value === undefined) continue;
    const values = map.get(r.code) ?? new Map<number, number>();
    values.set(symbol, value);
    map.set(r.code, values);
  }
  return map;
}

function attribute(info: readonly InfoRecord[], code: number): number {
  return info.find((r) => r.code === code)?.value ?? 0;
}

function triple(info: readonly InfoRecord[], code: number): [number, number, number] | null {
  const record = info.find((r) => r.code === code);
  if (record === undefined) return null;
  const w = infoWords(record);
  return [w[0] ?? 1, w[1] ?? 1, w[2] ?? 1];
}

/** KPARAM_INFO holds the size in bits 31:18 of its third word, KPARAM_INFO_V2 as a word of its own. */
function param(record: InfoRecord): CubinParam {
  const w = infoWords(record);
  const place = w[1] ?? 0;
  const size = record.code === EIATTR.KPARAM_INFO ? (w[2] ?? 0) >>> 18 : (w[2] ?? 0);
  return { ordinal: place & 0xffff, offset: place >>> 16, size };
}

function moduleBanks(context: Context): CubinBank[] {
  const banks: CubinBank[] = [];
  for (const s of context.elf.sections) {
    const m = /^\.nv\.constant(\d+)$/.exec(s.name);
    if (m === null) continue;
    banks.push({ bank: Number(m[1]), section: s.index, bytes: s.data, relocs: context.relocs.get(s.index) ?? [] });
  }
  return banks.sort((a, b) => a.bank - b.bank);
}

function globalSections(context: Context): CubinGlobals[] {
  return context.elf.sections
    .filter((s) => s.name === ".nv.global" || s.name === ".nv.global.init")
    .map((s) => ({
      section: s.index,
      size: s.size,
      align: s.align,
      init: s.name === ".nv.global.init" ? s.data : null,
      relocs: context.relocs.get(s.index) ?? [],
    }));
}

/** Rows of a line table by function symbol. */
function lineRows(
  elf: Elf,
  name: string,
  relocs: ReadonlyMap<number, readonly CubinReloc[]>,
): Map<number, SourceLine[]> {
  const section = elf.sections.find((s) => s.name === name);
  if (section === undefined) return new Map();
  const at = new Map<number, number>();
  for (const r of relocs.get(section.index) ?? []) at.set(r.offset, r.symbol.index);
  return groupBy(
    readLines(section.data, (offset) => at.get(offset) ?? null),
    (row) => row.symbol,
  );
}

function ptxText(elf: Elf): string[] {
  const data = elf.sections.find((s) => /^\.nv_debug_ptx_txt(\.\d+)?$/.test(s.name))?.data;
  if (data === undefined || data.length === 0) return [];
  const lines = latin1(data).split("\0");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

/** The architecture-specific suffix: `.nv.compat` attribute 9 is 1 for `a` targets (measured on ptxas 13.0.88). */
function suffixOf(elf: Elf): string {
  const compat = elf.sections.find((s) => s.type === SHT_CUDA.Compat);
  const records = compat === undefined ? null : decodeInfo(compat.data);
  return records?.ok && records.value.some((r) => r.code === 9 && r.value === 1) ? "a" : "";
}

function toolNote(elf: Elf): Cubin["tool"] {
  const section = elf.sections.find((s) => s.name === ".note.nv.tkinfo" && s.type === SHT.Note);
  const notes = section === undefined ? null : readNotes(section);
  if (notes === null || !notes.ok) return null;
  const desc = notes.value[0]?.desc;
  if (desc === undefined || desc.length < 24) return null;
  const v = view(desc);
  const strings = desc.subarray(24);
  const text = (i: number): string => stringAt(strings, v.getUint32(i * 4, true)) ?? "";
  return { name: text(2), version: text(3), build: text(4), options: text(5).trim() };
}
