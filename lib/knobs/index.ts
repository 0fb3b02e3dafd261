/** Knobs: tuning parameters with the names and numbers that ptxas gives them. */

export type { KnobLine } from "./named.js";
export { type KnobType, namedKnobs } from "./named.js";
export { nearest, suggestion } from "./nearest.js";
export { type KnobReading, type OnKnob, shownDefault, watched } from "./reads.js";
export {
  findKnob,
  type Knob,
  type KnobValue,
  type KnobValues,
  knobCount,
  knobs,
  optionsOf,
  parseValue,
  readKnobs,
} from "./registry.js";
