/**
 * How far real PTX gets: each .ptx below a folder, compiled for its target by ours and by ptxas.
 *
 *   node tools/run-ts.cjs tools/sweep.ts FOLDER [SM …] [--levels 0,default] [--every N] [--from K] [--only REGEX] [--run]
 *                                        [--without REGEX] [--list]
 *
 * Prints for each level: files taken by both; what we refuse of those that ptxas takes, by our first message and by all of a file's;
 * verdicts that differ; files in which the hazard checker finds something, ours and ptxas's; registers and instructions over ptxas's
 * (geometric means of kernels), kernels with more registers than ptxas's, those with the most, all with `--list`. SMs instead of the file's own target, `--only`/`--without` by the file's name, `--run`: kernels of both in the
 * simulator on random buffers. A refusal is counted without its numbers and names. ptxas's cubins are kept in .cache/sweep.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { type Diagnostic, isFailure } from "../lib/diagnostics.js";
import { type Cubin, readCubin } from "../lib/elf/index.js";
import { findingText } from "../lib/hazard/index.js";
import { unwrap } from "../lib/result.js";
import { isTargetName, type TargetName } from "../lib/target/index.js";
import { verifyCubin } from "../lib/verify.js";
import { numberOf, readArguments, usage } from "./arguments.js";
import { replay } from "./sweep/replay.js";
import { madeByPtxas } from "./sweep/theirs.js";

const { values: options, positionals } = readArguments({
  levels: { type: "string", default: "0,default" },
  every: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  only: { type: "string", default: "" },
  without: { type: "string", default: "^$" },
  run: { type: "boolean", default: false },
  budget: { type: "string", default: "300000" },
  list: { type: "boolean", default: false },
});
const [folder, ...sms] = positionals;
if (folder === undefined) usage("usage: sweep.ts FOLDER [SM …] [options]");

function files(dir: string): string[] {
  const entries = readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((e) => {
    const path = join(dir, e.name);
    return e.isDirectory() ? files(path) : e.name.endsWith(".ptx") ? [path] : [];
  });
}

const chosen = files(folder)
  .filter((f) => new RegExp(options.only).test(f) && !new RegExp(options.without).test(f))
  .filter((_, i) => i % numberOf(options.every) === numberOf(options.from) % numberOf(options.every));

/** The SM that a text is compiled for: the one it names, 75 where it names an older one. */
function targetsOf(text: string): TargetName[] {
  if (sms.length > 0) return sms.map((s) => (s.startsWith("sm_") ? s : `sm_${s}`) as TargetName);
  const own = /^\s*\.target\s+(sm_\w+)/m.exec(text)?.[1] ?? "";
  return [isTargetName(own) ? (own as TargetName) : "sm_75"];
}

/** Counts with an example each. */
class Tally {
  private readonly seen = new Map<string, { count: number; example: string }>();

  add(key: string, example: string): void {
    const s = this.seen.get(key);
    if (s === undefined) this.seen.set(key, { count: 1, example });
    else s.count++;
  }

  print(title: string): void {
    if (this.seen.size === 0) return;
    console.log(`  ${title}:`);
    const rows = [...this.seen].sort((a, b) => b[1].count - a[1].count);
    for (const [key, { count, example }] of rows.slice(0, options.list ? undefined : 30))
      console.log(`  ${String(count).padStart(6)} ${key.slice(0, 150)}   (${example})`);
    if (rows.length > 30 && !options.list) console.log(`         and ${rows.length - 30} more kinds`);
  }
}

/** What is not supported by its mnemonic; other messages without their numbers and names. */
function reason(d: Diagnostic): string {
  const missing = /^not supported yet: (.*)$/.exec(d.message)?.[1];
  if (missing !== undefined) {
    const [word = "", next = ""] = missing.split(" ");
    return `not supported yet: ${word}${next.startsWith("%envreg") || next === "variable" ? ` ${next}` : ""}`;
  }
  return d.message.replace(/'[^']*'/g, "'…'").replace(/\b\d{3,}\b/g, "N");
}

/** What a kernel takes, ours and ptxas's. Instructions with the padding at the end. */
interface Sizes {
  readonly name: string;
  readonly registers: readonly [ours: number, theirs: number];
  readonly instructions: readonly [ours: number, theirs: number];
}

/** The functions that both cubins have code of. */
function sizesOf(ours: Cubin, theirs: Cubin, file: string): Sizes[] {
  const by = new Map(theirs.functions.map((f) => [f.name, f]));
  return ours.functions.flatMap((f) => {
    const other = by.get(f.name);
    if (other === undefined || other.words.length === 0 || f.words.length === 0) return [];
    return [
      {
        name: `${f.name.slice(0, 80)} of ${file}`,
        registers: [f.registers, other.registers] as const,
        instructions: [f.words.length / 4, other.words.length / 4] as const,
      },
    ];
  });
}

