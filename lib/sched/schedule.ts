/**
 * Schedules a function: each block gets the order that a policy gives it. Works on virtual registers (ScheduleInstructions)
 * and on physical ones (PostSchedule, lifted code); dependences come from the registers the code names, so afterwards no
 * register is live where it was not needed before.
 */

import { analysis } from "../analysis/cache.js";
import type { Cfg } from "../analysis/cfg.js";
import { blockFrequencies } from "../analysis/frequency.js";
import { STACK_REGISTER } from "../isa/abi.js";
import { watched } from "../knobs/reads.js";
import { touch } from "../ori/editor.js";
import { type Block, File, type Func, type Inst, Kind, Mod, ZERO_REG } from "../ori/types.js";
import { LEAST, type MayUse, registerLimits, toEndOfUnit } from "./budget.js";
import { DagBuilder } from "./build.js";
import type { Dag } from "./dag.js";
import { CrossBlock } from "./edges.js";
import { leastLength, pathsToStart, type Timeline, timeline } from "./estimate.js";
import { SHORT } from "./fill.js";
import { type Hopeless, listSchedule, listScheduleUnless } from "./list.js";
import { latencyModel, type Occupancy } from "./model.js";
import {
  type BlockFacts,
  defaultParameters,
  exceeds,
  type HeuristicParameters,
  isStrategy,
  type OrderEstimate,
  type Policy,
  type SchedulePolicy,
  type StrategyPass,
} from "./policy.js";
import { greatestLive, heldRegisters } from "./pressure.js";
import type { BlockReport, ScheduleOptions, ScheduleReport } from "./report.js";
import { type BlockContext, blockKnown } from "./state.js";
import { type BlockValues, blockValues, ValueScratch } from "./values.js";

/**
 * Puts the instructions of each block in the policy's order, in place. Instructions of a block that changed lose their
 * control words and reuse flags: those say something about the old order.
 */
export function scheduleFunc(func: Func, policy: Policy, options: ScheduleOptions = {}): ScheduleReport {
  const plan = new SchedulePlanner(func, policy, options).plan() as SchedulePlan;
  carryOut(func, plan);
  return plan.report;
}

/** Orders of a function's blocks that are found and do not stand yet. */
export interface SchedulePlan {
  /** What will have become of the function. */
  readonly report: ScheduleReport;
  /** New order of each block by its layout index, as positions in the block as it stands; null: it keeps its own. */
  readonly orders: readonly (Int32Array | null)[];
}

/** Puts the instructions of a function, or of a copy of it, in the orders of a plan. */
export function carryOut(func: Func, { orders, report }: SchedulePlan): void {
  func.blocks.forEach((block, b) => {
    const order = orders[b];
    if (order) reorder(block, order);
  });
  if (report.moved === 0) return;
  if (func.milestone === "controlled" || func.milestone === "encoded") func.milestone = "post-expanded";
  touch(func);
}

/** What is known of a block whatever its order: made once for all plans. */
interface Drawn {
  readonly dag: Dag;
  readonly occupancy: readonly Occupancy[];
  readonly values: BlockValues;
  /** Cycles that results are still waited for after the block. */
  readonly exit: Int32Array | null;
  /** Values by register and owners of the registers that are live before the block, where somebody asked. */
  registers: BlockValues | null;
  liveIn: number[] | null;
  /** Cycles below which no order of the block comes, where somebody asked. */
  least: number | null;
}

/** The policies of a search for fewer registers. */
interface Economizing {
  readonly least: SchedulePolicy;
  readonly within: SchedulePolicy;
}

/** What the search for fewer registers has found. */
interface Economy {
  readonly order: Int32Array;
  readonly now: OrderEstimate;
  readonly time: Timeline;
  /** Which of the passes tried made it. */
  readonly pass: number;
}

