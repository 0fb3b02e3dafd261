/** Studies with Optuna (skipped where no Python has it) and successive halving, on functions whose least value is known. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inspect } from "node:util";
import { compile } from "../../lib/compile.js";
import {
  hash32,
  movesOf,
  orderSpace,
  reorderCubin,
  type Setting,
  type Space,
  type StudyOptions,
  study,
  successiveHalving,
  unit,
} from "../../lib/experiment/index.js";
import { corpusPtx } from "../corpus/cases.js";

const own = resolve(__dirname, "../../.venv/bin/python");
const python = process.env.PTXLAB_PYTHON ?? (existsSync(own) ? own : "python3");
const there = spawnSync(python, ["-c", "import optuna, cmaes"]).status === 0;
const describeOptuna = there || process.env.PTXLAB_OPTUNA === "required" ? describe : describe.skip;

jest.setTimeout(120_000);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ptxlab-study-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const space: Space = {
  x: { from: -5, to: 5 },
  n: { from: 0, to: 9, whole: true },
  how: { choices: ["good", "bad"] },
};
const bowl = ({ x, n, how }: Setting): number =>
  (Number(x) - 1) ** 2 + (Number(n) - 3) ** 2 + (how === "good" ? 0 : 10);
const judge = async (settings: readonly Setting[]): Promise<readonly (readonly number[])[]> =>
  settings.map((s) => [bowl(s)]);

describeOptuna("studies", () => {
  test.each(["tpe", "cmaes"] as const)("%s comes near the least of a bowl, the same way each time", async (sampler) => {
    const options: StudyOptions = { sampler, seed: 3, trials: 96, python };
    const [a, b] = [await study(space, judge, options), await study(space, judge, options)];
    expect(a.trials).toHaveLength(96);
    expect(a.best[0]!.figures![0]).toBeLessThan(0.5);
    expect(b).toEqual(a);
    expect(inspect(a).split("\n").slice(0, 2)).toEqual([
      "Study: 96 trials; all trials made; best: 1",
      expect.stringMatching(/^trial +figure +/),
    ]);
  });

  test("nsga2: a front between two figures, failed settings aside", async () => {
    const two = async (settings: readonly Setting[]) =>
      settings.map(({ x }) => (Number(x) < -4 ? null : [Number(x) ** 2, (Number(x) - 2) ** 2]));
    const options: StudyOptions = { sampler: "nsga2", seed: 1, trials: 64, batch: 16, want: ["less", "less"], python };
    const { best, trials } = await study({ x: { from: -5, to: 5 } }, two, options);
    expect(trials.some((t) => t.figures === null)).toBe(true);
    expect(best.length).toBeGreaterThan(3);
    for (const { setting } of best) expect(Math.abs(Number(setting.x) - 1)).toBeLessThan(1.3);
  });

  test("what the journal of a killed run knows is not asked for again, and the run is the same", async () => {
    const options: StudyOptions = { sampler: "tpe", seed: 5, trials: 24, batch: 4, python };
    const whole = await study(space, judge, options);
    const journal = join(folder, "study.jsonl");
    let asked = 0;
    const counted = async (s: readonly Setting[]) => {
      asked += s.length;
      return judge(s);
    };
    await study(space, counted, { ...options, trials: 12, journal });
    // Killed in the middle of a line.
    writeFileSync(journal, readFileSync(journal, "utf8").slice(0, -9));
    const rest = await study(space, counted, { ...options, journal });
    expect([asked, rest.resumed]).toEqual([12 + 13, 11]);
    expect(rest.trials).toEqual(whole.trials);
  });

  test("ends without progress, and when it is aborted", async () => {
    const flat = async (settings: readonly Setting[]) => settings.map(() => [1]);
    const options: StudyOptions = { sampler: "random", seed: 1, trials: 100, batch: 5, python };
    const found = await study(space, flat, { ...options, want: ["less"], patience: 10 });
    expect(found.end).toBe("patience");
    const short = await study(space, judge, { ...options, seconds: 0 });
    expect([short.end, short.trials.length, inspect(short).split("\n")[0]]).toEqual([
      "seconds",
      5,
      "Study: 5 trials; its time is spent; best: 1",
    ]);
    expect(short.trials).toEqual((await study(space, judge, options)).trials.slice(0, 5));
    const stop = new AbortController();
    stop.abort();
    expect((await study(space, flat, { ...options, signal: stop.signal })).end).toBe("aborted");
  });
});

test("a Python that there is none of is told", async () => {
  const options: StudyOptions = { sampler: "tpe", seed: 1, trials: 1, python: join(folder, "no-python") };
  await expect(study(space, judge, options)).rejects.toThrow(/no-python: .*ENOENT/);
});

test("successive halving spends the most on what was best with little", async () => {
  const efforts: [number, number][] = [];
  const found = await successiveHalving(
    Array.from({ length: 27 }, (_, i) => i),
    async (list, effort) => {
      efforts.push([list.length, effort]);
      // The figure comes nearer to the true one with the effort; 26 fails.
      return list.map((i) => (i === 26 ? null : Math.abs(i - 7) + ((i * 13) % 5) / effort));
    },
    { least: 1, most: 20 },
  );
  const { best, rounds } = found;
  expect(inspect(found).split("\n").slice(0, 2)).toEqual([
    "Successive halving: 4 rounds; best: 7",
    "effort  candidates  best figure",
  ]);
  expect(efforts).toEqual([
    [27, 1],
    [9, 3],
    [3, 9],
    [1, 20],
  ]);
  expect(best).toBe(7);
  expect(rounds[0]!.figures[26]).toEqual({ candidate: 26, figure: null });
});

test("every setting of the space of orders is moves that a cubin takes", () => {
  const bytes = compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90" }).cubin!;
  for (const numbers of [false, true])
    for (let i = 0; i < 12; i++) {
      const setting = Object.fromEntries(
        Object.entries(orderSpace({ numbers })).map(([name, d]) => {
          if ("choices" in d) return [name, d.choices[hash32(i, name.length) % d.choices.length]!];
          const x = d.from + (d.to - d.from) * unit(i, name.length);
          return [name, d.whole ? Math.round(x) : x];
        }),
      );
      const made = reorderCubin(bytes, movesOf(setting));
      expect([made.ok, made.ok && made.value.hazards]).toEqual([true, 0]);
    }
});
