/** The messages of `test/ptx/refused-lines.ts` are ptxas's. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { refusedLines, refusedModule } from "../ptx/refused-lines";
import { describeOracle, inScratch, tool } from "./tools";

describeOracle("refused lines", () => {
  test("each line's first message", () => {
    const { text, first } = refusedModule();
    const said = inScratch((dir) => {
      writeFileSync(join(dir, "k.ptx"), text);
      return tool("ptxas", ["-arch=sm_100a", join(dir, "k.ptx"), "-o", join(dir, "k.cubin")]).stderr;
    });
    const of = (k: number): string | undefined => new RegExp(`line ${first + k}; error +: (.*)`).exec(said)?.[1];
    expect(refusedLines.map(([line], k) => [line, of(k)])).toEqual(refusedLines.map((l) => [...l]));
  });
});
