/**
 * Registers that live under one guard only. A guarded definition kills nothing by itself: where the guard is false the old contents live
 * on, and in a loop they would be live all the way round. But where every definition and every read of a register stands in one block under one
 * guard, which nothing changes between them, nobody can see those old contents:
 *
 *     @!P4 IADD3   R34, P2, R34, R7, RZ        P2 begins here,
 *     @!P4 IADD3.X R32, RZ, R32, R19, RZ, P2   and ends here
 *
 * Only on virtual registers: a physical one has many lives.
 */
import { ZERO_REG } from "../ori/types.js";
import type { Flat } from "./flat.js";
import { unitAt } from "./units.js";

/** What is known of a register: never met as such, always under one guard so far, or not so. */
const UNMET = 0;
const UNDER = 1;
const SEEN = 2;

type Columns = Omit<Flat, "defBegins">;

/** By definition of `flat`: 1 where it kills, or where nobody reads what was there before it. */
export function beginnings(flat: Columns): Uint8Array {
  if (!flat.units.virtual || !flat.defKills.includes(0)) return flat.defKills;
  const candidates = new Candidates(flat);
  candidates.walk();
  return candidates.begins();
}

class Candidates {
  /** 1 for units that some guarded definition writes: the only ones that are followed. */
  private readonly asked: Uint8Array;
  private readonly state: Uint8Array;
  private readonly block: Int32Array;
  /** Unit of the guard × 2, + 1 where it is negated. */
  private readonly guard: Int32Array;
  /** How often the guard had been written where the register was first. */
  private readonly version: Int32Array;
  /** How often each unit has been written so far. */
  private readonly written: Int32Array;

  constructor(private readonly flat: Columns) {
    const { count } = flat.units;
    this.asked = new Uint8Array(count);
    this.state = new Uint8Array(count);
    this.block = new Int32Array(count);
    this.guard = new Int32Array(count);
    this.version = new Int32Array(count);
    this.written = new Int32Array(count);
    for (let d = 0; d < flat.defUnit.length; d++) {
      if (flat.defKills[d] === 1) continue;
      const first = flat.defUnit[d] as number;
      this.asked.fill(1, first, first + (flat.defWidth[d] as number));
    }
  }

  walk(): void {
    const { flat, asked } = this;
    for (let i = 0; i < flat.insts.length; i++) {
      for (let k = flat.useStart[i] as number; k < (flat.useStart[i + 1] as number); k++) {
        const first = flat.useUnit[k] as number;
        for (let u = first; u < first + (flat.useWidth[k] as number); u++)
          if (asked[u] === 1 && (this.state[u] === UNMET || !this.same(u, i))) this.state[u] = SEEN;
      }
      for (let k = flat.defStart[i] as number; k < (flat.defStart[i + 1] as number); k++) {
        const first = flat.defUnit[k] as number;
        for (let u = first; u < first + (flat.defWidth[k] as number); u++) if (asked[u] === 1) this.define(u, i, k);
      }
      for (let k = flat.defStart[i] as number; k < (flat.defStart[i + 1] as number); k++) {
        const first = flat.defUnit[k] as number;
        for (let u = first; u < first + (flat.defWidth[k] as number); u++)
          this.written[u] = (this.written[u] as number) + 1;
      }
    }
  }

  begins(): Uint8Array {
    const { flat, state } = this;
    return flat.defKills.map((kills, d) => {
      if (kills === 1) return 1;
      const first = flat.defUnit[d] as number;
      for (let u = first; u < first + (flat.defWidth[d] as number); u++) if (state[u] !== UNDER) return 0;
      return 1;
    });
  }

  private define(u: number, i: number, definition: number): void {
    const guard = this.guardOf(i);
    const whole = (this.flat.defSlot[definition] as number) >= 0 && this.isWhole(i, definition);
    if (this.state[u] === SEEN) return;
    if (guard < 0 || !whole || (this.state[u] === UNDER && !this.same(u, i))) {
      this.state[u] = SEEN;
      return;
    }
    if (this.state[u] === UNDER) return;
    this.state[u] = UNDER;
    this.block[u] = this.flat.block[i] as number;
    this.guard[u] = guard;
    this.version[u] = this.written[guard >> 1] as number;
  }

  private isWhole(i: number, definition: number): boolean {
    const part = this.flat.insts[i]?.dsts[this.flat.defSlot[definition] as number]?.part ?? "";
    return !part.startsWith(".H") && !part.startsWith(".B");
  }

  /** Instruction `i` stands where the unit's first definition does, under the same guard. */
  private same(u: number, i: number): boolean {
    const guard = this.guardOf(i);
    if (guard < 0 || guard !== this.guard[u] || this.block[u] !== this.flat.block[i]) return false;
    return this.version[u] === this.written[guard >> 1];
  }

  private guardOf(i: number): number {
    const guard = this.flat.insts[i]?.guard ?? null;
    if (guard === null || guard.id === ZERO_REG) return -1;
    return 2 * unitAt(this.flat.units, guard.file, guard.id, 0) + (guard.not ? 1 : 0);
  }
}
