/** Barrier objects in shared memory and the copies that they count, in ptxas's code run by the simulator. */
import { reschedule } from "../../lib/reschedule";
import { cases, header, wrong } from "./mbarrier-kernels";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";

describeOracle("barriers in shared memory", () => {
  const asked = cases.flatMap((c) =>
    [80, 89, 90, 100, 120].filter((sm) => sm >= c.from && sm <= (c.to ?? 121)).map((sm) => [c.name, sm, c] as const),
  );
  test.each(asked)("%s, sm_%i", (_, sm, c) => {
    const arch = `sm_${sm}${sm >= 90 ? "a" : ""}`;
    const found: string[] = [];
    for (const level of [0, 3]) {
      const cubin = ptxas(header(arch) + c.text, arch, level);
      found.push(...wrong(c, cubin).map((m) => `-O${level}: ${m}`));
      const made = reschedule(cubin);
      if (!made.ok) found.push(...made.diagnostics.map((d) => d.message));
      else found.push(...wrong(c, made.value.bytes).map((m) => `-O${level}, new order: ${m}`));
    }
    expect(found).toEqual([]);
  });
});
