/**
 * What instructions read and write, by the table, against the life ranges of nvdisasm (`-plr`), register by register: for
 * every line of the table random legal words, each in a function of its own before an EXIT.
 *
 *     node tools/run-ts.cjs tools/live-words.ts [SM…] [--count 20] [--opcodes 210,c10u] [--seed N] [--examples N] [--undefined yes]
 *
 * Words have defined modifier values only; with `--undefined` at least one that reads INVALIDn or ???n.
 * Prints per SM how many words agree, and the differences by opcode and operand (`slot theirs | ours`, in registers).
 * Needs the real tools (npm run oracle:setup).
 */

import { readArguments } from "./arguments.js";
import { allSms } from "./sass/cubins.js";
import { sweepWords } from "./sass/live-sweep.js";

const { names, options, number } = readArguments(process.argv.slice(2));
const sms = names.map((name) => Number(name.replace(/^sm_?/, "")));
const opcodes = options.get("opcodes")?.split(",");

for (const sm of sms.length > 0 ? sms : allSms) {
  const f = sweepWords(sm, {
    count: number("count", 20),
    seed: number("seed", 1),
    ...(opcodes ? { opcodes } : {}),
    undefined: options.has("undefined"),
  });
  console.log(
    `sm_${sm}: ${f.lines} lines, ${f.words} words, ${f.agree} agree (${((100 * f.agree) / f.words).toFixed(3)} %), ` +
      `${f.unanswered} not answered${f.without.length > 0 ? `; without a legal word: ${f.without.join(" ")}` : ""}`,
  );
  for (const [why, n] of f.explained) console.log(`    ${n} explained: ${why}`);
  for (const d of f.differences) {
    console.log(`${String(d.count).padStart(7)} ${d.opcode.padEnd(4)} ${d.op.padEnd(10)} ${d.rule}`);
    for (const e of d.examples.slice(0, Number(options.get("examples") ?? 1))) console.log(`          ${e}`);
  }
}
