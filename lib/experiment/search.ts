/**
 * Beam search over legal orders of a cubin's instructions. It starts from the code as it is and from every named policy,
 * within blocks and with motion between them; each step changes the best orders at random places (shuffles within the
 * dependences, other policies and random weights for some blocks, more motion) and keeps the best again. Every candidate
 * has new control words, passes the hazard checker, and computes the expected results. Under the timing model, the default
 * objective, the same seed gives the same result, however many threads work.
 *
 * A clock is noisy, and its least ratio of many is low by luck. So the model keeps the beam (`screen`), the clock ranks the
 * `finalists` that the model likes best, and the `width` best of those are measured once more, beside the code as it was: the best
 * is the one with the least ratio in this second measurement whose ratio is below 1 by more than its spread (the distance between
 * the quartiles over the repetitions). Where none is, the code as it was stays the best: what the noise hides is no gain. Of equal
 * ratios the lesser id wins. Without `screen` the clock judges every candidate, and the ending is the same.
 */

import { type Feature, schedulePolicies, type Weights } from "../sched/index.js";
import { type ExecuteOptions, execute, keyOf, signalOf } from "./executor.js";
import { model, type Objective, scoreOf } from "./objective.js";
import { featureWeights } from "./orders.js";
import { cellProgress } from "./progress.js";
import { hash32, unit } from "./random.js";
import { shownSearch } from "./shown.js";
import { keepThreads } from "./threads.js";
import type { Move, Point, Row, SweepInput } from "./types.js";

/** How orders are searched for. */
export interface SearchOptions extends ExecuteOptions {
  /** Seed of all random choices: the same seed, the same search. */
  readonly seed: number;
  /** Rounds of the beam. */
  readonly steps: number;
  /** Ends the rounds after so many that found nothing better. Default: none ends them. */
  readonly patience?: number;
  /** Ends the rounds after the one in which so many seconds have passed. */
  readonly seconds?: number;
  /** Orders kept from step to step. Default 3. */
  readonly width?: number;
  /** Orders tried from each. Default 12. */
  readonly children?: number;
  /** Policies to start from. Default: all. */
  readonly policies?: readonly string[];
  /**
   * Where the objective is another than the timing model: whether the model keeps the beam, and the objective judges the finalists
   * alone. A question to a clock takes milliseconds to seconds, and one code at a time. Default true.
   */
  readonly screen?: boolean;
  /** Codes that the objective judges after the model. Default 16. */
  readonly finalists?: number;
}

/** What a search found. */
export interface SearchResult {
  /** The cubin as it was. */
  readonly start: Row;
  /** The best found, by its second measurement where the objective measures; `start` when nothing is better. */
  readonly best: Row;
  /** Best score (cycles, or ratio to the start) after each step by the judge of the steps, the first the start. */
  readonly history: readonly number[];
  /** Everything that was tried, in order; what both model and objective judged has a row of each. */
  readonly rows: readonly Row[];
  /** Second measurements, the start first; none under the model. */
  readonly second: readonly Row[];
}

/** Safe, right, and with a figure. */
const good = (r: Row): boolean =>
  r.outcome === "ok" && r.results === "as expected" && r.hazards === 0 && scoreOf(r) !== null;

const order = (a: Row, b: Row): number => scoreOf(a)! - scoreOf(b)! || (a.id < b.id ? -1 : 1);

/**
 * `input` must name a cubin and a launch file with expectations. Throws when the cubin itself does not run as expected, and when
 * the objective cannot judge here.
 */
export async function search(input: SweepInput, options: SearchOptions): Promise<SearchResult> {
  if (options.pool !== undefined || options.threads === 0) return shownSearch(await searched(input, options));
  const pool = keepThreads(options.threads);
  try {
    return shownSearch(await searched(input, { ...options, pool }));
  } finally {
    await pool.end();
  }
}