/** Plans schedules of a function that stays as it is: several, where registers for the same code are weighed against each other. */
export class SchedulePlanner {
  private readonly builder: DagBuilder;
  private readonly scratch: ValueScratch;
  /** Values by register, made when a block needs more than there are. */
  private registers: ValueScratch | null = null;
  private cross: CrossBlock | null = null;
  private tell = true;
  private readonly parameters: HeuristicParameters;
  private readonly passes: readonly StrategyPass[];
  /** From this pass on none takes an order that is not shorter; where tries are counted or watched, past the last. */
  private readonly shortening: number;
  /** The last pass that is tried under a condition. */
  private readonly lastConditional: number;
  private limits: number[] = [];
  /** Registers that the allocator may leave unused, where another plan is asked for. */
  private unused: number | undefined;
  /** Registers more than those that let all warps run at once. */
  private more: number | undefined;
  private readonly drawn: (Drawn | null)[];
  private readonly frequencies: Float64Array;
  /** Whether the limit of file R is an aim that a block may miss. */
  private readonly mayRaise: boolean;
  /** Passes tried so far, and how many of each policy. */
  private tried = 0;
  private readonly triedOf: Map<string, number> = new Map();
  private orders: (Int32Array | null)[] = [];
  /** Most registers of file R that a block ordered so far keeps live. */
  private most = 0;
  private reports: (BlockReport | null)[] = [];

  constructor(
    private readonly func: Func,
    private readonly policy: Policy,
    private readonly options: ScheduleOptions,
    /** Keeps what plans have in common: worth its memory where there will be several. */
    private readonly keeps = false,
  ) {
    const model = options.model ?? latencyModel(func.target, options.latencies, options.onKnob);
    this.builder = new DagBuilder(func, { ...options, model });
    this.scratch = new ValueScratch(analysis(func, "liveness"));
    this.parameters = watched({ ...defaultParameters, ...options.parameters }, defaultParameters, options.onKnob);
    this.passes = isStrategy(policy) ? policy.passes : [{ policy }];
    const { batchBudget, reduceBudget } = this.parameters;
    const counted = [options.passBudget, batchBudget, reduceBudget].some((n) => n !== undefined && Number.isFinite(n));
    const last = this.passes.findLastIndex((pass) => pass.shortens !== true);
    this.shortening = counted || options.observe !== undefined ? this.passes.length : last + 1;
    this.lastConditional = this.passes.findLastIndex((pass) => pass.when !== undefined);
    this.drawn = new Array<Drawn | null>(func.blocks.length).fill(null);
    this.mayRaise = func.virtual && this.parameters.registerTarget === null && options.ceilings?.R === undefined;
    const { loopTrips, onKnob } = options;
    onKnob?.("loopTrips", loopTrips, undefined);
    onKnob?.("crossBlock", options.crossBlock ?? true, true);
    this.frequencies =
      loopTrips === undefined
        ? analysis(func, "frequencies")
        : blockFrequencies(analysis(func, "cfg"), analysis(func, "loops"), loopTrips);
  }

  /**
   * Orders for all blocks. `unused`: registers that the allocator may leave unused, in place of what the options say. Null where the function
   * surely takes more cycles than `most` (as in the report's `after`) within the limits that hold before any is raised.
   */
  plan(
    unused: number | undefined = this.options.unused,
    most: number = Number.POSITIVE_INFINITY,
    more: number | undefined = this.options.more,
  ): SchedulePlan | null {
    const { func } = this;
    const { observe, onGraph } = this.options;
    this.unused = unused;
    this.more = more;
    this.limits = [...registerLimits(func, this.parameters, this.may)];
    this.orders = [];
    this.reports = [];
    const told = observe !== undefined || onGraph !== undefined;
    if (!this.orderAll(!told, most)) return null;
    // What one block needs whatever its order, all may have, up to the end of the unit in which registers are given out.
    const needed = Math.max(0, ...this.reports.map((r) => (r === null ? 0 : (r.after.maxLive[0] as number))));
    const limit = this.limits[0] as number;
    if (this.mayRaise) this.limits[0] = toEndOfUnit(func, limit, needed, this.may);
    if (told || this.limits[0] !== limit) this.orderAll(true);
    const blocks = this.reports.filter((r) => r !== null);
    const sum = (of: (r: BlockReport) => OrderEstimate): number =>
      blocks.reduce((total, r) => total + r.frequency * of(r).drain, 0);
    const report: ScheduleReport = {
      func: func.name,
      policy: this.policy.name,
      blocks,
      before: sum((r) => r.before),
      after: sum((r) => r.after),
      moved: blocks.reduce((total, r) => total + r.moved, 0),
      limit: this.limits[0] as number,
    };
    return { report, orders: this.orders };
  }

