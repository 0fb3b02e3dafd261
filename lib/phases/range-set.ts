/**
 * Ascending ranges that share no point, as a list to which others are added in no order: in chunks, so that one more costs
 * no walk over those that are there.
 */

/** Numbers in a chunk at most, two for each range. */
const MOST = 256;

export class RangeSet {
  /** Ranges in all. */
  size: number;
  /** `[from, to, from, to, …]` each, none empty. */
  private readonly chunks: number[][];

  /** The ranges `list[2 * start] … list[2 * end − 1]`. */
  constructor(list: Int32Array, start: number, end: number) {
    this.size = end - start;
    this.chunks = [];
    for (let k = 2 * start; k < 2 * end; k += MOST)
      this.chunks.push(Array.from(list.subarray(k, Math.min(k + MOST, 2 * end))));
  }

  /** Whether a range of the set shares a point with `from … to`. */
  meets(from: number, to: number): boolean {
    const chunk = this.chunks[this.chunkAt(from)];
    return chunk !== undefined && (chunk[2 * endingFrom(chunk, from)] as number) <= to;
  }

  /** Whether two sets share a point. */
  meetsAny(other: RangeSet): boolean {
    if (other.size > this.size) return other.meetsAny(this);
    for (const chunk of other.chunks)
      for (let k = 0; k < chunk.length; k += 2) if (this.meets(chunk[k] as number, chunk[k + 1] as number)) return true;
    return false;
  }

  /** Adds a range that meets none of the set. */
  add(from: number, to: number): void {
    this.size++;
    const { chunks } = this;
    if (chunks.length === 0) chunks.push([]);
    const at = Math.min(this.chunkAt(from), chunks.length - 1);
    const chunk = chunks[at] as number[];
    chunk.splice(2 * endingFrom(chunk, from), 0, from, to);
    if (chunk.length > MOST) chunks.splice(at + 1, 0, chunk.splice(MOST / 2));
  }

  /** Adds the ranges of a set that shares no point with this one; returns the set of both, which is one of the two. */
  join(other: RangeSet): RangeSet {
    if (other.size > this.size) return other.join(this);
    for (const chunk of other.chunks)
      for (let k = 0; k < chunk.length; k += 2) this.add(chunk[k] as number, chunk[k + 1] as number);
    return this;
  }

  /** The first chunk with a range that ends at `from` or later. */
  private chunkAt(from: number): number {
    const { chunks } = this;
    let [low, high] = [0, chunks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const chunk = chunks[middle] as number[];
      if ((chunk[chunk.length - 1] as number) < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The first range of the chunk that ends at `from` or later. */
function endingFrom(chunk: readonly number[], from: number): number {
  let [low, high] = [0, chunk.length >> 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chunk[2 * middle + 1] as number) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
