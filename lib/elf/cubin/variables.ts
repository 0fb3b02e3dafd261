/**
 * The variables of a module in a cubin: constants in bank 3, initialized and zeroed global memory, and in executables the
 * table of global addresses in bank 4. Where each goes is decided in place.ts.
 */
import { type Diagnostic, diagnostic, notSupported } from "../../diagnostics.js";
import type { ModuleSymbol, Program } from "../../ori/types.js";
import { SHF, SHT, STB, STT, view } from "../elf64.js";
import { type SectionDraft, section } from "../elf64-write.js";
import { type DraftReloc, type DraftSymbol, type Symbols, symbol } from "./draft.js";
import { moduleVariables, type Placed, placeInOrder, placeSorted } from "./place.js";
import { R_CUDA } from "./relocations.js";
import { SHT_CUDA, STO, STT_CUDA } from "./sections.js";

/** What the variables add to. */
export interface Output {
  readonly symbols: Symbols;
  readonly diagnostics: Diagnostic[];
  /** NOBITS sections in order of creation. */
  readonly nobits: SectionDraft[];
  relocate(where: SectionDraft, reloc: DraftReloc): void;
}

/** The number itself, or the relocation that gives it. */
export type FunctionPointer = number | { readonly type: number; readonly symbol: DraftSymbol };

export interface Variable {
  readonly symbol: DraftSymbol;
  readonly source: ModuleSymbol;
  /** Bytes from the start of its section. */
  readonly offset: number;
}

/** Bytes of a constant bank. */
const CONSTANT_BANK = 0x10000;
/** Above, ptxas finds no memory, for what it counts as well as for what it writes (measured: 4 GiB pass, 10^10 and 2^64 - 1 do not). */
const MOST_COUNTED = 10e9;
/** The most that one array of bytes holds here. */
const MOST_INITIALIZED = 0xf0000000;

export class Variables {
  readonly byName: Map<string, Variable>;
  /** Banks 3 and 4 in order of creation. */
  readonly banks: SectionDraft[];
  globalInit: SectionDraft | null;
  private readonly program: Program;
  private readonly relocatable: boolean;
  private readonly output: Output;
  private constant3: SectionDraft | null;
  private constant4: SectionDraft | null;
  private globalZero: SectionDraft | null;
  /** In the order in which their initial values are written. */
  private sources: readonly ModuleSymbol[] = [];

  constructor(program: Program, relocatable: boolean, output: Output) {
    this.program = program;
    this.relocatable = relocatable;
    this.output = output;
    this.byName = new Map();
    this.banks = [];
    this.constant3 = null;
    this.constant4 = null;
    this.globalInit = null;
    this.globalZero = null;
  }

  /** Places everything; called once, where ptxas creates the symbols. */
  placeAll(): void {
    const all = moduleVariables(this.program);
    // The linker joins those of several objects.
    const common = this.relocatable ? all.find((s) => s.linkage === "common") : undefined;
    if (common !== undefined) this.output.diagnostics.push(notSupported(`.common ${common.name} in an object`, null));
    const constants = placeInOrder(all.filter((s) => s.space === "const"));
    if (!this.fits(constants.size)) return;
    const initialized = placeSorted(all.filter((s) => s.space === "global" && hasInit(s)));
    const zero = placeSorted(all.filter((s) => s.space === "global" && !hasInit(s)));
    if (initialized.size > MOST_INITIALIZED) {
      this.output.diagnostics.push(diagnostic("fatal", "Memory allocation failure"));
      return;
    }
    const where = new Map<ModuleSymbol, Placed & { region: "c" | "i" | "z" }>();
    for (const p of constants.placed) where.set(p.symbol, { ...p, region: "c" });
    for (const p of initialized.placed) where.set(p.symbol, { ...p, region: "i" });
    for (const p of zero.placed) where.set(p.symbol, { ...p, region: "z" });

    let slot = 0;
    for (const source of all) {
      const place = where.get(source)!;
      if (place.region === "c") this.constant3 ??= this.dataSection(".nv.constant3", constants.size, constants.align);
      else if (place.region === "i")
        this.globalInit ??= this.dataSection(".nv.global.init", initialized.size, initialized.align);
      else this.globalZero ??= this.zeroSection(zero.size, zero.align);
      const home = place.region === "c" ? this.constant3 : place.region === "i" ? this.globalInit : this.globalZero;
      const draft = this.variableSymbol(source, home, place.offset);
      this.byName.set(source.name, { symbol: draft, source, offset: place.offset });
      if (place.region === "c") continue;
      if (!this.relocatable) this.addressSlot(draft, slot);
      slot += 8;
    }
    this.sources = [...all].reverse();
    if (this.constant4 !== null) this.constant4.data = new Uint8Array(slot);
  }

