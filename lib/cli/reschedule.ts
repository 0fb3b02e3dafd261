/** `ptxlab reschedule`: the code of a cubin in another order, with control words for it. */
import { counted } from "../inspect.js";
import { reschedule } from "../reschedule.js";
import { policyNamed, postSchedule, schedulePolicies } from "../sched/index.js";
import { readCommandLine } from "./command-line.js";
import { oneCubinOf, printAll } from "./cubins.js";
import type { Host } from "./host.js";
import { save, UNUSABLE, UsageError } from "./usage.js";

/** Exit status 0 done, 1 refused, 2 unusable input. */
export function rescheduleCommand(args: readonly string[], host: Host): number {
  const { file: path, values } = readCommandLine("reschedule", args);
  const { order = "new", controls } = values;
  const policyName = values.policy ?? postSchedule.name;
  const policy = policyNamed(policyName);
  if (policy === undefined)
    throw new UsageError(`unknown policy '${policyName}' (one of ${schedulePolicies.map((p) => p.name).join(", ")})`);
  const cubin = oneCubinOf(path, values.arch, host, ": choose with --arch");
  if (cubin === null) return UNUSABLE;
  const done = reschedule(cubin.bytes, {
    order,
    policy,
    ...(controls !== undefined && { controls }),
    ...(values.kernel && { functions: values.kernel }),
  });
  if (!done.ok) {
    printAll(done.diagnostics, path, host);
    return 1;
  }
  const { bytes, target, functions } = done.value;
  const saved = save(values.output ?? "a.cubin", bytes, host);
  if (saved !== 0) return saved;
  printAll(done.diagnostics, path, host);
  if (values.json) host.out(`${JSON.stringify({ target, order, policy: policy.name, functions }, null, 1)}\n`);
  else
    for (const f of functions) {
      const s = f.schedule;
      const cycles =
        s === null ? "" : `, estimated cycles ${Math.round(s.before)} -> ${Math.round(s.after)}, ${s.moved} moved`;
      host.out(
        `${f.name}: ${counted(f.instructions, "instruction")}, ${counted(f.changed, "word")} changed${cycles}\n`,
      );
    }
  return 0;
}
