/**
 * Running a grid. CTAs are started in order and run in turn; inside a CTA the warps run in turn, inside a warp the
 * groups (groups.ts). A CTA that has not ended when its turn has ended stays resident and the next one is started too, so
 * that CTAs which wait for each other make progress. Everything is deterministic.
 */
import { RETURN_ADDRESS } from "../isa/abi.js";
import { InFlight } from "./async/in-flight.js";
import { freshBarriers } from "./barrier.js";
import { Grid, threadIndices } from "./grid.js";
import { enqueue, popcount, releaseWanted } from "./groups.js";
import { callHost, type Heap, type Host } from "./host.js";
import type { Launch } from "./launched.js";
import { Limits } from "./limits.js";
import { wakeWaiters } from "./mbarrier.js";
import { GLOBAL_BASE, type GlobalMemory, SharedMemory } from "./memory.js";
import { codeIndex } from "./ops/control.js";
import { allocatesPairs, preparePair } from "./ops/tensor-columns.js";
import { Profiler } from "./profile.js";
import type { Program } from "./program.js";
import { RaceDetector } from "./races/detector.js";
import type { Findings } from "./races/findings.js";
import { spins } from "./spinning.js";
import { type Cluster, type Cta, type Machine, Step, Warp } from "./state.js";
import type { Fault, FaultKind, Run } from "./types.js";
import { deadlock } from "./waits.js";
import type { BlockProducts } from "./wasm/block-products.js";
import { type Engine, Entry, engineOf, isTranslated, type Observer, Variant } from "./wasm/engine.js";
import { Exchange, IS_SHARED } from "./wasm/layout.js";
import { Status } from "./wasm/translate.js";
import { faultOf } from "./where.js";
import { RegisterWatch } from "./written.js";

const AT_PC = Exchange.pc;
const AT_ISSUED = Exchange.issued;
const AT_THREADS = Exchange.threads;
const AT_OBSERVED = Exchange.observed;
const FIRST_ENTRY = Entry.First;
const COUNTED = Entry.Counted;
const JUMPED = Status.Jumped;

/** Warp-instructions after which a jump ends the turn of a group; that of a warp: spinning.ts. */
const GROUP_SLICE = 4096;
/** Turns of a warp that a CTA gets before the next CTA is tried. */
const CTA_SLICE = 512;
/** Rounds over all CTAs after which waits for phases of mbarriers give up, and how often without the end of a phase. */
const WAIT_ROUNDS = 64;
const WAKINGS = 64;
/** Warp-instructions of a launch that runs in closures to its end, unless there is code of launches before. */
const SHORT = 1024;
/** Warp-instructions of a launch for which translation at once pays. */
const LONG = 100_000;
/** Of a grid that threads share: the next cluster is not claimed yet. */
const CLAIMED: IteratorYieldResult<number> = { done: false, value: -1 };
/** Products of warp groups and tensor memory for which it pays to move warps into the memory of translated code. */
const MANY_PRODUCTS = 4;
/** Warp-instructions between two looks at the clock and the signal. */
const LOOK = 1 << 16;
/** Characters that a launch may print. */
const MOST_TEXT = 1 << 24;

export class GridMachine implements Machine, Host, Observer {
  readonly heap: Heap | null;
  private readonly printed: string[] = [];
  private printedLength = 0;
  readonly global: GlobalMemory;
  readonly banks: readonly Int32Array[];
  readonly objects: number;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly clusterShape: readonly [number, number, number];
  readonly dynamicShared: number;
  readonly sharedReserved: number;
  readonly registers: number;
  issued: number = 0;
  private nextLook: number = LOOK;
  threads: number = 0;
  fault: Fault | null = null;
  phases: number = 0;
  private readonly program: Program;
  readonly watch: RaceDetector | null;
  readonly inFlight: InFlight | null;
  private readonly profiler: Profiler | null;
  private readonly written: RegisterWatch | null;
  /** Ended CTAs, whose warps and shared memory serve others. */
  private readonly ended: Cta[] = [];
  private readonly resident: Cluster[] = [];
  /** Translated code; null: all runs in closures. */
  private engine: Engine | null = null;
  /** Products of warp groups and tensor memory that were asked for. */
  private productsAsked: number = 0;
  /** Warp-instructions after which there is translated code: what ends sooner does not pay for it. */
  private engineFrom: number = Number.POSITIVE_INFINITY;
  /** The first cluster has ended. */
  private foreseen: boolean = false;
  /** What is asked of translated code. */
  private readonly variant: Variant;
  /** The warp that runs. */
  private running: Warp | null = null;
  private readonly tids: (readonly [Int32Array, Int32Array, Int32Array])[] = [];

