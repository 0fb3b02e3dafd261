/**
 * Products of a warp group (sm_90a): HGMMA, QGMMA, IGMMA, BGMMA. Warp i of four makes rows 16 i … 16 i + 15 of the 64; its A is in registers, as that of
 * a product of a warp (tensor.ts), or after a descriptor (the first two uniform registers), B after the other two. Register r of D holds row
 * g + 8 (r / 2 % 2), column 8 (r / 4) + 2 t + r % 2, of 16 bits row g + 8 (r % 2), columns 8 (r / 2) + 2 t and one more.
 *
 * Sources: PTX ISA 9.7.15.5, whose layouts of D and A are pictures; the same in CUTLASS, include/cute/atom/mma_traits_sm90_gmma.hpp (CLayout_64xN,
 * ALayout_64x16; BSD-3-Clause). Which registers hold the descriptors, and that !UP drops c, is seen in ptxas's code.
 *
 * A sparse A lies as a dense one of half the depth; its metadata are those of a product of a warp (PTX ISA 9.7.15.6.2 has the very figures of 9.7.14.6).
 *
 * They work any time up to WARPGROUP.DEPBAR (in-flight.ts), and a program may not look before. Numbers as in tensor.ts.
 */
import { Mod, type Operand } from "../../isa/operand.js";
import { begin } from "../async/in-flight.js";
import { ALONG, type Along, type Pieces, piecesOf, readMatrix, WORDS_PER_PIECE } from "../descriptor.js";
import { popcount } from "../groups.js";
import { accumulate, truncatedF32, unpack } from "../number/elements.js";
import { f32OfBits } from "../number/f32.js";
import { f16Value } from "../number/half.js";
import type { Makers, Site } from "../site.js";
import { type Exec, LANES, Step, type Warp } from "../state.js";
import { type BlockKind, blockKind } from "../wasm/block-products.js";
import { dstRowsOf, elements, halfBits, rowsOf, together } from "./tensor.js";
import { spread } from "./tensor-factors.js";

const ROWS = 16;
/** Number of the scoreboard that counts groups of products (gsb0), apart from those of control words. */
const GROUPS = 8;
const MOST = 256;
const NONE: readonly never[] = [];
/** 256 bits along k: up to 32 elements, or bits; of B beside a sparse A, and of that with its zeros, twice as many. */
const WORDS_PER_ROW = ALONG.dense * WORDS_PER_PIECE;
const words = { a: new Int32Array(ROWS * WORDS_PER_ROW), b: new Int32Array(2 * MOST * WORDS_PER_ROW) };
const values = { a: new Float64Array(ROWS * 64), b: new Float64Array(MOST * 64) };
const sum: Float64Array = new Float64Array(ROWS * MOST);

/** What a product reads: `findA` and `findB` look at its descriptors when it issues, `readA` fills the words of A. */
interface Factors {
  /** Pieces of shared memory, null: A is in registers; a fault: what was noted. */
  readonly findA: (w: Warp) => Pieces | Step | null;
  readonly findB: (w: Warp) => Pieces | Step;
  readonly readA: (w: Warp, a: Pieces | null) => void;
  /** Index in Warp.I of the first of A's registers, where they follow each other. */
  readonly held: number | null;
  readonly turnA: boolean;
  readonly turnB: boolean;
  readonly negA: boolean;
  readonly negB: boolean;
}

function factors(s: Site, columns: number, along: Along): Factors {
  const shared = s.operand("ua");
  const isShared = shared.width > 0;
  const u: Operand = isShared ? shared : s.operand("ub");
  const has = (what: string): boolean => u.part.includes(what);
  const uniform = Array.from({ length: 4 }, (_, i) => s.scalar(u, i)!);
  const [a0, a1, b0, b1] = uniform as [
    (w: Warp) => number,
    (w: Warp) => number,
    (w: Warp) => number,
    (w: Warp) => number,
  ];
  const [turnA, turnB] = [has("tnspA"), has("tnspB")];
  const findB = (w: Warp): Pieces | Step => piecesOf(w, b0(w), b1(w), 0, columns, turnB, along);
  if (isShared)
    return {
      findA: (w) => piecesOf(w, a0(w), a1(w), ROWS * (w.index & 3), ROWS, turnA),
      findB,
      readA: (w, a) => {
        readMatrix(w, a!, turnA, words.a);
      },
      held: null,
      turnA,
      turnB,
      negA: has("negA"),
      negB: has("negB"),
    };
  const a = s.operand("a");
  const from = rowsOf(s, a, 4);
  return {
    findA: () => null,
    findB,
    readA: (w) => {
      for (let j = 0; j < 4; j++)
        for (let l = 0; l < LANES; l++)
          words.a[(8 * (j & 1) + (l >> 2)) * WORDS_PER_ROW + 4 * (j >> 1) + (l & 3)] = w.I[from[j]! + l]!;
    },
    held: inOrder(from) ? from[0]! : null,
    turnA,
    turnB,
    negA: (a.mods & Mod.Neg) !== 0,
    negB: has("negB"),
  };
}

