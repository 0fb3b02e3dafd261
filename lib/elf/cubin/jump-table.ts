/**
 * Tables of code offsets made by lowering live in bank 2 of their function: `pointers` name blocks as `.L<id>`. Each indirect
 * branch of the function goes with one table, in order.
 */
import { InternalError } from "../../errors.js";
import type { Program } from "../../ori/types.js";
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
  const made = section({
    name: `.nv.constant${JUMP_BANK}.${code.name}`,
    type: relocatable ? SHT_CUDA.Constant0 + JUMP_BANK : SHT.Progbits,
    flags: SHF.Alloc | SHF.InfoLink,
    align: Math.max(4, region.align),
    info: text,
    data,
  });
  return { section: made, branches };
}

function codeOffset(code: Code, label: string): number {
  const offset = code.labels.get(Number(label.slice(2)));
  if (!label.startsWith(".L") || offset === undefined)
    throw new InternalError(`jump table names ${label}, which is not a block`, { func: code.name });
  return offset;
}
