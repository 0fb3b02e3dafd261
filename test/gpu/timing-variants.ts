/**
 * The codes of a kernel whose times on a GPU are compared with those of the timing model: what ptxlab and ptxas make of its
 * PTX, and ptxas -O3 with new control words, in the orders of policies, shuffled, and in the best order that the search found
 * (orders-sm_90.json: moves on ptxas's own code, which give the same order again).
 */
import { resolve } from "node:path";
import { reorderCubin } from "../../lib/experiment/reorder.js";
import type { Move } from "../../lib/experiment/types.js";
import { unwrap } from "../../lib/result.js";
import { type CorpusTarget, corpusPtx } from "../corpus/cases.js";
import { real, variants } from "./variants.js";

export const ordersFile = (target: string): string => resolve(__dirname, `orders-${target}.json`);
/** Moves by kernel and name; null leaves the code as it is. */
export type Orders = Readonly<Record<string, Readonly<Record<string, readonly Move[] | null>>>>;

/** Orders that every kernel gets. */
const common: Readonly<Record<string, readonly Move[]>> = {
  keep: [],
  "post-schedule": [{ policy: "post-schedule" }],
  balanced: [{ policy: "balanced" }],
  "critical-path-backward": [{ policy: "critical-path-backward" }],
  "hoist-loads": [{ hoist: "loads" }, { policy: "post-schedule" }],
  "hoist-all": [{ hoist: "all" }, { policy: "critical-path" }],
  "low-pressure": [{ policy: "low-pressure" }],
  "shuffle-1": [{ shuffle: 1, reach: 24, share: 1 }],
  "shuffle-2": [{ shuffle: 2, reach: 8, share: 1 }],
};

/** Cubins by name of the variant, in order. Needs the real ptxas. */
export function variantsOf(kernel: string, target: CorpusTarget, orders: Orders): Map<string, Uint8Array> {
  const text = corpusPtx(kernel, target);
  const out = new Map<string, Uint8Array>();
  for (const level of [0, 1, 2]) out.set(`ptxlab-O${level}`, variants[`ptxlab-O${level}`]!(text, target));
  for (const level of [0, 1, 2, 3]) out.set(`ptxas-O${level}`, real(level)(text, target));
  const base = out.get("ptxas-O3")!;
  for (const [name, moves] of Object.entries({ ...common, ...orders[kernel] }))
    if (moves !== null) out.set(name, unwrap(reorderCubin(base, moves)).bytes);
  return out;
}
