/**
 * Runs a grid: a thread until it waits, ends or has had its turn, then the next. Collectives, barriers and ends are where threads meet.
 * Every thread comes to its turn again and again, so threads may wait for each other by memory.
 */
import type { Fault } from "../types.js";
import { type Cluster, Cta, LANES, type Launch, Thread } from "./state.js";
import { Faulted } from "./types.js";

/** Steps of a thread in one go. */
const TURN = 2000;
/** Rounds after which a cluster that still runs gets company: its threads may wait for blocks that have not begun. */
const PATIENCE = 64;

const threadIndex = (n: number, [x, y]: readonly [number, number, number]): readonly [number, number, number] => [
  n % x,
  Math.floor(n / x) % y,
  Math.floor(n / (x * y)),
];

function start(launch: Launch, number: number): Cluster {
  const shape = launch.clusterShape;
  const counts = launch.grid.map((n, i) => n / shape[i]!) as unknown as [number, number, number];
  const cluster: Cluster = { index: threadIndex(number, counts), ctas: [], generation: 0, arrived: new Set() };
  const size = shape[0] * shape[1] * shape[2];
  for (let k = 0; k < size; k++) {
    const inside = threadIndex(k, shape);
    const index = cluster.index.map((c, i) => c * shape[i]! + inside[i]!) as unknown as [number, number, number];
    const cta = new Cta(launch, cluster, index);
    const threads = launch.block[0] * launch.block[1] * launch.block[2];
    for (let n = 0; n < threads; n++) {
      const t = new Thread(cta, n, threadIndex(n, launch.block));
      t.enter(launch.entry, null);
      cta.threads.push(t);
    }
    cta.live = threads;
    cluster.ctas.push(cta);
  }
  return cluster;
}

/** One turn of a thread; true when it did something. */
function turn(t: Thread, launch: Launch): boolean {
  if (t.done || t.wait !== null) return false;
  let n = 0;
  t.pause = false;
  while (n < TURN && !t.done && t.wait === null && !t.pause) {
    const { frame } = t;
    n++;
    frame.at = frame.pc++;
    frame.code.steps[frame.at]!(t);
  }
  launch.steps += n;
  if (launch.steps > launch.budget) throw new Faulted("budget", `more than ${launch.budget} instructions of threads`);
  return true;
}

/** Lets those collectives of a warp happen for which all have come. */
function collect(warp: readonly Thread[]): boolean {
  let any = false;
  for (const t of warp) {
    const { wait } = t;
    if (wait?.kind !== "collective") continue;
    const group: (Thread | undefined)[] = new Array<Thread | undefined>(LANES).fill(undefined);
    let complete = true;
    for (const other of warp) {
      if (((wait.mask >>> other.lane) & 1) === 0 || other.done) continue;
      const w = other.wait;
      if (w?.kind === "collective" && w.name === wait.name && w.mask === wait.mask) group[other.lane] = other;
      else complete = false;
    }
    if (!complete) continue;
    for (const g of group) if (g?.wait?.kind === "collective") g.wait.finish(group);
    for (const g of group) if (g !== undefined) g.wait = null;
    any = true;
  }
  return any;
}

/** Threads that ask who is here, at one place, once nobody else of the warp can run. */
function converge(warp: readonly Thread[]): boolean {
  const waiting = warp.filter((t) => t.wait?.kind === "converged");
  const first = waiting[0];
  if (first === undefined || warp.some((t) => !t.done && t.wait === null)) return false;
  const here = waiting.filter((t) => t.frame.code === first.frame.code && t.frame.pc === first.frame.pc);
  const lanes = here.reduce((m, t) => m | (1 << t.lane), 0);
  for (const t of here) {
    if (t.wait?.kind === "converged") t.wait.finish(lanes);
    t.wait = null;
  }
  return true;
}

/** Barriers of a CTA. An arrival counts a whole warp: lanes that have ended, or that there are not, count with those that came. */
function pass(cta: Cta): boolean {
  let any = false;
  for (const [id, g] of cta.barriers) {
    let count = 0;
    const warps = new Set([...g.arrivals.keys()].map((t) => Math.floor(t.number / LANES)));
    for (const w of warps)
      for (let n = w * LANES; n < (w + 1) * LANES; n++) {
        const t = cta.threads[n];
        if (t === undefined || t.done || g.arrivals.has(t)) count++;
      }
    const all = g.expected === null ? cta.threads.every((t) => t.done || g.arrivals.has(t)) : count >= g.expected;
    if (!all) continue;
    cta.barriers.delete(id);
    const bits = [...g.arrivals.values()];
    for (const t of g.arrivals.keys()) {
      if (t.wait?.kind !== "barrier" || t.wait.id !== id) continue;
      t.wait.finish(bits);
      t.wait = null;
    }
    any = true;
  }
  return any;
}

