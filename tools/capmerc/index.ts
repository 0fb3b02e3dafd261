/**
 * Mercury capsules (lib/elf/cubin/capmerc.ts): their table from what ptxas writes, and how well it does.
 *
 *     node tools/run-ts.cjs tools/capmerc/index.ts gather SOURCE SM…   evidence into .cache/capmerc; SOURCE: single, random, corpus; own
 *     node tools/run-ts.cjs tools/capmerc/index.ts fit                 lib/elf/cubin/capmerc-table.ts from the evidence
 *     node tools/run-ts.cjs tools/capmerc/index.ts check [SM…]         fresh random kernels and the corpus, capsules beside ptxas's
 *     node tools/run-ts.cjs tools/capmerc/index.ts check FILE.o…       the same of objects of ptxas for sm_100
 *     node tools/run-ts.cjs tools/capmerc/index.ts own [SM…]           our own code: corpus, fuzz kernels, kernels of one instruction
 *
 * Options: --levels 0,3 · --seed N · --files N (random kernels: files of six kernels) · --every N (kernels of one instruction: one of N).
 * The same evidence gives the same table. `gather all` asks for everything that the
 * table wants, about an hour on a busy machine; the committed table's random kernels came from an earlier state of templates.ts.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { TargetName } from "../../lib/target/index.js";
import { corpus, corpusPtx } from "../../test/corpus/cases.js";
import { generate, ptxText } from "../../test/fuzz/program.js";
import { inScratch } from "../../test/oracle/tools.js";
import { moduleText } from "../harvest/compile.js";
import { allKernels } from "../harvest/kernels/index.js";
import { Count } from "./check.js";
import { tablePath, tableText } from "./emit.js";
import { readEvidence } from "./evidence.js";
import { fitAll } from "./fit.js";
import { gatherCorpus, gatherOwn, gatherRandom, gatherSingle, randomObjects } from "./gather.js";
import { objectOf } from "./objects.js";

const [command, ...rest] = process.argv.slice(2);
const options = new Map<string, string>();
const names: string[] = [];
for (let i = 0; i < rest.length; i++) {
  if (rest[i]!.startsWith("--")) options.set(rest[i]!.slice(2), rest[++i] ?? "");
  else names.push(rest[i]!);
}
const number = (name: string, otherwise: number): number => Number(options.get(name) ?? otherwise);
const levels = (options.get("levels") ?? "0,1,3").split(",").map(Number);
const allArchs = ["sm_100", "sm_103", "sm_110", "sm_120", "sm_121"];

const EVERYTHING: readonly (readonly [source: string, sm: string, level: number, a: number, b: number])[] = [
  ["random", "100a", 3, 1000, 25],
  ["random", "100a", 0, 1000, 8],
  ["random", "100a", 1, 4000, 5],
  ["random", "120a", 3, 2000, 8],
  ["random", "120a", 0, 2000, 8],
  ...["103a", "110a", "121a"].flatMap((sm) => [3, 0].map((level) => ["random", sm, level, 3000, 5] as const)),
  ["single", "100a", 3, 1, 0],
  ["single", "120a", 3, 1, 0],
  ["single", "100a", 0, 2, 0],
  ["single", "120a", 0, 2, 1],
  ["single", "103a", 3, 4, 1],
  ["single", "110a", 3, 4, 2],
  ["single", "121a", 3, 4, 3],
];

/** Random kernels of one family (templates.ts) each: target, level, family, files. */
const FAMILIES: readonly (readonly [sm: string, level: number, family: number, files: number])[] = [
  ["100a", 3, 6, 8],
  ["100a", 3, 7, 8],
  ["100a", 3, 5, 8],
  ["100a", 3, 1, 6],
  ["120a", 3, 7, 4],
  ["120a", 3, 6, 4],
  ["100a", 0, 5, 3],
  ["100a", 0, 1, 3],
  ["100a", 0, 7, 4],
  ["100a", 3, 0, 4],
  ["100a", 3, 4, 3],
  ["100a", 3, 3, 3],
  ["120a", 3, 0, 3],
  ["120a", 3, 3, 3],
  ["120a", 3, 5, 3],
  ["120a", 3, 1, 2],
  ["100a", 0, 6, 3],
  ["100a", 3, 2, 3],
];

