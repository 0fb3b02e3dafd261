/**
 * Puts the code of a module's functions and its variables together into a cubin.
 *
 * Functions are laid out last first, as ptxas does. Shared and constant addresses are known here and filled in; the
 * addresses of global variables are relocations for the driver (or nvlink). In a relocatable object everything
 * stays symbolic.
 */
import { type Diagnostic, diagnostic } from "../../diagnostics.js";
import type { Program } from "../../ori/types.js";
import { fail, ok, type Result } from "../../result.js";
import type { Code } from "../../sass/code.js";
import { ET, SHT, SYM_SIZE } from "../elf64.js";
import { type SectionDraft, StringTable, section, writeElf } from "../elf64-write.js";
import { EIATTR } from "./attributes.js";
import { CodeRelocations } from "./code-relocs.js";
import { type Container, containerOf } from "./container.js";
import { type DebugSections, debugFrame, debugLines, type SourceLines } from "./debug.js";
import { functionInfo } from "./derive.js";
import { type DraftReloc, type DraftSymbol, relocationSections, Symbols } from "./draft.js";
import { compatBytes, cudaNote, relActionBytes, toolNote } from "./fixed.js";
import { type FunctionPart, functionPart } from "./function-part.js";
import { Functions } from "./functions.js";
import { encodeInfo, type InfoRecord, wordsRecord } from "./info.js";
import { type MercurySections, mercurySections } from "./mercury.js";
import { References } from "./references.js";
import { ReservedShared } from "./reserved.js";
import { CUBIN_ABI, CUBIN_MACHINE, CUBIN_OSABI, MERCURY_CODE, PLAIN_CODE, SHT_CUDA } from "./sections.js";
import { segments } from "./segments.js";
import { tensorMemoryUse } from "./tensor-memory.js";
import { asksProperties, usesTextureUnits } from "./texture-use.js";
import { Variables } from "./variables.js";

/** What a cubin says beside the code. */
export interface LinkOptions {
  /** `-c`: relocatable object (ET_REL) for nvlink instead of an executable. */
  readonly relocatable?: boolean;
  /** SM number of the PTX's `.target`, for `.note.nv.cuinfo`; default: the program's target. */
  readonly virtualSm?: number;
  /** Command line recorded in `.note.nv.tkinfo`, as ptxas writes it (`-O 0 -arch sm_90`). */
  readonly commandLine?: string;
  /** With it, line tables are written from `Code.locs`. */
  readonly source?: SourceLines;
  /** `-maxrregcount`, recorded for functions without bounds of their own. */
  readonly maxRegisters?: number;
  /**
   * Optimization level of code that the compiler made: from sm_100 on it then gets Mercury capsules. Other code
   * has none, for its NOPs may be meant.
   */
  readonly level?: number;
  /** Kernels may have more static shared memory than ptxas gives without a linker. */
  readonly anySharedSize?: boolean;
}

/** `codes` in source order of the functions; they are laid out in ptxas's order (last first). */
export function link(codes: readonly Code[], program: Program, options: LinkOptions = {}): Result<Uint8Array> {
  return new Linker(codes, program, options).run();
}

class Linker {
  private readonly codes: readonly Code[];
  readonly program: Program;
  private readonly options: LinkOptions;
  private readonly container: Container;
  readonly relocatable: boolean;
  readonly symbols: Symbols = new Symbols();
  readonly diagnostics: Diagnostic[] = [];
  readonly modern: boolean;
  readonly symtab: SectionDraft = section({ name: ".symtab", type: SHT.Symtab, align: 8, entsize: SYM_SIZE });
  private readonly variables: Variables;
  private readonly codeRelocs: CodeRelocations;
  private readonly reserved: ReservedShared;
  private readonly functions: Functions;
  /** An executable that asks for properties of textures. */
  private readonly queries: boolean;
  private readonly references: References;
  private reservedSection: SectionDraft | null = null;
  private readonly relocs = new Map<SectionDraft, DraftReloc[]>();
  /** NOBITS sections in order of creation. */
  readonly nobits: SectionDraft[] = [];

  constructor(codes: readonly Code[], program: Program, options: LinkOptions) {
    this.codes = codes;
    this.program = program;
    this.options = options;
    this.container = containerOf(program.target);
    this.modern = this.container.modern;
    this.relocatable = options.relocatable ?? false;
    this.queries = !this.relocatable && codes.some(asksProperties);
    this.variables = new Variables(program, this.relocatable, this);
    const { reservedSharedOffset } = program.target.limits;
    this.references = new References(program, this.modern, this.symbols);
    this.reserved = new ReservedShared(this.container, this.symbols, this.relocatable, reservedSharedOffset);
    this.functions = new Functions(program, codes, this.relocatable, this.modern, this.symbols);
    this.codeRelocs = new CodeRelocations(
      program,
      this.relocatable,
      this.variables,
      this.reserved,
      this.functions,
      this,
    );
  }

