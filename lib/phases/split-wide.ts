/**
 * Registers of several words of which no instruction wants the words together come apart (OriSplitHighPressureLiveRanges): a pair takes two
 * registers side by side, the first an even one, as long as any of its words is needed, so that halves that are computed by themselves leave holes that
 * only values of one register fill.
 *
 *     IADD3   %R4:0, %P2, %R1:0, %R3:0, RZ                   IADD3   %R8, %P2, %R6, %R3:0, RZ
 *     IADD3.X %R4:1, %R1:1, %R3:1, RZ, %P2          →        IADD3.X %R9, %R7, %R3:1, RZ, %P2
 *     STG.E   [%R2.64], %R4:0                                STG.E   [%R2.64], %R8
 *
 * After everything that looks for pairs. Copies that the wide register stood in the way of are joined.
 */
import { analysis } from "../analysis/index.js";
import { IMPLICIT } from "../isa/operand.js";
import { touch } from "../ori/editor.js";
import { isReg } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import { alignmentOf } from "../ori/verify/physical.js";
import { joinCopies } from "./coalesce.js";
import { saying } from "./notes.js";

/** Where a word of a wide register is now. */
interface Place {
  readonly value: number;
  readonly sub: number;
}

/** Returns how many registers came apart. */
export function splitWide(func: Func): number {
  if (!func.virtual || func.milestone === "ssa") return 0;
  const tied = tiesOf(func);
  const places = new Map<number, readonly Place[]>();
  for (const [value, ties] of tied) {
    const parts = partsOf(func, value, ties);
    if (parts !== null) places.set(value, parts);
  }
  if (places.size === 0) return 0;
  const say = saying(func);
  for (const block of func.blocks)
    for (const inst of block.insts) {
      if (rename(inst, places)) say?.("came apart", inst, "no instruction wants the words of the register together");
    }
  touch(func);
  joinCopies(func);
  return places.size;
}

/** By register of several words: 1 at word k where something wants words k and k + 1 together. Those bound, or handed over as a whole, are left out. */
function tiesOf(func: Func): Map<number, Uint8Array> {
  const { values } = func;
  const ties = new Map<number, Uint8Array>();
  const never = new Set<number>();
  const note = (o: Operand): void => {
    if (!isReg(o) || o.file !== File.R || values.width(o.id) === 1) return;
    let list = ties.get(o.id);
    if (list === undefined) {
      list = new Uint8Array(values.width(o.id));
      ties.set(o.id, list);
    }
    list.fill(1, o.sub, o.sub + o.width - 1);
    if (values.fixed(o.id) >= 0) never.add(o.id);
  };
  for (const block of func.blocks)
    for (const inst of block.insts) {
      for (const o of inst.dsts) note(o);
      for (const o of inst.srcs) {
        note(o);
        if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) never.add(o.index);
      }
    }
  if (ties.size === 0) return ties;
  const { units, useSlot, useUnit, defSlot, defUnit } = analysis(func, "flat");
  for (let k = 0; k < useSlot.length; k++)
    if (useSlot[k] === IMPLICIT) never.add(units.owner[useUnit[k] as number] as number);
  for (let k = 0; k < defSlot.length; k++)
    if (defSlot[k] === IMPLICIT) never.add(units.owner[defUnit[k] as number] as number);
  for (const v of never) ties.delete(v);
  return ties;
}

/** New registers for the words that belong together; null where all do, or where some would stand askew. */
function partsOf(func: Func, value: number, ties: Uint8Array): readonly Place[] | null {
  const sizes: number[] = [];
  for (let k = 0; k < ties.length; ) {
    let end = k + 1;
    while (end < ties.length && ties[end - 1] === 1) end++;
    if (end - k === 3 || end - k > 4 || k % alignmentOf(end - k) !== 0) return null;
    sizes.push(end - k);
    k = end;
  }
  if (sizes.length === 1) return null;
  return sizes.flatMap((size) => {
    const part = func.values.add(File.R, size, func.values.name(value));
    return Array.from({ length: size }, (_, sub) => ({ value: part, sub }));
  });
}

function rename(inst: Inst, places: ReadonlyMap<number, readonly Place[]>): boolean {
  let renamed = false;
  for (const o of [...inst.dsts, ...inst.srcs]) {
    if (!isReg(o) || o.file !== File.R) continue;
    const place = places.get(o.id)?.[o.sub];
    if (place === undefined) continue;
    o.id = place.value;
    o.sub = place.sub;
    renamed = true;
  }
  return renamed;
}