  private readonly limits: Limits;
  private readonly blocks: Grid;
  /** Clusters that have not started, and the first of them. */
  private readonly numbers: Iterator<number, void>;
  private next: IteratorResult<number, void> = CLAIMED;
  /** Pairs of CTAs allocate tensor memory together. */
  private readonly pairs: boolean;

  constructor(private readonly launch: Launch) {
    this.limits = new Limits(launch);
    this.blocks = new Grid(launch);
    this.numbers = this.blocks.inOrder();
    this.pairs = allocatesPairs(launch.program);
    this.program = launch.program;
    this.global = launch.global;
    this.objects = launch.objects ?? 0;
    this.heap = launch.heap ?? null;
    this.banks = launch.banks;
    this.grid = launch.grid;
    this.block = launch.block;
    this.clusterShape = launch.cluster;
    this.dynamicShared = launch.dynamicShared;
    this.sharedReserved = launch.sharedReserved;
    this.registers = launch.program.registers;
    this.watch = launch.races === true ? new RaceDetector(launch.program, launch.grid, launch.block) : null;
    // Who looks on, and the timing model, tell by themselves when operations end.
    const late = launch.program.asynchronous && this.watch === null && launch.tracer === undefined;
    const { completion = 0 } = launch;
    this.inFlight = late && completion !== "at-once" ? new InFlight(launch.program, completion) : null;
    this.profiler = launch.profile ? new Profiler(launch.program) : null;
    this.written = launch.registers === true ? new RegisterWatch(launch.program) : null;
    launch.tracer?.begin(launch.program);
    const isObserved = this.profiler !== null || this.written !== null || launch.tracer !== undefined;
    this.variant = this.watch !== null ? Variant.Watched : isObserved ? Variant.Observed : Variant.Plain;
    const choice = launch.engine ?? "auto";
    if (choice !== "closures" && launch.global.shared === IS_SHARED)
      this.engineFrom = choice === "wasm" || isTranslated(launch.program, launch.global, this.variant) ? 0 : SHORT;
    const threads = launch.block[0] * launch.block[1] * launch.block[2];
    for (let first = 0; first < threads; first += 32) this.tids.push(threadIndices(first, launch.block));
    if (this.engineFrom === 0) this.startEngine();
  }

  private startEngine(): void {
    const { program, global, banks, sharedBytes, engine } = this.launch;
    this.engineFrom = Number.POSITIVE_INFINITY;
    this.engine = engineOf(program, global, engine === "wasm", this.variant);
    this.engine?.begin(banks, this.tids.length, sharedBytes, this);
    for (const cta of this.residentCtas()) this.engine?.start(cta);
  }

  get products(): BlockProducts | null {
    const products = this.engine?.products ?? null;
    if (products !== null || ++this.productsAsked < MANY_PRODUCTS) return products;
    if (this.engineFrom !== Number.POSITIVE_INFINITY) this.startEngine();
    this.engine?.enter(() => this.residentCtas());
    return this.engine?.products ?? null;
  }

  /** After the first cluster has ended: are all the others together long? */
  private foresee(): void {
    this.foreseen = true;
    const clusters = this.launch.only?.size ?? this.blocks.clusters;
    if (this.issued * (clusters - 1) < LONG) return;
    if (this.engineFrom !== Number.POSITIVE_INFINITY) this.startEngine();
    this.engine?.hurry();
  }

  /** Runs the grid to its end. */
  run(): Run {
    const steps = this.steps();
    this.limits.begin();
    for (let s = steps.next(); !s.done; s = steps.next()) this.limits.look(s.value);
    return this.outcome();
  }

