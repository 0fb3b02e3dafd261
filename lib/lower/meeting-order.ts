/**
 * Whether instructions that wait for each other's lanes come in one order on all paths, so that a lane's n-th is every lane's n-th.
 *
 * Branches that all lanes take the same way are places, too: who comes to one goes on as all others do. So what a loop of so many turns repeats and what
 * comes after it are in order. Which those are says the analysis of divergence, on a copy that has the regions in which lanes come together again.
 */
import { analysis } from "../analysis/index.js";
import { isConditional, terminator } from "../ori/flow.js";
import { snapshot } from "../ori/func.js";
import type { Block, Func, Inst } from "../ori/types.js";
import { addRegions, type Watching } from "./convergence.js";

/** The place that lanes come to next: none any more, one of several, or one by its number. */
type Next = number;
const NOTHING: Next = -1;
const SEVERAL: Next = -2;

type Places = ReadonlyMap<Block, Next>;

function join(a: Next, b: Next): Next {
  if (a === NOTHING || a === b) return b;
  return b === NOTHING ? a : SEVERAL;
}

/** Where lanes come next from the block's start, with these places fixed. */
function nextPlaces(func: Func, fixed: Places): ReadonlyMap<Block, Next> {
  const next = new Map<Block, Next>(func.blocks.map((b) => [b, fixed.get(b) ?? NOTHING]));
  for (let changed = true; changed; ) {
    changed = false;
    for (let k = func.blocks.length - 1; k >= 0; k--) {
      const b = func.blocks[k] as Block;
      if (fixed.has(b)) continue;
      const n = after(b, next);
      if (n === next.get(b)) continue;
      next.set(b, n);
      changed = true;
    }
  }
  return next;
}

const after = (b: Block, next: ReadonlyMap<Block, Next>): Next =>
  b.succs.reduce((n: Next, s) => join(n, next.get(s) as Next), NOTHING);

/** Blocks at whose end all lanes of a warp go the same way. */
export function uniformBranches(func: Func, watching: Watching): ReadonlySet<Block> {
  const copy = snapshot(func);
  const watched = new Set([...watching.insts].map((i) => i.id));
  const retried = new Set([...watching.retries].map((b) => b.id));
  addRegions(copy, {
    insts: new Set(copy.blocks.flatMap((b) => b.insts.filter((i) => watched.has(i.id)))),
    retries: new Set(copy.blocks.filter((b) => retried.has(b.id))),
  });
  const divergence = analysis(copy, "divergence");
  const twins = new Map(copy.blocks.map((b) => [b.id, b]));
  return new Set(
    func.blocks.filter((b) => {
      const last = terminator(b);
      const twin = twins.get(b.id);
      return (
        last !== null &&
        last.form.flow === "branch" &&
        isConditional(last) &&
        twin !== undefined &&
        !divergence.parts(twin)
      );
    }),
  );
}

/**
 * From the entry, and from each of the places, all paths come to one and the same place next, or to none any more. `together`: blocks at
 * whose end all lanes of a warp go the same way.
 */
export function inOrder(func: Func, syncs: ReadonlySet<Inst>, together: () => ReadonlySet<Block>): boolean {
  const fixed = new Map<Block, Next>();
  const own = new Set<Block>();
  for (const b of func.blocks) {
    const first = b.insts.find((i) => syncs.has(i));
    if (first === undefined) continue;
    fixed.set(b, 2 * first.id);
    own.add(b);
  }
  for (;;) {
    const next = nextPlaces(func, fixed);
    const forks = func.blocks.filter((b) => (own.has(b) || !fixed.has(b)) && after(b, next) === SEVERAL);
    if (forks.length === 0) return true;
    const uniform = together();
    // Those whose paths are clear by themselves are places from now on.
    const clear = forks.filter((b) => uniform.has(b) && b.succs.every((s) => next.get(s) !== SEVERAL));
    const fresh = clear.filter((b) => !own.has(b));
    for (const b of fresh) fixed.set(b, 2 * b.id + 1);
    // A place that ends in such a branch goes on as all lanes do.
    if (fresh.length === 0) return forks.every((b) => clear.includes(b));
  }
}
