/**
 * The sections of Capsule Mercury (sm_100 on) beside the capsules: `.nv.merc.*` say of the Mercury instructions what the plain
 * sections say of the machine code. They are copies with three changes: addresses of instructions count bytes of Mercury, relocations have
 * numbers of their own, and symbols point to the capsules. Without any one of them nvlink 13.0.88 ends in a segmentation fault;
 * whether they are expected at all it reads from the low byte of e_flags (02, or 04 for plain machine code).
 */
import { InternalError } from "../../errors.js";
import type { Code } from "../../sass/code.js";
import { RELA_SIZE, SHF, STT, SYM_SIZE } from "../elf64.js";
import { relocationBytes, type SectionDraft, type StringTable, section, symbolBytes } from "../elf64-write.js";
import { EIATTR } from "./attributes.js";
import { writeCapsule } from "./capmerc.js";
import { capsuleOf, type DerivedCapsule } from "./capmerc-derive.js";
import { mercuryForm } from "./container.js";
import { type DebugSections, frameEntry } from "./debug.js";
import { branchTargetsRecord, type IndirectBranch } from "./derive.js";
import type { DraftReloc, DraftSymbol, Symbols } from "./draft.js";
import { finalizerOptions } from "./finalizer-options.js";
import { type FrameEntry, frameBytes } from "./fixed.js";
import { encodeInfo, type InfoRecord, infoName, infoWords, wordsRecord } from "./info.js";
import { type JumpTable, unplaced } from "./jump-table.js";
import { lineProgram } from "./line-program.js";
import { R_CUDA, relocationName } from "./relocations.js";
import { SHF_MERCURY, SHT_CUDA, STO, STT_CUDA } from "./sections.js";

/** A function as the plain sections have it. */
export interface MercuryCode {
  readonly code: Code;
  readonly symbol: DraftSymbol;
  readonly text: SectionDraft;
  /** Index of `text` in the file. */
  readonly textIndex: number;
  readonly records: readonly InfoRecord[];
  /** In the order of the file. */
  readonly relocs: readonly DraftReloc[];
  /** Addresses of shared memory in an executable, which count from the end of what the system reserves; any order. */
  readonly sharedSites: readonly DraftReloc[];
  readonly jumps: JumpTable | null;
}

export interface MercuryInput {
  readonly codes: readonly MercuryCode[];
  /** Optimization level, 0…3. */
  readonly level: number;
  readonly relocatable: boolean;
  readonly info: SectionDraft;
  readonly frame: SectionDraft;
  /** Line tables; null without. */
  readonly debug: DebugSections | null;
  readonly strtab: SectionDraft;
  readonly symbols: Symbols;
  /** What the system reserves of shared memory; null in relocatable objects. */
  readonly reserved: SectionDraft | null;
  /** Banks 4 and 3 and initial values, each with its relocations in the order of the file. */
  readonly data: readonly { readonly section: SectionDraft; readonly relocs: readonly DraftReloc[] }[];
}

interface Part extends MercuryCode {
  readonly name: string;
  readonly words: Uint32Array;
  readonly capsule: DerivedCapsule;
  /** As for the machine code, in its bytes. */
  readonly frame: FrameEntry;
}

/** A table of lines, its name without the dot. */
interface MercuryTable {
  readonly name: string;
  readonly section: SectionDraft;
  readonly relocs: readonly DraftReloc[];
}

export interface MercurySections {
  readonly sections: readonly SectionDraft[];
  /** Fills the symbol table once all indices are known. */
  finish(strings: StringTable, indexOf: (s: SectionDraft) => number): void;
}

/** Relocation numbers of Mercury by those of machine code, and where in the Mercury instruction the value stands. */
const R_MERCURY = {
  address: 0x10002,
  frameAddress: 0x1003d,
  frameSize: 0x1000e,
  strings: 0x10003,
  /** A word of a jump table. */
  codeAddress: 0x10008,
  tableLoad: 0x10004,
} as const;

const dataRelocation: Readonly<Record<number, number>> = { [R_CUDA.G64]: 0x10001, [R_CUDA.ABS64]: R_MERCURY.address };

/** Bytes before the driver's variables in reserved shared memory; Mercury does not count them. */
const RESERVED_SYSTEM = 0x40;

const MOVES: readonly number[] = [0x802, 0x882];
/** MOV and UMOV of 32 bits: one Mercury instruction of 16 bytes whose last four are the value. */
const moveRelocation: Readonly<Record<number, number>> = {
  [R_CUDA.ABS32_32]: 0x10003,
  [R_CUDA.ABS16_32]: 0x10004,
  [R_CUDA.ABS32_LO_32]: 0x10005,
  [R_CUDA.ABS32_HI_32]: 0x10006,
};
const MOVE_VALUE = 12;
/** A load from a constant bank has 32 bytes, the offset in the last four. */
const LOAD_OFFSET = 28;
const placeOf = (r: DraftReloc): number => (r.type === R_CUDA.CONST_FIELD21_38 ? LOAD_OFFSET : MOVE_VALUE);

