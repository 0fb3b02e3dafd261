/** Knobs: tuning parameters with the names and numbers that ptxas gives them. */
export { type KnobType, namedKnobs } from "./named.js";
export { nearest, suggestion } from "./nearest.js";
export {
  findKnob,
  type Knob,
  type KnobValue,
  type KnobValues,
  knobs,
  optionsOf,
  parseValue,
  readKnobs,
} from "./registry.js";
