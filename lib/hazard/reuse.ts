/**
 * The reuse cache: one operand per slot and bank (register number modulo two), kept by an instruction for the next one that
 * reads the slot and bank.
 */
import type { Report } from "./report.js";
import type { Sites } from "./sites.js";
import { REUSE_POSITIONS, REUSE_UNIT, REUSED, type State, sourceOf } from "./state.js";

export class ReuseCache {
  constructor(
    private readonly sites: Sites,
    private readonly state: State,
    private readonly found: Report,
  ) {}

  /** Operands from the reuse cache must not have been written since they were put there. */
  step(i: number, reporting: boolean): void {
    const { sites, state } = this;
    const passes = !this.collects(i);
    for (let s = 0; s < 4; s++) {
      const unit = sites.reuseUnit[4 * i + s]!;
      if (unit < 0) continue;
      for (let r = unit; r < unit + sites.reuseWidth[4 * i + s]!; r++) {
        const list = REUSE_UNIT + 2 * s + (r & 1);
        for (let e = state.head[list]!; e >= 0; e = state.next[e]!)
          if (state.mask[e] === 2 * r + 1 && reporting) this.found.reuse(i, state.source[e]!, r);
        if (passes) continue;
        while (state.head[list]! >= 0) state.drop(list, -1, state.head[list]!);
        if (((sites.reuseSet[i]! >> s) & 1) === 1) {
          const e = state.add(list, REUSED, sourceOf(i, s), 0, 0);
          state.mask[e] = 2 * r;
        }
      }
    }
    for (let k = sites.writeStart[i]!; k < sites.writeStart[i + 1]!; k++) {
      const u = sites.writeUnit[k]!;
      if (u < 256) this.makeStale(u);
    }
  }

  /**
   * Its operands go through the reuse cache. Those that are read late do not, but for double precision: on SMs that emulate
   * it ptxas keeps operands of one DMUL for the next (-O3, sm_75).
   */
  private collects(i: number): boolean {
    const { read, pipe } = this.sites.timing[i]!;
    return !read || pipe === "FP64";
  }

  private makeStale(u: number): void {
    const { state } = this;
    for (let p = 0; p < REUSE_POSITIONS; p++)
      for (let e = state.head[REUSE_UNIT + p]!; e >= 0; e = state.next[e]!)
        if (state.mask[e]! >> 1 === u) state.mask[e] = 2 * u + 1;
  }
}
