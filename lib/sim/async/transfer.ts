/**
 * What an asynchronous operation moves: runs of bytes from one memory to another, or given bytes. Addresses are checked when the
 * instruction issues; sources are read and destinations written later, each at once.
 */
import { type AccessSpace, locate, place } from "../access.js";
import type { GlobalMemory } from "../memory.js";
import type { Cta, Warp } from "../state.js";

/** Where bytes are: shared memory of a block, or global memory (null). */
export type Memory = Cta | null;

/** Adds what was read to what is there: `to` and `from` begin at the same element. */
export type Combine = (to: Uint8Array, from: Uint8Array) => void;

/** Offset of a source that is all zeros. */
const ZEROS = -1;

export class Transfer {
  /** Runs: byte offsets of source (ZEROS: none) and destination, and how many bytes. */
  readonly from: number[] = [];
  readonly to: number[] = [];
  readonly size: number[] = [];
  /** Memory of the source; of the destination. */
  source: Memory = null;
  target: Memory = null;
  /** What was read; given from the start where there is no source. */
  data: Uint8Array | null = null;
  /** Null: the bytes are written. */
  combine: Combine | null = null;
  bytes: number = 0;

  /** A run; one that goes on where the last ends, in both memories, makes that longer. */
  add(from: number, to: number, size: number): void {
    const last = this.size.length - 1;
    this.bytes += size;
    if (last >= 0) {
      const n = this.size[last]!;
      const goesOn = from === ZEROS ? this.from[last] === ZEROS : this.from[last]! + n === from;
      if (goesOn && this.to[last]! + n === to && (this.from[last] !== ZEROS) === (from !== ZEROS)) {
        this.size[last] = n + size;
        return;
      }
    }
    this.from.push(from);
    this.to.push(to);
    this.size.push(size);
  }

  /** A run between addresses; `from` null: zeros. False: a fault is noted. */
  locate(
    w: Warp,
    lane: number,
    [fromSpace, from]: readonly [AccessSpace, number | null],
    [toSpace, to]: readonly [AccessSpace, number],
    size: number,
  ): boolean {
    let at = ZEROS;
    if (from !== null) {
      if (!locate(w, fromSpace, from, size, lane)) return false;
      at = place.at;
    }
    if (!locate(w, toSpace, to, size, lane)) return false;
    this.add(at, place.at, size);
    return true;
  }

  /** Reads the sources, if they have not been read. */
  read(global: GlobalMemory): void {
    if (this.data !== null) return;
    const data = new Uint8Array(this.bytes);
    const { bytes } = this.source === null ? global : this.source.shared;
    let at = 0;
    for (let i = 0; i < this.size.length; i++) {
      const from = this.from[i]!;
      if (from !== ZEROS) data.set(bytes.subarray(from, from + this.size[i]!), at);
      at += this.size[i]!;
    }
    this.data = data;
  }

  /** Writes what was read. */
  write(global: GlobalMemory): void {
    const { data } = this;
    const { bytes } = this.target === null ? global : this.target.shared;
    let at = 0;
    for (let i = 0; i < this.size.length; i++) {
      const [to, n] = [this.to[i]!, this.size[i]!];
      const run = data!.subarray(at, at + n);
      if (this.combine === null) bytes.set(run, to);
      else this.combine(bytes.subarray(to, to + n), run);
      at += n;
    }
  }

  /** Calls for each run of shared memory that is read, or written: offset, bytes. */
  eachRun(side: "from" | "to", body: (at: number, size: number) => void): void {
    const offsets = this[side];
    for (let i = 0; i < offsets.length; i++) if (offsets[i] !== ZEROS) body(offsets[i]!, this.size[i]!);
  }
}

/** The block whose shared memory an address of the shared window names. */
export function blockOf(w: Warp, address: number): Cta {
  return w.cta.cluster.ctas[(address >>> 24) & 0xff] ?? w.cta;
}
