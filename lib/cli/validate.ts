/** `ptxlab validate` and `ptxlab bisect`: does the code compute after every phase what it computes at -O0, and if not, since when? */
import { dirname, resolve } from "node:path";
import {
  bisect,
  launchRunner,
  NotValidated,
  type Runner,
  type ValidateOptions,
  validate,
} from "../experiment/validation.js";
import { counted } from "../inspect.js";
import { readCommandLine } from "./command-line.js";
import { compilerOptions } from "./compiled.js";
import type { Host } from "./host.js";
import { jsonFile, UNUSABLE, UsageError } from "./usage.js";

/** Exit status 0: the same after every phase, 1: not, 2: unusable input. */
export function validateCommand(args: readonly string[], host: Host): number {
  const { file, values } = readCommandLine("validate", args);
  return asked(file, values, host, (text, options, run) => {
    const { phases } = validate(text, options, run);
    const wrong = phases.filter((p) => p.verdict === "different");
    if (values.json) host.out(`${JSON.stringify({ phases }, null, 1)}\n`);
    else {
      for (const p of phases) host.out(`${p.phase}: ${p.verdict}${p.detail === "" ? "" : ` (${p.detail})`}\n`);
      host.out(`${counted(phases.length, "phase")} changed something, ${wrong.length} with other results than -O0\n`);
    }
    return wrong.length === 0 ? 0 : 1;
  });
}

/** Exit status 0: no phase makes the results differ, 1: one does, 2: unusable input. */
export function bisectCommand(args: readonly string[], host: Host): number {
  const { file, values } = readCommandLine("bisect", args);
  return asked(file, values, host, (text, options, run) => {
    const found = bisect(text, options, run);
    if (values.json) host.out(`${JSON.stringify({ culprit: found }, null, 1)}\n`);
    else if (found === null) host.out("the results are those of -O0\n");
    else {
      host.out(`${found.phase}: ${found.detail}\n`);
      const { rewrite } = found;
      if (rewrite !== null) host.out(`  rewrite ${rewrite.number} of ${rewrite.of}: ${rewrite.what}\n`);
    }
    return found === null ? 0 : 1;
  });
}

type Values = Parameters<typeof compilerOptions>[1] & { readonly launch: string | undefined };

function asked(
  file: string,
  values: Values,
  host: Host,
  ask: (text: string, options: ValidateOptions, run: Runner) => number,
): number {
  const { launch } = values;
  if (launch === undefined) throw new UsageError("the launches are missing: --launch FILE");
  const { text, options } = compilerOptions(file, values, host);
  const run = launchRunner(jsonFile(launch, host).value, (path) => host.read(resolve(dirname(launch), path)));
  try {
    return ask(text, options, run);
  } catch (e) {
    if (!(e instanceof NotValidated)) throw e;
    host.err(`ptxlab: ${file}: ${e.message}\n`);
    return UNUSABLE;
  }
}