  /** The same, giving way to what else is to be done every now and then: a page stays alive, a signal can come. */
  async runGivingWay(pause: () => Promise<void>, every: number): Promise<Run> {
    const steps = this.steps();
    this.limits.begin();
    let next = performance.now() + every;
    for (let s = steps.next(); !s.done; s = steps.next()) {
      if (performance.now() >= next) {
        await pause();
        next = performance.now() + every;
      }
      this.limits.look(s.value);
    }
    return this.outcome();
  }

  private outcome(): Run {
    this.engine?.end();
    return {
      fault: this.fault,
      warpInstructions: this.issued,
      threadInstructions: this.threads,
      profile: this.profiler?.entries() ?? null,
      threadsUsed: 1,
      findings: this.findings(),
      missed: this.profiler?.missed() ?? null,
      output: this.printed.join(""),
    };
  }

  private findings(): Findings | null {
    if (this.watch === null && this.written === null) return null;
    const { races, uninitialized } = this.watch?.findings() ?? { races: [], uninitialized: [] };
    return { races, uninitialized, registers: this.written?.findings() ?? [] };
  }

  /** Runs the grid; yields the warp that ran last whenever it is time to look at the clock. */
  private *steps(): Generator<Warp, void> {
    const { resident } = this;
    const { share } = this.launch;
    this.next = this.numbers.next();
    let rounds = 0;
    let woken = 0;
    let phases = 0;
    while (this.fault === null && (!this.next.done || resident.length > 0)) {
      if (!this.next.done) {
        const { value } = this.next;
        // Of a shared grid a block is claimed when there is time for it.
        this.next = share === undefined ? this.numbers.next() : CLAIMED;
        resident.push(this.startCluster(value));
      }
      let moved = false;
      for (let i = 0; i < resident.length && this.fault === null; i++) {
        const before = this.issued;
        if (yield* this.runCluster(resident[i]!)) this.endCluster(resident.splice(i--, 1)[0]!);
        if (this.issued !== before) moved = true;
      }
      if (this.next === CLAIMED) this.next = this.numbers.next();
      if (this.fault !== null || resident.length === 0) continue;
      if (this.phases !== phases) woken = 0;
      phases = this.phases;
      if (!moved && this.inFlight?.endNext()) continue;
      const stuck = !moved && this.next.done === true;
      // Waits for phases are limited in time; a program may do something else when they say no.
      if (!stuck && ++rounds % WAIT_ROUNDS !== 0) continue;
      if (woken < WAKINGS && wakeWaiters(resident)) woken++;
      else if (stuck)
        deadlock(
          resident.flatMap((c) => c.ctas.flatMap((cta) => cta.warps)),
          this.program,
        );
    }
  }

  cancelCluster(): readonly [number, number, number] | null {
    if (this.next === CLAIMED) this.next = this.numbers.next();
    if (this.next.done) return null;
    const { value } = this.next;
    this.next = this.numbers.next();
    return this.blocks.blocksOf(value)[0]!;
  }

  print(text: string): boolean {
    this.printed.push(text);
    this.printedLength += text.length;
    return this.printedLength <= MOST_TEXT;
  }

  private startCluster(index: number): Cluster {
    const cluster: Cluster = { ctas: [], arrived: 0, phase: 0 };
    this.blocks.blocksOf(index).forEach((at, rank) => {
      cluster.ctas.push(this.startCta(at, cluster, rank));
    });
    return cluster;
  }

  private endCluster(cluster: Cluster): void {
    for (const cta of cluster.ctas) this.watch?.end(cta);
    this.inFlight?.endOf(cluster.ctas);
    if (!this.foreseen) this.foresee();
    this.ended.push(...cluster.ctas);
  }

