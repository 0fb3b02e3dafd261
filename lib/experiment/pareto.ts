/** Rows that no other row beats in everything. */

/** A figure of a row, and whether less or more of it is better. */
export interface Aim<R> {
  /** Name of the figure. */
  readonly name: string;
  /** Null: the row has none and is on no front. */
  readonly of: (row: R) => number | null;
  /** Whether less or more of it is better. */
  readonly want: "less" | "more";
}

/** Whether a is nowhere worse than b and somewhere better. */
const beats = (a: readonly number[], b: readonly number[]): boolean =>
  a.every((x, i) => x <= b[i]!) && a.some((x, i) => x < b[i]!);

/**
 * The rows that no other is better than in one aim without being worse in another, in their order. Of rows with the same figures all stay.
 */
export function paretoFront<R>(rows: readonly R[], aims: readonly Aim<R>[]): R[] {
  const points = rows.flatMap((row) => {
    const figures = aims.map(({ of, want }) => {
      const x = of(row);
      return x === null || want === "less" ? x : -x;
    });
    return figures.every((x) => x !== null) ? [{ row, figures: figures as number[] }] : [];
  });
  // What beats a point comes before it in this order, so that only the front so far need be asked.
  const order = points
    .map((p, i) => ({ ...p, i }))
    .sort((a, b) => a.figures.reduce((s, x, k) => s || x - b.figures[k]!, 0) || a.i - b.i);
  const front: typeof order = [];
  for (const p of order) if (!front.some((q) => beats(q.figures, p.figures))) front.push(p);
  return front.sort((a, b) => a.i - b.i).map((p) => p.row);
}
