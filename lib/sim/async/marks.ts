/**
 * Which bytes of a block's shared memory operations in flight will read or write, counted in pieces of 16 bytes: nearly all accesses touch
 * none of them and are told so by one look; the others are compared with the operations' runs. Beside it what was written since the last
 * fence between the proxies (PTX ISA, "Proxies": the asynchronous one sees no write of the generic one without it).
 */
const PIECE = 4;

export class Marks {
  private readonly reads: Uint16Array;
  private readonly writes: Uint16Array;
  /** 1: written through the generic proxy and not fenced since. */
  private readonly unfenced: Uint8Array;
  private dirty = false;
  /** Runs that will be written, and were counted. */
  private writing = 0;

  /** `size`: bytes of shared memory. */
  constructor(size: number) {
    const pieces = (size >> PIECE) + 1;
    this.reads = new Uint16Array(pieces);
    this.writes = new Uint16Array(pieces);
    this.unfenced = new Uint8Array(pieces);
  }

  /** `by` 1: an operation begins, −1: it is done. */
  count(what: "reads" | "writes", at: number, size: number, by: number): void {
    const pieces = this[what];
    if (what === "writes") this.writing += by;
    for (let p = at >> PIECE; p <= (at + size - 1) >> PIECE; p++) pieces[p] = pieces[p]! + by;
  }

  /** May an operation in flight read (write) some of the bytes? */
  has(what: "reads" | "writes", at: number, size: number): boolean {
    const pieces = this[what];
    for (let p = at >> PIECE; p <= (at + size - 1) >> PIECE; p++) if (pieces[p] !== 0) return true;
    return false;
  }

  /** May everything be read by the asynchronous proxy? */
  get isFree(): boolean {
    return !this.dirty && this.writing === 0;
  }

  /** A write through the generic proxy. */
  wrote(at: number, size: number): void {
    this.dirty = true;
    this.unfenced.fill(1, at >> PIECE, ((at + size - 1) >> PIECE) + 1);
  }

  /** A fence between the proxies. Whoever makes it: the writes that it covers may be those of others that it has waited for. */
  fence(): void {
    if (!this.dirty) return;
    this.unfenced.fill(0);
    this.dirty = false;
  }

  /** First byte of those that no fence has handed over to the asynchronous proxy; −1: none. */
  firstUnfenced(at: number, size: number): number {
    if (!this.dirty) return -1;
    for (let p = at >> PIECE; p <= (at + size - 1) >> PIECE; p++)
      if (this.unfenced[p] !== 0) return Math.max(at, p << PIECE);
    return -1;
  }

  clear(): void {
    this.reads.fill(0);
    this.writes.fill(0);
    this.writing = 0;
    this.fence();
  }
}
