/**
 * Tables of code offsets made by lowering live in bank 2 of their function: `pointers` name blocks as `.L<id>`. Each indirect
 * branch of the function goes with one table, in order.
 */
import { InternalError } from "../../errors.js";
import { Kind, type Program } from "../../ori/types.js";
import type { Code } from "../../sass/code.js";
import { SHF, SHT, view } from "../elf64.js";
import { type SectionDraft, section } from "../elf64-write.js";
import type { IndirectBranch } from "./derive.js";
import { JUMP_BANK, placeInOrder } from "./place.js";
import { SHT_CUDA } from "./sections.js";

export interface JumpTable {
  readonly section: SectionDraft;
  readonly branches: readonly IndirectBranch[];
}

/** Null for a function without tables. */
export function jumpTable(program: Program, code: Code, text: SectionDraft, relocatable: boolean): JumpTable | null {
  const tables = program.symbols.filter((s) => s.bank === JUMP_BANK && s.users.includes(code.name));
  const functions = functionOffsets(program, code);
  if (tables.length > 0 && functions !== null)
    throw new InternalError("jump tables and a table of functions share a bank", { func: code.name });
  if (functions !== null) return { section: tableSection(code, text, relocatable, 8, functions), branches: [] };
  if (tables.length === 0) return null;
  const region = placeInOrder(tables);
  const data = new Uint8Array(region.size);
  const v = view(data);
  const sites = code.insts.flatMap((inst, i) => (inst.form.flow === "indirect" ? [i * 16] : []));
  const branches: IndirectBranch[] = [];
  region.placed.forEach((p, i) => {
    data.set(p.symbol.init ?? [], p.offset);
    const targets = p.symbol.pointers.map((pointer) => {
      const target = codeOffset(code, pointer.symbol) + pointer.addend;
      v.setUint32(p.offset + pointer.offset, target, true);
      return target;
    });
    const site = sites[i];
    if (site !== undefined) branches.push({ offset: site, targets });
  });
  return { section: tableSection(code, text, relocatable, Math.max(4, region.align), data), branches };
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

/** Where the functions whose addresses are taken lie in a kernel's code, eight bytes each behind eight of zeros; null when nothing reads it. */
function functionOffsets(program: Program, code: Code): Uint8Array | null {
  const taken = program.taken ?? [];
  const isRead = code.insts.some((inst) => inst.srcs.some((o) => o.kind === Kind.Const && o.id === JUMP_BANK));
  if (taken.length === 0 || code.routines.length === 0 || !isRead) return null;
  const data = new Uint8Array(8 * (taken.length + 1));
  taken.forEach((name, i) => {
    view(data).setUint32(8 * (i + 1), code.routines.find((r) => r.name === name)?.offset ?? 0, true);
  });
  return data;
}

function codeOffset(code: Code, label: string): number {
  const offset = code.labels.get(Number(label.slice(2)));
  if (!label.startsWith(".L") || offset === undefined)
    throw new InternalError(`jump table names ${label}, which is not a block`, { func: code.name });
  return offset;
}
