/** Summaries of repeated measurements. */

/** The value that the share `q` of the list lies below, between its neighbours where it falls between two. */
export function quantile(list: readonly number[], q: number): number {
  const sorted = [...list].sort((a, b) => a - b);
  const at = q * (sorted.length - 1);
  const low = sorted[Math.floor(at)]!;
  return low + (sorted[Math.ceil(at)]! - low) * (at - Math.floor(at));
}

export const median = (list: readonly number[]): number => quantile(list, 0.5);

/** Between the quartiles. */
export const spread = (list: readonly number[]): number => quantile(list, 0.75) - quantile(list, 0.25);
