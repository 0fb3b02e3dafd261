/** All one-instruction kernels, in a fixed order. */
import { CONVERSIONS, FLOATING, INTEGERS, WARP } from "./arithmetic.js";
import { addMatrix } from "./matrix.js";
import { addMemory } from "./memory.js";
import { addSync } from "./sync.js";
import { type Kernel, Kernels } from "./template.js";
import { addTextures } from "./texture.js";

export { type Kernel, kernelText } from "./template.js";

export function allKernels(): readonly Kernel[] {
  const k = new Kernels();
  for (const table of [CONVERSIONS, INTEGERS, FLOATING, WARP]) k.table(table);
  addMemory(k);
  addSync(k);
  addMatrix(k);
  addTextures(k);
  return k.list;
}
