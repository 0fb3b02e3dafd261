/** `ptxlab verify`: the hazard checker on the code of cubins. */
import { findingText } from "../hazard/index.js";
import { verifyCubin } from "../verify.js";
import { readCommandLine } from "./command-line.js";
import { cubinsOf } from "./cubins.js";
import type { Host } from "./host.js";
import { UNUSABLE } from "./usage.js";

/** Exit status 0 clean, 1 with findings, 2 unusable input. */
export function verify(args: readonly string[], host: Host): number {
  const { file: path, values } = readCommandLine("verify", args);
  const files = cubinsOf(path, values.arch, host);
  if (files === null) return UNUSABLE;
  const outcomes = files.map(({ cubin }) => ({ target: cubin.target, findings: verifyCubin(cubin) }));
  const unknown = outcomes.find((o) => o.findings === null);
  if (unknown !== undefined) {
    host.err(`ptxlab: ${unknown.target} is not a target of the hazard checker\n`);
    return UNUSABLE;
  }
  const count = outcomes.reduce((n, o) => n + o.findings!.length, 0);
  if (values.json) host.out(`${JSON.stringify({ clean: count === 0, cubins: outcomes }, null, 1)}\n`);
  else {
    for (const o of outcomes) for (const f of o.findings!) host.out(`${findingText(f)}\n`);
    if (count === 0) host.out("clean\n");
  }
  return count === 0 ? 0 : 1;
}
