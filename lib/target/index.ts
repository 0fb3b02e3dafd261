export {
  type KernelResources,
  type Occupancy,
  type OccupancyLimit,
  occupancy,
  registerCap,
  registersWithoutLoss,
  registerUnit,
} from "./occupancy.js";
export { features, sms, targetNames } from "./table.js";
export { isTargetName, target, targetOfSm } from "./target.js";
export type { ConstantBank, Feature, LaunchCell, Limits, Target, TargetName } from "./types.js";
