/** Bulk copies of boxes of a tensor in ptxas's code, run in the simulator. */
import { ptxas } from "./ptxas";
import { kernel, wrong } from "./tensor-kernels";
import { describeOracle } from "./tools";

describeOracle("boxes of a tensor", () => {
  test.each(["sm_90", "sm_100"].flatMap((arch) => [0, 3].map((level) => [arch, level] as const)))(
    "%s -O%i",
    (arch, level) => {
      const cubin = ptxas(kernel(arch, "2d"), arch, level);
      expect(([0, 32] as const).map((swizzle) => wrong(cubin, swizzle))).toEqual(["", ""]);
    },
  );
});
