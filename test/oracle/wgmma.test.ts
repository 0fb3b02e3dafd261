/** Products of warp groups in ptxas's code, run in the simulator. */
import { Device } from "../../lib/sim/index";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";
import { cases, kernel, problem } from "./wgmma-kernels";

describeOracle("products of a warp group", () => {
  test.each([0, 3])("sm_90a -O%i", (level) => {
    const text = cases.map((c, i) => kernel(`k${i}`, c)).join("");
    const cubin = ptxas(`.version 9.0\n.target sm_90a\n.address_size 64\n${text}`, "sm_90a", level);
    const device = new Device();
    const module = device.load(cubin);
    if (!module.ok) throw new Error(module.diagnostics.map((d) => d.message).join("\n"));
    const wrong = cases.map((c, i) => problem(device, module.value, `k${i}`, c, 31 + i)).filter((x) => x !== "");
    expect(wrong).toEqual([]);
  });
});
