/** `ptxlab query`: SQL over tables of results. */
import { type SqlRow, table } from "../experiment/index.js";
import { table as tableView } from "../view/table.js";
import { readCommandLine } from "./command-line.js";
import type { Host } from "./host.js";
import { UsageError } from "./usage.js";

export async function queryCommand(args: readonly string[], host: Host): Promise<number> {
  const { file: sql, values } = readCommandLine("query", args);
  const rows = await answer(sql);
  if (values.json) host.out(`${JSON.stringify(rows, null, 1)}\n`);
  else if (values.csv) host.out(csvOf(rows));
  else host.out(`${tableView(rows, { maxRows: rows.length }).text}\n`);
  return 0;
}

async function answer(sql: string): Promise<readonly SqlRow[]> {
  try {
    return await table(sql);
  } catch (e) {
    throw new UsageError((e as Error).message);
  }
}

/** RFC 4180. */
function csvOf(rows: readonly SqlRow[]): string {
  const names = Object.keys(rows[0] ?? {});
  const cell = (v: unknown): string => {
    const text = v === null ? "" : String(v);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names, ...rows.map((r) => names.map((n) => r[n]))].map((line) => `${line.map(cell).join(",")}\n`).join("");
}
