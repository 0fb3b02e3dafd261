/**
 * Runs the phases of a function in true order. Which ones run is decided by, in this order: DisablePhases, NamedPhases,
 * the level, and whether there is anything to run (a body, or a function at a hook). Around each phase that runs the
 * observer is called, and the verifier if asked; without them a run costs nothing but its phases.
 *
 * NamedPhases gives the phases and their order; orders that cannot work are refused. The few phases without which no correct code comes out (`must` in the
 * table) run all the same: each before the first named phase that stands after it in the table.
 */

import { type Diagnostic, diagnostic, isFailure } from "../diagnostics.js";
import { InternalError } from "../errors.js";
import { suggestion } from "../knobs/nearest.js";
import { type Finding, printFunc, renderFinding, snapshot, undefinedValues, verify } from "../ori/index.js";
import { isReg } from "../ori/operand.js";
import { type Func, type Milestone, milestones } from "../ori/types.js";
import { fail, ok, type Result } from "../result.js";
import { bodies } from "./bodies.js";
import { isCallers, thrown } from "./caller.js";
import { Metrics } from "./metrics.js";
import { type PhaseRequest, parsePhaseList, phaseIndex, phaseNames } from "./names.js";
import { listening } from "./notes.js";
import { RewriteCounter } from "./rewrites.js";
import { order, type PhaseName, type PhaseRow, phases } from "./table.js";
import type { PhaseBody, PhaseContext, PhaseEvent, PhaseOptions, PhaseRecord, PhaseRun } from "./types.js";

/** The highest optimization level in effect: -O2 and above are one (measured on ptxas 13.0.88). */
export const highestLevel = 2;

/**
 * Runs phases in place: from where the function stands (or `from`) to the last one (or `to`, or before `stopBefore`).
 * Stopping, taking a snapshot or the text, and going on with the same options gives what going through would have given.
 * Fails on unknown phase names, on a `from` past a phase that must run, on phases that need another kind of function than this one, on problems of the input that a
 * phase reports, and where a body, hook or observer of the caller throws.
 */
export function runPhases(func: Func, options: PhaseOptions = {}): Result<PhaseRun> {
  return new Run(func, options).result();
}

/** Runs one phase in place, at any level. Fails as `runPhases` does. */
export function runPhase(func: Func, phase: PhaseName, options: PhaseOptions = {}): Result<PhaseRun> {
  return new Run(func, options, phase).result();
}

interface Step extends PhaseRequest {
  /** Asked for by name: runs at any level. */
  readonly named: boolean;
  /** Why the phase is left out whatever its level, "" when it is not. */
  readonly left: string;
}

class Run {
  private readonly func: Func;
  private readonly options: PhaseOptions;
  private readonly full: 0 | 1 | 2;
  /** The how-manieth optimizing phase the current step is; 0: it is none. */
  private optimizing = 0;
  /** The current step comes after the last that is run as it should. */
  private plain = false;
  private readonly diagnostics: Diagnostic[] = [];
  private readonly records: PhaseRecord[] = [];
  /** Values that the input may read undefined; found once, before the first phase. */
  private mayBeUndefined: ReadonlySet<number> = new Set();
  /** Some value was seen all of whose definitions are guarded. */
  private guarded = false;
  private optimizingPhases: Uint16Array | null = null;
  /** The only phase of the run, null for all. */
  private readonly only: PhaseName | null;

  constructor(func: Func, options: PhaseOptions, only: PhaseName | null = null) {
    this.func = func;
    this.options = options;
    this.only = only;
    const level = options.level ?? func.passed?.level ?? highestLevel;
    this.full = Math.max(0, Math.min(level, highestLevel)) as 0 | 1 | 2;
  }

  /** Effective level: 1 for what optimizes after the budget of level 2. */
  private get level(): 0 | 1 | 2 {
    if (this.plain) return 0;
    const { levelBudget = Number.POSITIVE_INFINITY } = this.options;
    return this.optimizing > levelBudget ? (Math.min(this.full, 1) as 0 | 1) : this.full;
  }

  result(): Result<PhaseRun> {
    const steps = this.plan();
    if (this.failed()) return fail(this.diagnostics);
    if (this.options.verify) {
      this.mayBeUndefined = undefinedValues(this.func);
      this.verify("", null);
    }
    for (const step of steps) {
      if (this.only === null) this.count(step);
      this.step(step);
      if (this.failed()) return fail(this.diagnostics);
    }
    return ok({ func: this.func, records: this.records }, this.diagnostics);
  }

