/** Analyses: functions from a Func to a result, cached under the function's edit generation. */
export * from "./bits.js";
export * from "./cache.js";
export * from "./cfg.js";
export * from "./defuse.js";
export * from "./dominators.js";
export * from "./flat.js";
export * from "./frequency.js";
export * from "./liveness.js";
export * from "./loops.js";
export * from "./memory.js";
export * from "./pressure.js";
export * from "./reaching.js";
export * from "./units.js";
