export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** One line of a table: first cell to the left, the others to the right. */
export function row(cells: readonly string[]): void {
  console.log(cells.map((c, i) => (i === 0 ? c.padEnd(16) : ` ${c}`.padStart(9))).join(""));
}
