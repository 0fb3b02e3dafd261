/**
 * Differences between our cubin and ptxas's for the same PTX at -O0, as lines of `describeCubin`:
 *
 *   node tools/run-ts.cjs tools/compare-cubins.ts kernel.ptx [sm_90] [--contents]
 *
 * `-` stands only in ptxas's, `+` only in ours. Sizes of code sections and offsets of instructions differ as long as the
 * code does; sections, symbols, attributes and their order are what to look at.
 *
 *   node tools/run-ts.cjs tools/compare-cubins.ts --all [sm_90 …]
 *
 * The corpus and the programs: of how many cubins sections, symbols, relocations and attributes are ptxas's, by name, kind and number
 * (places in the code and sizes of code left aside), and which attributes have other values in how many.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { describeCubin } from "../lib/elf/index.js";
import { isTargetName, type TargetName } from "../lib/target/index.js";
import { type CorpusTarget, corpus, corpusPtx, corpusTargets } from "../test/corpus/cases.js";
import { programs } from "../test/programs/programs.js";

const args = process.argv.slice(2).filter((a) => !a.startsWith("--"));
const contents = process.argv.includes("--contents");
function theirs(input: string, arch: TargetName): Uint8Array {
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
  try {
    const output = join(dir, "k.cubin");
    const ptxas = join(__dirname, "../.oracle/bin/ptxas");
    const ran = spawnSync(ptxas, ["-O0", "-arch", arch, input, "-o", output], { encoding: "utf8" });
    if (ran.status !== 0) throw new Error(ran.stderr || String(ran.error));
    return readFileSync(output);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function lines(bytes: Uint8Array): string[] {
  const described = describeCubin(bytes, { contents });
  if (!described.ok) throw new Error(described.diagnostics[0]?.message);
  return described.value.map((l) => l.replace(/^symbol \d+ /, "symbol "));
}

function beside(file: string, arch: TargetName): void {
  const ours = compile(readFileSync(file, "latin1"), { target: arch, opt: 0, file });
  if (ours.cubin === null) {
    for (const d of ours.diagnostics) console.error(d.message);
    process.exitCode = 1;
    return;
  }
  const a = lines(theirs(file, arch));
  const b = lines(ours.cubin);
  const inA = new Set(a);
  const inB = new Set(b);
  for (const l of a) if (!inB.has(l)) console.log(`- ${l}`);
  for (const l of b) if (!inA.has(l)) console.log(`+ ${l}`);
  const kept = a.filter((l) => inB.has(l));
  const order = b.filter((l) => inA.has(l));
  console.log(
    `${kept.length} lines equal, ${a.length - kept.length} only in ptxas's, ${b.length - order.length} only in ours`,
  );
  if (kept.join("\n") !== order.join("\n")) console.log("the equal lines stand in another order");
}

// ------------------------------------------------------------------------------------------------ all

/** What of a cubin is compared, without what follows from the code itself. */
const aspects = {
  sections: (l: string): string | null => (l.startsWith("section ") ? l.replace(/ info=.*| size=.*/, "") : null),
  symbols: (l: string): string | null => (l.startsWith("symbol ") ? l.replace(/ (value|size)=\S+/g, "") : null),
  relocations: (l: string): string | null => (/^\.rela?\./.test(l) ? l.replace(/ 0x[0-9a-f]+ /, " ") : null),
  attributes: (l: string): string | null => (attribute.test(l) ? l.split(" ").slice(0, 2).join(" ") : null),
} as const;
const attribute = /^\.nv\.(info|compat)\S* /;

/** Values of the attributes by section and name. */
function valuesOf(all: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const l of all) {
    if (!attribute.test(l)) continue;
    const [section = "", name = "", ...rest] = l.split(" ");
    const key = `${section} ${name}`;
    found.set(key, `${found.get(key) ?? ""} ${rest.join(" ")}`);
  }
  return found;
}

function tell(arch: TargetName): void {
  const equal = new Map<string, number>();
  const otherValues = new Map<string, number>();
  const onlyOne = new Map<string, number>();
  const bump = (m: Map<string, number>, k: string): void => void m.set(k, (m.get(k) ?? 0) + 1);
  const at = corpusTargets.find((t) => t === arch) ?? ("sm_75" as CorpusTarget);
  const sm = Number(/\d+/.exec(arch)?.[0]);
  const texts = [...corpus.map((c) => corpusPtx(c.name, at)), ...programs.filter((p) => p.sm <= sm).map((p) => p.ptx)];
  let cubins = 0;
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
  for (const text of texts) {
    const file = join(dir, "k.ptx");
    writeFileSync(file, text);
    const ours = compile(text, { target: arch, opt: 0, file });
    if (ours.cubin === null) continue;
    cubins++;
    const [a, b] = [lines(theirs(file, arch)), lines(ours.cubin)];
    for (const [name, pick] of Object.entries(aspects)) {
      const of = (all: readonly string[]): string[] =>
        all
          .map(pick)
          .filter((l) => l !== null)
          .sort();
      const [x, y] = [of(a), of(b)];
      if (x.join("\n") === y.join("\n")) bump(equal, name);
      for (const k of new Set(x.filter((l) => !y.includes(l)).map(kind))) bump(onlyOne, `- ${k}`);
      for (const k of new Set(y.filter((l) => !x.includes(l)).map(kind))) bump(onlyOne, `+ ${k}`);
    }
    const [v, w] = [valuesOf(a), valuesOf(b)];
    const names = new Set(
      [...v].filter(([k, x]) => w.has(k) && w.get(k) !== x).map(([k]) => k.split(" ")[1] as string),
    );
    for (const n of names) bump(otherValues, n);
  }
  rmSync(dir, { recursive: true, force: true });
  const counts = Object.keys(aspects).map((name) => `${name} of ${equal.get(name) ?? 0}`);
  console.log(`${arch}: of ${cubins} cubins ${counts.join(", ")} are ptxas's`);
  const list = (m: Map<string, number>): string =>
    [...m]
      .sort((x, y) => y[1] - x[1])
      .map(([k, n]) => `\n    ${n} ${k}`)
      .join("");
  console.log(`  in one alone: ${list(onlyOne)}`);
  console.log(`  attributes of other values: ${list(otherValues)}`);
}

/** A line without names of functions and variables. */
function kind(l: string): string {
  const [what = "", ...rest] = l.split(" ");
  const section = what.replace(/^((?:\.rela?)?\.(?:text|nv\.info|nv\.constant\d|debug_\w+))\.\S+/, "$1.*");
  if (what === "section") return `section ${kind(rest.join(" "))}`;
  if (what === "symbol")
    return `symbol ${/internal/.test(l) ? "of a routine" : l.replace(/^symbol \S*/, "").replace(/section=\S+/, "")}`;
  return what.startsWith(".rel") ? `${section} ${rest[0]}` : `${section} ${rest.join(" ")}`;
}

if (process.argv.includes("--all"))
  for (const arch of args) {
    if (isTargetName(arch)) tell(arch);
  }
else {
  const [file, arch = "sm_90"] = args;
  if (file === undefined || !isTargetName(arch)) {
    console.error("usage: compare-cubins.ts FILE.ptx [sm_NN] [--contents]");
    process.exit(2);
  }
  beside(file, arch);
}
