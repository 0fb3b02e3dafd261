/** Barriers of CTAs and clusters. */
import { Kind } from "../../isa/operand.js";
import { arrive, complete, completeCluster, contribute } from "../barrier.js";
import { popcount, suspend, suspendAll } from "../groups.js";
import type { Maker, Makers, Site } from "../site.js";
import { type Exec, LANES, Step, Wait, type Warp } from "../state.js";

/** An operand of BAR that all active lanes share. */
function common(s: Site, name: string): (w: Warp, m: number) => number {
  const o = s.find(name);
  if (o === null || o.kind === Kind.None) return () => 0;
  const get = s.scalar(o);
  if (get !== null) return get;
  const row = s.row(o);
  return (w, m) => w.I[row + (31 - Math.clz32(m & -m))]!;
}

function bar(s: Site): Exec {
  const wait = !s.has("ARV");
  s.has("SYNC");
  const op = s.has("RED") ? s.choose({ POPC: "POPC", AND: "AND", OR: "OR" } as const, "POPC") : "";
  const idOf = common(s, "id");
  const countOf = common(s, "n");
  // Two registers are one: the count in bits 27:16, the barrier in 3:0 (measured: what ptxas puts together before it).
  const shift = s.find("id")?.kind === Kind.Reg && s.find("n")?.kind === Kind.Reg ? 16 : 0;
  const pin = s.predMask("pin");
  return (w, m) => {
    const id = idOf(w, m) & 15;
    const error = arrive(w, m, id, (countOf(w, m) >>> shift) & 0xfff);
    if (error !== "") return w.fault("barrier", m, error);
    if (op !== "") contribute(w, m, id, op, pin(w));
    if (wait) {
      if (m === w.live) suspendAll(w, Wait.Barrier, w.pc + 1, id);
      else suspend(w, m, Wait.Barrier, w.pc + 1, () => id);
    }
    complete(w.cta, id);
    return wait ? Step.Switch : Step.Next;
  };
}

function b2r(s: Site): Exec {
  if (!s.has("RESULT")) s.unsupported("barrier state");
  const d = s.dstRow(s.find("d"));
  const pout = s.pred("pout");
  return (w, m) => {
    for (let l = 0; l < LANES; l++) if ((m >>> l) & 1) w.I[d + l] = w.barrierValue;
    if (pout < 7) w.P[pout] = w.barrierValue !== 0 ? w.P[pout]! | m : w.P[pout]! & ~m;
    return Step.Next;
  };
}

/** Of `Warp.clusterPhase`: the lane has waited since it last arrived, or never arrived. */
const NOT_ARRIVED = -1;

const clusterArrive: Maker = (s) => {
  s.ignoreModifiers();
  return (w, m) => {
    const { cluster } = w.cta;
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      if (w.clusterPhase[l] !== NOT_ARRIVED)
        return w.fault("barrier", 1 << l, "a thread arrives at the cluster barrier again without having waited");
      w.clusterPhase[l] = cluster.phase;
    }
    w.machine.watch?.tell(w, m, cluster);
    cluster.arrived += popcount(m);
    completeCluster(cluster);
    return Step.Next;
  };
};

const clusterWait: Maker = (s) => {
  s.ignoreModifiers();
  return (w, m) => {
    const { cluster } = w.cta;
    let waits = 0;
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      if (w.clusterPhase[l] === NOT_ARRIVED)
        return w.fault("barrier", 1 << l, "a thread waits at the cluster barrier without having arrived");
      if (w.clusterPhase[l] === cluster.phase) waits |= 1 << l;
      w.clusterPhase[l] = NOT_ARRIVED;
    }
    w.machine.watch?.learn(w, m & ~waits, cluster);
    if (waits === 0) return Step.Next;
    suspend(w, waits, Wait.Cluster, w.pc + 1, () => cluster.phase);
    return Step.Switch;
  };
};

export const barrier: Makers = {
  BAR: bar,
  B2R: b2r,
  UCGABAR_ARV: clusterArrive,
  UCGABAR_WAIT: clusterWait,
};
