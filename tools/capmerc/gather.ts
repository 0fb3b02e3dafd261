/** Compiles the sources of evidence with ptxas and writes down what it says of every word. */
import { existsSync, writeFileSync } from "node:fs";
import { bodyLength, lowerHalf } from "../../lib/elf/cubin/capmerc-derive.js";
import { MercuryTable } from "../../lib/elf/cubin/capmerc-lines.js";
import type { TargetName } from "../../lib/target/index.js";
import { corpus, corpusPtx } from "../../test/corpus/cases.js";
import { inScratch } from "../../test/oracle/tools.js";
import { programs } from "../../test/programs/programs.js";
import { allKernels } from "../harvest/kernels/index.js";
import { progress } from "../harvest/progress.js";
import { claims, isLegal, judges, saidOf } from "./doubt.js";
import { tableParts } from "./emit.js";
import { Evidence, evidencePath, readEvidence, type Unit, wordHex } from "./evidence.js";
import { fitAll, knows } from "./fit.js";
import { logicModules } from "./logic.js";
import { objectOf, objectsOf, sectionsOf, wordsOf } from "./objects.js";
import { corpusObjects, fuzzObjects, logicObjects, type OwnObject, programObjects, singleObjects } from "./own.js";
import { probe, probeItems, type Said } from "./probe.js";
import { randomKernel, type Size } from "./random.js";
import { shapeOf } from "./shape.js";

const PART = 300;

/** One-instruction kernels, every `every`-th from the `from`-th on. */
export function gatherSingle(sm: string, level: number, every: number, from: number): void {
  const name = `single-${sm}-O${level}-${every}`;
  if (gathered(name)) return;
  const kernels = allKernels().filter((_, i) => i % every === from % every);
  const evidence = new Evidence();
  inScratch((dir) => {
    const bar = progress(`sm_${sm} -O${level}, kernels of one instruction`, Math.ceil(kernels.length / PART));
    for (let i = 0; i < kernels.length; i += PART) {
      objectsOf(dir, kernels.slice(i, i + PART), sm, level, (file) => evidence.add(dir, file, sm));
      bar.add();
    }
    bar.stop();
  });
  finish(evidence, name);
}

/** Random kernels of many instructions. */
export function gatherRandom(sm: string, level: number, seed: number, files: number, family?: number): void {
  const name = `random-${sm}-O${level}-${seed}${family === undefined ? "" : `-family${family}`}`;
  if (gathered(name)) return;
  const evidence = new Evidence();
  inScratch((dir) => {
    const bar = progress(`sm_${sm} -O${level}, random kernels`, files);
    for (let f = 0; f < files; f++) {
      for (const file of randomObjects(dir, sm, level, seed + f, { family })) evidence.add(dir, file, sm);
      bar.add();
    }
    bar.stop();
  });
  finish(evidence, name);
}

/** Objects of random kernels; statements that ptxas refuses for the target are left out. */
export function randomObjects(dir: string, sm: string, level: number, seed: number, size: Size = {}): Uint8Array[] {
  let lines = randomKernel(seed, sm, size);
  for (let attempt = 0; attempt < 30; attempt++) {
    const made = objectOf(dir, lines.join("\n"), sm, level);
    if (typeof made !== "string") return [made];
    const bad = new Set([...made.matchAll(/line (\d+);/g)].map((m) => Number(m[1])));
    if (bad.size === 0) return [];
    lines = lines.filter((_, i) => !bad.has(i + 1));
  }
  return [];
}

export function gatherCorpus(sm: string): void {
  const name = `corpus-${sm}`;
  if (gathered(name)) return;
  const evidence = new Evidence();
  inScratch((dir) => {
    for (const level of [0, 3])
      for (const kernel of corpus) {
        const text = corpusPtx(kernel.name, "sm_100").replace(/\.target sm_100\b/, `.target sm_${sm}`);
        const made = objectOf(dir, text, sm, level);
        if (typeof made === "string") throw new Error(made);
        evidence.add(dir, made, sm);
      }
  });
  finish(evidence, name);
}

/** Zero stored in every strength, space and width: few programs do. */
function zeros(sm: string): string {
  const stores: string[] = [];
  for (const strength of ["", ".volatile", ".relaxed.gpu", ".relaxed.sys", ".relaxed.cta"])
    for (const space of [".global", ".shared", ""])
      for (const type of [".u8", ".u16", ".u32", ".u64", ".v2.u32", ".v4.u32"]) {
        const value = type.startsWith(".v") ? `{${Array(Number(type[2])).fill("%zero").join()}}` : "0";
        stores.push(
          `st${strength}${space}${type} [${space === ".shared" ? "%s" : "%a"}+${stores.length * 16}], ${value};`,
        );
      }
  return `.version 9.0
.target sm_${sm}
.address_size 64
.visible .entry zeros(.param .u64 to) {
.reg .b64 %a; .reg .b32 %s, %zero; ld.param.u64 %a, [to]; mov.u32 %s, %tid.x; shl.b32 %s, %s, 4; mov.u32 %zero, 0;
${stores.join("\n")}
ret; }`;
}

