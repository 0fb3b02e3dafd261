/** Derives random cells again, from chain kernels of another seed than those the tables were written from. */
import { dependences, type FileName, fileNames, latencyTables } from "../../lib/target/latency/index.js";
import { type CellSeen, Cells } from "./cells.js";
import { Random } from "./random.js";
import { fromChains } from "./sources.js";

export interface CheckOptions {
  readonly cells: number;
  readonly seed: number;
  readonly modules: number;
  readonly progress: (done: number, of: number) => void;
}

export interface Checked {
  /** Cells looked at, of those that the new kernels show at all. */
  readonly cells: number;
  /** Least distance seen is the cell's. */
  readonly equal: number;
  /** Never seen as near as the cell says, without a stall that only this dependence explains. */
  readonly notReached: number;
  /** One line per cell that the new kernels contradict. */
  readonly contradictions: readonly string[];
}

/** Neighbours with nothing else as the reason that make a larger distance a fact. */
const SURE = 8;

export function derive(sm: number, { cells: wanted, seed, modules, progress }: CheckOptions): Checked {
  const fresh = new Cells(sm);
  // Another seed than `observe` takes for any SM.
  fresh.add(fromChains(sm, { modules, seed: 100_000 + seed, progress }).pairs, "chain");
  const known: { id: string; value: number; seen: CellSeen }[] = [];
  for (const file of fileNames)
    for (const kind of dependences) {
      const t = latencyTables(sm).table(file, kind);
      for (const [r, row] of t.rows.entries())
        for (const [c, column] of t.columns.entries()) {
          const id = `${kind} ${file as FileName} ${column} ${row}`;
          const seen = fresh.cells.get(id);
          if (seen) known.push({ id, value: t.cells[r * t.columns.length + c]!, seen });
        }
    }
  const random = new Random(seed);
  const picked = known
    .map((k) => ({ k, order: random.below(1 << 20) }))
    .sort((a, b) => a.order - b.order)
    .slice(0, wanted)
    .map(({ k }) => k);
  const contradictions: string[] = [];
  let equal = 0;
  let notReached = 0;
  for (const { id, value, seen } of picked) {
    if (seen.min === value) equal++;
    else if (seen.min < value) contradictions.push(`${id}: table ${value}, seen ${seen.min} (${seen.n} times)`);
    else if (seen.tight >= SURE)
      contradictions.push(`${id}: table ${value}, ${seen.tight} neighbours at ${seen.min} and none nearer`);
    else notReached++;
  }
  return { cells: picked.length, equal, notReached, contradictions };
}

export function check(sm: number, options: CheckOptions): void {
  const c = derive(sm, options);
  const agree = c.cells - c.contradictions.length;
  console.log(
    `sm_${sm}: ${c.cells} cells derived again, ${((100 * agree) / Math.max(1, c.cells)).toFixed(1)} % agree ` +
      `(${c.equal} equal, ${c.notReached} bounded from above only), ${c.contradictions.length} contradicted`,
  );
  for (const line of c.contradictions) console.log(`  ${line}`);
}
