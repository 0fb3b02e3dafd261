/**
 * UTMALDG, UTMASTG, UTMAREDG: boxes of a tensor to and from shared memory (PTX ISA cp.async.bulk.tensor, cp.reduce.async.bulk.tensor), as `async/box.ts` walks them. Elements outside of the tensor come as
 * zero and are not written. What arrives completes the bytes of the whole box on the mbarrier.
 * Swizzles exchange chunks of 16 bytes within their rows by the address's bits from 7 on (PTX ISA 5.5.7).
 */
import { Kind } from "../../isa/operand.js";
import { locate, place } from "../access.js";
import { eachPiece, elementsOf, misfit, pixelAddress, pixels, type Walk, type Wanted } from "../async/box.js";
import { begin } from "../async/in-flight.js";
import { blockOf, Transfer } from "../async/transfer.js";
import type { Makers, Site } from "../site.js";
import { type Exec, Step, type Warp } from "../state.js";
import { type Box, decodeMap, MAP_BYTES } from "../tensor-map.js";
import { combineBy } from "./atomic.js";
import { completes, inCta } from "./bulk.js";
import { operation } from "./copies.js";

const words: Int32Array = new Int32Array(MAP_BYTES / 4);

/** The map at a generic address; null: a fault is noted. */
function mapAt(w: Warp, address: number, dimensions: number, lane: number): Box | null {
  for (let i = 0; i < words.length; i++) {
    if (!locate(w, "generic", address + 4 * i, 4, lane)) return null;
    words[i] = place.words[place.at >> 2]!;
  }
  const box = decodeMap(words, dimensions);
  if (box === null)
    w.fault("illegal-instruction", 1 << lane, `no tensor map of ${dimensions} dimensions at the address`);
  return box;
}

interface Copy {
  readonly dimensions: number;
  readonly walk: Walk;
  readonly map: (w: Warp) => number;
  /** Uniform operand word k of the first group. */
  readonly word: (w: Warp, k: number) => number;
  /** Offsets below, CTAs above. */
  readonly more: (w: Warp) => number;
}

const walks: Readonly<Record<string, Walk>> = {
  IM2COL: "im2col",
  W: "w",
  W128: "w128",
  GATHER4: "rows",
  SCATTER4: "rows",
};

function copyOf(s: Site): Copy {
  const dimensions =
    s.choose<number | null>({ "1D": 1, "2D": 2, "3D": 3, "4D": 4, "5D": 5 }, null) ?? s.unsupported("shape");
  const walk = s.choose<Walk>(walks, "tile");
  // PTX ISA, cp.async.bulk.tensor: rows by number are of two dimensions, columns of images of three to five.
  if (walk === "rows" ? dimensions !== 2 : walk !== "tile" && dimensions < 3) s.unsupported("shape");
  const o = s.operand("s");
  const [lo, hi] = [s.scalar(o)!, s.scalar(o, 1)!];
  const group = s.operand("d");
  const values = Array.from({ length: group.width }, (_, k) => s.scalar(group, k)!);
  const c = s.find("c");
  const more = c === null || c.kind === Kind.None ? null : s.scalar(c);
  return {
    dimensions,
    walk,
    map: (w) => (hi(w) >>> 0) * 4294967296 + (lo(w) >>> 0),
    word: (w, k) => values[k]!(w),
    more: more ?? (() => 0),
  };
}

/** Bits of an offset of im2col by how many there are. */
const OFFSET_BITS: readonly number[] = [0, 16, 8, 5];
const HALO_BITS = 11;

/** Offsets as the register holds them. */
function offsetsIn(word: number, walk: Walk, dimensions: number): number[] {
  if (walk === "w" || walk === "w128") return [word & (2 ** HALO_BITS - 1), (word & 0xffff) >>> HALO_BITS];
  if (walk !== "im2col") return [];
  const n = dimensions - 2;
  const bits = OFFSET_BITS[n]!;
  return Array.from({ length: n }, (_, i) => (word >>> (i * bits)) & (2 ** bits - 1));
}

/** What the running instruction wants; its coordinates begin at word `first`. */
function wantedOf(c: Copy, w: Warp, first: number, offsets: boolean): Wanted {
  const count = c.walk === "rows" ? 5 : c.dimensions;
  const at = Array.from({ length: count }, (_, i) => c.word(w, first + i) | 0);
  return { walk: c.walk, at, offsets: offsets ? offsetsIn(c.more(w), c.walk, c.dimensions) : [] };
}

const laneOf = (m: number): number => 31 - Math.clz32(m & -m);
const bytesAt = (address: number): number => address >>> 0;

/** The box at a map, if it goes with the instruction; null: a fault is noted. */
function boxFor(w: Warp, lane: number, map: number, dimensions: number, wanted: Wanted): Box | null {
  const b = mapAt(w, map, dimensions, lane);
  if (b === null) return null;
  const error = misfit(b, wanted);
  if (error !== "") {
    w.fault("illegal-instruction", 1 << lane, error);
    return null;
  }
  if (wanted.walk !== "im2col" && (wanted.offsets[0] ?? 0) !== 0) {
    w.fault("not-supported", 1 << lane, "not supported by the simulator: a halo of im2col::w");
    return null;
  }
  return b;
}