  private startCta(index: readonly [number, number, number], cluster: Cluster, rank: number): Cta {
    const threads = this.block[0] * this.block[1] * this.block[2];
    const ended = this.ended.pop();
    ended?.shared.bytes.fill(0);
    const cta: Cta = {
      index,
      shared: ended?.shared ?? new SharedMemory(this.launch.sharedBytes),
      warps: ended?.warps ?? [],
      barriers: freshBarriers(ended?.barriers),
      cluster,
      rank,
      liveThreads: threads,
      turn: this.inFlight?.firstWarp(Math.ceil(threads / 32)) ?? 0,
    };
    for (let w = 0; w * 32 < threads; w++) {
      const lanes = threads - w * 32 >= 32 ? -1 : (1 << (threads - w * 32)) - 1;
      let warp = cta.warps[w];
      if (warp === undefined) {
        warp = new Warp(this, cta, w, lanes, this.tids[w]!);
        cta.warps.push(warp);
      } else warp.restart(cta);
      warp.pc = this.launch.entry;
      warp.trace = this.launch.tracer?.warp(this.blocks.blockNumber(index), w) ?? null;
    }
    if (this.pairs) preparePair(cta);
    this.engine?.start(cta);
    this.watch?.start(cta);
    this.written?.start(cta);
    return cta;
  }

  /** Gives every CTA of a cluster its turn. True when all have ended. */
  private *runCluster(cluster: Cluster): Generator<Warp, boolean> {
    let live = 0;
    for (const cta of cluster.ctas) {
      if (this.fault === null && cta.liveThreads > 0) {
        yield* this.runCta(cta);
        if (cta.liveThreads === 0 && cluster.ctas.length > 1) this.inFlight?.leaves(cta);
      }
      live += cta.liveThreads;
    }
    return live === 0;
  }

  private *runCta(cta: Cta): Generator<Warp, void> {
    const n = cta.warps.length;
    let idle = 0;
    for (let turns = 0; turns < CTA_SLICE * n && idle < n && cta.liveThreads > 0; turns++) {
      const warp = cta.warps[cta.turn]!;
      cta.turn = cta.turn + 1 === n ? 0 : cta.turn + 1;
      if (warp.live === 0 || (warp.active === 0 && warp.ready.length === 0)) {
        idle++;
        continue;
      }
      if (this.inFlight !== null && this.inFlight.next <= this.issued) this.inFlight.poll(this.issued);
      if (this.fault !== null) return;
      const before = this.issued;
      this.runWarp(warp);
      if (this.fault !== null) return;
      // Where all that could run spin it is the turn of other blocks.
      idle = this.issued - before >= warp.slice && spins(warp) ? idle + 1 : 0;
      if (this.issued >= this.engineFrom) this.startEngine();
      if (this.issued < this.nextLook) continue;
      this.nextLook = this.issued + LOOK;
      yield warp;
    }
  }

