/** Whether the latency tables know every operand of every row of the instruction table (asked by a test, for every SM). */

import type { Target } from "../target/types.js";
import { type Dependence, dependences, type FileName, latencyTables, portOf } from "./latency/index.js";
import { holdsFor, parseSlots } from "./syntax.js";
import { rows } from "./table.js";
import { guardsOfTime } from "./timing.js";
import { File } from "./types.js";

/** An operand that a row may have. */
export interface Use {
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
/** Predicates that a mask names instead of an operand. */
const predicatesUnderMask: Readonly<Record<string, { readonly file: FileName; readonly written: boolean }>> = {
  P2R: { file: "P", written: false },
  R2P: { file: "P", written: true },
  UP2UR: { file: "UP", written: false },
  UR2UP: { file: "UP", written: true },
};

function use(file: FileName, slot: string, written: boolean, inConstant: boolean): Use {
  return { file, slot, written, inConstant };
}

/** By position in `rows`: what instructions of the row read and write. */
export const usesOfRow: readonly (readonly Use[])[] = rows.map((row): readonly Use[] => {
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
  const masked = predicatesUnderMask[row.op.split(".")[0]!];
  if (masked !== undefined) uses.push(use(masked.file, "", masked.written, false));
  return uses;
});

/** Instructions of an SM that have no class or timing, or an operand whose port has no cells: `OPCODE: what is missing`. */
export function latencyGaps(target: Target): string[] {
  const tables = latencyTables(target.sm);
  const known = knownPorts(target.sm);
  const out: string[] = [];
  for (const [i, row] of rows.entries()) {
    const [op, ...mods] = row.op.split(".");
    const c = tables.classes[tables.classOf(op!, mods)];
    const timing = tables.timingOf(op!, mods);
    if (!c) out.push(`${row.op}: no class`);
    else if (timing === null) out.push(`${row.op}: no timing`);
    else if (row.lines.some((l) => holdsFor(l.sm, target.isa))) {
      const guards = guardsOfTime(row.time ?? "fixed", target);
      for (const u of usesOfRow[i]!) {
        const port = portOf(u.written ? c.writes : c.reads, u.file, u.slot, 0, u.inConstant);
        if (port === null) out.push(`${row.op}, ${u.slot}: class ${c.name} has no port in ${u.file}`);
        // Warp-group products: no distance guards their accumulators.
        else if (port !== "apart") {
          const guarded = u.written ? guards.write : guards.read && u.slot !== "guard";
          for (const role of u.written ? writerRoles : readerRoles)
            if (!(guarded && role.earlier) && !known.has(`${role.kind} ${role.earlier} ${u.file} ${port}`))
              out.push(`${row.op}, ${u.slot}: no ${role.kind} cells of port ${port} in ${u.file}`);
        }
      }
    }
  }
  return out;
}

interface Role {
  readonly kind: Dependence;
  /** The port is the earlier one: only without a scoreboard asks anyone for the distance. */
  readonly earlier: boolean;
}
const writerRoles: readonly Role[] = [
  { kind: "raw", earlier: true },
  { kind: "waw", earlier: true },
  { kind: "waw", earlier: false },
  { kind: "war", earlier: false },
];
const readerRoles: readonly Role[] = [
  { kind: "raw", earlier: false },
  { kind: "war", earlier: true },
];

/** `kind earlier file port` of the ports that have cells on an SM. */
function knownPorts(sm: number): Set<string> {
  const out = new Set<string>();
  for (const file of Object.values(fileNames))
    for (const kind of dependences) {
      const { rows: later, columns, cells } = latencyTables(sm).table(file, kind);
      for (const [r, row] of later.entries())
        for (const [c, column] of columns.entries())
          if (cells[r * columns.length + c]! > 0) {
            out.add(`${kind} false ${file} ${row}`);
            out.add(`${kind} true ${file} ${column}`);
          }
    }
  return out;
}