async function searched(input: SweepInput, options: SearchOptions): Promise<SearchResult> {
  const { seed, steps, width = 3, children = 12, objective = model, finalists = 16 } = options;
  const { patience = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY } = options;
  const started = performance.now();
  const screened = objective !== model && options.screen !== false;
  const signal = signalOf(options);
  // Before the model is asked for all candidates.
  await keyOf(objective);
  const at = (moves: readonly Move[] | null): Point => ({
    input,
    target: "",
    level: 0,
    maxRegisters: 0,
    knobs: {},
    moves,
  });
  const again = (r: Row): Point => at(JSON.parse(r.moves));
  const policies = options.policies ?? schedulePolicies.map((p) => p.name);
  const first = [[], [{ hoist: "loads" }], [{ hoist: "all" }]] as const;
  const total = 1 + first.length * (1 + policies.length) + steps * width * children;
  const progress = cellProgress(options, `Search ${input.name ?? input.cubin}`, "orders", total);
  const onRow: ExecuteOptions["onRow"] = (row, index) => {
    progress?.add();
    options.onRow?.(row, index);
  };
  const judged = async (points: readonly Point[], by: Objective): Promise<Row[]> =>
    (await execute(points, { ...options, onRow, objective: by, ...(signal && { signal }) })).filter((r) => r !== null);
  const rows: Row[] = [];
  const tried = new Map<string, Row>();
  const run = async (points: readonly Point[]): Promise<Row[]> => {
    const found = await judged(points, screened ? model : objective);
    rows.push(...found);
    return found.filter((r) => good(r) && !tried.has(r.cubinHash) && tried.set(r.cubinHash, r));
  };
  let beam = await run([
    at(null),
    ...first.flatMap((moves) => [at(moves), ...policies.map((policy) => at([...moves, { policy }]))]),
  ]);
  const start = startOf(rows, input);
  let best = [...beam].sort(order)[0]!;
  const history = [scoreOf(start)!, scoreOf(best)!];
  for (let step = 0; step < steps && !signal?.aborted; step++) {
    beam = beam.sort(order).slice(0, width);
    const next = beam.flatMap((row, k) => {
      const moves = (JSON.parse(row.moves) as readonly Move[] | null) ?? [];
      return Array.from({ length: children }, (_, c) => at([...moves, moveOf(hash32(seed, step, k, c), c, policies)]));
    });
    beam = [...beam, ...(await run(next))];
    best = [best, ...beam].sort(order)[0]!;
    history.push(scoreOf(best)!);
    const before = history.at(-1 - patience);
    if (step + 1 >= patience && before !== undefined && before <= scoreOf(best)!) break;
    if (performance.now() - started >= 1000 * seconds) break;
  }
  progress?.end();
  if (objective === model) return { start, best, history, rows, second: [] };
  let ranked = [...tried.values()].filter((r) => r !== start).sort(order);
  let measured = start;
  if (screened && !signal?.aborted) {
    const first = await judged([at(null), ...ranked.slice(0, finalists).map(again)], objective);
    rows.push(...first);
    if (!signal?.aborted) measured = startOf(first, input);
    ranked = first.slice(1).filter(good).sort(order);
  }
  if (signal?.aborted) return { start: measured, best: measured, history, rows, second: [] };
  const second = await judged([at(null), ...ranked.slice(0, width).map(again)], objective);
  return { start: measured, best: winnerOf(second) ?? measured, history, rows, second };
}

/** The code as it was, which comes first. */
function startOf([start]: readonly Row[], input: SweepInput): Row {
  if (start !== undefined && good(start)) return start;
  throw new Error(`${input.cubin}: ${start?.outcome ?? "aborted"}, results ${start?.results ?? "not run"}`);
}

/** The best of measurements that beats the start, the first of them, by more than its spread; null for none. */
function winnerOf([start, ...others]: readonly Row[]): Row | null {
  // Who measures without a base says times, which are held against the start's.
  const over = (r: Row): number => r.ratio ?? r.median! / (start?.median ?? r.median!);
  return others.filter((r) => good(r) && over(r) < 1 - (r.spread ?? 0)).sort(order)[0] ?? null;
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

/** Sizes by chance; about half of the features are left out. */
function weightsOf(seed: number): Weights {
  const weights: Partial<Record<Feature, number>> = { ahead: 1 };
  featureWeights.forEach(([feature, size], k) => {
    if (unit(seed, 10 + k) < 0.5) weights[feature] = Math.round(200 * size * unit(seed, 30 + k)) / 100;
  });
  return weights;
}
