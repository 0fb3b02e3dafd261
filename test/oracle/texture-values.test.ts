/** Every form of textures and surfaces, compiled by ours and by ptxas at -O0 and -O3, gives in the simulator what an independent reference says. */
import { compile } from "../../lib/compile";
import { unwrap } from "../../lib/result";
import { Device, simulate } from "../../lib/sim/index";
import type { TargetName } from "../../lib/target/index";
import { textOf, textureKernels } from "../corpus/textures/cases";
import { differences, type Runner } from "../sim/texture-run";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";

function runner(make: (ptx: string) => Uint8Array): Runner {
  let device = new Device();
  return {
    load: (ptx) => {
      device = new Device();
      return device.load(make(ptx));
    },
    launch: (module, options) => device.launch(module, options),
  };
}

describeOracle("ptxas's code of the corpus over textures", () => {
  test.each(["sm_75", "sm_90", "sm_120"] as const)("%s: right, and nothing reads what nobody has written", (target) => {
    const cubins = new Map<string, Uint8Array>();
    for (const k of textureKernels) {
      const cubin = cubins.get(k.file) ?? ptxas(textOf(k).replace(/\.target \w+/, `.target ${target}`), target, 3);
      cubins.set(k.file, cubin);
      const { params, check } = k.prepare();
      const { kernel, grid, block } = k;
      const run = unwrap(simulate(cubin, { kernel, grid, block, params, races: true, registers: true }));
      expect([kernel, run.fault, check()]).toEqual([kernel, null, ""]);
      expect([kernel, run.findings]).toEqual([kernel, { races: [], uninitialized: [], registers: [] }]);
    }
  });
});

describeOracle("values of textures and surfaces", () => {
  describe.each(["sm_75", "sm_90a"] as const)("%s", (target: TargetName) => {
    test.each([0, 3] as const)("-O%i", (opt) => {
      expect(
        differences(
          target,
          runner((ptx) => compile(ptx, { target, opt }).cubin!),
        ),
      ).toEqual([]);
      expect(
        differences(
          target,
          runner((ptx) => ptxas(ptx, target, opt)),
        ),
      ).toEqual([]);
    });
  });
});
