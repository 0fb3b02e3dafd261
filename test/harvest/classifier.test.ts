import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeCensus } from "../../tools/harvest/census";
import { checkWords, randomWords } from "../../tools/harvest/check";
import { setDefaults } from "../../tools/harvest/defaults";
import { harvestTask, resultOf } from "../../tools/harvest/fields";
import { MapReader } from "../../tools/harvest/map";
import { defaultOptions, type Harvested } from "../../tools/harvest/opcode";
import { runTasks } from "../../tools/harvest/probe";
import type { SmMap } from "../../tools/harvest/types";
import { bitOf, setBit } from "../../tools/harvest/word";
import { Fake } from "./fake";

const options = { ...defaultOptions, tests: 80 };
const KEYS = [0x210, 0x1947];

function harvest(decoder: Fake, journal: string | null = null): SmMap {
  const results: Harvested[] = [];
  runTasks(
    decoder,
    KEYS.map((k) => harvestTask(k, {}, [], options)),
    {
      words: 100000,
      journal,
      finished: (_, h) => results.push(h),
      failed: (_, e) => {
        throw e;
      },
    },
  );
  const parts = results.sort((a, b) => a.key - b.key).map(resultOf);
  return {
    sm: "sm_0",
    tool: "",
    control: "",
    note: "",
    encodings: parts.flatMap((p) => p.entries),
    omitted: parts.flatMap((p) => p.omitted),
  };
}

test("a census finds the opcodes", () => {
  const census = takeCensus(new Fake(), { seed: 1, also: [] });
  expect(Object.entries(census).map(([k, e]) => [k, e.names])).toEqual([
    ["210", ["FOO"]],
    ["947u", ["JUMP"]],
  ]);
});

describe("the classifier on an invented instruction set", () => {
  const map = harvest(new Fake());

  test("predicts every random word from the map alone", () => {
    const { figures } = checkWords(new Fake(), new MapReader(map, null), randomWords(KEYS, 400, 9));
    expect(figures).toMatchObject({ wrong: 0, unknown: 0, "no entry": 0 });
    expect(figures.right).toBeGreaterThan(650);
  });

  test("splits where a bit changes the shape", () => {
    expect(map.encodings.filter((e) => e.opcode === "0x210").map((e) => e.when?.mask)).toEqual([
      "0x100000000000000000000",
      "0x100000000000000000000",
    ]);
    expect(map.omitted).toEqual([]);
  });

  test("names fields and what is refused", () => {
    const foo = map.encodings[0]!;
    expect(foo.fields.map((f) => [f.lo, f.width, f.kind])).toContainEqual([16, 7, "reg"]);
    expect(foo.fields.find((f) => f.lo === 73)).toMatchObject({
      width: 2,
      values: { 0: "", 1: ".X", 2: ".INVALID2" },
      illegal: [3],
    });
    expect(foo.unprinted).toContain(90);
    const jump = map.encodings.find((e) => e.opcode === "0x947")!;
    expect(jump.pc_relative).toBe(true);
    expect(jump.fields.find((f) => f.lo === 34)).toMatchObject({ width: 24, signed: true, scale: 4 });
    expect(jump.groups?.[0]?.fields).toEqual([24, 64]);
  });

  test("unprinted bits are those of compiled words", () => {
    const real = randomWords([0x210], 60, 3);
    for (const w of real) setBit(w, 90, 1);
    const [first] = map.encodings;
    setDefaults(map.encodings, real);
    const d = first!.defaults!;
    const bit90 = (hex: string): number => Number((BigInt(hex) >> 90n) & 1n);
    expect([bit90(d.mask), bit90(d.value), bit90(d.varies ?? "0x0")]).toEqual([1, 1, 0]);
    expect(d.seen).toBe(real.filter((w) => bitOf(w, 80) === Number((BigInt(first!.when!.value) >> 80n) & 1n)).length);
  });
});

test("an interrupted run goes on where it stopped, with the same result", () => {
  const dir = mkdtempSync(join(tmpdir(), "harvest-test-"));
  try {
    const whole = new Fake();
    const expected = harvest(whole);
    const broken = new Fake();
    broken.left = 9;
    expect(() => harvest(broken, dir)).toThrow("interrupted");
    const rest = new Fake();
    expect(harvest(rest, dir)).toEqual(expected);
    expect(broken.words + rest.words).toBe(whole.words);
    expect(readdirSync(dir)).toEqual([]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
