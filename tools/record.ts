/**
 * Figures of the documentation, taken from what the commands print:
 *
 *   node tools/run-ts.cjs tools/record.ts NAME…   runs them (tools/figures/table.ts; `bodies-*` takes all that begin so), writes docs/figures.json
 *   node tools/run-ts.cjs tools/record.ts --list  names, values, dates
 *
 * and puts the values where a page says `VALUE<!--NAME.KEY-->`. A command that fails or prints something else leaves its old values.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { readArguments, usage } from "./arguments.js";
import { documents, readRecords, recordsFile, withFigures } from "./figures/pages.js";
import { figures } from "./figures/table.js";

const { values, positionals } = readArguments({ list: { type: "boolean", default: false } });
const root = join(__dirname, "..");
const records = readRecords();

if (values.list)
  for (const name of figures.keys()) {
    const r = records[name];
    console.log(`${name}: ${r === undefined ? "never" : `${r.date} ${r.commit} ${JSON.stringify(r.values)}`}`);
  }

const asked = positionals.flatMap((pattern) => {
  const found = [...figures.keys()].filter((n) =>
    pattern.endsWith("*") ? n.startsWith(pattern.slice(0, -1)) : n === pattern,
  );
  return found.length > 0 ? found : usage(`no figure ${pattern}`);
});
const git = (...args: string[]): string => spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout.trim();
const commit = `${git("rev-parse", "--short=9", "HEAD")}${git("status", "--porcelain", "lib") === "" ? "" : ", changed"}`;
for (const name of asked) {
  const { command, takes } = figures.get(name)!;
  const facts = process.env.PTXLAB_FACTS;
  if (command.includes("$FACTS") && facts === undefined) {
    console.log(`${name}: left out, PTXLAB_FACTS names no folder`);
    continue;
  }
  const ran = spawnSync("sh", ["-c", command], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, FACTS: facts },
  });
  const taken = Object.entries(takes).map(([key, re]) => [key, re.exec(ran.stdout)?.[1]] as const);
  const missing = taken.filter(([, value]) => value === undefined).map(([key]) => key);
  if (missing.length > 0) {
    console.log(`${name}: status ${ran.status}, does not print ${missing.join(", ")}: ${ran.stderr.slice(-300)}`);
    process.exitCode = 1;
    continue;
  }
  records[name] = {
    command,
    date: new Date().toISOString().slice(0, 10),
    commit,
    machine: `${cpus()[0]?.model ?? "unknown processor"}, Node ${process.version}`,
    values: Object.fromEntries(taken as [string, string][]),
  };
  console.log(`${name}: ${JSON.stringify(records[name].values)}`);
  writeFileSync(recordsFile, `${JSON.stringify(Object.fromEntries(Object.entries(records).sort()), null, 2)}\n`);
}
for (const page of documents()) {
  const text = readFileSync(page, "utf8");
  const after = withFigures(text, records);
  if (after !== text) writeFileSync(page, after);
}