/** Elements of the box between shared memory at `shared` and the tensor; null: a fault is noted. */
function transferOf(
  w: Warp,
  lane: number,
  b: Box,
  wanted: Wanted,
  shared: number,
  direction: "load" | "store",
): Transfer | null {
  const t = new Transfer();
  const loads = direction === "load";
  t[loads ? "target" : "source"] = blockOf(w, shared);
  const fine = eachPiece(b, wanted, shared, (s, g, bytes) => {
    if (loads) return t.locate(w, lane, ["global", g < 0 ? null : g], ["shared", s], bytes);
    return g < 0 || t.locate(w, lane, ["shared", s], ["global", g], bytes);
  });
  return fine ? t : null;
}

/** A box on its way into shared memory. */
export interface BoxLoad {
  readonly map: number;
  readonly dimensions: number;
  readonly wanted: Wanted;
  readonly to: number;
  readonly barrier: number;
  /** CTAs of the cluster; null: those that the addresses name. */
  readonly ctas: number | null;
  /** With `ctas`: the barrier is in the CTA of each pair that the barrier's address names, even or odd (`.cta_group::2`). */
  readonly pairs: boolean;
}

/** Bit of a shared address that tells the CTAs of a pair apart. */
const ODD = 1 << 24;

export function loadBox(w: Warp, lane: number, x: BoxLoad): Step {
  const b = boxFor(w, lane, x.map, x.dimensions, x.wanted);
  if (b === null) return Step.Fault;
  const bytes = elementsOf(b, x.wanted) * b.elementBytes;
  for (let rank = 0; rank < 16; rank++) {
    if (((x.ctas ?? 1) >>> rank) % 2 === 0) continue;
    const there = (a: number): number => (x.ctas === null ? bytesAt(a) : inCta(a, rank));
    const t = transferOf(w, lane, b, x.wanted, there(x.to), "load");
    if (t === null) return Step.Fault;
    const barrier = there(x.barrier);
    const signals = [completes(x.pairs ? (barrier & ~ODD) | (x.barrier & ODD) : barrier, lane, bytes)];
    if (begin(operation(w, lane, { transfers: [t], signals })) === Step.Fault) return Step.Fault;
  }
  return Step.Next;
}

function load(s: Site): Exec {
  const c = copyOf(s);
  const multicast = s.has("MULTICAST");
  const pairs = s.has("2CTA");
  const { map, dimensions } = c;
  return (w, m) =>
    loadBox(w, laneOf(m), {
      map: map(w),
      dimensions,
      wanted: wantedOf(c, w, 2, true),
      to: c.word(w, 0),
      barrier: c.word(w, 1),
      ctas: multicast ? c.more(w) >>> 16 : null,
      pairs,
    });
}

const operations = Object.fromEntries(["ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR"].map((x) => [x, x]));

/** UTMASTG, and UTMAREDG, which combines what is there with the box by the type of the map's elements. */
function store(s: Site): Exec {
  const c = copyOf(s);
  const reduces = s.inst.form.op === "UTMAREDG";
  const op = reduces ? (s.choose<string | null>(operations, null) ?? s.unsupported("reduction")) : null;
  return (w, m) => {
    const lane = laneOf(m);
    const wanted = wantedOf(c, w, 1, false);
    const b = boxFor(w, lane, c.map(w), c.dimensions, wanted);
    if (b === null) return Step.Fault;
    const combine = op === null ? null : combineBy(op, b.type);
    if (op !== null && combine === null)
      return w.fault("illegal-instruction", 1 << lane, `no reduction ${op} of elements of type ${b.type}`);
    const t = transferOf(w, lane, b, wanted, bytesAt(c.word(w, 0)), "store");
    if (t !== null) t.combine = combine;
    return t === null ? Step.Fault : begin(operation(w, lane, { transfers: [t], grouping: "bulk" }));
  };
}

/** Global memory that a copy of a box touches, as first bytes and their counts, and where its barrier is; null where there is no map. */
export interface BoxReach {
  readonly barrier: number | null;
  readonly runs: readonly (readonly [first: number, bytes: number])[];
}

/** For the timing model: what UTMALDG or UTMASTG is about to do. */
export function reachOf(s: Site): (w: Warp) => BoxReach | null {
  const c = copyOf(s);
  const loads = s.inst.form.op === "UTMALDG";
  return (w) => {
    for (let i = 0; i < words.length; i++) {
      if (!locate(w, "generic", c.map(w) + 4 * i, 4, 0)) return null;
      words[i] = place.words[place.at >> 2]!;
    }
    const b = decodeMap(words, c.dimensions);
    if (b === null) return null;
    const wanted = wantedOf(c, w, loads ? 2 : 1, loads);
    if (misfit(b, wanted) !== "") return null;
    const runs: [number, number][] = [];
    const low = Math.max(0, wanted.at[0]!);
    const bytes = (Math.min(b.dims[0]!, wanted.at[0]! + b.box[0]!) - low) * b.elementBytes;
    for (const pixel of bytes > 0 ? pixels(b, wanted) : []) {
      const from = pixelAddress(b, pixel);
      if (!Number.isNaN(from)) runs.push([from + low * b.elementBytes, bytes]);
    }
    return { barrier: loads ? bytesAt(c.word(w, 1)) : null, runs };
  };
}

const nothing = (s: Site): Exec => {
  s.ignoreModifiers();
  return () => Step.Next;
};

export const tensorCopy: Makers = {
  UTMALDG: load,
  UTMASTG: store,
  UTMAREDG: store,
  UTMAPF: nothing,
  UTMACCTL: nothing,
};
