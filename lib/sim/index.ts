/**
 * The functional simulator of SASS: loads a cubin as a driver would and runs grids of it, thread by thread, without a
 * GPU. `simulate` is the short way; `Device` keeps memory and modules between launches.
 */

export { supportedMnemonics } from "./build.js";
export type { LaunchFacts } from "./device.js";
export { Device, type Module } from "./device.js";
export {
  type Difference,
  describeFault,
  type LaunchFileJson,
  type LaunchFileResult,
  type LaunchHost,
  runLaunchFile,
} from "./launch.js";
export type { Buffer, Expectation, LaunchStep, ReadFile } from "./launch-file.js";
export { type LaunchFile, type LaunchParam, packValues, parseLaunchFile } from "./launch-file.js";
export type { LaunchObject } from "./launch-objects.js";
export { type LineProfile, type ProfileEntry, profileByLine, type Traffic } from "./profile.js";
export type { Findings, Race, RaceAccess, UninitializedRead } from "./races/findings.js";
export type { TypedArray } from "./scalar.js";
export { simulate, simulateGivingWay } from "./simulate.js";
export type {
  AddressMode,
  CompareMode,
  FilterMode,
  Image,
  Surface,
  TexelType,
  Texture,
  TextureShape,
} from "./texture/object.js";
export type {
  Argument,
  Bound,
  Dim3,
  EngineChoice,
  Fault,
  FaultKind,
  LaunchOptions,
  Run,
  ScalarType,
  ScalarValue,
  StopSignal,
  TensorMap,
} from "./types.js";
export type { CodePlace } from "./where.js";
export type { UnwrittenRegister } from "./written.js";
