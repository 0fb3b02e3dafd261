/**
 * What instructions read and write, by the table, against the life ranges of nvdisasm (`-plr`), register by register: for
 * every line of the table random legal words, each in a function of its own before an EXIT.
 *
 *     node tools/run-ts.cjs tools/live-words.ts [SM…] [--count 20] [--opcodes 210,c10u] [--seed N] [--examples N] [--undefined]
 *
 * Words have defined modifier values only; with `--undefined` at least one that reads INVALIDn or ???n.
 * Prints per SM how many words agree, and the differences by opcode and operand (`slot theirs | ours`, in registers).
 * Needs the real tools (npm run oracle:setup).
 */

import { numberOf, readArguments, smsOf } from "./arguments.js";
import { sweepWords } from "./sass/live-sweep.js";

const { values: options, positionals } = readArguments({
  count: { type: "string", default: "20" },
  seed: { type: "string", default: "1" },
  opcodes: { type: "string" },
  examples: { type: "string", default: "1" },
  undefined: { type: "boolean", default: false },
});
const opcodes = options.opcodes?.split(",");

for (const sm of smsOf(positionals)) {
  const f = sweepWords(sm, {
    count: numberOf(options.count),
    seed: numberOf(options.seed),
    ...(opcodes ? { opcodes } : {}),
    undefined: options.undefined,
  });
  console.log(
    `sm_${sm}: ${f.lines} lines, ${f.words} words, ${f.agree} agree (${((100 * f.agree) / f.words).toFixed(3)} %), ` +
      `${f.unanswered} not answered${f.without.length > 0 ? `; without a legal word: ${f.without.join(" ")}` : ""}`,
  );
  for (const [why, n] of f.explained) console.log(`    ${n} explained: ${why}`);
  for (const d of f.differences) {
    console.log(`${String(d.count).padStart(7)} ${d.opcode.padEnd(4)} ${d.op.padEnd(10)} ${d.rule}`);
    for (const e of d.examples.slice(0, numberOf(options.examples))) console.log(`          ${e}`);
  }
}
