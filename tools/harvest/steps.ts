/** The steps of the harvest, in working order. */
import { readFileSync, writeFileSync } from "node:fs";
import { type TargetName, target } from "../../lib/target/index.js";
import { takeCensus } from "./census.js";
import { type CheckReport, checkWords, entryName, randomWords } from "./check.js";
import { compareTable } from "./compare.js";
import { Nvdisasm } from "./decoder.js";
import { findDefUse } from "./defuse.js";
import { buildMap, mapText, runFields } from "./fields.js";
import { askVariant, compareGates, gateKernels, gateRows, gatesText, VARIANTS } from "./gates.js";
import { MapReader } from "./map.js";
import { progress } from "./progress.js";
import { type Level, runCompile } from "./ptx.js";
import { findSame } from "./same.js";
import { Folder } from "./state.js";
import { summaryOf } from "./summary.js";
import type { SmMap } from "./types.js";
import { keyNamed } from "./word.js";

export interface StepContext {
  /** As the tools name it: `90a`. */
  readonly sm: string;
  readonly folder: Folder;
  readonly root: string;
  readonly seed: number;
  option(name: string): string | null;
}

interface Step {
  readonly what: string;
  run(context: StepContext): void;
}

export const DEFAULT_OUT = ".cache/harvest";

/** The decoder of a target for the time of `body`. */
export function withDecoder<T>(sm: string, body: (d: Nvdisasm) => T): T {
  const d = new Nvdisasm(sm);
  try {
    return body(d);
  } finally {
    d.close();
    const f = d.figures;
    process.stderr.write(
      `sm_${sm}: ${f.words} words, ${f.runs} runs of nvdisasm, ${f.seconds.toFixed(0)} s in it` +
        `${f.sentinelRuns > 0 ? `, ${f.sentinelRuns} with sentinels, ${f.halvings} halvings` : ""}\n`,
    );
  }
}

/** `--level O3` one level only; `--every N` every Nth kernel; `--only TEXT` those that test it. */
function compile({ sm, folder, option }: StepContext): void {
  const level = option("level");
  for (const l of level === null ? (["O3", "O0"] as const) : [level as Level])
    runCompile(folder, sm, l, Number(option("every") ?? 1), option("only") ?? "");
}

function census({ sm, folder, seed }: StepContext): void {
  const also = [...folder.words("words-O0.bin"), ...folder.words("words-O3.bin")];
  const found = withDecoder(sm, (d) => takeCensus(d, { seed, also }));
  folder.write("census.json", JSON.stringify(found));
  const entries = Object.values(found);
  const hidden = entries.filter((e) => e.words.length === 0).length;
  console.log(`sm_${sm}: ${entries.length} encodings are decoded, ${hidden} of them print nothing`);
}

function fields(c: StepContext): void {
  const keys = c.option("keys")?.split(",").map(keyNamed);
  const skip = c.option("skip")?.split(",").map(keyNamed);
  const number = (name: string): Record<string, number> =>
    c.option(name) === null ? {} : { [name]: Number(c.option(name)) };
  withDecoder(c.sm, (d) => {
    runFields(c.folder, d, {
      seed: c.seed,
      ...number("real"),
      ...number("samples"),
      ...number("leaves"),
      ...(keys ? { keys } : {}),
      ...(skip ? { skip } : {}),
    });
  });
  writeMap(c);
}

const mapName = (sm: string): string => `fields-sm${sm}.json`;

function writeMap({ sm, folder }: StepContext): void {
  const map = buildMap(folder, sm);
  folder.write(mapName(sm), mapText(map));
  const keys = new Set(map.encodings.map((e) => `${e.opcode} ${e.bit91}`)).size;
  console.log(
    `sm_${sm}: ${map.encodings.length} entries of ${keys} encodings, ${map.omitted.length} omitted, ` +
      `${map.encodings.filter((e) => e.inexact).length} inexact`,
  );
}

/** `--map FILE` checks another map, say one harvested before. */
function check({ sm, folder, seed, option }: StepContext): void {
  const path = option("map") ?? folder.file(mapName(sm));
  const map = MapReader.read(path);
  const keys = [...new Set([...Object.keys(folder.census()).map(keyNamed), ...map.byKey.keys()])].sort((a, b) => a - b);
  const count = Number(option("count") ?? 50);
  const reports: Record<string, CheckReport> = withDecoder(sm, (d) => ({
    random: checkWords(d, map, randomWords(keys, count, seed + 1)),
    compiler: checkWords(d, map, folder.realWords().held),
  }));
  for (const [name, { figures: f, faults }] of Object.entries(reports)) {
    const printed = f.right + f.wrong + f.unknown + f["no entry"];
    console.log(
      `sm_${sm} ${name}: right/wrong/unknown/no entry ${f.right}/${f.wrong}/${f.unknown}/${f["no entry"]} of ${printed}, ` +
        `${f.refused} refused`,
    );
    for (const [key, { count: n, example }] of Object.entries(faults)) console.log(`    ${key} ${n} ${example}`);
  }
  if (option("map") === null) mark(folder, sm, reports);
}

