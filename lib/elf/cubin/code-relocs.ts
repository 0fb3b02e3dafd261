/** The places of code that name a variable: what is known is filled in, the rest becomes relocations. */
import { type Diagnostic, notSupported } from "../../diagnostics.js";
import { InternalError } from "../../errors.js";
import type { ModuleSymbol, Program } from "../../ori/types.js";
import type { Code, CodeReloc } from "../../sass/code.js";
import { roundUp, SHF, STB, STT, view } from "../elf64.js";
import { type SectionDraft, section } from "../elf64-write.js";
import { type DraftReloc, type DraftSymbol, type Symbols, symbol } from "./draft.js";
import type { Functions } from "./functions.js";
import { isPlacedByLinker, type SharedLayout } from "./place.js";
import { patchWord, R_CUDA } from "./relocations.js";
import type { ReservedShared } from "./reserved.js";
import { SHT_CUDA, STO, STT_CUDA } from "./sections.js";
import { DRIVER_SIZES } from "./texture-use.js";
import type { Variables } from "./variables.js";

/** What of a function its relocations touch. */
export interface RelocatedCode {
  readonly code: Code;
  readonly text: SectionDraft;
  readonly shared: SectionDraft | null;
  readonly layout: SharedLayout;
  readonly relocs: DraftReloc[];
  /** Places of an executable that hold an address of shared memory, relative to the end of what the system reserves. */
  readonly sharedSites: DraftReloc[];
}

export class CodeRelocations {
  private readonly program: Program;
  private readonly relocatable: boolean;
  private readonly variables: Variables;
  private readonly symbols: Symbols;
  private readonly diagnostics: Diagnostic[];
  private readonly byName: ReadonlyMap<string, ModuleSymbol>;
  private readonly reserved: ReservedShared;
  private readonly functions: Functions;
  private readonly sharedSymbols = new Map<string, DraftSymbol>();
  private readonly nobits: SectionDraft[];
  private common: SectionDraft | null = null;

  constructor(
    program: Program,
    relocatable: boolean,
    variables: Variables,
    reserved: ReservedShared,
    functions: Functions,
    output: { readonly symbols: Symbols; readonly diagnostics: Diagnostic[]; readonly nobits: SectionDraft[] },
  ) {
    this.program = program;
    this.relocatable = relocatable;
    this.variables = variables;
    this.reserved = reserved;
    this.functions = functions;
    this.symbols = output.symbols;
    this.diagnostics = output.diagnostics;
    this.nobits = output.nobits;
    this.byName = new Map(program.symbols.map((s) => [s.name, s]));
  }

  relocate(p: RelocatedCode): void {
    const v = view(p.text.data!);
    for (const r of p.code.relocs) this.site(p, v, r);
  }

  private site(p: RelocatedCode, v: DataView, r: CodeReloc): void {
    const called = this.functions.reloc(r);
    if (called !== null) {
      p.relocs.push(called);
      return;
    }
    if (DRIVER_SIZES.has(r.symbol)) {
      p.relocs.push({ offset: r.offset, type: R_CUDA.ABS32_32, symbol: this.driverSize(r.symbol), addend: r.addend });
      return;
    }
    const variable = this.variables.byName.get(r.symbol);
    const source = variable?.source ?? this.byName.get(r.symbol);
    if (source !== undefined && source.linkage === "extern" && source.space === "global" && this.relocatable) {
      const type = r.what === "32@hi" ? R_CUDA.ABS32_HI_32 : R_CUDA.ABS32_LO_32;
      p.relocs.push({ offset: r.offset, type, symbol: this.external(source), addend: r.addend });
      return;
    }
    if (source === undefined || (source.linkage === "extern" && source.space !== "shared")) {
      this.diagnostics.push(notSupported(`reference to '${r.symbol}'`, null));
      return;
    }
    const high = r.what === "32@hi";
    if (!high && r.what !== "" && r.what !== "32@lo")
      throw new InternalError(`unknown relocation ${r.what}`, { func: p.code.name });
    if (source.space === "global") {
      const type = high ? R_CUDA.ABS32_HI_32 : R_CUDA.ABS32_LO_32;
      p.relocs.push({ offset: r.offset, type, symbol: variable!.symbol, addend: r.addend });
      return;
    }
    if (this.relocatable && source.space === "shared" && isPlacedByLinker(this.program, source)) {
      p.relocs.push({ offset: r.offset, type: R_CUDA.ABS32_32, symbol: this.commonShared(source), addend: r.addend });
      return;
    }
    if (this.relocatable) {
      const constant = source.space === "const";
      const type = constant ? R_CUDA.ABS16_32 : R_CUDA.ABS32_32;
      // Symbols of shared variables count from the end of what the system reserves; code counts that too.
      const addend = r.addend + (constant ? 0 : this.program.target.limits.reservedSharedOffset);
      p.relocs.push({ offset: r.offset, type, symbol: this.symbolFor(p, source), addend });
      return;
    }
    const value = source.space === "const" ? variable!.offset : (p.layout.offsets.get(r.symbol) ?? null);
    if (value === null) throw new InternalError(`${r.symbol} is not laid out`, { func: p.code.name });
    patchWord(v, r.offset, high ? 0 : value + r.addend);
    const { end } = this.reserved;
    if (source.space !== "shared" || high || end === null) return;
    const addend = value + r.addend - this.program.target.limits.reservedSharedOffset;
    p.sharedSites.push({ offset: r.offset, type: R_CUDA.ABS32_32, symbol: end, addend });
  }

