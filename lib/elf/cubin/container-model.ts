/**
 * A cubin apart from its code, section by section, in a form that can be written down and built again: string tables are
 * made anew, symbols, relocations and attributes are lists, code is a name, and the rest are bytes. What such a list does
 * not reproduce byte for byte is kept as bytes, so that `buildContainer(containerModel(x))` is x.
 */
import { diagnostic } from "../../diagnostics.js";
import { fail, ok, type Result } from "../../result.js";
import { targetOfSm } from "../../target/index.js";
import {
  type Elf,
  type ElfSegment,
  ET,
  heldInFile,
  latin1,
  REL_SIZE,
  RELA_SIZE,
  roundUp,
  SHT,
  SYM_SIZE,
  view,
} from "../elf64.js";
import {
  type PlacedSection,
  relocationBytes,
  type SectionDraft,
  StringTable,
  section,
  symbolBytes,
  writeElf,
} from "../elf64-write.js";
import { containerOf } from "./container.js";
import { decodeInfo, encodeInfo, type InfoRecord } from "./info.js";
import { CUBIN_ABI, CUBIN_MACHINE, CUBIN_OSABI, PLAIN_CODE, SHF_MERCURY, SHT_CUDA } from "./sections.js";
import { segments } from "./segments.js";
import type { Cubin, CubinSymbol } from "./types.js";

/** A symbol of a cubin as a text tells it. */
export interface ModelSymbol {
  /** Its name, "" for none. */
  readonly name: string;
  /** STB_* number: local, global, weak. */
  readonly bind: number;
  /** STT_* number: function, object, section … */
  readonly type: number;
  /** st_other: visibility and NVIDIA's bits. */
  readonly other: number;
  /** Index of its section. */
  readonly section: number;
  /** Byte offset in the section. */
  readonly value: number;
  /** Bytes; `wholeSection` for those of its section. */
  readonly size: number;
}

export const wholeSection = -1;

/** A relocation of a cubin as a text tells it. */
export interface ModelReloc {
  /** Byte offset in the section that it changes. */
  readonly offset: number;
  /** R_CUDA_* number. */
  readonly type: number;
  /** Index in the symbol table. */
  readonly symbol: number;
  /** What is added to the symbol's address, in bytes. */
  readonly addend: number;
}

/** What a section holds. */
export type Content =
  | {
      readonly kind: "bytes";
      /** The bytes. */
      readonly data: Uint8Array;
    }
  /** Takes no bytes in the file. */
  | {
      readonly kind: "size";
      /** Bytes that it takes in memory. */
      readonly size: number;
    }
  /**
   * A string table: these, then what else the file names; an empty one is an unused byte. ptxas keeps names of sections
   * that it did not make and the room of names that it took back.
   */
  | {
      readonly kind: "strings";
      /** The names, in their order. */
      readonly strings: readonly string[];
    }
  /** From the second symbol on; the first is always empty. */
  | {
      readonly kind: "symbols";
      /** All symbols but the first. */
      readonly symbols: readonly ModelSymbol[];
    }
  | {
      readonly kind: "relocs";
      /** All entries, in their order. */
      readonly relocs: readonly ModelReloc[];
    }
  | {
      readonly kind: "info";
      /** The attributes, in their order. */
      readonly records: readonly InfoRecord[];
    }
  | {
      readonly kind: "code";
      /** Name of the function whose code it is. */
      readonly name: string;
    }
  /** The bytes of another section, which stand once in the file. */
  | {
      readonly kind: "same";
      /** Number of that section. */
      readonly section: number;
    };

/** A section of a cubin as a text tells it. */
export interface ModelSection {
  /** Name as the section table has it: `.text.k`. */
  readonly name: string;
  /** SHT_* number. */
  readonly type: number;
  /** SHF_* bits. */
  readonly flags: number;
  /** Bytes that its place in the file is a multiple of. */
  readonly align: number;
  /** Bytes of an entry; 0 where it has none. */
  readonly entsize: number;
  /** sh_link: number of the section that it refers to. */
  readonly link: number;
  /** sh_info: what depends on the type. */
  readonly info: number;
  /** Unused bytes after it in the file. */
  readonly room: number;
  /** What stands in it. */
  readonly content: Content;
}

/** A whole cubin as a text tells it. */
export interface ContainerModel {
  /** Number of the SM: 75 … 121. */
  readonly sm: number;
  /** ELF type and e_flags. */
  readonly type: number;
  /** e_flags of the file. */
  readonly flags: number;
  /** Index i of the list is section i + 1. */
  readonly sections: readonly ModelSection[];
  /** Program headers, null where they follow from the sections as ptxas makes them. */
  readonly segments: readonly ElfSegment[] | null;
  /** Index of the table of section names. */
  readonly names: number;
  /** Digest of the code that the Capsule Mercury sections stand for, null when there are none. */
  readonly mercury: string | null;
}

