/**
 * Life ranges of whole functions against `nvdisasm -plr`, register by register: written, read, both or living through, at
 * every instruction of ptxas's code for the test corpus, and with `--cccl` for device-wide sort, scan and reduce too.
 *
 *     node tools/run-ts.cjs tools/live-figures.ts [SM…] [-O 0,1,2,3] [--cccl] [--keep DIR] [--examples N]
 *
 * Needs the real tools (npm run oracle:setup). nvdisasm takes calls by the calling convention and leaves some registers
 * out: `asNvdisasm` of lib/sass/live.ts says how.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCubin } from "../lib/elf/index.js";
import { type TargetName, target } from "../lib/target/index.js";
import { numberOf, readArguments, smsOf } from "./arguments.js";
import { ccclCubins, corpusCubins, type Made } from "./sass/cubins.js";
import { askRanges, ourRanges } from "./sass/ranges.js";

const { values: options, positionals } = readArguments({
  levels: { type: "string", short: "O", default: "0,1,2,3" },
  cccl: { type: "boolean", default: false },
  keep: { type: "string" },
  examples: { type: "string", default: "3" },
});
const levels = options.levels.split(",").map(numberOf);
const dir = options.keep ?? mkdtempSync(join(tmpdir(), "live-"));
const examples = numberOf(options.examples);

/** Functions, instructions, and what differs: `function+offset: theirs | ours`. */
interface Figures {
  functions: number;
  agree: number;
  instructions: number;
  alike: number;
  readonly differences: string[];
}

function compare(sm: number, made: Made, out: Figures): void {
  const cubin = readCubin(made.bytes);
  if (!cubin.ok) throw new Error(`${made.name}: ${cubin.diagnostics[0]!.message}`);
  const theirs = askRanges(made.path);
  if (typeof theirs === "string") throw new Error(`${made.name}: ${theirs}`);
  const all = ourRanges(cubin.value.functions, target(`sm_${sm}` as TargetName));
  for (const f of cubin.value.functions) {
    const ours = all.get(f.name)!;
    let different = 0;
    for (const [offset, marks] of theirs.get(f.name)!) {
      out.instructions++;
      if (marks === ours[offset >> 4]) out.alike++;
      else if (different++ === 0)
        out.differences.push(`${made.name} ${f.name}+${offset.toString(16)}: ${marks} | ${ours[offset >> 4]}`);
    }
    out.functions++;
    if (different === 0) out.agree++;
  }
}

let wrong = 0;
for (const sm of smsOf(positionals)) {
  const out: Figures = { functions: 0, agree: 0, instructions: 0, alike: 0, differences: [] };
  for (const made of corpusCubins(sm, levels, dir)) compare(sm, made, out);
  if (options.cccl) for (const made of ccclCubins(sm, levels, dir)) compare(sm, made, out);
  wrong += out.functions - out.agree;
  console.log(
    `sm_${sm}: ${out.agree} of ${out.functions} functions alike, ${out.alike} of ${out.instructions} instructions`,
  );
  for (const d of out.differences.slice(0, examples)) console.log(`    ${d.slice(0, 1000)}`);
}
process.exitCode = wrong === 0 ? 0 : 1;