  private fits(constants: number): boolean {
    if (constants <= CONSTANT_BANK) return true;
    const bytes = `0x${constants.toString(16)} bytes, 0x${CONSTANT_BANK.toString(16)} max`;
    this.output.diagnostics.push(
      constants < MOST_COUNTED
        ? diagnostic("error", `File uses too much global constant data (${bytes})`)
        : diagnostic("fatal", "Memory allocation failure"),
    );
    return false;
  }

  /** Initial values; `pointer` says what the address of a function is. */
  initializeAll(pointer: (name: string) => FunctionPointer | null): void {
    for (const source of this.sources) this.initialize(source, this.byName.get(source.name)!.offset, pointer);
  }

  private dataSection(name: string, size: number, align: number): SectionDraft {
    const constant = name === ".nv.constant3";
    const type = constant ? SHT_CUDA.Constant0 + 3 : SHT_CUDA.GlobalInit;
    const made = section({
      name,
      type: this.relocatable ? type : SHT.Progbits,
      flags: constant ? SHF.Alloc : SHF.Alloc | SHF.Write,
      align,
      data: new Uint8Array(size),
    });
    this.output.symbols.section(made);
    if (constant) this.banks.push(made);
    return made;
  }

  private zeroSection(size: number, align: number): SectionDraft {
    const made = section({
      name: ".nv.global",
      type: this.relocatable ? SHT_CUDA.Global : SHT.Nobits,
      flags: SHF.Alloc | SHF.Write,
      align,
      size,
    });
    this.output.symbols.section(made);
    this.output.nobits.push(made);
    return made;
  }

  private variableSymbol(source: ModuleSymbol, home: SectionDraft | null, offset: number): DraftSymbol {
    const space = source.space === "const" ? STO.Const : STO.Global;
    const draft = symbol({
      name: source.name,
      bind: source.linkage === "internal" ? STB.Local : source.linkage === "weak" ? STB.Weak : STB.Global,
      type: this.relocatable ? STT_CUDA.Object : STT.Object,
      other: (this.relocatable ? space : 0) | (source.managed === true ? STO.Managed : 0),
      section: home,
      value: offset,
      size: source.size,
    });
    return source.linkage === "internal" ? this.output.symbols.local(draft) : this.output.symbols.global(draft);
  }

  /** Eight bytes in bank 4 that the driver fills with the address. */
  private addressSlot(of: DraftSymbol, slot: number): void {
    if (this.constant4 === null) {
      this.constant4 = section({ name: ".nv.constant4", type: SHT.Progbits, flags: SHF.Alloc, align: 8 });
      this.output.symbols.section(this.constant4);
      this.banks.push(this.constant4);
    }
    this.output.relocate(this.constant4, { offset: slot, type: R_CUDA.ABS64, symbol: of, addend: 0 });
  }

  private initialize(source: ModuleSymbol, offset: number, pointer: (name: string) => FunctionPointer | null): void {
    const home = source.space === "const" ? this.constant3 : hasInit(source) ? this.globalInit : null;
    if (home === null || home.data === null) return;
    if (source.init !== null) home.data.set(source.init, offset);
    for (const p of source.pointers) {
      const f = p.bytes === 8 ? pointer(p.symbol) : null;
      if (f !== null) {
        if (typeof f === "number") view(home.data).setUint32(offset + p.offset, f + p.addend, true);
        else
          this.output.relocate(home, { offset: offset + p.offset, type: f.type, symbol: f.symbol, addend: p.addend });
        continue;
      }
      const of = this.byName.get(p.symbol);
      const own = of?.source.space === "const" && p.generic !== true;
      if (of === undefined || (p.byte === undefined ? p.bytes !== 8 : own)) {
        this.output.diagnostics.push(
          notSupported(`address of '${p.symbol}' in the initial value of '${source.name}'`, null),
        );
        continue;
      }
      // In its own space a constant's address is its place in the bank.
      if (own) {
        if (this.relocatable) {
          const what = `address of constant '${p.symbol}' in the initial value of '${source.name}' of an object`;
          this.output.diagnostics.push(notSupported(what, null));
        } else new DataView(home.data.buffer).setUint32(offset + p.offset, of.offset + p.addend, true);
        continue;
      }
      const type = p.byte === undefined ? R_CUDA.G64 : R_CUDA.G8_0 + p.byte;
      this.output.relocate(home, { offset: offset + p.offset, type, symbol: of.symbol, addend: p.addend });
    }
  }
}

function hasInit(s: ModuleSymbol): boolean {
  return s.init !== null || s.pointers.length > 0;
}
