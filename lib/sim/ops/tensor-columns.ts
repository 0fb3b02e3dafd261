/**
 * Tensor memory (sm_100a and its kin): 128 lanes of 512 columns of 32 bits for each CTA, here each CTA has all of them (PTX ISA 9.7.16.1), and which of
 * the columns are taken.
 */
import type { Program } from "../program.js";
import type { Makers, Site } from "../site.js";
import { type Cta, type Exec, Step, type Warp } from "../state.js";
import type { BlockProducts } from "../wasm/block-products.js";

export const ROWS = 128;
export const COLUMNS = 512;
/** Columns that a bit of the allocation's word stands for. */
const RUN = 32;

export interface TensorMemory {
  /** [lane][column]. */
  words: Int32Array;
  /** Runs of columns that are taken. */
  taken: number;
}

const memories = new WeakMap<Cta, TensorMemory>();

export function memoryOf(cta: Cta): TensorMemory {
  let memory = memories.get(cta);
  if (memory === undefined) {
    memory = { words: new Int32Array(ROWS * COLUMNS), taken: 0 };
    memories.set(cta, memory);
  }
  return memory;
}

/** The words of a CTA's tensor memory, where translated products find them. */
export function wordsFor(cta: Cta, products: BlockProducts | null): Int32Array {
  const memory = memoryOf(cta);
  if (products !== null) memory.words = products.rows.wordsOf(cta, memory.words) ?? memory.words;
  return memory.words;
}

/** Index of the first word of `columns` at an address, lane in its upper half; −1: outside, a fault is noted. */
export function indexOf(w: Warp, address: number, lanes: number, columns: number): number {
  const [lane, column] = [address >>> 16, address & 0xffff];
  if (lane + lanes <= ROWS && column + columns <= COLUMNS) return lane * COLUMNS + column;
  const text = `${columns} columns of ${lanes} lanes at tensor memory address 0x${(address >>> 0).toString(16)} are outside`;
  w.fault("out-of-bounds", w.active, text, BigInt(address >>> 0));
  return -1;
}

/** The CTAs that an instruction is about, the even one first: its own, or those of its pair. Null: there is no pair, a fault is noted. */
export function ctasOf(w: Warp, pair: boolean): readonly Cta[] | null {
  if (!pair) return [w.cta];
  const { cluster, rank } = w.cta;
  const [even, odd] = [cluster.ctas[rank & ~1], cluster.ctas[rank | 1]];
  if (even !== undefined && odd !== undefined) return [even, odd];
  w.fault("illegal-instruction", w.active, "an instruction for a pair of CTAs in a cluster that has no pair");
  return null;
}

/** Shared memory that the system reserves for the allocation of pairs, as ptxas's code uses it: an mbarrier, and the parity of the next wait for it. */
const PAIR_BARRIER = 0x48;
const PAIR_PARITY = 0x50;

export const allocatesPairs = (program: Program): boolean =>
  program.insts.some((i) => i?.form.op === "UTCATOMSWS" && i.form.mods.includes("2CTA"));

/** What the driver is taken to put there before a CTA runs: a barrier for one arrival; the first wait of the even CTA ends at once. */
export function preparePair(cta: Cta): void {
  const { words } = cta.shared;
  const one = 0x100000 - 1;
  words[PAIR_BARRIER >> 2] = one << 1;
  words[(PAIR_BARRIER >> 2) + 1] = one << 11;
  words[PAIR_PARITY >> 2] = cta.rank & 1 ? 0 : 1;
}

/** UTCATOMSWS: which runs of columns are taken; of pairs: in both CTAs. */
function allocation(s: Site): Exec {
  const u = s.uniformDst("d");
  const b = s.scalar(s.operand("b"))!;
  const pair = s.has("2CTA");
  if (s.has("FIND_AND_SET")) {
    if (!s.has("ALIGN")) s.unsupported("without alignment");
    const p = s.pred("p");
    return (w) => {
      const ctas = ctasOf(w, pair);
      if (ctas === null) return Step.Fault;
      const all = ctas.map(memoryOf);
      const taken = all.reduce((x, m) => x | m.taken, 0);
      const count = b(w);
      let first = 0;
      const step = 2 ** Math.ceil(Math.log2(Math.max(1, count)));
      const mask = (at: number): number => (2 ** count - 1) << at;
      while (first + count <= COLUMNS / RUN && (taken & mask(first)) !== 0) first += step;
      const found = first + count <= COLUMNS / RUN;
      if (found) for (const m of all) m.taken |= mask(first);
      w.U[u] = found ? first : -1;
      if ((p & 7) !== 7) w.P[p] = found ? -1 : 0;
      return Step.Next;
    };
  }
  if (pair || !s.has("AND")) s.unsupported("operation");
  return (w) => {
    const memory = memoryOf(w.cta);
    w.U[u] = memory.taken;
    memory.taken &= b(w);
    return Step.Next;
  };
}

export const tensorColumns: Makers = { UTCATOMSWS: allocation };
