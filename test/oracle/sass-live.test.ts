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
    [75, "-O0", 0],
    [90, "-O3", null],
    [100, "-O0", 1],
  ] as const)("sm_%d %s", (sm, level, half) => {
    const t = target(`sm_${sm}` as TargetName);
    let compared = 0;
    const different: string[] = [];
    let calling = 0;
    inScratch((dir) => {
      const files = readdirSync(join(ptx, `sm_${sm}`))
        .filter((f) => f.endsWith(".ptx"))
        .sort()
        .filter((_, i) => half === null || (i & 1) === half);
      for (const file of files) {
        const path = join(dir, "k.cubin");
        const ran = tool("ptxas", [`-arch=sm_${sm}`, level, join(ptx, `sm_${sm}`, file), "-o", path]);
        if (ran.status !== 0) throw new Error(ran.stderr);
        const cubin = readCubin(new Uint8Array(readFileSync(path)));
        if (!cubin.ok) throw new Error(cubin.diagnostics[0]!.message);
        const theirs = askRanges(path);
        if (typeof theirs === "string") throw new Error(theirs);
        const all = ourRanges(cubin.value.functions, t);
        for (const f of cubin.value.functions) {
          if (decodeCode(f.words, t).some((i) => i!.form.flow === "call")) calling++;
          const ours = all.get(f.name)!;
          for (const [offset, marks] of theirs.get(f.name)!) {
            compared++;
            if (ours[offset >> 4] !== marks)
              different.push(`${file} ${level} ${offset}: ${marks} | ${ours[offset >> 4]}`);
          }
        }
      }
    });
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(1500);
    if (half === null) expect(calling).toBeGreaterThan(0);
  });

  // Widths that depend on several modifiers or on operands, and one word of a part of the other lines.
  test("words of the table", () => {
    const f = sweepWords(100, { count: 2, seed: 3, opcodes });
    expect(f.differences).toEqual([]);
    expect(f.agree).toBeGreaterThan(60);
  });
});
