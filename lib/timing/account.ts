/** Where the warp-cycles go: what a warp waited for before each issue. */
import type { TimedCode } from "./code.js";
import type { MemorySystem } from "./memory.js";
import { type StallReason, stallReasons } from "./reasons.js";
import { SCOREBOARDS, type SubCore, type WarpState } from "./warps.js";

const indexOf = (reason: StallReason): number => stallReasons.indexOf(reason);
const WAIT: number = indexOf("wait");
const LONG: number = indexOf("long_scoreboard");
const SHORT: number = indexOf("short_scoreboard");
const BARRIER: number = indexOf("barrier");
const NO_INST: number = indexOf("no_instruction");
const IMC: number = indexOf("imc_miss");
const GMMA: number = indexOf("gmma");
const MATH: number = indexOf("math_pipe_throttle");
const MIO: number = indexOf("mio_throttle");
const LG: number = indexOf("lg_throttle");
const DISPATCH: number = indexOf("dispatch_stall");
const BRANCH: number = indexOf("branch_resolving");
const NOT_SELECTED: number = indexOf("not_selected");
const SELECTED: number = indexOf("selected");

export class StallAccount {
  /** Warp-cycles by reason and instruction: `reasons[reason][pc]`. */
  readonly reasons: readonly Float64Array[];
  /** The cycles from here to the issue at `end` of instruction `pc` are not shared out yet. */
  private from = 0;
  private end = 0;
  private pc = 0;

  constructor(
    private readonly code: TimedCode,
    private readonly memory: MemorySystem,
  ) {
    this.reasons = stallReasons.map(() => new Float64Array(code.count));
  }

  /** The cycle in which an instruction is issued. */
  selected(pc: number): void {
    this.reasons[SELECTED]![pc]!++;
  }

  /** Shares the cycles since the warp's last issue out among the reasons, in the order in which they ended. */
  waited(core: SubCore, w: WarpState, t: number): void {
    const { code, memory } = this;
    const pc = w.pc;
    this.pc = pc;
    this.from = w.issuedAt;
    this.end = t;
    this.until(w.next, w.jumped ? BRANCH : WAIT);
    this.until(w.released, BARRIER);
    this.until(w.fetched, NO_INST);
    const mask = code.wait[pc]!;
    for (let k = 0; k < SCOREBOARDS; k++) if ((mask >> k) & 1) this.until(w.zero[k]!, w.isLong[k] === 1 ? LONG : SHORT);
    this.until(w.depbar, LONG);
    this.until(w.gmma, GMMA);
    this.until(w.constant, IMC);
    this.until(core.pipeFree[code.pipe[pc]!]!, code.queued[pc] === 1 ? MIO : MATH);
    if (code.queued[pc] === 1) this.until(memory.room(core.index, this.from), code.long[pc] === 1 ? LG : MIO);
    if (core.held > this.from && core.last === w) this.until(core.held, DISPATCH);
    this.until(t, NOT_SELECTED);
  }

  private until(time: number, reason: number): void {
    const to = Math.min(time, this.end);
    if (to <= this.from) return;
    this.reasons[reason]![this.pc]! += to - this.from;
    this.from = to;
  }
}