  private get may(): MayUse {
    const { unused, more } = this;
    return { ...this.options, ...(unused !== undefined && { unused }), ...(more !== undefined && { more }) };
  }

  /** Finds an order for every block, from the order given; `tell`: whoever observes is told. Says whether the function may keep to `most` cycles. */
  private orderAll(tell: boolean, most = Number.POSITIVE_INFINITY): boolean {
    const { func } = this;
    const cfg = analysis(func, "cfg");
    this.tell = tell;
    this.tried = 0;
    this.triedOf.clear();
    this.most = 0;
    if (this.options.crossBlock ?? true) {
      this.cross ??= new CrossBlock(cfg, analysis(func, "flat"));
      this.cross.begin();
    }
    const blocks = blocksInOrder(cfg);
    const bounded = Number.isFinite(most);
    let least = 0;
    if (bounded) for (const b of blocks) least += (this.frequencies[b] as number) * this.leastOf(b);
    for (const b of blocks) {
      this.block(b);
      if (!bounded) continue;
      const drain = this.reports[b]?.after.drain ?? 0;
      least += (this.frequencies[b] as number) * (drain - this.leastOf(b));
      if (least > most) return false;
    }
    return true;
  }

  /** Cycles below which no order of the block comes. */
  private leastOf(b: number): number {
    if (this.func.blocks[b]?.insts.length === 0) return 0;
    const drawn = this.draw(b);
    drawn.least ??= leastLength(pathsToStart(drawn.dag, null), drawn.occupancy, null).cycles;
    return drawn.least;
  }

  private draw(b: number): Drawn {
    const known = this.drawn[b];
    if (known) return known;
    const block = this.func.blocks[b] as Block;
    const dag = this.builder.build(block);
    const occupancy = block.insts.map((inst) => this.builder.model.occupancy(inst));
    const values = blockValues(this.scratch, b);
    const exit = this.cross?.exit(b, occupancy) ?? null;
    const drawn: Drawn = { dag, occupancy, values, exit, registers: null, liveIn: null, least: null };
    if (this.keeps) this.drawn[b] = drawn;
    return drawn;
  }

  private block(b: number): void {
    const block = this.func.blocks[b] as Block;
    const wanted = block.insts.length > 0 && (this.options.select?.(block) ?? true);
    this.orders[b] = null;
    this.reports[b] = null;
    if (block.insts.length === 0) return;
    const drawn = this.draw(b);
    const { dag, occupancy, exit } = drawn;
    const full = this.context(b, block, drawn);
    let byRegisterAsked = false;
    const byRegister = (): BlockValues => {
      byRegisterAsked = true;
      this.registers ??= new ValueScratch(analysis(this.func, "liveness"), true);
      drawn.registers ??= blockValues(this.registers, b);
      return drawn.registers;
    };
    const judge = (order: Int32Array | null): readonly [OrderEstimate, Timeline] => {
      const time = timeline(dag, occupancy, order, full.entry, exit);
      const maxLive = greatestLive(full.values, order);
      if (this.func.virtual && (maxLive[0] as number) > (this.limits[0] as number)) {
        drawn.liveIn ??= this.liveIn(b);
        maxLive[0] = heldRegisters(byRegister(), order, (v) => this.func.values.width(v), drawn.liveIn);
      }
      return [{ cycles: time.cycles, drain: time.drain, maxLive }, time];
    };
    let [now, time] = judge(null);
    const before = now;
    if (this.tell) this.options.onGraph?.({ block: block.id, dag, entry: full.entry, exit, timeline: time });
    let by = "";
    let taken = -1;
    let tried = 0;
    let best: Int32Array | null = null;
    let exceeded = false;
    const known = wanted && block.insts.length > 1 ? blockKnown(dag, occupancy, full) : null;
    if (known !== null) {
      const least = leastLength(known.toStart, occupancy, exit);
      for (const [k, pass] of this.passes.entries()) {
        // Nothing that is left can be taken.
        if (k >= this.shortening && now.drain === least.drain && now.cycles === least.cycles) break;
        const facts: BlockFacts = {
          instructions: block.insts.length,
          code: block.insts,
          limits: this.limits,
          now,
          policy: by,
          frequency: full.frequency,
          exceeded: exceeded || byRegisterAsked,
        };
        if (pass.when?.(facts) === false || !this.affords(pass.policy)) continue;
        const places = pass.afresh === true || best === null ? null : placesOf(best);
        const values = pass.byRegister === true && this.func.virtual ? byRegister() : full.values;
        const order = this.propose(dag, pass, { ...full, values, places, known }, facts, k);
        tried++;
        if (order === null) continue;
        const [after, afterTime] = isOrder(order, best) ? [now, time] : judge(order);
        exceeded ||= exceeds(after, facts);
        if (pass.accept?.(after, facts) === false) continue;
        best = order;
        now = after;
        time = afterTime;
        by = pass.policy.name;
        taken = tried - 1;
      }
    }
    const thrift = known === null ? null : this.thriftOf(by, now);
    if (known !== null && thrift !== null) {
      const economy = this.economize(dag, thrift, { ...full, known }, { best, now, tried }, judge);
      if (economy !== null) {
        best = economy.order;
        now = economy.now;
        time = economy.time;
        by = thrift.within.name;
        taken = economy.pass;
      }
    }
    this.leave(b, dag, occupancy, time);
    this.most = Math.max(this.most, now.maxLive[0] as number);
    const moved = best === null ? 0 : best.reduce((n, node, k) => (node === k ? n : n + 1), 0);
    this.orders[b] = moved > 0 ? best : null;
    this.reports[b] = {
      block: block.id,
      instructions: block.insts.length,
      frequency: full.frequency,
      before,
      after: now,
      policy: by,
      pass: taken,
      moved,
    };
  }

