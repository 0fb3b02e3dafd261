/** Who waits for what when nothing can go on: the text of a deadlock. */
import { isWarpSync, lowest, partners, waitEach } from "./groups.js";
import type { Program } from "./program.js";
import { LANES, Wait, type Warp } from "./state.js";
import { placeOf, placeText } from "./where.js";

/** Waits that are told one by one. */
const SHOWN = 6;

interface Waiting {
  readonly block: string;
  readonly what: string;
  readonly lanes: string[];
}

/** Nothing can go on: told of the first of the warps that waits, with what the others wait for. */
export function deadlock(warps: readonly Warp[], program: Program): void {
  const waiting = warps.filter((w) => w.live !== 0);
  const w = waiting[0]!;
  for (const x of waiting) waitEach(x);
  w.pc = w.waitPc[lowest(w.live)]! - 1;
  w.fault("deadlock", w.live, `no thread can go on: ${waitsText(waiting, program)}`);
}

/** Lanes of the warps that wait, for what, and where; the same wait of several warps once. */
function waitsText(warps: readonly Warp[], program: Program): string {
  const waits = new Map<string, Waiting>();
  for (const w of warps)
    for (const [what, mask] of waitsOf(w, program)) {
      const block = `[${w.cta.index.join(", ")}]`;
      const key = `${block} ${what}`;
      const known = waits.get(key) ?? { block, what, lanes: [] };
      known.lanes.push(`warp ${w.index} lanes 0x${(mask >>> 0).toString(16)}`);
      waits.set(key, known);
    }
  const several = new Set([...waits.values()].map((x) => x.block)).size > 1;
  const parts = [...waits.values()].map(
    (x) => `${several ? `block ${x.block} ` : ""}${some(x.lanes)} wait at ${x.what}`,
  );
  return some(parts, "; ");
}

function some(list: readonly string[], between = ", "): string {
  const more = list.length - SHOWN;
  return more <= 0 ? list.join(between) : `${list.slice(0, SHOWN).join(between)}${between}and ${more} more`;
}

/** What the lanes of a warp wait for → which of them. */
function waitsOf(w: Warp, program: Program): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (let l = 0; l < LANES; l++) {
    if (((w.live >>> l) & 1) === 0) continue;
    const at = w.waitKind[l] === Wait.None ? "" : ` in ${placeText(placeOf(program, w.waitPc[l]! - 1))}`;
    const what = `${objectOf(w, l)}${at}`;
    found.set(what, (found.get(what) ?? 0) | (1 << l));
  }
  return found;
}

function objectOf(w: Warp, lane: number): string {
  const on = w.waitOn[lane]!;
  const kind = w.waitKind[lane]!;
  if (isWarpSync(kind)) {
    const collective = kind === Wait.Collective ? ".COLLECTIVE" : "";
    return `WARPSYNC${collective} 0x${(on >>> 0).toString(16)}`;
  }
  switch (kind) {
    case Wait.Convergence:
      return `BSYNC B${on} for lanes 0x${(partners(w, lane) >>> 0).toString(16)}`;
    case Wait.Barrier:
      return `barrier ${on} (${reached(w, on)})`;
    case Wait.Cluster:
      return "the cluster barrier";
    case Wait.Phase:
      return `the phase of the mbarrier at 0x${(on & 0xffffff).toString(16)}`;
    default:
      return "nothing";
  }
}

/** How many threads have come to a barrier of the block. */
function reached(w: Warp, id: number): string {
  const { arrived, expected } = w.cta.barriers[id]!;
  const [x, y, z] = w.machine.block;
  const ended = x * y * z - w.cta.liveThreads;
  const exits = ended === 0 ? "" : `, ${ended} have ended`;
  return `${arrived} of ${expected || w.cta.liveThreads} threads have come${exits}`;
}