function gather(source: string, sm: string): void {
  if (source === "own") {
    gatherOwn(`sm_${sm}` as TargetName);
    return;
  }
  if (source === "corpus") {
    gatherCorpus(sm);
    return;
  }
  for (const level of levels)
    if (source === "single") gatherSingle(sm, level, number("every", 1), 0);
    else gatherRandom(sm, level, number("seed", 1000), number("files", 10));
}

function gatherAll(): void {
  for (const [source, sm, level, a, b] of EVERYTHING)
    if (source === "single") gatherSingle(sm, level, a, b);
    else gatherRandom(sm, level, a, b);
  for (const [sm, level, family, files] of FAMILIES)
    gatherRandom(sm, level, 20_000 + family * 100 + level * 10 + (sm === "120a" ? 5000 : 0), files, family);
  for (const arch of allArchs) gatherCorpus(arch.slice(3));
  for (const arch of ["sm_100", "sm_120"] as const) gatherOwn(arch);
}

function corpusText(name: string, arch: string): string {
  return corpusPtx(name, "sm_100").replace(/\.target sm_100\b/, `.target ${arch}`);
}

function check(arch: TargetName): void {
  for (const level of levels)
    inScratch((dir) => {
      const sm = arch.slice(3);
      const seen = new Count();
      for (const { name } of corpus) {
        const made = objectOf(dir, corpusText(name, arch), sm, level);
        if (typeof made !== "string") seen.ptxas(made, arch);
      }
      seen.print(`${arch} -O${level} corpus`);
      const fresh = new Count();
      const seed = number("seed", 900_000);
      for (let i = 0; i < number("files", 4); i++)
        for (const file of randomObjects(dir, sm, level, seed + i, { statements: 8 })) fresh.ptxas(file, arch);
      fresh.print(`${arch} -O${level} fresh kernels`);
    });
}

function own(arch: TargetName): void {
  const fuzz = Array.from({ length: number("files", 20) }, (_, i) =>
    ptxText(generate(number("seed", 0) + i), "sm_100"),
  );
  const single = allKernels()
    .filter((_, i) => i % number("every", 10) === 0)
    .map((k) => moduleText([k], "100").text);
  const target = (text: string): string => text.replace(/\.target sm_100\b/, `.target ${arch}`);
  for (const level of levels)
    inScratch((dir) => {
      const mine = new Count();
      for (const { name } of corpus) mine.own(corpusText(name, arch), arch, level, dir);
      mine.printOwn(`${arch} -O${level} corpus`);
      const fuzzed = new Count();
      for (const text of fuzz) fuzzed.own(target(text), arch, level, dir);
      fuzzed.printOwn(`${arch} -O${level} fuzz kernels`);
      const one = new Count();
      for (const text of single) one.own(target(text), arch, level, dir);
      one.printOwn(`${arch} -O${level} kernels of one instruction`);
    });
}

function checkObjects(paths: readonly string[]): void {
  const count = new Count();
  for (const path of paths) count.ptxas(readFileSync(path), "sm_100");
  count.print(`${paths.length} objects`);
}

const archs = (names.length > 0 ? names : allArchs) as TargetName[];
if (command === "gather" && names[0] === "all") gatherAll();
else if (command === "gather") for (const sm of names.slice(1)) gather(names[0]!, sm.replace("sm_", ""));
else if (command === "fit") {
  const units = readEvidence(() => true);
  const leaves = fitAll(units);
  writeFileSync(tablePath, tableText(leaves, units));
  console.log(`${tablePath}: ${leaves.length} lines of ${units.length} different units`);
} else if (command === "check" && names[0]?.endsWith(".o")) checkObjects(names);
else if (command === "check") for (const arch of archs) check(arch);
else if (command === "own") for (const arch of archs) own(arch);
else throw new Error(`command ${command}: gather, fit, check, own`);
