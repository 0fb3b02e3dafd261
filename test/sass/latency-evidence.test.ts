/** The latency tables are what their evidence says, and every operand of the instruction table has its cells. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { latencyGaps } from "../../lib/sass/isa/latency-gaps.js";
import { targetOfSm } from "../../lib/target/index.js";
import { sms } from "../../lib/target/table.js";
import { latencyFolder, readRuns, readSights, readStated } from "../../tools/latency/evidence.js";
import { summaries } from "../../tools/latency/summary.js";
import { tableTexts } from "../../tools/latency/write.js";

describe("evidence of the latency tables", () => {
  test("`harvest-latency write` makes the files that are there", () => {
    const texts = tableTexts({ sights: readSights(), stated: readStated() });
    expect(texts.size).toBe(24);
    // A cell that was edited by hand belongs into evidence/stated.csv, with its source.
    const other = [...texts].filter(([path, text]) => readFileSync(join(latencyFolder, path), "utf8") !== text);
    expect(other.map(([path]) => path)).toEqual([]);
  });

  test("every stated cell has a source and is a cell of its SM", () => {
    const stated = [...readStated().values()].flatMap((cells) => [...cells.values()]);
    expect(stated.filter((s) => s.source.length < 10 || !Number.isInteger(s.value) || s.value < 1)).toEqual([]);
    expect(summaries().reduce((n, s) => n + s.by.stated, 0)).toBe(stated.length);
  });

  test("no run counts twice", () => {
    const names = readRuns().map((r) => `${r.sm} ${r.source} ${r.seed}`);
    expect(names.length).toBe(new Set(names).size);
  });

  test.each(sms)("sm_%i: every operand of every instruction has its cells", (sm) => {
    expect(latencyGaps(targetOfSm(sm)!)).toEqual([]);
  });
});
