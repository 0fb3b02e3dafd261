/** Reads a cubin: ours, or ptxas's for any SM. */
import { InternalError } from "../../errors.js";
import type { Result } from "../../result.js";
import type { Cubin } from "./types.js";

export function readCubin(_bytes: Uint8Array): Result<Cubin> {
  throw new InternalError("not built: readCubin");
}