  /** Counts the optimizing phases of a whole run up to this one; so a run that goes on counts as one that goes through. */
  private count({ index }: Step): void {
    const { plainAfter } = this.options;
    this.plain = plainAfter !== undefined && index > phaseIndex(plainAfter);
    const upTo = this.optimizingUpTo();
    const own = upTo[index] as number;
    this.optimizing = own > (index === 0 ? 0 : (upTo[index - 1] as number)) ? own : 0;
  }

  /** By position in the table: optimizing phases up to there. */
  private optimizingUpTo(): Uint16Array {
    if (this.optimizingPhases !== null) return this.optimizingPhases;
    const upTo = new Uint16Array(phases.length);
    let n = 0;
    phases.forEach(({ category, must, name }, i) => {
      if (category === "optimization" && must !== true && typeof this.bodyOf(name) === "function") n++;
      upTo[i] = n;
    });
    this.optimizingPhases = upTo;
    return upTo;
  }

  private failed(): boolean {
    return this.diagnostics.some(isFailure);
  }

  /** All phases to consider, in the order of execution. */
  private plan(): Step[] {
    if (this.only !== null) {
      const index = this.position(this.only, "runPhase");
      return index < 0 ? [] : [{ index, parameter: null, named: true, left: "" }];
    }
    const { namedPhases, disablePhases } = this.options;
    const disabled = new Set<number>();
    for (const { index } of parsePhaseList(disablePhases ?? "", "DisablePhases", this.diagnostics)) {
      const row = phases[index] as PhaseRow;
      if (row.must) this.refuse(`DisablePhases: phase '${row.name}' cannot be left out`);
      disabled.add(index);
    }
    const steps: Step[] =
      namedPhases === undefined
        ? phases.map((_, index) => ({ index, parameter: null, named: false, left: "" }))
        : this.named(parsePhaseList(namedPhases, "NamedPhases", this.diagnostics));
    return this.range(steps.map((s) => (disabled.has(s.index) ? { ...s, left: "left out by DisablePhases" } : s)));
  }

  /** The named phases in their order, those that must run, and records of the others at their places in the table. */
  private named(requests: readonly PhaseRequest[]): Step[] {
    const rest = phases.flatMap((_, i) => (requests.some((r) => r.index === i) ? [] : [i]));
    const steps: Step[] = [];
    const restBefore = (index: number): void => {
      while (rest.length > 0 && (rest[0] as number) < index) {
        const next = rest.shift() as number;
        steps.push({
          index: next,
          parameter: null,
          named: false,
          left: phases[next]?.must ? "" : "not among NamedPhases",
        });
      }
    };
    for (const r of requests) {
      restBefore(r.index);
      steps.push({ ...r, named: true, left: "" });
    }
    restBefore(phases.length);
    this.checkOrder(requests.map((r) => (phases[r.index] as PhaseRow).name));
    return steps;
  }

  /** Orders that the table knows to be impossible. */
  private checkOrder(names: readonly PhaseName[]): void {
    for (const [first, then, why] of order) {
      const at = names.indexOf(first);
      if (at >= 0 && names.slice(0, at).includes(then)) {
        this.refuse(`NamedPhases: phase '${then}' cannot stand ahead of '${first}': ${why}`);
      }
    }
  }

  /** The part of the run that the options ask for. */
  private range(steps: readonly Step[]): Step[] {
    const { from, to, stopBefore } = this.options;
    const { passed } = this.func;
    const find = (name: string, option: string): number => {
      const index = this.position(name, option);
      return steps.findIndex((s) => s.index === index);
    };
    const start = from !== undefined ? find(from, "from") : passed === null ? 0 : find(passed.phase, "passed") + 1;
    let end = to === undefined ? steps.length : find(to, "to") + 1;
    if (stopBefore !== undefined) end = Math.min(end, find(stopBefore, "stopBefore"));
    if (end < start && !this.failed()) {
      const goal = stopBefore !== undefined && find(stopBefore, "stopBefore") === end ? "stopBefore" : "to";
      const begin =
        from !== undefined ? `'${from}', where the run begins` : `'${passed?.phase}', which the function has passed`;
      this.refuse(`${goal}: phase '${goal === "to" ? to : stopBefore}' stands before ${begin}`);
    }
    if (from !== undefined && !this.failed()) this.checkJump(steps, start);
    return steps.slice(Math.max(0, start), end);
  }

