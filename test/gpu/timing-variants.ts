/**
 * The codes of a kernel whose times on a GPU are compared with those of the timing model: what ptxlab and ptxas make of its
 * PTX at every level, and ptxas -O3 with new control words, in the orders of policies, shuffled, and in the best orders
 * that the search found (results/orders-sm_90.json: moves on ptxas's own code, which give the same order again).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compile } from "../../lib/compile.js";
import { reorderCubin } from "../../lib/experiment/reorder.js";
import type { Move } from "../../lib/experiment/types.js";
import { unwrap } from "../../lib/result.js";
import { type CorpusTarget, corpusPtx } from "../corpus/cases.js";
import { tool } from "../oracle/tools.js";

export const ordersFile = (target: string): string => resolve(__dirname, `results/orders-${target}.json`);
/** Moves by kernel and name. */
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
  const out = new Map<string, Uint8Array>();
  const text = corpusPtx(kernel, target);
  for (const opt of [0, 1, 2, 3]) {
    const { cubin } = compile(text, { target, opt });
    if (cubin === null) throw new Error(`${kernel} does not compile at -O${opt}`);
    out.set(`ours-O${opt}`, cubin);
  }
  const folder = mkdtempSync(join(tmpdir(), "ptxlab-"));
  try {
    const ptx = join(folder, "k.ptx");
    writeFileSync(ptx, text);
    for (const level of [0, 1, 2, 3]) {
      const file = join(folder, "k.cubin");
      const ran = tool("ptxas", [`-arch=${target}`, `-O${level}`, ptx, "-o", file]);
      if (ran.status !== 0) throw new Error(ran.stderr);
      out.set(`ptxas-O${level}`, new Uint8Array(readFileSync(file)));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const base = out.get("ptxas-O3")!;
  for (const [name, moves] of Object.entries({ ...common, ...orders[kernel] }))
    if (moves !== null) out.set(name, unwrap(reorderCubin(base, moves)).bytes);
  return out;
}
