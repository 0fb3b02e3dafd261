/** CTA barriers (BAR) and the cluster barrier: threads arrive, and when all that are expected have, they go on. */
import { popcount, resume, waiting } from "./groups.js";
import { type Barrier, type Cluster, type Cta, Wait, type Warp } from "./state.js";

export function freshBarrier(): Barrier {
  return { arrived: 0, expected: 0, count: 0, all: true, any: false, op: "" };
}

/** The barriers of a CTA that starts; of those of an ended one only a barrier at which threads still wait is not as at the start. */
export function freshBarriers(used: Barrier[] = []): Barrier[] {
  for (let id = 0; id < 16; id++) if (used[id] === undefined || used[id]!.arrived > 0) used[id] = freshBarrier();
  return used;
}

/**
 * Lanes of a warp arrive at barrier `id`; `expected` threads complete it, 0: all of the CTA. The whole warp counts as
 * 32 threads even when it has fewer, since counts are given in whole warps. Returns an error text, or "".
 */
export function arrive(warp: Warp, mask: number, id: number, expected: number): string {
  const b = warp.cta.barriers[id]!;
  if (b.arrived > 0 && b.expected !== expected)
    return `barrier ${id} is used with ${expected || "all"} and ${b.expected || "all"} threads at a time`;
  b.expected = expected;
  warp.machine.watch?.tell(warp, mask, b);
  b.arrived += expected !== 0 && mask === warp.live ? 32 : popcount(mask);
  return "";
}

/** Notes the predicates of arriving lanes for BAR.RED. */
export function contribute(warp: Warp, mask: number, id: number, op: Barrier["op"], predicate: number): void {
  const b = warp.cta.barriers[id]!;
  b.op = op;
  b.count += popcount(mask & predicate);
  if ((mask & ~predicate) !== 0) b.all = false;
  if ((mask & predicate) !== 0) b.any = true;
}

/** Completes the barrier if all have arrived: its threads go on. */
export function complete(cta: Cta, id: number): void {
  const b = cta.barriers[id]!;
  if (b.arrived === 0 || b.arrived < (b.expected || cta.liveThreads)) return;
  const value = b.op === "POPC" ? b.count : b.op === "AND" ? -Number(b.all) : -Number(b.any);
  for (const w of cta.warps) {
    const mask = waiting(w, Wait.Barrier, id);
    if (mask === 0) continue;
    if (b.op !== "") w.barrierValue = value;
    w.machine.watch?.learn(w, mask, b);
    resume(w, mask);
  }
  cta.barriers[id] = freshBarrier();
}

/** After threads of a CTA have exited: barriers that waited for all threads may be complete now. */
export function afterExit(cta: Cta): void {
  for (let id = 0; id < cta.barriers.length; id++) if (cta.barriers[id]!.arrived > 0) complete(cta, id);
  completeCluster(cta.cluster);
}

/** Completes the cluster barrier if every live thread of the cluster has arrived. */
export function completeCluster(cluster: Cluster): void {
  let live = 0;
  for (const cta of cluster.ctas) live += cta.liveThreads;
  if (cluster.arrived === 0 || cluster.arrived < live) return;
  cluster.arrived = 0;
  cluster.phase++;
  for (const cta of cluster.ctas)
    for (const w of cta.warps) {
      const mask = waiting(w, Wait.Cluster, cluster.phase - 1);
      if (mask === 0) continue;
      w.machine.watch?.learn(w, mask, cluster);
      resume(w, mask);
    }
}
