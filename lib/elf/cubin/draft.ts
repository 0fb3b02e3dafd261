/** A cubin being put together: sections, symbols and relocations by object; indices come at the end. */
import { REL_SIZE, RELA_SIZE, SHF, SHT, STB, STT } from "../elf64.js";
import {
  type RelocationDraft,
  relocationBytes,
  type SectionDraft,
  type StringTable,
  type SymbolDraft,
  section,
  symbolBytes,
} from "../elf64-write.js";
import { R_CUDA } from "./relocations.js";

export interface DraftSymbol extends SymbolDraft {
  value: number;
  size: number;
}

export interface DraftReloc {
  readonly offset: number;
  readonly type: number;
  readonly symbol: DraftSymbol;
  readonly addend: number;
}

/**
 * The symbol table in ptxas's order: locals as they come (weak symbols of the system among them), then globals, then what
 * belongs at the very end (the sections of constant bank 0 from sm_90 on).
 */
export class Symbols {
  private readonly locals: DraftSymbol[] = [];
  private readonly globals: DraftSymbol[] = [];
  private readonly last: DraftSymbol[] = [];
  private order: Map<DraftSymbol, number> | null = null;
  private sections: Map<SectionDraft, number> | null = null;

  section(of: SectionDraft, atEnd = false): DraftSymbol {
    const s = symbol({ name: of.name, type: STT.Section, section: of });
    (atEnd ? this.last : this.locals).push(s);
    return s;
  }

  local(s: DraftSymbol): DraftSymbol {
    this.locals.push(s);
    return s;
  }

  global(s: DraftSymbol): DraftSymbol {
    this.globals.push(s);
    return s;
  }

  private numbered(): Map<DraftSymbol, number> {
    this.order ??= new Map([...this.locals, ...this.globals, ...this.last].map((s, i) => [s, i + 1]));
    return this.order;
  }

  get lastLocal(): DraftSymbol {
    return this.locals[this.locals.length - 1]!;
  }

  /** Only after the last symbol was added. */
  indexOf(s: DraftSymbol): number {
    return this.numbered().get(s)!;
  }

  sectionSymbol(of: SectionDraft): DraftSymbol {
    return this.locals.find((s) => s.type === STT.Section && s.section === of)!;
  }

  /** Index of the symbol that stands for a section. */
  sectionIndex(of: SectionDraft): number {
    this.sections ??= new Map(
      [...this.numbered()].filter(([s]) => s.type === STT.Section).map(([s, i]) => [s.section!, i]),
    );
    return this.sections.get(of) ?? 0;
  }

  /** One more than the index of the last local symbol. */
  get firstGlobal(): number {
    return this.last.length > 0 ? this.numbered().size + 1 : this.locals.length + 1;
  }

  /** Index of the first global symbol; those at the very end come after. */
  get globalsFrom(): number {
    return this.locals.length + 1;
  }

  /** Without what belongs at the very end: indices stay the same. */
  withoutLast(): DraftSymbol[] {
    return [...this.locals, ...this.globals];
  }

  get size(): number {
    return this.locals.length + this.globals.length + this.last.length;
  }

  /** Names of section symbols are left to the section; consumers print the section's name. */
  bytes(strings: StringTable, indexOf: (s: SectionDraft) => number): Uint8Array {
    return symbolBytes([...this.numbered().keys()], strings, indexOf);
  }
}

export function symbol(s: Partial<DraftSymbol> & { name: string }): DraftSymbol {
  return { bind: STB.Local, type: STT.NoType, other: 0, section: null, value: 0, size: 0, ...s };
}

/**
 * The relocation sections of one section. Containers before sm_90 put entries without an addend into `.rel`, those with
 * one into `.rela`; later ones know `.rela` alone, and have it even when nothing is left to relocate (`keepEmpty`).
 */
export function relocationSections(
  target: SectionDraft,
  list: readonly DraftReloc[],
  options: { modern: boolean; keepEmpty: boolean; symtab: SectionDraft; indexOf: (s: DraftSymbol) => number },
): SectionDraft[] {
  const needsRela = (r: DraftReloc): boolean => options.modern || r.addend !== 0 || r.type === R_CUDA.UNUSED_CLEAR64;
  const explicit = list.filter(needsRela);
  const implicit = list.filter((r) => !needsRela(r));
  const make = (entries: readonly DraftReloc[], rela: boolean): SectionDraft => {
    const rows: RelocationDraft[] = entries.map((r) => ({ ...r, symbol: options.indexOf(r.symbol) }));
    return section({
      name: `${rela ? ".rela" : ".rel"}${target.name}`,
      type: rela ? SHT.Rela : SHT.Rel,
      flags: SHF.InfoLink,
      align: 8,
      entsize: rela ? RELA_SIZE : REL_SIZE,
      link: options.symtab,
      info: target,
      data: relocationBytes(rows, rela),
    });
  };
  const out: SectionDraft[] = [];
  if (implicit.length > 0) out.push(make(implicit, false));
  if (explicit.length > 0 || (options.modern && options.keepEmpty)) out.push(make(explicit, true));
  return out;
}
