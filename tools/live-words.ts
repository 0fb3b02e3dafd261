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

import { allSms } from "./sass/cubins.js";
import { sweepWords } from "./sass/live-sweep.js";

const options = new Map<string, string>();
const sms: number[] = [];
for (let i = 2; i < process.argv.length; i++) {
  const arg = process.argv[i]!;
  if (arg.startsWith("--")) options.set(arg.slice(2), process.argv[++i] ?? "");
  else sms.push(Number(arg.replace(/^sm_?/, "")));
}
const opcodes = options.get("opcodes")?.split(",");

for (const sm of sms.length > 0 ? sms : allSms) {
  const f = sweepWords(sm, {
    count: Number(options.get("count") ?? 20),
    seed: Number(options.get("seed") ?? 1),
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
