/** What is rare in PTX: our code and ptxas's leave the same memory in the simulator, and ours holds no hazard. */
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf";
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim";
import type { TargetName } from "../../lib/target";
import { verifyCubin } from "../../lib/verify";
import { ptxas } from "./ptxas";
import { restKernels } from "./rest-kernels";
import { describeOracle } from "./tools";

const sms = [75, 80, 86, 90, 100, 120] as const;

function memory(cubin: Uint8Array): number[] {
  const out = new Uint32Array(64 * 8);
  const run = unwrap(simulate(cubin, { kernel: "k", grid: 2, block: 32, sharedBytes: 512, params: [out, { u32: 5 }] }));
  expect(run.fault).toBeNull();
  return [...out];
}

describeOracle("rare PTX", () => {
  const cases = restKernels.flatMap((k) => sms.filter((sm) => sm >= k.from).map((sm) => [k.name, sm, k] as const));
  test.each(cases)("%s on sm_%d", (_, sm, k) => {
    const target = `sm_${sm}` as TargetName;
    const text = `.version 9.0\n.target ${target}\n.address_size 64\n${k.text}\n`;
    const plain = memory(ptxas(text, target, 0));
    if (k.notBest === "") expect(memory(ptxas(text, target, 3))).toEqual(plain);
    for (const opt of [0, 1, 2]) {
      const made = compile(text, { target, opt, verify: true });
      expect(made.diagnostics.filter((d) => d.severity !== "warning").map((d) => d.message)).toEqual([]);
      const cubin = made.cubin as Uint8Array;
      expect(verifyCubin(unwrap(readCubin(cubin)))).toEqual([]);
      expect(memory(cubin)).toEqual(plain);
    }
  });
});