  /** Runs a warp until it waits, ends, faults, or its turn has ended. */
  private runWarp(w: Warp): void {
    const { exec, guard, invert } = this.program;
    const { profiler, watch, written } = this;
    const tracer = w.trace === null ? null : (this.launch.tracer ?? null);
    const { engine } = this;
    const isPlain = this.variant === Variant.Plain;
    const observed = profiler !== null || tracer !== null || written !== null ? 1 : 0;
    this.running = w;
    const end = exec.length;
    const start = this.issued;
    let issued = start;
    let threads = this.threads;
    const { slice } = w;
    const groupSlice = Math.min(GROUP_SLICE, slice);
    let groupEnd = start + groupSlice;
    let pc = w.pc;
    let active = w.active;
    for (;;) {
      if (active === 0) {
        // At a barrier of the CTA, the common case, nobody else could run.
        if (w.allWait || (w.ready.length === 0 && !releaseWanted(w))) break;
        const g = w.ready.shift()!;
        pc = g.pc;
        active = g.mask;
        w.yielded &= ~active;
        w.active = active;
        groupEnd = issued + groupSlice;
      }
      if (pc >= end || pc < 0) {
        w.pc = pc;
        this.leftCode(w, active, pc - end);
        break;
      }
      if (engine !== null) {
        const flavour = active === -1 ? engine.full : engine.masked;
        let entry = flavour.entry[pc]!;
        if (entry === COUNTED && engine.visit(flavour, pc, () => this.residentCtas())) {
          entry = flavour.entry[pc]!;
        }
        if (entry >= FIRST_ENTRY && w.base !== 0) {
          if (!isPlain) {
            w.exchange[AT_OBSERVED] = observed;
            watch?.run(w, active);
          }
          const status = flavour.run!(w.base, entry - FIRST_ENTRY, active, w.live, groupEnd - issued);
          const { exchange } = w;
          pc = exchange[AT_PC]!;
          issued += exchange[AT_ISSUED]!;
          threads += exchange[AT_THREADS]!;
          if (status === JUMPED) {
            this.issued = issued;
            if (issued < groupEnd) continue;
            if (issued - start >= slice) break;
            groupEnd = issued + groupSlice;
            if (w.ready.length > 0) {
              w.ready.push({ pc, mask: active });
              active = 0;
              w.active = 0;
            }
            continue;
          }
          // Stopped at an instruction for its closure.
          if (pc >= end || pc < 0) continue;
        }
      }
      issued++;
      this.issued = issued;
      const m = active & (w.P[guard[pc]!]! ^ invert[pc]!);
      threads += m === -1 ? 32 : popcount(m);
      if (profiler !== null) profiler.issue(w, pc, m);
      if (tracer !== null) tracer.issue(w, w.trace!, pc, m);
      if (watch !== null) watch.issue(w, pc, m);
      if (written !== null) written.issue(w, pc, active, m);
      if (m === 0) {
        pc++;
        continue;
      }
      w.pc = pc;
      const step = exec[pc]!(w, m);
      if (watch !== null) watch.done(w);
      if (step === Step.Next) {
        pc++;
        continue;
      }
      active = w.active;
      if (step === Step.Jump) {
        pc = w.pc;
        if (issued < groupEnd) continue;
        if (issued - start >= slice) break;
        groupEnd = issued + groupSlice;
        if (w.ready.length > 0) {
          w.ready.push({ pc, mask: active });
          active = 0;
          w.active = 0;
        }
        continue;
      }
      if (step === Step.Fault || w.resting) break;
      if (active !== 0) {
        // It waited for nobody.
        pc = w.pc;
        groupEnd = issued + groupSlice;
      }
      if (issued - start < slice) continue;
      // A turn may end just where nobody else could run: who is let go then has the next one.
      if (active === 0 && !w.allWait && w.ready.length === 0) releaseWanted(w);
      break;
    }
    w.resting = false;
    w.pc = pc;
    this.issued = issued;
    this.threads = threads;
    if (issued > this.launch.budget || tracer !== null) this.limits.afterTurn(w);
  }

  /** Tells of instructions of translated code what the loop of `runWarp` tells of those in closures. */
  observe(pcs: readonly number[], active: number): void {
    const { guard, invert } = this.program;
    const { profiler, written } = this;
    const w = this.running!;
    const tracer = w.trace === null ? null : (this.launch.tracer ?? null);
    profiler?.issueAll(w, pcs, active);
    written?.issueAll(w, pcs, active);
    if (tracer !== null) for (const pc of pcs) tracer.issue(w, w.trace!, pc, active & (w.P[guard[pc]!]! ^ invert[pc]!));
  }

  private *residentCtas(): Iterable<Cta> {
    for (const cluster of this.resident) yield* cluster.ctas;
  }

  /** `beyond`: how many instructions after the last of the module. */
  private leftCode(w: Warp, mask: number, beyond: number): void {
    const name = this.program.outside[beyond];
    if (name === undefined) w.fault("illegal-instruction", mask, "the program counter left the code");
    else if (callHost(name, w, mask, this)) {
      this.written?.called(w, mask);
      w.active = 0;
      for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) enqueue(w, codeIndex(w.I[RETURN_ADDRESS * 32 + l]!), 1 << l);
    } else w.fault("not-supported", mask, `the kernel calls ${name}, which the driver would bring: the cubin has none`);
  }

  noteFault(warp: Warp, kind: FaultKind, mask: number, message: string, memoryAddress: bigint | null): void {
    this.fault ??= faultOf(this.launch, warp, kind, mask, message, memoryAddress);
  }
}

export { GLOBAL_BASE };
