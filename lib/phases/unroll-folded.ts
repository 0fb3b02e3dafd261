/**
 * What of a loop's body folds once its turns stand one after the other: what is computed from literals and from registers that count alone, conditions and
 * all. Of ways that such a condition chooses between, one is left in each turn.
 *
 *     b1: SHF.R.U32.HI %R4, RZ, 0x4, %R8            folds (%R8 counts from a literal)
 *         ISETP.EQ.AND %P1, PT, %R4, RZ, PT         folds
 *         @%P1 BRA b3                               folds: b2 or b3, the larger counts
 *     b2: IADD3 %R5, %R5, %R6, RZ                   counts
 *
 * An estimate: it decides how often a loop is copied, not what code means.
 */
import { isLanewise } from "../analysis/index.js";
import { type CountedLoop, startOf } from "../analysis/induction.js";
import { terminator } from "../ori/flow.js";
import { type Block, File, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";

/** Instructions of a body that fold in each turn, and blocks that stand for no more than one of them does. */
export interface Folding {
  readonly insts: ReadonlySet<Inst>;
  /** Blocks of which control takes one in each turn, known in advance. */
  readonly arms: readonly (readonly Block[])[];
}

const keyOf = (file: File, id: number, sub: number): string => `${file}:${id}:${sub}`;

function keysOf(o: Operand): string[] {
  if (o.kind !== Kind.Reg || o.id === ZERO_REG) return [];
  return Array.from({ length: o.width }, (_, k) => keyOf(o.file, o.id, o.sub + k));
}

/** Reads that the operands do not show, or none that folds. */
const opaque = (o: Operand): boolean =>
  o.kind === Kind.Const ||
  o.kind === Kind.Sym ||
  o.kind === Kind.Label ||
  (o.index !== NO_INDEX && o.index !== undefined);

export function foldingIn(loop: CountedLoop): Folding {
  const { blocks, latch } = loop;
  const defs = new Map<string, Inst[]>();
  for (const b of blocks)
    for (const i of b.insts)
      for (const key of i.dsts.flatMap(keysOf)) {
        const list = defs.get(key);
        if (list === undefined) defs.set(key, [i]);
        else list.push(i);
      }
  const computes = (i: Inst): boolean => isLanewise(i) && i.form.flow === "next" && !i.srcs.some(opaque);
  const folds = new Set([...defs].flatMap(([key, list]) => (list.every(computes) ? [key] : [])));
  const starts = new Map<string, boolean>();
  const known = (key: string): boolean => {
    let is = starts.get(key);
    if (is === undefined) {
      const [file, id, sub] = key.split(":").map(Number) as [number, number, number];
      is = file === File.R && startOf(loop.header, blocks, { file: file as File, id, sub }) !== null;
      starts.set(key, is);
    }
    return is;
  };
  for (const key of carried(blocks)) if (folds.has(key) && !known(key)) folds.delete(key);
  const reads = (i: Inst): string[] => [
    ...i.srcs.flatMap(keysOf),
    ...(i.guard === null || i.guard.id === ZERO_REG ? [] : [keyOf(i.guard.file, i.guard.id, 0)]),
  ];
  const foldsNow = (i: Inst): boolean => reads(i).every((key) => (defs.has(key) ? folds.has(key) : known(key)));
  const turning = blocks.filter((b) => b !== latch && b.succs.length > 1).map((b) => terminator(b));
  for (let again = true; again; ) {
    again = false;
    const chosen = turning.every((t) => t !== null && foldsNow(t));
    for (const key of [...folds]) {
      const list = defs.get(key) as Inst[];
      if (list.every(foldsNow) && (chosen || list.length === 1)) continue;
      folds.delete(key);
      again = true;
    }
  }
  const insts = new Set<Inst>();
  for (const [key, list] of defs)
    if (folds.has(key)) for (const i of list) if (i.dsts.flatMap(keysOf).every((k) => folds.has(k))) insts.add(i);
  const arms: Block[][] = [];
  for (const b of blocks) {
    const last = terminator(b);
    if (b === latch || b.succs.length < 2 || last === null || !foldsNow(last)) continue;
    insts.add(last);
    arms.push(b.succs.filter((s) => s.preds.length === 1 && blocks.includes(s)));
  }
  return { insts, arms };
}

/** Registers read in a turn before they are written, in the order of the blocks. */
function carried(blocks: readonly Block[]): ReadonlySet<string> {
  const written = new Set<string>();
  const found = new Set<string>();
  for (const b of blocks)
    for (const i of b.insts) {
      for (const key of i.srcs.flatMap(keysOf)) if (!written.has(key)) found.add(key);
      for (const key of i.dsts.flatMap(keysOf)) written.add(key);
    }
  return found;
}
