/**
 * Small bodies, straight-line PTX of two to six operations, at -O3 beside ptxas -O3: mnemonics, instructions, results.
 *
 *   node tools/run-ts.cjs tools/bodies.ts compare [--sm 90] [--seed 1 --count 1000 | --facts COMBOS.jsonl.gz [--every N] [--from K]] [--groups N] [--out FILE.json]
 *   node tools/run-ts.cjs tools/bodies.ts run     [the same]
 *   node tools/run-ts.cjs tools/bodies.ts show    [the same] --only INDEX
 *
 * Bodies come from a seed (tools/bodies/generate.ts) or from a file of facts, whose code then stands for ptxas's. `compare`: the mnemonics less
 * those of the frame, and of those that differ how many have fewer, as many, more instructions than ptxas's (matching the first would only make
 * them longer); --groups N prints the N most frequent differences (without those that have fewer), --out takes all. `run`: our code of -O0 and -O3 and ptxas's in the simulator on random and edge words; every
 * byte of the output must be equal. The status is 1 where results differ.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { compile } from "../lib/compile.js";
import { unwrap } from "../lib/result.js";
import { Device } from "../lib/sim/index.js";
import { isTargetName, type TargetName } from "../lib/target/index.js";
import { numberOf, readArguments, usage } from "./arguments.js";
import { bodyKernel, bytesPerLane, frameBody, makeBodies } from "./bodies/generate.js";
import { listings } from "./flow/decisions.js";
import { moduleText, stream } from "./flow/kernels.js";
import { type Bag, beyond, mnemonicsOf } from "./mnemonics.js";
import { cubinsOf, ptxasCubin } from "./ptxas.js";

const { values, positionals } = readArguments({
  sm: { type: "string", default: "90" },
  seed: { type: "string", default: "1" },
  count: { type: "string", default: "1000" },
  facts: { type: "string", default: "" },
  every: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  only: { type: "string", default: "" },
  groups: { type: "string", default: "0" },
  out: { type: "string", default: "" },
});
const sm = numberOf(values.sm);
const name = `sm_${sm}`;
const target: TargetName = isTargetName(name) ? name : usage(`no SM of that name: ${name}`);

interface Row {
  readonly k: number;
  readonly body: string;
  /** ptxas's code, where a file has it; its frame addresses 32 bytes a lane, which changes no mnemonic. */
  readonly code: readonly string[] | null;
}

function rowsOfFile(file: string): Row[] {
  const lines = gunzipSync(readFileSync(file)).toString().trim().split("\n");
  return lines.map((line, k) => {
    const row = JSON.parse(line);
    return { k, body: row.body, code: row[sm] ?? null };
  });
}

const all: readonly Row[] =
  values.facts === ""
    ? [frameBody, ...makeBodies(numberOf(values.seed), numberOf(values.count))].map((body, k) => ({
        k,
        body,
        code: null,
      }))
    : rowsOfFile(values.facts);
const frame = all[0] ?? usage("no bodies");
const [every, from] = [numberOf(values.every), numberOf(values.from)];
const rows = all.filter(({ k }) => k > 0 && k % every === from % every);

const theirs = (text: string): Uint8Array | null => ptxasCubin(text, target);
const ours = (text: string, opt: number): Uint8Array | null => compile(text, { target, opt }).cubin;
const textOf = (list: readonly Row[]): string =>
  moduleText(
    sm,
    list.map(({ k, body }) => bodyKernel(`k${k}`, body)),
  );

function codeOf(list: readonly Row[], make: (text: string) => Uint8Array | null): Map<number, readonly string[]> {
  const found = new Map<number, readonly string[]>();
  for (const cubin of new Set(cubinsOf(list, textOf, make).values()))
    for (const [f, lines] of listings(cubin)) found.set(Number(/k(\d+)$/.exec(f)?.[1]), lines);
  return found;
}

function batches(): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / 50) }, (_, b) => rows.slice(50 * b, 50 * b + 50));
}

/** A body whose mnemonics are not ptxas's; bags as text. */
interface Difference {
  readonly index: number;
  readonly body: string;
  readonly ours: string;
  readonly ptxas: string;
  /** Instructions beyond the frame, ours less ptxas's, loads and constants among them. */
  readonly more: number;
}

/** A bag as `beyond` writes it. */
const bagOf = (text: string): Bag =>
  new Map([...text.matchAll(/(-?\d+) ([^,]+)/g)].map((m) => [m[2] as string, Number(m[1])]));

/** What the first has more of than the second. */
function parted(a: Bag, b: Bag): string {
  return [...new Set([...a.keys(), ...b.keys()])]
    .sort()
    .flatMap((w) => {
      const n = (a.get(w) ?? 0) - (b.get(w) ?? 0);
      return n > 0 ? [`${n} ${w}`] : [];
    })
    .join(", ");
}

/** Instructions without padding and the loop at the end. */
const sizeOf = (code: readonly string[]): number => code.filter((line) => !/^(NOP|BRA)/.test(line)).length;

