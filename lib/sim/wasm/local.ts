/**
 * Local memory in translated code. Word n below the top of lane l is at 128 n + 4 l of the warp's (memory.ts), so that an address is
 * subtracted, 32 times: lanes with the same address touch consecutive words, and words that follow in memory lie 128 bytes before.
 */
import { LOCAL_TOP } from "../memory.js";
import { type Access, endOf, type Group, wideAddress } from "./access.js";
import type { V } from "./emission.js";
import { type Addresses, loadNarrow, patternTest, spread, storeNarrow } from "./lanes.js";
import { EXCHANGE, Exchange, TRASH } from "./layout.js";
import { Op } from "./opcodes.js";
import type { Segment } from "./segment.js";

/** Bytes of memory that a byte of an address stands for. */
const SCALE_BITS = 5;
const SCALE = 1 << SCALE_BITS;

/** Where the words at address 0 would be. */
function origin(e: Segment): V {
  const known = e.round.get("local") as V | undefined;
  if (known !== undefined) return known;
  const at = e.exchange(EXCHANGE + 4 * Exchange.localAt);
  const start = e.local();
  e.out
    .get(at)
    .get(e.shift)
    .i32(2)
    .op(Op.i32Shl)
    .op(Op.i32Add)
    .i32((LOCAL_TOP - 4) * SCALE)
    .op(Op.i32Add)
    .op(Op.i32x4Splat)
    .set(start);
  const v = e.v(Op.i32x4Add, start, e.words(0, 4, 8, 12));
  e.round.set("local", v);
  return v;
}

/** The addresses that the instructions of the group add their offsets to. */
function baseOf(e: Segment, g: Group): V {
  const { first } = g;
  let base = e.value(e.reg(first.low));
  if (first.shift !== 0) base = e.shifted(Op.i32x4Shl, base, first.shift);
  return wideAddress(e, g, base, null)[0];
}

const lastWord = (g: Group): number => endOf(g) - 4;

/** Where the word at an offset is from that of the last word of the group on. */
const from = (g: Group, offset: number): number => (lastWord(g) - offset) * SCALE;

/** Where the words at the last offset of the group are. */
function lastWords(e: Segment, g: Group): V {
  const last = e.v(Op.i32x4Add, baseOf(e, g), e.words(lastWord(g)));
  return e.v(Op.i32x4Sub, origin(e), e.shifted(Op.i32x4Shl, last, SCALE_BITS));
}

/** Where bytes or halves are. */
function narrowAt(e: Segment, g: Group, access: Access): V {
  const address = e.v(Op.i32x4Add, baseOf(e, g), e.words(access.offset));
  const word = e.v(Op.i32x4Sub, origin(e), e.shifted(Op.i32x4Shl, e.v(Op.and, address, e.words(-4)), SCALE_BITS));
  return e.v(Op.i32x4Add, word, e.v(Op.and, address, e.words(3)));
}

/** Addresses where lanes that take no part go elsewhere. */
const masked = (e: Segment, all: V, otherwise: number, mask: V | null): V =>
  mask === null ? all : e.v(Op.bitselect, all, e.words(otherwise), mask);

/** Loads of a group: the words of every one. */
export function loadLocal(e: Segment, g: Group): Map<number, readonly V[]> {
  const results = new Map<number, readonly V[]>();
  const wide = g.accesses.filter(({ access }) => access.bytes >= 4);
  for (const { index, access } of g.accesses)
    results.set(
      index,
      Array.from({ length: Math.max(1, access.bytes >> 2) }, () => e.local()),
    );
  if (wide.length > 0) {
    const a = spread(e, masked(e, lastWords(e, g), 0, e.mask));
    const each = (emit: (at: number, d: V) => void): void => {
      for (const { index, access } of wide)
        results.get(index)!.forEach((d, i) => {
          emit(from(g, access.offset + 4 * i), d);
        });
    };
    patternTest(e, a, 4);
    e.out.open(Op.if);
    each((at, d) => e.out.get(a.lanes[0]!).memory(Op.load, at).set(d));
    e.out.op(Op.else);
    each((at, d) => loadWords(e, a, at, d));
    e.out.end();
  }
  for (const { index, access } of g.accesses)
    if (access.bytes < 4)
      loadNarrow(e, spread(e, masked(e, narrowAt(e, g, access), 0, e.mask)), access, 0, results.get(index)![0]!);
  return results;
}

function loadWords(e: Segment, a: Addresses, at: number, d: V): void {
  for (let k = 3; k >= 0; k--) e.out.get(a.lanes[k]!);
  e.out.memory(Op.load32Zero, at);
  for (let k = 1; k < 4; k++) e.out.memory(Op.load32Lane, at, k);
  e.out.set(d);
}

/** The store of the round. */
export function storeLocal(e: Segment, g: Group, access: Access, words: readonly V[]): void {
  const { mask } = e;
  const { bytes, offset } = access;
  if (bytes < 4) {
    const all = narrowAt(e, g, access);
    e.commit(() => {
      storeNarrow(e, spread(e, masked(e, all, TRASH, mask)), bytes, 0, words[0]!);
    });
    return;
  }
  const last = lastWords(e, g);
  e.commit(() => {
    const lowest = from(g, offset + bytes - 4);
    const all = lowest === 0 ? last : e.v(Op.i32x4Add, last, e.words(lowest));
    const a = spread(e, masked(e, all, TRASH, mask));
    const at = (i: number): number => from(g, offset + 4 * i) - lowest;
    patternTest(e, a, 4);
    e.out.open(Op.if);
    words.forEach((x, i) => {
      e.out.get(a.lanes[0]!).get(x).memory(Op.store, at(i));
    });
    e.out.op(Op.else);
    words.forEach((x, i) => {
      for (let k = 0; k < 4; k++) e.out.get(a.lanes[k]!).get(x).memory(Op.store32Lane, at(i), k);
    });
    e.out.end();
  });
}
