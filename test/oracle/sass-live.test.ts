/**
 * Life ranges of decoded code beside nvdisasm's (`-plr`): which registers each instruction reads, writes and keeps alive,
 * on the corpus as ptxas makes it (other SMs and levels: tools/live-figures.ts), and on words of the table
 * (tools/live-words.ts).
 *
 * nvdisasm takes calls by the calling convention and leaves some registers out: `asNvdisasm`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readCubin } from "../../lib/elf/index.js";
import { unwrap } from "../../lib/result.js";
import { decodeCode } from "../../lib/sass/index.js";
import { type TargetName, target } from "../../lib/target/index.js";
import { sweepWords } from "../../tools/sass/live-sweep.js";
import { askRanges, ourRanges } from "../../tools/sass/ranges.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const opcodes =
  "23c 237 24b 449 83b 844 97eu 97fu 9a6u 98eu 981u 986u 9aau 3b4u 3b5u 5b8u 3bau 9e3u 5eau 9eeu 9edu d61u d67u d64u d6du 370 36a 998 99e 394 3adu 920 31f 5b2u".split(
    " ",
  );

const ptx = resolve(__dirname, "../corpus/ptx");

describeOracle("life ranges", () => {
  test.each([
    [75, "-O0"],
    [90, "-O3"],
    [100, "-O0"],
  ] as const)("sm_%d %s", (sm, level) => {
    const t = target(`sm_${sm}` as TargetName);
    inScratch((dir) => {
      // The whole corpus as one module: nvdisasm takes half a second to start.
      const files = readdirSync(join(ptx, `sm_${sm}`)).filter((f) => f.endsWith(".ptx"));
      const path = join(dir, "k.cubin");
      const texts = files.sort().map((f) => join(ptx, `sm_${sm}`, f));
      const ran = tool("ptxas", [`-arch=sm_${sm}`, level, ...texts, "-o", path]);
      if (ran.status !== 0) throw new Error(ran.stderr);
      const { functions } = unwrap(readCubin(new Uint8Array(readFileSync(path))));
      expect(functions.length).toBeGreaterThanOrEqual(files.length);
      if (level === "-O3")
        expect(functions.some((f) => decodeCode(f.words, t).some((i) => i!.form.flow === "call"))).toBe(true);
      const theirs = askRanges(path);
      if (typeof theirs === "string") throw new Error(theirs);
      const ours = ourRanges(functions, t);
      const different: string[] = [];
      let compared = 0;
      for (const f of functions)
        for (const [offset, marks] of theirs.get(f.name)!) {
          compared++;
          const mine = ours.get(f.name)![offset >> 4];
          if (mine !== marks) different.push(`${f.name} ${offset}: ${marks} | ${mine}`);
        }
      expect(different).toEqual([]);
      expect(compared).toBeGreaterThan(1500);
    });
  });

  // Widths that depend on several modifiers or on operands, and one word of a part of the other lines.
  test("words of the table", () => {
    const f = sweepWords(100, { count: 2, seed: 3, opcodes });
    expect(f.differences).toEqual([]);
    expect(f.agree).toBeGreaterThan(60);
  });
});
