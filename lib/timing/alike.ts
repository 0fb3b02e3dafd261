/** Blocks that take the same time on SMs of their own, told from their traces, so that one of them is played back. */

import { type Accesses, type WarpTrace, Where } from "../sim/trace.js";
import { evictsNothing } from "./memory.js";
import type { DeviceParameters } from "./parameters.js";

/**
 * Of the blocks, each alone on an SM, those that differ: the first of each kind. Two are of a kind when their warps execute
 * the same instructions and touch memory in the same pattern (the n-th new line of one is the n-th new line of the other,
 * with the same sectors and conflicts), and nothing is thrown out of a cache, so that the names of lines do not matter.
 */
export function differing(
  blocks: readonly (readonly WarpTrace[])[],
  accesses: Accesses,
  p: DeviceParameters,
  sharedBytes: number,
): number[] {
  const kept: number[] = [];
  const roomy: boolean[] = [];
  blocks.forEach((traces, i) => {
    const room = evictsNothing(traces, accesses, p, sharedBytes);
    const known = room && kept.some((k, n) => roomy[n] && alike(blocks[k]!, traces, accesses));
    if (known) return;
    kept.push(i);
    roomy.push(room);
  });
  return kept;
}

function alike(a: readonly WarpTrace[], b: readonly WarpTrace[], accesses: Accesses): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!sameCode(a[i]!, b[i]!)) return false;
  // Lines of `a` and what they are called in `b`, and back.
  const there = new Map<number, number>();
  const back = new Map<number, number>();
  return a.every((w, i) => sameAccesses(w, b[i]!, accesses, there, back));
}

function sameCode(a: WarpTrace, b: WarpTrace): boolean {
  const n = a.pcs.length;
  if (a.index !== b.index || n !== b.pcs.length) return false;
  const [x, y] = [a.pcs.data, b.pcs.data];
  for (let k = 0; k < n; k++) if (x[k] !== y[k]) return false;
  return true;
}

function sameAccesses(
  a: WarpTrace,
  b: WarpTrace,
  { where, work, firstLine, lineCount, lines, sectors, phase }: Accesses,
  there: Map<number, number>,
  back: Map<number, number>,
): boolean {
  for (let k = 0; k < a.accesses.length; k++) {
    const x = a.accesses.data[k]!;
    const y = b.accesses.data[k]!;
    if (x < 0 && y < 0) continue;
    if (x < 0 || y < 0 || where.data[x] !== where.data[y] || work.data[x] !== work.data[y]) return false;
    if (lineCount.data[x] !== lineCount.data[y]) return false;
    // Phases have names of their own, too: below those of lines.
    const [i, j] = [phase.data[x]!, phase.data[y]!];
    if (i < 0 !== j < 0 || (i >= 0 && !paired(there, back, -1 - i, -1 - j))) return false;
    const exact = where.data[x] !== Where.Global && where.data[x] !== Where.Bulk;
    for (let i = 0; i < lineCount.data[x]!; i++) {
      const [p, q] = [firstLine.data[x]! + i, firstLine.data[y]! + i];
      if (sectors.data[p] !== sectors.data[q]) return false;
      const [l, m] = [lines.data[p]!, lines.data[q]!];
      if (exact ? l !== m : !paired(there, back, l, m)) return false;
    }
  }
  return true;
}

function paired(there: Map<number, number>, back: Map<number, number>, a: number, b: number): boolean {
  const known = there.get(a);
  if (known !== undefined) return known === b;
  if (back.has(b)) return false;
  there.set(a, b);
  back.set(b, a);
  return true;
}
