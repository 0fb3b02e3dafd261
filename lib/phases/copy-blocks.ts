/** Copies of blocks, with what they name among themselves, and small instructions for those who rearrange blocks. */
import { form } from "../isa/form.js";
import { renameTargets } from "../ori/editor.js";
import { copyInst, newBlock, newInst } from "../ori/func.js";
import { label } from "../ori/operand.js";
import { fillSlots, type Given } from "../ori/slots.js";
import { type Block, type Func, type Guard, type Inst, Kind } from "../ori/types.js";

/** Copies in the order given; labels of these blocks name the copies. Edges and layout are the caller's. */
export function copyBlocks(func: Func, blocks: readonly Block[]): Map<Block, Block> {
  const copies = new Map(blocks.map((b) => [b, newBlock(func, "", b.freq)]));
  const ids = new Map([...copies].map(([from, to]) => [from.id, to.id]));
  for (const [from, to] of copies) {
    to.insts = from.insts.map((i) => copyInst(func, i));
    for (const inst of to.insts) {
      for (const o of inst.srcs) if (o.kind === Kind.Label) o.id = ids.get(o.id) ?? o.id;
      renameTargets(inst, (id) => ids.get(id) ?? id);
    }
  }
  return copies;
}

/** An instruction by name, placed where `like` stands in the source. */
export function make(
  func: Func,
  name: string,
  dsts: Given,
  srcs: Given,
  like: Inst | null,
  guard: Guard | null = null,
): Inst {
  const f = form(name);
  return newInst(func, f, fillSlots(f, f.dsts, dsts), fillSlots(f, f.srcs, srcs), guard, like?.loc ?? null);
}

/** `BRA target`. */
export function jump(func: Func, target: Block, like: Inst | null, guard: Guard | null = null): Inst {
  return make(func, "BRA", [], [label(target)], like, guard);
}
