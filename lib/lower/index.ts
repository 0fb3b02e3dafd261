/**
 * Lowering: PTX meaning to Ori instructions on virtual registers.
 */
export { type LowerOptions, lower } from "./module.js";
