/** Register allocation: physical registers for virtual ones, and the independent checker of the result. */
export { allocate } from "./allocate.js";
export { type AllocationFinding, checkAllocation } from "./check.js";
export type { Costs } from "./constraints.js";
export { constraintKinds, type Fill } from "./constraints.js";
export {
  adjustRegisterOption,
  LOWEST_LIMIT,
  type RegisterLimit,
  type RegisterLimitOptions,
  registerLimit,
} from "./limits.js";
export {
  allOf,
  bankPreference,
  copyAffinity,
  defaultKnobs,
  defaultPolicies,
  programOrder,
  selectFatpoint,
  selectFirstFree,
  wideFirst,
} from "./policies.js";
export { livePressure } from "./ranges.js";
export type * from "./types.js";
