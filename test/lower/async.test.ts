/** Our code of barriers in shared memory, clusters and the copies that they count, in the simulator (kernels: test/oracle/mbarrier-kernels.ts). */
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import type { TargetName } from "../../lib/target/index";
import { verifyCubin } from "../../lib/verify";
import { cases, header, wrong } from "../oracle/mbarrier-kernels";

const asked = cases.flatMap((c) =>
  [80, 89, 90, 100, 120].filter((sm) => sm >= c.from && sm <= (c.to ?? 121)).map((sm) => [c.name, sm, c] as const),
);

test.each(asked)("%s, sm_%i", (_, sm, c) => {
  const arch = `sm_${sm}${sm >= 90 ? "a" : ""}` as TargetName;
  for (const opt of [0, 1, 2]) {
    const made = compile(header(arch) + c.text, { target: arch, opt, verify: true });
    expect(made.diagnostics.map((d) => d.message)).toEqual([]);
    expect(verifyCubin(unwrap(readCubin(made.cubin!)))).toEqual([]);
    expect(wrong(c, made.cubin!)).toEqual([]);
  }
});
