/** ptxas's code for bfe and bfi of 64 bits takes positions and lengths as 32-bit numbers, whatever the PTX ISA says. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { simulate } from "../../lib/sim/index";
import { bitFields, expectedFields, FIELDS } from "../lower/bit-field-kernel";
import { describeOracle, inScratch, tool } from "./tools";

describeOracle("64-bit fields in ptxas's code", () => {
  test.each([75, 80, 90, 100, 120].flatMap((sm) => [0, 3].map((level) => [sm, level] as const)))(
    "sm_%i -O%i",
    (sm, level) => {
      const cubin = inScratch((dir) => {
        const [source, out] = [join(dir, "k.ptx"), join(dir, "k.cubin")];
        writeFileSync(source, bitFields(`sm_${sm}`));
        const made = tool("ptxas", [`-arch=sm_${sm}`, `-O${level}`, "-o", out, source]);
        if (made.status !== 0) throw new Error(made.stderr);
        return new Uint8Array(readFileSync(out));
      });
      const out = new BigUint64Array(3 * FIELDS.length);
      const input = Uint32Array.from(FIELDS.flat());
      const r = simulate(cubin, { kernel: "k", grid: 1, block: FIELDS.length, params: [out, input] });
      expect(r.ok && r.value.fault === null ? [...out].map((n) => n.toString(16)) : r).toEqual(expectedFields);
    },
  );
});
