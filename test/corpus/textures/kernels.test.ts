/** Our code of the kernels (cases.ts) at all levels, and the interpreter, against plain results; machine words judged by the hazard checker. */
import { compile } from "../../../lib/compile.js";
import { readCubin } from "../../../lib/elf/index.js";
import { unwrap } from "../../../lib/result.js";
import { simulate } from "../../../lib/sim/index.js";
import { PtxDevice } from "../../../lib/sim/ptx/index.js";
import { verifyCubin } from "../../../lib/verify.js";
import { targets, textOf, textureKernels } from "./cases.js";

const files = [...new Set(textureKernels.map((k) => k.file))];
const asked = files.flatMap((file) => targets.flatMap((target) => [0, 1, 2].map((opt) => [file, target, opt] as const)));

test.each(asked)("%s on %s -O%i", (file, target, opt) => {
  const own = textureKernels.filter((k) => k.file === file);
  const { diagnostics, cubin } = compile(textOf(own[0]!), { target, opt, verify: true });
  expect(diagnostics).toEqual([]);
  expect(verifyCubin(unwrap(readCubin(cubin!)))).toEqual([]);
  for (const { kernel, grid, block, prepare } of own) {
    const { params, check } = prepare();
    const run = unwrap(simulate(cubin!, { kernel, grid, block, params }));
    expect([kernel, run.fault, check()]).toEqual([kernel, null, ""]);
  }
});

test.each(textureKernels.map((k) => [k.kernel, k] as const))("%s as the PTX ISA has it", (_, k) => {
  const device = new PtxDevice();
  const module = unwrap(device.load(textOf(k)));
  const { params, check } = k.prepare();
  const { kernel, grid, block } = k;
  expect([unwrap(device.launch(module, { kernel, grid, block, params })).fault, check()]).toEqual([null, ""]);
});
