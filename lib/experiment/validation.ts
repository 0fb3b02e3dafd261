/**
 * Translation validation, and the search for what does harm. After any phase a function can be finished as at -O0 (phase option
 * `plainAfter`) and run: what then lies in the buffers must be what the code of -O0 leaves there. `validate` asks so for every
 * phase that changed something; `bisect` searches the first phase after which the answer is another one, and in it the first rewrite.
 */
import { type Compilation, type CompileOptions, compile, compileFrom, type FinishedCompilation } from "../compile.js";
import { type Func, snapshot } from "../ori/index.js";
import { type PhaseName, phaseNames } from "../phases/index.js";
import { RewriteCounter } from "../phases/rewrites.js";
import { runLaunchFile } from "../sim/index.js";

/** What became of a code when it was run: where `text` is equal, so is all that can be seen. */
export interface RunOutcome {
  /** The code ran to its end. */
  readonly ran: boolean;
  /** Buffers that hold what is expected of them, within a tolerance. */
  readonly expected: readonly string[];
  /** What is in each buffer, in hexadecimal digits; else why it did not run. */
  readonly text: string;
}

/** Runs the code of a cubin. */
export type Runner = (cubin: Uint8Array) => RunOutcome;

/** Runs the launches of a launch file (the object parsed from its JSON) in the simulator. */
export function launchRunner(launch: unknown, readFile: (path: string) => Uint8Array | null): Runner {
  return (cubin) => {
    const contents: string[] = [];
    const done = runLaunchFile(cubin, launch, {
      readFile,
      contents: (name, bytes) => contents.push(`${name}=${Buffer.from(bytes).toString("hex")}`),
    });
    const ran = done.status < 2;
    const wrong = new Set(done.json.differences.map((d) => d.name));
    const expected = Object.keys((launch as { expect?: object } | null)?.expect ?? {}).filter((n) => !wrong.has(n));
    return { ran, expected, text: ran ? contents.join("\n") : (done.lines[0] ?? "no result") };
  };
}

/** `tolerated`: other bytes, but what the launch file expects of them within its tolerance. */
export type Verdict = "same" | "tolerated" | "different";

/** What a phase did to the results. */
export interface PhaseVerdict {
  /** The phase after which the code was finished plainly. */
  readonly phase: PhaseName;
  /** Whether it computes what -O0 computes. */
  readonly verdict: Verdict;
  /** Why, "" where the results are the same. */
  readonly detail: string;
}

/** A validation of all phases. */
export interface Validation {
  /** Phases that changed some function, in their order. */
  readonly phases: readonly PhaseVerdict[];
}

/** What cannot be validated at all: the text does not compile, or does not run at -O0. */
export class NotValidated extends Error {}

/** Options as for `compile`; `opt` is the level that is compared with 0. */
export interface ValidateOptions extends CompileOptions {
  /** Of the phases that changed something, by their place among them, those to judge. Default all. */
  readonly select?: (place: number) => boolean;
}

/** Functions by name as phases left them. */
class States {
  private readonly byName = new Map<string, { readonly index: number; readonly func: Func }[]>();

  add(name: string, index: number, func: Func): void {
    const list = this.byName.get(name) ?? [];
    this.byName.set(name, list);
    list.push({ index, func });
  }

  /** Copies of what stood after the phase at this place in the table. */
  after(index: number): Map<string, Func> {
    const found = new Map<string, Func>();
    for (const [name, list] of this.byName) {
      const last = list.findLast((s) => s.index <= index);
      if (last !== undefined) found.set(name, snapshot(last.func));
    }
    return found;
  }
}

class Judge {
  readonly reference: RunOutcome;
  private readonly known = new Map<string, RunOutcome>();

  constructor(
    private readonly text: string,
    readonly options: ValidateOptions,
    private readonly run: Runner,
  ) {
    // Without the caller's phases: the reference is ours.
    const { phases: _, knobs: __, select: ___, ...plain } = options;
    this.reference = this.outcome(compile(text, { ...plain, opt: 0 }));
    if (!this.reference.ran) throw new NotValidated(`at -O0: ${this.reference.text}`);
  }

  compiled(more: CompileOptions["phases"] = {}): Compilation {
    return compile(this.text, { ...this.options, phases: { ...this.options.phases, ...more } });
  }

  /** With what each phase that changed something left, so that one can be finished from there. */
  observed(): { readonly whole: Compilation; readonly states: States } {
    const states = new States();
    const { observe } = this.options;
    const whole = compile(this.text, {
      ...this.options,
      observe: (event) => {
        if (event.kind === "after" && event.changed) states.add(event.func.name, event.index, event.snapshot());
        observe?.(event);
      },
    });
    return { whole, states };
  }

  /** As `phase` left it, finished plainly. */
  finished(whole: FinishedCompilation, states: States, phase: PhaseName): Compilation {
    const { observe: _, ...options } = this.options;
    const starts = states.after(phaseNames.indexOf(phase));
    return compileFrom(whole, starts, { ...options, phases: { ...options.phases, plainAfter: phase } });
  }

