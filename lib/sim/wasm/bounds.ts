/** The test before a segment that none of its accesses faults, for all lanes. */
import { GLOBAL_BASE, LOCAL_TOP } from "../memory.js";
import { endOf, type Group, lowestOf, slotAt, wideAddress } from "./access.js";
import { BASE, Callee, type V } from "./emission.js";
import { Code, Type } from "./encoder.js";
import { ADDRESSES, EXCHANGE, Exchange } from "./layout.js";
import { Op } from "./opcodes.js";
import type { Segment } from "./segment.js";

/**
 * What the test of all accesses gathers: bits that are set where an access is not certainly good. Vectors by the bits of them that
 * count.
 */
export class Notes {
  private readonly gathered = new Map<number, V>();

  constructor(private readonly e: Segment) {}

  /** Bits of `v` that are in `counting`, for the lanes that take part. */
  add(v: V, counting: number): void {
    const { e } = this;
    let all = this.gathered.get(counting);
    if (all === undefined) {
      all = e.local();
      this.gathered.set(counting, all);
    }
    const mine = e.mask === null ? v : e.v(Op.and, v, e.mask);
    e.out.get(all).get(mine).op(Op.or).set(all);
  }

  clear(code: Code): void {
    code.words(0, 0, 0, 0);
    for (const v of this.gathered.values()) code.tee(v);
    code.op(Op.drop);
  }

  /** Leaves on the stack whether some bit is set. */
  any(code: Code): void {
    [...this.gathered].forEach(([counting, v], i) => {
      code.get(v);
      if (counting !== -1) code.words(counting, counting, counting, counting).op(Op.and);
      if (i > 0) code.op(Op.or);
    });
    code.op(Op.anyTrue);
  }
}

/** Gathers where the accesses of a group are not certainly good. */
export function testGroup(e: Segment, g: Group, notes: Notes): void {
  const { space } = g.first;
  const low = e.value(e.reg(g.first.low));
  if (space !== "global") {
    windowTest(e, g, low, space, notes);
    return;
  }
  const [address, high] = wideAddress(e, g, low, e.value(e.reg(g.first.high)));
  notes.add(e.v(Op.xor, high!, e.words(GLOBAL_HIGH)), -1);
  notes.add(outside(e, g, address), -1);
  misaligned(e, g, address, notes);
}

/** Upper word of all addresses of global memory. */
const GLOBAL_HIGH = Math.floor(GLOBAL_BASE / 2 ** 32);

/** The same for accesses to global memory of which one may not be good; looks for the allocations that they touch. */
export function lookAtGroup(e: Segment, g: Group): void {
  const low = e.value(e.reg(g.first.low));
  const [address, high] = wideAddress(e, g, low, e.value(e.reg(g.first.high)));
  let bad = e.v(Op.or, e.v(Op.i32x4Ne, high!, e.words(GLOBAL_HIGH)), outside(e, g, address));
  if (e.mask !== null) bad = e.v(Op.and, bad, e.mask);
  lookFor(e, g, low, bad);
}

/** Lanes that lie outside of the allocation found last. */
function outside(e: Segment, g: Group, low: V): V {
  const from = e.local();
  const count = e.local();
  e.out.i32(0).memory(Op.load32Splat, slotAt(g)).set(from);
  e.out
    .i32(0)
    .memory(Op.load32Splat, slotAt(g) + 4)
    .set(count);
  return e.v(Op.i32x4GeU, e.v(Op.i32x4Sub, low, from), count);
}

/** Looks for the allocation that the first of the bad lanes touches. */
function lookFor(e: Segment, g: Group, register: V, bad: V): void {
  const lane = e.local(Type.i32);
  const [low, high] = wideAddress(e, g, register, e.value(e.reg(g.first.high)));
  const { out } = e;
  out.get(bad).op(Op.anyTrue).open(Op.if);
  out.i32(ADDRESSES).get(low).memory(Op.store, 0);
  out.i32(ADDRESSES).get(high!).memory(Op.store, 16);
  out.get(bad).op(Op.i32x4Bitmask).op(Op.i32Ctz).i32(2).op(Op.i32Shl).set(lane);
  out.i32(g.id).get(lane).memory(Op.i32Load, ADDRESSES);
  out
    .get(lane)
    .memory(Op.i32Load, ADDRESSES + 16)
    .index(Op.call, Callee.find);
  out.end();
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

function windowTest(e: Segment, g: Group, register: V, space: "shared" | "local", notes: Notes): void {
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
  notes.add(bad, -1);
  misaligned(e, g, base, notes);
}

/** Notes the bits by which an address is no multiple of what is accessed. */
function misaligned(e: Segment, g: Group, base: V, notes: Notes): void {
  const seen = new Set<string>();
  for (const { access } of g.accesses) {
    const n = access.bytes;
    const rest = ((access.offset % n) + n) % n;
    const key = `${n} ${rest}`;
    if (n === 1 || seen.has(key)) continue;
    seen.add(key);
    notes.add(rest === 0 ? base : e.v(Op.i32x4Add, base, e.words(rest)), n - 1);
  }
}

/**
 * All accesses of the segment for all lanes, `test` for four of them: leaves the function with −1 where one may fault. Where the allocations
 * found last do not fit, others are looked for once, by `look`.
 */
export function testAccesses(e: Segment, notes: Notes, test: Code, look: Code | null): Code {
  const again = e.local(Type.i32);
  const out = new Code();
  const forAll = (round: Code): void => {
    out.get(BASE).set(e.row).i32(0).set(e.shift).open(Op.loop).append(round);
    nextRound(e, out);
    out.end();
  };
  out.i32(0).set(again).open(Op.loop);
  notes.clear(out);
  forAll(test);
  notes.any(out);
  out.open(Op.if);
  if (look !== null) {
    out.get(again).op(Op.i32Eqz).open(Op.if).i32(1).set(again);
    forAll(look);
    out.index(Op.br, 2).end();
  }
  return out.i32(-1).op(Op.return).end().end();
}

/** On to the next four lanes, and back to the start of the innermost loop unless these were the last. */
export function nextRound(e: Segment, out: Code): void {
  out.get(e.row).i32(16).op(Op.i32Add).set(e.row);
  out.get(e.shift).i32(4).op(Op.i32Add).tee(e.shift).i32(32).op(Op.i32LtU).index(Op.brIf, 0);
}
