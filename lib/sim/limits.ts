/** What ends a launch that has not come to its end: a budget of instructions or of seconds, a signal, another thread, a trace that is full. */
import type { Launch } from "./launched.js";
import type { Warp } from "./state.js";
import type { FaultKind } from "./types.js";
import { loopText } from "./where.js";

export class Limits {
  /** When time has run out, in milliseconds of the host's clock. */
  private deadline: number = Number.POSITIVE_INFINITY;

  constructor(private readonly launch: Launch) {}

  /** The launch begins. */
  begin(): void {
    const { seconds } = this.launch;
    this.deadline = seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + 1000 * seconds;
  }

  /** Looks at the clock, the signal and other threads; `w` has just run. */
  look(w: Warp): void {
    if (w.machine.fault !== null) return;
    const { budget, seconds, share, signal } = this.launch;
    const end = share?.ended(w.machine.issued) ?? null;
    if (end === "stop") this.stop(w, "interrupted", "another thread has ended the launch");
    if (end === "budget") this.stop(w, "budget", `no end after ${budget} warp-instructions`);
    if (signal?.aborted) this.stop(w, "interrupted", "interrupted");
    else if (this.deadline !== Number.POSITIVE_INFINITY && performance.now() > this.deadline)
      this.stop(w, "budget", `no end after ${seconds} seconds`);
  }

  /** The turn of a warp has ended: are there instructions and room for what is recorded left? */
  afterTurn(w: Warp): void {
    const { machine } = w;
    const { budget, tracer } = this.launch;
    if (machine.issued > budget && machine.fault === null)
      this.stop(w, "budget", `no end after ${budget} warp-instructions`);
    if (w.trace !== null && tracer?.full && machine.fault === null)
      this.stop(w, "budget", `${tracer.bytes >>> 20} MiB have been recorded of the blocks to play back, and no end`);
  }

  /** Ends the launch at what a warp does. */
  private stop(last: Warp, kind: FaultKind, message: string): void {
    const w = last.active !== 0 ? last : (last.cta.warps.find((x) => x.live !== 0 && x.active !== 0) ?? last);
    const lanes = w.active !== 0 ? w.active : w.live !== 0 ? w.live : w.lanes;
    w.fault(kind, lanes, `${message}${loopText(this.launch.program, w.pc)}`);
  }
}
