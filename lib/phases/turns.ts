/** Turns of a loop as copies of its blocks. */
import type { CountedLoop } from "../analysis/index.js";
import type { Block, Func, Inst } from "../ori/types.js";
import { copyBlocks, jump } from "./copy-blocks.js";

/** One turn of a loop. */
export interface TurnCopy {
  readonly header: Block;
  readonly latch: Block;
  readonly blocks: readonly Block[];
}

/** The loop's own blocks as the first turn, and copies. */
export function turnsOf(func: Func, { header, latch, blocks }: CountedLoop, count: number): TurnCopy[] {
  const turns: TurnCopy[] = [{ header, latch, blocks }];
  while (turns.length < count) {
    const of = copyBlocks(func, blocks);
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