  run(): Result<Uint8Array> {
    const toolkit = section({
      name: ".note.nv.tkinfo",
      type: SHT.Note,
      flags: 0x2000000,
      align: 4,
      data: toolNote(this.options.commandLine ?? ""),
    });
    const cuda = section({
      name: ".note.nv.cuinfo",
      type: SHT.Note,
      flags: this.modern ? 0x1000040 : 0x1000000,
      align: 4,
      link: toolkit,
      data: cudaNote(this.options.virtualSm ?? this.program.target.sm),
    });
    this.symbols.section(toolkit);
    this.symbols.section(cuda);
    const parts = this.parts();
    if (this.diagnostics.length > 0) return fail(this.diagnostics);
    const frame = debugFrame(parts, this);
    const { source } = this.options;
    const debug = source === undefined ? null : debugLines(parts, source, this);
    const callgraph = section({
      name: ".nv.callgraph",
      type: SHT_CUDA.Callgraph,
      align: 4,
      entsize: 8,
      link: this.symtab,
    });
    if (!this.queries) this.symbols.section(callgraph);
    const prototypes = this.functions.prototypeSection(this.symtab);
    if (prototypes !== null) this.symbols.section(prototypes);
    const action = this.relAction();
    for (const p of parts) if (!p.early && p.constant0 !== null) this.symbols.section(p.constant0, true);
    if (this.diagnostics.length > 0) return fail(this.diagnostics);
    return this.write(parts, { toolkit, cuda, frame, callgraph, prototypes, action, debug });
  }

  private relAction(): SectionDraft | null {
    if (this.modern || this.relocatable) return null;
    const action = section({
      name: ".nv.rel.action",
      type: SHT_CUDA.RelAction,
      align: 8,
      entsize: 8,
      data: relActionBytes(),
    });
    this.symbols.section(action);
    return action;
  }

  // ------------------------------------------------------------------------------------------------ functions

  /** Executables hold the functions last first, relocatable objects in source order (measured). */
  private parts(): FunctionPart[] {
    const order = this.relocatable ? [...this.codes] : [...this.codes].reverse();
    const parts = order.map((code, i) =>
      functionPart(code, this, (layout, symbol) => {
        this.functions.define(code, symbol);
        this.sharedFits(code, layout.size);
        if (i === 0) this.placeModule(code);
        this.codeRelocs.defineDriverSizes(code);
        if (this.program.symbols.some((s) => s.space === "shared" && s.users.includes(code.name))) this.reserved.cap();
      }),
    );
    if (order.length === 0) {
      this.variables.placeAll();
      this.references.defineRest();
    }
    if (this.diagnostics.length > 0) return parts;
    for (const p of parts) for (const r of this.references.relocations(p.func)) this.relocate(p.constant0!, r);
    this.variables.initializeAll((name) => this.functions.pointer(name));
    parts.forEach((p) => {
      this.codeRelocs.relocate(p);
    });
    return parts;
  }

  /** What a launch can ask for is more; without a linker ptxas gives static variables this much, on every SM (measured). */
  private sharedFits(code: Code, end: number): void {
    const { staticSharedLimit, reservedSharedOffset } = this.program.target.limits;
    const bytes = end - reservedSharedOffset;
    if (this.relocatable || this.options.anySharedSize === true) return;
    if (code.kind !== "entry" || bytes <= staticSharedLimit) return;
    const sizes = `0x${(bytes % 0x100000000).toString(16)} bytes, 0x${staticSharedLimit.toString(16)} max`;
    this.diagnostics.push(diagnostic("error", `Entry function '${code.name}' uses too much shared data (${sizes})`));
  }

  /** Once per module, after the first function's own symbols: the reserved shared memory and the variables. */
  private placeModule(first: Code): void {
    this.reservedSection = this.modern
      ? this.reserved.make(this.codes.some((c) => tensorMemoryUse(c.insts).allocates))
      : null;
    if (this.reservedSection !== null) this.nobits.push(this.reservedSection);
    this.references.defineFirst(this.program.funcs.find((f) => f.name === first.name) ?? null);
    this.variables.placeAll();
    this.references.defineRest();
  }

  // ------------------------------------------------------------------------------------------------ code

  relocate(where: SectionDraft, reloc: DraftReloc): void {
    const list = this.relocs.get(where);
    if (list === undefined) this.relocs.set(where, [reloc]);
    else list.push(reloc);
  }

