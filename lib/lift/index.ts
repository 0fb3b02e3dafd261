/** Machine code of any cubin to Ori and back. */
export { encodeLifted, type LiftedCode } from "./encode.js";
export { liftCubin, liftFunction } from "./lift.js";
export type { Lifted, LiftedEntry, LiftOptions } from "./types.js";
