/**
 * A block on its way to a new order. Everything is an array over nodes; candidates (candidate.ts) are views of it.
 *
 * Cycles count from the end that scheduling starts at: from the start of the block forward, from its end backward. The
 * issue rules are those of one warp: in order, a fixed or expected distance after each instruction depended on, and an
 * execution pipe takes the next instruction of the warp after the interval of the one before.
 */
import type { Inst } from "../ori/types.js";
import { type Dag, EdgeKind } from "./dag.js";
import { pathsToEnd, pathsToStart } from "./estimate.js";
import type { LatencyModel, Occupancy } from "./model.js";
import { executionPipes, resources } from "./pipes.js";
import type { HeuristicParameters } from "./policy.js";
import { PressureTracker } from "./pressure.js";
import type { BlockValues } from "./values.js";

const UNKNOWN = 2;

/** What the surroundings of a block say. */
export interface BlockContext {
  /** Id of the block. */
  readonly block: number;
  /** Distances and pipes that are asked. */
  readonly model: LatencyModel;
  /** Values of the block, for pressure. */
  readonly values: BlockValues;
  /** Cycles after the block starts until what a node reads from outside is there; null: all there. */
  readonly entry: Int32Array | null;
  /** Cycles that a node's results are still waited for after the block; null: nobody waits. */
  readonly exit: Int32Array | null;
  /** Registers of each file (R, UR, P, UP, B) that may be live. */
  readonly limits: readonly number[];
  /** Executions of the block per run of the function. */
  readonly frequency: number;
  /** Numbers of the heuristics. */
  readonly parameters: HeuristicParameters;
  /** Place of each node in the order that the passes before left; null: as given. */
  readonly places: Int32Array | null;
  /** The node that stays at the start of the block; −1 for none. */
  readonly first?: number;
  /** What is the same for all passes over the block, where somebody has found it already. */
  readonly known?: BlockKnown;
}

/** Pipes and paths of a block. */
export interface BlockKnown {
  /** Pipe, interval and latency of each instruction. */
  readonly occupancy: readonly Occupancy[];
  /** Longest path in cycles from each node to the end of the block. */
  readonly toEnd: Int32Array;
  /** Longest path in cycles from the start of the block to each node. */
  readonly toStart: Int32Array;
}

/** Finds pipes and paths. */
export function blockKnown(
  dag: Dag,
  occupancy: readonly Occupancy[],
  { entry, exit }: Pick<BlockContext, "entry" | "exit">,
): BlockKnown {
  return { occupancy, toEnd: pathsToEnd(dag, occupancy, exit), toStart: pathsToStart(dag, entry) };
}

/** A block on its way to a new order. */
export class SchedState {
  /** Blocks are filled from their start. */
  readonly forward: boolean;
  /** Instructions to place; joins come after them in the arrays. */
  readonly total: number;
  /** Pipe, interval and latency of each instruction. */
  readonly occupancy: readonly Occupancy[];
  /** Longest path in cycles that a node still has ahead, in the direction of scheduling, and after it. */
  readonly ahead: Int32Array;
  /** Longest path in cycles on the other side of each node. */
  readonly passed: Int32Array;
  /** Live registers. */
  readonly pressure: PressureTracker;
  /** Cycle from which on dependences let a node issue; final once it is a candidate. */
  readonly earliest: Int32Array;
  /** Cycle in which a placed node issues, −1 for others. */
  readonly issue: Int32Array;
  /** Nodes in the order placed. */
  readonly order: Int32Array;
  /** Instructions placed so far. */
  placed = 0;
  /** Next free issue cycle. */
  cycle = 0;
  /** Candidates: `ready[0 … readyCount − 1]`, in no particular order. */
  readonly ready: Int32Array;
  /** How many candidates there are. */
  readyCount = 0;
  /** Issue cycles that placed instructions took of each resource (lib/sched/pipes.ts). */
  readonly used: Int32Array = new Int32Array(resources.length);
  /** The instruction placed last, −1 at the start. */
  last = -1;
  /** Dependences of a node that are not met yet. */
  readonly waiting: Int32Array;
  /** First cycle in which each execution pipe takes an instruction; backward: the issue cycle of the one after. */
  private readonly pipe: Int32Array;
  private readonly spare: Spare;
  private readonly scoreboardWait: Uint8Array;

