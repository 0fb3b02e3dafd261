/** The hazard checker. Shares with the scheduler the instruction table and the latency tables, nothing else. */
export { verifyHazards } from "./check.js";
export { findingText } from "./report.js";
export { type CodeToVerify, type Finding, type FindingKind, type FindingSite, findingKinds } from "./types.js";
