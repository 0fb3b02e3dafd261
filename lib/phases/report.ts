/** Reports over a run: the table of phases, and dumps of the IR after named phases. */
import type { PhaseName } from "./table.js";
import type { PhaseEvent, PhaseRecord } from "./types.js";

/**
 * One line per phase: position, name, edits, instructions and values afterwards; what did not run is left out unless
 * `all`, and then says why. Columns are separated by two spaces or more.
 */
export function phaseStatistics(
  records: readonly PhaseRecord[],
  options: {
    /** Phases that changed nothing, too. Default false. */
    readonly all?: boolean;
  } = {},
): string {
  const shown = options.all ? records : records.filter((r) => r.ran);
  const rows = [["#", "phase", "edits", "instructions", "values", ""]];
  for (const r of shown) {
    const numbers = r.ran ? [r.edits, r.instructions, r.values].map(String) : ["-", "-", "-"];
    rows.push([String(r.index), r.phase, ...numbers, r.why]);
  }
  const widths = (rows[0] as string[]).map((_, c) => Math.max(...rows.map((row) => (row[c] as string).length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, c) => (c === 1 || c === 5 ? cell.padEnd(widths[c] as number) : cell.padStart(widths[c] as number)))
      .join("  ");
  return `${rows.map((row) => line(row).trimEnd()).join("\n")}\n`;
}

/**
 * An observer that hands the IR's text to `write` after each of the named phases (case does not matter), as ptxas's
 * DUMPIR knob does.
 */
export function dumpIr(
  names: readonly string[],
  write: (phase: PhaseName, text: string) => void,
): (event: PhaseEvent) => void {
  const wanted = new Set(names.map((n) => n.toLowerCase()));
  return (event) => {
    if (event.kind === "after" && wanted.has(event.phase.toLowerCase())) write(event.phase, event.text());
  };
}
