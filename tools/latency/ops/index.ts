/** All operations of chain kernels. */
import { floatOps } from "./float.js";
import { integerOps } from "./integer.js";
import { memoryOps } from "./memory.js";
import { predicateOps } from "./predicate.js";
import { tensorOps } from "./tensor.js";
import type { ChainOp } from "./types.js";
import { uniformOps } from "./uniform.js";

export { rewrites } from "./rewrites.js";
export type { ChainOp, Rewrite, ValueType } from "./types.js";

export const chainOps: readonly ChainOp[] = [
  ...floatOps,
  ...integerOps,
  ...memoryOps,
  ...predicateOps,
  ...tensorOps,
  ...uniformOps,
];
