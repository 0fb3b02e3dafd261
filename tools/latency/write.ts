/** Makes lib/isa/latency/cells from lib/isa/latency/evidence, and writes both. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Dependence, dependences, type FileName, fileNames } from "../../lib/isa/latency/index.js";
import { sms } from "../../lib/target/table.js";
import { latencyFolder, readSights, readStated, sightText, tableName } from "./evidence.js";
import { type Cell, type CellTable, cellsOf, type Evidence, type Status } from "./rules.js";

const letter: Readonly<Record<Status, string>> = {
  tight: "t",
  bounded: "b",
  sibling: "s",
  reached: "r",
  published: "p",
  class: "c",
  stated: "x",
};

/** The texts of the tables and of their evidence, by path below lib/isa/latency. */
export function tableTexts(evidence: Evidence): Map<string, string> {
  const out = new Map<string, string>();
  for (const file of fileNames)
    for (const kind of dependences) {
      const table = cellsOf(evidence, file, kind);
      out.set(`cells/${tableName(file, kind)}.ts`, moduleText(file, kind, table));
      out.set(`evidence/${tableName(file, kind)}.csv`, evidenceText(table));
    }
  return out;
}

/** What the evidence says and what stands there: paths whose texts differ, after writing none. */
export function writeTables(sights: Evidence["sights"] = readSights()): string[] {
  const changed: string[] = [];
  for (const [path, text] of tableTexts({ sights, stated: readStated() })) {
    const full = join(latencyFolder, path);
    if (readFileSync(full, "utf8") === text) continue;
    writeFileSync(full, text);
    changed.push(path);
  }
  return changed;
}

function evidenceText(table: CellTable): string {
  const lines = [`later,earlier,${sms.join(",")}`];
  for (const [key, cells] of table)
    lines.push(`${key.replace(" ", ",")},${sms.map((s) => cellText(cells.get(s))).join(",")}`);
  return `${lines.join("\n")}\n`;
}

function cellText(c: Cell | undefined): string {
  if (!c) return "";
  return c.seen ? `${letter[c.status]} ${sightText(c.seen)}` : letter[c.status];
}

const words: Readonly<Record<Dependence, string>> = {
  raw: "from a write (second name) to a read (first name)",
  waw: "from a write (second name) to the next write (first name)",
  war: "from a read (second name) to the next write (first name)",
};

function moduleText(file: FileName, kind: Dependence, table: CellTable): string {
  const width = Math.max(10, ...[...table.keys()].map((k) => k.length));
  const lines = [...table].map(
    ([key, cells]) => `${key.padEnd(width)} ${sms.map((s) => String(cells.get(s)?.value ?? "-").padStart(3)).join("")}`,
  );
  return `/**
 * ${file}: least issue cycles ${words[kind]}; one column per SM:
 * ${sms.join(", ")}.
 * Written by tools/harvest-latency.ts from ../evidence/${tableName(file, kind)}.csv: edit the evidence, not this file.
 */
export default \`
${lines.join("\n")}
\`;
`;
}
