/** PTX compiled as the options of a command ask: target, level, registers, knobs, policy. */
import { type Compilation, type CompileOptions, compile } from "../compile.js";
import { suggestion } from "../knobs/index.js";
import { adjustRegisterOption } from "../regalloc/index.js";
import { type Policy, policyNamed, schedulePolicies } from "../sched/index.js";
import { isTargetName, target, targetNames } from "../target/index.js";
import { printAll } from "./cubins.js";
import type { Host } from "./host.js";
import { bytesOf, UsageError } from "./usage.js";

/** The options that commands which compile share; undefined: not given. */
export interface CompilerValues {
  readonly arch: string | undefined;
  readonly "opt-level": number | undefined;
  readonly maxrregcount: number | undefined;
  readonly knob: readonly string[] | undefined;
  readonly policy: string | undefined;
  readonly kernel: readonly string[] | undefined;
}

/** Options of the compiler as the values say, and the text of the file. Throws a UsageError on values that cannot be used. */
export function compilerOptions(
  file: string,
  values: CompilerValues,
  host: Host,
): { readonly text: string; readonly options: CompileOptions } {
  const { arch = "sm_90", maxrregcount, policy } = values;
  if (!isTargetName(arch)) throw new UsageError(`unknown target '${arch}' (one of ${targetNames.join(", ")})`);
  const limit = maxrregcount === undefined ? null : adjustRegisterOption(target(arch), maxrregcount);
  printAll(limit?.diagnostics ?? [], file, host);
  const schedule = policy === undefined ? null : policyOf(policy);
  const options: CompileOptions = {
    target: arch,
    file,
    ...(values["opt-level"] !== undefined && { opt: values["opt-level"] }),
    ...(limit !== null && limit.value !== null && { maxRegisters: limit.value }),
    ...(values.knob && { knobs: Object.fromEntries(values.knob.map(knobSetting)) }),
    ...(values.kernel && { entries: values.kernel }),
    ...(schedule && { phases: { schedule: { pre: schedule, post: schedule } } }),
  };
  return { text: Buffer.from(bytesOf(file, host)).toString("latin1"), options };
}

/** Compiles the file and prints what there is to tell. Throws a UsageError on values that cannot be used. */
export function compiledFile(
  file: string,
  values: CompilerValues,
  host: Host,
  more: Pick<CompileOptions, "observe"> = {},
): Compilation {
  const { text, options } = compilerOptions(file, values, host);
  const c = compile(text, { ...options, ...more });
  printAll(c.diagnostics, file, host);
  return c;
}

function policyOf(name: string): Policy {
  const policy = policyNamed(name);
  const names = schedulePolicies.map((p) => p.name);
  if (policy === undefined)
    throw new UsageError(`unknown policy '${name}'${suggestion(name, names)}; there are ${names.join(", ")}`);
  return policy;
}

/** `NAME=VALUE`; what names and values there are the compiler says. */
function knobSetting(text: string): [string, string] {
  const eq = text.indexOf("=");
  if (eq < 1) throw new UsageError(`--knob takes NAME=VALUE, not '${text}'`);
  return [text.slice(0, eq), text.slice(eq + 1)];
}
