/**
 * Tensor memory (sm_100a and its kin): 128 lanes of 512 columns of 32 bits for each CTA, here each CTA has all of them. A warp reaches the 32 lanes of its
 * rank in its group of four. Products of the whole CTA: row i of D is lane i, column j its column; descriptors tell where A and B are, A in
 * tensor memory as words along the columns.
 *
 * Sources: PTX ISA 9.7.16 (addresses, 32x32b, layout D of a product of 128 rows); bits of the instruction's descriptor and of those of
 * shared memory as CUTLASS has them (include/cute/arch/mma_sm100_desc.hpp, BSD-3-Clause). Numbers as in tensor.ts, sums rounded once for each product: assumed.
 * They are in flight until an arrival (UTCBAR) that follows them.
 */
import { begin, type Operation } from "../async/in-flight.js";
import { type Pieces, piecesOf, readMatrix, WORDS_PER_ROW } from "../descriptor.js";
import { accumulate, type Element, elementOf, truncatedF32, unpack } from "../number/elements.js";
import { f32OfBits } from "../number/f32.js";
import type { Makers, Site } from "../site.js";
import { type Cta, type Exec, LANES, Step, type Warp } from "../state.js";
import { operation } from "./copies.js";
import { dstRowsOf, rowsOf, together } from "./tensor.js";

const ROWS = 128;
const COLUMNS = 512;
/** Columns that a bit of the allocation's word stands for. */
const RUN = 32;

interface TensorMemory {
  /** [lane][column]. */
  readonly words: Int32Array;
  /** Runs of columns that are taken. */
  taken: number;
}

const memories = new WeakMap<Cta, TensorMemory>();

function memoryOf(cta: Cta): TensorMemory {
  let memory = memories.get(cta);
  if (memory === undefined) {
    memory = { words: new Int32Array(ROWS * COLUMNS), taken: 0 };
    memories.set(cta, memory);
  }
  return memory;
}

/** Index of the first word of `columns` at an address, lane in its upper half; −1: outside, a fault is noted. */
function indexOf(w: Warp, address: number, lanes: number, columns: number): number {
  const [lane, column] = [address >>> 16, address & 0xffff];
  if (lane + lanes <= ROWS && column + columns <= COLUMNS) return lane * COLUMNS + column;
  const text = `${columns} columns of ${lanes} lanes at tensor memory address 0x${(address >>> 0).toString(16)} are outside`;
  w.fault("out-of-bounds", w.active, text, BigInt(address >>> 0));
  return -1;
}

/** Loads and stores of shape 32x32b: register i of lane l is column i of lane l of the warp's part. */
function move(s: Site, slot: "d" | "data"): Exec {
  const times = s.choose({ x2: 2, x4: 4, x8: 8, x16: 16, x32: 32, x64: 64, x128: 128 }, 1);
  const base = s.scalar(s.operand("a"))!;
  const off = s.imm("off");
  const o = s.operand(slot);
  const loads = slot === "d";
  const rows = loads ? dstRowsOf(s, o, times) : rowsOf(s, o, times);
  return together((w) => {
    const address = (base(w) + off) | 0;
    const at = indexOf(w, address, LANES, times);
    if (at < 0) return Step.Fault;
    if ((address >>> 16) % 128 !== 32 * (w.index & 3))
      return w.fault("out-of-bounds", w.active, `lane ${address >>> 16} of tensor memory is not of warp ${w.index}`);
    const { words } = memoryOf(w.cta);
    for (let i = 0; i < times; i++)
      for (let l = 0; l < LANES; l++) {
        if (loads) w.I[rows[i]! + l] = words[at + l * COLUMNS + i]!;
        else words[at + l * COLUMNS + i] = w.I[rows[i]! + l]!;
      }
    return Step.Next;
  });
}

