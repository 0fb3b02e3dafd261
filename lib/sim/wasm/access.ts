/**
 * Memory accesses of a segment. Those from the same base under the same guard are a group: one range test for all of them and all lanes before
 * the segment (bounds.ts), one look at the pattern of the four addresses (consecutive, all the same) in each round (transfer.ts).
 */
import { File, Kind, type MachineInst } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { Untranslated, type V } from "./emission.js";
import { SLOT_BYTES, SLOTS } from "./layout.js";
import { Op } from "./opcodes.js";
import type { Segment } from "./segment.js";

export type AccessSpace = "global" | "shared" | "local";

export interface Access {
  readonly space: AccessSpace;
  readonly store: boolean;
  readonly bytes: number;
  readonly signed: boolean;
  /** Registers of the base; −1: zero. */
  readonly low: number;
  readonly high: number;
  readonly shift: number;
  /** Uniform register that is added, −1 none; and whether it is a pair. */
  readonly uniform: number;
  readonly uniformWide: boolean;
  readonly offset: number;
  /** Index of the guard in Warp.P, 7 none. */
  readonly guard: number;
  readonly not: boolean;
}

/** Accesses with one test; `id` is the number of its slot (global memory). */
export interface Group {
  readonly first: Access;
  readonly accesses: { readonly index: number; readonly access: Access }[];
  id: number;
}

/** What finding an allocation for a group needs to know: the lowest offset, and the end of what the highest one reaches. */
export interface Slot {
  readonly lowest: number;
  readonly end: number;
}

/** Registers and predicates that say which addresses are accessed, and by which lanes. */
export function basesOf(a: Access): string[] {
  const bases: string[] = [];
  if (a.low >= 0) bases.push(`R${a.low}`);
  if (a.high >= 0) bases.push(`R${a.high}`);
  if (a.uniform >= 0) bases.push(`U${a.uniform}`);
  if (a.uniform >= 0 && a.uniformWide) bases.push(`U${a.uniform + 1}`);
  if ((a.guard & 7) !== 7) bases.push(a.guard >= 8 ? `UP${a.guard - 8}` : `P${a.guard}`);
  return bases;
}

const sizes: Readonly<Record<string, readonly [bytes: number, signed: boolean]>> = {
  U8: [1, false],
  S8: [1, true],
  U16: [2, false],
  S16: [2, true],
  "64": [8, false],
  "128": [16, false],
};

/** The access of a load or store; LD and ST count as global: other generic addresses fail the test. */
export function accessOf(s: Site, inst: MachineInst, space: AccessSpace, store: boolean): Access {
  s.has("U");
  const [bytes, signed] = s.choose<readonly [number, boolean]>(sizes, [4, false]);
  if (!store && ((s.pred("pout") & 7) !== 7 || (s.pred("pin") & 7) !== 7)) throw new Untranslated("predicated load");
  const base = s.operand("base");
  const ur = s.find("ur");
  const { part } = base;
  if (base.kind !== Kind.Reg || base.file !== File.R) throw new Untranslated("base");
  const isRegister = base.id >= 0;
  const wide = base.width === 2 && !part.includes("U32");
  const shift = part.includes("X16") ? 4 : part.includes("X8") ? 3 : part.includes("X4") ? 2 : 0;
  if (space === "global" && shift !== 0) throw new Untranslated("scaled base");
  const hasUniform = ur !== null && ur.kind === Kind.Reg && ur.id >= 0;
  if (space !== "global" && hasUniform && ur.width === 2) throw new Untranslated("wide uniform register");
  const { guard } = inst;
  const index = guard === null ? 7 : (guard.file === File.UP ? 8 : 0) + (guard.id < 0 ? 7 : guard.id);
  return {
    space,
    store,
    bytes,
    signed,
    low: isRegister ? base.id : -1,
    high: isRegister && wide && space === "global" ? base.id + 1 : -1,
    shift,
    uniform: hasUniform ? ur.id : -1,
    uniformWide: hasUniform && ur.width === 2,
    offset: s.imm("off"),
    guard: index,
    not: guard?.not ?? false,
  };
}

const keyOf = (a: Access): string =>
  [a.space, a.store, a.low, a.high, a.shift, a.uniform, a.guard, a.not, a.guard].join();

/** An access, and the instructions of the segment that wrote its bases last. */
export interface PlacedAccess {
  readonly index: number;
  readonly access: Access;
  readonly writers: string;
}

/** Puts accesses with the same base and guard together. */
export function groupsOf(list: readonly PlacedAccess[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const item of list) {
    const key = `${keyOf(item.access)},${item.writers}`;
    const known = groups.get(key);
    if (known) known.accesses.push(item);
    else groups.set(key, { first: item.access, accesses: [item], id: -1 });
  }
  return groups;
}

export const lowestOf = (g: Group): number => Math.min(...g.accesses.map(({ access }) => access.offset));
export const endOf = (g: Group): number => Math.max(...g.accesses.map(({ access }) => access.offset + access.bytes));

export function slotOf(g: Group): Slot {
  return { lowest: lowestOf(g), end: endOf(g) };
}

export const slotAt = (g: Group): number => SLOTS + SLOT_BYTES * g.id;

/** Lower words of the addresses without offset, and the upper ones. */
export function wideAddress(e: Segment, g: Group, low: V, high: V | null): readonly [V, V | null] {
  const { uniform, uniformWide } = g.first;
  if (uniform < 0) return [low, high];
  const u = e.value(e.ureg(uniform));
  const sum = e.v(Op.i32x4Add, low, u);
  if (high === null) return [sum, null];
  const up = uniformWide ? e.value(e.ureg(uniform + 1)) : e.inPrologue(() => e.shifted(Op.i32x4ShrS, u, 31));
  const carry = e.v(Op.i32x4LtU, sum, u);
  return [sum, e.v(Op.i32x4Sub, e.v(Op.i32x4Add, high, up), carry)];
}
