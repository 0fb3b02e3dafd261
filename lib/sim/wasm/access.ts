/**
 * Memory accesses of a segment. Those from the same base under the same guard are a group: one range test for all of them and
 * all lanes before the segment, one look at the pattern of the four addresses (consecutive, all the same) in each round.
 */
import { File, Kind, type MachineInst } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { Code, Type } from "./encoder.js";
import { ADDRESSES, EXCHANGE, Exchange, GLOBAL, SLOT_BYTES, SLOTS, TRASH } from "./layout.js";
import { Op } from "./opcodes.js";
import { BASE, Callee, type Segment, Untranslated, type V, type Value } from "./segment.js";

export type AccessSpace = "global" | "shared";

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
  if (space === "shared" && hasUniform && ur.width === 2) throw new Untranslated("wide uniform register");
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

const lowestOf = (g: Group): number => Math.min(...g.accesses.map(({ access }) => access.offset));
const endOf = (g: Group): number => Math.max(...g.accesses.map(({ access }) => access.offset + access.bytes));

export function slotOf(g: Group): Slot {
  return { lowest: lowestOf(g), end: endOf(g) };
}

// ------------------------------------------------------------------------------------------------ the test

const slotAt = (g: Group): number => SLOTS + SLOT_BYTES * g.id;

/** Lower words of the addresses without offset, and the upper ones. */
function wideAddress(e: Segment, g: Group, low: V, high: V | null): readonly [V, V | null] {
  const { uniform, uniformWide } = g.first;
  if (uniform < 0) return [low, high];
  const u = e.value(e.ureg(uniform));
  const sum = e.v(Op.i32x4Add, low, u);
  if (high === null) return [sum, null];
  const up = uniformWide ? e.value(e.ureg(uniform + 1)) : e.inPrologue(() => e.shifted(Op.i32x4ShrS, u, 31));
  const carry = e.v(Op.i32x4LtU, sum, u);
  return [sum, e.v(Op.i32x4Sub, e.v(Op.i32x4Add, high, up), carry)];
}

/** Notes in `bad` the lanes whose access is not certainly good; `again`: allocations have been looked for. */
export function testGroup(e: Segment, g: Group, again: number): void {
  const { first } = g;
  const low = e.value(e.reg(first.low));
  let bad = first.space === "global" ? globalTest(e, g, low) : sharedTest(e, g, low);
  if (e.mask !== null) bad = e.v(Op.and, bad, e.mask);
  e.out.get(e.bad).get(bad).op(Op.or).set(e.bad);
  if (first.space === "global") lookFor(e, g, low, bad, again);
}

/** Where the access lies outside of the allocation found last, or is misaligned. */
function globalTest(e: Segment, g: Group, register: V): V {
  const [low, high] = wideAddress(e, g, register, e.value(e.reg(g.first.high)));
  const from = e.local();
  const count = e.local();
  e.out.i32(0).memory(Op.load32Splat, slotAt(g)).set(from);
  e.out
    .i32(0)
    .memory(Op.load32Splat, slotAt(g) + 4)
    .set(count);
  const bad = e.v(Op.or, e.v(Op.i32x4Ne, high!, e.words(7)), e.v(Op.i32x4GeU, e.v(Op.i32x4Sub, low, from), count));
  return misaligned(e, g, low, bad);
}

/** Looks for the allocation that the first of the bad lanes touches. */
function lookFor(e: Segment, g: Group, register: V, bad: V, again: number): void {
  const lane = e.local(Type.i32);
  const [low, high] = wideAddress(e, g, register, e.value(e.reg(g.first.high)));
  const { out } = e;
  out.get(bad).op(Op.anyTrue).open(Op.if).get(again).op(Op.i32Eqz).open(Op.if);
  out.i32(ADDRESSES).get(low).memory(Op.store, 0);
  out.i32(ADDRESSES).get(high!).memory(Op.store, 16);
  out.get(bad).op(Op.i32x4Bitmask).op(Op.i32Ctz).i32(2).op(Op.i32Shl).set(lane);
  out.i32(g.id).get(lane).memory(Op.i32Load, ADDRESSES);
  out
    .get(lane)
    .memory(Op.i32Load, ADDRESSES + 16)
    .index(Op.call, Callee.find);
  out.end().end();
}

