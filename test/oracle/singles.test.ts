/** One-instruction kernels: our code and that of ptxas -O0 and -O3 leave the same bytes in the simulator. */
import { compile } from "../../lib/compile";
import type { TargetName } from "../../lib/target/index";
import { moduleOf, singleKernel } from "../../tools/single/kernel";
import { inputs, loaded, room, runSingle } from "../../tools/single/run";
import { ptxas } from "./ptxas";
import { type Family, families } from "./singles";
import { describeOracle } from "./tools";

/** The outcome of each kernel: its memory, or its fault. */
function outcomes(family: Family, cubin: Uint8Array): string[] {
  const where = loaded(cubin);
  if (typeof where === "string") throw new Error(where);
  const at = room(where.device);
  const data = inputs(7);
  return family.lines.map((line, i) => {
    const { fault, memory } = runSingle(where, singleKernel(line, `k${i}`), data, at);
    return fault ?? Buffer.from(memory).toString("base64");
  });
}

function check(family: Family, target: TargetName, opt: number): void {
  const text = moduleOf(
    target,
    family.lines.map((line, i) => singleKernel(line, `k${i}`)),
  );
  const ours = compile(text, { target, opt, verify: true });
  expect(ours.diagnostics.map((d) => d.message)).toEqual([]);
  const theirs = [0, 3].map((level) => outcomes(family, ptxas(text, target, level)));
  const got = outcomes(family, ours.cubin as Uint8Array);
  const wrong = family.lines.filter((_, i) => theirs.some((t) => t[i] !== got[i]) || !isMemory(got[i] as string));
  expect(wrong).toEqual([]);
}

const isMemory = (outcome: string): boolean => !outcome.includes(":");

describeOracle("single instructions as ptxas's code does them", () => {
  for (const family of families)
    for (const target of family.targets)
      for (const opt of [0, 2])
        test(`${family.name}, ${target}, -O${opt}`, () => {
          check(family, target, opt);
        });
});
