/**
 * Search in a space of settings, by Optuna's samplers: TPE, CMA-ES, NSGA-II. Optuna runs in a Python of its own and is asked and told by
 * lines; the figures come from here. Batches are of a fixed size and told in order, so that the same seed gives the same run,
 * however many threads work; what a journal knows is not run again, so that a run which was killed goes on by being run again.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { paretoFront } from "./pareto.js";
import { cellProgress } from "./progress.js";
import type { FactorValue, Setting } from "./sensitivity.js";
import { shownHalving, shownStudy } from "./shown.js";
import { mendJournal } from "./table.js";

/** What can be set: a number between two, a whole one, or one of a list. */
export type Dimension =
  | {
      /** Least value. */
      readonly from: number;
      /** Greatest value. */
      readonly to: number;
      /** Whole numbers only. Default false. */
      readonly whole?: boolean;
    }
  | {
      /** The values to choose from. */
      readonly choices: readonly FactorValue[];
    };

/** What a study may set, by name. */
export type Space = Readonly<Record<string, Dimension>>;

/** How a study goes on and when it ends. */
export interface StudyOptions {
  /** `tpe`: tree of Parzen estimators. `cmaes`: for numbers (lists are drawn at random). `nsga2`: for several objectives. */
  readonly sampler: "tpe" | "cmaes" | "nsga2" | "random";
  /** Seed of the sampler: the same seed, the same study. */
  readonly seed: number;
  /** Settings tried at most. */
  readonly trials: number;
  /** Settings asked for at a time, which can run side by side. Default 8. */
  readonly batch?: number;
  /** For each figure whether less or more of it is wanted. Default: one, of which less is wanted. */
  readonly want?: readonly ("less" | "more")[];
  /** Ends the study after so many trials without a new best (with several figures: without a change of the front). */
  readonly patience?: number;
  /** Ends the study after the batch in which so many seconds have passed: its trials are the first ones of a study without this limit. */
  readonly seconds?: number;
  /** File that figures are written to as they come, a line each; those that are there are not asked for again. */
  readonly journal?: string;
  /** Python that has Optuna. Default: PTXLAB_PYTHON, else that of the notebooks (PTXLAB_VENV, `.venv`), else `python3`. */
  readonly python?: string;
  /** Ends the study after the batch in flight. */
  readonly signal?: AbortSignal;
  /** In a notebook a study that takes longer than a second shows rate and time left. Default true. */
  readonly progress?: boolean;
}

/** A setting that was tried. */
export interface Trial {
  /** Number of the trial, from 0. */
  readonly number: number;
  /** What was set. */
  readonly setting: Setting;
  /** In the order of `want`; null where the setting cannot be judged. */
  readonly figures: readonly number[] | null;
}

/** What came of a study. */
export interface StudyResult {
  /** All trials in their order. */
  readonly trials: readonly Trial[];
  /** What no other trial beats: with one figure the best trials (several of the same figure are possible). */
  readonly best: readonly Trial[];
  /** Trials whose figures a journal knew. */
  readonly resumed: number;
  /** Version of Optuna. */
  readonly optuna: string;
  /** Why it ended. */
  readonly end: "trials" | "patience" | "seconds" | "aborted";
}

/** Settings → their figures, null for those that cannot be judged. */
export type Judge = (settings: readonly Setting[]) => Promise<readonly (readonly number[] | null)[]>;

const root = resolve(__dirname, "../..");

function pythonOf({ python }: StudyOptions): string {
  const named = python ?? process.env.PTXLAB_PYTHON;
  if (named !== undefined) return named;
  const own = join(
    process.env.PTXLAB_VENV ?? join(root, ".venv"),
    process.platform === "win32" ? "Scripts/python.exe" : "bin/python",
  );
  return existsSync(own) ? own : "python3";
}

/** Lines to and from the other side. */
class Optuna {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly lines: AsyncIterator<string>;
  private said = "";

  constructor(private readonly python: string) {
    this.child = spawn(python, [resolve(root, "lib/experiment/study.py")]);
    this.child.stderr.on("data", (d) => {
      this.said += d;
    });
    // A broken pipe shows itself as the missing answer.
    this.child.stdin.on("error", () => {});
    this.child.on("error", (e) => {
      this.said = e.message;
    });
    this.lines = createInterface(this.child.stdout)[Symbol.asyncIterator]();
  }

  async ask(message: unknown): Promise<unknown> {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
    const { value, done } = await this.lines.next();
    if (!done) return JSON.parse(value as string);
    const why = this.said.trim().split("\n").at(-1) ?? "";
    throw new Error(
      `${this.python}: ${why}${/optuna/.test(why) ? " (pip install -r requirements.txt, or set PTXLAB_PYTHON)" : ""}`,
    );
  }

  end(): void {
    this.child.stdin.end();
  }
}