function sharedTest(e: Segment, g: Group, register: V): V {
  const { first } = g;
  const lowest = lowestOf(g);
  const span = endOf(g) - lowest;
  let base = register;
  if (first.shift !== 0) base = e.shifted(Op.i32x4Shl, base, first.shift);
  base = wideAddress(e, g, base, null)[0];
  // address − first + lowest, at most size − span; a size below the span leaves no room.
  const start = e.local(Type.i32);
  const room = e.local(Type.i32);
  const [size, mine] = [
    e.exchange(EXCHANGE + 4 * Exchange.sharedSize),
    e.exchange(EXCHANGE + 4 * Exchange.sharedFirst),
  ];
  e.prologue.i32(lowest).get(mine).op(Op.i32Sub).set(start);
  e.prologue
    .get(size)
    .i32(span - 1)
    .op(Op.i32Sub)
    .i32(0)
    .get(size)
    .i32(span)
    .op(Op.i32GeU)
    .op(Op.select)
    .set(room);
  const at = e.local();
  e.out.get(base).get(start).op(Op.i32x4Splat).op(Op.i32x4Add).set(at);
  const bad = e.local();
  e.out.get(at).get(room).op(Op.i32x4Splat).op(Op.i32x4GeU).set(bad);
  return misaligned(e, g, base, bad);
}

/** `bad`, and where an address is no multiple of what is accessed. */
function misaligned(e: Segment, g: Group, base: V, bad: V): V {
  const seen = new Set<string>();
  let r = bad;
  for (const { access } of g.accesses) {
    const n = access.bytes;
    const rest = ((access.offset % n) + n) % n;
    const key = `${n} ${rest}`;
    if (n === 1 || seen.has(key)) continue;
    seen.add(key);
    const x = rest === 0 ? base : e.v(Op.i32x4Add, base, e.words(rest));
    r = e.v(Op.or, r, e.v(Op.i32x4Ne, e.v(Op.and, x, e.words(n - 1)), e.words(0)));
  }
  return r;
}

/**
 * All accesses of the segment for all lanes, `round` for four of them: leaves the function with −1 where one may fault. Where the allocations
 * found last do not fit, others are looked for once.
 */
export function testAccesses(e: Segment, round: Code, again: number, looksAgain: boolean): Code {
  const out = new Code();
  out.i32(0).set(again).open(Op.loop);
  out.words(0, 0, 0, 0).set(e.bad).get(BASE).set(e.row).i32(0).set(e.shift);
  out.open(Op.loop).append(round);
  nextRound(e, out);
  out.end();
  out.get(e.bad).op(Op.anyTrue).open(Op.if);
  if (looksAgain) out.get(again).op(Op.i32Eqz).open(Op.if).i32(1).set(again).index(Op.br, 2).end();
  return out.i32(-1).op(Op.return).end().end();
}

/** On to the next four lanes, and back to the start of the innermost loop unless these were the last. */
export function nextRound(e: Segment, out: Code): void {
  out.get(e.row).i32(16).op(Op.i32Add).set(e.row);
  out.get(e.shift).i32(4).op(Op.i32Add).tee(e.shift).i32(32).op(Op.i32LtU).index(Op.brIf, 0);
}

// ------------------------------------------------------------------------------------------------ the accesses

/** Addresses of a group in a round. */
interface Addresses {
  readonly all: V;
  readonly lanes: readonly number[];
  readonly apart: V;
}

function memarg(g: Group, a: Access): number {
  return a.space === "global" ? GLOBAL + a.offset : a.offset - lowestOf(g);
}

/** Index of the first byte at offset 0 (global) or at the lowest offset (shared), by lane. */
function addresses(e: Segment, g: Group): V {
  const { first } = g;
  let base = e.value(e.reg(first.low));
  if (first.shift !== 0) base = e.shifted(Op.i32x4Shl, base, first.shift);
  base = wideAddress(e, g, base, null)[0];
  if (first.space === "global") return base;
  const start = e.local(Type.i32);
  const [at, mine] = [e.exchange(EXCHANGE + 4 * Exchange.sharedAt), e.exchange(EXCHANGE + 4 * Exchange.sharedFirst)];
  e.prologue.get(at).get(mine).op(Op.i32Sub).i32(lowestOf(g)).op(Op.i32Add).set(start);
  const d = e.local();
  e.out.get(base).get(start).op(Op.i32x4Splat).op(Op.i32x4Add).set(d);
  return d;
}

