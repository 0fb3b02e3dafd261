/**
 * Random PTX modules (test/fuzz/modules) through everybody:
 *
 *   node tools/run-ts.cjs tools/random-modules.ts COUNT [--from SEED] [--sm 75,90,100] [-O 0,3] [--ptxas] [--shrink] [--text]
 *
 * What the PTX interpreter leaves in memory is held against our code at the levels, each seed for one of the SMs (default: all targets in
 * turn), and with `--ptxas` against ptxas's code at -O0 and -O3. `--shrink` makes what differs smaller and writes it to out/random-modules/SEED.ptx;
 * `--text` prints the module of the first seed. Long runs in parts: tools/random-programs.ts.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isTargetName, type TargetName, targetNames } from "../lib/target/index.js";
import { generateModule, type RandomModule } from "../test/fuzz/modules/generate.js";
import { moduleText } from "../test/fuzz/modules/text.js";
import { numberOf, readArguments, usage } from "./arguments.js";
import { everybody, numberOfTarget, type Verdict } from "./random-modules/compare.js";
import { smallerModule } from "./random-modules/shrink.js";

const { values, positionals } = readArguments({
  from: { type: "string", default: "0" },
  sm: { type: "string" },
  opt: { type: "string", short: "O", default: "0,3" },
  ptxas: { type: "boolean", default: false },
  shrink: { type: "boolean", default: false },
  text: { type: "boolean", default: false },
});
if (positionals.length !== 1) usage("usage: random-modules.ts COUNT [options]");
const levels = values.opt.split(",").map(numberOf);
const targets: readonly TargetName[] =
  values.sm?.split(",").map((n): TargetName => {
    const name = `sm_${n}`;
    return isTargetName(name) ? name : usage(`no target ${name}`);
  }) ?? targetNames;

function shrink(module: RandomModule, seed: number, target: TargetName, first: Verdict): string {
  const alike = (v: Verdict): boolean =>
    v.who === first.who && v.what.replace(/\d+.*/, "") === first.what.replace(/\d+.*/, "");
  const fails = (m: RandomModule): boolean => {
    const found = everybody(
      moduleText(m, target),
      seed,
      target,
      [Number(first.who.at(-1))],
      first.who.startsWith("ptxas"),
    );
    return found?.some(alike) ?? false;
  };
  return moduleText(smallerModule(module, fails), target);
}

const [count, from] = [numberOf(positionals[0]!), numberOf(values.from)];
let [same, skipped] = [0, 0];
for (let seed = from; seed < from + count; seed++) {
  const target = targets[seed % targets.length]!;
  const module = generateModule(seed, numberOfTarget(target));
  const text = moduleText(module, target);
  if (values.text && seed === from) console.log(text);
  const found = everybody(text, seed, target, levels, values.ptxas && !module.ptxasErrs);
  if (found === null) skipped++;
  else if (found.length === 0) same++;
  for (const v of found ?? []) console.log(`seed ${seed}, ${target}: ${v.who}: ${v.what.slice(0, 300)}`);
  if (!values.shrink || found === null || found.length === 0) continue;
  const dir = join(__dirname, "../out/random-modules");
  mkdirSync(dir, { recursive: true });
  const file = join(dir, `${seed}.ptx`);
  writeFileSync(file, shrink(module, seed, target, found[0]!));
  console.log(`  shrunk: ${file}`);
}
console.log(`${same} of ${count} modules the same everywhere, ${skipped} ran too long`);
process.exitCode = same + skipped === count ? 0 : 1;