/** UTCATOMSWS: which runs of columns are taken. */
function allocation(s: Site): Exec {
  const u = s.uniformDst("d");
  const b = s.scalar(s.operand("b"))!;
  if (s.has("FIND_AND_SET")) {
    if (!s.has("ALIGN")) s.unsupported("without alignment");
    const p = s.pred("p");
    return (w) => {
      const memory = memoryOf(w.cta);
      const count = b(w);
      let first = 0;
      const step = 2 ** Math.ceil(Math.log2(Math.max(1, count)));
      const mask = (at: number): number => (2 ** count - 1) << at;
      while (first + count <= COLUMNS / RUN && (memory.taken & mask(first)) !== 0) first += step;
      const found = first + count <= COLUMNS / RUN;
      if (found) memory.taken |= mask(first);
      w.U[u] = found ? first : -1;
      if ((p & 7) !== 7) w.P[p] = found ? -1 : 0;
      return Step.Next;
    };
  }
  if (!s.has("AND")) s.unsupported("operation");
  return (w) => {
    const memory = memoryOf(w.cta);
    w.U[u] = memory.taken;
    memory.taken &= b(w);
    return Step.Next;
  };
}

const formats: Readonly<Record<string, readonly (string | undefined)[]>> = {
  UTCHMMA: ["F16", "BF16", "TF32"],
  UTCQMMA: ["E4M3", "E5M2"],
  UTCIMMA: ["U8", "S8"],
};

/** The instruction's descriptor. */
interface Described {
  readonly columns: number;
  readonly a: Element;
  readonly b: Element;
  readonly signA: number;
  readonly signB: number;
  readonly turnA: boolean;
  readonly turnB: boolean;
  readonly integer: boolean;
}

/** Null: not of what is built here. */
function describe(op: string, word: number): Described | null {
  const bit = (n: number): boolean => ((word >>> n) & 1) !== 0;
  const names = formats[op]!;
  const [a, b] = [names[(word >>> 7) & 7], names[(word >>> 10) & 7]];
  const integer = op === "UTCIMMA";
  const plain = !bit(2) && !bit(3) && ((word >>> 4) & 3) === (integer ? 2 : 1) && ((word >>> 24) & 31) * 16 === ROWS;
  if (!plain || a === undefined || b === undefined) return null;
  return {
    columns: ((word >>> 17) & 63) * 8,
    a: elementOf(a)!,
    b: elementOf(b)!,
    signA: bit(13) ? -1 : 1,
    signB: bit(14) ? -1 : 1,
    turnA: bit(15),
    turnB: bit(16),
    integer,
  };
}

const words = { a: new Int32Array(ROWS * WORDS_PER_ROW), b: new Int32Array(256 * WORDS_PER_ROW) };
const values = { a: new Float64Array(ROWS * 32), b: new Float64Array(256 * 32) };
const sum: Float64Array = new Float64Array(ROWS * 256);

/** Products of a row and a column have 256 bits. */
const DEPTH_BITS = 256;

const kept = (p: Pieces): Pieces => ({ at: p.at.slice(), count: p.count });

function sources(a: Pieces | null, b: Pieces): Operation["sources"] {
  const at = new Int32Array((a?.at.length ?? 0) + b.at.length);
  if (a !== null) at.set(a.at);
  at.set(b.at, a?.at.length ?? 0);
  return { at, size: 16 };
}

