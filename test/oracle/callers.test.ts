/** Compilers of other makers call `bin/ptxas` unchanged, those that are on this machine (tools/callers.ts); what comes out is right. Needs the build. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { callers, workplace } from "../../tools/callers/callers.js";
import { inScratch } from "./tools.js";

const built = existsSync(join(__dirname, "../../dist/cli/ptxas.js"));

for (const { name, missing, run } of callers())
  (built && missing === null ? describe : describe.skip)(name, () => {
    test("compiles with bin/ptxas, and right", () => {
      const trouble = inScratch((dir) => run(workplace(dir)));
      expect(Object.entries(trouble).filter(([, what]) => what !== "")).toEqual([]);
    });
  });
