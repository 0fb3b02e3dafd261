/**
 * What is no longer pending: by scoreboards waited for, by counted waits, by an empty memory queue, and by what later instructions of
 * units that work in order tell.
 */
import { drained, keepsOrder } from "./order.js";
import type { Report } from "./report.js";
import { GROUP_SB, GROUP_UNIT, type Sites, UNITS } from "./sites.js";
import { isPending, PENDING_READ, PENDING_WRITE, type State } from "./state.js";

export class Waits {
  constructor(
    private readonly sites: Sites,
    private readonly state: State,
    private readonly found: Report,
  ) {}

  /** Everything that one of these scoreboards tells the end of is no longer pending. */
  wait(mask: number, now: number): void {
    const { state } = this;
    for (let u = 0; u < UNITS; u++) {
      let before = -1;
      for (let e = state.head[u]!; e >= 0; ) {
        const seen = now >= state.time[e]! ? state.mask[e]! : state.ripe[e]!;
        if (isPending(state.kind[e]!) && (seen & mask) !== 0) e = state.drop(u, before, e);
        else {
          before = e;
          e = state.next[e]!;
        }
      }
    }
  }

  /**
   * DEPBAR.LE sb, n: what has n followers in its order on the same scoreboard is no longer pending, and groups of copies are waited for
   * if they count there. The same for groups of products, with what they read.
   */
  counted(i: number, reporting: boolean): void {
    const { sites, state } = this;
    const sb = sites.counted[i]!;
    const n = sites.countedTo[i]!;
    for (let u = 0; u < GROUP_UNIT; u++) {
      let before = -1;
      for (let e = state.head[u]!; e >= 0; ) {
        const over = state.kind[e] === PENDING_WRITE || (sb === 1 << GROUP_SB && state.kind[e] === PENDING_READ);
        if (over && state.mask[e] === sb && state.followers[e]! >= n) e = state.drop(u, before, e);
        else {
          before = e;
          e = state.next[e]!;
        }
      }
    }
    if (!reporting || sb === 1 << GROUP_SB) return;
    // ptxas lets it follow the LDGDEPBAR one cycle after: both go through the memory queue.
    for (let e = state.head[GROUP_UNIT]!; e >= 0; e = state.next[e]!)
      if ((state.mask[e]! & sites.counted[i]!) === 0) this.found.group(i, state, e);
  }

  /** All memory instructions have read their operands. */
  drain(): void {
    const { state } = this;
    for (let u = 0; u < 256; u++) {
      let before = -1;
      for (let e = state.head[u]!; e >= 0; ) {
        if (state.kind[e] === PENDING_READ && drained(state.order[e]!)) e = state.drop(u, before, e);
        else {
          before = e;
          e = state.next[e]!;
        }
      }
    }
  }

  /** Units that work in order: what tells the end of this one tells that of those before it. */
  coverEarlier(order: number, result: number, any: number, i: number): void {
    const { sites, state } = this;
    for (let u = 0; u < UNITS; u++) {
      for (let e = state.head[u]!; e >= 0; e = state.next[e]!) {
        const kind = state.kind[e]!;
        const sb = kind === PENDING_READ ? any : kind === PENDING_WRITE ? result : 0;
        if (sb === 0 || !keepsOrder(state.order[e]!, order, kind === PENDING_READ)) continue;
        if (kind === PENDING_WRITE && state.mask[e] === sb && state.followers[e]! < 3)
          state.followers[e] = state.followers[e]! + 1;
        // The earliest wait is one cycle away.
        if (state.now + 1 >= state.time[e]!) state.ripe[e] = state.mask[e]!;
        state.mask[e] = state.mask[e]! | sb;
        state.time[e] = state.now + sites.ripe[i]!;
      }
    }
  }
}
