/** Our code of the kernels (cases.ts) on the SMs that have the instructions, at all levels, against plain results; machine words judged by the hazard checker. */
import { compile } from "../../../lib/compile.js";
import { readCubin } from "../../../lib/elf/index.js";
import { unwrap } from "../../../lib/result.js";
import { simulate } from "../../../lib/sim/index.js";
import { verifyCubin } from "../../../lib/verify.js";
import type { TargetName } from "../../../lib/target/index.js";
import { asynchronousKernels, launchOf, type MatrixKernel, matrixKernels, matrixText } from "./cases.js";

/** Files with several kernels are compiled once for a target and a level. */
const compiled = new Map<string, ReturnType<typeof compile>>();
function made(k: MatrixKernel, target: TargetName, opt: number): ReturnType<typeof compile> {
  const key = `${k.file} ${target} ${opt}`;
  let found = compiled.get(key);
  if (found === undefined) {
    found = compile(matrixText(k), { target, opt, verify: true });
    compiled.set(key, found);
  }
  return found;
}

const asked = matrixKernels.flatMap((k) => k.targets.flatMap((t) => [0, 1, 2].map((opt) => [`${k.file} ${k.kernel}`, t, opt, k] as const)));

test.each(asked)("%s on %s -O%i", (_, target, opt, k) => {
  const { diagnostics, cubin } = made(k, target, opt);
  expect(diagnostics).toEqual([]);
  expect(verifyCubin(unwrap(readCubin(cubin!)))).toEqual([]);
  const { params, check } = k.prepare();
  const run = unwrap(simulate(cubin!, { ...launchOf(k), params }));
  expect(run.fault).toBeNull();
  expect(check()).toBe("");
});

test.each(asynchronousKernels.map((k) => [`${k.file} ${k.kernel}`, k] as const))("%s: 20 orders in which operations end, and at once", (_, k) => {
  const { cubin } = made(k, k.targets[0]!, 2);
  for (const completion of ["at-once", ...Array.from({ length: 20 }, (_, i) => i + 1)] as const) {
    const { params, check } = k.prepare();
    const run = unwrap(simulate(cubin!, { ...launchOf(k), params, completion }));
    expect([completion, run.fault, check()]).toEqual([completion, null, ""]);
  }
});
