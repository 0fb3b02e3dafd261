/** Knobs: tuning parameters with the names and numbers that ptxas gives them. */

export type { KnobLine } from "./named.js";
export { type KnobType, namedKnobs } from "./named.js";
export { nearest, suggestion } from "./nearest.js";
export {
  findKnob,
  type Knob,
  type KnobReading,
  type KnobValue,
  type KnobValues,
  knobCount,
  knobs,
  optionsOf,
  parseValue,
  readingsOf,
  readKnobs,
} from "./registry.js";