function compare(): void {
  const frames = [
    codeOf([frame], (text) => ours(text, 3)).get(0) ?? [],
    frame.code ?? codeOf([frame], theirs).get(0) ?? [],
  ] as const;
  const [mine, other] = [mnemonicsOf(frames[0]), mnemonicsOf(frames[1])];
  const around = sizeOf(frames[0]) - sizeOf(frames[1]);
  const different: Difference[] = [];
  let [asked, compiled, same, n, np] = [0, 0, 0, 0, 0];
  for (const batch of batches()) {
    const code = codeOf(batch, (text) => ours(text, 3));
    const known =
      values.facts === "" ? codeOf(batch, theirs) : new Map(batch.flatMap((r) => (r.code ? [[r.k, r.code]] : [])));
    for (const { k, body } of batch) {
      const [a, b] = [code.get(k), known.get(k)];
      if (b === undefined) continue;
      asked++;
      if (a === undefined) continue;
      compiled++;
      n += a.length;
      np += b.length;
      const [x, y] = [beyond(mnemonicsOf(a), mine), beyond(mnemonicsOf(b), other)];
      if (x === y) same++;
      else different.push({ index: k, body, ours: x, ptxas: y, more: sizeOf(a) - sizeOf(b) - around });
    }
  }
  if (values.out !== "") writeFileSync(values.out, JSON.stringify(different, null, 1));
  const shorter = different.filter((d) => d.more < 0).length;
  const equal = different.filter((d) => d.more === 0).length;
  const share = ((100 * same) / Math.max(1, compiled)).toFixed(1);
  console.log(
    `${target}: compiled ${compiled} of ${asked}; same mnemonics ${same} (${share} %); instructions ${(n / np).toFixed(3)} of ptxas's`,
  );
  console.log(
    `of ${different.length} others ${shorter} have fewer instructions than ptxas's, ${equal} as many, ${different.length - shorter - equal} more`,
  );
  printGroups(different.filter((d) => d.more >= 0));
}

/** The most frequent differences, with the numbers of some of their bodies. */
function printGroups(different: readonly Difference[]): void {
  const groups = new Map<string, number[]>();
  for (const { index, ours: x, ptxas: y } of different) {
    const [a, b] = [bagOf(x), bagOf(y)];
    const key = `${parted(a, b)} | ${parted(b, a)}`;
    groups.set(key, [...(groups.get(key) ?? []), index]);
  }
  const sorted = [...groups].sort((a, b) => b[1].length - a[1].length).slice(0, numberOf(values.groups));
  for (const [key, list] of sorted) console.log(`${list.length}  ${key}  (${list.slice(0, 6).join(" ")})`);
}

const THREADS = 64;
const edges = [
  0, 1, 2, 0xffff_ffff, 0x7fff_ffff, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x3f80_0000, 31, 32, 0x0080_0000,
];

function inputWords(seed: number): Uint8Array {
  const r = stream(seed);
  const word = (): number =>
    r() < 0.3 ? (edges[Math.floor(r() * edges.length)] as number) : Math.floor(r() * 2 ** 32);
  return new Uint8Array(Uint32Array.from({ length: (bytesPerLane / 4) * THREADS }, word).buffer);
}

/** What a kernel leaves, as text; a fault is told instead. */
function outcome(cubin: Uint8Array, kernel: string, seed: number): string {
  const device = new Device();
  const module = unwrap(device.load(cubin));
  const [input, output] = [device.alloc(bytesPerLane * THREADS), device.alloc(bytesPerLane * THREADS)];
  device.write(input, inputWords(seed));
  const params = [{ u64: input }, { u64: output }, { u32: seed % 29 }];
  const run = device.launch(module, { kernel, block: THREADS, params });
  if (!run.ok) return `refused: ${run.diagnostics[0]?.message}`;
  if (run.value.fault !== null) return `fault: ${run.value.fault.kind}`;
  return Buffer.from(device.read(output, bytesPerLane * THREADS)).toString("hex");
}

function run(): void {
  let [launched, wrong] = [0, 0];
  for (const batch of batches()) {
    const codes = [(t: string) => ours(t, 0), (t: string) => ours(t, 3), theirs].map((make) =>
      cubinsOf(batch, textOf, make),
    );
    for (const { k, body } of batch) {
      const found = codes.map((c) => {
        const cubin = c.get(k);
        return cubin === undefined ? "not compiled" : outcome(cubin, `k${k}`, k);
      });
      launched++;
      if (new Set(found).size === 1) continue;
      wrong++;
      console.log(`k${k}: ${body}`);
    }
  }
  console.log(`${target}: ${launched} bodies at -O0, at -O3 and in ptxas's code, ${wrong} differ`);
  if (wrong > 0) process.exitCode = 1;
}

function show(): void {
  const one = [all[numberOf(values.only)] ?? usage(`no body ${values.only}`)];
  console.log(textOf(one));
  for (const [who, make] of [
    ["ours", (text: string) => ours(text, 3)],
    ["ptxas", theirs],
  ] as const)
    console.log(`${who}:\n  ${(codeOf(one, make).values().next().value ?? ["refused"]).join("\n  ")}`);
}

const commands: Readonly<Record<string, () => void>> = { compare, run, show };
const command = commands[positionals[0] ?? ""] ?? usage("compare, run or show");
command();
