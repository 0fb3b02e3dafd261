import { InternalError } from "../errors.js";

/** Outcome of a launch file. */
export interface LaunchFileResult {
  /** 0 all expectations hold, 1 one does not, 2 the input is unusable, 3 a kernel faulted. */
  readonly status: 0 | 1 | 2 | 3;
  /** What the command prints, line by line: printed buffers, differences, the fault, messages about the input. */
  readonly lines: readonly string[];
  /** The same as data (`--json`). */
  readonly json: unknown;
}

/**
 * Runs a launch file (an object parsed from JSON) on a cubin. `readFile` gives the bytes of a file named in it (paths
 * relative to the launch file); it may throw or return null when there is none.
 */
export function runLaunchFile(
  _cubin: Uint8Array,
  _launch: unknown,
  _host: { readonly readFile: (path: string) => Uint8Array | null },
): LaunchFileResult {
  throw new InternalError("not built");
}