/** Null for a file that holds more than its sections and headers say (addresses, an entry point), or cannot be written. */
export function containerModel(cubin: Cubin): ContainerModel | null {
  const { elf } = cubin;
  if (elf.entry !== 0 || elf.sections.slice(1).some((s) => s.addr !== 0) || elf.sections.length < 2) return null;
  const model: ContainerModel = {
    sm: cubin.sm,
    type: elf.type,
    flags: elf.flags,
    sections: elf.sections.slice(1).map(({ name, type, flags, align, entsize, link, info, index }) => {
      return {
        name,
        type,
        flags,
        align,
        entsize,
        link,
        info,
        room: roomOf(elf, index),
        content: contentOf(cubin, index),
      };
    }),
    segments: null,
    names: elf.shstrndx,
    mercury: null,
  };
  const code = new Map(cubin.functions.map((f) => [f.name, elf.sections[f.section]!.data]));
  const built = draftsOf(model, code);
  if (!built.ok) return null;
  const sections = model.sections.map((s, i): ModelSection => {
    const original = elf.sections[i + 1]!.data;
    const same =
      s.content.kind === "size" || i + 1 === model.names || sameBytes(built.value[i]!.data ?? original, original);
    return same ? s : { ...s, content: { kind: "bytes", data: original } };
  });
  const mercury = sections.some(isMercury) ? digestOf(model, code) : null;
  const exact = { ...model, sections, mercury };
  const whole = buildContainer(exact, code);
  if (!whole.ok) return null;
  if (sameBytes(whole.value, elf.bytes)) return exact;
  return elf.segments.length === 0 ? exact : { ...exact, segments: elf.segments };
}

/** Bytes to the next section beyond its alignment. */
function roomOf(elf: Elf, index: number): number {
  const [s, next] = [elf.sections[index]!, elf.sections[index + 1]];
  const end = s.offset + s.data.length;
  return next === undefined || roundUp(end, next.align) === next.offset ? 0 : Math.max(0, next.offset - end);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((x, i) => x === b[i]);
}

function contentOf(cubin: Cubin, index: number): Content {
  const s = cubin.elf.sections[index]!;
  const bytes: Content = { kind: "bytes", data: s.data };
  const twin = cubin.elf.sections.find((x) => x.index < index && x.offset === s.offset && x.size === s.size);
  if (twin !== undefined && s.data.length > 0 && heldInFile(twin.type)) return { kind: "same", section: twin.index };
  if (cubin.functions.some((f) => f.section === index)) return { kind: "code", name: s.name.slice(".text.".length) };
  if (s.index > 0 && !heldInFile(s.type)) return { kind: "size", size: s.size };
  switch (s.type) {
    case SHT.Strtab:
      return stringsOf(latin1(s.data));
    case SHT.Symtab:
      return s.data.length % SYM_SIZE !== 0 || s.data.length === 0
        ? bytes
        : { kind: "symbols", symbols: cubin.symbols.slice(1).map((x) => ({ ...x, size: sizeOf(cubin, x) })) };
    case SHT.Rel:
    case SHT.Rela:
      return relocsOf(s.data, s.type === SHT.Rela) ?? bytes;
    case SHT_CUDA.Info: {
      const records = decodeInfo(s.data);
      return records.ok ? { kind: "info", records: records.value } : bytes;
    }
    default:
      return bytes;
  }
}

function sizeOf(cubin: Cubin, symbol: CubinSymbol): number {
  const section = cubin.functions.find((f) => f.section === symbol.section);
  const all = section !== undefined && symbol.value === 0 && symbol.size === 4 * section.words.length;
  return all ? wholeSection : symbol.size;
}

function stringsOf(table: string): Content {
  return { kind: "strings", strings: table.length < 2 ? [] : table.slice(1, -1).split("\0") };
}

function relocsOf(data: Uint8Array, explicit: boolean): Content | null {
  const size = explicit ? RELA_SIZE : REL_SIZE;
  if (data.length % size !== 0) return null;
  const v = view(data);
  const relocs: ModelReloc[] = [];
  for (let at = 0; at < data.length; at += size)
    relocs.push({
      offset: v.getUint32(at, true) + 2 ** 32 * v.getUint32(at + 4, true),
      type: v.getUint32(at + 8, true),
      symbol: v.getUint32(at + 12, true),
      addend: explicit ? v.getUint32(at + 16, true) + 2 ** 32 * v.getInt32(at + 20, true) : 0,
    });
  return { kind: "relocs", relocs };
}

// ---------------------------------------------------------------------------------------------- building

/**
 * The file; `code` gives the bytes of each function. Capsule Mercury sections are left out when they stand for other code,
 * and the file says so as cubins of plain machine code do.
 */
