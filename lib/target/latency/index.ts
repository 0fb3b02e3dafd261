/**
 * Latency tables per SM: classes of instructions, and the least issue distances between their ports. Numbers and names
 * only; `lib/sass/isa/latency.ts` asks them about instructions.
 */
import { InternalError } from "../../errors.js";
import { classText, memberText } from "./classes.js";
import { ampere, turing, uniform } from "./tables.js";
import type { DistanceTable, FileName, FileTables, LatencyClass, Pipe } from "./types.js";

export type { DistanceTable, FileName, FileTables, LatencyClass, Pipe } from "./types.js";

/** All that is known of one SM. */
export interface LatencyTables {
  readonly classes: readonly LatencyClass[];
  /** Entries `OPCODE.MOD…` of each opcode with the index of their class, those with most modifiers first. */
  readonly members: ReadonlyMap<string, readonly Member[]>;
  readonly files: Readonly<Record<FileName, FileTables>>;
}

export interface Member {
  readonly mods: readonly string[];
  readonly class: number;
}

const made = new Map<number, LatencyTables>();

/** The tables of an SM (`target.sm`). Throws InternalError on a malformed table. */
export function latencyTables(sm: number): LatencyTables {
  let t = made.get(sm);
  if (!t) {
    t = build(sm);
    made.set(sm, t);
  }
  return t;
}

function build(sm: number): LatencyTables {
  const classes = parseClasses(classText);
  const vector = sm === 75 ? turing : ampere;
  return {
    classes,
    members: parseMembers(memberText, classes),
    files: {
      R: fileTables(vector.R),
      P: fileTables(vector.P),
      UR: fileTables(uniform.UR),
      UP: fileTables(uniform.UP),
    },
  };
}

function fileTables(text: { raw: string; waw: string }): FileTables {
  return {
    raw: parseTable(text.raw),
    waw: parseTable(text.waw),
    war: { rows: [], columns: [], cells: new Uint8Array(0) },
  };
}

function lines(text: string): string[] {
  return text.split("\n").filter((l) => l.trim() !== "");
}

function cellsOf(line: string): string[] {
  return line.split(",").map((c) => c.trim());
}

function parseClasses(text: string): LatencyClass[] {
  return lines(text)
    .slice(1)
    .map((line) => {
      const [name, pipe, interval, latency, stall, writes, reads] = cellsOf(line);
      return {
        name: name!,
        pipe: pipe as Pipe,
        interval: Number(interval),
        latency: Number(latency),
        minStall: Number(stall),
        writes: parsePorts(writes!),
        reads: parsePorts(reads!),
      };
    });
}

function parsePorts(text: string): Partial<Record<FileName, string>> {
  const out: Partial<Record<FileName, string>> = {};
  for (const item of text.split(" ").filter((x) => x !== "")) {
    const [file, port] = item.split(":");
    out[file as FileName] = port!;
  }
  return out;
}

function parseMembers(text: string, classes: readonly LatencyClass[]): Map<string, Member[]> {
  const out = new Map<string, Member[]>();
  for (const line of lines(text)) {
    const [name, list] = line.split(":");
    const index = classes.findIndex((c) => c.name === name);
    if (index < 0) throw new InternalError(`latency classes: unknown class ${name}`);
    for (const entry of list!.trim().split(" ")) {
      const [op, ...mods] = entry.split(".");
      const of = out.get(op!);
      if (of) of.push({ mods, class: index });
      else out.set(op!, [{ mods, class: index }]);
    }
  }
  for (const of of out.values()) of.sort((a, b) => b.mods.length - a.mods.length);
  return out;
}

function parseTable(text: string): DistanceTable {
  const [head, ...body] = lines(text).map(cellsOf);
  const columns = head!.slice(1);
  const cells = new Uint8Array(columns.length * body.length);
  body.forEach((row, r) => {
    if (row.length !== columns.length + 1)
      throw new InternalError(`latency table: row ${row[0]} has ${row.length} cells`);
    row.slice(1).forEach((c, k) => {
      const n = c === "-" ? 0 : Number(c);
      if (!Number.isInteger(n)) throw new InternalError(`latency table: bad cell "${c}" in row ${row[0]}`);
      cells[r * columns.length + k] = n;
    });
  });
  return { rows: body.map((r) => r[0]!), columns, cells };
}
