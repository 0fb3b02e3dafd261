/**
 * A candidate as rungs see it: one object that is moved from node to node, so that looking costs no allocation. Numbers
 * are cycles, registers or counts as said; what a policy does not ask for is not computed.
 */
import { memoryEffect, Order, Place } from "../analysis/memory.js";
import type { Inst } from "../ori/types.js";
import type { Occupancy } from "./model.js";
import { registerBank } from "./registers.js";
import type { SchedState } from "./state.js";

/** Results that take longer than this are "long latency" (wiki page 38). */
export const LONG_LATENCY = 19;

/** An instruction that could come next, seen from the order so far. */
export class Candidate {
  /** Node of the instruction: its place in the block as given. */
  node = 0;

  constructor(
    /** The order so far. */
    readonly state: SchedState,
  ) {}

  private get occupancy(): Occupancy {
    return this.state.occupancy[this.node] as Occupancy;
  }

  /** The instruction. */
  get inst(): Inst {
    return this.state.inst(this.node);
  }

  /** Position in the order that the pass starts from: the order given, or what an earlier pass of the strategy made of it. */
  get position(): number {
    return this.state.placeOf(this.node);
  }

  /** Longest path in cycles still ahead in the direction of scheduling: forward to the end, backward to the start. */
  get ahead(): number {
    return this.state.ahead[this.node] as number;
  }

  /** Longest path in cycles already passed: forward from the start, backward from the end. */
  get passed(): number {
    return this.state.passed[this.node] as number;
  }

  /** Cycle in which it would issue, and the cycles lost until then. */
  get issue(): number {
    return this.state.issueCycle(this.node);
  }

  /** Cycles lost until it would issue. */
  get stall(): number {
    return this.state.issueCycle(this.node) - this.state.cycle;
  }

  /** Cycle from which on its dependences let it issue. */
  get earliest(): number {
    return this.state.earliest[this.node] as number;
  }

  /** Expected cycles to its results. */
  get latency(): number {
    return this.occupancy.latency;
  }

  /** Cycles for which its pipe takes no other instruction of the warp. */
  get interval(): number {
    return this.occupancy.interval;
  }

  /** Index into `executionPipes`, and into `resources`. */
  get pipe(): number {
    return this.occupancy.pipe;
  }

  /** Index into `resources`. */
  get resource(): number {
    return this.occupancy.resource;
  }

  /** Change of live registers if it came next. */
  get deltaR(): number {
    return this.state.pressure.of(0, this.node);
  }

  /** Change of live uniform registers. */
  get deltaUR(): number {
    return this.state.pressure.of(1, this.node);
  }

  /** Change of live predicates. */
  get deltaP(): number {
    return this.state.pressure.of(2, this.node);
  }

  /** Change of live uniform predicates. */
  get deltaUP(): number {
    return this.state.pressure.of(3, this.node);
  }

  /** Registers above the limits of their files if it came next; 0 when within. */
  get over(): number {
    const { pressure, context } = this.state;
    let over = 0;
    for (let f = 0; f < context.limits.length; f++) {
      const more = (pressure.live[f] as number) + pressure.of(f, this.node) - (context.limits[f] as number);
      if (more > 0) over += more;
    }
    return over;
  }

  /** Dependences that lead on from it, in the direction of scheduling. */
  get fanout(): number {
    const { dag, forward } = this.state;
    const start = forward ? dag.succStart : dag.predStart;
    return (start[this.node + 1] as number) - (start[this.node] as number);
  }

  /** Instructions that wait for nothing but this one. */
  get releases(): number {
    const { dag, forward, waiting } = this.state;
    const start = forward ? dag.succStart : dag.predStart;
    const other = forward ? dag.succ : dag.pred;
    let n = 0;
    for (let e = start[this.node] as number; e < (start[this.node + 1] as number); e++) {
      if (waiting[other[e] as number] === 1) n++;
    }
    return n;
  }

  /** Reads a result that a scoreboard guards: the hardware would wait at a barrier for it. */
  get barrierTarget(): boolean {
    return this.state.waitsForScoreboard(this.node);
  }

  /** The instruction whose scoreboard it waits for, −1 for none: those of one group wait at the same time. */
  get barrierGroup(): number {
    return this.state.barrierGroup(this.node);
  }

  /** Share of the issue cycles so far that went to its resource, in sixteenths. */
  get contention(): number {
    const { used } = this.state;
    let all = 0;
    for (let r = 0; r < used.length; r++) all += used[r] as number;
    return all === 0 ? 0 : Math.floor((16 * (used[this.resource] as number)) / all);
  }

  /** Its own results are guarded by a scoreboard. */
  get setsScoreboard(): boolean {
    return this.occupancy.write;
  }

  /** Its results take longer than `LONG_LATENCY` cycles. */
  get longLatency(): boolean {
    return this.latency > LONG_LATENCY;
  }

  /** Loads from global memory, textures and surfaces: hundreds of cycles, to be issued early. */
  get hot(): boolean {
    const e = memoryEffect(this.inst.form);
    const far = ((e.reads | e.writes) & (Place.Global | Place.Texture)) !== 0;
    return far || (e.order === Order.Free && this.inst.form.memory?.space === "global");
  }

  /** Constant banks and shared memory: soon there. */
  get cold(): boolean {
    const { memory } = this.inst.form;
    return memory !== null && (memory.space === "const" || memory.space === "shared");
  }

  /** Source registers that share a bank with another one of the same instruction (physical registers only). */
  get bankConflicts(): number {
    return registerBank.conflicts(this.inst);
  }

  /** Sources that stand in the same slot as in the instruction placed last: its operand cache may give them. */
  get reuse(): number {
    const { last } = this.state;
    return last < 0 ? 0 : registerBank.shared(this.state.inst(last), this.inst);
  }
}
