/**
 * What a branch's other lanes jump to comes next (part of OriBranchOpt): the fall-through stays the fall-through, whatever stands where in the source, so
 * that it is the first arm of an if-conversion. Asked of ptxas 13.0.88 with arms in both orders, with and without the jump.
 *
 *     @P BRA a                @P BRA a
 *     BRA c                   c: …
 *     a: …              →     BRA j
 *     BRA j                   a: …
 *     c: …
 *     j: …                    j: …
 */
import { analysis } from "../analysis/index.js";
import { blockFallsThrough, connect, terminator } from "../ori/flow.js";
import { type Block, type Func, Kind } from "../ori/types.js";
import { isPlainBranch, namedBlocks } from "./branches.js";
import { jump } from "./copy-blocks.js";

/** Returns how many branches have their other arm next now. */
export function keepFallThrough(func: Func): number {
  const { innermost } = analysis(func, "loops");
  const loopOf = new Map(func.blocks.map((b, i) => [b, innermost[i] as number]));
  const named = namedBlocks(func);
  let count = 0;
  for (let b = 0; b + 3 < func.blocks.length; b++) {
    const move = moveOf(func, b, named, loopOf);
    if (move === null) continue;
    const { from, to } = move;
    const run = func.blocks.slice(from, to + 1);
    const [last, next] = [run[run.length - 1] as Block, func.blocks[to + 1]];
    if (blockFallsThrough(last)) {
      if (next === undefined || terminator(last) !== null) continue;
      last.insts.push(jump(func, next, last.insts[last.insts.length - 1] ?? null));
    }
    func.blocks.splice(from, run.length);
    func.blocks.splice(b + 1, 1, ...run);
    count++;
  }
  if (count === 0) return 0;
  connect(func);
  func.generation++;
  return count;
}

/** Places of the blocks that only the jump after the branch of block `b` leads to. */
function moveOf(
  func: Func,
  b: number,
  named: ReadonlySet<number>,
  loopOf: ReadonlyMap<Block, number>,
): { from: number; to: number } | null {
  const [block, next, arm] = func.blocks.slice(b, b + 3) as [Block, Block, Block];
  const last = terminator(block);
  const [only, ...more] = next.insts;
  if (!isPlainBranch(last) || last.guard === null || !leadsTo(last, arm) || arm.preds.length !== 1) return null;
  if (only === undefined || more.length > 0 || !isPlainBranch(only) || only.guard !== null) return null;
  const goal = next.succs[0] as Block;
  if (next.preds.length !== 1 || goal.preds.length !== 1 || [next, arm, goal].some((x) => named.has(x.id))) return null;
  if (loopOf.get(goal) !== loopOf.get(block) || loopOf.get(arm) !== loopOf.get(block)) return null;
  const from = func.blocks.indexOf(goal, b + 3);
  if (from < 0 || blockFallsThrough(func.blocks[from - 1] as Block)) return null;
  return { from, to: lastOwn(func, from) };
}

const leadsTo = (branch: { srcs: readonly { kind: Kind; id: number }[] }, block: Block): boolean =>
  branch.srcs.some((o) => o.kind === Kind.Label && o.id === block.id);

/** The last of the blocks from `from` on that are entered from among themselves only. */
function lastOwn(func: Func, from: number): number {
  const own = new Set([func.blocks[from] as Block]);
  let to = from;
  // A block that later ones lead to, too, ends the run: loops stay whole elsewhere.
  for (let k = from + 1; k < func.blocks.length; k++) {
    const block = func.blocks[k] as Block;
    if (block.preds.length === 0 || !block.preds.every((p) => own.has(p))) break;
    own.add(block);
    to = k;
  }
  return to;
}
