/** A timing model of SASS: cycles of a launch, and where they go. */

export { TraceRecorder } from "../sim/trace.js";
export type { Issue } from "./core.js";
export { type Estimate, type EstimateOptions, estimate, estimateLaunch, type InstructionEstimate } from "./estimate.js";
export { type DeviceParameters, deviceParameters } from "./parameters.js";
export { reasonTexts, type StallReason, stallReasons } from "./reasons.js";
