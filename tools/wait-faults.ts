/**
 * Faults of waiting (a wait, fence, arrival or expected count removed or weakened) in the asynchronous kernels of the corpus, one at a time, and
 * who reports them: `node tools/run-ts.cjs tools/wait-faults.ts [NAME…] [--seeds N] [--list]`. --list prints each with what is said of it; else only
 * those of which nothing is said.
 */
import { asynchronousKernels, matrixText } from "../test/corpus/matrix/cases.js";
import { waitFaults } from "../test/corpus/matrix/faults.js";
import { judge } from "../test/corpus/matrix/judge.js";
import { numberOf, readArguments } from "./arguments.js";

const { values, positionals } = readArguments({
  seeds: { type: "string", default: "8" },
  list: { type: "boolean", default: false },
});
const counts = new Map<string, number>();
for (const k of asynchronousKernels) {
  if (positionals.length > 0 && !positionals.some((p) => k.file.includes(p))) continue;
  const text = matrixText(k);
  for (const target of k.targets)
    for (const fault of waitFaults(text, k.kernel)) {
      const { by, text: said } = judge(fault.text, k, target, numberOf(values.seeds));
      counts.set(by, (counts.get(by) ?? 0) + 1);
      if (values.list || by === "none")
        console.log(`${k.file} ${k.kernel} ${target} line ${fault.line} ${fault.what}: ${by} ${said.slice(0, 160)}`);
    }
}
const all = [...counts.values()].reduce((x, y) => x + y, 0);
const refused = counts.get("refused") ?? 0;
const told = all - refused - (counts.get("none") ?? 0);
const how = [...counts].map(([by, n]) => `${by} ${n}`).join(", ");
console.log(`${told} of ${all - refused} faults are reported (${how})`);
