/** One function of a cubin as the sections that are its own, with their symbols in ptxas's order. */
import type { Func, Program } from "../../ori/types.js";
import type { Code } from "../../sass/code.js";
import { SHF, SHT, STB, STT, view } from "../elf64.js";
import { type SectionDraft, section } from "../elf64-write.js";
import { type DraftReloc, type DraftSymbol, type Symbols, symbol } from "./draft.js";
import { type JumpTable, jumpTable } from "./jump-table.js";
import { layoutShared, type SharedLayout } from "./place.js";
import { referencesEnd } from "./references.js";
import { SHT_CUDA, STO } from "./sections.js";

export interface FunctionPart {
  readonly code: Code;
  readonly func: Func | null;
  readonly symbol: DraftSymbol;
  readonly text: SectionDraft;
  /** Symbols of `code.routines`. */
  readonly routines: readonly DraftSymbol[];
  readonly info: SectionDraft;
  /** Null for a function that is no kernel. */
  readonly constant0: SectionDraft | null;
  /** It stands before the code, with its symbol among the others. */
  readonly early: boolean;
  readonly jumps: JumpTable | null;
  readonly shared: SectionDraft | null;
  readonly layout: SharedLayout;
  readonly relocs: DraftReloc[];
  readonly sharedSites: DraftReloc[];
}

/** The file that the part is made for. */
export interface PartOwner {
  readonly program: Program;
  /** Containers of sm_90 and later (container.ts). */
  readonly modern: boolean;
  readonly relocatable: boolean;
  readonly symbols: Symbols;
  readonly symtab: SectionDraft;
  /** NOBITS sections in order of creation. */
  readonly nobits: SectionDraft[];
}

/** `afterShared` is called where the symbols of the module's variables go (measured). */
export function functionPart(
  code: Code,
  owner: PartOwner,
  afterShared: (layout: SharedLayout, symbol: DraftSymbol) => void,
): FunctionPart {
  const { program, modern, relocatable, symbols, symtab } = owner;
  const { name } = code;
  const func = program.funcs.find((f) => f.name === name) ?? null;
  const text = section({
    name: `.text.${name}`,
    type: SHT.Progbits,
    flags: SHF.Alloc | SHF.Exec,
    align: 128,
    link: symtab,
  });
  text.data = bytesOf(code.words);
  const hidden = func?.linkage === "internal";
  const entry = symbol({
    name,
    bind: hidden ? STB.Local : func?.linkage === "weak" ? STB.Weak : STB.Global,
    type: STT.Func,
    other: code.kind === "entry" ? STO.Entry : 0,
    section: text,
    size: text.data.length,
  });
  if (hidden || func?.linkage === "weak") symbols.local(entry);
  else symbols.global(entry);
  symbols.section(text);
  const layout = layoutShared(program, code, relocatable ? 0 : program.target.limits.reservedSharedOffset, relocatable);
  const shared = sharedSection(text, name, layout, owner);
  afterShared(layout, entry);
  const routines = code.routines.map((r) =>
    symbols.local(
      symbol({
        name: `$${name}$${r.name}`,
        type: STT.Func,
        section: text,
        value: r.offset,
        size: routineSize(code, r.offset, text),
      }),
    ),
  );
  const jumps = jumpTable(program, code, text, relocatable);
  if (jumps !== null) symbols.section(jumps.section);
  for (const s of jumps?.symbols ?? []) symbols.local(s);
  const constant0 = code.kind === "entry" ? parameters(code, func, text, owner) : null;
  // What names textures is made with the function, not with the parameters at the end.
  const early = !modern || (func?.references ?? []).length > 0;
  if (early && constant0 !== null) symbols.section(constant0);
  const info = section({
    name: `.nv.info.${name}`,
    type: SHT_CUDA.Info,
    flags: SHF.InfoLink,
    align: 4,
    link: symtab,
    info: text,
  });
  return {
    code,
    func,
    symbol: entry,
    text,
    routines,
    info,
    constant0,
    early,
    jumps,
    shared,
    layout,
    relocs: [...(jumps?.relocs ?? [])],
    sharedSites: [],
  };
}

/** Up to the next routine; the last one has the tail of the section. */
function routineSize(code: Code, offset: number, text: SectionDraft): number {
  const next = Math.min(...code.routines.map((r) => (r.offset > offset ? r.offset : Number.POSITIVE_INFINITY)));
  return Math.min(next, text.data!.length) - offset;
}

/** Bank 0 of a kernel. */
function parameters(
  code: Code,
  func: Func | null,
  text: SectionDraft,
  { relocatable, program }: PartOwner,
): SectionDraft {
  return section({
    name: `.nv.constant0.${code.name}`,
    type: relocatable ? SHT_CUDA.Constant0 : SHT.Progbits,
    flags: SHF.Alloc | SHF.InfoLink,
    align: 4,
    info: text,
    data: new Uint8Array(Math.max(program.target.constants.paramBase + code.paramBytes, referencesEnd(func))),
  });
}

function sharedSection(
  text: SectionDraft,
  name: string,
  layout: SharedLayout,
  { relocatable, symbols, nobits }: PartOwner,
): SectionDraft | null {
  if (!layout.needed || (relocatable && layout.size === 0)) return null;
  const shared = section({
    name: `.nv.shared.${name}`,
    type: relocatable ? SHT_CUDA.Shared : SHT.Nobits,
    flags: SHF.Write | SHF.Alloc | SHF.InfoLink,
    align: layout.align,
    info: text,
    size: layout.size,
  });
  if (layout.used) symbols.section(shared);
  nobits.push(shared);
  return shared;
}

function bytesOf(words: Uint32Array): Uint8Array {
  const out = new Uint8Array(words.length * 4);
  const v = view(out);
  for (let i = 0; i < words.length; i++) v.setUint32(i * 4, words[i]!, true);
  return out;
}
