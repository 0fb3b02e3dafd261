/** Which known name was probably meant: the smallest edit distance, ignoring case. */

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + same));
    }
    row = next;
  }
  return row[b.length] as number;
}

/**
 * Up to `count` names closest to `wanted`, best first, ties in the given order. Only names that share something count:
 * those at most a third as far away as the longer of the two is long, and those that contain `wanted`.
 */
export function nearest(wanted: string, names: readonly string[], count = 3): string[] {
  const w = wanted.toLowerCase();
  const scored = names.map((name, i) => {
    const n = name.toLowerCase();
    const d = w.length > 2 && n.includes(w) ? 1 : distance(w, n);
    return { name, i, d, limit: Math.max(w.length, n.length) / 3 };
  });
  return scored
    .filter((s) => s.d <= s.limit)
    .sort((a, b) => a.d - b.d || a.i - b.i)
    .slice(0, count)
    .map((s) => s.name);
}

/** ` (did you mean A, B or C?)`, or "" when nothing is near. */
export function suggestion(wanted: string, names: readonly string[]): string {
  const close = nearest(wanted, names);
  const last = close.pop();
  if (last === undefined) return "";
  return ` (did you mean ${close.length > 0 ? `${close.join(", ")} or ` : ""}${last}?)`;
}
