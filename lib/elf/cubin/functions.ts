/**
 * Functions in a cubin: their symbols, the places of code and data that name them, and what the linker is told of calls.
 *
 * `.nv.callgraph` has four lists of pairs: calls (caller, callee); functions whose address is taken, with their prototype; calls
 * through an address (caller, prototype); and who takes which address. `.nv.prototype` has functions that others may call, with
 * theirs. Prototypes are offsets of texts in `.strtab` (13.0.88, objects of -c; in executables all lists are empty, but for calls of what the driver brings along).
 */
import type { CallFacts, Program } from "../../ori/types.js";
import type { Code, CodeReloc } from "../../sass/code.js";
import { STB, STT } from "../elf64.js";
import { type SectionDraft, type StringTable, section } from "../elf64-write.js";
import { type DraftReloc, type DraftSymbol, type Symbols, symbol } from "./draft.js";
import { callgraphBytes } from "./fixed.js";
import { R_CUDA } from "./relocations.js";
import { SHT_CUDA } from "./sections.js";
import type { FunctionPointer } from "./variables.js";

/** Weak symbols of every object from sm_90 on, by which the linker finds its tables of functions and data. */
const unified: readonly string[] = [
  "__UDT_OFFSET",
  "__UFT_OFFSET",
  "__UFT_CANONICAL",
  "__UDT_CANONICAL",
  "__UFT",
  "__UDT",
  "__UFT_END",
  "__UDT_END",
];

export class Functions {
  private readonly program: Program;
  private readonly codes: readonly Code[];
  private readonly relocatable: boolean;
  private readonly modern: boolean;
  private readonly symbols: Symbols;
  private readonly facts: CallFacts;
  private readonly known: Map<string, DraftSymbol>;

  constructor(program: Program, codes: readonly Code[], relocatable: boolean, modern: boolean, symbols: Symbols) {
    this.program = program;
    this.codes = codes;
    this.relocatable = relocatable;
    this.modern = modern;
    this.symbols = symbols;
    this.facts = program.calls ?? { prototypes: new Map(), indirect: new Map(), takes: new Map(), aliases: new Map() };
    this.known = new Map();
  }

  /** Notes the symbol of a function; after the first one come those of the linker's tables. */
  define(code: Code, of: DraftSymbol): void {
    if (this.known.size === 0 && this.relocatable && this.modern && this.callsAnything())
      for (const name of unified)
        this.known.set(name, this.symbols.local(symbol({ name, bind: STB.Weak, type: STT.Object, size: 8 })));
    this.known.set(code.name, of);
    if (!this.relocatable) return;
    for (const [alias, name] of this.facts.aliases)
      if (name === code.name) {
        const other = symbol({ name: alias, bind: of.bind, type: STT.Func, section: of.section });
        this.known.set(alias, other);
        if (of.bind === STB.Local) this.symbols.local(other);
        else this.symbols.global(other);
      }
  }

  private callsAnything(): boolean {
    return this.codes.some((c) => c.kind === "func" || c.relocs.some((r) => r.what === "call"));
  }

  /** The symbol of a function of the module, or of one that is defined elsewhere; null for other names. */
  private find(name: string): DraftSymbol | null {
    const found = this.known.get(name);
    if (found !== undefined) return found;
    if (!this.facts.prototypes.has(name)) return null;
    const made = symbol({ name, bind: STB.Global, type: STT.Func });
    this.known.set(name, made);
    return this.symbols.global(made);
  }

  /** The relocation of a place in the code that names a function; null for variables. */
  reloc(r: CodeReloc): DraftReloc | null {
    const of = this.find(r.symbol);
    if (of === null) return null;
    return { offset: r.offset, type: this.typeOf(r), symbol: of, addend: r.addend };
  }

  private typeOf(r: CodeReloc): number {
    if (r.symbol === "__UFT_OFFSET") return R_CUDA.ABS56_16_34;
    if (r.what === "call") return this.modern ? R_CUDA.ABS55_16_34 : R_CUDA.ABS47_34;
    const high = r.what.endsWith("@hi");
    if (this.modern && !r.what.startsWith("here ")) return high ? R_CUDA.UNIFIED32_HI_32 : R_CUDA.UNIFIED32_LO_32;
    return high ? R_CUDA.ABS32_HI_32 : R_CUDA.ABS32_LO_32;
  }

