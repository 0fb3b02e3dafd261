/** What a kernel's resources mean for the number of warps on an SM, as curves to draw. */
import { type KernelResources, occupancy, type Target } from "../target/index.js";
import type { OccupancyCurve, OccupancyView } from "../view/index.js";

/**
 * For `view.occupancyChart`: each curve varies one resource of the kernel and keeps the others. `name` is the kernel's in
 * the title.
 */
export function occupancyView(target: Target, used: KernelResources, name: string): OccupancyView {
  const { limits } = target;
  const curve = (resource: string, key: keyof KernelResources, most: number, step: number): OccupancyCurve => ({
    resource,
    amount: used[key],
    points: Array.from({ length: Math.floor(most / step) }, (_, i) => (i + 1) * step).map((amount) => ({
      amount,
      warps: occupancy(target, { ...used, [key]: amount }).warpsPerSm,
    })),
  });
  const reached = occupancy(target, used);
  return {
    title: `Occupancy of ${name} on ${target.name}, blocks of ${used.threadsPerBlock} threads`,
    warps: reached.warpsPerSm,
    maxWarps: limits.maxWarpsPerSm,
    limitedBy: reached.limitedBy,
    curves: [
      curve("registers per thread", "registers", limits.maxRegistersPerThread, 1),
      curve("shared bytes per block", "sharedBytes", limits.sharedPerCta, 1024),
      curve("threads per block", "threadsPerBlock", limits.maxThreadsPerCta, limits.warpSize),
    ],
  };
}
