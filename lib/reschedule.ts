/**
 * A cubin with its own code in another order, or with other control words: lift, schedule, control, encode, and back into
 * the file. The hazard checker looks at the result before anyone gets it.
 */
import { type Diagnostic, diagnostic, isFailure } from "./diagnostics.js";
import { readCubin } from "./elf/index.js";
import { type Lifted, liftFunction, replaceCode } from "./lift/index.js";
import { fail, ok, type Result } from "./result.js";
import { assignControl, type Policy, postSchedule, type ScheduleReport, scheduleFunc } from "./sched/index.js";
import { findingText } from "./sched/verify/index.js";
import { verifyCubin } from "./verify.js";

export interface RescheduleOptions {
  /** `new` (default): the policy's order; `keep`: the instructions stay where they are. */
  readonly order?: "keep" | "new";
  /** Control words: those of the file, or those of the control pass. Default: `keep` with `order: "keep"`, else `new`. */
  readonly controls?: "keep" | "new";
  /** Default `postSchedule`. */
  readonly policy?: Policy;
  /** Only functions of these names. Default all. */
  readonly functions?: readonly string[];
}

export interface RescheduledFunction {
  readonly name: string;
  readonly instructions: number;
  /** Words that differ from those of the file, NOPs that the control pass put in included. */
  readonly changed: number;
  /** What the scheduler did, null when the order was kept. */
  readonly schedule: ScheduleReport | null;
}

export interface Rescheduled {
  readonly bytes: Uint8Array;
  readonly target: string;
  readonly functions: readonly RescheduledFunction[];
}

/**
 * Fails on what cannot be lifted or put back, and when the hazard checker finds something in the new code of a file that
 * was clean.
 */
export function reschedule(bytes: Uint8Array, options: RescheduleOptions = {}): Result<Rescheduled> {
  const read = readCubin(bytes);
  if (!read.ok) return read;
  const cubin = read.value;
  const { order = "new", policy = postSchedule, functions } = options;
  const controls = options.controls ?? (order === "keep" ? "keep" : "new");
  if (order === "new" && controls === "keep")
    return fail([diagnostic("error", "control words cannot be kept when the order is new")]);
  const problems: Diagnostic[] = (functions ?? [])
    .filter((name) => !cubin.functions.some((f) => f.name === name))
    .map((name) => diagnostic("error", `the cubin has no function ${name}`));
  const lifted: Lifted[] = [];
  const reports: (ScheduleReport | null)[] = [];
  for (const f of cubin.functions) {
    if (functions !== undefined && !functions.includes(f.name)) continue;
    const l = liftFunction(cubin, f);
    if (!l.ok) {
      problems.push(...l.diagnostics);
      continue;
    }
    lifted.push(l.value);
    reports.push(order === "new" ? scheduleFunc(l.value.func, policy) : null);
    if (controls === "new") assignControl(l.value.func);
  }
  if (problems.some(isFailure)) return fail(problems);
  const made = replaceCode(bytes, lifted);
  if (!made.ok) return made;
  const again = readCubin(made.value);
  if (!again.ok) return again;
  const now = again.value;
  if (controls === "new" && (verifyCubin(cubin)?.length ?? 0) === 0) {
    const findings = verifyCubin(now) ?? [];
    if (findings.length > 0) return fail(findings.map((f) => diagnostic("error", findingText(f))));
  }
  const done = lifted.map((l, i): RescheduledFunction => {
    const words = now.functions.find((f) => f.section === l.source.section)!.words;
    return {
      name: l.source.name,
      instructions: words.length / 4,
      changed: differing(l.source.words, words),
      schedule: reports[i]!,
    };
  });
  return ok({ bytes: made.value, target: cubin.target, functions: done });
}

function differing(before: Uint32Array, after: Uint32Array): number {
  let n = Math.abs(after.length - before.length) / 4;
  for (let at = 0; at < Math.min(before.length, after.length); at += 4)
    for (let k = 0; k < 4; k++)
      if (before[at + k] !== after[at + k]) {
        n++;
        break;
      }
  return n;
}
