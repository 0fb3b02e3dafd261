/**
 * Faults of a scheduler, put into code that is right: a stall lowered, a wait dropped, a scoreboard index changed, a
 * register swapped, the order of two instructions changed.
 */

import { tableFor } from "../../lib/isa/compiled";
import { Do } from "../../lib/isa/lines";
import { File, Kind, type MachineInst } from "../../lib/isa/operand";
import { controlOf, decodeInst, findLine } from "../../lib/sass/decode";
import type { Target } from "../../lib/target/types";
import type { Random } from "../corpus/random";

export const faultKinds = ["stall", "wait", "index", "register", "order"] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** Instruction concerned (the first of the two for `order`). */
  readonly at: number;
  readonly words: Uint32Array;
}

function setBits(words: Uint32Array, at: number, lo: number, width: number, value: number): void {
  for (let k = 0; k < width; k++) {
    const w = at + ((lo + k) >> 5);
    const bit = 1 << ((lo + k) & 31);
    words[w] = (value >> k) & 1 ? words[w]! | bit : words[w]! & ~bit;
  }
}

const pick = <T>(r: Random, list: readonly T[]): T => list[r.below(list.length)]!;

/** One fault of this kind at instruction i, null where there is no occasion for one. */
export function fault(words: Uint32Array, i: number, kind: FaultKind, target: Target, r: Random): Fault | null {
  const made = words.slice();
  const at = 4 * i;
  const c = controlOf(words[at + 3]!);
  switch (kind) {
    case "stall":
      if (c.stall < 2) return null;
      setBits(made, at, 105, 4, 1 + r.below(c.stall - 1));
      break;
    case "wait": {
      const set = [0, 1, 2, 3, 4, 5].filter((k) => (c.wait >> k) & 1);
      if (set.length === 0) return null;
      setBits(made, at, 116 + pick(r, set), 1, 0);
      break;
    }
    case "index": {
      const fields = [
        [110, c.writeSb],
        [113, c.readSb],
      ].filter(([, v]) => v! < 6);
      if (fields.length === 0) return null;
      const [lo, old] = pick(r, fields);
      setBits(made, at, lo!, 3, (old! + 1 + r.below(5)) % 6);
      break;
    }
    case "register":
      if (!swapRegister(made, i, target, r)) return null;
      break;
    default: {
      const next = decodeInst(words, at + 4, target);
      const first = decodeInst(words, at, target);
      if (!next || !first || next.form.flow !== "next" || first.form.flow !== "next") return null;
      made.set(words.subarray(at + 4, at + 8), at);
      made.set(words.subarray(at, at + 4), at + 4);
    }
  }
  const changed = decodeInst(made, at, target);
  return changed === null || made.every((w, k) => w === words[k]) ? null : { kind, at: i, words: made };
}

/** Another register of the same file, one that is in use nearby. */
function swapRegister(words: Uint32Array, i: number, target: Target, r: Random): boolean {
  const inst = decodeInst(words, 4 * i, target);
  if (!inst) return false;
  const places = findLine(tableFor(target.isa), words, 4 * i)!.steps.flatMap((step, k) => {
    const o = k < inst.dsts.length ? inst.dsts[k]! : inst.srcs[k - inst.dsts.length]!;
    const plain = step.what === Do.Reg && !step.complement && step.loc.length === 1 && o.file !== File.B;
    return plain && o.kind === Kind.Reg && o.id >= 0 ? [{ lo: step.loc[0]!.lo, width: step.loc[0]!.width, o }] : [];
  });
  if (places.length === 0) return false;
  const { lo, width, o } = pick(r, places);
  const others = registersNear(words, i, o.file, target).filter(
    (id) => id !== o.id && id % Math.min(4, o.width) === 0 && id + o.width < (o.file === File.R ? 255 : 63),
  );
  if (others.length === 0) return false;
  setBits(words, 4 * i, lo, width, pick(r, others));
  return true;
}

function registersNear(words: Uint32Array, i: number, file: File, target: Target): number[] {
  const found = new Set<number>();
  for (let k = Math.max(0, i - 6); k <= i + 6 && 4 * k < words.length; k++) {
    const inst: MachineInst | null = decodeInst(words, 4 * k, target);
    for (const o of [...(inst?.dsts ?? []), ...(inst?.srcs ?? [])])
      if (o.kind === Kind.Reg && o.file === file && o.id >= 0) found.add(o.id);
  }
  return [...found].sort((a, b) => a - b);
}
