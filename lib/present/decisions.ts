/** What phases decided at which instruction: heard from the observers of rewrites, scheduler, allocator and control pass, and put in words. */
import { counted } from "../inspect.js";
import { registerName } from "../isa/text.js";
import { File, type Func, type Inst } from "../ori/types.js";
import type { PhaseOptions } from "../phases/index.js";
import {
  type AllocationEvent,
  type AllocationResult,
  type Constraint,
  constraintKinds,
  type SpillSlot,
  type ValueFacts,
} from "../regalloc/index.js";
import { allRulePlaces } from "../rules/index.js";
import type { Choice, ControlDecision, ScheduleReport } from "../sched/index.js";
import type { PipelineAllocation, PipelineDecision, PipelineRegisterFile, PipelineSpill } from "../view/index.js";

/** Register files in the order in which they are shown. */
const FILES: readonly (readonly [file: File, name: string])[] = [
  [File.R, "R"],
  [File.UR, "UR"],
  [File.P, "P"],
  [File.UP, "UP"],
  [File.B, "B"],
];

/** Lists to what observers tell while the phases of a function run; `take` after each phase. */
export class Decisions {
  private heard: PipelineDecision[] = [];
  private readonly choices: Choices = new Choices();
  private readonly allocator: Allocator;
  /** The phase that runs applies rules. */
  private rules = false;

  constructor(
    private readonly func: Func,
    private readonly why: boolean | readonly string[],
  ) {
    this.allocator = new Allocator(func);
  }

  /** The options with observers that tell this; those of the caller are not called again. */
  options(given: PhaseOptions): PhaseOptions {
    return {
      ...given,
      onRewrite: ({ what, inst, other }) =>
        this.note({ inst, by: "rewrite", what, why: "", others: other < 0 ? [] : [other] }),
      onDecision: ({ what, inst, why, other }) =>
        this.note({ inst, by: "rewrite", what, why, others: other < 0 ? [] : [other] }),
      onRewrites: () => {
        this.rules = true;
      },
      onSchedule: (report) => this.heard.push(...this.choices.take(report, this.func)),
      schedule: {
        ...given.schedule,
        options: { ...given.schedule?.options, observe: (choice) => this.choices.add(choice) },
        ...(given.schedule?.postOptions && {
          postOptions: { ...given.schedule.postOptions, observe: (choice: Choice) => this.choices.add(choice) },
        }),
      },
      allocation: { ...given.allocation, observe: (e) => this.allocator.hear(e) },
      onAllocation: (result) => this.heard.push(...this.allocator.decisions(result)),
      assign: { ...given.assign, observe: (d) => this.note(ofControl(d)) },
    };
  }

  /** What was decided since the last time. */
  take(): readonly PipelineDecision[] {
    const heard = [...this.heard, ...(this.rules && this.why !== false ? this.refusals() : [])];
    this.rules = false;
    this.heard = [];
    return heard;
  }

  /** Where values live; null where no registers were allocated. */
  allocation(): PipelineAllocation | null {
    return this.allocator.result();
  }

  private note(decision: PipelineDecision): void {
    this.heard.push(decision);
  }

  /** Rules that could have applied, at each instruction those first that came nearest. */
  private refusals(): PipelineDecision[] {
    const names = typeof this.why === "boolean" ? undefined : this.why;
    const places = allRulePlaces(this.func, names);
    if (!places.ok) return [];
    const refused = places.value.filter((p) => p.refused !== null);
    const at = new Map<Inst, number>();
    for (const { inst } of refused) if (!at.has(inst)) at.set(inst, at.size);
    return [...refused]
      .sort((a, b) => (at.get(a.inst) as number) - (at.get(b.inst) as number) || b.held - a.held)
      .map((p) => ({ inst: p.inst.id, by: "refusal", what: `rule ${p.rule}`, why: p.refused ?? "", others: [] }));
  }
}

/** One choice of the list scheduler: what its words are made of, should its order count. */
interface Placing {
  readonly inst: number;
  readonly step: number;
  readonly cycle: number;
  readonly candidates: number;
  readonly forward: boolean;
  readonly runnerUp: number;
  readonly why: string;
  readonly policy: string;
}

/** Choices of the list scheduler, of which those count whose order the block was given. */
class Choices {
  /** Passes by block, in the order in which they were made. */
  private readonly passes = new Map<number, Placing[][]>();
  private current: Placing[] = [];

  add({ state, block, step, cycle, ready, winner, runnerUp, why, policy }: Choice): void {
    if (step === 0) this.begin(block);
    const of = (node: number): number => state.dag.insts[node]?.id ?? -1;
    this.current.push({
      inst: of(winner),
      step,
      cycle,
      candidates: ready.length,
      forward: state.forward,
      runnerUp: runnerUp < 0 ? -1 : of(runnerUp),
      why,
      policy: policy.name,
    });
  }

