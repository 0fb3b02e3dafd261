/** The latency tables are what their evidence says, and every operand of the instruction table has its cells. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Dependence, type FileName, latencyTables } from "../../lib/isa/latency/index.js";
import { latencyGaps } from "../../lib/isa/latency-gaps.js";
import { targetOfSm } from "../../lib/target/index.js";
import { type Sm, sms } from "../../lib/target/table.js";
import {
  concerns,
  latencyFolder,
  readExplained,
  readRuns,
  readSights,
  readStated,
  smsOf,
  smsText,
} from "../../tools/latency/evidence.js";
import { accessOf, portsBetween, readForms, staleForms } from "../../tools/latency/forms.js";
import { drop } from "../../tools/latency/renew.js";
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

  test("every explanation is of a cell whose value is another", () => {
    const texts = [...readExplained()].flatMap(([sm, cells]) =>
      [...cells].flatMap(([id, { seen, because }]) => {
        const [kind, file, earlier, later] = id.split(" ") as [Dependence, FileName, string, string];
        const t = latencyTables(sm).table(file, kind);
        const value = t.cells[t.rows.indexOf(later) * t.columns.length + t.columns.indexOf(earlier)];
        return value === undefined || value === seen || because.length < 40 ? [`${sm} ${id}`] : [];
      }),
    );
    expect(texts).toEqual([]);
  });

  test("what a run shows no more are ports of its SM", () => {
    const ports = (sm: Sm): Set<string> =>
      new Set(
        [...readSights().get(sm)!.keys()].flatMap((id) => {
          const [, file, earlier, later] = id.split(" ");
          return [`${file} ${earlier}`, `${file} ${later}`];
        }),
      );
    for (const sm of sms) {
      const known = ports(sm);
      const without = readRuns()
        .filter((r) => r.sm === sm)
        .flatMap((r) => r.without);
      expect(without.filter((p) => !known.has(p))).toEqual([]);
    }
  });

  test("no run counts twice", () => {
    const names = readRuns().map((r) => `${r.sm} ${r.source} ${r.seed}`);
    expect(names.length).toBe(new Set(names).size);
  });

  test.each(sms)("sm_%i: instructions read and write what they did when they were looked at", (sm) => {
    const seen = readForms().get(sm)!;
    expect(seen.size).toBeGreaterThan(200);
    // Others: `harvest-latency renew --sm` takes anew what was seen of their ports.
    expect([...staleForms(seen, sm)]).toEqual([]);
  });

  test("other widths or ports of a form make the cells of these ports stale, and no others", () => {
    const now = accessOf("HMMA.16816.F32", 80);
    expect(now).toBe("d=R:mmac*4 <- a=R:mma2*4 b=R:mma2*2 c=R:mma2*4 pin=UP:uguard");
    expect(staleForms(new Map([["HMMA.16816.F32", now]]), 80).size).toBe(0);
    expect([...portsBetween(now.replace("a=R:mma2*4", "a=R:mma2*2"), now)]).toEqual(["R mma2"]);
    expect([...portsBetween(now.replace("d=R:mmac*4", "d=R:mmab*4"), now)]).toEqual(["R mmab", "R mmac"]);
    const ids = ["raw R mmac alu", "war R mma2 alu", "waw R alu mmac", "raw R alu alu", "raw UR mma2 mma2"];
    const sights = new Map(ids.map((id) => [id, { n: 1, chain: 0, min: 4, tight: 0 }]));
    expect([...drop(sights, new Set(["R mma2", "R mmac"])).keys()]).toEqual(ids.slice(0, 3));
    expect([...sights.keys()]).toEqual(ids.slice(3));
    expect(concerns(new Set(["P alu"]), "raw R alu alu")).toBe(false);
  });

  test("ranges of SMs", () => {
    const some: readonly (readonly (typeof sms)[number][])[] = [[75], [75, 80], [75, 86, 87, 121], sms, [90, 103, 110]];
    for (const list of some) expect(smsOf(smsText(list))).toEqual([...list]);
    expect(smsText([80, 86, 90])).toBe("80-86 90");
  });

  test.each(sms)("sm_%i: every operand of every instruction has its cells", (sm) => {
    expect(latencyGaps(targetOfSm(sm)!)).toEqual([]);
  });
});
