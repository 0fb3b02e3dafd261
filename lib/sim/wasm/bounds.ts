/** The test before a segment that none of its accesses faults, for all lanes. */
import { LOCAL_TOP } from "../memory.js";
import { endOf, type Group, lowestOf, slotAt, wideAddress } from "./access.js";
import { Code, Type } from "./encoder.js";
import { ADDRESSES, EXCHANGE, Exchange } from "./layout.js";
import { Op } from "./opcodes.js";
import { BASE, Callee, type Segment, type V } from "./segment.js";

/** Notes in `bad` the lanes whose access is not certainly good; `again`: allocations have been looked for. */
export function testGroup(e: Segment, g: Group, again: number): void {
  const { first } = g;
  const low = e.value(e.reg(first.low));
  let bad = first.space === "global" ? globalTest(e, g, low) : windowTest(e, g, low, first.space);
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

/** The part of a space that a warp has: its first address, and its size in bytes; scalars of the prologue. */
function windowOf(e: Segment, space: "shared" | "local"): { readonly first: number; readonly size: number } {
  if (space === "shared")
    return {
      first: e.exchange(EXCHANGE + 4 * Exchange.sharedFirst),
      size: e.exchange(EXCHANGE + 4 * Exchange.sharedSize),
    };
  const size = e.exchange(EXCHANGE + 4 * Exchange.localSize);
  const first = e.local(Type.i32);
  e.prologue.i32(LOCAL_TOP).get(size).op(Op.i32Sub).set(first);
  return { first, size };
}

function windowTest(e: Segment, g: Group, register: V, space: "shared" | "local"): V {
  const { shift } = g.first;
  const lowest = lowestOf(g);
  const span = endOf(g) - lowest;
  let base = register;
  if (shift !== 0) base = e.shifted(Op.i32x4Shl, base, shift);
  base = wideAddress(e, g, base, null)[0];
  // address − first + lowest, at most size − span; a size below the span leaves no room.
  const start = e.local(Type.i32);
  const room = e.local(Type.i32);
  const { first, size } = windowOf(e, space);
  e.prologue.i32(lowest).get(first).op(Op.i32Sub).set(start);
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