/** The programs of test/programs that are for every SM. */
export function gatherPrograms(sm: string): void {
  const name = `programs-${sm}`;
  if (gathered(name)) return;
  const evidence = new Evidence();
  inScratch((dir) => {
    for (const level of [1, 3])
      for (const ptx of [...programs.map((p) => p.ptx), ...corpus.map((c) => corpusPtx(c.name, "sm_100")), zeros(sm)]) {
        const made = objectOf(dir, ptx, sm, level);
        if (typeof made === "string") throw new Error(made);
        evidence.add(dir, made, sm);
      }
  });
  finish(evidence, name);
}

/** Words of our own objects of the programs, the corpus and fuzz kernels that are not known, with nvlink as judge. */
export function gatherOwnPrograms(arch: TargetName, known: (w: Uint32Array) => boolean): void {
  const names = itemNames(readEvidence((name) => !/^(own-|doubt)/.test(name)));
  const words = new Map<string, Uint32Array>();
  for (const level of [1, 3])
    for (const objects of [
      corpusObjects(arch, level),
      programObjects(arch, level),
      fuzzObjects(arch, level, 5000, 20),
      logicObjects(arch, level),
    ])
      unknownIn(objects, known, words);
  const { lines, left } = judged(arch, words, names);
  console.log(`own-programs-${arch}: ${words.size} words not known, ${lines.length} of them true; the others:`);
  for (const key of left) console.log(`  ${key}`);
  writeFileSync(evidencePath(`own-programs-${arch}`), `${lines.sort().join("\n")}\n`);
}

/** All logic tables (logic.ts). */
export function gatherLogic(sm: string, level: number): void {
  const name = `logic-${sm}-O${level}`;
  if (gathered(name)) return;
  const evidence = new Evidence();
  inScratch((dir) => {
    for (const text of logicModules(sm)) {
      const made = objectOf(dir, text, sm, level);
      if (typeof made === "string") throw new Error(made);
      evidence.add(dir, made, sm);
    }
  });
  finish(evidence, name);
}

/** Words of our own compiler: target, level, one kernel of one instruction of so many. */
export type OwnSource = readonly [arch: TargetName, level: number, every: number];

/** Words of our own compiler of which the evidence of ptxas says nothing, with nvlink as judge. */
export function gatherOwn(sources: readonly OwnSource[]): void {
  const units = readEvidence((name) => !/^(own-|doubt)/.test(name));
  const known = knows(fitAll(units));
  const names = itemNames(units);
  for (const source of sources) {
    const words = unknownWords(source, known);
    const { lines, left } = judged(source[0], words, names);
    const name = `own-${source[0].slice(3)}-O${source[1]}`;
    console.log(`${name}: ${words.size} words not known, ${lines.length} of them true; the others:`);
    for (const key of left) console.log(`  ${key}`);
    writeFileSync(evidencePath(name), `${lines.sort().join("\n")}\n`);
  }
}

/** Items of four bytes, by opcode. */
function itemNames(units: readonly Unit[]): Map<number, Set<string>> {
  const names = new Map<number, Set<string>>();
  for (const u of units) {
    if (u.words.length > 1 || u.item.length !== 8) continue;
    const opcode = u.words[0]![0]! & 0xfff;
    names.set(opcode, (names.get(opcode) ?? new Set()).add(u.item));
  }
  return names;
}

/**
 * Words of which the lines claim more than was measured and of which nvlink makes something else: what they are by nvlink. Those of
 * which it makes nothing are only counted: most are words that no code has alone, such as half of a comparison of 64 bits.
 */
export function gatherDoubts(): void {
  const units = readEvidence((name) => name !== "doubt");
  const leaves = fitAll(units);
  const { keys, lines: text } = tableParts(leaves, units);
  const table = new MercuryTable(keys, text);
  const claimed = claims(leaves, units);
  let left = claimed;
  const lines: string[] = [];
  inScratch((dir) => {
    for (const arch of judges) left = left.filter(doubtful(dir, left, arch, table));
    const names = itemNames(units);
    for (const arch of judges) {
      const words = new Map(left.filter((w) => isLegal(w, arch)).map((w) => [wordHex(w, 0), w]));
      const found = judged(arch, words, names);
      lines.push(...found.lines);
      const still = new Set(found.left);
      left = left.filter((w) => !words.has(wordHex(w, 0)) || still.has(wordHex(w, 0)));
    }
  });
  console.log(
    `doubt: ${claimed.length} words asked, ${lines.length} are something else, of ${left.length} nvlink makes nothing`,
  );
  writeFileSync(evidencePath("doubt"), `${lines.sort().join("\n")}\n`);
}