  /** Where a block kept its order that is said at its first instruction. */
  take(report: ScheduleReport, func: Func): PipelineDecision[] {
    const firsts = new Map(func.blocks.map((b) => [b.id, b.insts[0]?.id ?? -1]));
    const out = report.blocks.flatMap(({ block, pass, before }): PipelineDecision[] => {
      const tried = this.passes.get(block) ?? [];
      if (pass >= 0) return (tried[pass] ?? []).map((p) => ofPlacing(p, block));
      if (tried.length === 0) return [];
      const passes = tried.length === 1 ? "the order of the only pass is" : `the orders of ${tried.length} passes are`;
      const why = `${passes} not better than ${before.drain} cycles`;
      const what = `b${block} keeps its order`;
      return [{ inst: firsts.get(block) ?? -1, by: "scheduler", what, why, others: [] }];
    });
    this.passes.clear();
    return out;
  }

  private begin(block: number): void {
    this.current = [];
    const tried = this.passes.get(block);
    if (tried === undefined) this.passes.set(block, [this.current]);
    else tried.push(this.current);
  }
}

function ofPlacing(p: Placing, block: number): PipelineDecision {
  const from = p.forward ? "" : " from the end";
  return {
    inst: p.inst,
    by: "scheduler",
    what: `place ${p.step + 1}${from} of b${block}, cycle ${p.cycle}`,
    why: p.candidates === 1 ? p.why : `${p.why}, of ${p.candidates} candidates (${p.policy})`,
    others: p.runnerUp < 0 ? [] : [p.runnerUp],
  };
}

type Scan = AllocationEvent & { readonly kind: "scan" };
type Spilled = Omit<PipelineSpill, "home"> & { home: string; readonly inst: number; readonly id: number };
type Placed = PipelineRegisterFile & { readonly decisions: readonly PipelineDecision[] };

/** What the allocator tells of the attempt that counts: the last one of each file. */
class Allocator {
  private scans = new Map<number, string>();
  private readonly placed = new Map<File, Placed>();
  private readonly spilled: Spilled[] = [];
  private registers = new Map<number, number>();
  private ended = true;

  constructor(private readonly func: Func) {}

  hear(e: AllocationEvent): void {
    switch (e.kind) {
      case "scan":
        if (this.ended) this.begin();
        this.scans.set(e.value.id, this.whyPlaced(e));
        if (e.slot >= 0) this.registers.set(e.value.id, e.slot);
        return;
      case "attempt":
        if (this.ended) this.begin();
        // Register counts may be tried one after the other (RegTargetList): the first file begins anew.
        if (e.file === File.B && e.round === 0 && e.attempt === 0) this.spilled.length = 0;
        this.ended = true;
        return;
      case "spill":
        this.spill(e);
        return;
      case "placed":
        this.place(e);
    }
  }

  private begin(): void {
    this.ended = false;
    this.scans = new Map();
    this.registers = new Map();
  }

  private spill({ value, room, cost }: AllocationEvent & { readonly kind: "spill" }): void {
    const inst = this.func.blocks.flatMap((b) => b.insts)[value.first >> 1];
    const own = room.id === value.id;
    const price = `spill cost ${Number(cost.toPrecision(3))}`;
    const why = own
      ? `no register is free at all its points, and to spill it is cheapest: ${price}`
      : `makes room for ${valueName(room)}, cheapest of what stood there: ${price}`;
    this.spilled.push({
      value: valueName(value),
      name: this.func.values.name(value.id),
      home: "",
      why,
      inst: inst?.id ?? -1,
      id: value.id,
    });
  }

  private place({ file, insts, intervals }: AllocationEvent & { readonly kind: "placed" }): void {
    const name = FILES.find(([f]) => f === file)?.[1] ?? "";
    const all = [...intervals()].sort((a, b) => firstPoint(a) - firstPoint(b) || a.value - b.value);
    const rows = all.map((i) => ({
      value: `%${registerName(file, i.value)}`,
      name: i.name,
      register: i.register,
      width: i.width,
      kind: i.fixed ? ("bound" as const) : i.temporary ? ("spill code" as const) : ("" as const),
      why: this.scans.get(i.value) ?? "",
      points: i.points,
    }));
    const decisions = rows.map((r): PipelineDecision => {
      const inst = insts[definer(r)]?.id ?? -1;
      return { inst, by: "allocator", what: `${r.value} gets ${registersText(file, r)}`, why: r.why, others: [] };
    });
    this.placed.set(file, { file: name, insts: insts.map((i) => i.id), intervals: rows, decisions });
  }

