/** Rows in files: a journal that grows while a sweep runs, and a Parquet table of the whole. */
import { appendFileSync, existsSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import type { Row } from "./types.js";

/** Rows of a journal by id; a last line that was cut off is left out. */
export function readJournal(path: string): Map<string, Row> {
  const rows = new Map<string, Row>();
  if (!existsSync(path)) return rows;
  for (const line of readFileSync(path, "utf8").split("\n")) {
    try {
      const row = JSON.parse(line) as Row;
      rows.set(row.id, row);
    } catch {
      // An interrupted write.
    }
  }
  return rows;
}

export function appendJournal(path: string, row: Row): void {
  appendFileSync(path, `${JSON.stringify(row)}\n`);
}

/** Takes away a last line that was cut off, so that the next row does not end up behind it. */
export function mendJournal(path: string): void {
  if (!existsSync(path)) return;
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end < bytes.length) truncateSync(path, end);
}

const types: Readonly<Record<keyof Row, "STRING" | "INT32" | "DOUBLE">> = {
  id: "STRING",
  input: "STRING",
  inputHash: "STRING",
  launchHash: "STRING",
  target: "STRING",
  level: "INT32",
  maxRegisters: "INT32",
  knobs: "STRING",
  moves: "STRING",
  outcome: "STRING",
  results: "STRING",
  hazards: "INT32",
  instructions: "INT32",
  registers: "INT32",
  spillBytes: "INT32",
  cycles: "DOUBLE",
  microseconds: "DOUBLE",
  warpsPerSm: "INT32",
  cubinHash: "STRING",
  version: "STRING",
  objective: "STRING",
  card: "STRING",
  driver: "STRING",
  clockMhz: "DOUBLE",
  repetitions: "INT32",
  inARow: "INT32",
  median: "DOUBLE",
  least: "DOUBLE",
  ratio: "DOUBLE",
  spread: "DOUBLE",
  baseHash: "STRING",
};

/** Writes a Parquet file, whole or not at all. */
export async function writeTable(path: string, rows: readonly Row[]): Promise<void> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const columnData = (Object.keys(types) as (keyof Row)[]).map((name) => ({
    name,
    // Journals of an earlier version lack columns.
    data: rows.map((r) => r[name] ?? null),
    type: types[name],
    nullable: true,
  }));
  writeFileSync(`${path}.part`, new Uint8Array(parquetWriteBuffer({ columnData })));
  renameSync(`${path}.part`, path);
}

/** Reads such a file back. */
export async function readTable(path: string): Promise<Row[]> {
  const { parquetReadObjects } = await import("hyparquet");
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return (await parquetReadObjects({ file })) as unknown as Row[];
}
