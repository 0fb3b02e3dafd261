/** The phases between lowering and encoding, and the manager that runs them. */
export { bodies, type NoBody } from "./bodies.js";
export { removeDeadCode } from "./dead-code.js";
export { highestLevel, runPhases } from "./manager.js";
export { type LiveMaxima, Metrics } from "./metrics.js";
export { convertAllMovPhiToMov, generateMovPhi } from "./mov-phi.js";
export { type PhaseRequest, parsePhaseList, phaseIndex, phaseNames, phaseRow } from "./names.js";
export { type Category, type PhaseName, type PhaseRow, phases } from "./table.js";
export type * from "./types.js";
