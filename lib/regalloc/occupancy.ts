/**
 * Which physical registers are taken at which program points: one bit per register and point. This is the hard-conflict
 * set of the fatpoint scan; it is asked per value, so registers are shared wherever ranges do not meet (wiki page 33).
 */
import type { Ranges } from "./ranges.js";

export class Occupancy {
  private readonly ranges: Ranges;
  private readonly words: number;
  private readonly bits: Uint32Array;

  constructor(ranges: Ranges, registers: number) {
    this.ranges = ranges;
    this.words = (ranges.points + 31) >>> 5;
    this.bits = new Uint32Array(this.words * registers);
  }

  /** No point of the unit's range is taken in the register. */
  isFree(register: number, unit: number): boolean {
    const { start, segments } = this.ranges;
    const row = register * this.words;
    const end = start[unit + 1] as number;
    for (let s = start[unit] as number; s < end; s++) {
      if (this.meets(row, segments[2 * s] as number, segments[2 * s + 1] as number)) return false;
    }
    return true;
  }

  take(register: number, unit: number): void {
    this.paint(register, unit, true);
  }

  release(register: number, unit: number): void {
    this.paint(register, unit, false);
  }

  private meets(row: number, from: number, to: number): boolean {
    const first = from >>> 5;
    const last = to >>> 5;
    const head = -1 << (from & 31);
    const tail = -1 >>> (31 - (to & 31));
    if (first === last) return ((this.bits[row + first] as number) & head & tail) !== 0;
    if (((this.bits[row + first] as number) & head) !== 0) return true;
    for (let w = first + 1; w < last; w++) if (this.bits[row + w] !== 0) return true;
    return ((this.bits[row + last] as number) & tail) !== 0;
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
