/**
 * New code into an existing cubin: the words of lifted functions, in whatever order and length they have now, and with
 * them everything in the file that names places in the code. Everything else stays byte for byte.
 *
 * What follows when code moves: relocations of the section and those that point into it, `.nv.info.NAME`, the function
 * symbols, tables in constant bank 2, `.debug_frame`, the two line tables. Where something names code and is not
 * understood (debug information of -G, attributes never seen, addresses that lifting could not place), the replacement is
 * refused; code that only changes in place is always taken.
 *
 * From sm_100 on a cubin holds the code a second time as Capsule Mercury (`.nv.capmerc.*`, `.nv.merc.*`), from which a
 * driver for another SM could make its own. It follows (replace/mercury.ts); where that is not known it goes, with a message, and the file
 * says so as cubins of plain machine code do (e_flags; measured on ptxas 13.0.88).
 */
import { type Diagnostic, diagnostic } from "../diagnostics.js";
import { EIATTR } from "../elf/cubin/attributes.js";
import { encodeInfo, type InfoRecord, infoWords } from "../elf/cubin/info.js";
import { readCubin } from "../elf/cubin/read.js";
import { inPlaceAddend } from "../elf/cubin/relocations.js";
import { PLAIN_CODE, SHF_MERCURY } from "../elf/cubin/sections.js";
import { type ElfSection, joined, REL_SIZE, RELA_SIZE, readRelocations, SHT, SYM_SIZE, view } from "../elf/elf64.js";
import { editElf } from "../elf/elf64-edit.js";
import type { Cubin } from "../elf/index.js";
import { InternalError } from "../errors.js";
import { fail, ok, type Result } from "../result.js";
import { moveFrames } from "./replace/frame.js";
import { InfoEditor } from "./replace/info.js";
import { moveLines } from "./replace/lines.js";
import { CodeMap, type NewReloc } from "./replace/map.js";
import { type MovedMercury, moveMercury } from "./replace/mercury.js";
import type { Lifted } from "./types.js";

/** What is allowed when code is put back into a file. */
export interface ReplaceOptions {
  /**
   * What becomes of Capsule Mercury when code changes. Default `follow`: it describes the new code, or goes with a message where
   * that is not known; `drop`: it goes; `keep` leaves that of the old code.
   */
  readonly mercury?: "follow" | "drop" | "keep";
}

/** Sections that describe code for debuggers in ways that are not followed here. */
const opaque: readonly string[] = [".debug_info", ".debug_loc", ".debug_ranges", ".nv_debug_info_reg_sass"];

/**
 * The cubin with the code of `lifted` (functions of this very cubin) in place of what it had. Throws InternalError for
 * functions that have no encoding, or virtual registers.
 */
export function replaceCode(
  bytes: Uint8Array,
  lifted: readonly Lifted[],
  options: ReplaceOptions = {},
): Result<Uint8Array> {
  const read = readCubin(bytes);
  if (!read.ok) return read;
  return new Replacer(read.value, lifted, options).replace();
}

class Replacer {
  private readonly diagnostics: Diagnostic[] = [];
  private readonly contents = new Map<number, Uint8Array>();
  private readonly info = new Map<number, number>();
  /** Attributes of the changed functions by the index of their text section. */
  private readonly records = new Map<number, readonly InfoRecord[]>();
  /** Code by the index of its text section. */
  private readonly maps = new Map<number, CodeMap>();

  constructor(
    private readonly cubin: Cubin,
    lifted: readonly Lifted[],
    private readonly options: ReplaceOptions,
  ) {
    for (const l of lifted) {
      const own = cubin.functions.find((f) => f.section === l.source.section && f.name === l.source.name);
      if (own === undefined || own.words.length !== l.source.words.length)
        throw new InternalError("the function was not lifted from this cubin", { func: l.source.name });
      this.maps.set(own.section, new CodeMap(l));
    }
  }

  private get sections(): readonly ElfSection[] {
    return this.cubin.elf.sections;
  }