function spread(e: Segment, all: V): Addresses {
  const lanes = [0, 1, 2, 3].map((k) => {
    const d = e.local(Type.i32);
    e.out.get(all).lane(Op.i32x4Extract, k).set(d);
    return d;
  });
  const apart = e.local();
  e.out.get(all).get(lanes[0]!).op(Op.i32x4Splat).op(Op.i32x4Sub).set(apart);
  return { all, lanes, apart };
}

/** Leaves on the stack whether the four addresses are `stride` bytes apart. */
function patternTest(e: Segment, a: Addresses, stride: number): void {
  e.out.get(a.apart);
  e.out
    .get(e.words(0, stride, 2 * stride, 3 * stride))
    .op(Op.i32x4Eq)
    .op(Op.i32x4AllTrue);
}

/** Loads of a group: the words of every one, or the pair of a 64-bit one. */
function loadGroup(e: Segment, g: Group): Map<number, readonly V[]> {
  let all = addresses(e, g);
  // Lanes that take no part read what is certainly there.
  if (e.mask !== null) {
    const safe = e.local();
    if (g.first.space === "global") e.out.i32(0).memory(Op.load32Splat, slotAt(g)).set(safe);
    else
      e.out
        .get(e.exchange(EXCHANGE + 4 * Exchange.sharedAt))
        .op(Op.i32x4Splat)
        .set(safe);
    all = e.v(Op.bitselect, all, safe, e.mask);
  }
  const a = spread(e, all);
  const results = new Map<number, readonly V[]>();
  for (const bytes of new Set(g.accesses.map(({ access }) => access.bytes))) {
    const list = g.accesses.filter(({ access }) => access.bytes === bytes);
    const words = list.map(({ index }) => {
      const locals = Array.from({ length: bytes === 16 ? 4 : bytes === 8 ? 2 : 1 }, () => e.local());
      results.set(index, locals);
      return locals;
    });
    const each = (emit: (access: Access, at: number, d: readonly V[]) => void): void => {
      list.forEach(({ access }, i) => {
        emit(access, memarg(g, access), words[i]!);
      });
    };
    if (bytes === 4 || bytes === 8) {
      patternTest(e, a, bytes);
      e.out.open(Op.if);
      each((_, at, d) => {
        for (let i = 0; i < d.length; i++)
          e.out
            .get(a.lanes[0]!)
            .memory(Op.load, at + 16 * i)
            .set(d[i]!);
      });
      e.out.op(Op.else);
    }
    if (bytes >= 4) {
      patternTest(e, a, 0);
      e.out.open(Op.if);
      each((_, at, d) => {
        if (bytes === 8) e.out.get(a.lanes[0]!).memory(Op.load64Splat, at).tee(d[0]!).set(d[1]!);
        else
          for (let i = 0; i < d.length; i++)
            e.out
              .get(a.lanes[0]!)
              .memory(Op.load32Splat, at + 4 * i)
              .set(d[i]!);
      });
      e.out.op(Op.else);
    }
    each((access, at, d) => {
      loadLanes(e, a, access, at, d);
    });
    if (bytes >= 4) e.out.end();
    if (bytes === 4 || bytes === 8) e.out.end();
  }
  return results;
}

const HIGH_HALVES = [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31];
const LOW_PAIR = [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23];
const HIGH_PAIR = [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31];

/** Four vectors of four words with rows and columns exchanged. */
function transposed(e: Segment, v: readonly V[]): V[] {
  const t0 = e.shuffled(v[0]!, v[1]!, LOW_PAIR);
  const t1 = e.shuffled(v[2]!, v[3]!, LOW_PAIR);
  const t2 = e.shuffled(v[0]!, v[1]!, HIGH_PAIR);
  const t3 = e.shuffled(v[2]!, v[3]!, HIGH_PAIR);
  return [e.lowHalves(t0, t1), e.shuffled(t0, t1, HIGH_HALVES), e.lowHalves(t2, t3), e.shuffled(t2, t3, HIGH_HALVES)];
}

