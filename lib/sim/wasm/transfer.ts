/** Loads and stores of a round, after the test of their addresses. */
import { File, Kind } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { type Access, endOf, type Group, lowestOf, slotAt, wideAddress } from "./access.js";
import { Untranslated, type V, type Value } from "./emission.js";
import { Type } from "./encoder.js";
import { type Addresses, loadNarrow, patternTest, spread, storeNarrow } from "./lanes.js";
import { EXCHANGE, Exchange, GLOBAL, GLOBAL_LEAST, TRASH } from "./layout.js";
import { loadLocal, storeLocal } from "./local.js";
import { Op } from "./opcodes.js";
import type { Segment } from "./segment.js";

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

/** Loads of a group: the words of every one, or the pair of a 64-bit one. */
function loadGroup(e: Segment, g: Group): Map<number, readonly V[]> {
  let all = addresses(e, g);
  // Lanes that take no part read what is certainly there.
  if (e.mask !== null) {
    const safe = e.local();
    if (g.first.space === "global" && endOf(g) > GLOBAL_LEAST) throw new Untranslated("far offset under a mask");
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
    default:
      loadNarrow(e, a, access, at, d[0]!);
  }
}

export function emitLoad(e: Segment, s: Site, g: Group, index: number): void {
  const key = `load ${g.accesses[0]!.index}`;
  let results = e.round.get(key) as Map<number, readonly V[]> | undefined;
  if (results === undefined) {
    results = g.first.space === "local" ? loadLocal(e, g) : loadGroup(e, g);
    e.round.set(key, results);
  }
  const words = results.get(index)!;
  const d = s.operand("d");
  if (words.length === 2 && g.first.space !== "local") e.setLong(d, words as [V, V]);
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
  if (g.first.space === "local") {
    storeLocal(e, g, access, bytes === 8 ? [e.value(value(0)), e.value(value(1))] : words);
    return;
  }
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
    storeNarrow(e, a, bytes, at, words[0]!);
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