  // ------------------------------------------------------------------------------------------------ writing

  private moduleInfo(parts: readonly FunctionPart[]): InfoRecord[] {
    const records: InfoRecord[] = [];
    const index = (p: FunctionPart): number => this.symbols.indexOf(p.symbol);
    const stack = (p: FunctionPart): InfoRecord => wordsRecord(EIATTR.MIN_STACK_SIZE, [index(p), p.code.stackBytes]);
    for (const p of [...parts].reverse()) {
      records.push(wordsRecord(EIATTR.REGCOUNT, [index(p), p.code.registers]));
      if (p === parts[0]) records.push(...this.references.samplers());
      if (this.relocatable || this.queries) records.push(wordsRecord(EIATTR.MAX_STACK_SIZE, [index(p), 0]));
      if (this.queries && p.code.kind === "entry") records.push(stack(p));
      for (let k = p.routines.length - 1; k >= 0; k--) {
        const bytes = p.code.routines[k]!.frameBytes;
        records.push(wordsRecord(EIATTR.FRAME_SIZE, [this.symbols.indexOf(p.routines[k]!), bytes]));
      }
      records.push(wordsRecord(EIATTR.FRAME_SIZE, [index(p), p.code.frameBytes]));
    }
    records.push(...this.references.mode());
    if (this.relocatable || this.queries) return records;
    const bySymbol = parts.filter((p) => p.code.kind === "entry").sort((a, b) => index(a) - index(b));
    for (const p of bySymbol) records.push(stack(p));
    return records;
  }

  private write(
    parts: readonly FunctionPart[],
    made: {
      toolkit: SectionDraft;
      cuda: SectionDraft;
      frame: SectionDraft;
      callgraph: SectionDraft;
      prototypes: SectionDraft | null;
      action: SectionDraft | null;
      debug: DebugSections | null;
    },
  ): Result<Uint8Array> {
    const { container, symtab } = this;
    const shstrtab = section({ name: ".shstrtab", type: SHT.Strtab, data: new Uint8Array(0) });
    const strtab = section({ name: ".strtab", type: SHT.Strtab, data: new Uint8Array(0) });
    const info = section({ name: ".nv.info", type: SHT_CUDA.Info, align: 4, link: symtab });
    const compat = section({ name: ".nv.compat", type: SHT_CUDA.Compat, align: 4 });
    compat.data = compatBytes(
      container,
      this.program.target.suffix === "a",
      parts.map((p) => p.code.words),
      parts.some((p) => tensorMemoryUse(p.code.insts).any || usesTextureUnits(p.code)),
    );
    if (container.modern) made.cuda.info = compat;
    const { debug } = made;
    const lines = debug?.sections ?? [];
    const relocs = this.relocationSections(parts, lines, made.frame);

    const present = (s: SectionDraft | null): s is SectionDraft => s !== null;
    const bank0 = (early: boolean): SectionDraft[] =>
      parts.filter((p) => p.early === early).flatMap((p) => p.constant0 ?? []);
    const sections: SectionDraft[] = [
      shstrtab,
      strtab,
      symtab,
      made.frame,
      ...lines,
      made.toolkit,
      made.cuda,
      info,
      ...(container.modern ? [compat] : []),
      ...parts.map((p) => p.info),
      ...(this.queries ? [] : [made.callgraph]),
      ...[made.prototypes, made.action].filter(present),
      ...relocs,
      ...this.variables.banks,
      ...parts.map((p) => p.jumps?.section ?? null).filter(present),
      ...bank0(true),
      ...parts.map((p) => p.text),
      ...[this.variables.globalInit].filter(present),
      ...this.nobits,
      ...bank0(false),
    ];
    symtab.link = strtab;
    symtab.info = this.symbols.firstGlobal;
    const records = this.fillInfo(parts, info);
    const capsules = this.mercury(parts, records, { sections, info, strtab, frame: made.frame, debug });
    const mercury = typeof capsules === "string" ? null : capsules;
    if (mercury !== null) sections.push(...mercury.sections);
    const strings = new StringTable();
    made.callgraph.data = this.functions.callgraph(strings);
    if (made.prototypes !== null) made.prototypes.data = this.functions.prototypes(strings);
    const index = new Map(sections.map((s, i) => [s, i + 1]));
    const indexOf = (s: SectionDraft): number => index.get(s)!;
    symtab.data = this.symbols.bytes(strings, indexOf);
    mercury?.finish(strings, indexOf);
    strtab.data = strings.bytes();
    const low = mercury !== null ? MERCURY_CODE : PLAIN_CODE;
    const bytes = writeElf({
      type: this.relocatable ? ET.Rel : ET.Exec,
      machine: CUBIN_MACHINE,
      osabi: CUBIN_OSABI,
      abiVersion: CUBIN_ABI,
      flags:
        ((debug === null ? 0x06 : debug.strings === null ? 0x09 : 0x0a) << 24) | (this.program.target.sm << 8) | low,
      sections,
      names: shstrtab,
      segments: (placed, table) => (this.relocatable ? [] : segments(placed, table.offset, container.modern)),
    });
    return ok(
      bytes,
      // What is linked further asks for them; code for this very SM does without.
      typeof capsules === "string" && this.relocatable
        ? [diagnostic("info", `Mercury capsules left out: not known for ${capsules}`)]
        : [],
    );
  }

