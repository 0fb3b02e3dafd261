/** Boxes of tensors in all modes, their reductions, and copies into another block's memory, in ptxas's code. */
import { cases } from "./box-kernels";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";

const asked = Object.entries(cases).flatMap(([name, [, targets]]) => targets.map((t) => [name, t] as const));

describeOracle("boxes", () => {
  test.each(asked)("%s on %s", (name, target) => {
    const [kernel] = cases[name]!;
    for (const level of [0, 3]) expect(kernel.wrong(ptxas(kernel.ptx(target), target, level))).toBe("");
  });
});
