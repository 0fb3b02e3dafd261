/**
 * Mercury capsules (lib/elf/cubin/capmerc.ts): their table from what ptxas writes, and how well it does.
 *
 *     node tools/run-ts.cjs tools/capmerc/index.ts gather all          all evidence that the table wants (plan.ts) into .cache/capmerc
 *     node tools/run-ts.cjs tools/capmerc/index.ts gather SOURCE SM…   a part of it; SOURCE: single, random, logic, corpus; own
 *     node tools/run-ts.cjs tools/capmerc/index.ts gather doubts       what lines claim beyond the evidence and is something else by nvlink
 *     node tools/run-ts.cjs tools/capmerc/index.ts fit                 lib/elf/cubin/capmerc-table.ts from the evidence
 *     node tools/run-ts.cjs tools/capmerc/index.ts more                lines for what the table does not know of the programs, after those that stand
 *     node tools/run-ts.cjs tools/capmerc/index.ts check [SM…]         fresh random kernels, logic tables and the corpus, capsules beside ptxas's
 *     node tools/run-ts.cjs tools/capmerc/index.ts check FILE.o…       the same of objects of ptxas for sm_100
 *     node tools/run-ts.cjs tools/capmerc/index.ts own [SM…]           our own code: corpus, logic tables, fuzz kernels, kernels of one instruction
 *
 * Options: --levels 0,3 · --seed N · --files N (random kernels: files of six kernels) · --every N (kernels of one instruction: one of N).
 *
 * The same evidence gives the same table, and the same sources the same evidence: delete .cache/capmerc, then `gather all` and `fit`
 * make the committed table again, byte for byte, but for our own code that the compiler makes otherwise since and the lines of `more`. That takes about ten times as long as `own sm_100 --levels 0`. `gather all` goes
 * on where it was cut off; only our own code is always asked again.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { TargetName } from "../../lib/target/index.js";
import { corpus, corpusPtx } from "../../test/corpus/cases.js";
import { inScratch } from "../../test/oracle/tools.js";
import { numberOf, readArguments } from "../arguments.js";
import { Count } from "./check.js";
import { tablePath, tableText } from "./emit.js";
import { readEvidence } from "./evidence.js";
import { fitAll } from "./fit.js";
import {
  gatherCorpus,
  gatherDoubts,
  gatherLogic,
  gatherOwn,
  gatherRandom,
  gatherSingle,
  randomObjects,
} from "./gather.js";
import { logicModules } from "./logic.js";
import { addLines } from "./more.js";
import { objectOf } from "./objects.js";
import { corpusObjects, fuzzObjects, logicObjects, type OwnObject, singleObjects } from "./own.js";
import { gatherAll } from "./plan.js";

const [command, ...rest] = process.argv.slice(2);
const { values: options, positionals: names } = readArguments(
  {
    levels: { type: "string", default: "0,1,3" },
    seed: { type: "string" },
    files: { type: "string" },
    every: { type: "string", default: "1" },
  },
  rest,
);
const levels = options.levels.split(",").map(numberOf);
const every = numberOf(options.every);
const number = (option: "seed" | "files", otherwise: number): number => numberOf(options[option] ?? String(otherwise));
const allArchs = ["sm_100", "sm_103", "sm_110", "sm_120", "sm_121"];

function gather(source: string, sm: string): void {
  if (source === "own") {
    gatherOwn(levels.map((level) => [`sm_${sm}` as TargetName, level, every]));
    return;
  }
  if (source === "corpus") {
    gatherCorpus(sm);
    return;
  }
  for (const level of levels)
    if (source === "logic") gatherLogic(sm, level);
    else if (source === "single") gatherSingle(sm, level, every, 0);
    else gatherRandom(sm, level, number("seed", 1000), number("files", 10));
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
      const logic = new Count();
      for (const text of logicModules(sm)) {
        const made = objectOf(dir, text, sm, level);
        if (typeof made === "string") throw new Error(made);
        logic.ptxas(made, arch);
      }
      logic.print(`${arch} -O${level} logic tables`);
    });
}

function own(arch: TargetName): void {
  const sources = (level: number): readonly (readonly [name: string, objects: Iterable<OwnObject>])[] => [
    ["corpus", corpusObjects(arch, level)],
    ["logic tables", logicObjects(arch, level)],
    ["fuzz kernels", fuzzObjects(arch, level, number("seed", 0), number("files", 20))],
    ["kernels of one instruction", singleObjects(arch, level, every)],
  ];
  for (const level of levels)
    inScratch((dir) => {
      for (const [name, objects] of sources(level)) {
        const count = new Count();
        for (const object of objects) count.own(object, arch, dir);
        count.printOwn(`${arch} -O${level} ${name}`);
      }
    });
}

function checkObjects(paths: readonly string[]): void {
  const count = new Count();
  for (const path of paths) count.ptxas(readFileSync(path), "sm_100");
  count.print(`${paths.length} objects`);
}

const archs = (names.length > 0 ? names : allArchs) as TargetName[];
if (command === "gather" && names[0] === "all") gatherAll();
else if (command === "gather" && names[0] === "doubts") gatherDoubts();
else if (command === "gather") for (const sm of names.slice(1)) gather(names[0]!, sm.replace("sm_", ""));
else if (command === "fit") {
  const units = readEvidence(() => true);
  const leaves = fitAll(units);
  writeFileSync(tablePath, tableText(leaves, units));
  console.log(`${tablePath}: ${leaves.length} lines of ${units.length} different units`);
} else if (command === "more") addLines();
else if (command === "check" && names[0]?.endsWith(".o")) checkObjects(names);
else if (command === "check") for (const arch of archs) check(arch);
else if (command === "own") for (const arch of archs) own(arch);
else throw new Error(`command ${command}: gather, fit, more, check, own`);
