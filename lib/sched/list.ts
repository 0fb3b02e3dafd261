/**
 * The list scheduler: one core for every direction, mode and backend. It asks the ladder of the policy which of the
 * candidates comes next, places it, and tells whoever observes. A choice costs one look at each candidate within the
 * lookahead and as many rungs as it takes; with an observer the runner-up and the deciding rung are found as well.
 */

import { InternalError } from "../errors.js";
import { Candidate } from "./candidate.js";
import type { Dag } from "./dag.js";
import { BudgetGuard } from "./guard.js";
import type { SchedulePolicy } from "./policy.js";
import { type BlockContext, SchedState } from "./state.js";

/** One choice, valid while the observer runs. Nodes are positions in the block as it stood before scheduling. */
export interface Choice {
  /** The policy that chose. */
  readonly policy: SchedulePolicy;
  /** The order so far. */
  readonly state: SchedState;
  /** Block id, and how many instructions have been placed before. */
  readonly block: number;
  /** Instructions placed before. */
  readonly step: number;
  /** Next free issue cycle, counted in the direction of scheduling. */
  readonly cycle: number;
  /** Candidates in program order. */
  readonly ready: readonly number[];
  /** Node of the candidate that was chosen. */
  readonly winner: number;
  /** The candidate that would be next best, −1 when there was no other. */
  readonly runnerUp: number;
  /** The rung that told the two apart; "only candidate", or "program order" (that which the pass starts from) when none did. */
  readonly why: string;
  /** What every rung says of every candidate: row per entry of `ready`, column per rung. */
  scores(): number[][];
}

/** Called with every choice of the scheduler. */
export type ObserveChoice = (choice: Choice) => void;

export const ONLY = "only candidate";
export const PROGRAM_ORDER = "program order";

/** Orders a block: the nodes from first to last, as they shall stand. */
export function listSchedule(
  dag: Dag,
  policy: SchedulePolicy,
  context: BlockContext,
  observe: ObserveChoice | null = null,
): Int32Array {
  return new ListScheduler(dag, policy, context, observe).run() as Int32Array;
}

/** Whether an order that takes at least so many cycles, and until what is waited for after it is there, is of no use. */
export type Hopeless = (cycles: number, drain: number) => boolean;

/** As `listSchedule` with a forward policy; gives up, with null, as soon as the order is hopeless. */
export function listScheduleUnless(
  dag: Dag,
  policy: SchedulePolicy,
  context: BlockContext,
  hopeless: Hopeless,
): Int32Array | null {
  return new ListScheduler(dag, policy, context, null).run(hopeless);
}

class ListScheduler {
  private readonly state: SchedState;
  private readonly memory: unknown;
  private readonly guard: BudgetGuard | null;
  /** The node that stays at the start of the block, −1 for none. */
  private readonly first: number;
  /** The best so far and its challenger; they change places when the challenger wins. */
  private best: Candidate;
  private other: Candidate;
  private bestScore: Float64Array;
  private otherScore: Float64Array;
  /** Rungs whose score is known. */
  private bestKnown = 0;
  private otherKnown = 0;

  constructor(
    dag: Dag,
    private readonly policy: SchedulePolicy,
    private readonly context: BlockContext,
    private readonly observe: ObserveChoice | null,
  ) {
    this.state = new SchedState(dag, context, policy.direction === "forward");
    if (policy.withinLimits === true && !this.state.forward) {
      throw new InternalError(`policy ${policy.name}: only forward passes keep within the register limits`);
    }
    this.guard = policy.withinLimits === true ? new BudgetGuard(this.state) : null;
    const { first = -1 } = context;
    this.first = first >= 0 && dag.predStart[first] === dag.predStart[first + 1] ? first : -1;
    this.memory = policy.start?.(this.state);
    this.best = new Candidate(this.state);
    this.other = new Candidate(this.state);
    this.bestScore = new Float64Array(policy.ladder.length);
    this.otherScore = new Float64Array(policy.ladder.length);
  }

