/**
 * Textures, samplers and surfaces that PTX names, in an executable: symbols that the driver defines, words of constant bank 0 that it fills, and what
 * samplers are made with. All of it, with its order, is measured on ptxas 13.0.88 (sm_75, 80, 90, 100; test/oracle/references.test.ts).
 */
import type { Func, Program, Reference, ReferenceKind, ReferenceWord } from "../../ori/types.js";
import { STB } from "../elf64.js";
import { EIATTR } from "./attributes.js";
import { type DraftReloc, type DraftSymbol, type Symbols, symbol } from "./draft.js";
import { byteRecord, flagRecord, type InfoRecord, wordsRecord } from "./info.js";
import { R_CUDA } from "./relocations.js";
import { STT_CUDA } from "./sections.js";

const types: Readonly<Record<ReferenceKind, number>> = {
  texture: STT_CUDA.Texref,
  sampler: STT_CUDA.Samplerref,
  surface: STT_CUDA.Surfref,
};

export class References {
  private readonly made: Map<string, DraftSymbol> = new Map();
  private readonly all: readonly Reference[];

  constructor(
    private readonly program: Program,
    private readonly modern: boolean,
    private readonly symbols: Symbols,
  ) {
    this.all = program.references ?? [];
  }

  private define(r: Reference): void {
    if (this.made.has(r.name)) return;
    this.made.set(r.name, this.symbols.global(symbol({ name: r.name, bind: STB.Global, type: types[r.kind] })));
  }

  /** Symbols of what the first function names, after its own. */
  defineFirst(func: Func | null): void {
    for (const { name } of func?.references ?? []) for (const r of this.all) if (r.name === name) this.define(r);
  }

  /** All others, after the variables of the module. */
  defineRest(): void {
    for (const r of this.all) this.define(r);
  }

  private type(w: ReferenceWord): number {
    if (w.kind === "texture") return R_CUDA.TEX_HEADER_INDEX;
    if (w.kind === "surface") return R_CUDA.SURF_HEADER_INDEX;
    return this.modern ? R_CUDA.SAMP_HEADER_INDEX_0 : R_CUDA.SAMP_HEADER_INDEX;
  }

  /** Relocations of a kernel's bank 0; only when all symbols are there. */
  relocations(func: Func | null): DraftReloc[] {
    const words = [...(func?.references ?? [])].sort((a, b) => a.offset - b.offset);
    return words.map((w) => ({
      offset: w.offset,
      type: this.type(w),
      symbol: this.made.get(w.name)!,
      addend: 0,
    }));
  }

  /** Records of the module before the frame of its first function. */
  samplers(): InfoRecord[] {
    return this.all
      .filter((r) => r.kind === "sampler")
      .map((r) => wordsRecord(EIATTR.SAMPLER_INIT, [this.symbols.indexOf(this.made.get(r.name)!), r.init]))
      .reverse();
  }

  /** Records of the module after the frames. */
  mode(): InfoRecord[] {
    return this.program.independent === true ? [flagRecord(EIATTR.TEXMODE_INDEPENDENT)] : [];
  }
}

/** Bytes of bank 0 up to the last word for a reference. */
export const referencesEnd = (func: Func | null): number =>
  (func?.references ?? []).reduce((n, w) => Math.max(n, w.offset + 4), 0);

/** Records of a kernel: from sm_90 on both banks are told, before those that it has; a sampler is told with the textures. */
export function referenceRecords(words: readonly ReferenceWord[], modern: boolean): InfoRecord[] {
  const some = (surfaces: boolean): boolean => words.some((w) => modern || (w.kind === "surface") === surfaces);
  return [
    ...(some(false) ? [byteRecord(EIATTR.BINDLESS_TEXTURE_BANK, 0)] : []),
    ...(some(true) ? [byteRecord(EIATTR.BINDLESS_SURFACE_BANK, 0)] : []),
  ];
}
