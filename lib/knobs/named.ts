/**
 * The knobs of ptxas 13.0.88 that the wiki names, those of page 63 with their number in the OCG knob space, those of other pages
 * where it is told. Names, numbers and types are facts; what the pages say of a knob's role is a reading
 * of the name. Most are not read by anything yet: see registry.ts.
 */
import { allocationKnobs } from "./table/allocation.js";
import { loopsKnobs } from "./table/loops.js";
import { otherKnobs } from "./table/other.js";
import { schedulingKnobs } from "./table/scheduling.js";
import { switchesKnobs } from "./table/switches.js";
import { valuesKnobs } from "./table/values.js";

/** `flag` is set by its presence; a `budget` is a count that is used up; `range` is `lo..hi`; `list` is `1,2,3`. */
export type KnobType = "flag" | "int" | "budget" | "float" | "text" | "range" | "list";

export type KnobLine = readonly [
  number: number | null,
  name: string,
  type: KnobType,
  /** When it is not set; null where that is not known or there is none. */
  value: number | null,
  page: string,
  says: string,
];

const all = [...allocationKnobs, ...schedulingKnobs, ...otherKnobs, ...loopsKnobs, ...valuesKnobs, ...switchesKnobs];

/** By number; those without one last. */
export const namedKnobs: readonly KnobLine[] = [
  ...all.filter(([number]) => number !== null).sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0)),
  ...all.filter(([number]) => number === null),
];
