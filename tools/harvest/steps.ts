/** The steps of the harvest, in working order. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TargetName, target } from "../../lib/target/index.js";
import { gates, ptxmap, report } from "./across.js";
import { takeCensus } from "./census.js";
import { type CheckReport, checkWords, entryName, randomWords } from "./check.js";
import { compareTable } from "./compare.js";
import { BASES, COMPARED, FAULTS, mapName, type StepContext, UNANSWERED, unansweredWords } from "./context.js";
import { Nvdisasm } from "./decoder.js";
import { findDefUse } from "./defuse.js";
import { adoptKeys, buildMap, mapText, runFields } from "./fields.js";
import { MapReader } from "./map.js";
import { type Level, runCompile } from "./ptx.js";
import { findSame, type Sameness } from "./same.js";
import { Folder } from "./state.js";
import { summaryOf } from "./summary.js";
import type { SmMap } from "./types.js";
import { keyName, keyNamed } from "./word.js";

interface Step {
  readonly what: string;
  run(context: StepContext): void;
}

export const DEFAULT_OUT = ".cache/harvest";

/** The decoder of a target for the time of `body`. */
function withDecoder<T>(folder: Folder, body: (d: Nvdisasm) => T): T {
  const { sm } = folder;
  const d = new Nvdisasm(sm, {
    unanswered: unansweredWords(folder).keys(),
    silent: (word, how) => folder.append(UNANSWERED, `${word}\t${how}`),
  });
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

/** `--level O3` one level only; `--every N` every Nth kernel; `--each N` N of each instruction; `--only TEXT` those that test it. */
function compile({ sm, folder, root, option }: StepContext): void {
  const level = option("level");
  const known = join(root, "crashes.json");
  const suspects = new Set<string>(existsSync(known) ? (JSON.parse(readFileSync(known, "utf8")) as string[]) : []);
  const before = suspects.size;
  const choice = {
    every: Number(option("every") ?? 1),
    each: Number(option("each") ?? 0),
    only: option("only") ?? "",
  };
  withDecoder(folder, (d) => {
    for (const l of level === null ? (["O3", "O0"] as const) : [level as Level])
      runCompile(folder, sm, l, choice, suspects, d);
  });
  if (suspects.size > before) writeFileSync(known, JSON.stringify([...suspects].sort()));
}

function census({ sm, folder, seed }: StepContext): void {
  const also = [...folder.words("words-O0.bin"), ...folder.words("words-O3.bin")];
  const found = withDecoder(folder, (d) => takeCensus(d, { seed, also }));
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
  withDecoder(c.folder, (d) => {
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

function writeMap({ sm, folder }: StepContext): void {
  const map = buildMap(folder, sm);
  folder.write(mapName(sm), mapText(map));
  const keys = new Set(map.encodings.map((e) => `${e.opcode} ${e.bit91}`)).size;
  console.log(
    `sm_${sm}: ${map.encodings.length} entries of ${keys} encodings, ${map.omitted.length} omitted, ` +
      `${map.encodings.filter((e) => e.inexact).length} inexact`,
  );
}

/** `--map FILE` checks another map, say one harvested before; `--salt N` other random words. */
function check({ sm, folder, seed, option }: StepContext): void {
  const path = option("map") ?? folder.file(mapName(sm));
  const map = MapReader.read(path);
  const keys = [...new Set([...Object.keys(folder.census()).map(keyNamed), ...map.byKey.keys()])].sort((a, b) => a - b);
  const count = Number(option("count") ?? 50);
  const salt = Number(option("salt") ?? 1);
  const reports: Record<string, CheckReport> = withDecoder(folder, (d) => ({
    random: checkWords(d, map, randomWords(keys, count, seed + salt)),
    compiler: checkWords(d, map, folder.realWords().held),
  }));
  for (const [name, { figures: f, faults }] of Object.entries(reports)) {
    const printed = f.right + f.wrong + f.unknown + f["no entry"];
    console.log(
      `sm_${sm} ${name}: right/wrong/unknown/no entry ${f.right}/${f.wrong}/${f.unknown}/${f["no entry"]} of ${printed}, ` +
        `${f.refused} refused, ${f.unanswered} unanswered`,
    );
    for (const [key, { count: n, example }] of Object.entries(faults)) console.log(`    ${key} ${n} ${example}`);
  }
  if (option("map") !== null) return;
  mark(folder, sm, reports);
  const faults = Object.values(reports).flatMap((r) => Object.keys(r.faults));
  folder.write(FAULTS, JSON.stringify([...new Set(faults)].sort()));
}

const MENDED = "mended.json";

/**
 * Encodings with faults are harvested again, with more samples: of a target that refers to another one they become its
 * own. Then the check is made again, on other random words.
 */
function mend(c: StepContext): void {
  const { folder } = c;
  const keys = folder.json<string[]>(FAULTS);
  if (keys.length > 0) {
    if (folder.has(SAME)) {
      const s = folder.json<Sameness>(SAME);
      const own = new Set([...s.replaced, ...keys.filter((k) => !s.absent.includes(k))].map(keyNamed));
      folder.write(SAME, JSON.stringify({ ...s, replaced: [...own].sort((x, y) => x - y).map(keyName) }));
    }
    const options = new Map([
      ["keys", keys.join()],
      ["real", "400"],
      ["samples", "200"],
    ]);
    fields({ ...c, seed: c.seed + 1, option: (n) => options.get(n) ?? null });
    check({ ...c, option: (n) => (n === "salt" ? "2" : c.option(n)) });
  }
  folder.write(MENDED, JSON.stringify(keys));
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

const SAME = "same.json";
const ADOPTED = "adopted.json";

/** `--of SM`: a target whose census is there. The encodings that differ go to `fields`, the map refers to the other one. */
function same({ sm, folder, root, seed, option }: StepContext): void {
  const of = option("of");
  if (of === null) throw new Error("same needs --of SM");
  const map = MapReader.read(new Folder(root, of).file(mapName(of)));
  const found = withDecoder(folder, (d) => findSame(of, map, folder, d, seed));
  folder.write(SAME, JSON.stringify(found));
  console.log(
    `sm_${sm} beside sm_${of}: ${found.replaced.length} encodings of its own, ${found.absent.length} absent, ` +
      `the rest alike on ${found.printed} printed words of ${found.words}`,
  );
}

/** `--map FILE`: an earlier map of this target. What it predicts is taken over, so that `fields` does the rest alone. */
function adopt({ sm, folder, seed, option }: StepContext): void {
  const path = option("map");
  if (path === null) throw new Error("adopt needs --map FILE");
  const map = MapReader.read(path);
  const found = withDecoder(folder, (d) => findSame(sm, map, folder, d, seed));
  const n = adoptKeys(folder, map, new Set([...found.replaced, ...found.absent].map(keyNamed)));
  folder.write(ADOPTED, JSON.stringify({ ...found, adopted: n }));
  console.log(
    `sm_${sm}: ${n} encodings taken over, right on ${found.printed} printed words of ${found.words} but for those of the ` +
      `${found.replaced.length} left to fields`,
  );
}

function defuse({ sm, folder, option }: StepContext): void {
  const map = MapReader.read(option("map") ?? folder.file(mapName(sm)));
  const found = withDecoder(folder, (d) => findDefUse(sm, map, d, option("keys")?.split(",").map(keyNamed) ?? null));
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
    `sm_${sm}: ${c.encodings - c.without.length} of ${c.encodings} encodings have a line in lib/isa; ` +
      `${c.known} of ${c.words} values are known to it`,
  );
  if (option("map") === null)
    folder.write(
      COMPARED,
      JSON.stringify({ encodings: c.encodings, without: c.without, words: c.words, known: c.known }),
    );
  if (c.without.length > 0) console.log(`    no line: ${c.without.join(", ")}`);
  for (const d of c.differences) {
    const values =
      d.values.length > 12 ? `${d.values.slice(0, 12).join(",")} … (${d.values.length})` : d.values.join(",");
    console.log(`    ${d.key} ${d.mnemonic} ${d.kind}: ${d.field ?? "base word"} = ${values}\n        ${d.example}`);
  }
}

/**
 * Every step of a target whose result is not there yet, its base first. `--adopt DIR`: where earlier maps lie; targets
 * without a base take over from them what they still predict. `--without compile,defuse` leaves steps out.
 */
function all(c: StepContext): void {
  const { sm, folder, root } = c;
  const of = c.option("of") ?? BASES[sm] ?? null;
  const having = (more: Readonly<Record<string, string>>, from = c): StepContext => ({
    ...from,
    option: (n) => more[n] ?? c.option(n),
  });
  if (of !== null && !new Folder(root, of).has(MENDED)) all({ ...c, sm: of, folder: new Folder(root, of) });
  const stage = (done: boolean, name: string, body: () => void): void => {
    if (done) return;
    const start = performance.now();
    body();
    process.stderr.write(`sm_${sm} ${name}: ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
  };
  const map = mapName(sm);
  const level = c.option("level");
  const levels = level === null ? ["O3", "O0"] : [level];
  const without = (c.option("without") ?? "").split(",");
  stage(without.includes("compile") || levels.every((l) => folder.has(`words-${l}.bin`)), "compile", () => compile(c));
  stage(folder.has("census.json"), "census", () => census(c));
  if (of !== null) stage(folder.has(SAME), "same", () => same(having({ of })));
  const earlier = c.option("adopt");
  if (of === null && earlier !== null)
    stage(folder.has(ADOPTED) || folder.has(map), "adopt", () => adopt(having({ map: join(earlier, map) })));
  stage(folder.has(map), "fields", () => fields(c));
  stage(folder.has(FAULTS), "check", () => check(c));
  stage(folder.has(MENDED), "mend", () => mend(c));
  stage(false, "compare", () => compare(c));
  stage(false, "summary", () => summary(c));
  if (!without.includes("defuse")) stage(folder.has(`defuse-sm${sm}.json`), "defuse", () => defuse(c));
}

export const steps: ReadonlyMap<string, Step> = new Map([
  ["all", { what: "every step of a target that is not done yet, in order", run: all }],
  ["compile", { what: "kernels of one PTX instruction through ptxas: words, PTX to SASS, refusals", run: compile }],
  ["census", { what: "which values of bits 0-11 and 91 are decoded", run: census }],
  ["fields", { what: "the classifier: field maps; --keys 210,c10u for some encodings only", run: fields }],
  ["map", { what: "writes the map file of what `fields` has finished", run: writeMap }],
  ["same", { what: "which encodings print differently than on --of SM", run: same }],
  ["mend", { what: "harvests again what the check found wrong, then checks again", run: mend }],
  ["adopt", { what: "takes over what an earlier map (--map FILE) predicts rightly", run: adopt }],
  ["defuse", { what: "registers read and written, from life ranges", run: defuse }],
  ["summary", { what: "what the map of a target does not know", run: summary }],
  ["compare", { what: "a map against the table lib/isa: encodings and values that it lacks", run: compare }],
  ["report", { what: "figures of all harvested targets: data/summary.md; no SM", run: report }],
  ["ptxmap", { what: "PTX to SASS of all compiled targets: data/ptx-sass.txt; no SM", run: ptxmap }],
  ["gates", { what: "which variants (plain, f, a) take which PTX instructions, from refusals; no SM", run: gates }],
  ["check", { what: "predicts texts from a map alone; --map FILE, --count N", run: check }],
]);

/** Steps that name no SM. */
const ALL_TARGETS: ReadonlySet<string> = new Set(["gates", "report", "ptxmap"]);

export function runStep(name: string, sms: readonly string[], options: ReadonlyMap<string, string>): void {
  const root = options.get("out") ?? DEFAULT_OUT;
  for (const sm of sms.length > 0 ? sms : ALL_TARGETS.has(name) ? [""] : [])
    steps.get(name)!.run({
      sm,
      root,
      folder: new Folder(root, sm),
      seed: Number(options.get("seed") ?? 5),
      option: (n) => options.get(n) ?? null,
    });
}