function product(s: Site): Exec {
  const { op } = s.inst.form;
  const [first, t] = [s.operand("a"), s.operand("t")];
  const inTensor = first.width === 0;
  const [a0, a1] = inTensor ? [s.scalar(t)!, null] : [s.scalar(first)!, s.scalar(first, 1)!];
  const second = s.operand("b");
  // What is kept in collector buffers is there anyway.
  void first.part;
  void t.part;
  void second.part;
  const [b0, b1] = [s.scalar(second)!, s.scalar(second, 1)!];
  const to = s.scalar(s.operand("d"))!;
  const described = s.scalar(s.operand("e"), 1)!;
  if (s.operand("s").width > 0) s.unsupported("scales");
  const c = s.operand("c");
  const masks = c.id < 0 ? [] : Array.from({ length: c.width }, (_, i) => s.scalar(c, i)!);
  if (s.find("n") !== null && s.imm("n") !== 0) s.unsupported("a scale of the sum");
  const adds = s.predMask("pin");
  return (w) => {
    const d = describe(op, described(w));
    if (d === null)
      return w.fault("not-supported", w.active, "not supported by the simulator: this product in tensor memory");
    if ((((a1 ?? b1)(w) | b1(w)) >>> 29) & 1)
      return w.fault("not-supported", w.active, "not supported by the simulator: 128-byte swizzle of 32-byte pieces");
    const pa = a1 === null ? null : piecesOf(w, a0(w), a1(w), 0, ROWS, d.turnA);
    if (typeof pa === "number") return pa;
    const a = pa === null ? null : kept(pa);
    const pb = piecesOf(w, b0(w), b1(w), 0, d.columns, d.turnB);
    if (typeof pb === "number") return pb;
    const b = kept(pb);
    const at = indexOf(w, to(w), ROWS, d.columns);
    const from = a === null ? indexOf(w, a0(w), ROWS, WORDS_PER_ROW) : 0;
    if (at < 0 || from < 0) return Step.Fault;
    const goesOn = adds(w) !== 0;
    const leftOut = masks.map((x) => x(w));
    const act = (): Step => {
      const memory = memoryOf(w.cta).words;
      if (a !== null) readMatrix(w, a, d.turnA, words.a);
      else
        for (let i = 0; i < ROWS; i++)
          words.a.set(memory.subarray(from + i * COLUMNS, from + i * COLUMNS + WORDS_PER_ROW), i * WORDS_PER_ROW);
      readMatrix(w, b, d.turnB, words.b);
      multiply(memory, at, d, goesOn, leftOut);
      return Step.Next;
    };
    const after = w.machine.inFlight?.of(w, "tensor").slice(-1) ?? [];
    const lane = 31 - Math.clz32(w.active & -w.active);
    return begin(
      operation(w, lane, {
        grouping: "tensor",
        after,
        act,
        sources: w.machine.inFlight === null ? null : sources(a, b),
      }),
    );
  };
}

/** `leftOut`: a bit for each row of D that stays as it is. */
function multiply(memory: Int32Array, at: number, d: Described, goesOn: boolean, leftOut: readonly number[]): void {
  const { columns, integer } = d;
  unpack(words.a, ROWS * WORDS_PER_ROW, d.a, d.signA, values.a);
  unpack(words.b, columns * WORDS_PER_ROW, d.b, d.signB, values.b);
  for (let i = 0; i < ROWS; i++)
    for (let j = 0; j < columns; j++) {
      const old = memory[at + i * COLUMNS + j]!;
      sum[i * columns + j] = goesOn ? (integer ? old : f32OfBits(old)) : 0;
    }
  accumulate(sum, values.a, values.b, ROWS, columns, DEPTH_BITS / d.a.bits);
  for (let i = 0; i < ROWS; i++) {
    if ((((leftOut[i >> 5] ?? 0) >>> (i & 31)) & 1) !== 0) continue;
    for (let j = 0; j < columns; j++) {
      const x = sum[i * columns + j]!;
      memory[at + i * COLUMNS + j] = integer ? x | 0 : truncatedF32(x);
    }
  }
}

/** UTCBAR: an arrival when the products of the thread so far are done. */
function arrival(s: Site): Exec {
  const address = s.scalar(s.operand("a"))!;
  s.operand("b");
  if (s.inst.form.mods.length > 0) s.unsupported("arrival at several barriers");
  return (w, m) => {
    const lane = 31 - Math.clz32(m & -m);
    const signals = [{ address: address(w) >>> 0, lane, what: { arrivals: 1, transactions: 0, drops: 0 } }];
    const after = w.machine.inFlight?.of(w, "tensor") ?? [];
    return begin(operation(w, lane, { signals, after }));
  };
}

function nothing(s: Site): Exec {
  s.ignoreModifiers();
  return () => Step.Next;
}

export const tensorMemory: Makers = {
  LDTM: (s) => move(s, "d"),
  STTM: (s) => move(s, "data"),
  UTCATOMSWS: allocation,
  UVIRTCOUNT: nothing,
  UTCHMMA: product,
  UTCQMMA: product,
  UTCIMMA: product,
  UTCBAR: arrival,
};
