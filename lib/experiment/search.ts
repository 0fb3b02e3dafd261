/**
 * Beam search over legal orders of a cubin's instructions. It starts from the code as it is and from every named policy;
 * each step changes the best orders at random places (a shuffle within the dependences) and keeps the best again. Every
 * candidate has new control words, passes the hazard checker, computes the expected results, and is judged by the timing
 * model. The same seed gives the same result, however many threads work.
 */
import { schedulePolicies } from "../sched/index.js";
import { type ExecuteOptions, execute } from "./executor.js";
import { hash32 } from "./random.js";
import type { Move, Point, Row, SweepInput } from "./types.js";

export interface SearchOptions extends ExecuteOptions {
  readonly seed: number;
  readonly steps: number;
  /** Orders kept from step to step. Default 3. */
  readonly width?: number;
  /** Orders tried from each. Default 6. */
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
  const { seed, steps, width = 3, children = 6 } = options;
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
    const found = (await execute(points, options)).filter((r) => r !== null);
    rows.push(...found);
    return found.filter((r) => good(r) && !tried.has(r.cubinHash) && tried.add(r.cubinHash));
  };
  const policies = options.policies ?? schedulePolicies.map((p) => p.name);
  let beam = await run([at(null), at([]), ...policies.map((policy) => at([{ policy }]))]);
  const start = rows[0];
  if (start === undefined || !good(start))
    throw new Error(`${input.cubin}: ${start?.outcome ?? "aborted"}, results ${start?.results}`);
  const order = (a: Row, b: Row): number => a.cycles! - b.cycles! || (a.id < b.id ? -1 : 1);
  let best = [...beam].sort(order)[0]!;
  const history = [start.cycles!, best.cycles!];
  for (let step = 0; step < steps && !options.signal?.aborted; step++) {
    beam = beam.sort(order).slice(0, width);
    const next = beam.flatMap((row, k) => {
      const moves = (JSON.parse(row.moves) as readonly Move[] | null) ?? [];
      return Array.from({ length: children }, (_, c) => at([...moves, shuffleOf(hash32(seed, step, k, c), c)]));
    });
    beam = [...beam, ...(await run(next))];
    best = [best, ...beam].sort(order)[0]!;
    history.push(best.cycles!);
  }
  return { start, best, history, rows };
}

/** Near and far, few blocks and many, in turn. */
function shuffleOf(seed: number, child: number): Move {
  const reaches = [2, 4, 8, 16];
  const shares = [1, 0.5, 0.25];
  return { shuffle: seed, reach: reaches[child % reaches.length]!, share: shares[child % shares.length]! };
}
