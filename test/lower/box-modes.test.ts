/** Boxes of tensors in all modes, their reductions, and copies into another block's memory, in our code (test/oracle/box-kernels.ts). */
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import type { TargetName } from "../../lib/target/index";
import { verifyCubin } from "../../lib/verify";
import { cases } from "../oracle/box-kernels";

const asked = Object.entries(cases).flatMap(([name, [, targets]]) => targets.map((t) => [name, t] as const));

test.each(asked)("%s on %s", (name, target) => {
  const [asked_] = cases[name]!;
  for (const opt of [0, 2]) {
    const made = compile(asked_.ptx(target), { target: target as TargetName, opt, verify: true });
    expect(made.diagnostics.filter((d) => d.severity !== "warning" && d.severity !== "info")).toEqual([]);
    expect(verifyCubin(unwrap(readCubin(made.cubin!)))).toEqual([]);
    expect(asked_.wrong(made.cubin!)).toBe("");
  }
});