  private whyPlaced({ value, occupied, primary, secondary, constraints, slot, why, attempt }: Scan): string {
    if (why === "fixed") return "it is bound to it";
    const again = attempt === 0 ? "" : `, attempt ${attempt + 1}`;
    if (slot < 0) return `no register is free${again}`;
    let taken = 0;
    let passed = 0;
    for (let s = 0; s < slot; s += value.align) {
      if (occupied[s] === 0) passed++;
      else taken++;
    }
    const cost = (s: number): string => `${primary[s]}/${secondary[s]}`;
    const below = taken === 0 ? "" : `, ${taken} below ${taken === 1 ? "is" : "are"} taken`;
    const left = passed === 0 ? "" : `, ${passed} free below cost more`;
    const asked = constraints.map((c) => this.asked(c, value.file)).join("; ");
    const head = why === "zero-cost" ? "the first free one without cost" : `the cheapest one (cost ${cost(slot)})`;
    return `${head}${below}${left}${again}${asked === "" ? "" : `; asked for: ${asked}`}`;
  }

  private asked({ kind, target, slot, weight }: Constraint, file: File): string {
    const at = target < 0 ? undefined : this.registers.get(target);
    const offset = slot === 0 ? "" : ` ${slot < 0 ? "−" : "+"} ${Math.abs(slot)}`;
    if (target < 0) return `${constraintKinds[kind].meaning} (weight ${weight})`;
    const where = at === undefined ? "not placed yet" : registerName(file, at);
    return `${constraintKinds[kind].meaning}: %${registerName(file, target)}${offset}, ${where} (weight ${weight})`;
  }

  /** Once the function has its registers: `slots` says where spilled values went. */
  decisions({ spills: slots }: AllocationResult): readonly PipelineDecision[] {
    const homes = new Map(slots.map((s) => [s.value, homeOf(this.func, s)]));
    const spills = this.spilled.map((s): PipelineDecision => {
      s.home = homes.get(s.id) ?? "";
      return { inst: s.inst, by: "allocator", what: `${s.value} is spilled to ${s.home}`, why: s.why, others: [] };
    });
    return [...spills, ...FILES.flatMap(([f]) => this.placed.get(f)?.decisions ?? [])];
  }

  result(): PipelineAllocation | null {
    if (this.placed.size === 0) return null;
    const files = FILES.flatMap(([f]) => {
      const placed = this.placed.get(f);
      if (placed === undefined || placed.intervals.length === 0) return [];
      const { decisions, ...file } = placed;
      return [file];
    });
    return { files, spills: this.spilled.map(({ inst, id, ...spill }) => spill) };
  }
}

/** A value of another file, or local memory above the stack pointer. */
function homeOf({ values }: Func, { home, offset }: SpillSlot): string {
  if (home >= 0) return `%${registerName(values.file(home), home)}`;
  return offset === 0 ? "[R1]" : `[R1+0x${offset.toString(16)}]`;
}

/** Index of the instruction that first defines a value in the order of the layout; of the first at which it is live where none does. */
function definer({ points }: { readonly points: readonly (readonly number[])[] }): number {
  const starts = points.flatMap((p) => p.filter((_, k) => k % 2 === 0));
  const writes = starts.filter((p) => p % 2 === 1);
  return Math.min(...(writes.length > 0 ? writes : starts)) >> 1;
}

const firstPoint = ({ points }: { readonly points: readonly (readonly number[])[] }): number =>
  points.reduce((least, p) => Math.min(least, p[0] ?? 0), Number.POSITIVE_INFINITY);

const valueName = ({ file, id }: ValueFacts): string => `%${registerName(file, id)}`;

function registersText(file: File, { register, width }: { register: number; width: number }): string {
  const first = registerName(file, register);
  return width === 1 ? first : `${first}…${registerName(file, register + width - 1)}`;
}

/** Words for the causes of stalls. */
const CAUSES: Readonly<Record<(ControlDecision & { what: "stall" })["cause"], string>> = {
  least: "the least that it may have",
  raw: "its result is read",
  waw: "its result is overwritten",
  war: "what it reads is overwritten",
  pipe: "the pipe is busy",
  scoreboard: "until the scoreboard that it sets can be waited for",
  drain: "results must be there at the end",
  call: "results must be there at the call",
  carry: "the block after needs it so far away",
};

function ofControl(d: ControlDecision): PipelineDecision {
  const base = { inst: d.inst.id, by: "control" as const };
  if (d.what === "stall") {
    const what = `stall of ${counted(d.stall, "cycle")}`;
    const why = `${CAUSES[d.cause]}${d.distance > 0 ? `, ${counted(d.distance, "cycle")} apart` : ""}`;
    const others = [d.producer, d.consumer].flatMap((i) => (i === null || i === d.inst ? [] : [i.id]));
    return { ...base, what, why, others };
  }
  if (d.what === "scoreboard") {
    const side = d.side === "result" ? "its result is there" : "its operands are read";
    const why = `until ${side}; ${d.waiter === null ? "another block waits" : "first to wait"}`;
    return { ...base, what: `sets scoreboard ${d.scoreboard}`, why, others: d.waiter === null ? [] : [d.waiter.id] };
  }
  const here = d.producers.length > 0;
  const why = here ? "for what is in flight on it" : "for what other blocks have in flight on it";
  return { ...base, what: `waits for scoreboard ${d.scoreboard}`, why, others: d.producers.map((i) => i.id) };
}
