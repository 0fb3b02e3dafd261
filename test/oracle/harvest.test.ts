/** The classifier of tools/harvest on a few opcodes with the real disassembler. */

import { Random } from "../../lib/sim/random";
import { checkWords, randomWords } from "../../tools/harvest/check";
import { type Answer, type Decoder, Nvdisasm } from "../../tools/harvest/decoder";
import { harvestTask, resultOf } from "../../tools/harvest/fields";
import { MapReader } from "../../tools/harvest/map";
import { defaultOptions, type Harvested } from "../../tools/harvest/opcode";
import { runTasks } from "../../tools/harvest/probe";
import { keyNamed, randomWord, wordOf } from "../../tools/harvest/word";
import { describeOracle } from "./tools";

describeOracle("harvest", () => {
  let answers: Answer[];
  let map: MapReader;
  let figures: Record<string, number>;
  const keys = ["95c"].map(keyNamed);

  beforeAll(() => {
    const tool = new Nvdisasm("90a");
    try {
      const random = new Random(3);
      answers = tool.decode([
        wordOf(0x00007918, 0, 0, 0x000fe200),
        wordOf(0x00007fff, 0, 0, 0x000fe200),
        randomWord(0x210, random),
      ]);
      const found: Harvested[] = [];
      const tasks = keys.map((k) => harvestTask(k, {}, [], { ...defaultOptions, samples: 40, tests: 80 }));
      runTasks(tool as Decoder, tasks, {
        words: 60000,
        journal: null,
        finished: (_, h) => found.push(h),
        failed: (_, e) => {
          throw e;
        },
      });
      const parts = found.map(resultOf);
      const doc = { sm: "sm_90a", tool: "", control: "", note: "", omitted: parts.flatMap((p) => p.omitted) };
      map = new MapReader({ ...doc, encodings: parts.flatMap((p) => p.entries) }, null);
      figures = { ...checkWords(tool, map, randomWords(keys, 300, 17)).figures };
    } finally {
      tool.close();
    }
  });

  test("bad words are told from unknown opcodes and good ones", () => {
    expect(answers.map((a) => a.state)).toEqual(["printed", "unknown", expect.stringMatching(/printed|refused/)]);
    expect(answers[0]!.text).toBe("NOP");
  });

  test("maps predict random words", () => {
    expect(figures).toMatchObject({ wrong: 0, unknown: 0, "no entry": 0 });
    expect(figures.right).toBeGreaterThan(30);
    expect(map.doc.omitted).toEqual([]);
  });

  test("breakpoints: bit 86 chooses between interrupt and trap", () => {
    const bpt = map.byKey.get(keyNamed("95c"))!;
    expect(bpt.map((e) => [e.map.tokens.find((t) => t.startsWith(".")), e.map.when?.mask])).toEqual(
      expect.arrayContaining([
        [".INT", "0x4000000000000000000000"],
        [".TRAP", "0x4000000000000000000000"],
      ]),
    );
  });
});