/** Runs a study. Throws where there is no Python with Optuna. */
export async function study(space: Space, judge: Judge, options: StudyOptions): Promise<StudyResult> {
  const { sampler, seed, trials: wanted, batch = 8, want = ["less"], patience, seconds, journal, signal } = options;
  const started = performance.now();
  const known = journal === undefined ? new Map<string, Trial["figures"]>() : readFigures(journal);
  const optuna = new Optuna(pythonOf(options));
  const progress = cellProgress(options, `Study (${sampler})`, "trials", wanted);
  const trials: Trial[] = [];
  let [resumed, since, front] = [0, 0, ""];
  try {
    const directions = want.map((w) => (w === "less" ? "minimize" : "maximize"));
    const hello = (await optuna.ask({ space, directions, sampler, seed })) as { readonly optuna: string };
    const result = (end: StudyResult["end"]): StudyResult =>
      shownStudy({ trials, best: bestOf(trials, want), resumed, optuna: hello.optuna, end });
    while (trials.length < wanted) {
      if (signal?.aborted) return result("aborted");
      const count = Math.min(batch, wanted - trials.length);
      const asked = (await optuna.ask({ ask: count })) as readonly Omit<Trial, "figures">[];
      const open = asked.filter(({ setting }) => !known.has(nameOf(setting)));
      resumed += asked.length - open.length;
      const figures = open.length === 0 ? [] : await judge(open.map((t) => t.setting));
      open.forEach(({ setting }, i) => {
        known.set(nameOf(setting), figures[i] ?? null);
        if (journal !== undefined)
          appendFileSync(journal, `${JSON.stringify({ setting, figures: figures[i] ?? null })}\n`);
      });
      const told = asked.map((t) => ({ ...t, figures: known.get(nameOf(t.setting)) ?? null }));
      trials.push(...told);
      progress?.add(told.length);
      await optuna.ask({ tell: told });
      const now = [...new Set(bestOf(trials, want).map((t) => JSON.stringify(t.figures)))].join();
      since = now === front ? since + count : 0;
      front = now;
      if (patience !== undefined && since >= patience) return result("patience");
      if (seconds !== undefined && performance.now() - started >= 1000 * seconds && trials.length < wanted)
        return result("seconds");
    }
    return result("trials");
  } finally {
    progress?.end();
    optuna.end();
  }
}

const nameOf = (setting: Setting): string =>
  JSON.stringify(Object.entries(setting).sort(([a], [b]) => (a < b ? -1 : 1)));

function bestOf(trials: readonly Trial[], want: readonly ("less" | "more")[]): Trial[] {
  return paretoFront(
    trials,
    want.map((w, i) => ({ name: String(i), of: (t: Trial) => t.figures?.[i] ?? null, want: w })),
  );
}

function readFigures(path: string): Map<string, Trial["figures"]> {
  mendJournal(path);
  const known = new Map<string, Trial["figures"]>();
  if (!existsSync(path)) return known;
  for (const line of readFileSync(path, "utf8")
    .split("\n")
    .filter((l) => l !== "")) {
    const { setting, figures } = JSON.parse(line) as Omit<Trial, "number">;
    known.set(nameOf(setting), figures);
  }
  return known;
}

/** A round of successive halving. */
export interface Round<C> {
  /** What a candidate may take in this round. */
  readonly effort: number;
  /** All candidates of the round with their figures. */
  readonly figures: readonly {
    /** Who was judged. */
    readonly candidate: C;
    /** Its figure, less is better; null where it cannot be judged. */
    readonly figure: number | null;
  }[];
}

/** What came of successive halving. */
export interface Halving<C> {
  /** The best candidate of the last round; null where none could be judged. */
  readonly best: C | null;
  /** The rounds in their order. */
  readonly rounds: readonly Round<C>[];
}

/**
 * Successive halving: all candidates are judged with little effort, the best `1 / keep` of them with `keep` times as much, and so on until the effort
 * is `most`. Of equal figures the earlier candidate goes on; candidates without a figure do not.
 */
export async function successiveHalving<C>(
  candidates: readonly C[],
  judge: (candidates: readonly C[], effort: number) => Promise<readonly (number | null)[]>,
  options: {
    /** Effort of the first round, in units of the judge. */
    readonly least: number;
    /** Effort of the last round. */
    readonly most: number;
    /** One of so many goes on. Default 3. */
    readonly keep?: number;
  },
): Promise<Halving<C>> {
  const { least, most, keep = 3 } = options;
  if (!(least > 0 && most >= least && keep > 1)) throw new Error("wants 0 < least <= most and keep > 1");
  const rounds: Round<C>[] = [];
  let left = candidates;
  for (let effort = least; left.length > 0; effort = Math.min(most, effort * keep)) {
    const said = await judge(left, effort);
    const figures = left.map((candidate, i) => ({ candidate, figure: said[i] ?? null }));
    rounds.push({ effort, figures });
    const ranked = figures.filter((f) => f.figure !== null).sort((a, b) => a.figure! - b.figure!);
    if (effort >= most || ranked.length === 0) return shownHalving({ best: ranked[0]?.candidate ?? null, rounds });
    left = ranked.slice(0, Math.max(1, Math.ceil(ranked.length / keep))).map((f) => f.candidate);
  }
  return shownHalving({ best: null, rounds });
}