  private refuse(what: string): void {
    if (!this.diagnostics.some((d) => d.message === what)) this.diagnostics.push(diagnostic("error", what));
  }

  replace(): Result<Uint8Array> {
    for (const [section, map] of this.maps) {
      if (!map.changed) this.maps.delete(section);
      else this.function(section, map);
    }
    const { elf } = this.cubin;
    if (this.maps.size === 0) return ok(elf.bytes.slice());
    const moved = [...this.maps.values()].some((m) => m.moved);
    if (moved) {
      this.debug();
      this.symbols();
    }
    this.registers();
    const mercury = this.sections.findIndex((s) => (s.flags & SHF_MERCURY) !== 0);
    const drop = mercury >= 0 && this.options.mercury !== "keep";
    if (drop && this.sections.some((s) => s.index > mercury && (s.flags & SHF_MERCURY) === 0))
      this.refuse("Capsule Mercury sections are not the last ones of the file");
    if (this.diagnostics.length > 0) return fail(this.diagnostics);
    const edit = { contents: this.contents, info: this.info };
    if (!drop) return editElf(elf, edit);
    const made = this.options.mercury === "drop" ? "" : this.mercury();
    if (typeof made !== "string") return editElf(elf, { ...edit, contents: new Map([...this.contents, ...made]) });
    const why =
      made === "" ? [] : [diagnostic("info", `Capsule Mercury is left out, for sm_${this.cubin.sm} alone: ${made}`)];
    const rest = editElf(elf, { ...edit, keep: mercury, flags: (elf.flags & ~0xff) | PLAIN_CODE });
    return rest.ok ? ok(rest.value, why) : rest;
  }

  private mercury(): MovedMercury {
    const module = this.sections.findIndex((s) => s.name === ".nv.info");
    if (this.contents.has(module)) return "the code takes more registers";
    return moveMercury(this.cubin, this.maps, this.records);
  }

  /** The words of a function and what hangs on its section alone. */
  private function(section: number, map: CodeMap): void {
    const { lifted } = map;
    const text = this.sections[section]!;
    if (map.moved) this.diagnostics.push(...lifted.pinned);
    const { words } = map.code;
    const data = new Uint8Array(words.buffer, words.byteOffset, words.byteLength).slice();
    const v = view(data);
    words.forEach((w, i) => {
      v.setUint32(4 * i, w, true);
    });
    this.contents.set(section, data);
    this.attributes(text, map);
    this.textRelocations(text, map);
    if (map.moved) {
      this.tables(text, map);
      this.pointers(text, map);
    }
  }

  private belonging(text: ElfSection, prefix: string): ElfSection | undefined {
    return this.sections.find(
      (s) => s.info === text.index && s.name.startsWith(prefix) && (s.flags & SHF_MERCURY) === 0,
    );
  }

  private attributes(text: ElfSection, map: CodeMap): void {
    const section = this.belonging(text, ".nv.info.");
    if (section === undefined) return;
    const editor = new InfoEditor(map);
    const records = editor.records();
    const data = encodeInfo(records);
    this.records.set(text.index, records);
    this.diagnostics.push(...editor.diagnostics);
    this.contents.set(section.index, data);
  }

  /** The relocations that apply to the section. One may have two tables, with and without addends. */
  private textRelocations(text: ElfSection, map: CodeMap): void {
    if (!map.moved) return;
    const all = map.relocations();
    for (const table of this.relocationTables(text.index)) {
      const explicit = table.type === SHT.Rela;
      const old = readRelocations(table, explicit);
      if (!old.ok) {
        this.diagnostics.push(...old.diagnostics);
        continue;
      }
      const size = explicit ? RELA_SIZE : REL_SIZE;
      // In the order of the table; copies of an instruction after its own.
      const entries: Uint8Array[] = [];
      old.value.forEach((r, i) => {
        for (const n of all) {
          if (n.from !== r.offset || n.type !== r.type || n.symbol !== r.symbol) continue;
          const entry = table.data.slice(i * size, (i + 1) * size);
          this.writeRelocation(entry, n, explicit);
          entries.push(entry);
        }
      });
      this.contents.set(table.index, joined(entries));
    }
  }

