/** Machine code of any cubin to Ori and back. */
export { encodeLifted, type LiftedCode } from "./encode.js";
export { liftCubin, liftFunction } from "./lift.js";
export { type ReplaceOptions, replaceCode } from "./replace.js";
export type { CodeAddress, CodePoint, CodeTable, Lifted, LiftedEntry, LiftedReloc, LiftOptions } from "./types.js";