  /** A run that begins at `from` may not jump over what no correct code comes out without. */
  private checkJump(steps: readonly Step[], start: number): void {
    const { passed, virtual } = this.func;
    const done = passed === null ? -1 : phaseIndex(passed.phase);
    const last = virtual ? done : Math.max(done, phaseIndex("AllocateRegisters"));
    const missed = steps.slice(0, start).find(({ index }) => index > last && phases[index]?.must === true);
    if (missed === undefined) return;
    this.refuse(
      `from: phase '${phases[missed.index]?.name}' must run before '${this.options.from}', and the function has not passed it`,
    );
  }

  private position(name: string, option: string): number {
    const index = phaseIndex(name);
    if (index < 0) this.refuse(`${option}: unknown phase '${name}'${suggestion(name, phaseNames)}`);
    return index;
  }

  private refuse(message: string): void {
    this.diagnostics.push(diagnostic("error", message));
  }

  private step(step: Step): void {
    const row = phases[step.index] as PhaseRow;
    const name = row.name;
    const body = this.bodyOf(name);
    const why = step.left !== "" ? step.left : typeof body === "function" ? this.whyNot(row, step) : body.none;
    if (this.failed()) return;
    const before = this.func.generation;
    const ran = typeof body === "function" && why === "";
    if (ran) this.execute(row, name, body, step.parameter);
    else {
      this.reach(row, false);
      this.func.passed = { phase: name, level: this.full };
    }
    let instructions = 0;
    for (const b of this.func.blocks) instructions += b.insts.length;
    this.records.push({
      phase: name,
      index: step.index,
      ran,
      why,
      edits: this.func.generation - before,
      instructions,
      values: this.func.values.count,
    });
  }

  private bodyOf(name: PhaseName): PhaseBody | { readonly none: string } {
    return this.bodyOfCaller(name) ?? bodies[name];
  }

  private bodyOfCaller(name: PhaseName): PhaseBody | undefined {
    const hooks: Partial<Record<string, PhaseBody>> | undefined = this.options.hooks;
    return hooks?.[name] ?? this.options.bodies?.[name];
  }

  /**
   * Level gates (a phase asked for by name runs at any level), and what the body needs of the function: where a phase asked
   * for by name, or one without which there is no code, lacks it, the run is refused.
   */
  private whyNot(row: PhaseRow, step: Step): string {
    if (!step.named) {
      if (this.level < row.from) return `runs from -O${row.from}`;
      if (this.level > row.upTo) return `runs up to -O${row.upTo}`;
      const { phaseBudget = Number.POSITIVE_INFINITY } = this.options;
      if (this.optimizing > phaseBudget) return "the budget of optimizing phases is spent";
    }
    const lacks = this.bodyOfCaller(row.name) === undefined ? unmet(row, this.func) : "";
    if (lacks !== "" && (step.named || row.needs !== "ssa")) this.refuse(`phase '${row.name}' ${lacks}`);
    return lacks;
  }

  private execute(row: PhaseRow, name: PhaseName, body: PhaseBody, parameter: string | null): void {
    const { func, options } = this;
    const context: PhaseContext = {
      phase: name,
      level: this.level,
      plain: this.plain,
      parameter,
      options,
      rewrites: this.counter(name),
      report: (d) => this.diagnostics.push(d),
    };
    const before = options.verify ? snapshot(func) : null;
    const generation = func.generation;
    this.observe("before", row, false);
    if (this.failed()) return;
    const { onDecision } = options;
    const run = (): void => {
      if (this.bodyOfCaller(name) === undefined) this.ofOurs(name, () => body(func, context));
      else this.ofCaller(`the body given for phase '${name}'`, () => body(func, context));
    };
    if (onDecision === undefined) run();
    else listening(func, (note) => onDecision(note, name), run);
    this.reach(row, true);
    func.passed = { phase: name, level: this.full };
    if (this.failed()) return;
    if (options.verify) this.verify(name, before);
    if (this.failed()) return;
    this.observe("after", row, func.generation !== generation);
  }

  /** The caller's, where this phase is the one that it counts; tells whoever observes single rewrites. */
  private counter(name: PhaseName): RewriteCounter {
    const { rewrites, onRewrite } = this.options;
    const counter = rewrites?.phase === name ? rewrites.counter : new RewriteCounter();
    if (onRewrite !== undefined) counter.observe = (rewrite) => onRewrite(rewrite, name);
    return counter;
  }

