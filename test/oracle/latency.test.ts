/** Cells of the latency tables, derived again from kernels that ptxas compiles now (tools/harvest-latency.ts). */
import { existsSync } from "node:fs";
import { latencyTables } from "../../lib/isa/latency/index.js";
import { type Checked, derive } from "../../tools/latency/check.js";
import { describeOracle } from "./tools.js";

describeOracle("latency tables", () => {
  const checked = new Map<number, Checked>();
  beforeAll(() => {
    if (!existsSync(".oracle/bin/ptxas")) return;
    for (const sm of [75, 90, 120] as const)
      checked.set(sm, derive(sm, { cells: 60, seed: 11, modules: 1, directed: false, progress: () => undefined }));
  }, 120_000);

  test.each([75, 90, 120])("sm_%i: what chains show is what the tables say", (sm) => {
    const c = checked.get(sm)!;
    expect(c.contradictions).toEqual([]);
    expect(c.cells).toBe(60);
    expect(c.equal).toBeGreaterThan(20);
  });

  test("every SM has its tables", () => {
    for (const sm of [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121])
      expect(latencyTables(sm).table("R", "raw").rows.length).toBeGreaterThan(10);
  });
});
