/**
 * OriLoopSimplification: loops that test at their top are tested at their end, which saves a jump in each turn. The top stays in
 * front of the loop and asks once; ptxas does so from -O1 on.
 *
 *     h: ISETP …                       h: ISETP …
 *        @P BRA out                       @P BRA out
 *     b: …                     →       b: …
 *        BRA h                            ISETP …
 *     out:                                @!P BRA b
 *                                      out:
 */
import { analysis } from "../analysis/index.js";
import { connect, terminator } from "../ori/flow.js";
import { copyGuard, newBlock } from "../ori/func.js";
import { type Block, type Func, Kind } from "../ori/types.js";
import { foldBranches, isPlainBranch, namedBlocks, opposite } from "./branches.js";
import { copyBlocks, jump } from "./copy-blocks.js";
import { saying } from "./notes.js";
import { phaseParameters } from "./parameters.js";

/** Returns how many loops were turned; `budget`: most instructions of a top that is copied. */
export function rotateLoops(func: Func, budget: number = phaseParameters.LoopInversionBudget): number {
  let count = 0;
  // A turned loop has no more of these names than before.
  let names: ReadonlySet<number> | undefined;
  const isNamed = (block: Block): boolean => {
    names ??= namedBlocks(func);
    return names.has(block.id);
  };
  for (const loop of analysis(func, "loops").loops.map((l) => ({
    header: func.blocks[l.header] as Block,
    latches: l.latches.map((b) => func.blocks[b] as Block),
    blocks: new Set(l.blocks.map((b) => func.blocks[b] as Block)),
  })))
    if (rotate(func, loop, budget, isNamed)) {
      saying(func)?.("loop turned", loop.header.insts[0], "its test stands at its end");
      count++;
      func.generation++;
    }
  if (count === 0) return 0;
  connect(func);
  foldBranches(func);
  return count;
}

interface Top {
  readonly header: Block;
  readonly latches: readonly Block[];
  readonly blocks: ReadonlySet<Block>;
}

function rotate(
  func: Func,
  { header, latches, blocks }: Top,
  budget: number,
  isNamed: (block: Block) => boolean,
): boolean {
  const [latch] = latches;
  const test = terminator(header);
  if (latch === undefined || latches.length > 1 || latch === header || latch.succs.length !== 1) return false;
  if (!isPlainBranch(test) || test.guard === null || header.succs.length !== 2) return false;
  const into = header.succs.find((s) => blocks.has(s));
  const out = header.succs.find((s) => !blocks.has(s));
  if (into === undefined || out === undefined || into === header) return false;
  if (header.insts.length - 1 > budget || !copiable(header) || isNamed(header)) return false;
  const end = terminator(latch);
  if (end !== null && !isPlainBranch(end)) return false;
  const copy = copyBlocks(func, [header]).get(header) as Block;
  const branch = copy.insts.pop();
  const goesOut = branch?.srcs.some((o) => o.kind === Kind.Label && o.id === out.id) === true;
  if (end !== null) latch.insts.pop();
  const again = goesOut ? opposite(test.guard) : copyGuard(test.guard);
  latch.insts.push(...copy.insts, jump(func, into, test, again));
  const leave = newBlock(func, "", out.freq);
  leave.insts.push(jump(func, out, test));
  func.blocks.splice(func.blocks.indexOf(latch) + 1, 0, leave);
  // As the next loop asks for them; in whose order they come to a block is settled in the end.
  latch.succs = [leave, into];
  leave.succs = [out];
  if (header.nounroll === true) into.nounroll = true;
  return true;
}

function copiable(block: Block): boolean {
  return block.insts.every(
    ({ form, srcs, passed }, i) =>
      i === block.insts.length - 1 ||
      (form.flow === "next" &&
        passed === undefined &&
        !/^(BSSY|BSYNC|YIELD|WARPSYNC|WARPGROUP)$/.test(form.op) &&
        !srcs.some((o) => o.kind === Kind.Label)),
  );
}
