/**
 * Runs the phases of a function in true order. Which ones run is decided by, in this order: DisablePhases, NamedPhases,
 * the level, and whether there is anything to run (a body, or a function at a hook). Around each phase that runs the
 * observer is called, and the verifier if asked; without them a run costs nothing but its phases.
 *
 * NamedPhases gives the phases and their order. The few phases without which no correct code comes out (`must` in the
 * table) run all the same: each ahead of the first named phase that stands behind it in the table.
 */
import { type Diagnostic, diagnostic, isFailure } from "../diagnostics.js";
import { InternalError } from "../errors.js";
import { printFunc, renderFinding, snapshot, undefinedValues, verify } from "../ori/index.js";
import { isReg } from "../ori/operand.js";
import { type Func, type Milestone, milestones } from "../ori/types.js";
import { fail, ok, type Result } from "../result.js";
import { bodies } from "./bodies.js";
import { Metrics } from "./metrics.js";
import { type PhaseRequest, parsePhaseList } from "./names.js";
import { type PhaseName, type PhaseRow, phases } from "./table.js";
import type { PhaseBody, PhaseContext, PhaseEvent, PhaseOptions, PhaseRecord, PhaseRun } from "./types.js";

/** The highest optimization level in effect: -O2 and above are one (digest B D3). */
export const highestLevel = 2;

/** Runs all phases in place. Fails on unknown phase names and on problems of the input that a phase reports. */
export function runPhases(func: Func, options: PhaseOptions = {}): Result<PhaseRun> {
  return new Run(func, options).result();
}

interface Step extends PhaseRequest {
  readonly named: boolean;
}

class Run {
  private readonly func: Func;
  private readonly options: PhaseOptions;
  private readonly level: 0 | 1 | 2;
  private readonly diagnostics: Diagnostic[] = [];
  private readonly records: PhaseRecord[] = [];
  /** Values that the input may read undefined; found once, before the first phase. */
  private mayBeUndefined: ReadonlySet<number> = new Set();
  /** Some value was seen all of whose definitions are guarded. */
  private guarded = false;

  constructor(func: Func, options: PhaseOptions) {
    this.func = func;
    this.options = options;
    this.level = Math.max(0, Math.min(options.level ?? 0, highestLevel)) as 0 | 1 | 2;
  }

  result(): Result<PhaseRun> {
    const steps = this.plan();
    if (this.failed()) return fail(this.diagnostics);
    if (this.options.verify) {
      this.mayBeUndefined = undefinedValues(this.func);
      this.verify("", null);
    }
    for (const step of steps) {
      this.step(step);
      if (this.failed()) return fail(this.diagnostics);
    }
    return ok({ func: this.func, records: this.records }, this.diagnostics);
  }

  private failed(): boolean {
    return this.diagnostics.some(isFailure);
  }

  /** All phases to consider, in the order of execution. */
  private plan(): Step[] {
    const { namedPhases, disablePhases } = this.options;
    const disabled = new Set<number>();
    for (const { index } of parsePhaseList(disablePhases ?? "", "DisablePhases", this.diagnostics)) {
      const row = phases[index] as PhaseRow;
      if (row.must) {
        this.diagnostics.push(diagnostic("error", `DisablePhases: phase '${row.name}' cannot be left out`));
      }
      disabled.add(index);
    }
    const steps =
      namedPhases === undefined
        ? phases.map((_, index) => ({ index, parameter: null, named: false }))
        : this.named(parsePhaseList(namedPhases, "NamedPhases", this.diagnostics));
    return steps.filter((s) => !disabled.has(s.index));
  }

  private named(requests: readonly PhaseRequest[]): Step[] {
    const must = phases.flatMap((row, i) => (row.must && !requests.some((r) => r.index === i) ? [i] : []));
    const steps: Step[] = [];
    const mustBefore = (index: number): void => {
      while (must.length > 0 && (must[0] as number) < index) {
        steps.push({ index: must.shift() as number, parameter: null, named: false });
      }
    };
    for (const r of requests) {
      mustBefore(r.index);
      steps.push({ ...r, named: true });
    }
    mustBefore(phases.length);
    return steps;
  }

  private step(step: Step): void {
    const row = phases[step.index] as PhaseRow;
    const name = row.name;
    const body = this.bodyOf(name);
    const why = typeof body === "function" ? this.whyNot(row, step) : body.none;
    const before = this.func.generation;
    const ran = typeof body === "function" && why === "";
    if (ran) this.execute(row, name, body, step.parameter);
    else this.reach(row, false);
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
    const hooks: Partial<Record<string, PhaseBody>> = this.options.hooks ?? {};
    return hooks[name] ?? this.options.bodies?.[name] ?? bodies[name];
  }

  /** Level gates; a phase asked for by name runs at any level. */
  private whyNot(row: PhaseRow, step: Step): string {
    if (step.named) return "";
    if (this.level < row.from) return `runs from -O${row.from}`;
    if (this.level > row.upTo) return `runs up to -O${row.upTo}`;
    return "";
  }

  private execute(row: PhaseRow, name: PhaseName, body: PhaseBody, parameter: string | null): void {
    const { func, options } = this;
    const context: PhaseContext = {
      phase: name,
      level: this.level,
      parameter,
      options,
      report: (d) => this.diagnostics.push(d),
    };
    const before = options.verify ? snapshot(func) : null;
    const generation = func.generation;
    if (options.observe) options.observe(this.event("before", row, false));
    body(func, context);
    this.reach(row, true);
    if (this.failed()) return;
    if (options.verify) this.verify(name, before);
    if (options.observe) options.observe(this.event("after", row, func.generation !== generation));
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

  private verify(phase: string, before: Func | null): void {
    const { func } = this;
    // Undefined values of the input lose their names in allocation; who reads them is then the allocation checker's. So does
    // what is only ever written under guards: spilled, its home is read ahead of the first write.
    this.guarded ||= func.virtual && writesOnlyGuarded(func);
    const skipDefinedness = !func.virtual && (this.mayBeUndefined.size > 0 || this.guarded);
    const findings = verify(func, func.milestone, { mayBeUndefined: this.mayBeUndefined, skipDefinedness });
    if (findings.length === 0) return;
    const parts = [findings.map(renderFinding).join("\n")];
    if (before !== null) parts.push(`before:\n${printFunc(before)}`, `after:\n${printFunc(func)}`);
    else parts.push(printFunc(func));
    throw new InternalError(phase === "" ? "the function is wrong before the first phase" : "the phase broke the IR", {
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

/** Milestones only move forward; inside the SSA window the function stays there until the window is closed. */
function advance(func: Func, to: Milestone): void {
  if (milestones.indexOf(to) > milestones.indexOf(func.milestone)) func.milestone = to;
}