  /** Symbols that the driver defines, where ptxas has them: before that of the function's bank 0. */
  defineDriverSizes(code: Code): void {
    for (const r of code.relocs) if (DRIVER_SIZES.has(r.symbol)) this.driverSize(r.symbol);
  }

  /** A symbol that the driver defines. */
  private driverSize(name: string): DraftSymbol {
    let found = this.sharedSymbols.get(name);
    if (found === undefined) {
      found = symbol({ name, bind: STB.Weak, type: STT.Object, size: 4 });
      this.symbols.local(found);
      this.sharedSymbols.set(name, found);
    }
    return found;
  }

  /** A symbol that asks the linker for shared memory; its value is the alignment. */
  private commonShared(source: ModuleSymbol): DraftSymbol {
    const found = this.sharedSymbols.get(source.name);
    if (found !== undefined) return found;
    if (this.common === null) {
      const flags = SHF.Write | SHF.Alloc;
      this.common = section({ name: ".nv_debug.shared", type: SHT_CUDA.Shared, flags, align: 1, size: 0 });
      this.symbols.section(this.common);
      this.nobits.push(this.common);
    }
    this.common.size = roundUp(this.common.size, source.align) + source.size;
    this.common.align = Math.max(this.common.align, source.align);
    const made = symbol({
      name: source.name,
      type: STT_CUDA.Object,
      other: STO.Shared,
      section: this.common,
      value: source.align,
      size: source.size,
    });
    this.sharedSymbols.set(source.name, made);
    return this.symbols.local(made);
  }

  /** The symbol of a variable that another object defines. */
  private external(source: ModuleSymbol): DraftSymbol {
    let found = this.sharedSymbols.get(source.name);
    if (found === undefined) {
      const other = source.space === "global" ? STO.Global : STO.Const;
      found = symbol({ name: source.name, bind: STB.Global, type: STT_CUDA.Object, other, size: source.size });
      this.symbols.global(found);
      this.sharedSymbols.set(source.name, found);
    }
    return found;
  }

  /** The symbol of a constant, or of a shared variable in this kernel's section (relocatable objects). */
  private symbolFor(p: RelocatedCode, source: ModuleSymbol): DraftSymbol {
    if (source.space === "const") return this.variables.byName.get(source.name)!.symbol;
    const external = source.size === 0;
    const key = external ? source.name : `${p.code.name}\0${source.name}`;
    let found = this.sharedSymbols.get(key);
    if (found === undefined) {
      const value = external ? 0 : p.layout.offsets.get(source.name);
      if (value === undefined) throw new InternalError(`${source.name} is not laid out`, { func: p.code.name });
      found = symbol({
        name: source.name,
        bind: external ? STB.Global : STB.Local,
        type: STT_CUDA.Object,
        other: STO.Shared,
        section: external ? null : p.shared,
        value,
        size: source.size,
      });
      if (external) this.symbols.global(found);
      else this.symbols.local(found);
      this.sharedSymbols.set(key, found);
    }
    return found;
  }
}