  private observe(kind: "before" | "after", row: PhaseRow, changed: boolean): void {
    const { observe } = this.options;
    if (observe === undefined) return;
    this.ofCaller(`the observer, ${kind} phase '${row.name}',`, () => observe(this.event(kind, row, changed)));
  }

  /** Runs a function of the caller: what it throws is the caller's, told with its place, and ends the run. */
  private ofCaller(what: string, run: () => void): void {
    try {
      run();
    } catch (cause) {
      this.refuse(`${what} failed: ${thrown(cause)} (function ${this.func.name})`);
    }
  }

  /** Runs a body of ours: what a policy, rule or observer of the caller throws in it is the caller's, all else our mistake. */
  private ofOurs(phase: PhaseName, run: () => void): void {
    try {
      run();
    } catch (cause) {
      if (cause instanceof InternalError || !isCallers(cause, /\bmanager\.[jt]s:/)) throw cause;
      this.refuse(`a function given for phase '${phase}' failed: ${thrown(cause)} (function ${this.func.name})`);
    }
  }

  private event(kind: "before" | "after", row: PhaseRow, changed: boolean): PhaseEvent {
    const { func } = this;
    return {
      kind,
      phase: row.name,
      index: row.index,
      category: row.category,
      func,
      changed,
      metrics: new Metrics(func),
      snapshot: () => snapshot(func),
      text: () => printFunc(func),
    };
  }

  /**
   * Milestones are passed whether or not the phase ran, since at low levels many do not; but the SSA window opens only
   * by the phase itself. A body that sets the milestone has the last word.
   */
  private reach(row: PhaseRow, ran: boolean): void {
    const to = row.reaches;
    if (to === null) return;
    if (ran || (to !== "ssa" && to !== "allocated" && to !== "controlled")) advance(this.func, to);
  }

  private verify(phase: PhaseName | "", before: Func | null): void {
    const { func } = this;
    // Undefined values of the input lose their names in allocation; who reads them is then the allocation checker's. So does
    // what is only ever written under guards: spilled, its home is read before the first write.
    this.guarded ||= func.virtual && writesOnlyGuarded(func);
    const skipDefinedness = !func.virtual && (this.mayBeUndefined.size > 0 || this.guarded);
    const findings = verify(func, func.milestone, { mayBeUndefined: this.mayBeUndefined, skipDefinedness });
    if (findings.length === 0) return;
    const found = renderFinding(findings[0] as Finding);
    if (phase !== "" && this.bodyOfCaller(phase) !== undefined) {
      this.refuse(`the body given for phase '${phase}' broke the IR: ${found} (function ${func.name})`);
      return;
    }
    const parts = [findings.map(renderFinding).join("\n")];
    if (before !== null) parts.push(`before:\n${printFunc(before)}`, `after:\n${printFunc(func)}`);
    else parts.push(printFunc(func));
    const what = phase === "" ? "the function is wrong before the first phase" : "the phase broke the IR";
    throw new InternalError(`${what}: ${found}`, {
      ...(phase !== "" && { phase }),
      func: func.name,
      detail: parts.join("\n"),
    });
  }
}

function writesOnlyGuarded(func: Func): boolean {
  const [guarded, always] = [new Set<number>(), new Set<number>()];
  for (const block of func.blocks)
    for (const inst of block.insts)
      for (const o of inst.dsts) if (isReg(o)) (inst.guard === null ? always : guarded).add(o.id);
  return [...guarded].some((v) => !always.has(v));
}

/** What a phase needs and the function lacks, "" when nothing. */
function unmet({ needs }: PhaseRow, func: Func): string {
  if (needs === "virtual" && !func.virtual) return "works on virtual registers, and registers are allocated already";
  if (needs === "physical" && func.virtual) return "works on physical registers, and none are allocated yet";
  if (needs === "ssa" && func.milestone !== "ssa") return "works between GenerateMovPhi and ConvertAllMovPhiToMov";
  return "";
}

/** Milestones only move forward; inside the SSA window the function stays there until the window is closed. */
function advance(func: Func, to: Milestone): void {
  if (milestones.indexOf(to) > milestones.indexOf(func.milestone)) func.milestone = to;
}