interface Shape {
  readonly columns: number;
  /** Elements along k, the zeros of a sparse A among them. */
  readonly depth: number;
  readonly sparse: boolean;
}

/** `64x128x16`. */
function shapeOf(s: Site): Shape {
  const text = s.inst.form.mods.find((m) => /^64x\d+x\d+$/.test(m)) ?? s.unsupported("shape");
  s.has(text);
  const [, columns, depth] = text.split("x").map(Number) as [number, number, number];
  return { columns, depth, sparse: s.has("SP") };
}

interface Accumulator {
  readonly half: boolean;
  readonly value: (bits: number) => number;
  readonly bits: (value: number) => number;
}

const f32: Accumulator = { half: false, value: f32OfBits, bits: truncatedF32 };
const f16: Accumulator = { half: true, value: f16Value, bits: halfBits };
const s32: Accumulator = { half: false, value: (x) => x, bits: (x) => x | 0 };
const saturated: Accumulator = { ...s32, bits: (x) => Math.min(Math.max(x, -0x80000000), 0x7fffffff) };

/** Place in `sum` of the first element of register r in lane l. */
function placeOf(r: number, l: number, half: boolean, columns: number): number {
  const row = (l >> 2) + 8 * (half ? r & 1 : (r >> 1) & 1);
  return row * columns + 8 * (half ? r >> 1 : r >> 2) + 2 * (l & 3) + (half ? 0 : r & 1);
}

function add(w: Warp, rows: readonly number[], { half, value }: Accumulator, columns: number): void {
  for (let r = 0; r < rows.length; r++)
    for (let l = 0; l < LANES; l++) {
      const at = placeOf(r, l, half, columns);
      const word = w.I[rows[r]! + l]!;
      if (!half) sum[at]! += value(word);
      else {
        sum[at]! += value(word & 0xffff);
        sum[at + 1]! += value(word >>> 16);
      }
    }
}

function write(w: Warp, rows: readonly number[], { half, bits }: Accumulator, columns: number): void {
  for (let r = 0; r < rows.length; r++)
    for (let l = 0; l < LANES; l++) {
      const at = placeOf(r, l, half, columns);
      w.I[rows[r]! + l] = half ? bits(sum[at]!) | (bits(sum[at + 1]!) << 16) : bits(sum[at]!);
    }
}

/** Do the registers follow each other? */
const inOrder = (rows: readonly number[]): boolean => rows.every((r, i) => r === rows[0]! + i * LANES);

/** A product of given pieces: what it reads, and what it does without and with C. */
interface Prepared {
  readonly a: Pieces | null;
  readonly b: Pieces;
  readonly sources: readonly Pieces[];
  readonly acts: readonly [(w: Warp) => Step, (w: Warp) => Step];
}

