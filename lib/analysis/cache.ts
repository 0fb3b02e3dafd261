/**
 * `analysis(func, name)`: a pass asks for what it needs and never invalidates by hand. A result is kept until the
 * function's generation moves on; what depends on blocks and edges alone is kept as long as these are the same, which is
 * looked at and not believed: comparing them costs less than one reverse post-order.
 */
import type { Func } from "../ori/types.js";
import { Addresses } from "./addresses.js";
import { type Cfg, controlFlow, sameShape } from "./cfg.js";
import { type DefUse, defUse } from "./defuse.js";
import { type Divergence, divergence } from "./divergence.js";
import { type DominatorTree, dominators, postDominators } from "./dominators.js";
import { type Flat, flatten } from "./flat.js";
import { blockFrequencies } from "./frequency.js";
import { type Liveness, liveness } from "./liveness.js";
import { type Loops, naturalLoops } from "./loops.js";
import { type Names, names } from "./names.js";
import { type Pressure, pressure } from "./pressure.js";
import { type Reaching, reaching } from "./reaching.js";
import { type Routines, routines } from "./routines.js";

/** All analyses by name, with what each gives. */
export interface Analyses {
  /** Edges between blocks, and orders of them. */
  cfg: Cfg;
  /** Which blocks lie on every path from the entry. */
  dominators: DominatorTree;
  /** Which blocks lie on every path to an exit. */
  postDominators: DominatorTree;
  /** Natural loops, their nesting, and cycles that are none. */
  loops: Loops;
  /** Definitions and reads of all instructions in flat arrays. */
  flat: Flat;
  /** Units that are live where blocks start and end. */
  liveness: Liveness;
  /** As liveness; in the SSA window sources of phis are read on the edges. */
  livenessOnEdges: Liveness;
  /** The single definition of each value and its reads. */
  defUse: DefUse;
  /** Registers live at each instruction, by file. */
  pressure: Pressure;
  /** As pressure; in the SSA window sources of phis are read on the edges: as many registers as are live once phis are moves. */
  pressureOnEdges: Pressure;
  /** Which definitions reach which reads. */
  reaching: Reaching;
  /** Executions of each block (layout index) per run of the function. */
  frequencies: Float64Array;
  /** Which registers differ between the lanes of a warp, and where lanes part and meet. */
  divergence: Divergence;
  /** Which blocks belong to which function inside a kernel's code. */
  routines: Routines;
  /** Names of what registers hold, equal where the contents are. */
  names: Names;
  /** Sums that addresses are, and which accesses may meet. */
  addresses: Addresses;
}

const compute: { readonly [K in keyof Analyses]: (func: Func) => Analyses[K] } = {
  cfg: controlFlow,
  dominators: (f) => dominators(analysis(f, "cfg")),
  postDominators: (f) => postDominators(analysis(f, "cfg")),
  loops: (f) => naturalLoops(analysis(f, "cfg"), analysis(f, "dominators")),
  flat: flatten,
  liveness: (f) => liveness(analysis(f, "cfg"), analysis(f, "flat")),
  livenessOnEdges: (f) =>
    f.milestone === "ssa" ? liveness(analysis(f, "cfg"), analysis(f, "flat"), true) : analysis(f, "liveness"),
  defUse: (f) => defUse(analysis(f, "flat")),
  pressure: (f) => pressure(analysis(f, "liveness")),
  pressureOnEdges: (f) =>
    f.milestone === "ssa" ? pressure(analysis(f, "livenessOnEdges"), true) : analysis(f, "pressure"),
  reaching: (f) => reaching(analysis(f, "cfg"), analysis(f, "flat")),
  routines: (f) => routines(analysis(f, "cfg"), analysis(f, "flat")),
  names: (f) =>
    names(
      f,
      analysis(f, "cfg"),
      analysis(f, "dominators"),
      analysis(f, "flat"),
      analysis(f, "routines"),
      analysis(f, "livenessOnEdges"),
    ),
  addresses: (f) => new Addresses(f, analysis(f, "names")),
  divergence: (f) => divergence(f, analysis(f, "cfg")),
  frequencies: (f) => blockFrequencies(analysis(f, "cfg"), analysis(f, "loops")),
};

/** Functions of blocks and edges. */
const ofShape: readonly (keyof Analyses)[] = ["cfg", "dominators", "postDominators", "loops", "frequencies"];

interface Kept {
  generation: number;
  results: Partial<Analyses>;
}

const cache = new WeakMap<Func, Kept>();

/** The named analysis of the function as it is now. */
export function analysis<K extends keyof Analyses>(func: Func, name: K): Analyses[K] {
  let kept = cache.get(func);
  if (kept === undefined || kept.generation !== func.generation) {
    kept = { generation: func.generation, results: kept === undefined ? {} : stillRight(func, kept.results) };
    cache.set(func, kept);
  }
  const known: Analyses[K] | undefined = kept.results[name];
  if (known !== undefined) return known;
  const made = compute[name](func);
  kept.results[name] = made;
  return made;
}

/** Lets go of all results, where nobody asks soon: they take more memory than the function. */
export function forgetAnalyses(func: Func): void {
  cache.delete(func);
}

/** What holds of the results for an earlier state of the function. */
function stillRight(func: Func, old: Partial<Analyses>): Partial<Analyses> {
  const now: Partial<Analyses> = {};
  if (old.cfg !== undefined && sameShape(old.cfg, func)) for (const name of ofShape) keep(now, old, name);
  return now;
}

function keep<K extends keyof Analyses>(now: Partial<Analyses>, old: Partial<Analyses>, name: K): void {
  const known: Analyses[K] | undefined = old[name];
  if (known !== undefined) now[name] = known;
}
