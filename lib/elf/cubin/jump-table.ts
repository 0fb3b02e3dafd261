/**
 * Constant bank 2 of a function: tables of code offsets, one per indirect branch, after the table of functions that calls
 * through addresses read, where there is one.
 */
import { Kind, type Program } from "../../ori/types.js";
import type { Code } from "../../sass/code.js";
import { SHF, SHT, view } from "../elf64.js";
import { type SectionDraft, section } from "../elf64-write.js";
import type { IndirectBranch } from "./derive.js";
import { type DraftReloc, type DraftSymbol, symbol } from "./draft.js";
import { R_CUDA } from "./relocations.js";
import { SHT_CUDA, STO, STT_CUDA } from "./sections.js";

const JUMP_BANK = 2;

export interface JumpTable {
  readonly section: SectionDraft;
  readonly branches: readonly IndirectBranch[];
  /** A table of functions stands before the tables of branches. */
  readonly functions: boolean;
  /** In objects: a symbol for each table, and the loads from them. */
  readonly symbols: readonly DraftSymbol[];
  readonly relocs: readonly DraftReloc[];
}

/** Null for a function without tables. */
export function jumpTable(program: Program, code: Code, text: SectionDraft, relocatable: boolean): JumpTable | null {
  const { tables } = code;
  const functions = functionOffsets(program, code);
  if (tables.length === 0)
    return functions === null
      ? null
      : {
          section: tableSection(code, text, relocatable, 8, functions),
          branches: [],
          functions: true,
          symbols: [],
          relocs: [],
        };
  const data = new Uint8Array(Math.max(...tables.map((t) => t.offset + 4 * t.targets.length)));
  data.set(functions ?? []);
  const v = view(data);
  for (const t of tables) for (const [i, target] of t.targets.entries()) v.setUint32(t.offset + 4 * i, target, true);
  const branches = tables.map((t) => ({ offset: t.branch, targets: t.targets }));
  branches.sort((a, b) => a.offset - b.offset);
  const section = tableSection(code, text, relocatable, functions === null ? 4 : 8, data);
  return {
    section,
    branches,
    functions: functions !== null,
    ...(relocatable ? named(code, text, section) : { symbols: [], relocs: [] }),
  };
}

/** Offset and bank of a constant operand in the second word of an instruction. */
const OFFSET_FIELD = 0xffff << 6;
const BANK_FIELD = 0x1f << 22;

/** `NAME.const_opt.BEGIN.END` for each table. The linker fills the offset of each load; ptxas also moves the index, which nothing needs. */
function named(
  code: Code,
  text: SectionDraft,
  tables: SectionDraft,
): { symbols: readonly DraftSymbol[]; relocs: readonly DraftReloc[] } {
  const symbols = code.tables.map(({ offset, targets }) => {
    const size = 4 * targets.length;
    const name = `${code.name}.const_opt.${offset}.${offset + size}`;
    return symbol({ name, type: STT_CUDA.Object, other: STO.Const | 1, section: tables, value: offset, size });
  });
  const words = view(text.data as Uint8Array);
  // Without explicit addends the linker adds to what stands there.
  const field = code.target.has("rela") ? OFFSET_FIELD : OFFSET_FIELD | BANK_FIELD;
  const relocs: DraftReloc[] = [];
  code.insts.forEach((inst, i) => {
    const from =
      inst.form.name === "LDC" ? inst.srcs.find((o) => o.kind === Kind.Const && o.id === JUMP_BANK) : undefined;
    const table = from === undefined ? -1 : code.tables.findIndex((t) => t.offset === from.value);
    if (table < 0) return;
    words.setUint32(16 * i + 4, words.getUint32(16 * i + 4, true) & ~field, true);
    relocs.push({ offset: 16 * i, type: R_CUDA.CONST_FIELD21_38, symbol: symbols[table] as DraftSymbol, addend: 0 });
  });
  return { symbols, relocs };
}

/** The words with the loads from tables as an object has them. */
export function unplaced(words: Uint32Array, jumps: JumpTable | null): Uint32Array {
  if (jumps === null || jumps.relocs.length === 0) return words;
  const out = words.slice();
  for (const r of jumps.relocs) out[r.offset / 4 + 1] = (out[r.offset / 4 + 1] as number) & ~OFFSET_FIELD;
  return out;
}

function tableSection(
  code: Code,
  text: SectionDraft,
  relocatable: boolean,
  align: number,
  data: Uint8Array,
): SectionDraft {
  return section({
    name: `.nv.constant${JUMP_BANK}.${code.name}`,
    type: relocatable ? SHT_CUDA.Constant0 + JUMP_BANK : SHT.Progbits,
    flags: SHF.Alloc | SHF.InfoLink,
    align,
    info: text,
    data,
  });
}

/** Where the functions whose addresses are taken lie in a kernel's code, eight bytes each after eight of zeros; null when nothing reads it. */
function functionOffsets(program: Program, code: Code): Uint8Array | null {
  const taken = program.taken ?? [];
  // Entries of the table of functions are pairs, those of jump tables words.
  const isRead = code.insts.some(
    (i) => i.form.name === "LDC.64" && i.srcs.some((o) => o.kind === Kind.Const && o.id === JUMP_BANK),
  );
  if (taken.length === 0 || code.routines.length === 0 || !isRead) return null;
  const data = new Uint8Array(8 * (taken.length + 1));
  taken.forEach((name, i) => {
    view(data).setUint32(8 * (i + 1), code.routines.find((r) => r.name === name)?.offset ?? 0, true);
  });
  return data;
}