function loadLanes(e: Segment, a: Addresses, access: Access, at: number, d: readonly V[]): void {
  const [l0, l1, l2, l3] = a.lanes as [number, number, number, number];
  switch (access.bytes) {
    case 16: {
      const v = a.lanes.map((l) => {
        const x = e.local();
        e.out.get(l).memory(Op.load, at).set(x);
        return x;
      });
      transposed(e, v).forEach((x, i) => {
        e.out.get(x).set(d[i]!);
      });
      return;
    }
    case 8:
      e.out.get(l1).get(l0).memory(Op.load64Zero, at).memory(Op.load64Lane, at, 1).set(d[0]!);
      e.out.get(l3).get(l2).memory(Op.load64Zero, at).memory(Op.load64Lane, at, 1).set(d[1]!);
      return;
    case 4:
      e.out.get(l3).get(l2).get(l1).get(l0).memory(Op.load32Zero, at);
      for (let k = 1; k < 4; k++) e.out.memory(Op.load32Lane, at, k);
      e.out.set(d[0]!);
      return;
    default: {
      const half = access.bytes === 2;
      const op = access.signed ? (half ? Op.i32Load16S : Op.i32Load8S) : half ? Op.i32Load16U : Op.i32Load8U;
      e.out.get(l0).memory(op, at).op(Op.i32x4Splat);
      for (let k = 1; k < 4; k++) e.out.get(a.lanes[k]!).memory(op, at).lane(Op.i32x4Replace, k);
      e.out.set(d[0]!);
    }
  }
}

export function emitLoad(e: Segment, s: Site, g: Group, index: number): void {
  const key = `load ${g.accesses[0]!.index}`;
  let results = e.round.get(key) as Map<number, readonly V[]> | undefined;
  if (results === undefined) {
    results = loadGroup(e, g);
    e.round.set(key, results);
  }
  const words = results.get(index)!;
  const d = s.operand("d");
  if (words.length === 2) e.setLong(d, words as [V, V]);
  else e.setDst(d, ...words.map((w) => e.newValue(w)));
}

/** The store of the round; its data are those at this point of the program. */
export function emitStore(e: Segment, s: Site, g: Group, access: Access): void {
  const data = s.operand("data");
  if (data.kind !== Kind.Reg || data.file !== File.R) throw new Untranslated("data operand");
  if (data.part !== "" || data.mods & 7) throw new Untranslated("data operand");
  const value = (i: number): Value => e.operand(data, i);
  const { bytes } = access;
  const words = bytes === 16 ? [value(0), value(1), value(2), value(3)].map((x) => e.value(x)) : [];
  if (bytes === 8) words.push(...e.long(value(0), value(1)));
  if (bytes <= 4) words.push(e.value(value(0)));
  let all = addresses(e, g);
  const { mask } = e;
  e.commit(() => {
    let at = memarg(g, access);
    if (mask !== null) {
      all = e.v(Op.bitselect, e.v(Op.i32x4Add, all, e.words(at)), e.words(TRASH), mask);
      at = 0;
    }
    storeLanes(e, spread(e, all), bytes, at, words);
  });
}

function storeLanes(e: Segment, a: Addresses, bytes: number, at: number, words: readonly V[]): void {
  if (bytes === 16) {
    transposed(e, words).forEach((x, k) => {
      e.out.get(a.lanes[k]!).get(x).memory(Op.store, at);
    });
    return;
  }
  if (bytes < 4) {
    const op = bytes === 2 ? Op.i32Store16 : Op.i32Store8;
    for (let k = 0; k < 4; k++) e.out.get(a.lanes[k]!).get(words[0]!).lane(Op.i32x4Extract, k).memory(op, at);
    return;
  }
  patternTest(e, a, bytes);
  e.out.open(Op.if);
  words.forEach((x, i) => {
    e.out
      .get(a.lanes[0]!)
      .get(x)
      .memory(Op.store, at + 16 * i);
  });
  e.out.op(Op.else);
  for (let k = 0; k < 4; k++)
    if (bytes === 4) e.out.get(a.lanes[k]!).get(words[0]!).memory(Op.store32Lane, at, k);
    else
      e.out
        .get(a.lanes[k]!)
        .get(words[k >> 1]!)
        .memory(Op.store64Lane, at, k & 1);
  e.out.end();
}
