/**
 * Phases of barriers in shared memory under numbers of their own (../sim/phase-names.ts): in the model a wait ends when all
 * operations of its phase that were recorded have been done.
 */
import type { Accesses, WarpTrace } from "../sim/trace.js";
import type { WarpState } from "./warps.js";

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

  /** An operation is done at `time`; those whose wait has ended by it, and when, or null. */
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
