/**
 * Phases of barriers in shared memory (mbarrier.ts) under numbers of their own: which phase an operation of the functional run belongs to.
 */
import { LANES, type Warp } from "./state.js";

interface Named {
  parity: number;
  current: number;
  before: number;
}

/** Gives phases their numbers while a launch runs. */
export class PhaseNames {
  private readonly barriers = new Map<number, Named>();
  private count = 0;

  /** The phase that the barrier at a shared address is in; −1 where its block is not recorded. */
  current(w: Warp, address: number): number {
    return this.find(w, address)?.current ?? -1;
  }

  /** The phase that a wait for the end of one of this parity means. */
  waited(w: Warp, address: number, parity: number): number {
    const found = this.find(w, address);
    return found === null ? -1 : found.parity === parity ? found.current : found.before;
  }

  private find(w: Warp, address: number): Named | null {
    const cta = w.cta.cluster.ctas[address >>> 24];
    const block = cta?.warps[0]?.trace?.block;
    const at = address & 0xffffff;
    if (cta === undefined || block === undefined || at % 8 !== 0 || at + 8 > cta.shared.size) return null;
    const parity = cta.shared.words[(at >> 2) + 1]! >>> 31;
    const key = block * 0x1000000 + at;
    let known = this.barriers.get(key);
    if (known === undefined) {
      known = { parity, current: this.count++, before: -1 };
      this.barriers.set(key, known);
    } else if (known.parity !== parity) {
      known.before = known.current;
      known.current = this.count++;
      known.parity = parity;
    }
    return known;
  }
}

/** The first lane of a mask. */
export function firstLane(mask: number): number {
  return mask === 0 ? LANES : 31 - Math.clz32(mask & -mask);
}
