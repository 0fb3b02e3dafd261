/** Special registers (PTX ISA, chapter 10). */
import type { Read } from "./code.js";
import { LANES, type Thread } from "./state.js";

type Triple = readonly [number, number, number];
const AXES = ["x", "y", "z"];

const triple =
  (get: (t: Thread) => Triple) =>
  (component: string | null): Read | null => {
    const axis = AXES.indexOf(component ?? "x");
    if (component === "w") return () => 0n;
    return axis < 0 ? null : (t) => BigInt(get(t)[axis]!);
  };
const single =
  (get: (t: Thread) => number | bigint) =>
  (component: string | null): Read | null =>
    component === null ? (t) => BigInt(get(t)) : null;

const grid = (t: Thread): Triple => t.cta.launch.grid;
const shape = (t: Thread): Triple => t.cta.launch.clusterShape;
const rank = (t: Thread): Triple => t.cta.index.map((n, i) => n % shape(t)[i]!) as unknown as Triple;
const warps = (t: Thread): number => Math.ceil(t.cta.launch.block.reduce((a, b) => a * b) / LANES);
/** Steps stand for time. */
const steps = (t: Thread): bigint => BigInt(t.cta.launch.steps);
const low = (v: bigint): bigint => v & 0xffffffffn;

const registers: Readonly<Record<string, (component: string | null) => Read | null>> = {
  "%tid": triple((t) => t.tid),
  "%ntid": triple((t) => t.cta.launch.block),
  "%ctaid": triple((t) => t.cta.index),
  "%nctaid": triple(grid),
  "%laneid": single((t) => t.lane),
  "%warpid": single((t) => Math.floor(t.number / LANES)),
  "%nwarpid": single(warps),
  "%smid": single(() => 0),
  "%nsmid": single(() => 1),
  "%gridid": single(() => 0),
  "%clusterid": triple((t) => t.cta.cluster.index),
  "%nclusterid": triple((t) => grid(t).map((n, i) => n / shape(t)[i]!) as unknown as Triple),
  "%cluster_ctaid": triple(rank),
  "%cluster_nctaid": triple(shape),
  "%cluster_ctarank": single((t) => {
    const [x, y, z] = rank(t);
    const [a, b] = shape(t);
    return x + a * (y + b * z);
  }),
  "%cluster_nctarank": single((t) => shape(t).reduce((a, b) => a * b)),
  "%is_explicit_cluster": single((t) => (t.cta.launch.explicitCluster ? 1 : 0)),
  "%lanemask_eq": single((t) => 1n << BigInt(t.lane)),
  "%lanemask_le": single((t) => (2n << BigInt(t.lane)) - 1n),
  "%lanemask_lt": single((t) => (1n << BigInt(t.lane)) - 1n),
  "%lanemask_ge": single((t) => 0x100000000n - (1n << BigInt(t.lane))),
  "%lanemask_gt": single((t) => 0x100000000n - (2n << BigInt(t.lane))),
  "%clock": single((t) => low(steps(t))),
  "%clock_hi": single((t) => steps(t) >> 32n),
  "%clock64": single(steps),
  "%globaltimer": single(steps),
  "%globaltimer_lo": single((t) => low(steps(t))),
  "%globaltimer_hi": single((t) => steps(t) >> 32n),
  "%dynamic_smem_size": single((t) => t.cta.launch.dynamicShared),
  "%total_smem_size": single((t) => t.cta.launch.sharedBytes),
  // Counters that nobody has set up.
  ...Object.fromEntries(
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((n) => [`%pm${n}`, `%pm${n}_64`].map((k) => [k, single(() => 0)])),
  ),
  WARP_SZ: single(() => LANES),
};

export function special(name: string, component: string | null): Read | null {
  return Object.hasOwn(registers, name) ? registers[name]!(component) : null;
}