  /** The order of pass `k`; null where it would not be taken and tells nothing that is asked later. */
  private propose(
    dag: Dag,
    { policy, shortens }: StrategyPass,
    context: BlockContext,
    { now, exceeded }: BlockFacts,
    k: number,
  ): Int32Array | null {
    const observe = this.tell ? (this.options.observe ?? null) : null;
    const isAsked = !exceeded && k < this.lastConditional;
    if (shortens !== true || policy.direction !== "forward" || isAsked || observe !== null)
      return listSchedule(dag, policy, context, observe);
    const notShorter: Hopeless = (cycles, drain) => drain > now.drain || (drain === now.drain && cycles >= now.cycles);
    return listScheduleUnless(dag, policy, context, notShorter);
  }

  /** The search for fewer registers, where the block decides how many the function needs; null: none. */
  private thriftOf(by: string, { maxLive: [needed = 0] }: OrderEstimate): Economizing | null {
    const { policy, func, most, limits, passes } = this;
    if (!isStrategy(policy) || policy.thrift === undefined || !func.virtual) return null;
    if (needed <= Math.max(most, LEAST) || needed > (limits[0] as number)) return null;
    const { least } = policy.thrift;
    const within = policy.thrift.within(passes.find((pass) => pass.policy.name === by)?.policy ?? null);
    return this.affords(within) ? { least, within } : null;
  }

  /** The order with the fewest registers that takes no more cycles than the best one, by halving what may be live; null: none has fewer. */
  private economize(
    dag: Dag,
    thrift: Economizing,
    context: BlockContext,
    { best, now: before, tried }: { best: Int32Array | null; now: OrderEstimate; tried: number },
    judge: (order: Int32Array) => readonly [OrderEstimate, Timeline],
  ): Economy | null {
    const observe = this.tell ? (this.options.observe ?? null) : null;
    const needed = ({ maxLive }: OrderEstimate): number => maxLive[0] as number;
    const start = listSchedule(dag, thrift.least, { ...context, places: best && placesOf(best) }, observe);
    const places = placesOf(start);
    const tooLong: Hopeless = (cycles, drain) => drain > before.drain || cycles > before.cycles;
    let found: Economy | null = null;
    let low = Math.max(this.most, LEAST, needed(judge(start)[0]));
    let high = needed(before) - 1;
    for (let pass = tried + 1; low <= high; pass++) {
      const middle = (low + high) >> 1;
      const limits = [middle, ...this.limits.slice(1)];
      const within = { ...context, limits, places };
      const order =
        observe === null
          ? listScheduleUnless(dag, thrift.within, within, tooLong)
          : listSchedule(dag, thrift.within, within, observe);
      const judged = order && judge(order);
      if (order === null || judged === null || !this.isThriftier(judged[0], before, high)) {
        low = middle + 1;
        continue;
      }
      const [now, time] = judged;
      found = { order, now, time, pass };
      high = needed(now) - 1;
    }
    return found;
  }

