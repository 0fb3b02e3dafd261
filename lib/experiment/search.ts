/**
 * Beam search over legal orders of a cubin's instructions. It starts from the code as it is and from every named policy,
 * within blocks and with motion between them; each step changes the best orders at random places (shuffles within the
 * dependences, other policies and random weights for some blocks, more motion) and keeps the best again. Every candidate
 * has new control words, passes the hazard checker, computes the expected results, and is judged by the timing model. The
 * same seed gives the same result, however many threads work.
 */
import { type Feature, schedulePolicies, type Weights } from "../sched/index.js";
import { type ExecuteOptions, execute, signalOf } from "./executor.js";
import { hash32, unit } from "./random.js";
import type { Move, Point, Row, SweepInput } from "./types.js";

export interface SearchOptions extends ExecuteOptions {
  readonly seed: number;
  readonly steps: number;
  /** Orders kept from step to step. Default 3. */
  readonly width?: number;
  /** Orders tried from each. Default 12. */
  readonly children?: number;
  /** Policies to start from. Default: all. */
  readonly policies?: readonly string[];
}

export interface SearchResult {
  /** The cubin as it was. */
  readonly start: Row;
  /** The best found; `start` when nothing is better. */
  readonly best: Row;
  /** Best cycles after each step, the first the start. */
  readonly history: readonly number[];
  /** Everything that was tried, in order. */
  readonly rows: readonly Row[];
}

/** Safe, right, and with an estimate. */
const good = (r: Row): boolean =>
  r.outcome === "ok" && r.results === "as expected" && r.hazards === 0 && r.cycles !== null;

/** `input` must name a cubin and a launch file with expectations. Throws when the cubin itself does not run as expected. */
export async function search(input: SweepInput, options: SearchOptions): Promise<SearchResult> {
  const { seed, steps, width = 3, children = 12 } = options;
  const signal = signalOf(options);
  const at = (moves: readonly Move[] | null): Point => ({
    input,
    target: "",
    level: 0,
    maxRegisters: 0,
    knobs: {},
    moves,
  });
  const rows: Row[] = [];
  const tried = new Set<string>();
  const run = async (points: readonly Point[]): Promise<Row[]> => {
    const found = (await execute(points, { ...options, ...(signal && { signal }) })).filter((r) => r !== null);
    rows.push(...found);
    return found.filter((r) => good(r) && !tried.has(r.cubinHash) && tried.add(r.cubinHash));
  };
  const policies = options.policies ?? schedulePolicies.map((p) => p.name);
  const first = [[], [{ hoist: "loads" }], [{ hoist: "all" }]] as const;
  let beam = await run([
    at(null),
    ...first.flatMap((moves) => [at(moves), ...policies.map((policy) => at([...moves, { policy }]))]),
  ]);
  const start = rows[0];
  if (start === undefined || !good(start))
    throw new Error(`${input.cubin}: ${start?.outcome ?? "aborted"}, results ${start?.results}`);
  const order = (a: Row, b: Row): number => a.cycles! - b.cycles! || (a.id < b.id ? -1 : 1);
  let best = [...beam].sort(order)[0]!;
  const history = [start.cycles!, best.cycles!];
  for (let step = 0; step < steps && !signal?.aborted; step++) {
    beam = beam.sort(order).slice(0, width);
    const next = beam.flatMap((row, k) => {
      const moves = (JSON.parse(row.moves) as readonly Move[] | null) ?? [];
      return Array.from({ length: children }, (_, c) => at([...moves, moveOf(hash32(seed, step, k, c), c, policies)]));
    });
    beam = [...beam, ...(await run(next))];
    best = [best, ...beam].sort(order)[0]!;
    history.push(best.cycles!);
  }
  return { start, best, history, rows };
}

/** Kinds of moves in turn; each takes its numbers from the seed. */
function moveOf(seed: number, child: number, policies: readonly string[]): Move {
  const share = pick([1, 0.5, 0.25], seed, 1);
  switch (child % 6) {
    case 0:
      return { shuffle: seed, reach: pick([2, 4, 8, 16], seed, 2), share };
    // A few instructions only, near and far.
    case 1:
    case 2:
      return { shuffle: seed, reach: pick([3, 6, 12, 24], seed, 2), share, density: pick([0.05, 0.15, 0.3], seed, 3) };
    case 3:
      return policies.length === 0
        ? { shuffle: seed, reach: 2, share }
        : { policy: pick(policies, seed, 2), seed, share: pick([0.5, 0.25], seed, 3) };
    case 4:
      return { weights: weightsOf(seed), direction: pick(["forward", "backward"], seed, 2), seed, share };
    default:
      return { hoist: pick(["all", "loads"], seed, 2), seed, share: pick([1, 0.5, 0.2], seed, 3) };
  }
}

const pick = <T>(list: readonly T[], seed: number, n: number): T => list[hash32(seed, n) % list.length]!;

/** Signs that make sense, sizes by chance; about half of the features are left out. */
const signs: readonly (readonly [Feature, number])[] = [
  ["ahead", 1],
  ["stall", -4],
  ["latency", 0.5],
  ["releases", 4],
  ["fanout", 2],
  ["longLatency", 16],
  ["barrierTarget", -8],
  ["reuse", 2],
  ["bankConflicts", -2],
  ["position", -1],
];

function weightsOf(seed: number): Weights {
  const weights: Partial<Record<Feature, number>> = { ahead: 1 };
  signs.forEach(([feature, size], k) => {
    if (unit(seed, 10 + k) < 0.5) weights[feature] = Math.round(200 * size * unit(seed, 30 + k)) / 100;
  });
  return weights;
}
