/** `ptxlab knobs`: what can be turned. */
import { findKnob, knobCount, knobs, shownDefault } from "../knobs/index.js";
import { alignColumns } from "../view/html.js";
import { readCommandLine } from "./command-line.js";
import type { Host } from "./host.js";
import { UsageError } from "./usage.js";

export function knobsCommand(args: readonly string[], host: Host): number {
  const { file: text, values } = readCommandLine("knobs", args);
  const wanted = text.toLowerCase();
  const numbered = /^\d+$/.test(text) ? findKnob(text) : undefined;
  const named = knobs.filter(
    (k) =>
      k !== numbered &&
      (!values.acting || k.readBy !== null) &&
      (k.name.toLowerCase().includes(wanted) || k.says.toLowerCase().includes(wanted)),
  );
  const shown = numbered === undefined || (values.acting && numbered.readBy === null) ? named : [numbered, ...named];
  if (shown.length === 0)
    throw new UsageError(
      `no ${values.acting ? "knob that acts" : "named knob"} has '${text}' in its name or meaning (numbers go to ${knobCount - 1})`,
    );
  if (values.json) {
    // JSON has no infinity.
    const plain = (_: string, v: unknown): unknown => (v === Number.POSITIVE_INFINITY ? "no limit" : v);
    host.out(`${JSON.stringify(shown, plain, 1)}\n`);
    return 0;
  }
  const rows = shown.map((k) => [
    k.number === null ? "-" : String(k.number),
    k.name,
    k.type,
    shownDefault(k),
    k.readBy ?? "-",
    `${k.says} (page ${k.page})`,
  ]);
  const table = [["number", "knob", "type", "value", "read by", "what it is for"], ...rows];
  host.out(`${alignColumns(table, [true, false, false, true, false, false])}\n`);
  return 0;
}