/** `multiply` adds A · B to the sums; `block`: the same translated. Products of a warp keep their order. */
function product(
  s: Site,
  columns: number,
  f: Factors,
  multiply: (w: Warp) => void,
  kind: Accumulator,
  block: BlockKind | null,
): Exec {
  const registers = columns / (kind.half ? 4 : 2);
  const c = rowsOf(s, s.operand("c"), registers);
  const d = dstRowsOf(s, s.operand("d"), registers);
  const withC = s.predMask("pin");
  const closes = s.operand("sb").value === 0;
  const translated = inOrder(c) && inOrder(d) ? block : null;
  const prepared = (a: Pieces | null, b: Pieces): Prepared => {
    const held = a === null ? f.held : { pieces: a, transposed: f.turnA };
    const factors = held === null ? null : { a: held, b: { pieces: b, transposed: f.turnB } };
    const act =
      (adds: boolean) =>
      (w: Warp): Step => {
        if (translated !== null && factors !== null)
          if (w.machine.products?.ofWarp(w, translated, factors, columns, adds ? c[0]! : -1, d[0]!)) return Step.Next;
        f.readA(w, a);
        readMatrix(w, b, f.turnB, words.b);
        sum.fill(0, 0, ROWS * columns);
        multiply(w);
        if (adds) add(w, c, kind, columns);
        write(w, d, kind, columns);
        return Step.Next;
      };
    return { a, b, sources: a === null ? [b] : [a, b], acts: [act(false), act(true)] };
  };
  // Of each warp of the group the last: descriptors go round, in steps that differ from warp to warp only in A.
  const last: (Prepared | undefined)[] = new Array(4);
  return together((w) => {
    const a = f.findA(w);
    if (typeof a === "number") return a;
    const b = f.findB(w);
    if (typeof b === "number") return b;
    let p = last[w.index & 3];
    if (p?.a !== a || p.b !== b) {
      p = prepared(a, b);
      last[w.index & 3] = p;
    }
    const { inFlight } = w.machine;
    const step = begin({
      warp: w,
      pc: w.pc,
      lane: 0,
      transfers: NONE,
      signals: NONE,
      grouping: "products",
      proxy: true,
      after: inFlight?.lastOf(w, "products") ?? NONE,
      act: p.acts[withC(w) !== 0 ? 1 : 0],
      sources: p.sources,
    });
    if (closes) inFlight?.groupsOf(w).close("products", GROUPS);
    return step;
  });
}

/** Products of elements that have a value. */
function ofValues(s: Site, kind: Accumulator): Exec {
  const { columns, depth, sparse } = shapeOf(s);
  const [ea, eb] = elements(s);
  const along = sparse ? ALONG.sparse : ALONG.dense;
  const f = factors(s, columns, along);
  const change = sparse ? spread(s, { rows: ROWS, depth, bits: ea.bits }) : null;
  const multiply = (w: Warp): void => {
    unpack(words.a, ROWS * WORDS_PER_ROW, ea, f.negA ? -1 : 1, values.a);
    unpack(words.b, columns * along * WORDS_PER_PIECE, eb, f.negB ? -1 : 1, values.b);
    change?.(w, values.a, values.b);
    accumulate(sum, values.a, values.b, ROWS, columns, depth);
  };
  const sums = kind === f16 ? "half" : kind === f32 ? "float" : kind === saturated ? "saturated" : "integer";
  const block = sparse ? null : blockKind(ea.name, eb.name, f.negA, f.negB, sums);
  return product(s, columns, f, multiply, kind, block);
}

const ofFloats = (s: Site): Exec => ofValues(s, s.choose({ F32: f32, F16: f16 }, f32));

function ofBits(s: Site): Exec {
  const { columns } = shapeOf(s);
  if (!s.has("AND") || !s.has("POPC")) s.unsupported("operation on bits");
  const f = factors(s, columns, ALONG.dense);
  const multiply = (): void => {
    for (let i = 0; i < ROWS; i++)
      for (let j = 0; j < columns; j++) {
        let ones = 0;
        for (let k = 0; k < WORDS_PER_ROW; k++)
          ones += popcount(words.a[i * WORDS_PER_ROW + k]! & words.b[j * WORDS_PER_ROW + k]!);
        sum[i * columns + j] = ones;
      }
  };
  return product(s, columns, f, multiply, s32, blockKind("B1", "B1", false, false, "and"));
}

/** USETMAXREG: registers are never short here, so that taking some always works. */
function registersOf(s: Site): Exec {
  s.ignoreModifiers();
  const p = s.pred("p");
  return (w) => {
    if ((p & 7) !== 7) w.P[p] = -1;
    return Step.Next;
  };
}

/** WARPGROUP.DEPBAR.LE gsb0, n waits for products; .ARRIVE and .WAIT are of the registers' ports. */
function warpgroupOf(s: Site): Exec {
  const waits = s.inst.form.name.includes("DEPBAR");
  s.ignoreModifiers();
  if (!waits) return () => Step.Next;
  const n = s.imm("n");
  return (w) => w.machine.inFlight?.wait(w, GROUPS, n) ?? Step.Next;
}

function nothing(s: Site): Exec {
  s.ignoreModifiers();
  return () => Step.Next;
}

export const warpgroup: Makers = {
  HGMMA: ofFloats,
  QGMMA: ofFloats,
  IGMMA: (s) => ofValues(s, s.has("SAT") ? saturated : s32),
  BGMMA: ofBits,
  WARPGROUP: warpgroupOf,
  WARPGROUPSET: nothing,
  USETMAXREG: registersOf,
};