/** Whether nvlink does not make a word again from what the table says of it. */
function doubtful(
  dir: string,
  words: readonly Uint32Array[],
  arch: TargetName,
  table: MercuryTable,
): (w: Uint32Array) => boolean {
  const sure = new Set<Uint32Array>();
  // A kind of word that nvlink refuses spoils the answers for those beside it.
  const byOpcode = new Map<number, (Said & { size: number })[]>();
  for (const w of words) {
    const said = isLegal(w, arch) ? saidOf(w, arch, table) : null;
    if (said === null) continue;
    const list = byOpcode.get(w[0]! & 0xfff);
    if (list === undefined) byOpcode.set(w[0]! & 0xfff, [said]);
    else list.push(said);
  }
  for (const list of byOpcode.values()) {
    const sizes = probeItems(dir, list, arch);
    // Words beside each other may be one instruction: what fails is asked again alone.
    list.forEach((said, i) => {
      if (sizes[i] === said.size || probeItems(dir, [said], arch)[0] === said.size) sure.add(said.word);
    });
  }
  return (w) => !sure.has(w);
}

/** By their hexadecimal form. */
function unknownWords([arch, level, every]: OwnSource, known: (w: Uint32Array) => boolean): Map<string, Uint32Array> {
  const words = new Map<string, Uint32Array>();
  unknownIn(ownObjects(arch, level, every), known, words);
  return words;
}

function unknownIn(
  objects: Iterable<OwnObject>,
  known: (w: Uint32Array) => boolean,
  words: Map<string, Uint32Array>,
): void {
  for (const { file } of objects)
    for (const [section, data] of sectionsOf(file)) {
      if (!section.startsWith(".text.")) continue;
      const all = wordsOf(data);
      const end = bodyLength(all);
      for (let i = 0; i < end; i++) {
        const w = all.slice(i * 4, i * 4 + 4);
        const key = wordHex(all, i);
        const shape = words.has(key) || known(w) || lowerHalf(all, i, end) ? null : shapeOf([w]);
        if (shape !== null && !shape.operands.some((o) => o.kind === "label")) words.set(key, w);
      }
    }
}

/** Lines of evidence for words that stand for themselves or are one of the instructions named for their opcode; `left`: the others. */
function judged(
  arch: TargetName,
  words: ReadonlyMap<string, Uint32Array>,
  names: ReadonlyMap<number, ReadonlySet<string>>,
): { lines: string[]; left: readonly string[] } {
  const lines: string[] = [];
  let left = [...words.keys()].sort();
  inScratch((dir) => {
    const ask = (keys: readonly string[], item: string): void => {
      const bytes = item === "1" ? null : Uint8Array.from(Buffer.from(item, "hex"));
      const asked = keys.map((k) => words.get(k)!);
      const sizes = probe(dir, asked, arch, bytes);
      keys.forEach((k, i) => {
        if (sizes[i]! > 0) lines.push(`${k} - ${item} ${sizes[i]} 1`);
      });
      const found = new Set(keys.filter((_, i) => sizes[i]! > 0));
      left = left.filter((k) => !found.has(k));
    };
    ask(left, "1");
    for (const opcode of [...names.keys()].sort((a, b) => a - b))
      for (const item of [...names.get(opcode)!].sort()) {
        const keys = left.filter((k) => (words.get(k)![0]! & 0xfff) === opcode);
        if (keys.length > 0) ask(keys, item);
      }
  });
  return { lines, left };
}

function* ownObjects(arch: TargetName, level: number, every: number): Generator<OwnObject> {
  yield* corpusObjects(arch, level);
  yield* logicObjects(arch, level);
  yield* fuzzObjects(arch, level, 5000, 40);
  yield* singleObjects(arch, level, every);
}

const gathered = (name: string): boolean => existsSync(evidencePath(name));

function finish(evidence: Evidence, name: string): void {
  evidence.write(evidencePath(name));
  const { functions, distinct, unsized } = evidence;
  console.log(
    `${name}: ${functions} functions, ${distinct} different units; sizes not told: ${unsized.join("; ") || "none"}`,
  );
}
