/**
 * Reads the instruction encodings off what the real tools print (README.md in this folder):
 *
 *     node tools/run-ts.cjs tools/harvest/index.ts STEP SM… [--out DIR] [options]
 */
import { runStep, steps } from "./steps.js";

const [name, ...rest] = process.argv.slice(2);
const options = new Map<string, string>();
const sms: string[] = [];
for (let i = 0; i < rest.length; i++) {
  const arg = rest[i]!;
  if (!arg.startsWith("--")) sms.push(arg.replace(/^sm_?/, ""));
  else options.set(arg.slice(2), rest[i + 1]?.startsWith("--") === false ? rest[++i]! : "");
}
if (name === undefined || !steps.has(name)) {
  console.error("usage: harvest STEP SM... [--out DIR]\n");
  for (const [step, { what }] of steps) console.error(`  ${step.padEnd(10)} ${what}`);
  process.exitCode = 1;
} else runStep(name, sms, options);
