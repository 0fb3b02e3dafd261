/**
 * Decisions of control flow against ptxas -O3's, and what the decisions compute.
 *
 *   node tools/run-ts.cjs tools/flow.ts compare [--sm 90] [--seed 1 --count 500 | --facts FLOW.jsonl.gz [--every N] [--from K]] [--out FILE.json]
 *   node tools/run-ts.cjs tools/flow.ts run     [the same]
 *   node tools/run-ts.cjs tools/flow.ts show    [the same] --only INDEX
 *
 * Kernels come from a seed (tools/flow/kernels.ts) or from a file of facts, whose counts then stand for ptxas. `compare`: branches, indirect
 * branches, regions and copies of the body's operation, kernel by kernel; --out takes those that differ. `run`: our code of -O0 and -O3 and
 * ptxas's in the simulator on random words; every byte of the output must be equal (not for kernels that store in their bodies: their lanes write the same
 * places). The status is 1 where results differ.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { compile } from "../lib/compile.js";
import { unwrap } from "../lib/result.js";
import { Device } from "../lib/sim/index.js";
import { isTargetName, type TargetName } from "../lib/target/index.js";
import { numberOf, readArguments, usage } from "./arguments.js";
import { type Bag, bagOf, decisionOf, listings } from "./flow/decisions.js";
import { type FlowKernel, kernelText, makeKernels, moduleText, stream } from "./flow/kernels.js";
import { cubinsOf, ptxasCubin } from "./ptxas.js";

const { values, positionals } = readArguments({
  sm: { type: "string", default: "90" },
  seed: { type: "string", default: "1" },
  count: { type: "string", default: "500" },
  facts: { type: "string", default: "" },
  every: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  only: { type: "string", default: "" },
  out: { type: "string", default: "" },
});
const sm = numberOf(values.sm);
const name = `sm_${sm}`;
const target: TargetName = isTargetName(name) ? name : usage(`no SM of that name: ${name}`);

interface Row extends FlowKernel {
  /** ptxas's counts, where a file has them. */
  readonly bag: Bag | null;
}

function rowsOfFile(file: string): Row[] {
  const lines = gunzipSync(readFileSync(file)).toString().trim().split("\n");
  return lines.map((line) => {
    const { family, kind, uniform, body, bags, ...sizes } = JSON.parse(line);
    return { family, kind, uniform, body, sizes, bag: bags[sm] ?? null };
  });
}

const all: Row[] =
  values.facts === ""
    ? makeKernels(numberOf(values.seed), numberOf(values.count)).map((k) => ({ ...k, bag: null }))
    : rowsOfFile(values.facts);
const [every, from] = [numberOf(values.every), numberOf(values.from)];
const rows = all.map((row, k) => ({ row, k })).filter(({ k }) => k % every === from % every);

const theirs = (text: string): Uint8Array | null => ptxasCubin(text, target);
const ours = (text: string, opt: number): Uint8Array | null => compile(text, { target, opt }).cubin;

type Numbered = (typeof rows)[number];
const textOf = (list: readonly Numbered[]): string =>
  moduleText(
    sm,
    list.map(({ row, k }) => kernelText(`k${k}`, row.body)),
  );

/** Cubins of as many kernels as compile together. */
const cubins = (list: readonly Numbered[], make: (text: string) => Uint8Array | null): Map<number, Uint8Array> =>
  cubinsOf(list, textOf, make);

function batches(): Numbered[][] {
  return Array.from({ length: Math.ceil(rows.length / 50) }, (_, b) => rows.slice(50 * b, 50 * b + 50));
}

function codeOf(list: readonly Numbered[], make: (text: string) => Uint8Array | null): Map<number, string[]> {
  const found = new Map<number, string[]>();
  const made = cubins(list, make);
  for (const cubin of new Set(made.values()))
    for (const [f, lines] of listings(cubin)) found.set(Number(/k(\d+)$/.exec(f)?.[1]), lines);
  return found;
}

