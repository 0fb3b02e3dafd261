/**
 * node tools/run-ts.cjs test/gpu/timing-record.ts BUNDLE FOLDER …: what timing.py left in FOLDER (one or more runs of the same
 * BUNDLE of timing-export.ts) as data, results/timing-sm_90.json: per code right or wrong, cycles, instructions, microseconds, and
 * the model's cycles. Prints how well they agree, for each launch set, and what the orders won over ptxas -O3.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CorpusTarget } from "../corpus/cases.js";
import { type Agreement, agreement, type Pair } from "./agreement.js";
import { type LaunchSet, launchSets, modelled } from "./model.js";

/** One code of a kernel on one launch. */
interface Measured {
  /** Names under which the code goes. */
  readonly names: readonly string[];
  /** First digits of the SHA-256 of its cubin. */
  readonly hash: string;
  readonly right: boolean;
  /** Cycles in which the busiest SM had a warp (sm__cycles_active.max), warmed up: the least of the runs. */
  readonly cycles: number | null;
  /** Warp-instructions of the whole grid. */
  readonly instructions: number | null;
  /** Microseconds per launch of launches in a row. */
  readonly us: number | null;
  /** What the model says, with the data in L2. */
  readonly model: number;
}

interface TimingResults {
  readonly date: string;
  readonly card: string;
  readonly driver: string;
  readonly target: CorpusTarget;
  readonly clockMhz: number;
  readonly sms: number;
  /** By launch set ("small": the corpus; "large": the GPU filled) and kernel. */
  readonly sets: Readonly<Record<LaunchSet, Readonly<Record<string, readonly Measured[]>>>>;
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

// ------------------------------------------------------------------------------------------------ recording

interface Plan {
  readonly target: CorpusTarget;
  readonly kernels: readonly {
    readonly name: string;
    readonly variants: Readonly<Record<string, string>>;
    readonly launches: Readonly<Record<LaunchSet, string>>;
  }[];
}

const json = <T>(...path: string[]): T => JSON.parse(readFileSync(join(...path), "utf8")) as T;

/** Rows of a profile (CSV) by the launches of its plan. */
function profile(folder: string, name: string): Map<string, Record<string, string>> {
  const out = new Map<string, Record<string, string>>();
  const file = join(folder, `ncu-${name}.csv`);
  if (!existsSync(file)) return out;
  const plan = json<[string, string][]>(folder, `plan-${name}.json`);
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((l) => l.startsWith('"'))
    .map((l) => l.slice(1, -1).split('","'));
  const [head, ...rest] = lines;
  if (head === undefined) return out;
  for (const row of rest) {
    const cells = Object.fromEntries(head.map((h, i) => [h, row[i] ?? ""]));
    const at = plan[Number(cells.ID)];
    if (cells.ID === "" || at === undefined) continue;
    if (!at[0].startsWith(cells["Kernel Name"]!.replace(/\(.*/, ""))) throw new Error(`${name} ${cells.ID}: ${at[0]}`);
    out.set(at.join(" "), cells);
  }
  return out;
}

const numberOf = (text: string | undefined): number | null =>
  text === undefined || text === "" ? null : Number(text.replaceAll(",", ""));

function record(bundle: string, folders: readonly string[]): TimingResults {
  const plan = json<Plan>(bundle, "plan.json");
  const device = json<Record<string, string | number>>(folders[0]!, "device.json");
  const checks = folders.map((f) => json<{ results: Record<string, string[]> }>(f, "check.json").results);
  const graphs = folders.map((f) =>
    existsSync(join(f, "graphs.json")) ? json<Record<string, number[]>>(f, "graphs.json") : {},
  );
  const runs = folders.flatMap((f) => ["warm1", "warm2", "warm3"].map((n) => profile(f, n)));
  const sets = { small: {}, large: {} } as Record<LaunchSet, Record<string, Measured[]>>;
  for (const k of plan.kernels)
    for (const set of launchSets) {
      const byFile = new Map<string, string[]>();
      for (const [name, file] of Object.entries(k.variants)) byFile.set(file, [...(byFile.get(file) ?? []), name]);
      sets[set][k.name] = [...byFile].map(([file, names]): Measured => {
        const cubin = readFileSync(join(bundle, file));
        const rows = runs.map((r) => r.get(`${k.launches[set]} ${file}`)).filter((r) => r !== undefined);
        const cycles = rows.map((r) => numberOf(r["sm__cycles_active.max"])).filter((n) => n !== null);
        const us = graphs.map((g) => g[`${set}:${file}`]?.[0]).filter((n) => n !== undefined);
        return {
          names,
          hash: hashOf(cubin),
          right: checks.every((c) => c[`${set}:${file}`]?.length === 0),
          cycles: cycles.length === 0 ? null : Math.min(...cycles),
          instructions: numberOf(rows[0]?.["smsp__inst_executed.sum"]),
          us: us.length === 0 ? null : Math.min(...us),
          model: Math.round(modelled(cubin, k.name, set, { warm: true }).cycles),
        };
      });
    }
  return {
    date: String(device.date),
    card: String(device.card),
    driver: /^[\d.]+/m.exec(String(device["nvidia-smi"]).split("\n")[1] ?? "")?.[0] ?? String(device.driver),
    target: plan.target,
    clockMhz: Number(device.clock) / 1000,
    sms: Number(device.sms),
    sets,
  };
}

/** One line per code. */
function written(r: TimingResults): string {
  const { sets, ...rest } = r;
  const kernels = (set: LaunchSet): string =>
    Object.entries(sets[set])
      .map(([k, list]) => `   "${k}": [\n${list.map((m) => `    ${JSON.stringify(m)}`).join(",\n")}\n   ]`)
      .join(",\n");
  const head = JSON.stringify(rest).slice(1, -1);
  return `{\n ${head},\n "sets": {\n${launchSets.map((s) => `  "${s}": {\n${kernels(s)}\n  }`).join(",\n")}\n }\n}\n`;
}

// ------------------------------------------------------------------------------------------------ reporting

const show = (x: number, digits = 3): string => x.toFixed(digits);

function printAgreement(set: string, what: string, a: Agreement): void {
  console.log(
    `${set}, ${what}: ${a.points} points, rank correlation ${show(a.all)} over all, ${show(a.within)} within kernels; ` +
      `${show(100 * a.ordered, 1)} % of ${a.pairs} pairs in order; error ${show(a.error, 1)} %, model/measured ${show(a.ratio)}`,
  );
  for (const k of a.kernels)
    console.log(
      `  ${k.kernel.padEnd(18)} model/measured ${show(k.ratio)}  error ${show(k.error, 1).padStart(5)} %  rank ${show(k.rank)}  spread ${show(k.spread, 2)}`,
    );
}

/** Geometric mean over kernels of code a over code b, measured and by the model. */
function printRatios(set: LaunchSet, points: readonly Pair[], a: string, b: string, each: boolean): void {
  const logs: [number, number][] = [];
  const lines: string[] = [];
  for (const kernel of new Set(points.map((p) => p.kernel))) {
    const [x, y] = [a, b].map((name) => points.find((p) => p.kernel === kernel && p.name === name));
    if (x === undefined || y === undefined) continue;
    logs.push([Math.log(x.measured / y.measured), Math.log(x.model / y.model)]);
    lines.push(`  ${kernel.padEnd(18)} measured ${show(x.measured / y.measured)}  model ${show(x.model / y.model)}`);
  }
  if (logs.length === 0) return;
  const mean = (k: 0 | 1): string => show(Math.exp(logs.reduce((n, l) => n + l[k], 0) / logs.length));
  console.log(`${set}: ${a} over ${b}: measured ${mean(0)}, model ${mean(1)} (geometric means of ${logs.length})`);
  if (each) for (const line of lines) console.log(line);
}

function report(r: TimingResults): void {
  console.log(`${r.card}, ${r.sms} SMs, driver ${r.driver}, ${r.date}`);
  for (const set of launchSets) {
    const points: Pair[] = [];
    const named: Pair[] = [];
    const times: Pair[] = [];
    const all = Object.entries(r.sets[set]).flatMap(([kernel, list]) => list.map((m) => ({ kernel, ...m })));
    for (const { kernel, names, right, cycles, us, model } of all) {
      if (!right || cycles === null) continue;
      points.push({ kernel, name: names[0]!, measured: cycles, model });
      for (const name of names) named.push({ kernel, name, measured: cycles, model });
      if (us !== null) times.push({ kernel, name: names[0]!, measured: us, model });
    }
    console.log(`\n${set}: ${all.length} codes, ${all.filter((m) => m.right).length} right`);
    printAgreement(set, "cycles", agreement(points));
    const t = agreement(times);
    console.log(`${set}, microseconds: rank correlation ${show(t.all)} over all, ${show(t.within)} within kernels`);
    for (const a of new Set(named.map((p) => p.name)))
      if (a !== "ptxas-O3") printRatios(set, named, a, "ptxas-O3", a === "best");
  }
}

const [bundle, ...folders] = process.argv.slice(2);
if (bundle === undefined || folders.length === 0) {
  console.error("usage: timing-record.ts BUNDLE FOLDER …");
  process.exit(2);
}
const made = record(bundle, folders);
writeFileSync(resolve(__dirname, `results/timing-${made.target}.json`), written(made));
report(made);
