/**
 * Which physical registers are taken at which program points: one bit per register and point. This is the hard-conflict
 * set of the fatpoint scan; it is asked per value, so registers are shared wherever ranges do not meet (wiki page 33).
 */
import type { Ranges } from "./ranges.js";

export class Occupancy {
  private readonly ranges: Ranges;
  private readonly words: number;
  /** Rows of the registers that were taken at some time, and of those below them. */
  private bits: Uint32Array;
  private rows = 16;

  constructor(ranges: Ranges) {
    this.ranges = ranges;
    this.words = (ranges.points + 31) >>> 5;
    this.bits = new Uint32Array(this.words * this.rows);
  }

  /** No point of the unit's range is taken in the register. */
  isFree(register: number, unit: number): boolean {
    if (register >= this.rows) return true;
    const { start, segments } = this.ranges;
    const row = register * this.words;
    const end = start[unit + 1] as number;
    for (let s = start[unit] as number; s < end; s++) {
      if (this.meets(row, segments[2 * s] as number, segments[2 * s + 1] as number)) return false;
    }
    return true;
  }

  take(register: number, unit: number): void {
    if (register >= this.rows) {
      this.rows = Math.max(register + 1, 2 * this.rows);
      const bits = new Uint32Array(this.words * this.rows);
      bits.set(this.bits);
      this.bits = bits;
    }
    this.paint(register, unit, true);
  }

  release(register: number, unit: number): void {
    this.paint(register, unit, false);
  }

  private meets(row: number, from: number, to: number): boolean {
    const { bits } = this;
    const first = from >>> 5;
    const last = to >>> 5;
    const head = -1 << (from & 31);
    const tail = -1 >>> (31 - (to & 31));
    if (first === last) return ((bits[row + first] as number) & head & tail) !== 0;
    if (((bits[row + first] as number) & head) !== 0) return true;
    for (let w = first + 1; w < last; w++) if (bits[row + w] !== 0) return true;
    return ((bits[row + last] as number) & tail) !== 0;
  }

  private paint(register: number, unit: number, on: boolean): void {
    const { start, segments } = this.ranges;
    const row = register * this.words;
    for (let s = start[unit] as number; s < (start[unit + 1] as number); s++) {
      const from = segments[2 * s] as number;
      const to = segments[2 * s + 1] as number;
      for (let w = from >>> 5; w <= to >>> 5; w++) {
        let mask = -1;
        if (w === from >>> 5) mask &= -1 << (from & 31);
        if (w === to >>> 5) mask &= -1 >>> (31 - (to & 31));
        const old = this.bits[row + w] as number;
        this.bits[row + w] = on ? old | mask : old & ~mask;
      }
    }
  }
}

/** Ranges of two units have a point in common. */
export function overlap(ranges: Ranges, a: number, b: number): boolean {
  const { start, segments } = ranges;
  let i = start[a] as number;
  let j = start[b] as number;
  const iEnd = start[a + 1] as number;
  const jEnd = start[b + 1] as number;
  while (i < iEnd && j < jEnd) {
    if ((segments[2 * i + 1] as number) < (segments[2 * j] as number)) i++;
    else if ((segments[2 * j + 1] as number) < (segments[2 * i] as number)) j++;
    else return true;
  }
  return false;
}