/**
 * The sections, or what of the input has no known counterpart in Mercury. Then there must be no capsules at all: a finalizer
 * would trust what is wrong in them. Only for code of this compiler (see `CapsuleOptions.compiled`).
 */
export function mercurySections(input: MercuryInput): MercurySections | string {
  const options = finalizerOptions(input.level, input.debug !== null, input.relocatable);
  if (options === null) return `optimization level ${input.level}`;
  const parts: Part[] = [];
  // Kinds of gathered instructions are numbered differently beside functions that are called.
  const calls = input.codes.some(({ code }) => code.kind !== "entry" || code.insts.some((i) => i.form.op === "CALL"));
  for (const c of input.codes) {
    const { code } = c;
    const { paramBase } = code.target.constants;
    if (c.jumps?.functions) return `table of functions of ${code.name}`;
    const words = unplaced(code.words, c.jumps);
    const capsule = capsuleOf(words, c.textIndex, { paramBase, compiled: true, calls });
    if ("unknown" in capsule) return `instruction at ${code.name}+0x${(capsule.unknown * 16).toString(16)}`;
    const p: Part = { ...c, name: code.name, words, capsule, frame: frameEntry(c) };
    for (const r of p.relocs) if (codeType(p, r) === null) return `relocation ${relocationName(r.type)} in ${p.name}`;
    const foreign = p.records.find((r) => mercuryForm(r.code) === null);
    if (foreign !== undefined) return `attribute ${foreign.name} of ${p.name}`;
    parts.push(p);
  }
  for (const { section: s, relocs } of input.data)
    for (const r of relocs)
      if (dataRelocation[r.type] === undefined) return `relocation ${relocationName(r.type)} in ${s.name}`;
  return new Mercury(input, parts, options).make();
}

/** Sections of constants: whose they are in Mercury. */
const bankNames: Readonly<Record<string, { readonly name: string; readonly type: number }>> = {
  ".nv.constant4": { name: ".nv.constant.pic", type: SHT_CUDA.MercuryPic },
  ".nv.constant3": { name: ".nv.constant.user", type: SHT_CUDA.MercuryConstant },
};

const isBank = (s: SectionDraft): boolean => s.type === SHT_CUDA.MercuryPic || s.type === SHT_CUDA.MercuryConstant;

/** What a variable's symbol says of it, by the plain section that holds it. */
const objectSpace: Readonly<Record<string, number>> = {
  ".nv.global": STO.Global,
  ".nv.global.init": STO.Global,
  ".nv.constant3": STO.Const,
  ".nv.shared.reserved.0": STO.Reserved,
};

/** Loads from jump tables, and moves. */
function codeType(p: Part, r: DraftReloc): number | null {
  return r.type === R_CUDA.CONST_FIELD21_38 ? R_MERCURY.tableLoad : moveType(p, r);
}

function moveType(p: Part, r: DraftReloc): number | null {
  if (r.offset % 16 !== 0 || !MOVES.includes(p.words[r.offset / 4]! & 0xfff)) return null;
  return moveRelocation[r.type] ?? null;
}

class Mercury {
  private readonly input: MercuryInput;
  private readonly parts: readonly Part[];
  private readonly symtab = section({
    name: ".nv.merc.symtab",
    type: SHT_CUDA.MercurySymtab,
    flags: SHF_MERCURY,
    align: 8,
    entsize: SYM_SIZE,
  });
  /** Plain section → the one that stands for it, with the name of its symbol. */
  private readonly twins = new Map<SectionDraft, { section: SectionDraft; symbol: string }>();
  private readonly functions = new Map<DraftSymbol, Part>();
  private readonly options: Uint8Array;

  constructor(input: MercuryInput, parts: readonly Part[], options: Uint8Array) {
    this.options = options;
    this.input = input;
    this.parts = parts;
    for (const p of parts) this.functions.set(p.symbol, p);
  }