  constructor(
    /** Dependences of the block. */
    readonly dag: Dag,
    /** What the surroundings of the block say. */
    readonly context: BlockContext,
    forward: boolean,
  ) {
    const n = dag.count;
    this.forward = forward;
    this.scoreboardWait = new Uint8Array(dag.insts.length).fill(UNKNOWN);
    this.total = dag.insts.length;
    const { occupancy, toEnd, toStart } =
      context.known ??
      blockKnown(
        dag,
        dag.insts.map((inst) => context.model.occupancy(inst)),
        context,
      );
    this.occupancy = occupancy;
    this.ahead = forward ? toEnd : toStart;
    this.passed = forward ? toStart : toEnd;
    this.pressure = new PressureTracker(context.values, forward);
    this.earliest = new Int32Array(n);
    this.begin(forward ? context.entry : context.exit);
    this.issue = new Int32Array(n).fill(-1);
    this.order = new Int32Array(this.total);
    this.ready = new Int32Array(this.total);
    this.pipe = new Int32Array(executionPipes.length).fill(forward ? 0 : -64);
    const start = forward ? dag.predStart : dag.succStart;
    this.waiting = new Int32Array(n);
    for (let i = 0; i < n; i++) this.waiting[i] = (start[i + 1] as number) - (start[i] as number);
    this.spare = new Spare(this.ahead, context.places, this.total);
    for (let i = 0; i < n; i++) if (this.waiting[i] === 0) this.admit(i);
    this.refill();
  }

  /** Forward, what comes from outside delays a node. Backward there is nothing to wait for: exits are wishes. */
  private begin(entry: Int32Array | null): void {
    if (!this.forward || entry === null) return;
    for (let i = 0; i < this.total; i++) this.earliest[i] = entry[i] as number;
  }

  /** Whether a node reads a result that a scoreboard guards; found once per node. */
  waitsForScoreboard(node: number): boolean {
    const known = this.scoreboardWait[node] as number;
    if (known !== UNKNOWN) return known === 1;
    const { dag, occupancy, total } = this;
    let waits = 0;
    for (let e = dag.predStart[node] as number; e < (dag.predStart[node + 1] as number) && waits === 0; e++) {
      const p = dag.pred[e] as number;
      if (p < total && dag.predKind[e] === EdgeKind.Raw && occupancy[p]?.write === true) waits = 1;
    }
    this.scoreboardWait[node] = waits;
    return waits === 1;
  }

  /** The instruction of a node. */
  inst(node: number): Inst {
    return this.dag.insts[node] as Inst;
  }

  /** Place of a node in the order that this pass starts from. */
  placeOf(node: number): number {
    const { places } = this.context;
    return places === null ? node : (places[node] as number);
  }

  /** The first instruction whose scoreboard a node waits for, −1 for none: nodes of one group wait at the same time. */
  barrierGroup(node: number): number {
    if (!this.waitsForScoreboard(node)) return -1;
    const { dag, occupancy, total } = this;
    for (let e = dag.predStart[node] as number; e < (dag.predStart[node + 1] as number); e++) {
      const p = dag.pred[e] as number;
      if (p < total && dag.predKind[e] === EdgeKind.Raw && occupancy[p]?.write === true) return p;
    }
    return -1;
  }

  /** Cycle in which a candidate would issue if it were next. */
  issueCycle(node: number): number {
    const o = this.occupancy[node] as Occupancy;
    let t = Math.max(this.cycle, this.earliest[node] as number);
    if (this.forward) return Math.max(t, this.pipe[o.pipe] as number);
    t = Math.max(t, (this.pipe[o.pipe] as number) + o.interval);
    return this.placed > 0 ? Math.max(t, this.cycle - 1 + o.minStall) : t;
  }

