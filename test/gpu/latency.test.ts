/** The measuring kernels do what they must on the simulator, which knows no latencies, and what they measured is judged rightly. */
import { assembleCubin } from "../../lib/assemble.js";
import { unwrap } from "../../lib/result.js";
import { Device } from "../../lib/sim/index.js";
import { target as targetNamed } from "../../lib/target/index.js";
import { evaluate, type Measurement } from "./latency-evaluate.js";
import { inputs, parameters } from "./latency-inputs.js";
import { distances, kernel } from "./latency-kernels.js";
import { type Entry, pairs } from "./latency-pairs.js";
import { chase, kernel as probeKernel } from "./pipes-kernels.js";
import { probes } from "./pipes-probes.js";

const target = targetNamed("sm_90");
const all = pairs(target);
/** Kernels of every so many pairs and probes are run. */
const EVERY = 37;
const EVERY_PROBE = 5;
/** Bytes of a turn: 32 threads, four words each. */
const TURN = 512;

describe("distances on a GPU", () => {
  test("pairs for most cells of sm_90 (759 of 884)", () => {
    const cells = new Set(
      all.filter((p) => /raw|waw|war/.test(p.kind)).map((p) => [p.kind, p.file, p.later, p.earlier].join()),
    );
    expect(cells.size).toBeGreaterThan(750);
  });

  test("a wrong order would be seen, and the right one gives the same at every distance", () => {
    const some = all.filter((_, i) => i % EVERY === 0);
    const text = [".target sm_90", ...some.map((p, i) => kernel(p, `k${i}`, target))].join("\n");
    const device = new Device();
    const module = unwrap(device.load(unwrap(assembleCubin(text))));
    const data = inputs();
    const source = device.alloc(data.length);
    device.write(source, data);
    const sink = device.alloc(40 * TURN);
    const params = [{ address: sink }, { address: source }, { bytes: parameters(TURN, 1) }];
    const odd: string[] = [];
    let seen = 0;
    for (const [i, p] of some.entries()) {
      const run = unwrap(device.launch(module, { kernel: `k${i}`, grid: [1, 1, 1], block: [32, 1, 1], params }));
      if (run.fault?.kind === "not-supported") continue;
      const name = `${p.firstText} | ${p.secondText}`;
      if (run.fault) odd.push(`${name}: ${run.fault.message}`);
      const turns = distances(p).map((_, v) => Buffer.from(device.read(sink + v * TURN, TURN)).toString("hex"));
      if (turns[1] === turns[0]) odd.push(`${name}: an error would not show`);
      if (turns.some((t, v) => v !== 1 && t !== turns[0])) odd.push(`${name}: not the same at every distance`);
      seen++;
    }
    expect(odd).toEqual([]);
    expect(seen).toBeGreaterThan(30);
  });

  test("a table below the machine is told", () => {
    const texts = { first: "a", second: "b", cubin: "c", kernel: "k" };
    const cell = { kind: "raw", file: "R", later: "alu", earlier: "alu", table: 2 } as const;
    const entries: Entry[] = [{ ...cell, ...texts, distances: [0, -1, 1, 2, 3] }];
    const measured = (alone: number[], busy: number[]): Measurement => ({
      date: "",
      card: "",
      driver: 0,
      errors: {},
      results: [{ i: 0, alone: { wrong: alone, lanes: [], turns: 8 }, busy: { wrong: busy, lanes: [], turns: 8 } }],
    });
    expect(evaluate(entries, measured([0, 8, 8, 0, 0], [0, 8, 0, 0, 0]))).toMatchObject({
      rows: [{ alone: 2, busy: 1 }],
      below: [],
    });
    expect(evaluate(entries, measured([0, 8, 8, 0, 0], [0, 8, 0, 1, 0])).below).toMatchObject([{ alone: 2, busy: 3 }]);
    expect(evaluate(entries, measured([0, 8, 8, 8, 8], [0, 8, 0, 0, 0])).below).toMatchObject([{ alone: 4 }]);
    expect(evaluate(entries, measured([0, 5, 8, 0, 0], [0, 8, 0, 0, 0])).dropped).toHaveLength(1);
    expect(evaluate(entries, measured([1, 8, 8, 0, 0], [0, 8, 0, 0, 0])).dropped).toHaveLength(1);
  });
});

test("kernels that measure the pipes run to their end", () => {
  const some = probes().filter((p, i) => Math.max(p.n, p.m) < 100 && i % EVERY_PROBE === 0);
  const kernels = some.map((p, i) => probeKernel(p, `p${i}`));
  const text = [".target sm_90", ...kernels, chase("chase", "LDG.E.64 R4, desc[UR4][R4.64]")].join("\n");
  const device = new Device();
  const module = unwrap(device.load(unwrap(assembleCubin(text))));
  const bytes = 0x40000;
  const source = device.alloc(bytes);
  // Every address holds itself.
  const words = new BigUint64Array(bytes / 8).map((_, i) => BigInt(source + 16 * (i >> 1)));
  device.write(source, new Uint8Array(words.buffer));
  const sink = device.alloc(0x10000);
  const params = [{ address: sink }, { address: source }, { bytes: new Uint8Array(1024).fill(16, 0, 1) }];
  const options = { grid: [1, 1, 1], block: [32, 1, 1], params, maxInstructions: 100_000 } as const;
  const odd = [...some.keys()].flatMap((i) => {
    const { fault } = unwrap(device.launch(module, { kernel: `p${i}`, ...options }));
    return fault && fault.kind !== "not-supported" ? [`${some[i]!.what}: ${fault.message}`] : [];
  });
  expect(odd).toEqual([]);
  expect(unwrap(device.launch(module, { kernel: "chase", ...options, block: [1, 1, 1] })).fault ?? null).toBeNull();
});
