/** The phases between lowering and encoding, and the manager that runs them. */
export { bodies, type NoBody } from "./bodies.js";
export { convertAllMovPhiToMov } from "./convert-mov-phi.js";
export { removeDeadCode } from "./dead-code.js";
export { generateMovPhi } from "./generate-mov-phi.js";
export { settleAddresses } from "./known-addresses.js";
export { highestLevel, runPhase, runPhases } from "./manager.js";
export { type LiveMaxima, Metrics } from "./metrics.js";
export { type PhaseRequest, parsePhaseList, phaseIndex, phaseNames, phaseRow } from "./names.js";
export type { Note } from "./notes.js";
export { type Copy, copyUnit, sequentialize } from "./parallel-copy.js";
export type { PhaseParameters } from "./parameters.js";
export { dumpIr, phaseStatistics } from "./report.js";
export type { Rewrite, RewriteCounter } from "./rewrites.js";
export { type Category, type PhaseName, type PhaseRow, phases } from "./table.js";
export type * from "./types.js";
export type { UnrollLimits } from "./unroll-cost.js";