  /** Places a candidate (`at`: its position in `ready`). */
  place(at: number): void {
    const node = this.ready[at] as number;
    const o = this.occupancy[node] as Occupancy;
    const t = this.issueCycle(node);
    this.issue[node] = t;
    // What stays first is no reason to order the others in one way or another.
    if (node !== this.context.first) this.pipe[o.pipe] = this.forward ? t + o.interval : t;
    this.cycle = this.forward ? t + Math.max(1, o.minStall) : t + 1;
    this.used[o.resource] = (this.used[o.resource] as number) + o.interval;
    this.pressure.place(node);
    this.order[this.placed++] = node;
    this.last = node;
    this.ready[at] = this.ready[--this.readyCount] as number;
    this.meet(node, t);
    this.refill();
  }

  /** Dependences on `node`, which issues at `t`, are met. */
  private meet(node: number, t: number): void {
    const { dag, forward } = this;
    const start = forward ? dag.succStart : dag.predStart;
    const other = forward ? dag.succ : dag.pred;
    const latency = forward ? dag.succLatency : dag.predLatency;
    for (let e = start[node] as number; e < (start[node + 1] as number); e++) {
      const o = other[e] as number;
      const at = t + (latency[e] as number);
      if (at > (this.earliest[o] as number)) this.earliest[o] = at;
      const left = (this.waiting[o] as number) - 1;
      this.waiting[o] = left;
      if (left === 0) this.admit(o);
    }
  }

  /** A node becomes a candidate; a join lets go at once of what waits for it. */
  private admit(node: number): void {
    if (node < this.total) this.spare.add(node);
    else this.meet(node, this.earliest[node] as number);
  }

  private refill(): void {
    const limit = this.context.parameters.lookahead;
    while (this.readyCount < limit && this.spare.size > 0) this.ready[this.readyCount++] = this.spare.take();
  }

  /** Makes a node whose dependences are met a candidate, whatever the lookahead. */
  admitNow(node: number): void {
    if (this.spare.remove(node)) this.ready[this.readyCount++] = node;
  }
}

/** Candidates beyond the lookahead: a heap by the longest path ahead, then by the order that the pass starts from. */
class Spare {
  private readonly heap: number[] = [];
  /** 1: waits here. What was removed stays in the heap until it comes to its top. */
  private readonly waits: Uint8Array;
  size = 0;

  constructor(
    private readonly key: Int32Array,
    private readonly places: Int32Array | null,
    nodes: number,
  ) {
    this.waits = new Uint8Array(nodes);
  }

  remove(node: number): boolean {
    if (this.waits[node] === 0) return false;
    this.waits[node] = 0;
    this.size--;
    return true;
  }

  private above(a: number, b: number): boolean {
    const d = (this.key[a] as number) - (this.key[b] as number);
    if (d !== 0) return d > 0;
    return this.places === null ? a < b : (this.places[a] as number) < (this.places[b] as number);
  }

  add(node: number): void {
    const h = this.heap;
    this.waits[node] = 1;
    this.size++;
    let i = h.length;
    h.push(node);
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (!this.above(node, h[up] as number)) break;
      h[i] = h[up] as number;
      i = up;
    }
    h[i] = node;
  }

  take(): number {
    let top = this.pop();
    while (!this.remove(top)) top = this.pop();
    return top;
  }

  private pop(): number {
    const h = this.heap;
    const top = h[0] as number;
    const node = h.pop() as number;
    const n = h.length;
    if (n === 0) return top;
    let i = 0;
    for (;;) {
      let k = 2 * i + 1;
      if (k >= n) break;
      if (k + 1 < n && this.above(h[k + 1] as number, h[k] as number)) k++;
      if (!this.above(h[k] as number, node)) break;
      h[i] = h[k] as number;
      i = k;
    }
    h[i] = node;
    return top;
  }
}
