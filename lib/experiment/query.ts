/** SQL over tables of results, by DuckDB in this process: `SELECT … FROM 'sweep.parquet'`; joins over runs and versions are joins of files. */
import { shownAs } from "../inspect.js";
import { table as tableView } from "../view/table.js";

/** A value in a row of an answer; 64-bit integers that a number cannot hold and what JSON has no type for are texts. */
export type SqlValue = string | number | boolean | null;
/** A row of an answer, by name of the column. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Where and how a question is asked. */
export interface QueryOptions {
  /** Folder that names of files start at. Default: the current one. */
  readonly folder?: string;
  /** Rows that a notebook shows. Default 200. */
  readonly maxRows?: number;
}

/**
 * The rows that an SQL query gives; in a notebook they show themselves as a table. DuckDB (the package `@duckdb/node-api`) is
 * loaded when it is asked for; it reads files of this machine and nothing from a network. Throws what DuckDB says of the query.
 */
export async function table(sql: string, options: QueryOptions = {}): Promise<readonly SqlRow[]> {
  const { folder = process.cwd(), maxRows } = options;
  const { DuckDBInstance } = await duckdb();
  const instance = await DuckDBInstance.create(":memory:", {
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    file_search_path: folder,
  });
  try {
    const connection = await instance.connect();
    const read = await connection.runAndReadAll(sql);
    const names = read.deduplicatedColumnNames();
    const types = read.columnTypes().map(String);
    const rows = read.getRowsJson().map((r) => Object.fromEntries(names.map((n, i) => [n, plain(r[i], types[i]!)])));
    connection.closeSync();
    return shownAs(
      rows,
      () => tableView(rows, { ...(maxRows !== undefined && { maxRows }) }).text,
      () => `${rows.length} rows`,
      () => {
        const view = tableView(rows, { columns: names, ...(maxRows !== undefined && { maxRows }) });
        return { "text/html": view.html, "text/plain": view.text };
      },
    );
  } finally {
    instance.closeSync();
  }
}

async function duckdb(): Promise<typeof import("@duckdb/node-api")> {
  try {
    return await import("@duckdb/node-api");
  } catch (e) {
    throw new Error(
      `queries need a package more: npm install @duckdb/node-api (${(e as Error).message.split("\n")[0]})`,
    );
  }
}

/** Types whose values DuckDB hands out as texts, since a number may not hold them. */
const wide = /^(U?BIGINT|U?HUGEINT|DECIMAL.*)$/;

function plain(value: unknown, type: string): SqlValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" && wide.test(type)) {
    const number = Number(value);
    return Number.isInteger(number) && !Number.isSafeInteger(number) ? value : number;
  }
  return typeof value === "object" ? JSON.stringify(value) : (value as SqlValue);
}
