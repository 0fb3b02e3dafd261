/** Rows in files: a journal that grows while a sweep runs, and a Parquet table of the whole. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  truncateSync,
} from "node:fs";
import { StringDecoder } from "node:string_decoder";
import type { Row } from "./types.js";

/** Rows of a journal by id; a last line that was cut off is left out. */
export function readJournal(path: string): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const line of linesOf(path)) {
    try {
      const row = JSON.parse(line) as Row;
      rows.set(row.id, row);
    } catch {
      // An interrupted write.
    }
  }
  return rows;
}

const CHUNK = 1 << 20;

/** Lines of a file, read piece by piece; none when it does not exist. */
function* linesOf(path: string): Generator<string> {
  if (!existsSync(path)) return;
  const file = openSync(path, "r");
  const decoder = new StringDecoder("utf8");
  const bytes = Buffer.alloc(CHUNK);
  let rest = "";
  try {
    for (let n = readSync(file, bytes); n > 0; n = readSync(file, bytes)) {
      const lines = (rest + decoder.write(bytes.subarray(0, n))).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest !== "") yield rest;
  } finally {
    closeSync(file);
  }
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

/** Rows per row group: so many are in memory at once. */
const GROUP = 10_000;

/** Writes a Parquet file, whole or not at all, group by group; the rows may come one by one. */
export async function writeTable(path: string, rows: Iterable<Row>): Promise<void> {
  const { ByteWriter, ParquetWriter, fileWriter, schemaFromColumnData } = await import("hyparquet-writer");
  const names = Object.keys(types) as (keyof Row)[];
  const columns = (group: readonly Row[]) =>
    // Journals of an earlier version lack columns.
    names.map((name) => ({ name, data: group.map((r) => r[name] ?? null), type: types[name], nullable: true }));
  const writer = new ParquetWriter({
    writer: fileWriter(`${path}.part`) as InstanceType<typeof ByteWriter>,
    schema: schemaFromColumnData({ columnData: columns([]) }),
  });
  let group: Row[] = [];
  const flush = async (): Promise<void> => {
    if (group.length > 0)
      await writer.write({ columnData: columns(group).map(({ name, data }) => ({ name, data })), rowGroupSize: GROUP });
    group = [];
  };
  for (const row of rows) {
    group.push(row);
    if (group.length === GROUP) await flush();
  }
  await flush();
  await writer.finish();
  renameSync(`${path}.part`, path);
}

/** Reads such a file back. */
export async function readTable(path: string): Promise<Row[]> {
  const { parquetReadObjects } = await import("hyparquet");
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return (await parquetReadObjects({ file })) as unknown as Row[];
}
