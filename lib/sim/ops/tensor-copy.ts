/**
 * UTMALDG, UTMASTG, UTMAREDG: boxes of a tensor to and from shared memory (PTX ISA cp.async.bulk.tensor, tile mode; cp.reduce.async.bulk.tensor). Elements outside of the tensor come as
 * zero and are not written. What arrives completes the bytes of the whole box on the mbarrier.
 * Swizzles exchange chunks of 16 bytes within their rows by the address's bits from 7 on (PTX ISA 5.5.7).
 */
import { locate, place } from "../access.js";
import { begin } from "../async/in-flight.js";
import { blockOf, Transfer } from "../async/transfer.js";
import type { Makers, Site } from "../site.js";
import { type Exec, Step, type Warp } from "../state.js";
import { type Box, decodeMap, MAP_BYTES } from "../tensor-map.js";
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

const swizzled = (b: Box, address: number): number => address ^ (((address >>> 7) & (2 ** b.swizzle - 1)) << 4);

/** Elements in the order of the box: `body` gets the shared and the global address (−1: outside of the tensor). */
function eachElement(b: Box, at: readonly number[], shared: number, body: (s: number, g: number) => boolean): boolean {
  const index = b.box.map(() => 0);
  const count = b.box.reduce((n, x) => n * x, 1);
  for (let e = 0; e < count; e++) {
    let from = b.address;
    for (let i = 0; i < index.length; i++) {
      const x = at[i]! + index[i]!;
      if (x < 0 || x >= b.dims[i]!) from = Number.NaN;
      else from += x * b.strides[i]!;
    }
    if (!body(swizzled(b, shared + e * b.elementBytes), Number.isNaN(from) ? -1 : from)) return false;
    for (let i = 0; i < index.length; i++) {
      index[i]!++;
      if (index[i]! < b.box[i]!) break;
      index[i] = 0;
    }
  }
  return true;
}

interface Copy {
  readonly dimensions: number;
  readonly map: (w: Warp) => number;
  /** Uniform operand word k of the first group. */
  readonly word: (w: Warp, k: number) => number;
}

function copyOf(s: Site): Copy {
  const dimensions =
    s.choose<number | null>({ "1D": 1, "2D": 2, "3D": 3, "4D": 4, "5D": 5 }, null) ?? s.unsupported("shape");
  const o = s.operand("s");
  const [lo, hi] = [s.scalar(o)!, s.scalar(o, 1)!];
  const group = s.operand("d");
  const values = Array.from({ length: group.width }, (_, k) => s.scalar(group, k)!);
  return { dimensions, map: (w) => (hi(w) >>> 0) * 4294967296 + (lo(w) >>> 0), word: (w, k) => values[k]!(w) };
}

const laneOf = (m: number): number => 31 - Math.clz32(m & -m);
const bytesAt = (address: number): number => address >>> 0;

/** Elements of the box between shared memory at `shared` and the tensor; null: a fault is noted. */
function boxAt(
  w: Warp,
  lane: number,
  b: Box,
  at: readonly number[],
  shared: number,
  direction: "load" | "store",
): Transfer | null {
  const t = new Transfer();
  const loads = direction === "load";
  t[loads ? "target" : "source"] = blockOf(w, shared);
  const fine = eachElement(b, at, shared, (s, g) => {
    if (loads) return t.locate(w, lane, ["global", g < 0 ? null : g], ["shared", s], b.elementBytes);
    return g < 0 || t.locate(w, lane, ["shared", s], ["global", g], b.elementBytes);
  });
  return fine ? t : null;
}

function load(s: Site): Exec {
  const c = copyOf(s);
  const multicast = s.has("MULTICAST");
  const mask = multicast ? s.scalar(s.operand("c"))! : null;
  return (w, m) => {
    const lane = laneOf(m);
    const b = mapAt(w, c.map(w), c.dimensions, lane);
    if (b === null) return Step.Fault;
    const at = b.box.map((_, i) => c.word(w, 2 + i) | 0);
    const ctas = mask === null ? 1 : mask(w) >>> 16;
    const bytes = b.box.reduce((n, x) => n * x, b.elementBytes);
    for (let rank = 0; rank < 16; rank++) {
      if (((ctas >>> rank) & 1) === 0) continue;
      const there = (x: number): number => (mask === null ? bytesAt(x) : inCta(x, rank));
      const t = boxAt(w, lane, b, at, there(c.word(w, 0)), "load");
      if (t === null) return Step.Fault;
      const signals = [completes(there(c.word(w, 1)), lane, bytes)];
      if (begin(operation(w, lane, { transfers: [t], signals })) === Step.Fault) return Step.Fault;
    }
    return Step.Next;
  };
}

/** Reductions of unsigned 32-bit elements, the type that maps of four bytes have here. */
const reductions: Readonly<Record<string, (old: number, value: number) => number>> = {
  ADD: (x, y) => x + y,
  MIN: Math.min,
  MAX: Math.max,
  INC: (x, y) => (x >= y ? 0 : x + 1),
  DEC: (x, y) => (x === 0 || x > y ? y : x - 1),
  AND: (x, y) => x & y,
  OR: (x, y) => x | y,
  XOR: (x, y) => x ^ y,
};

const WORD = 4;

function combining(reduce: (old: number, value: number) => number): Transfer["combine"] {
  return (memory, operand) => {
    const [old, value] = [memory, operand].map((b) => new DataView(b.buffer, b.byteOffset, b.byteLength)) as [
      DataView,
      DataView,
    ];
    for (let i = 0; i < memory.length; i += WORD)
      old.setUint32(i, reduce(old.getUint32(i, true), value.getUint32(i, true)) >>> 0, true);
  };
}

/** UTMASTG, and UTMAREDG, which combines what is there with the box. */
function store(s: Site): Exec {
  const c = copyOf(s);
  const reduces = s.inst.form.op === "UTMAREDG";
  const reduce = reduces
    ? (s.choose<((old: number, value: number) => number) | null>(reductions, null) ?? s.unsupported("reduction"))
    : null;
  return (w, m) => {
    const lane = laneOf(m);
    const b = mapAt(w, c.map(w), c.dimensions, lane);
    if (b === null) return Step.Fault;
    if (reduce !== null && b.elementBytes !== WORD)
      return w.fault(
        "not-supported",
        1 << lane,
        "not supported by the simulator: reductions of elements that have not 32 bits",
      );
    const at = b.box.map((_, i) => c.word(w, 1 + i) | 0);
    const t = boxAt(w, lane, b, at, bytesAt(c.word(w, 0)), "store");
    if (t !== null && reduce !== null) t.combine = combining(reduce);
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
    const at = b.box.map((_, i) => c.word(w, (loads ? 2 : 1) + i) | 0);
    const runs: [number, number][] = [];
    const low = Math.max(0, at[0]!);
    const bytes = (Math.min(b.dims[0]!, at[0]! + b.box[0]!) - low) * b.elementBytes;
    const along = (i: number, from: number): void => {
      if (i === 0) {
        if (bytes > 0) runs.push([from + low * b.elementBytes, bytes]);
        return;
      }
      for (let x = Math.max(0, at[i]!); x < Math.min(b.dims[i]!, at[i]! + b.box[i]!); x++)
        along(i - 1, from + x * b.strides[i]!);
    };
    along(b.dims.length - 1, b.address);
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
