/**
 * Life ranges as `nvdisasm -plr -lrm narrow` prints them: per instruction a column for every register, `^` written, `v`
 * read, `x` both, `:` living through.
 */
import { flowFacts } from "../../lib/disassemble.js";
import type { CubinFunction } from "../../lib/elf/index.js";
import { File } from "../../lib/isa/types.js";
import { decodeCode } from "../../lib/sass/decode.js";
import { type LifeMark, lifeRanges, columnsOf as tableColumns } from "../../lib/sass/live.js";
import type { Target } from "../../lib/target/types.js";
import { tool } from "../../test/oracle/tools.js";

/** Section (without `.text.`) → byte offset → marks such as `R4v R5^ P0:`. */
export type Ranges = ReadonlyMap<string, ReadonlyMap<number, string>>;

const prefixOf: Readonly<Record<string, string>> = { GPR: "R", UGPR: "UR", PRED: "P", UPRED: "UP" };
const order = ["R", "UR", "P", "UP"];

/** The life ranges of a cubin, or what the tool says against it. */
export function askRanges(path: string): Ranges | string {
  const ran = tool("nvdisasm", ["-c", "-plr", "-lrm", "narrow", path]);
  return ran.status === 0 ? readRanges(ran.stdout) : ran.stderr;
}

interface Column {
  readonly prefix: string;
  /** Register by character position after the bar. */
  readonly numbers: readonly (number | undefined)[];
}

export function readRanges(text: string): Ranges {
  const out = new Map<string, Map<number, string>>();
  let section = new Map<number, string>();
  let columns: Column[] = [];
  let header: string[][] = [];
  for (const line of text.split("\n")) {
    const name = /^\/\/-+ \.text\.(\S+)/.exec(line);
    if (name) {
      section = new Map();
      out.set(name[1]!, section);
      header = [];
      columns = [];
      continue;
    }
    const at = line.lastIndexOf("// |");
    if (at < 0) continue;
    const cells = line.slice(at + 4).split("|");
    const offset = /^\s+\/\*([0-9a-f]{4,})\*\//.exec(line);
    if (offset) section.set(Number.parseInt(offset[1]!, 16), marksOf(cells, columns));
    else if (columns.length === 0) {
      header.push(cells);
      if (cells.some((c) => c.includes("#"))) columns = columnsOf(header);
    }
  }
  return out;
}

/** The header: names of the files, then the digits of the register numbers from above, `#` before the last ones. */
function columnsOf(header: readonly (readonly string[])[]): Column[] {
  const names = header[0]!;
  const digits = header.slice(1);
  return names.slice(0, -1).map((cell, k) => {
    const prefix = prefixOf[cell.trim()];
    if (prefix === undefined) throw new Error(`nvdisasm: unknown register file "${cell.trim()}"`);
    const last = digits.at(-1)![k]!;
    const numbers = [...last].map((_, i) => {
      const number = digits
        .map((row) => row[k]![i]!)
        .filter((c) => /\d/.test(c))
        .join("");
      return number === "" ? undefined : Number(number);
    });
    return { prefix, numbers };
  });
}

function marksOf(cells: readonly string[], columns: readonly Column[]): string {
  const found: { prefix: string; id: number; mark: string }[] = [];
  columns.forEach(({ prefix, numbers }, k) => {
    numbers.forEach((id, i) => {
      const mark = cells[k]![i]!;
      if (id !== undefined && mark !== " ") found.push({ prefix, id, mark });
    });
  });
  found.sort((a, b) => order.indexOf(a.prefix) - order.indexOf(b.prefix) || a.id - b.id);
  return found.map((f) => `${f.prefix}${f.id}${f.mark}`).join(" ");
}

const prefixes: Readonly<Record<number, string>> = { [File.R]: "R", [File.UR]: "UR", [File.P]: "P", [File.UP]: "UP" };

/** Our marks in the same form. */
export const marksText = (marks: readonly LifeMark[]): string =>
  marks.map((m) => `${prefixes[m.file]}${m.id}${m.mark}`).join(" ");

/** Marks of every instruction of a cubin's functions, as nvdisasm counts. */
export function ourRanges(functions: readonly CubinFunction[], t: Target): ReadonlyMap<string, readonly string[]> {
  const decoded = functions.map((f) => ({ f, insts: decodeCode(f.words, t), registers: f.registers }));
  const columns = tableColumns(decoded);
  return new Map(
    decoded.map(({ f, insts, registers }) => [
      f.name,
      lifeRanges(insts, t, { ...flowFacts(f), asNvdisasm: { registers, columns } }).map(marksText),
    ]),
  );
}