  /** As short as the best order before, with at most so many registers. */
  private isThriftier(now: OrderEstimate, before: OrderEstimate, registers: number): boolean {
    const asShort = now.drain <= before.drain && now.cycles <= before.cycles;
    return asShort && (now.maxLive[0] as number) <= registers && !exceeds(now, { now: before, limits: this.limits });
  }

  /** Whether the budgets leave room for one more pass with this policy, which is then counted. */
  private affords({ name }: SchedulePolicy): boolean {
    const { batchBudget, reduceBudget } = this.parameters;
    const most = name === "dyn-batch" ? batchBudget : name === "reduce-reg" ? reduceBudget : Number.POSITIVE_INFINITY;
    const so = this.triedOf.get(name) ?? 0;
    if (so >= most || this.tried >= (this.options.passBudget ?? Number.POSITIVE_INFINITY)) return false;
    this.triedOf.set(name, so + 1);
    this.tried++;
    return true;
  }

  private context(b: number, block: Block, { values, exit }: Drawn): BlockContext {
    return {
      block: block.id,
      model: this.builder.model,
      values,
      entry: this.cross?.entry(b) ?? null,
      exit,
      limits: this.limits,
      frequency: this.frequencies[b] as number,
      parameters: this.parameters,
      places: null,
      first:
        b === 0 && this.func.kind === "entry" && block.insts.length <= SHORT ? stackPointerLoad(this.func, block) : -1,
    };
  }

  /** Owners of the registers of file R that are live before the block, once per register. */
  private liveIn(b: number): number[] {
    const { liveIn, flat } = analysis(this.func, "liveness");
    const owners: number[] = [];
    liveIn.forEach(b, (u) => {
      if (flat.units.file[u] === File.R) owners.push(flat.units.owner[u] as number);
    });
    return owners;
  }

  private leave(b: number, dag: Dag, occupancy: readonly Occupancy[], time: Timeline): void {
    const { live } = this.scratch;
    this.cross?.leave(b, dag, occupancy, time, (unit) => live.liveOut.has(b, unit));
  }
}

/** Reachable blocks in reverse post-order, then the others (layout indices): what a block waits for is known when it is met. */
export function blocksInOrder({ rpo, order, count }: Cfg): number[] {
  const visits = Array.from(rpo);
  for (let b = 0; b < count; b++) if ((order[b] as number) < 0) visits.push(b);
  return visits;
}

/** Whether the two are the same order; null: as it stands. */
function isOrder(order: Int32Array, other: Int32Array | null): boolean {
  for (let k = 0; k < order.length; k++) if (order[k] !== (other === null ? k : other[k])) return false;
  return true;
}

/**
 * The load of the stack pointer at the start of a kernel, which ptxas -O1 and above leaves there (13.0.88, all SMs); −1 for none. Where
 * bytes can be ptxas's only: at the front it costs up to 90 cycles until the parameters are there.
 */
function stackPointerLoad({ values, virtual }: Func, { insts }: Block): number {
  return insts.findIndex(({ dsts: [d], srcs, guard }) => {
    if (d?.kind !== Kind.Reg || d.file !== File.R || guard !== null) return false;
    if ((virtual ? values.fixed(d.id) : d.id) !== STACK_REGISTER) return false;
    return srcs.some((s) => s.kind === Kind.Const) && srcs.every((s) => s.kind !== Kind.Reg || s.id === ZERO_REG);
  });
}

function placesOf(order: Int32Array): Int32Array {
  const places = new Int32Array(order.length);
  for (let k = 0; k < order.length; k++) places[order[k] as number] = k;
  return places;
}

function reorder(block: Block, order: Int32Array): void {
  const insts = block.insts;
  block.insts = Array.from(order, (node) => insts[node] as Inst);
  for (const inst of block.insts) {
    inst.control = null;
    for (const o of inst.srcs) o.mods &= ~Mod.Reuse;
  }
}