function compare(): void {
  const tally = new Map<string, [number, number]>();
  const different: unknown[] = [];
  let [same, compiled] = [0, 0];
  for (const batch of batches()) {
    const mine = codeOf(batch, (text) => ours(text, 3));
    const known = batch.every(({ row }) => row.bag !== null) ? null : codeOf(batch, theirs);
    for (const { row, k } of batch) {
      const bag = row.bag ?? bagOf(known?.get(k) ?? []);
      const lines = mine.get(k);
      const [a, b] = [
        lines === undefined ? "not compiled" : decisionOf(bagOf(lines), row.kind),
        decisionOf(bag, row.kind),
      ];
      const t = tally.get(row.family) ?? [0, 0];
      tally.set(row.family, [t[0] + (a === b ? 1 : 0), t[1] + 1]);
      if (lines !== undefined) compiled++;
      if (a === b) same++;
      else different.push({ index: k, ...row, bag: undefined, ours: a, ptxas: b });
    }
  }
  if (values.out !== "") writeFileSync(values.out, JSON.stringify(different, null, 1));
  console.log([...tally].map(([f, [s, n]]) => `${f} ${s} of ${n}`).join(", "));
  const share = ((100 * same) / rows.length).toFixed(1);
  console.log(`${target}: same decisions ${same} of ${rows.length} (${share} %), compiled ${compiled}`);
}

const THREADS = 64;
/** Bytes that lanes reach after their own 16. */
const REACH = 512;
const OUT = 16 * THREADS + REACH;

/** Words of the input: small numbers, so that switches and bounds of loops are met, and others. */
function inputWords(seed: number): Uint8Array {
  const r = stream(seed);
  const words = Uint32Array.from({ length: OUT / 4 }, (_, i) => {
    // The bound of loops.
    if (i % 4 === 1) return Math.floor(r() * 12);
    return r() < 0.6 ? Math.floor(r() * 24) : Math.floor(r() * 0x1_0000_0000);
  });
  return new Uint8Array(words.buffer);
}

/** What a kernel leaves, as text; a fault is told instead. */
function outcome(cubin: Uint8Array, kernel: string, seed: number): string {
  const device = new Device();
  const module = unwrap(device.load(cubin));
  const [input, output] = [device.alloc(OUT), device.alloc(OUT)];
  device.write(input, inputWords(seed));
  const [n, m] = [seed % 9, (seed * 7) % 13];
  const run = device.launch(module, {
    kernel,
    block: THREADS,
    params: [{ u64: input }, { u64: output }, { u32: n }, { u32: m }],
    maxInstructions: 20_000_000,
  });
  if (!run.ok) return `refused: ${run.diagnostics[0]?.message}`;
  if (run.value.fault !== null) return `fault: ${run.value.fault.kind}`;
  return Buffer.from(device.read(output, OUT)).toString("hex");
}

function run(): void {
  let [launched, wrong] = [0, 0];
  for (const batch of batches()) {
    const ordered = batch.filter(({ row }) => row.kind !== "stg" && row.sizes.store !== true);
    if (ordered.length === 0) continue;
    const codes = [cubins(ordered, (t) => ours(t, 0)), cubins(ordered, (t) => ours(t, 3)), cubins(ordered, theirs)];
    for (const { row, k } of ordered)
      for (const seed of [k + 1, k + 4]) {
        const found = codes.map((c) => {
          const cubin = c.get(k);
          return cubin === undefined ? "not compiled" : outcome(cubin, `k${k}`, seed);
        });
        launched++;
        if (new Set(found).size === 1) continue;
        wrong++;
        console.log(`k${k} ${row.family} seed ${seed}: ${found.map((f) => f.slice(0, 40)).join(" | ")}`);
      }
  }
  console.log(`${target}: ${launched} launches at -O0, at -O3 and of ptxas's code, ${wrong} differ`);
  if (wrong > 0) process.exitCode = 1;
}

function show(): void {
  const k = numberOf(values.only);
  const one = all[k] === undefined ? usage(`no kernel ${k}`) : [{ row: all[k], k }];
  console.log(textOf(one));
  for (const [who, make] of [
    ["ours", (text: string) => ours(text, 3)],
    ["ptxas", theirs],
  ] as const)
    console.log(`${who}:\n  ${(codeOf(one, make).get(k) ?? ["refused"]).join("\n  ")}`);
}

const commands: Readonly<Record<string, () => void>> = { compare, run, show };
const command = commands[positionals[0] ?? ""] ?? usage("compare, run or show");
command();