  make(): MercurySections {
    const { input, parts, symtab } = this;
    const capsules = parts.map((p) => this.capsule(p));
    const frame = this.frame();
    const lines = this.lines();
    const info = this.copy(input.info, { type: SHT_CUDA.MercuryInfo });
    info.link = symtab;
    const infos = parts.map((p, i) => this.info(p, capsules[i]!));
    const data = input.data.map((d) => this.data(d.section));
    const reserved = input.reserved === null ? [] : [this.reserved(input.reserved)];
    const relocations = parts.flatMap((p, i) => this.codeRelocations(p, capsules[i]!));
    for (const t of lines.tables) relocations.push(...this.relocations(t.name, t.section, t.relocs));
    const tables = parts.map((p, i) => this.tables(p, capsules[i]!)).filter((t) => t !== null);
    for (const t of tables) relocations.push(...this.relocations(t.name, t.section, t.relocs));
    input.data.forEach((d, i) => {
      const rows = d.relocs.map((r) => ({ ...r, type: dataRelocation[r.type]! }));
      relocations.push(...this.relocations(data[i]!.name.slice(".nv.merc.".length), data[i]!, rows));
    });
    relocations.push(...this.relocations("debug_frame", frame.section, frame.relocs));
    symtab.link = input.strtab;
    symtab.info = input.symbols.globalsFrom;
    return {
      sections: [
        ...[...capsules, frame.section, ...lines.sections, info, ...infos, ...relocations],
        ...tables.map((t) => t.section),
        ...[...data.filter(isBank), ...data.filter((d) => !isBank(d)), ...reserved, symtab],
      ],
      finish: (strings, indexOf) => {
        symtab.data = symbolBytes(this.symbolsOfMercury(), strings, indexOf);
      },
    };
  }

  private capsule(p: Part): SectionDraft {
    const made = section({
      name: `.nv.capmerc.text.${p.name}`,
      type: SHT_CUDA.Capmerc,
      flags: SHF_MERCURY,
      align: 16,
      link: this.symtab,
      info: this.input.symbols.indexOf(p.symbol),
      data: writeCapsule(p.capsule),
    });
    this.twins.set(p.text, { section: made, symbol: p.text.name });
    return made;
  }

  private frame(): { section: SectionDraft; relocs: DraftReloc[] } {
    const { parts, input } = this;
    const { frame } = input;
    const frameSymbol = this.input.symbols.sectionSymbol(frame);
    const made = frameBytes(
      parts.map((p) => ({
        frameBytes: p.frame.frameBytes,
        size: address(p, p.frame.size),
        prologue: address(p, p.frame.prologue),
        end: address(p, p.frame.end),
      })),
      "mercury",
      input.relocatable,
    );
    const relocs: DraftReloc[] = [];
    parts.forEach((p, i) => {
      const { cie, location } = made.places[i]!;
      const { symbol } = p;
      const start = { offset: location, type: R_MERCURY.frameAddress, symbol, addend: 0 };
      if (!input.relocatable) relocs.unshift(start);
      else
        relocs.unshift({ offset: location + 8, type: R_MERCURY.frameSize, symbol, addend: 0 }, start, {
          offset: location - 8,
          type: R_MERCURY.address,
          symbol: frameSymbol,
          addend: cie,
        });
    });
    const twin = this.copy(frame, {});
    twin.data = made.bytes;
    return { section: twin, relocs };
  }

  /** The same positions at other addresses. */
  private lines(): { sections: SectionDraft[]; tables: MercuryTable[] } {
    const { debug } = this.input;
    if (debug === null) return { sections: [], tables: [] };
    const sections = debug.sections.map((s) => this.copy(s, {}));
    const addresses = this.parts.map((p) => p.capsule.addresses);
    const tables = debug.tables.map((t) => {
      const made = lineProgram(t.lines, { addresses, marked: debug.hasSource });
      const twin = this.twins.get(t.section)!.section;
      twin.data = made.bytes;
      const relocs: DraftReloc[] = t.lines.functions.map((_, i) => ({
        offset: made.places[i]!,
        type: R_MERCURY.address,
        symbol: this.parts[i]!.symbol,
        addend: 0,
      }));
      if (made.strings !== null && debug.strings !== null)
        relocs.push({ offset: made.strings, type: R_MERCURY.strings, symbol: debug.strings, addend: 0 });
      return { name: t.section.name.slice(1), section: twin, relocs };
    });
    return { sections, tables };
  }

  private info(p: Part, capsule: SectionDraft): SectionDraft {
    const records: InfoRecord[] = [];
    for (const r of p.records) {
      const form = mercuryForm(r.code);
      if (form === "same") records.push(r);
      else if (form === "addresses") {
        records.push(
          wordsRecord(
            r.code,
            infoWords(r).map((at) => address(p, at)),
          ),
        );
      } else if (form === "branches")
        records.push(branchTargetsRecord((p.jumps?.branches ?? []).map((b) => moved(p, b))));
      if (r.code === EIATTR.CUDA_API_VERSION) {
        const code = EIATTR.MERCURY_FINALIZER_OPTIONS;
        records.push({ code, name: infoName(code), format: 4, value: 0, payload: this.options });
      }
    }
    return section({
      name: `.nv.merc.nv.info.${p.name}`,
      type: SHT_CUDA.MercuryInfo,
      flags: SHF_MERCURY | SHF.InfoLink,
      align: 4,
      link: this.symtab,
      info: capsule,
      data: encodeInfo(records),
    });
  }

