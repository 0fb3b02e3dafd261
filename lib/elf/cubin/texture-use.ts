/** What a cubin says of code that uses textures and surfaces, as ptxas 13.0 says it on sm_75 and 90. */
import type { Code } from "../../sass/code.js";

/** Sizes of the driver's records of textures, samplers and surfaces, which code asks for by these names. */
export const DRIVER_SIZES: ReadonlySet<string> = new Set([
  ".nv.unified.texrefDescSize",
  ".nv.independent.texrefDescSize",
  ".nv.independent.samplerrefDescSize",
  ".nv.surfrefDescSize",
]);

const units: ReadonlySet<string> = new Set(["TEX", "TLD", "TLD4", "TXD", "TXQ", "SULD", "SUST", "SURED"]);

/** It has instructions of the texture and surface units. */
export const usesTextureUnits = (code: Code): boolean => code.insts.some((i) => units.has(i.form.op));

/** It asks for properties of textures or surfaces (`txq`, `suq`): the executable then has no call graph, and its stacks are told another way. */
export const asksProperties = (code: Code): boolean =>
  code.insts.some((i) => i.form.op === "TXQ") || code.relocs.some((r) => DRIVER_SIZES.has(r.symbol));
