import type { Result } from "../result.js";
import { Device } from "./device.js";
import type { LaunchOptions, Run } from "./types.js";

/**
 * Loads a cubin into a fresh device and runs one kernel of it. Typed arrays in `params` are buffers: copied in, passed
 * by address, copied back. Unusable input (not a cubin, no such kernel, wrong arguments) is a failed Result; a fault of
 * the running kernel is `run.fault`.
 */
export function simulate(cubin: Uint8Array, options: LaunchOptions): Result<Run> {
  const device = new Device();
  const module = device.load(cubin);
  return module.ok ? device.launch(module.value, options) : module;
}

/** `simulate` that gives way to what else the host has to do: a page stays alive meanwhile, and `options.signal` can stop it. */
export async function simulateGivingWay(cubin: Uint8Array, options: LaunchOptions): Promise<Result<Run>> {
  const device = new Device();
  const module = device.load(cubin);
  return module.ok ? device.launchGivingWay(module.value, options) : module;
}