export function buildContainer(given: ContainerModel, code: ReadonlyMap<string, Uint8Array>): Result<Uint8Array> {
  const stale = given.mercury !== null && given.mercury !== digestOf(given, code);
  const model = stale ? withoutMercury(given) : given;
  if (model === null) return fail([diagnostic("error", "Capsule Mercury sections are not the last ones")]);
  const drafts = draftsOf(model, code);
  if (!drafts.ok) return drafts;
  if (model.sections.reduce((n, s) => n + s.align + s.room, 0) > MOST_PADDING)
    return fail([diagnostic("error", "alignments and rooms of the sections are too large")]);
  const names = drafts.value[model.names - 1];
  if (names === undefined || names.type !== SHT.Strtab) return fail([diagnostic("error", "no table of section names")]);
  const target = targetOfSm(model.sm);
  const modern = target === null || containerOf(target).modern;
  const { type, flags } = model;
  return ok(
    writeElf({
      type,
      machine: CUBIN_MACHINE,
      osabi: CUBIN_OSABI,
      abiVersion: CUBIN_ABI,
      flags,
      sections: drafts.value,
      names,
      nameTable: stringTable(model, model.names),
      segments: (placed, table) =>
        model.segments ?? (type === ET.Exec ? segments(placed.filter(isPlain), table.offset, modern) : []),
    }),
  );
}

/** Bytes between sections, all of which are written; ptxas aligns to 128 and leaves hardly more. */
const MOST_PADDING = 2 ** 26;

const isMercury = (s: ModelSection): boolean => (s.flags & SHF_MERCURY) !== 0;

function withoutMercury(model: ContainerModel): ContainerModel | null {
  const first = model.sections.findIndex(isMercury);
  if (!model.sections.slice(first).every(isMercury)) return null;
  const flags = ((model.flags & ~0xff) | PLAIN_CODE) >>> 0;
  return { ...model, sections: model.sections.slice(0, first), segments: null, flags };
}

/** FNV-1a over the code in the order of its sections, two lanes of 32 bits. */
function digestOf(model: ContainerModel, code: ReadonlyMap<string, Uint8Array>): string {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (const { content } of model.sections) {
    if (content.kind !== "code") continue;
    for (const byte of code.get(content.name) ?? []) {
      low = Math.imul(low ^ byte, 0x01000193);
      high = Math.imul(high ^ byte ^ (low >>> 24), 0x01000193);
    }
  }
  return [high, low].map((x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Not a part of Capsule Mercury. */
const isPlain = (p: PlacedSection): boolean => (p.draft.flags & SHF_MERCURY) === 0;

function draftsOf(model: ContainerModel, code: ReadonlyMap<string, Uint8Array>): Result<SectionDraft[]> {
  const drafts = model.sections.map((s) => section({ ...s, link: null, data: null }));
  const tables = new Map<number, StringTable>();
  const missing: string[] = [];
  model.sections.forEach((s, i) => {
    const draft = drafts[i]!;
    draft.link = s.link === 0 ? null : (drafts[s.link - 1] ?? null);
    const { content } = s;
    if (content.kind === "code") {
      const bytes = code.get(content.name);
      if (bytes === undefined) missing.push(content.name);
      draft.data = bytes ?? new Uint8Array(0);
    } else if (content.kind === "bytes") draft.data = content.data;
    else if (content.kind === "info") draft.data = encodeInfo(content.records);
    else if (content.kind === "relocs") draft.data = relocationBytes(content.relocs, s.type === SHT.Rela);
    else if (content.kind === "same") {
      draft.shares = drafts[content.section - 1] ?? null;
      draft.data = draft.shares?.data ?? null;
    } else if (content.kind === "size") draft.size = content.size;
  });
  if (missing.length > 0) return fail(missing.map((m) => diagnostic("error", `no code of ${m}`)));
  model.sections.forEach(({ content, link }, i) => {
    if (content.kind !== "symbols") return;
    const table = stringTable(model, link);
    const symbols = content.symbols.map((s) =>
      s.size === wholeSection ? { ...s, size: drafts[s.section - 1]?.data?.length ?? 0 } : { ...s, size: s.size },
    );
    drafts[i]!.data = symbolBytes(symbols, table, (index: number) => index);
    tables.set(link, table);
  });
  model.sections.forEach((s, i) => {
    if (s.content.kind === "strings") drafts[i]!.data = (tables.get(i + 1) ?? stringTable(model, i + 1)).bytes();
  });
  return ok(drafts);
}

/** The strings that are given for a section. */
function stringTable(model: ContainerModel, index: number): StringTable {
  const content = model.sections[index - 1]?.content;
  if (content?.kind !== "strings") return new StringTable();
  const table = new StringTable();
  for (const text of content.strings) {
    if (text === "") table.skip();
    else table.add(text);
  }
  return table;
}
