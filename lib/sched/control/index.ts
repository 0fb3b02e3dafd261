/** Control words: the rule of -O0, and the pass of -O1 and above. */
export { type AssignOptions, assignControl, likePtxas } from "./assign.js";
export { BEYOND } from "./hits.js";
export { type ControlPolicy, control, controlO0 } from "./o0.js";
export type {
  AssignPolicy,
  BranchQuestion,
  BranchRule,
  ControlDecision,
  ReuseRule,
  ScoreboardRequest,
  ScoreboardRule,
  ScoreboardState,
  StallCause,
  YieldRule,
} from "./types.js";
