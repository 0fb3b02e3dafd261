/** ptxas's loads and stores of 32 bytes in the simulator, also where parts of what is loaded are not used. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { simulate } from "../../lib/sim/index";
import { describeOracle, inScratch, tool } from "./tools";

const PAIRS = [0, 1, 2, 3].flatMap((a) => [0, 1, 2, 3].map((b) => [a, b] as const));

const text = (sm: number, a: number, b: number): string => `.version 9.0
.target sm_${sm}
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b64 %d<9>; .reg .b32 %r<3>;
  ld.param.u64 %d7, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d8, %r1, 80; add.u64 %d7, %d7, %d8;
  ld.global.v4.b64 {%d0, %d1, %d2, %d3}, [%d7];
  st.global.b64 [%d7+64], %d${a}; st.global.b64 [%d7+72], %d${b};
  ${a === b ? `st.global.v4.b64 [%d7+32], {%d3, %d${a}, %d1, %d0};` : ""}
  ret; }
`;

describeOracle("accesses of 256 bits", () => {
  test.each([100, 120].flatMap((sm) => [0, 3].map((level) => [sm, level] as const)))("sm_%i -O%i", (sm, level) => {
    for (const [a, b] of PAIRS) {
      const cubin = inScratch((dir) => {
        const [source, out] = [join(dir, "k.ptx"), join(dir, "k.cubin")];
        // Rows of 80 bytes: one lane, so that they are aligned.
        writeFileSync(source, text(sm, a, b));
        const made = tool("ptxas", [`-arch=sm_${sm}`, `-O${level}`, "-o", out, source]);
        if (made.status !== 0) throw new Error(made.stderr);
        return new Uint8Array(readFileSync(out));
      });
      const memory = new BigUint64Array(10).map((_, i) => 0x1000000010n * BigInt(i + 1));
      const r = simulate(cubin, { kernel: "k", grid: 1, block: 1, params: [memory] });
      const v = (i: number): bigint => 0x1000000010n * BigInt(i + 1);
      const stored = a === b ? [v(3), v(a), v(1), v(0)] : [4, 5, 6, 7].map(v);
      expect(r.ok && r.value.fault === null ? [...memory] : r).toEqual([v(0), v(1), v(2), v(3), ...stored, v(a), v(b)]);
    }
  });
});
