/**
 * Phases of barriers in shared memory (mbarrier.ts) under numbers of their own: the functional run says which phase an operation belongs to,
 * and in the model a wait ends when all operations of its phase that were recorded have been done.
 */
import { LANES, type Warp } from "../state.js";
import type { Accesses, WarpTrace } from "./trace.js";
import type { WarpState } from "./warps.js";

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

interface Phase {
  /** Operations that are still to come. */
  left: number;
  /** When the last of those that were done is. */
  time: number;
  readonly waiting: WarpState[];
}

/** What the model knows of phases while it plays blocks back. */
export class Phases {
  private readonly phases = new Map<number, Phase>();

  /** `arrives[pc]`: 1 where an instruction is an operation on its phase. */
  constructor(traces: readonly WarpTrace[], accesses: Accesses, arrives: Uint8Array) {
    if (!accesses.phases) return;
    for (const trace of traces)
      for (let k = 0; k < trace.pcs.length; k++) {
        if (arrives[trace.pcs.data[k]!] !== 1) continue;
        const access = trace.accesses.data[k]!;
        if (access >= 0) this.of(accesses.phase.data[access]!).left++;
      }
  }

  private of(id: number): Phase {
    let phase = this.phases.get(id);
    if (phase === undefined) {
      phase = { left: 0, time: 0, waiting: [] };
      this.phases.set(id, phase);
    }
    return phase;
  }

  /** An operation is done at `time`; those whose wait is over by it, and when, or null. */
  arrive(id: number, time: number): Phase | null {
    const phase = this.of(id);
    phase.left--;
    phase.time = Math.max(phase.time, time);
    return phase.left <= 0 && phase.waiting.length > 0 ? phase : null;
  }

  /** When a phase has ended; −1: not known yet, and the warp is put down as waiting. */
  wait(id: number, w: WarpState): number {
    const phase = this.of(id);
    if (phase.left <= 0) return phase.time;
    phase.waiting.push(w);
    return -1;
  }

  /** A phase with waiting warps whose operations do not come (those of blocks that are not played back); null: there is none. */
  stuck(): Phase | null {
    for (const phase of this.phases.values()) if (phase.waiting.length > 0) return phase;
    return null;
  }
}
