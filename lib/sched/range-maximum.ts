/** Numbers in a row, to which ranges are added and of which ranges are asked for their maximum, both in logarithmic time. */
export class RangeMaximum {
  private readonly size: number;
  /** Greatest in each node's half, with what was added to the node itself and below it but not above. */
  private readonly most: Int32Array;
  private readonly added: Int32Array;

  constructor(row: Int32Array) {
    let size = 1;
    while (size < row.length) size *= 2;
    this.size = size;
    this.most = new Int32Array(2 * size);
    this.added = new Int32Array(2 * size);
    this.most.set(row, size);
    for (let i = size - 1; i > 0; i--) this.gather(i);
  }

  private gather(i: number): void {
    const { most, added } = this;
    most[i] = Math.max(most[2 * i] as number, most[2 * i + 1] as number) + (added[i] as number);
  }

  /** The greatest of all. */
  get all(): number {
    return this.most[1] as number;
  }

  /** Adds to the places from `from` up to, not including, `to`. */
  add(from: number, to: number, by: number): void {
    if (from < to) this.addTo(1, 0, this.size, from, to, by);
  }

  private addTo(i: number, low: number, high: number, from: number, to: number, by: number): void {
    const { most, added } = this;
    if (from <= low && high <= to) {
      most[i] = (most[i] as number) + by;
      added[i] = (added[i] as number) + by;
      return;
    }
    const middle = (low + high) >> 1;
    if (from < middle) this.addTo(2 * i, low, middle, from, to, by);
    if (to > middle) this.addTo(2 * i + 1, middle, high, from, to, by);
    this.gather(i);
  }

  /** The greatest of the places from `from` up to, not including, `to`; −∞ for none. */
  over(from: number, to: number): number {
    return from < to ? this.overIn(1, 0, this.size, from, to) : Number.NEGATIVE_INFINITY;
  }

  private overIn(i: number, low: number, high: number, from: number, to: number): number {
    if (from <= low && high <= to) return this.most[i] as number;
    const middle = (low + high) >> 1;
    let most = Number.NEGATIVE_INFINITY;
    if (from < middle) most = this.overIn(2 * i, low, middle, from, to);
    if (to > middle) most = Math.max(most, this.overIn(2 * i + 1, middle, high, from, to));
    return most + (this.added[i] as number);
  }
}
