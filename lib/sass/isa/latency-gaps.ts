/** Whether the latency tables know every operand of every row of the instruction table. */
import { type FileName, type LatencyClass, latencyTables, portOf } from "../../target/latency/index.js";
import { isaOf, type Sm } from "../../target/table.js";
import { holdsFor, parseSlots } from "./syntax.js";
import { rows } from "./table.js";
import { File } from "./types.js";

/** An operand that a row may have. */
interface Use {
  /** The same for uses of which the same is asked. */
  readonly key: string;
  readonly file: FileName;
  readonly slot: string;
  readonly written: boolean;
  readonly inConstant: boolean;
}

const fileNames: Readonly<Record<number, FileName>> = {
  [File.R]: "R",
  [File.P]: "P",
  [File.UR]: "UR",
  [File.UP]: "UP",
};

function use(file: FileName, slot: string, written: boolean, inConstant: boolean): Use {
  return { key: `${file} ${slot} ${written} ${inConstant}`, file, slot, written, inConstant };
}

const usesOfRow = rows.map((row): readonly Use[] => {
  const uses: Use[] = [];
  for (const s of parseSlots(row.slots)) {
    const file = fileNames[s.file];
    if (file !== undefined && s.holds === "reg") uses.push(use(file, s.name, s.isDst, false));
  }
  // What a letter of the encodings says beside the slots: a uniform register as operand, or inside a constant.
  const letters = row.lines.map((l) => l.as.replace(/=\S*/g, "")).join("");
  if (letters.includes("U")) uses.push(use("UR", "b", false, false));
  if (letters.includes("X")) uses.push(use("UR", "b", false, true));
  uses.push(use(row.guard === "UP" ? "UP" : "P", "guard", false, false));
  return uses;
});

/** Instructions of an SM that have no class or timing, or an operand whose port has no cells: `OPCODE: what is missing`. */
export function latencyGaps(sm: Sm): string[] {
  const tables = latencyTables(sm);
  const out: string[] = [];
  const asked = tables.classes.map(() => [new Map<string, string | null>(), new Map<string, string | null>()] as const);
  for (const [i, row] of rows.entries()) {
    const [op, ...mods] = row.op.split(".");
    const index = tables.classOf(op!, mods);
    const c = tables.classes[index];
    if (!c) out.push(`${row.op}: no class`);
    else if (tables.timingOf(op!, mods) === null) out.push(`${row.op}: no timing`);
    else if (row.lines.some((l) => holdsFor(l.sm, isaOf[sm]))) {
      const fixed = row.time === undefined || row.time === "fixed" || row.time === "operands";
      const answers = asked[index]![fixed ? 1 : 0];
      for (const u of usesOfRow[i]!) {
        let missing = answers.get(u.key);
        if (missing === undefined) {
          missing = missingOf(sm, c, u, fixed);
          answers.set(u.key, missing);
        }
        if (missing !== null) out.push(`${row.op}, ${u.slot}: ${missing}`);
      }
    }
  }
  return out;
}

function missingOf(sm: Sm, c: LatencyClass, u: Use, fixed: boolean): string | null {
  const tables = latencyTables(sm);
  const port = portOf(u.written ? c.writes : c.reads, u.file, u.slot, 0, u.inConstant);
  if (port === null) return `class ${c.name} has no port in ${u.file}`;
  // Warp-group products: no distance guards their accumulators.
  if (port === "apart") return null;
  const [raw, waw, war] = [tables.table(u.file, "raw"), tables.table(u.file, "waw"), tables.table(u.file, "war")];
  const known = u.written
    ? waw.rows.includes(port) && war.rows.includes(port) && (!fixed || raw.columns.includes(port))
    : raw.rows.includes(port) && war.columns.includes(port);
  return known ? null : `no cells of port ${port} in ${u.file}`;
}
