/**
 * Registers that memory instructions still read when others write: a load gives back the register of its address tens of cycles after it issues, and
 * what writes that register waits in order until then.
 *
 *     LDS R5, [R6]                     LDS R5, [R6]
 *     SHF.R.S32.HI R6, RZ, 0x1f, R9    SHF.R.S32.HI R8, RZ, 0x1f, R9
 *
 * Blocks that run once are left as they are: registers there are numbered as ptxas numbers them.
 */
import { File, type Inst } from "../ori/types.js";
import type { Ranges } from "./ranges.js";
import type { ConstraintPolicy, HeldHint } from "./types.js";

/** Instructions after which the reads of a memory instruction count as done. */
const WINDOW = 12;
/** What it weighs among registers that are equal otherwise: more than a bank, which costs a cycle. */
const HELD = 4;

const holds = ({ form }: Inst): boolean => form.memory !== null && form.memory.space !== "const";

/** For each value of file R those whose registers it had better not take, or that had better not take its own. */
export function findHeld({ flat }: Ranges): ReadonlyMap<number, readonly HeldHint[]> {
  const held = new Map<number, HeldHint[]>();
  const note = (value: number, hint: HeldHint): void => {
    const list = held.get(value);
    if (list === undefined) held.set(value, [hint]);
    else if (!list.some((h) => h.other === hint.other && h.offset === hint.offset)) list.push(hint);
  };
  const isR = (unit: number): boolean => flat.fileOf[unit] === File.R;
  const at = (unit: number): number => unit - (flat.unitBase[flat.owner[unit] as number] as number);
  const meet = (read: number, written: number): void => {
    const [other, value] = [flat.owner[read] as number, flat.owner[written] as number];
    if (other === value || !isR(read) || !isR(written)) return;
    const offset = at(read) - at(written);
    note(value, { other, offset });
    note(other, { other: value, offset: -offset });
  };
  flat.func.blocks.forEach((block, b) => {
    if (block.freq <= 1) return;
    const [from, to] = [flat.blockStart[b] as number, flat.blockStart[b + 1] as number];
    for (let i = from; i < to; i++) {
      if (!holds(flat.insts[i] as Inst)) continue;
      for (let j = i + 1; j < Math.min(to, i + 1 + WINDOW); j++)
        for (let d = flat.defStart[j] as number; d < (flat.defStart[j + 1] as number); d++)
          for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++)
            meet(flat.uses[u] as number, flat.defs[d] as number);
    }
  });
  return held;
}

/** Rather another register than one that is still read. */
export const notHeld: ConstraintPolicy = (ctx, v, out) => {
  for (const { other, offset } of ctx.held(v.id))
    if (ctx.assigned(other) >= 0)
      out.push({ kind: "ratherNot", target: other, slot: offset, weight: HELD, soft: false });
};