function passCluster(cluster: Cluster): boolean {
  const threads = cluster.ctas.flatMap((c) => c.threads);
  if (cluster.arrived.size > 0 && threads.every((t) => t.done || cluster.arrived.has(t))) {
    cluster.arrived.clear();
    cluster.generation++;
  }
  let any = false;
  for (const t of threads) {
    if (t.wait?.kind !== "cluster" || t.wait.generation >= cluster.generation) continue;
    t.wait = null;
    any = true;
  }
  return any;
}

class Grid {
  /** The thread whose turn it is: a fault is its. */
  private current: Thread | null = null;
  private readonly active: { readonly cluster: Cluster; rounds: number }[] = [];
  private readonly count: number;
  private next = 0;

  constructor(private readonly launch: Launch) {
    const shape = launch.clusterShape;
    this.count = launch.grid.reduce((n, g, i) => (n * g) / shape[i]!, 1);
  }

  run(): Fault | null {
    try {
      while (this.next < this.count || this.active.length > 0) this.round();
      return null;
    } catch (e) {
      if (e instanceof Faulted) return this.fault(e);
      throw e;
    }
  }

  private begin(): void {
    this.active.push({ cluster: start(this.launch, this.next++), rounds: 0 });
  }

  private round(): void {
    if (this.active.length === 0) this.begin();
    let progress = false;
    for (const a of [...this.active]) {
      if (this.roundOf(a.cluster)) progress = true;
      a.rounds++;
      if (a.cluster.ctas.every((c) => c.live === 0)) this.active.splice(this.active.indexOf(a), 1);
    }
    const late = this.active.every((a) => a.rounds % PATIENCE === 0);
    if (this.next < this.count && (late || !progress)) this.begin();
    else if (!progress && this.active.length > 0) this.deadlock();
  }

  private deadlock(): never {
    const threads = this.active.flatMap((a) => a.cluster.ctas.flatMap((c) => c.threads));
    this.current = threads.find((t) => t.wait !== null) ?? this.current;
    throw new Faulted("deadlock", `no thread can go on: ${threads.filter((t) => t.wait !== null).length} wait`);
  }

  private roundOf(cluster: Cluster): boolean {
    let any = false;
    for (const cta of cluster.ctas) {
      if (cta.live === 0) continue;
      for (let first = 0; first < cta.threads.length; first += LANES)
        if (this.warp(cta.threads.slice(first, first + LANES))) any = true;
      if (cta.barriers.size > 0 && pass(cta)) any = true;
    }
    if ((cluster.ctas.length > 1 || cluster.arrived.size > 0) && passCluster(cluster)) any = true;
    return any;
  }

  /** A warp until all its threads wait, have ended or have had their turn. */
  private warp(warp: readonly Thread[]): boolean {
    let any = false;
    for (let n = 0; n < PATIENCE; n++) {
      let ran = false;
      for (const t of warp) {
        this.current = t;
        if (turn(t, this.launch)) ran = true;
      }
      if (collect(warp)) ran = true;
      else if (converge(warp)) ran = true;
      if (!ran) break;
      any = true;
      // Who paused or is in a long loop goes on in the next round.
      if (warp.some((t) => !t.done && t.wait === null && t.pause)) break;
    }
    return any;
  }

  private fault(e: Faulted): Fault {
    const t = this.current!;
    const { code, at } = t.frame;
    const span = code.spans[at] ?? null;
    return {
      kind: e.kind,
      message: e.message,
      kernel: this.launch.kernel,
      block: t.cta.index,
      thread: t.tid,
      lanes: 1 << t.lane,
      address: -1,
      function: code.name,
      instruction: "",
      ptxLine: span?.line ?? null,
      memoryAddress: e.address,
    };
  }
}

/** Null: every thread came to its end. */
export function runGrid(launch: Launch): Fault | null {
  return new Grid(launch).run();
}