  private writeRelocation(entry: Uint8Array, n: NewReloc, explicit: boolean): void {
    const v = view(entry);
    v.setBigUint64(0, BigInt(n.offset), true);
    if (n.addend === null) return;
    if (explicit) v.setBigInt64(16, BigInt(n.addend), true);
    else this.refuse("a relocation without addend names a place inside the code");
  }

  private relocationTables(section: number): ElfSection[] {
    return this.sections.filter(
      (s) => (s.type === SHT.Rela || s.type === SHT.Rel) && s.info === section && (s.flags & SHF_MERCURY) === 0,
    );
  }

  private tables(text: ElfSection, map: CodeMap): void {
    const { lifted, code } = map;
    if (lifted.tables.length === 0) return;
    const bank = this.belonging(text, ".nv.constant2.");
    if (bank === undefined) throw new InternalError("tables without constant bank 2", { func: lifted.source.name });
    const data = bank.data.slice();
    const v = view(data);
    for (const t of lifted.tables)
      t.blocks.forEach((block, i) => {
        const at = code.labels[block]!;
        if (at < 0) this.refuse(`${lifted.source.name}: a block that a table names is gone`);
        else v.setUint32(t.offset + i * t.stride, at, true);
      });
    this.contents.set(bank.index, data);
  }

  /** Relocations of other sections that point into the code. */
  private pointers(text: ElfSection, map: CodeMap): void {
    const { symbols } = this.cubin;
    for (const table of this.sections) {
      if ((table.type !== SHT.Rela && table.type !== SHT.Rel) || (table.flags & SHF_MERCURY) !== 0) continue;
      if (table.info === text.index) continue;
      const explicit = table.type === SHT.Rela;
      const list = readRelocations(table, explicit);
      if (!list.ok) continue;
      const target = this.sections[table.info];
      const data = this.contents.get(table.index) ?? table.data.slice();
      const v = view(data);
      list.value.forEach((r, i) => {
        const symbol = symbols[r.symbol];
        if (symbol === undefined || symbol.section !== text.index) return;
        const addend = explicit ? r.addend : inPlaceAddend(r.type, target?.data ?? new Uint8Array(0), r.offset);
        if (addend === 0) return;
        if (!explicit) {
          // Frames hold the address in place, too, and are rewritten there.
          if (target?.name !== ".debug_frame") this.refuse(`${table.name} points into ${text.name} without an addend`);
          return;
        }
        const at = map.place(symbol.value + addend);
        const base = map.place(symbol.value);
        if (at < 0 || base < 0) this.refuse(`${table.name} points to code of ${text.name} that is gone`);
        else v.setBigInt64(i * RELA_SIZE + 16, BigInt(at - base), true);
      });
      this.contents.set(table.index, data);
    }
  }

  /** Values and sizes of the symbols in the sections that changed. */
  private symbols(): void {
    const table = this.sections.find((s) => s.type === SHT.Symtab);
    if (table === undefined) return;
    const data = table.data.slice();
    const v = view(data);
    for (const s of this.cubin.symbols) {
      const map = this.maps.get(s.section);
      if (map === undefined || (s.value === 0 && s.size === 0)) continue;
      const start = map.place(s.value);
      const end = map.place(s.value + s.size);
      if (start < 0 || end < start) {
        this.refuse(`the code of symbol ${s.name} is gone`);
        continue;
      }
      v.setBigUint64(s.index * SYM_SIZE + 8, BigInt(start), true);
      v.setBigUint64(s.index * SYM_SIZE + 16, BigInt(end - start), true);
    }
    this.contents.set(table.index, data);
  }

