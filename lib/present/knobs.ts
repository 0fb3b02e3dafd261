/** How the knobs that a compilation read look in a notebook: a table, those that were set first. */
import type { KnobReading } from "../knobs/index.js";
import { readersOf, readingsTitle, shownValue } from "../knobs/reads.js";
import { table } from "../view/index.js";

/** MIME bundle of readings; `text` is what stands where HTML is not shown. */
export function presentReadings(readings: readonly KnobReading[], text: string): Record<string, unknown> {
  const rows = readings.map((r) => ({
    knob: r.knob,
    value: shownValue(r.value),
    "set or default": r.set ? "set" : "default",
    "read by": readersOf(r),
  }));
  return { "text/html": table(rows, { title: readingsTitle(readings) }).html, "text/plain": text };
}