const over = ([ours, theirs]: readonly [number, number]): number => ours / theirs;

const geometric = (ratios: readonly number[]): string =>
  Math.exp(ratios.reduce((sum, r) => sum + Math.log(r), 0) / Math.max(1, ratios.length)).toFixed(3);

/** Kernels with more registers than ptxas's, the worst first. */
function printRegisters(sizes: readonly Sizes[]): void {
  const more = sizes.filter((s) => s.registers[0] > s.registers[1]);
  if (more.length === 0) return;
  more.sort((a, b) => over(b.registers) - over(a.registers));
  console.log(`  more registers than ptxas's in ${more.length} of ${sizes.length} kernels:`);
  for (const { name, registers, instructions } of more.slice(0, options.list ? undefined : 10)) {
    const [r, i] = [registers, instructions].map(([a, b]) => `${a} for ${b}`);
    console.log(`  ${over(registers).toFixed(2).padStart(6)} ${r} registers, ${i} instructions   (${name})`);
  }
}

interface Compiled {
  readonly cubin: Uint8Array | null;
  readonly failures: readonly Diagnostic[];
  /** First line of an exception, which there must not be. */
  readonly broken: string | null;
}

function ours(text: string, file: string, target: TargetName, level: string): Compiled {
  try {
    const made = compile(text, { target, file, ...(level === "default" ? {} : { opt: Number(level) }) });
    return { cubin: made.cubin, failures: made.diagnostics.filter(isFailure), broken: null };
  } catch (e) {
    return { cubin: null, failures: [], broken: String(e).split("\n")[0]!.slice(0, 200) };
  }
}

function sweep(level: string): void {
  const [first, all, only] = [new Tally(), new Tally(), new Tally()];
  const [verdicts, hazards, theirHazards, runs] = [new Tally(), new Tally(), new Tally(), new Tally()];
  let [asked, taken, compiled, clean, theirClean] = [0, 0, 0, 0, 0];
  const sizes: Sizes[] = [];
  for (const file of chosen) {
    const text = readFileSync(file);
    for (const target of targetsOf(text.toString("latin1", 0, 4000))) {
      const name = `${file.split("/").slice(-2).join("/")} ${target}`;
      asked++;
      const theirs = madeByPtxas(file, text, target, level);
      const made = ours(text.toString("latin1"), file, target, level);
      if ("refusal" in theirs) {
        if (made.cubin !== null)
          verdicts.add(`we take, ptxas: ${theirs.refusal.replace(/^.*?(error|fatal)/, "$1")}`, name);
        continue;
      }
      taken++;
      if (made.cubin === null) {
        const reasons = made.broken === null ? made.failures.map(reason) : [`BROKEN ${made.broken}`];
        first.add(reasons[0] ?? "no message", name);
        const kinds = new Set(reasons);
        for (const r of kinds) all.add(r, name);
        if (kinds.size === 1) only.add(reasons[0]!, name);
        continue;
      }
      compiled++;
      const [a, b] = [unwrap(readCubin(made.cubin)), unwrap(readCubin(theirs.cubin))];
      const [found, theirFound] = [verifyCubin(a) ?? [], verifyCubin(b) ?? []];
      if (found.length === 0) clean++;
      else hazards.add(findingText(found[0]!), name);
      if (theirFound.length === 0) theirClean++;
      else theirHazards.add(findingText(theirFound[0]!), name);
      sizes.push(...sizesOf(a, b, name));
      if (options.run)
        for (const r of replay(made.cubin, theirs.cubin, numberOf(options.budget)))
          runs.add(r.verdict, `${r.kernel.slice(0, 60)} of ${name}`);
    }
  }
  const [registers, instructions] = [sizes.map((s) => over(s.registers)), sizes.map((s) => over(s.instructions))];
  console.log(
    `level ${level}: ${asked} files, ptxas takes ${taken}, of these ours ${compiled} (${((100 * compiled) / Math.max(1, taken)).toFixed(1)} %); ` +
      `without hazards ours ${clean}, ptxas's ${theirClean}; ${sizes.length} kernels: registers ${geometric(registers)}, instructions ${geometric(instructions)} of ptxas's`,
  );
  printRegisters(sizes);
  first.print("refused, by the first message");
  all.print("by every message, once a file");
  only.print("the one kind of message of a file");
  verdicts.print("other verdicts");
  hazards.print("hazards in ours");
  theirHazards.print("hazards in ptxas's");
  runs.print("kernels run");
}

for (const level of options.levels.split(",")) sweep(level);
