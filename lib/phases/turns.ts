/** Turns of a loop as copies of its blocks. */
import type { CountedLoop } from "../analysis/index.js";
import { type Block, File, type Func, type Inst, Kind } from "../ori/types.js";
import { copyBlocks, jump } from "./copy-blocks.js";

/** One turn of a loop. */
export interface TurnCopy {
  readonly header: Block;
  readonly latch: Block;
  readonly blocks: readonly Block[];
}

/** The convergence barriers that instructions of the blocks set up. */
export function barriersSetUp(blocks: readonly Block[]): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const b of blocks)
    for (const { form, dsts } of b.insts)
      if (form.op === "BSSY") for (const o of dsts) if (o.file === File.B) ids.add(o.id);
  return ids;
}

/** The loop's own blocks as the first turn, and copies, with barriers of their own for the regions inside. */
export function turnsOf(func: Func, { header, latch, blocks }: CountedLoop, count: number): TurnCopy[] {
  const turns: TurnCopy[] = [{ header, latch, blocks }];
  const barriers = barriersSetUp(blocks);
  while (turns.length < count) {
    const of = copyBlocks(func, blocks);
    const own = new Map([...barriers].map((id) => [id, func.values.add(File.B)]));
    for (const b of own.size === 0 ? [] : of.values())
      for (const { dsts, srcs } of b.insts)
        for (const list of [dsts, srcs])
          for (const o of list) if (o.kind === Kind.Reg && o.file === File.B) o.id = own.get(o.id) ?? o.id;
    turns.push({ header: of.get(header) as Block, latch: of.get(latch) as Block, blocks: [...of.values()] });
  }
  return turns;
}

/** Puts blocks into the layout after the loop's. */
export function place(func: Func, loop: CountedLoop, more: readonly Block[]): void {
  const at = Math.max(...loop.blocks.map((b) => func.blocks.indexOf(b)));
  func.blocks = [...func.blocks.slice(0, at + 1), ...more, ...func.blocks.slice(at + 1)];
}

/** Takes the branch off each latch; all but the last go on with the next turn. */
export function chain(func: Func, turns: readonly TurnCopy[], like: Inst | null): void {
  turns.forEach((turn, t) => {
    turn.latch.insts.pop();
    const next = turns[t + 1];
    if (next !== undefined) turn.latch.insts.push(jump(func, next.header, like));
  });
}

/** The blocks of the turn, with one after its latch. */
export function after(turn: TurnCopy, block: Block): Block[] {
  return turn.blocks.flatMap((b) => (b === turn.latch ? [b, block] : [b]));
}
