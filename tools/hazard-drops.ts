/**
 * Does the hazard checker see each wait and each scoreboard of ptxas's code? Every one is dropped in turn, and the checker asked.
 *
 *   node tools/run-ts.cjs tools/hazard-drops.ts FOLDER [SM …] [--every N] [--from K] [--only REGEX] [--sample N] [--longest N] [--show]
 *
 * For the .ptx below a folder, compiled by ptxas at its default level for the file's own target or the SMs named (cubins are kept in
 * .cache/sweep): findings in the code as it is; of the waits, and of the scoreboards that instructions set for results and for
 * operands, how many are caught when they are dropped; of the others how many rest on units that keep order, and how many nothing
 * rests on (checked as if no unit kept order: no register is touched meanwhile, or another wait tells), by what sets the scoreboard and
 * what waits (linearly: the last before). `--sample`: each Nth place, `--longest`: functions of at most so many instructions.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CubinFunction, readCubin } from "../lib/elf/index.js";
import { findingText, verifyHazards } from "../lib/hazard/index.js";
import { unwrap } from "../lib/result.js";
import { decodeInst } from "../lib/sass/decode.js";
import { isTargetName, type Target, type TargetName, targetOfSm } from "../lib/target/index.js";
import { codeToVerify } from "../lib/verify.js";
import { numberOf, readArguments, usage } from "./arguments.js";
import { madeByPtxas } from "./sweep/theirs.js";

const { values: options, positionals } = readArguments({
  every: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  only: { type: "string", default: "" },
  sample: { type: "string", default: "1" },
  longest: { type: "string", default: "1500" },
  show: { type: "boolean", default: false },
});
const [folder, ...sms] = positionals;
if (folder === undefined) usage("usage: hazard-drops.ts FOLDER [SM …] [options]");

function files(dir: string): string[] {
  const entries = readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((e) => {
    const path = join(dir, e.name);
    return e.isDirectory() ? files(path) : e.name.endsWith(".ptx") ? [path] : [];
  });
}

/** Places in the fourth word of an instruction: 6 bits of waits; 3 bits each of the scoreboards, 7 for none. */
const WAITS = 20;
const WRITE = 14;
const READ = 17;
const NONE = 7;

interface Drop {
  readonly at: number;
  readonly kind: "wait" | "result" | "operand";
  readonly scoreboard: number;
}

function drops(words: Uint32Array): Drop[] {
  const found: Drop[] = [];
  for (let at = 0; at < words.length / 4; at++) {
    const w = words[4 * at + 3] as number;
    for (let b = 0; b < 6; b++) if ((w >>> (WAITS + b)) & 1) found.push({ at, kind: "wait", scoreboard: b });
    for (const [kind, place] of [
      ["result", WRITE],
      ["operand", READ],
    ] as const)
      if (((w >>> place) & NONE) < 6) found.push({ at, kind, scoreboard: (w >>> place) & NONE });
  }
  return found;
}

function without(words: Uint32Array, d: Drop): Uint32Array {
  const out = words.slice();
  const place = d.kind === "result" ? WRITE : READ;
  const w = out[4 * d.at + 3] as number;
  out[4 * d.at + 3] = d.kind === "wait" ? w & ~(1 << (WAITS + d.scoreboard)) : w | (NONE << place);
  return out;
}

class Judge {
  readonly asked = { wait: 0, result: 0, operand: 0 };
  readonly caught = { wait: 0, result: 0, operand: 0 };
  readonly ordered = { wait: 0, result: 0, operand: 0 };
  readonly accepted: Map<string, { count: number; example: string }> = new Map();
  readonly found: string[] = [];
  places = 0;

  constructor(private readonly sample: number) {}

  judge(f: CubinFunction, target: Target, where: string): void {
    const code = codeToVerify(f);
    const before = verifyHazards(code, target);
    for (const x of before) this.found.push(`${findingText(x)} (${where})`);
    const known = before.length;
    const loose = { ...code, withoutOrder: true };
    let alone = -1;
    for (const d of drops(f.words)) {
      if (this.places++ % this.sample !== 0) continue;
      this.asked[d.kind]++;
      const words = without(f.words, d);
      if (verifyHazards({ ...code, words }, target).length > known) {
        this.caught[d.kind]++;
        continue;
      }
      if (alone < 0) alone = verifyHazards(loose, target).length;
      const ordered = verifyHazards({ ...loose, words }, target).length > alone;
      if (ordered) this.ordered[d.kind]++;
      this.accept(d, ordered ? "order" : "nothing", f.words, target, where);
    }
  }

  private accept(d: Drop, why: string, words: Uint32Array, target: Target, where: string): void {
    const name = (i: number): string => {
      const inst = decodeInst(words, 4 * i, target);
      return inst === null ? "?" : inst.form.op;
    };
    let pair = `${name(d.at)} sets`;
    if (d.kind === "wait") {
      const setters: string[] = [];
      for (let i = d.at - 1; i >= 0 && setters.length === 0; i--) {
        const w = words[4 * i + 3] as number;
        if (((w >>> WRITE) & NONE) === d.scoreboard) setters.push(`${name(i)} result`);
        if (((w >>> READ) & NONE) === d.scoreboard) setters.push(`${name(i)} operand`);
      }
      pair = `${setters.join(" and ") || "nothing before"}, ${name(d.at)} waits`;
    }
    const key = `${d.kind}, ${why}: ${pair}`;
    const seen = this.accepted.get(key);
    if (seen === undefined) this.accepted.set(key, { count: 1, example: `0x${(16 * d.at).toString(16)} of ${where}` });
    else seen.count++;
  }

  print(): void {
    for (const kind of ["wait", "result", "operand"] as const)
      console.log(
        `${kind}: ${this.caught[kind]} of ${this.asked[kind]} caught when dropped, ${this.ordered[kind]} told by order, on ${this.asked[kind] - this.caught[kind] - this.ordered[kind]} nothing rests`,
      );
    console.log(`findings in ptxas's code: ${this.found.length}`);
    for (const text of this.found.slice(0, options.show ? undefined : 10)) console.log(`    ${text}`);
    const rows = [...this.accepted].sort((a, b) => b[1].count - a[1].count);
    for (const [key, { count, example }] of rows.slice(0, options.show ? undefined : 40))
      console.log(`${String(count).padStart(6)} ${key}   (${example})`);
  }
}

const judge = new Judge(numberOf(options.sample));
const chosen = files(folder)
  .filter((f) => new RegExp(options.only).test(f))
  .filter((_, i) => i % numberOf(options.every) === numberOf(options.from) % numberOf(options.every));
let functions = 0;
for (const file of chosen) {
  const text = readFileSync(file);
  const own = /^\s*\.target\s+(sm_\w+)/m.exec(text.toString("latin1", 0, 4000))?.[1] ?? "";
  const named = sms.map((s) => (s.startsWith("sm_") ? s : `sm_${s}`) as TargetName);
  for (const arch of named.length > 0 ? named : [isTargetName(own) ? (own as TargetName) : "sm_75"]) {
    const made = madeByPtxas(file, text, arch, "default");
    if ("refusal" in made) continue;
    const cubin = unwrap(readCubin(made.cubin));
    const target = targetOfSm(cubin.sm) as Target;
    for (const f of cubin.functions) {
      if (f.words.length / 4 > numberOf(options.longest)) continue;
      functions++;
      judge.judge(f, target, `${f.name.slice(0, 40)} ${file.split("/").pop()} ${arch}`);
    }
  }
}
console.log(`${chosen.length} files, ${functions} functions`);
judge.print();