/** Writes the counts into the map; an entry that is wrong more than rarely moves to `omitted`. */
function mark(folder: Folder, sm: string, reports: Readonly<Record<string, CheckReport>>): void {
  const map = buildMap(folder, sm);
  map.checked = Object.fromEntries(Object.entries(reports).map(([k, r]) => [k, { ...r.figures }]));
  map.encodings = map.encodings.filter((e) => {
    let wrong = 0;
    let all = 0;
    for (const [name, r] of Object.entries(reports)) {
      const tally = r.entries.get(entryName(e));
      if (tally === undefined) continue;
      e.verify = { ...e.verify, [name]: tally };
      wrong += tally[1];
      all += tally[0] + tally[1] + tally[2];
    }
    if (wrong > 0) e.inexact = true;
    if (wrong <= 2 || wrong <= 0.1 * all) return true;
    const { opcode, bit91, when, mnemonic, verify } = e;
    map.omitted.push({
      opcode,
      bit91,
      ...(when ? { when } : {}),
      ...(mnemonic ? { mnemonic } : {}),
      ...(verify ? { verify } : {}),
      why: "wrong in the check",
    });
    return false;
  });
  folder.write(mapName(sm), mapText(map));
}

/** `--of SM`: a target whose census is there. The encodings that differ go to `fields`, the map refers to the other one. */
function same({ sm, folder, root, seed, option }: StepContext): void {
  const of = option("of");
  if (of === null) throw new Error("same needs --of SM");
  const other = new Folder(root, of);
  const found = withDecoder(of, (a) => withDecoder(sm, (b) => findSame(other, folder, [a, b], seed)));
  folder.write("same.json", JSON.stringify(found));
  console.log(
    `sm_${sm} beside sm_${of}: ${found.replaced.length} encodings of its own, ${found.absent.length} absent, ` +
      `the rest alike on ${found.words} words`,
  );
}

function defuse({ sm, folder, option }: StepContext): void {
  const map = MapReader.read(option("map") ?? folder.file(mapName(sm)));
  const found = withDecoder(sm, (d) => findDefUse(sm, map, d, option("keys")?.split(",").map(keyNamed) ?? null));
  const doc = { sm: `sm_${sm}`, tool: "register life ranges of nvdisasm 13.2.51", encodings: found };
  folder.write(`defuse-sm${sm}.json`, `${JSON.stringify(doc).replaceAll('{"opcode"', '\n{"opcode"')}\n`);
  console.log(`sm_${sm}: registers of ${found.length} entries`);
}

/** What the harvest of a target could not see. */
function summary({ sm, folder }: StepContext): void {
  for (const line of summaryOf(folder, JSON.parse(readFileSync(folder.file(mapName(sm)), "utf8")) as SmMap))
    console.log(line);
}

/** `--map FILE` compares another map. */
function compare({ sm, folder, option }: StepContext): void {
  const map = MapReader.read(option("map") ?? folder.file(mapName(sm)));
  const c = compareTable(map, target(`sm_${Number.parseInt(sm, 10)}` as TargetName));
  console.log(
    `sm_${sm}: ${c.encodings - c.without.length} of ${c.encodings} encodings have a line in lib/sass/isa; ` +
      `${c.known} of ${c.words} values are known to it`,
  );
  if (c.without.length > 0) console.log(`    no line: ${c.without.join(", ")}`);
  for (const d of c.differences) {
    const values =
      d.values.length > 12 ? `${d.values.slice(0, 12).join(",")} … (${d.values.length})` : d.values.join(",");
    console.log(`    ${d.key} ${d.mnemonic} ${d.kind}: ${d.field ?? "base word"} = ${values}\n        ${d.example}`);
  }
}

const GATES = "tools/harvest/data/gates.txt";

/** All variants at once; no SM is named. */
function gates(): void {
  const kernels = gateKernels();
  const bar = progress("gates: variants", VARIANTS.length);
  const verdicts = new Map(
    VARIANTS.map((sm) => {
      const v = [sm, askVariant(sm, kernels)] as const;
      bar.add();
      return v;
    }),
  );
  bar.stop();
  const rows = gateRows(verdicts, kernels.keys());
  writeFileSync(GATES, gatesText(rows));
  const c = compareGates(rows, verdicts, kernels);
  console.log(
    `${GATES}: ${rows.length} rows, ${rows.reduce((n, r) => n + r.mnemonics.length, 0)} of ${kernels.size} mnemonics`,
  );
  console.log(`lib/ptx: ${c.alike} of ${c.questions} verdicts alike, ${c.message} with ptxas's message`);
  for (const [key, d] of [...c.differences].sort((a, b) => b[1].count - a[1].count))
    console.log(`${String(d.count).padStart(6)} ${key} (${d.example})`);
}

export const steps: ReadonlyMap<string, Step> = new Map([
  ["compile", { what: "kernels of one PTX instruction through ptxas: words, PTX to SASS, refusals", run: compile }],
  ["census", { what: "which values of bits 0-11 and 91 are decoded", run: census }],
  ["fields", { what: "the classifier: field maps; --keys 210,c10u for some encodings only", run: fields }],
  ["map", { what: "writes the map file of what `fields` has finished", run: writeMap }],
  ["same", { what: "which encodings print differently than on --of SM", run: same }],
  ["defuse", { what: "registers read and written, from life ranges", run: defuse }],
  ["summary", { what: "what the map of a target does not know", run: summary }],
  ["compare", { what: "a map against the table lib/sass/isa: encodings and values that it lacks", run: compare }],
  ["gates", { what: "which variants (plain, f, a) take which PTX instructions, from refusals; no SM", run: gates }],
  ["check", { what: "predicts texts from a map alone; --map FILE, --count N", run: check }],
]);

export function runStep(name: string, sms: readonly string[], options: ReadonlyMap<string, string>): void {
  const root = options.get("out") ?? DEFAULT_OUT;
  for (const sm of sms.length > 0 ? sms : name === "gates" ? [""] : [])
    steps.get(name)!.run({
      sm,
      root,
      folder: new Folder(root, sm),
      seed: Number(options.get("seed") ?? 5),
      option: (n) => options.get(n) ?? null,
    });
}
