/** Derives random cells again, from kernels of another seed than those the tables were written from. */
import { dependences, fileNames, latencyTables } from "../../lib/isa/latency/index.js";
import type { Sm } from "../../lib/target/table.js";
import { type CellSeen, Cells } from "./cells.js";
import { contextLines } from "./context.js";
import { readExplained, readSights, readStated, sightText } from "./evidence.js";
import type { Place } from "./observations.js";
import { Random } from "./random.js";
import { type Cell, cellsOf } from "./rules.js";
import { observeSource } from "./sources.js";

export interface CheckOptions {
  readonly cells: number;
  readonly seed: number;
  /** Chain kernels in modules; directed ones, a few for every cell, where asked for. */
  readonly modules: number;
  readonly directed: boolean;
  readonly progress: (done: number, of: number) => void;
}

/** A cell that the new kernels contradict. */
export interface Contradiction {
  readonly id: string;
  readonly table: number;
  readonly seen: number;
  /** Which rule gave the table's value, and how the new kernels break it. */
  readonly reason: string;
  readonly places: readonly Place[];
}

export interface Checked {
  /** Cells that the new kernels show at all, of those of the SM. */
  readonly reached: number;
  readonly all: number;
  /** Cells looked at, of those reached. */
  readonly cells: number;
  /** Least distance seen is the cell's. */
  readonly equal: number;
  /** Never seen as near as the cell says, without stalls enough that only this dependence explains. */
  readonly notReached: number;
  readonly contradictions: readonly Contradiction[];
}

/** Contexts with nothing else as the reason that make a larger distance a fact. */
const SURE = 8;
/** Directed kernels of each cell. */
const TRIES = 3;
/** New kernels have seeds that `observe` takes for no SM. */
const SEEDS = 100_000;

export function derive(sm: Sm, { cells: wanted, seed, modules, directed, progress }: CheckOptions): Checked {
  const fresh = new Cells(sm);
  const stalls = new Map<string, Place | null>();
  for (const source of directed ? (["chain", "directed"] as const) : (["chain"] as const)) {
    const options = {
      modules: source === "chain" ? modules : TRIES,
      seed: SEEDS + seed,
      progress,
      folder: "",
      every: true,
    };
    const seen = observeSource(sm, source, options);
    fresh.add(seen.pairs, source);
    for (const [text, place] of seen.stalls) if (!stalls.has(text)) stalls.set(text, place);
  }
  fresh.explain(stalls, new Map());
  const known = tableCells(sm);
  const reached = known.flatMap(({ id, value }) => {
    const seen = fresh.cells.get(id);
    return seen ? [{ id, value, seen }] : [];
  });
  const random = new Random(seed);
  const picked = reached
    .map((k) => ({ k, order: random.below(1 << 20) }))
    .sort((a, b) => a.order - b.order)
    .slice(0, wanted)
    .map(({ k }) => k);
  const contradictions: Contradiction[] = [];
  let equal = 0;
  let notReached = 0;
  for (const { id, value, seen } of picked)
    if (seen.min === value) equal++;
    else if (seen.min < value || seen.tight >= SURE) contradictions.push(contradiction(sm, id, value, seen));
    else notReached++;
  return { reached: reached.length, all: known.length, cells: picked.length, equal, notReached, contradictions };
}

/** The cells that an SM has: pairs of ports that it has no dependence between stand as 0. */
function tableCells(sm: Sm): { readonly id: string; readonly value: number }[] {
  return fileNames.flatMap((file) =>
    dependences.flatMap((kind) => {
      const t = latencyTables(sm).table(file, kind);
      return t.rows.flatMap((row, r) =>
        t.columns.flatMap((column, c) => {
          const value = t.cells[r * t.columns.length + c]!;
          return value === 0 ? [] : [{ id: `${kind} ${file} ${column} ${row}`, value }];
        }),
      );
    }),
  );
}

function contradiction(sm: Sm, id: string, value: number, seen: CellSeen): Contradiction {
  const nearer = seen.min < value;
  const how = nearer
    ? `the new kernels leave ${seen.min} in ${seen.n} places or fewer`
    : `in ${seen.tight} contexts of the new kernels nothing else holds the later one back`;
  const places = nearer ? [seen.place, seen.stalls[0]] : [seen.stalls[0], seen.stalls[1]];
  const distinct = [...new Set(places)].filter((p) => p !== null && p !== undefined);
  return { id, table: value, seen: seen.min, reason: `${basis(cellOf(sm, id))}; ${how}`, places: distinct };
}

function cellOf(sm: Sm, id: string): Cell {
  const [kind, file, a, b] = id.split(" ");
  const table = cellsOf(
    { sights: readSights(), stated: readStated() },
    fileNames.find((f) => f === file)!,
    dependences.find((d) => d === kind)!,
  );
  return table.get(`${b} ${a}`)!.get(sm)!;
}

function basis({ status, seen }: Cell): string {
  const own = seen ? `least seen before ${sightText(seen)} (distance/contexts/in chains/all)` : "not seen before";
  switch (status) {
    case "tight":
      return `by contexts of stalls: ${own}`;
    case "bounded":
      return `the least distance seen: ${own}`;
    case "sibling":
      return `as on SMs of its generation: ${own}`;
    case "reached":
    case "published":
      return `NVIDIA's table for Mesa: ${own}`;
    case "class":
      return `by its class: ${own}`;
    case "stated":
      return `stated in evidence/stated.csv: ${own}`;
    default:
      return status satisfies never;
  }
}

/** Prints what the new kernels contradict, with the explanation of evidence/explained.csv; how many contradictions have none. */
export function check(sm: Sm, options: CheckOptions): number {
  const c = derive(sm, options);
  const explained = readExplained().get(sm)!;
  let open = 0;
  const agree = c.cells - c.contradictions.length;
  console.log(
    `sm_${sm}: ${c.cells} of ${c.reached} cells that the kernels reach (of ${c.all}) derived again, ` +
      `${((100 * agree) / Math.max(1, c.cells)).toFixed(1)} % agree ` +
      `(${c.equal} equal, ${c.notReached} bounded from above only), ${c.contradictions.length} contradicted`,
  );
  for (const { id, table, seen, reason, places } of c.contradictions) {
    console.log(`  ${id}: table ${table}, seen ${seen}: ${reason}`);
    const known = explained.get(id);
    if (known?.seen === seen) console.log(`    explained: ${known.because}`);
    else {
      open++;
      console.log("    NOT EXPLAINED");
    }
    for (const p of places) for (const line of contextLines(p)) console.log(`      ${line}`);
  }
  return open;
}