  /** The order; null where it became hopeless. */
  run(hopeless: Hopeless | null = null): Int32Array | null {
    const { state, policy, guard } = this;
    let drain = 0;
    while (state.readyCount > 0) {
      if (guard !== null) state.admitNow(guard.first);
      if (this.first >= 0) state.admitNow(this.first);
      policy.before?.(state, this.memory);
      const at = this.choose(-1);
      const winner = state.ready[at] as number;
      if (this.observe !== null) this.tell(at, this.observe);
      policy.after?.(state, winner, this.memory);
      guard?.take(winner);
      state.place(at);
      if (hopeless === null) continue;
      const issue = state.issue[winner] as number;
      const left = state.total - state.placed;
      const cycles = left === 0 ? issue + 1 : state.cycle + left;
      drain = Math.max(drain, cycles, issue + (state.ahead[winner] as number));
      if (hopeless(cycles, drain)) return null;
    }
    return state.forward ? state.order : state.order.reverse();
  }

  /** Position in `ready` of the best candidate, leaving out position `without`. −1 when there is none. */
  private choose(without: number): number {
    const { ready, readyCount } = this.state;
    const { guard } = this;
    let place = -1;
    if (this.first >= 0 && this.state.issue[this.first] === -1 && without < 0) {
      // What stays first is placed first, from the end last of all.
      const at = ready.subarray(0, readyCount).indexOf(this.first);
      if (this.state.forward || (readyCount === 1 && this.state.placed === this.state.total - 1)) return at;
      if (at >= 0) without = at;
    }
    for (let k = 0; k < readyCount; k++) {
      if (k === without) continue;
      const node = ready[k] as number;
      if (place < 0) {
        if (guard?.safe(node) === false) continue;
        place = k;
        this.best.node = node;
        this.bestKnown = 0;
        continue;
      }
      this.other.node = node;
      this.otherKnown = 0;
      if (this.challenge() === null || guard?.safe(node) === false) continue;
      place = k;
      this.swap();
    }
    return place;
  }

  /** The rung by which `other` beats `best`, null when it does not. */
  private challenge(): string | null {
    const { ladder } = this.policy;
    for (let r = 0; r < ladder.length; r++) {
      const mine = this.scoreOfBest(r);
      const its = this.scoreOfOther(r);
      if (its > mine) return (ladder[r] as { why: string }).why;
      if (its < mine) return null;
    }
    const earlier = this.state.placeOf(this.other.node) < this.state.placeOf(this.best.node);
    return earlier === this.state.forward ? PROGRAM_ORDER : null;
  }

  private scoreOfBest(r: number): number {
    if (r >= this.bestKnown) {
      this.bestScore[r] = this.policy.ladder[r]?.by(this.best, this.memory) ?? 0;
      this.bestKnown = r + 1;
    }
    return this.bestScore[r] as number;
  }

  private scoreOfOther(r: number): number {
    if (r >= this.otherKnown) {
      this.otherScore[r] = this.policy.ladder[r]?.by(this.other, this.memory) ?? 0;
      this.otherKnown = r + 1;
    }
    return this.otherScore[r] as number;
  }

  private swap(): void {
    const c = this.best;
    this.best = this.other;
    this.other = c;
    const s = this.bestScore;
    this.bestScore = this.otherScore;
    this.otherScore = s;
    this.bestKnown = this.otherKnown;
  }

  private tell(at: number, observe: ObserveChoice): void {
    const { state, policy, memory } = this;
    const winner = state.ready[at] as number;
    const second = this.choose(at);
    const runnerUp = second < 0 ? -1 : (state.ready[second] as number);
    let why = ONLY;
    if (runnerUp >= 0) {
      this.other.node = winner;
      this.otherKnown = 0;
      why = this.challenge() ?? PROGRAM_ORDER;
    }
    const ready = Array.from(state.ready.subarray(0, state.readyCount)).sort((a, b) => a - b);
    observe({
      policy,
      state,
      block: this.context.block,
      step: state.placed,
      cycle: state.cycle,
      ready,
      winner,
      runnerUp,
      why,
      scores: () => {
        const c = new Candidate(state);
        return ready.map((node) => {
          c.node = node;
          return policy.ladder.map((rung) => rung.by(c, memory));
        });
      },
    });
  }
}