  /** The sections of Capsule Mercury; null where none are wanted, the reason where they would have to say what is not known. */
  private mercury(
    parts: readonly FunctionPart[],
    records: readonly (readonly InfoRecord[])[],
    made: {
      sections: readonly SectionDraft[];
      info: SectionDraft;
      strtab: SectionDraft;
      frame: SectionDraft;
      debug: DebugSections | null;
    },
  ): MercurySections | string | null {
    const { level } = this.options;
    if (!this.container.capsules || level === undefined) return null;
    if (this.program.references !== undefined || this.program.independent === true) return "textures that PTX names";
    const data = [...this.variables.banks, this.variables.globalInit].filter((s) => s !== null);
    return mercurySections({
      codes: parts.map((p, i) => ({
        code: p.code,
        symbol: p.symbol,
        text: p.text,
        textIndex: made.sections.indexOf(p.text) + 1,
        records: records[i]!,
        relocs: [...p.relocs].reverse(),
        sharedSites: p.sharedSites,
        jumps: p.jumps,
      })),
      level,
      relocatable: this.relocatable,
      reserved: this.reservedSection,
      debug: made.debug,
      info: made.info,
      frame: made.frame,
      strtab: made.strtab,
      symbols: this.symbols,
      data: data.map((s) => ({ section: s, relocs: [...(this.relocs.get(s) ?? [])].reverse() })),
    });
  }

  private fillInfo(parts: readonly FunctionPart[], info: SectionDraft): InfoRecord[][] {
    info.data = encodeInfo(this.moduleInfo(parts));
    return parts.map((p) => {
      const index = this.symbols.indexOf(p.symbol);
      p.text.info = this.modern ? index : ((p.code.registers << 24) | index) >>> 0;
      const records = functionInfo({
        code: p.code,
        container: this.container,
        constant0: p.constant0 === null ? 0 : this.symbols.sectionIndex(p.constant0),
        syscalls: this.relocatable ? [] : p.code.relocs.flatMap((r) => (r.what === "call" ? [r.offset] : [])),
        externs: this.functions.externs(p.code).map((s) => this.symbols.indexOf(s)),
        branches: p.jumps?.branches ?? [],
        references: p.func?.references ?? [],
        maxRegisters: this.options.maxRegisters ?? 0,
      });
      p.info.data = encodeInfo(records);
      return records;
    });
  }

  /** In ptxas's order: code, lines, bank 4, bank 3, bank 2, initial values, unwind information; each list last first. */
  private relocationSections(
    parts: readonly FunctionPart[],
    debug: readonly SectionDraft[],
    frame: SectionDraft,
  ): SectionDraft[] {
    const common = {
      modern: this.modern,
      symtab: this.symtab,
      indexOf: (s: DraftSymbol) => this.symbols.indexOf(s),
    };
    const out: SectionDraft[] = [];
    for (const p of parts) {
      const list = [...p.relocs].reverse();
      out.push(...relocationSections(p.text, list, { ...common, keepEmpty: p.code.relocs.length > 0 }));
    }
    const add = (s: SectionDraft | null, options: { forward?: boolean; keepEmpty?: boolean } = {}): void => {
      if (s === null) return;
      const list = this.relocs.get(s) ?? [];
      const ordered = options.forward ? list : [...list].reverse();
      out.push(...relocationSections(s, ordered, { ...common, keepEmpty: options.keepEmpty ?? false }));
    };
    for (const s of debug) add(s, { forward: true });
    for (const name of [".nv.constant4", ".nv.constant3"])
      add(this.variables.banks.find((b) => b.name === name) ?? null);
    for (const p of parts) add(p.jumps?.section ?? null, { keepEmpty: true });
    add(this.variables.globalInit);
    const [first, ...others] = parts.map((p) => p.constant0);
    add(first ?? null);
    add(frame);
    for (const s of others) add(s);
    return out;
  }
}
