/** The analyses as notebooks have them: results of `analysis` show themselves. */
export * from "../analysis/index.js";
export { analysis } from "./shown-analyses.js";
