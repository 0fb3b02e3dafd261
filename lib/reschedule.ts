/**
 * A cubin with its own code in another order, or with other control words: lift, schedule, control, encode, and back into
 * the file. The hazard checker looks at the result before anyone gets it.
 */
import { type Diagnostic, diagnostic, isFailure } from "./diagnostics.js";
import { readCubin } from "./elf/cubin/read.js";
import type { Cubin } from "./elf/index.js";
import { findingText } from "./hazard/index.js";
import { type Lifted, liftFunction, replaceCode } from "./lift/index.js";
import type { Func } from "./ori/types.js";
import { fail, ok, type Result } from "./result.js";
import { assignControl, type Policy, postSchedule, type ScheduleReport, scheduleFunc } from "./sched/index.js";
import { verifyCubin } from "./verify.js";

/** How a cubin is re-scheduled. */
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

/** What became of one function. */
export interface RescheduledFunction {
  /** Name of its symbol. */
  readonly name: string;
  /** How many instructions it has. */
  readonly instructions: number;
  /** Words that differ from those of the file, NOPs that the control pass put in included. */
  readonly changed: number;
  /** What the scheduler did, null when the order was kept. */
  readonly schedule: ScheduleReport | null;
}

/** A re-scheduled cubin. */
export interface Rescheduled {
  /** The new file. */
  readonly bytes: Uint8Array;
  /** The SM: `sm_90`. */
  readonly target: string;
  /** Its functions in the order of the file. */
  readonly functions: readonly RescheduledFunction[];
}

/** A cubin whose functions were lifted, changed and put back; nothing has judged the new code yet. */
export interface Rewritten<T> {
  readonly bytes: Uint8Array;
  /** The file as it was, and as it is now. */
  readonly before: Cubin;
  readonly after: Cubin;
  readonly functions: readonly { readonly lifted: Lifted; readonly done: T }[];
}

/**
 * The one road from a cubin to the same cubin with changed code: lift, `change` (in place; what it says is wrong ends the
 * road), control words, back into the file. Fails on what cannot be lifted or put back, and on unknown names in `functions`.
 */
export function rewriteCubin<T>(
  bytes: Uint8Array,
  change: (func: Func) => Result<T>,
  options: Pick<RescheduleOptions, "controls" | "functions"> = {},
): Result<Rewritten<T>> {
  const read = readCubin(bytes);
  if (!read.ok) return read;
  const before = read.value;
  const { functions, controls = "new" } = options;
  const problems: Diagnostic[] = (functions ?? [])
    .filter((name) => !before.functions.some((f) => f.name === name))
    .map((name) => diagnostic("error", `the cubin has no function ${name}`));
  const changed: { lifted: Lifted; done: T }[] = [];
  for (const f of before.functions) {
    if (functions !== undefined && !functions.includes(f.name)) continue;
    const lifted = liftFunction(before, f);
    const done = lifted.ok ? change(lifted.value.func) : lifted;
    if (!lifted.ok || !done.ok) {
      problems.push(...done.diagnostics);
      continue;
    }
    changed.push({ lifted: lifted.value, done: done.value });
    if (controls === "new") assignControl(lifted.value.func);
  }
  if (problems.some(isFailure)) return fail(problems);
  const made = replaceCode(
    bytes,
    changed.map((c) => c.lifted),
  );
  if (!made.ok) return made;
  const again = readCubin(made.value);
  if (!again.ok) return again;
  return ok({ bytes: made.value, before, after: again.value, functions: changed }, made.diagnostics);
}

/**
 * Fails on what cannot be lifted or put back, and when the hazard checker finds something in the new file that it does not
 * find in the old one.
 */
export function reschedule(bytes: Uint8Array, options: RescheduleOptions = {}): Result<Rescheduled> {
  const { order = "new", policy = postSchedule } = options;
  const controls = options.controls ?? (order === "keep" ? "keep" : "new");
  if (order === "new" && controls === "keep")
    return fail([diagnostic("error", "control words cannot be kept when the order is new")]);
  const made = rewriteCubin(bytes, (func) => ok(order === "new" ? scheduleFunc(func, policy) : null), {
    ...options,
    controls,
  });
  if (!made.ok) return made;
  const { before, after } = made.value;
  if (controls === "new") {
    const known = new Set(verifyCubin(before)?.map(findingText));
    const added = (verifyCubin(after) ?? []).map(findingText).filter((text) => !known.has(text));
    if (added.length > 0) return fail(added.map((text) => diagnostic("error", `hazard in the new code: ${text}`)));
  }
  const functions = made.value.functions.map(({ lifted, done }): RescheduledFunction => {
    const { words } = after.functions.find((f) => f.section === lifted.source.section)!;
    return {
      name: lifted.source.name,
      instructions: words.length / 4,
      changed: differing(lifted.source.words, words),
      schedule: done,
    };
  });
  const empty =
    before.functions.length > 0
      ? []
      : [diagnostic("info", "the cubin has no code: nothing to reschedule, it stays as it is")];
  return ok({ bytes: made.value.bytes, target: before.target, functions }, [...empty, ...made.diagnostics]);
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
