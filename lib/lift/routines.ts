/**
 * Calls of routines inside a function as control flow: the block that calls ends there and leads to the routine, the
 * block of its return leads to all places after calls of that routine. So what is live across a call is live in the
 * routine, and arguments, results and return addresses are values like any others; the allocator needs no convention.
 * Paths that enter by one call and leave after another do not exist, but only make values live longer.
 *
 * Refused: calls of what is not in the function, calls through registers, and returns of a function to its own callers,
 * whose registers are theirs.
 */
import { type Diagnostic, notSupported } from "../diagnostics.js";
import { blocksById, connect } from "../ori/flow.js";
import { newBlock } from "../ori/func.js";
import { type Block, type Func, type Inst, Kind } from "../ori/types.js";
import { throughRegister } from "./addresses.js";

/** Makes the edges, in place; calls come to stand at the ends of their blocks. Returns why it cannot be, or null. */
export function callsAsEdges(func: Func): Diagnostic | null {
  const flows = func.blocks.flatMap((b) => b.insts.map((inst) => inst.form.flow));
  if (!flows.some((flow) => flow === "call" || flow === "return")) return null;
  splitAfterCalls(func);
  func.callEdges = true;
  connect(func);
  const byId = blocksById(func);
  /** Entry of a routine → the blocks after its calls. */
  const back = new Map<Block, Block[]>();
  const callee = new Map<Block, Block>();
  for (const [i, b] of func.blocks.entries()) {
    const call = callOf(b);
    if (call === null) continue;
    const to = enteredBy(call, byId);
    const next = func.blocks[i + 1];
    if (to === null) return notSupported(`virtual registers of ${func.name}: where ${call.form.name} goes`, call.loc);
    if (next === undefined) return notSupported(`virtual registers of ${func.name}: a call at its end`, call.loc);
    callee.set(b, to);
    back.set(to, [...(back.get(to) ?? []), next]);
  }
  const following = new Map(func.blocks.map((b, i) => [b, func.blocks[i + 1]]));
  const returns = new Map<Block, Set<Block>>();
  for (const [entry, places] of back)
    for (const b of bodyOf(entry, callee, following)) {
      if (b.insts[b.insts.length - 1]?.form.flow !== "return") continue;
      const to = returns.get(b) ?? new Set();
      for (const place of places) to.add(place);
      returns.set(b, to);
    }
  for (const b of func.blocks) {
    const last = b.insts[b.insts.length - 1];
    if (last?.form.flow === "return" && !returns.has(b))
      return notSupported(`virtual registers of ${func.name}: ${last.form.name} to a caller outside`, last.loc);
  }
  for (const [b, to] of callee) link(b, to);
  for (const [b, places] of returns) for (const to of places) link(b, to);
  func.generation++;
  return null;
}

function link(from: Block, to: Block): void {
  if (from.succs.includes(to)) return;
  from.succs.push(to);
  to.preds.push(from);
}

function callOf(b: Block): Inst | null {
  const last = b.insts[b.insts.length - 1];
  return last?.form.flow === "call" ? last : null;
}

function enteredBy(call: Inst, byId: readonly (Block | undefined)[]): Block | null {
  if (throughRegister(call)) return null;
  const label = call.srcs.find((o) => o.kind === Kind.Label);
  return (label === undefined ? undefined : byId[label.id]) ?? null;
}

function splitAfterCalls(func: Func): void {
  func.blocks = func.blocks.flatMap((b) => {
    const parts: Block[] = [b];
    for (let rest = b; ; ) {
      const at = rest.insts.findIndex((inst) => inst.form.flow === "call");
      if (at < 0 || at === rest.insts.length - 1) return parts;
      const next = newBlock(func);
      next.freq = b.freq;
      next.insts = rest.insts.splice(at + 1);
      // Where a table says an indirect branch goes, it goes from the part that it now ends.
      next.succs = rest.succs;
      rest.succs = [];
      parts.push(next);
      rest = next;
    }
  });
}

/** Blocks of a routine: from its entry on, over the calls that it makes itself. */
function bodyOf(
  entry: Block,
  callee: ReadonlyMap<Block, Block>,
  following: ReadonlyMap<Block, Block | undefined>,
): ReadonlySet<Block> {
  const body = new Set([entry]);
  for (const b of body) {
    for (const s of b.succs) body.add(s);
    const next = callee.has(b) ? following.get(b) : undefined;
    if (next !== undefined) body.add(next);
  }
  return body;
}
