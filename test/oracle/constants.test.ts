/** ptxas's code for generic addresses of constants, in the simulator: bank 3 has a window, whose address stands in bank 0. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { simulate } from "../../lib/sim/index";
import { CONSTANT_ADDRESSES, constantAddresses } from "../lower/constant-kernel";
import { describeOracle, inScratch, tool } from "./tools";

describeOracle("generic addresses of constants", () => {
  const targets = [75, 80, 86, 89, 90, 100, 103, 110, 120, 121];
  test.each(targets.flatMap((sm) => [0, 3].map((level) => [sm, level] as const)))("sm_%i -O%i", (sm, level) => {
    const cubin = inScratch((dir) => {
      const [source, out] = [join(dir, "k.ptx"), join(dir, "k.cubin")];
      const target = `sm_${sm}`;
      writeFileSync(source, constantAddresses(target).replace(".version 8.8", ".version 9.0"));
      const made = tool("ptxas", [`-arch=${target}`, `-O${level}`, "-o", out, source]);
      if (made.status !== 0) throw new Error(made.stderr);
      return new Uint8Array(readFileSync(out));
    });
    const out = new Uint32Array(5);
    const r = simulate(cubin, { kernel: "k", grid: 1, block: 1, params: [out, { u32: 2 }] });
    expect(r.ok && r.value.fault === null ? [...out] : r).toEqual(CONSTANT_ADDRESSES);
  });
});
