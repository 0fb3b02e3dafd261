/** `ptxlab knobs`: what can be turned. */
import { knobs } from "../knobs/index.js";
import { alignColumns } from "../view/html.js";
import { readCommandLine } from "./command-line.js";
import type { Host } from "./host.js";

export function knobsCommand(args: readonly string[], host: Host): number {
  const { file: text, values } = readCommandLine("knobs", args);
  const wanted = text.toLowerCase();
  const shown = knobs.filter(
    (k) =>
      (!values.acting || k.readBy !== null) &&
      (k.name.toLowerCase().includes(wanted) || k.says.toLowerCase().includes(wanted)),
  );
  if (values.json) {
    host.out(`${JSON.stringify(shown, null, 1)}\n`);
    return 0;
  }
  const rows = shown.map((k) => [
    k.number === null ? "-" : String(k.number),
    k.name,
    k.type,
    k.value === null ? "-" : String(k.value),
    k.readBy ?? "-",
    `${k.says} (page ${k.page})`,
  ]);
  const table = [["number", "knob", "type", "value", "read by", "what it is for"], ...rows];
  host.out(`${alignColumns(table, [true, false, false, true, false, false])}\n`);
  return 0;
}
