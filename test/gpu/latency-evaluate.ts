/** What latency.py measured, against the distances that our tables ask. */
import type { Entry } from "./latency-pairs.js";

/** Per variant: turns that were wrong, threads of the warp that were. */
interface Condition {
  readonly wrong: readonly number[];
  readonly lanes: readonly number[];
  readonly turns: number;
}

interface Result {
  readonly i: number;
  readonly alone: Condition;
  readonly busy: Condition;
}

export interface Measurement {
  readonly date: string;
  readonly card: string;
  readonly driver: number;
  readonly errors: Readonly<{ [kernel: string]: string }>;
  readonly results: readonly Result[];
}

/** Least distance from which on every turn was right; one more than the largest tried where none was. */
function least(entry: Entry, c: Condition): number {
  let n = entry.distances.at(-1)! + 1;
  for (let v = entry.distances.length - 1; v >= 0 && entry.distances[v]! > 0 && c.wrong[v] === 0; v--)
    n = entry.distances[v]!;
  return n;
}

/** A pair of instructions that was measured, cycles. */
export interface Row {
  readonly entry: Entry;
  /** Least distance at which every turn was right, with one warp on the SM and with sixteen. */
  readonly alone: number;
  readonly busy: number;
}

export interface Evaluation {
  readonly rows: readonly Row[];
  /** Pairs that say nothing, and why. */
  readonly dropped: readonly string[];
  /** Pairs for which the machine needs more than the table asks. */
  readonly below: readonly Row[];
}

export const nameOf = (e: Entry): string => `${e.kind} ${e.file} ${e.later} ${e.earlier}: ${e.first} | ${e.second}`;

export function evaluate(entries: readonly Entry[], measured: Measurement): Evaluation {
  const rows: Row[] = [];
  const dropped: string[] = [];
  for (const r of measured.results) {
    const entry = entries[r.i]!;
    if (r.alone.wrong[0] !== 0 || r.busy.wrong[0] !== 0) dropped.push(`not steady: ${nameOf(entry)}`);
    else if (r.alone.wrong[1] !== r.alone.turns) dropped.push(`an error would not show: ${nameOf(entry)}`);
    else rows.push({ entry, alone: least(entry, r.alone), busy: least(entry, r.busy) });
  }
  // Operands that are read late have no distance in the tables.
  const below = rows.filter((r) => r.entry.kind !== "late" && Math.max(r.alone, r.busy) > r.entry.table);
  return { rows, dropped, below };
}

/** Per kind and file: how many cells have which excess of the table over the machine, cycles. */
export function excess(rows: readonly Row[]): Map<string, number> {
  const cells = new Map<string, { readonly table: number; readonly machine: number }>();
  for (const { entry: e, alone, busy } of rows) {
    const key = [e.kind, e.file, e.later, e.earlier].join(" ");
    const { table, machine } = cells.get(key) ?? { table: 0, machine: 0 };
    cells.set(key, { table: Math.max(table, e.table), machine: Math.max(machine, alone, busy) });
  }
  const out = new Map<string, number>();
  for (const [key, c] of cells) {
    const what = `${key.split(" ").slice(0, 2).join(" ")} ${c.table - c.machine}`;
    out.set(what, (out.get(what) ?? 0) + 1);
  }
  return out;
}

/** The rows as a table with date and card. */
export function csv(rows: readonly Row[], m: Measurement): string {
  const head = [
    `# ${m.date}, ${m.card}, driver ${m.driver}. Cycles; alone, busy: least distance at which every turn was right, with one warp and with sixteen.`,
    "# late: no cell of a table; from when on an operand that is read late may be overwritten without a scoreboard.",
    "kind,file,later,earlier,table,alone,busy,first,second",
  ];
  const body = rows.map(({ entry: e, alone, busy }) =>
    [e.kind, e.file, e.later, e.earlier, e.table, alone, busy, `"${e.first}"`, `"${e.second}"`].join(","),
  );
  return `${[...head, ...body].join("\n")}\n`;
}
