/** What an SM keeps of warps, blocks and sub-cores while it plays them back. */

import type { WarpTrace } from "../sim/trace.js";
import { BANKS, SLOTS, type TimedCode } from "./code.js";
import type { SubCoreFront } from "./front.js";

export const SCOREBOARDS = 6;

/**
 * Times begin as fractions: engines store a property that holds integers first and fractions later in two ways, and drop what they compiled for the first.
 */
const ZERO = -0;
const UNKNOWN = -0.5;

/** A warp on its way through its trace. */
export class WarpState {
  at = 0;
  /** Stall count: may not issue before. */
  next: number = ZERO;
  /** Why: the stall of a jump is the branch's. */
  jumped = false;
  issuedAt: number = ZERO;
  /** Cycle from which it may issue as far as itself says (units may be busy); below zero: not known. */
  own: number = UNKNOWN;
  /** Waits at a CTA barrier. */
  blocked = false;
  /** When the barrier let it go. */
  released: number = ZERO;
  /** Scoreboards: when the count is zero; the operations in flight, for DEPBAR.LE; what the last to end is. */
  readonly zero: Float64Array = new Float64Array(SCOREBOARDS);
  readonly isLong: Uint8Array = new Uint8Array(SCOREBOARDS);
  readonly under: number[][] = Array.from({ length: SCOREBOARDS }, () => []);
  /** When the next instruction is fetched. */
  fetched: number = ZERO;
  /** When the constant operand is there that was missing, and for which instruction of the trace. */
  constant: number = ZERO;
  served = -1;
  depbar: number = ZERO;
  /** When the groups of products that were closed end, the open one, and when the wait for them ends. */
  readonly groups: number[] = [];
  open: number = ZERO;
  gmma: number = ZERO;
  /** When the copies so far are done. */
  copies: number = ZERO;
  /** Scoreboard of the wait for a phase that holds the warp. */
  phaseSb: number = SCOREBOARDS + 1;

  constructor(
    readonly trace: WarpTrace,
    readonly cta: CtaState,
    readonly age: number,
  ) {}

  get pc(): number {
    return this.trace.pcs.data[this.at]!;
  }
}

/** A block on the SM. */
export class CtaState {
  live = 0;
  readonly warps: WarpState[] = [];
  readonly waiting: WarpState[][] = Array.from({ length: 16 }, () => []);
  readonly arrivedOnly: Int32Array = new Int32Array(16);
  constructor(readonly number: number) {}
}

/** A sub-core and what it is waiting for. */
export class SubCore {
  readonly warps: WarpState[] = [];
  last: WarpState | null = null;
  /** Cycle of its next issue as last computed; below zero when something changed since. */
  next: number = UNKNOWN;
  /** May issue again; the last instruction held up the ones after it until here. */
  free: number = ZERO;
  held: number = ZERO;
  readonly pipeFree: Float64Array;
  /** When the tensor core is done with the products of warp groups that it has been given. */
  tensorFree: number = ZERO;
  readonly bankFree: Float64Array = new Float64Array(BANKS);
  /** Reuse cache: register by slot and bank, and whose. */
  readonly kept: Int16Array = new Int16Array(SLOTS * BANKS).fill(-1);
  keeper: WarpState | null = null;
  private readonly need = new Int32Array(BANKS);

  constructor(
    readonly index: number,
    pipes: number,
    readonly front: SubCoreFront,
  ) {
    this.pipeFree = new Float64Array(pipes);
  }

  /**
   * Cycles for which operand reads of a fixed-latency instruction hold up the ones after it: each bank gives one
   * register per cycle, all operands are read within three cycles [M].
   */
  registerPorts(code: TimedCode, w: WarpState, pc: number, t: number): number {
    const { operands, reuse } = code;
    if (this.keeper !== w) {
      this.kept.fill(-1);
      this.keeper = w;
    }
    const { need } = this;
    need.fill(0);
    for (let slot = 0; slot < SLOTS; slot++) {
      const r = operands[SLOTS * pc + slot]!;
      if (r < 0) continue;
      const bank = r & 1;
      const entry = SLOTS * bank + slot;
      if (this.kept[entry] !== r) need[bank]!++;
      this.kept[entry] = (reuse[pc]! >> slot) & 1 ? r : -1;
    }
    let bubble = 0;
    for (let b = 0; b < BANKS; b++) {
      if (need[b] === 0) continue;
      const end = Math.max(this.bankFree[b]!, t) + need[b]!;
      bubble = Math.max(bubble, end - (t + SLOTS));
      this.bankFree[b] = end;
    }
    return bubble;
  }
}