  /** Jump tables: words of zeros, each filled by a relocation against the function. */
  private tables(p: Part, capsule: SectionDraft): MercuryTable | null {
    if (p.jumps === null) return null;
    const name = `nv.constant.optimizer.${p.name}`;
    const { section: plain } = p.jumps;
    const made = section({
      name: `.nv.merc.${name}`,
      type: SHT_CUDA.MercuryTables,
      flags: plain.flags | SHF_MERCURY,
      align: plain.align,
      info: capsule,
      data: new Uint8Array((plain.data as Uint8Array).length),
    });
    this.twins.set(plain, { section: made, symbol: `.${name}` });
    const relocs = p.code.tables.flatMap((t) =>
      t.targets.map((target, i) => ({
        offset: t.offset + 4 * i,
        type: R_MERCURY.codeAddress,
        symbol: p.symbol,
        addend: address(p, target),
      })),
    );
    return { name, section: made, relocs: relocs.reverse() };
  }

  /** Banks get names that say whose they are; the finalizer decides on banks anew. */
  private data(plain: SectionDraft): SectionDraft {
    const bank = bankNames[plain.name];
    return bank === undefined
      ? this.copy(plain, { type: SHT_CUDA.GlobalInit })
      : this.copy(plain, { type: bank.type }, bank.name);
  }

  /** Without what comes before the variables of the driver. */
  private reserved(plain: SectionDraft): SectionDraft {
    const made = this.copy(plain, { type: SHT_CUDA.MercuryReserved });
    made.data = new Uint8Array(plain.size - RESERVED_SYSTEM);
    return made;
  }

  private codeRelocations(p: Part, capsule: SectionDraft): SectionDraft[] {
    const sites = p.sharedSites.filter((r) => moveType(p, r) !== null);
    const rows = [...p.relocs, ...sites]
      .map((r) => ({ ...r, offset: address(p, r.offset) + placeOf(r), type: codeType(p, r)! }))
      .sort((a, b) => b.offset - a.offset);
    // Where the code has a section of relocations, nvlink wants one here, both empty if need be.
    return this.relocations(`text.${p.name}`, capsule, rows, p.relocs.length > 0 || p.code.relocs.length > 0);
  }

  private copy(plain: SectionDraft, change: { type?: number }, name: string = plain.name): SectionDraft {
    const { type, flags, align, data } = plain;
    const made = section({ name: `.nv.merc${name}`, type, flags: flags | SHF_MERCURY, align, data, ...change });
    this.twins.set(plain, { section: made, symbol: name });
    return made;
  }

  private relocations(name: string, of: SectionDraft, list: readonly DraftReloc[], keepEmpty = false): SectionDraft[] {
    if (list.length === 0 && !keepEmpty) return [];
    const { symbols } = this.input;
    return [
      section({
        name: `.nv.merc.rela.${name}`,
        type: SHT_CUDA.MercuryRela,
        flags: SHF_MERCURY | SHF.InfoLink,
        align: 8,
        entsize: RELA_SIZE,
        link: this.symtab,
        info: of,
        data: relocationBytes(
          list.map((r) => ({ ...r, symbol: symbols.indexOf(r.symbol) })),
          true,
        ),
      }),
    ];
  }

  /** The plain symbols up to the sections of bank 0, at the same indices; the system's own have no values yet. */
  private symbolsOfMercury(): DraftSymbol[] {
    const { reserved } = this.input;
    return this.input.symbols.withoutLast().map((s) => {
      if (s.section === null) return { ...s, value: 0 };
      const twin = this.twins.get(s.section);
      const part = this.functions.get(s);
      const space = s.type === STT.Object ? objectSpace[s.section.name] : undefined;
      return {
        ...s,
        ...(space !== undefined && { type: STT_CUDA.Object, other: space }),
        name: s.type === STT.Section ? (twin?.symbol ?? s.name) : s.name,
        section: twin?.section ?? s.section,
        value: s.section === reserved && s.type !== STT.Section ? s.value - RESERVED_SYSTEM : s.value,
        size: part === undefined ? s.size : address(part, part.words.length * 4),
      };
    });
  }
}

const moved = (p: Part, b: IndirectBranch): IndirectBranch => ({
  offset: address(p, b.offset),
  targets: b.targets.map((t) => address(p, t)),
});

function address(p: Part, offset: number): number {
  const at = p.capsule.addresses[offset / 16];
  if (at === undefined) throw new InternalError(`no instruction at ${offset}`, { func: p.name });
  return at;
}