  verdict(c: Compilation): { readonly verdict: Verdict; readonly detail: string } {
    const { ran, expected, text } = this.outcome(c);
    if (text === this.reference.text) return { verdict: "same", detail: "" };
    if (!ran) return { verdict: "different", detail: text };
    const names = this.differing(text);
    const close = names.every((n) => expected.includes(n) && this.reference.expected.includes(n));
    return { verdict: close ? "tolerated" : "different", detail: `other bytes in ${names.join(", ")}` };
  }

  /** Code that was run already is not run again. */
  private outcome(c: Compilation): RunOutcome {
    if (!c.ok) return { ran: false, expected: [], text: c.diagnostics[0]?.message ?? "no code" };
    const words = c.functions.map((f) => f.code?.words.join() ?? "").join(";");
    let outcome = this.known.get(words);
    if (outcome === undefined) {
      outcome = this.run(c.cubin);
      this.known.set(words, outcome);
    }
    return outcome;
  }

  private differing(text: string): string[] {
    const [now, before] = [text.split("\n"), this.reference.text.split("\n")];
    return now.flatMap((line, i) => (line === before[i] ? [] : [line.slice(0, line.indexOf("="))]));
  }
}

/** Phases that changed some function of a compilation. */
function changing(c: Compilation): PhaseName[] {
  const changed = new Set(c.functions.flatMap((f) => f.phases.filter((p) => p.ran && p.edits > 0).map((p) => p.phase)));
  return phaseNames.filter((p) => changed.has(p));
}

/** Judges what each phase made of the text. Throws NotValidated where there is nothing to compare with. */
export function validate(text: string, options: ValidateOptions, run: Runner): Validation {
  const judge = new Judge(text, options, run);
  const { whole, states } = judge.observed();
  if (!whole.ok) throw new NotValidated(whole.diagnostics[0]?.message ?? "no code");
  const phases = changing(whole)
    .filter((_, k) => options.select?.(k) ?? true)
    .map((phase) => ({
      phase,
      ...judge.verdict(isControlled(phase) ? whole : judge.finished(whole, states, phase)),
    }));
  return { phases };
}

const control = phaseNames.indexOf("AdvancedScoreboardsAndOpexes");
/** After the control pass nothing is left to finish. */
const isControlled = (phase: PhaseName): boolean => phaseNames.indexOf(phase) >= control;

/** What changed the results. */
export interface Culprit {
  /** The phase since which they differ. */
  readonly phase: PhaseName;
  /** How they differ. */
  readonly detail: string;
  /** The first rewrite of the phase after which the results differ, null where the phase does not count its rewrites. */
  readonly rewrite: {
    /** Number of the rewrite in the phase, from 1. */
    readonly number: number;
    /** Rewrites of the phase. */
    readonly of: number;
    /** What it did, in words. */
    readonly what: string;
  } | null;
}

/** The first phase that makes the results differ from those of -O0, and the first rewrite in it; null: they do not differ. */
export function bisect(text: string, options: ValidateOptions, run: Runner): Culprit | null {
  const judge = new Judge(text, options, run);
  const whole = judge.compiled();
  const differs = (c: Compilation): string => {
    const { verdict, detail } = judge.verdict(c);
    return verdict === "different" ? detail : "";
  };
  const last = differs(whole);
  if (last === "") return null;
  const phases = whole.ok ? changing(whole) : [...phaseNames];
  const after = (k: number): string => {
    const phase = phases[k] as PhaseName;
    return isControlled(phase) ? last : differs(judge.compiled({ plainAfter: phase }));
  };
  const k = first(phases.length, (n) => after(n) !== "");
  const phase = phases[Math.min(k, phases.length - 1)] as PhaseName;
  return { phase, detail: after(phases.indexOf(phase)), rewrite: firstRewrite(judge, phase, differs) };
}

function firstRewrite(judge: Judge, phase: PhaseName, differs: (c: Compilation) => string): Culprit["rewrite"] {
  const counted = (most: number): { readonly counter: RewriteCounter; readonly wrong: boolean } => {
    const counter = new RewriteCounter(most);
    const plain = isControlled(phase) ? {} : { plainAfter: phase };
    const c = judge.compiled({ ...plain, rewrites: { phase, counter } });
    return { counter, wrong: differs(c) !== "" };
  };
  const all = counted(Number.POSITIVE_INFINITY).counter.count;
  // What is wrong without a rewrite is not the fault of one.
  if (all === 0 || counted(0).wrong) return null;
  const number = 1 + first(all, (n) => counted(n + 1).wrong);
  return { number, of: all, what: counted(number).counter.last };
}

/** The least n below `end` for which it holds, `end` where it holds for none; it is taken to hold from there on. */
function first(end: number, holds: (n: number) => boolean): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
