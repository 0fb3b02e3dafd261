/**
 * Probes: coroutines that ask for words and get answers. Many of them run side by side, so that their questions share the
 * tool's runs (its start alone takes half a second).
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer, Decoder } from "./decoder.js";
import type { Word } from "./word.js";

export type Probe<T> = Generator<readonly Word[], T, readonly Answer[]>;

/** Runs probes in lock step as one. */
export function* together<T>(probes: readonly Probe<T>[]): Probe<T[]> {
  const results: T[] = new Array(probes.length);
  let live: { probe: Probe<T>; index: number; asked: readonly Word[] }[] = [];
  const step = (probe: Probe<T>, index: number, next: IteratorResult<readonly Word[], T>, into: typeof live): void => {
    if (next.done) results[index] = next.value;
    else into.push({ probe, index, asked: next.value });
  };
  probes.forEach((p, i) => {
    step(p, i, p.next(), live);
  });
  while (live.length > 0) {
    const answers: readonly Answer[] = yield live.flatMap((l) => l.asked);
    const left: typeof live = [];
    let at = 0;
    for (const { probe, index, asked } of live) {
      step(probe, index, probe.next(answers.slice(at, at + asked.length)), left);
      at += asked.length;
    }
    live = left;
  }
  return results;
}

/** A piece of work with a name of its own in the output folder. */
export interface Task<T> {
  readonly name: string;
  start(): Probe<T>;
}

export interface RunOptions<T> {
  /** Words per run of the tool, roughly: tasks are started until this many are asked for. */
  readonly words: number;
  /** Answers of unfinished tasks are kept here: an interrupted run asks none of them again. */
  readonly journal: string | null;
  readonly finished: (task: Task<T>, result: T) => void;
  /** A task that threw; the others go on. */
  readonly failed: (task: Task<T>, error: Error) => void;
}

interface Running<T> {
  readonly task: Task<T>;
  readonly probe: Probe<T>;
  asked: readonly Word[];
}

/** Runs tasks, as many side by side as fill the tool's runs. */
export function runTasks<T>(decoder: Decoder, tasks: readonly Task<T>[], options: RunOptions<T>): void {
  const journal = options.journal === null ? null : new Journal(options.journal);
  const waiting = [...tasks];
  let live: Running<T>[] = [];
  /** Takes one step; false when the task has ended. */
  const step = (r: Running<T>, answers: readonly Answer[] | null): boolean => {
    try {
      const next = answers === null ? r.probe.next() : r.probe.next(answers);
      if (!next.done) {
        r.asked = next.value;
        return true;
      }
      options.finished(r.task, next.value);
    } catch (e) {
      options.failed(r.task, e as Error);
    }
    journal?.drop(r.task.name);
    return false;
  };
  while (live.length > 0 || waiting.length > 0) {
    let words = live.reduce((n, r) => n + r.asked.length, 0);
    while (waiting.length > 0 && words < options.words) {
      const task = waiting.shift()!;
      const r: Running<T> = { task, probe: task.start(), asked: [] };
      if (!step(r, null) || !replay(r, journal, step)) continue;
      live.push(r);
      words += r.asked.length;
    }
    const answers = decoder.decode(live.flatMap((r) => r.asked));
    let at = 0;
    live = live.filter((r) => {
      const part = answers.slice(at, at + r.asked.length);
      at += r.asked.length;
      journal?.add(r.task.name, part);
      return step(r, part);
    });
  }
}

/** Steps a task through what the journal knows; false when that ends it. */
function replay<T>(
  r: Running<T>,
  journal: Journal | null,
  step: (r: Running<T>, answers: readonly Answer[]) => boolean,
): boolean {
  for (const answers of journal?.answers(r.task.name) ?? []) {
    if (answers.length !== r.asked.length) throw new Error(`journal of ${r.task.name} is of another run: remove it`);
    if (!step(r, answers)) return false;
  }
  return true;
}

const STATES: readonly Answer["state"][] = ["printed", "hidden", "refused", "unknown", "unanswered"];

class Journal {
  private readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
    mkdirSync(dir, { recursive: true });
  }

  private file(name: string): string {
    return join(this.dir, `${name}.jsonl`);
  }

  add(name: string, answers: readonly Answer[]): void {
    const rows = answers.map((a) => (a.text === null ? STATES.indexOf(a.state) : [a.text, a.address]));
    appendFileSync(this.file(name), `${JSON.stringify(rows)}\n`);
  }

  /** Rounds of answers; a last line that was cut short does not count. */
  answers(name: string): Answer[][] {
    const file = this.file(name);
    if (!existsSync(file)) return [];
    const out: Answer[][] = [];
    const lines = readFileSync(file, "utf8").split("\n");
    if (lines.pop() !== "") writeFileSync(file, lines.map((l) => `${l}\n`).join(""));
    for (const line of lines) {
      const rows = JSON.parse(line) as ([string, number] | number)[];
      out.push(
        rows.map((row) =>
          typeof row === "number"
            ? { text: null, state: STATES[row]!, address: 0 }
            : { text: row[0], state: "printed", address: row[1] },
        ),
      );
    }
    return out;
  }

  drop(name: string): void {
    rmSync(this.file(name), { force: true });
  }
}
