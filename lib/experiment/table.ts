/** Rows in files: a journal that grows while a sweep runs, and a Parquet table of the whole. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
} from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { shownRows } from "./shown.js";
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

/** Where a line of a file is, in bytes. */
interface Line {
  readonly path: string;
  readonly from: number;
  readonly length: number;
}

/**
 * Rows on disk, found by their ids; in memory are only their places. Of several rows with one id the last counts; a last line that was cut off is
 * none.
 */
export class Journal {
  private readonly lines = new Map<string, Line>();

  /** Reads the places of what the files hold; those that do not exist hold nothing. */
  constructor(paths: readonly string[]) {
    for (const path of paths) this.index(path);
  }

  private index(path: string): void {
    let from = 0;
    for (const text of linesOf(path)) {
      const length = Buffer.byteLength(text);
      try {
        this.lines.set((JSON.parse(text) as Row).id, { path, from, length });
      } catch {
        // An interrupted write.
      }
      from += length + 1;
    }
  }

  get size(): number {
    return this.lines.size;
  }

  has(id: string): boolean {
    return this.lines.has(id);
  }

  /** Writes a row at the end of a file. */
  add(path: string, row: Row): void {
    const bytes = Buffer.from(`${JSON.stringify(row)}\n`);
    const from = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    appendFileSync(path, bytes);
    this.lines.set(row.id, { path, from, length: bytes.length - 1 });
  }

  /** The rows with these ids, in this order, read one after the other. Throws where there is none of an id. */
  *rows(ids: Iterable<string>): Generator<Row> {
    const files = new Map<string, number>();
    try {
      for (const id of ids) {
        const line = this.lines.get(id);
        if (line === undefined) throw new Error(`no row ${id}`);
        const file = files.get(line.path) ?? openSync(line.path, "r");
        files.set(line.path, file);
        const bytes = Buffer.alloc(line.length);
        readSync(file, bytes, 0, line.length, line.from);
        yield JSON.parse(bytes.toString("utf8")) as Row;
      }
    } finally {
      for (const file of files.values()) closeSync(file);
    }
  }
}

/** Takes away a last line that was cut off, so that the next row does not come after it on the same line. */
export function mendJournal(path: string): void {
  if (!existsSync(path)) return;
  const file = openSync(path, "r");
  let end = fstatSync(file).size;
  const bytes = Buffer.alloc(CHUNK);
  try {
    while (end > 0) {
      const from = Math.max(0, end - CHUNK);
      const n = readSync(file, bytes, 0, end - from, from);
      const at = bytes.subarray(0, n).lastIndexOf(0x0a);
      if (at >= 0) {
        end = from + at + 1;
        break;
      }
      end = from;
    }
  } finally {
    closeSync(file);
  }
  if (end < statSync(path).size) truncateSync(path, end);
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
  knobsNotRead: "STRING",
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
  return shownRows((await parquetReadObjects({ file })) as unknown as Row[]) as Row[];
}
