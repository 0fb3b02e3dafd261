/**
 * Proves the rewrite rules that are texts and writes lib/rules/proofs.ts.
 *
 *     node tools/run-ts.cjs tools/prove-rules.ts [--all] [--only NAME]
 *
 * Integer and logic rules by z3 at full width; floats, and what z3 leaves open within a minute, on all edges and 100,000 random operands in the
 * simulator, bit by bit (the record says which). Rules whose proof is on record are passed over unless `--all`.
 */
import fs from "node:fs";
import { hashOf } from "../lib/rules/hash.js";
import { type Proof, proofs } from "../lib/rules/proofs.js";
import type { PatternInst, Rule } from "../lib/rules/syntax.js";
import { isProved, textRules } from "../lib/rules/table.js";
import { formulaOf } from "./rules/formula.js";
import { literalSamples, operandRows } from "./rules/samples.js";
import { solve } from "./rules/solver.js";
import { targetFor } from "./rules/targets.js";
import { differs } from "./rules/trial.js";

const ROWS = 100_096;

function onOperands(rule: Rule): string {
  const target = targetFor(rule);
  if (target === null) throw new Error(`${rule.name}: no SM takes both sides`);
  const samples = literalSamples(rule, 16);
  const rows = Math.ceil(ROWS / samples.length / 128) * 128;
  samples.forEach((literals, k) => {
    const bad = differs(rule, { target, literals }, operandRows(rows, k));
    if (bad !== null)
      throw new Error(
        `${rule.name}: sides differ on ${[...bad].map((w) => w.toString(16))} ${JSON.stringify([...literals])}`,
      );
  });
  return `operands ${rows * samples.length}`;
}

function floats(i: PatternInst): boolean {
  return (
    (/^(F|D|H|MUFU|I2F)/.test(i.form.op) && i.form.op !== "FLO" && i.form.op !== "FSEL") ||
    i.srcs.some((s) => s.is === "inner" && floats(s.inst))
  );
}

function prove(rule: Rule): string {
  const formula = floats(rule.left) ? null : formulaOf(rule);
  if (formula === null) return onOperands(rule);
  const answer = solve(formula, 60);
  if (answer === "sat") throw new Error(`${rule.name}: z3 has an operand on which the sides differ`);
  return answer === "unsat" ? "z3, all operands" : onOperands(rule);
}

const args = process.argv.slice(2);
const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : null;
const out: Record<string, Proof> = {};
let failures = 0;
for (const rule of textRules()) {
  const done = proofs[rule.name];
  if (done !== undefined && isProved(rule) && !args.includes("--all") && rule.name !== only) {
    out[rule.name] = done;
    continue;
  }
  if (only != null && !rule.name.startsWith(only)) continue;
  const start = Date.now();
  try {
    const by = prove(rule);
    out[rule.name] = { hash: hashOf(rule.text), by };
    console.log(`${rule.name}: ${by} (${Date.now() - start} ms)`);
  } catch (e) {
    failures++;
    console.log(`NOT PROVED ${(e as Error).message}`);
  }
}
const lines = Object.entries(out).map(
  ([name, p]) => `  ${JSON.stringify(name)}: { hash: ${JSON.stringify(p.hash)}, by: ${JSON.stringify(p.by)} },`,
);
fs.writeFileSync(
  "lib/rules/proofs.ts",
  `/** Made by tools/prove-rules.ts: how each rule that is a text was proved, and the hash of the text that was. */
export interface Proof {
  readonly hash: string;
  readonly by: string;
}

// biome-ignore format: one line a rule
export const proofs: Readonly<Record<string, Proof>> = {
${lines.join("\n")}
};
`,
);
console.log(`${Object.keys(out).length} of ${textRules().length} rules proved`);
process.exitCode = failures > 0 ? 1 : 0;