  private debug(): void {
    for (const section of this.sections) {
      if ((section.flags & SHF_MERCURY) !== 0 || section.size === 0) continue;
      if (opaque.includes(section.name)) {
        if (this.namesMoved(section))
          this.refuse(
            `${section.name} describes code that moves (-G): only the order kept, without new words, leaves it true`,
          );
      } else if (section.name === ".debug_frame") this.frames(section);
      else if (section.name === ".debug_line" || section.name === ".nv_debug_line_sass") this.lines(section);
    }
  }

  /** A section of debug information names code by relocations, or (registers) by names only. */
  private namesMoved(section: ElfSection): boolean {
    const places = this.places(section);
    return places.size > 0 || section.name === ".nv_debug_info_reg_sass" || section.name === ".debug_loc";
  }

  /** Byte offset of a relocated address → the moved code it is in, and where. */
  private places(section: ElfSection): Map<number, { map: CodeMap; start: number }> {
    const found = new Map<number, { map: CodeMap; start: number }>();
    for (const table of this.relocationTables(section.index)) {
      const explicit = table.type === SHT.Rela;
      const list = readRelocations(table, explicit);
      if (!list.ok) continue;
      for (const r of list.value) {
        const symbol = this.cubin.symbols[r.symbol];
        const map = symbol === undefined ? undefined : this.maps.get(symbol.section);
        if (symbol === undefined || map === undefined || !map.moved) continue;
        const addend = explicit ? r.addend : inPlaceAddend(r.type, section.data, r.offset);
        found.set(r.offset, { map, start: symbol.value + addend });
      }
    }
    return found;
  }

  private frames(section: ElfSection): void {
    const data = section.data.slice();
    const problem = moveFrames(data, this.places(section));
    if (problem !== null) this.refuse(problem);
    this.contents.set(section.index, data);
  }

  private lines(section: ElfSection): void {
    const places = this.places(section);
    const made = moveLines(section.data, new Map([...places].map(([at, p]) => [at, p.map])));
    if (typeof made === "string") {
      this.refuse(`${section.name}: ${made}`);
      return;
    }
    this.contents.set(section.index, made.bytes);
    for (const table of this.relocationTables(section.index)) {
      const size = table.type === SHT.Rela ? RELA_SIZE : REL_SIZE;
      const data = (this.contents.get(table.index) ?? table.data).slice();
      const v = view(data);
      for (let at = 0; at < data.length; at += size) {
        const moved = made.places.get(Number(v.getBigUint64(at, true)));
        if (moved !== undefined) v.setBigUint64(at, BigInt(moved), true);
      }
      this.contents.set(table.index, data);
    }
  }

  /** More registers than before: REGCOUNT, and before sm_90 the text section's sh_info. Frames cannot grow. */
  private registers(): void {
    const module = this.sections.find((s) => s.name === ".nv.info");
    for (const [section, { lifted }] of this.maps) {
      const { func, source } = lifted;
      if (func.frame.localBytes + func.frame.spillBytes !== source.frameBytes)
        this.refuse(`${source.name} has another stack frame than before`);
      const needed = Math.max(4, func.used.R + 2);
      if (needed <= source.registers || module === undefined) continue;
      const data = (this.contents.get(module.index) ?? module.data).slice();
      const at = this.registerCount(source.symbol.index);
      if (at >= 0) view(data).setUint32(at, needed, true);
      this.contents.set(module.index, data);
      const text = this.sections[section]!;
      if (text.info >>> 24 === source.registers)
        this.info.set(section, ((needed << 24) | (text.info & 0xffffff)) >>> 0);
    }
  }

  /** Byte offset of a function's register count in `.nv.info`, −1 without one. */
  private registerCount(symbol: number): number {
    let at = 0;
    for (const r of this.cubin.info) {
      const [of] = infoWords(r);
      if (r.code === EIATTR.REGCOUNT && of === symbol) return at + 8;
      at += 4 + Math.ceil(r.payload.length / 4) * 4;
    }
    return -1;
  }
}
