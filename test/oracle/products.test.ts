/** ptxas's code for products of warp groups: the hazard checker finds nothing, and nothing in our order of it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCubin } from "../../lib/elf/index.js";
import { findingText } from "../../lib/hazard/index.js";
import { liftCubin, replaceCode } from "../../lib/lift/index.js";
import { unwrap } from "../../lib/result.js";
import { assignControl, best, scheduleFunc } from "../../lib/sched/index.js";
import { verifyCubin } from "../../lib/verify.js";
import { wgmmaModule } from "../../tools/hazard/wgmma.js";
import { describeOracle, inScratch, tool } from "./tools.js";

describeOracle("products of warp groups", () => {
  const hazards = (cubin: Uint8Array): string[] => verifyCubin(unwrap(readCubin(cubin)))!.map(findingText);
  test.each(["-O1", "-O3"])("%s", (level) => {
    inScratch((dir) => {
      writeFileSync(join(dir, "k.ptx"), wgmmaModule);
      expect(tool("ptxas", ["-arch=sm_90a", level, "-o", "k.cubin", "k.ptx"], { cwd: dir }).status).toBe(0);
      const bytes = new Uint8Array(readFileSync(join(dir, "k.cubin")));
      expect(hazards(bytes)).toEqual([]);
      const lifted = unwrap(liftCubin(unwrap(readCubin(bytes))));
      let [same, all] = [0, 0];
      for (const { func } of lifted) {
        const theirs = func.blocks.flatMap((b) => b.insts.map((i) => ({ inst: i, control: { ...i.control } })));
        assignControl(func);
        all += theirs.length;
        same += theirs.filter((t) => JSON.stringify(t.control) === JSON.stringify({ ...t.inst.control })).length;
        scheduleFunc(func, best);
        assignControl(func);
      }
      expect(hazards(unwrap(replaceCode(bytes, lifted)))).toEqual([]);
      expect(all).toBeGreaterThan(1400);
      expect(same / all).toBeGreaterThan(0.95);
    });
  });
});
