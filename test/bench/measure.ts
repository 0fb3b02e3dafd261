export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** One line of a table: first cell to the left, the others to the right. */
export function row(cells: readonly string[]): void {
  console.log(cells.map((c, i) => (i === 0 ? c.padEnd(16) : ` ${c}`.padStart(9))).join(""));
}

/** Runs per second of processor time, warmed up: on a shared machine the time that others take does not count. */
export function perSecond(body: () => void, seconds = 0.5): number {
  const used = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  for (const start = used(); used() - start < seconds; ) body();
  const start = used();
  let runs = 0;
  for (; used() - start < seconds; runs++) body();
  return runs / (used() - start);
}
