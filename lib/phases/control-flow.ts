/** AnalyzeControlFlow and SetControlFlowOpLastInBB: the graph as the rest of the pipeline expects it. */
import { analysis } from "../analysis/index.js";
import { splitAtTransfers } from "../ori/editor.js";
import { connect } from "../ori/flow.js";
import type { Block, Func } from "../ori/types.js";

/** Executions that a loop is assumed to make, without a profile. */
export const assumedTrips = 10;
const maxDepth = 6;

/** Splits blocks after transfers of control that stand inside them, and makes the edges anew if there were any. */
export function setControlFlowOpLastInBB(func: Func): void {
  if (splitAtTransfers(func) > 0) connect(func);
}

/** Estimates how often each block runs: the entry once, each loop `assumedTrips` times per entry. */
export function estimateFrequencies(func: Func): void {
  const { depth } = analysis(func, "loops");
  func.blocks.forEach((block: Block, i) => {
    block.freq = assumedTrips ** Math.min(depth[i] as number, maxDepth);
  });
}