  /** What a variable holds that is set to the address of a function; null for other names. */
  pointer(named: string): FunctionPointer | null {
    if (!this.facts.prototypes.has(named)) return null;
    const name = this.facts.aliases.get(named) ?? named;
    if (this.relocatable) {
      const of = this.find(name);
      return of === null ? null : { type: this.modern ? R_CUDA.UNIFIED : R_CUDA.ABS64, symbol: of };
    }
    const kernels = this.codes.filter((c) => c.kind === "entry");
    const index = (this.program.taken ?? []).indexOf(name);
    if (kernels.length > 1) return 8 * (index + 1);
    return kernels[0]?.routines.find((r) => r.name === name)?.offset ?? null;
  }

  /** Functions that the code names and others define. */
  externs(code: Code): DraftSymbol[] {
    const found = new Set<DraftSymbol>();
    for (const r of code.relocs) {
      const of = this.known.get(r.symbol);
      if (of !== undefined && of.section === null && of.type === STT.Func) found.add(of);
    }
    return [...found];
  }

  // ------------------------------------------------------------------------------------------------ the call graph

  private index(name: string): number {
    const of = this.find(name);
    return of === null ? 0 : this.symbols.indexOf(of);
  }

  callgraph(strings: StringTable): Uint8Array {
    if (!this.relocatable) return callgraphBytes([this.driverCalls(), [], [], []]);
    const prototype = (name: string): number => strings.add(this.facts.prototypes.get(name) ?? "");
    const calls: [number, number][] = [];
    const indirect: [number, number][] = [];
    const takes: [number, number][] = [];
    for (const code of this.codes) {
      const own = this.index(code.name);
      const callees = new Set(code.relocs.flatMap((r) => (r.what === "call" ? [r.symbol] : [])));
      if (code.insts.some((i) => i.form.op === "CALL" && i.form.mods.includes("REL"))) callees.add(code.name);
      for (const name of callees) if (this.facts.prototypes.has(name)) calls.push([own, this.index(name)]);
      for (const p of this.facts.indirect.get(code.name) ?? []) indirect.push([own, strings.add(p)]);
      for (const name of this.takenBy(code.name)) takes.push([own, this.index(name)]);
    }
    for (const [alias, name] of this.facts.aliases)
      if (this.known.has(alias)) calls.push([this.index(alias), this.index(name)]);
    const taken = (this.program.taken ?? []).map((name): [number, number] => [this.index(name), prototype(name)]);
    return callgraphBytes([calls, taken, indirect, takes]);
  }

  /** In executables: calls of what the driver brings along, last first. */
  private driverCalls(): [number, number][] {
    return this.codes.flatMap((code) =>
      this.externs(code)
        .reverse()
        .map((of): [number, number] => [this.index(code.name), this.symbols.indexOf(of)]),
    );
  }

  /** Functions whose addresses a function takes, itself or by a variable that it mentions. */
  private takenBy(name: string): Set<string> {
    const found = new Set(this.facts.takes.get(name) ?? []);
    for (const s of this.program.symbols)
      if (s.users.includes(name))
        for (const p of s.pointers) if (this.facts.prototypes.has(p.symbol)) found.add(p.symbol);
    return found;
  }

  private visible(): string[] {
    const own = this.program.funcs.flatMap((f) => (f.kind === "func" && f.linkage !== "internal" ? [f.name] : []));
    return [...own, ...[...this.facts.aliases].flatMap(([alias, name]) => (own.includes(name) ? [alias] : []))];
  }

  /** `.nv.prototype` of an object with functions that others may call. */
  prototypeSection(symtab: SectionDraft): SectionDraft | null {
    if (!this.relocatable || this.visible().length === 0) return null;
    return section({ name: ".nv.prototype", type: SHT_CUDA.Prototype, align: 4, entsize: 8, link: symtab });
  }

  prototypes(strings: StringTable): Uint8Array {
    const pairs = this.visible().map((name) => [this.index(name), strings.add(this.facts.prototypes.get(name) ?? "")]);
    return new Uint8Array(Uint32Array.from(pairs.flat()).buffer);
  }
}
