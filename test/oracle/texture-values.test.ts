/** Every form of textures and surfaces, compiled by ours and by ptxas at -O0 and -O3, gives in the simulator what an independent reference says. */
import { compile } from "../../lib/compile";
import { Device } from "../../lib/sim/index";
import type { TargetName } from "../../lib/target/index";
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
