/** What the policies may know about the values of one register file: counts, lengths, copies, fellow operands. */
import { analysis } from "../analysis/cache.js";
import { blockFrequencies } from "../analysis/frequency.js";
import { type Block, File, type Func, type Inst, Kind, type Operand, ZERO_REG } from "../ori/types.js";
import { isGuarded } from "./flat.js";
import { alignmentOf } from "./geometry.js";
import { findHeld } from "./held.js";
import { defaultKnobs } from "./policies.js";
import type { Ranges } from "./ranges.js";
import type { AllocatorKnobs, CopyHint, HeldHint, ValueFacts } from "./types.js";

export interface FileFacts {
  /** Values of the file that occur in the code, in ascending order. */
  readonly values: readonly ValueFacts[];
  readonly copies: ReadonlyMap<number, readonly CopyHint[]>;
  readonly triples: ReadonlyMap<number, readonly (readonly [number, number])[]>;
  /** Found when it is first asked for. */
  readonly fellows: () => Fellows;
  /** Found when it is first asked for. */
  readonly held: () => ReadonlyMap<number, readonly HeldHint[]>;
}

export interface Fellows {
  /** Values read by the same instruction, of any width. */
  readonly partners: ReadonlyMap<number, readonly number[]>;
  /** Results of instructions that read the value. */
  readonly results: ReadonlyMap<number, readonly number[]>;
}

const noHeld: ReadonlyMap<number, readonly HeldHint[]> = new Map();
const noFellows: Fellows = { partners: new Map(), results: new Map() };

/** The byte mask of a MOV that writes the whole register. */
const ALL_BYTES = 15;

interface Copy {
  readonly to: Operand;
  readonly from: Operand;
}

/** A plain copy between registers of one file: `MOV d, s` of all bytes, without guard and modifiers; not one that stays (`{kept}`). */
export function copyOf(inst: Inst): Copy | null {
  if ((inst.form.name !== "MOV" && inst.form.name !== "UMOV") || isGuarded(inst.guard)) return null;
  if (inst.said === "kept") return null;
  const mask = inst.srcs[1];
  if (mask !== undefined && mask.value !== ALL_BYTES) return null;
  const to = inst.dsts[0];
  const from = inst.srcs[0];
  if (to === undefined || from === undefined || from.kind !== Kind.Reg || from.mods !== 0) return null;
  if (to.id === ZERO_REG || from.id === ZERO_REG || to.file !== from.file || to.width !== from.width) return null;
  return { to, from };
}

/** Copies that run once weigh this much; the weight grows with the block's frequency. */
const COPY_WEIGHT = 4;
const WEIGHT_LIMIT = 1 << 20;

/** Numbers of the allocator's that weigh operands. */
type Weighing = Pick<AllocatorKnobs, "nestedScale" | "textureScale" | "bankWindow" | "matrixCoalescing" | "noRetarget">;

/** `trips`: how often a loop is taken to run; null: as the blocks' frequencies say. */
export function gatherFacts(
  ranges: Ranges,
  file: File,
  isTemporary: (value: number) => boolean,
  trips: number | null = null,
  knobs: Weighing = defaultKnobs,
): FileFacts {
  const { flat } = ranges;
  if (!flat.fileOf.includes(file))
    return { values: [], copies: new Map(), triples: new Map(), fellows: () => noFellows, held: () => noHeld };
  const n = flat.func.values.count;
  const uses = new Float64Array(n);
  const defs = new Float64Array(n);
  const present = new Uint8Array(n);
  const copies = new Map<number, CopyHint[]>();
  const triples = new Map<number, [number, number][]>();
  const factors = new Set<number>();
  let inMatrix: ReadonlySet<number> | null = null;
  const again = trips === null ? flat.func.blocks.map((b) => b.freq) : frequenciesOf(flat.func, trips);
  flat.func.blocks.forEach((block, b) => {
    for (let i = flat.blockStart[b] as number; i < (flat.blockStart[b + 1] as number); i++) {
      const freq = (again[b] as number) * (nested(b) ? knobs.nestedScale : 1);
      count(flat.useStart, flat.uses, i, freq, uses);
      count(flat.defStart, flat.defs, i, freq, defs);
      const inst = flat.insts[i] as Inst;
      const copy = copyOf(inst);
      if (copy !== null && mayJoin(inst)) noteCopy(copy, block, file, copies);
      noteTriple(inst, file, triples, (v) => 2 * i - startOf(v) <= 2 * knobs.bankWindow);
      if (file === File.R) noteFactor(inst, factors);
    }
  });

  function count(start: Int32Array, units: Int32Array, i: number, freq: number, into: Float64Array): void {
    let last = -1;
    for (let k = start[i] as number; k < (start[i + 1] as number); k++) {
      const unit = units[k] as number;
      if (flat.fileOf[unit] !== file) continue;
      const v = flat.owner[unit] as number;
      present[v] = 1;
      if (v !== last) into[v] = (into[v] as number) + freq;
      last = v;
    }
  }

  function nested(b: number): boolean {
    return knobs.nestedScale !== 1 && (analysis(flat.func, "loops").depth[b] as number) > 1;
  }
  /** First program point of a value. */
  function startOf(v: number): number {
    if (knobs.bankWindow === Number.POSITIVE_INFINITY) return 0;
    return firstPoint(ranges, v);
  }
  function mayJoin({ dsts, srcs }: Inst): boolean {
    const ids = [dsts[0], srcs[0]]
      .map((o) => (o?.kind === Kind.Reg ? o.id : -1))
      .filter((v) => v >= 0 && v !== ZERO_REG);
    if (knobs.noRetarget && ids.some((v) => flat.func.values.fixed(v) >= 0)) return false;
    return knobs.matrixCoalescing || !ids.some((v) => matrix().has(v));
  }
  function matrix(): ReadonlySet<number> {
    inMatrix ??= valuesOf(flat.func, isMatrix, (i) => [...i.dsts, ...i.srcs]);
    return inMatrix;
  }
  const texels = knobs.textureScale === 1 ? null : valuesOf(flat.func, isTexture, (i) => i.dsts);

  const values: ValueFacts[] = [];
  for (let v = 0; v < n; v++) {
    if (present[v] !== 1) continue;
    const scale = texels?.has(v) === true ? knobs.textureScale : 1;
    const [u, d] = [scale * (uses[v] as number), scale * (defs[v] as number)];
    const extent = factsOf(ranges, v, u, d, isTemporary(v));
    values.push({ ...extent, factor: factors.has(v) });
  }
  let fellows: Fellows | null = file === File.R ? null : noFellows;
  const fellowsOf = (): Fellows => {
    fellows ??= findFellows(flat.insts);
    return fellows;
  };
  let held: ReadonlyMap<number, readonly HeldHint[]> | null = file === File.R ? null : noHeld;
  const heldOf = (): ReadonlyMap<number, readonly HeldHint[]> => {
    held ??= findHeld(ranges);
    return held;
  };
  return { values, copies, triples, fellows: fellowsOf, held: heldOf };
}

const isMatrix = (inst: Inst): boolean => /^[A-Z]G?MMA$/.test(inst.form.op);
const isTexture = (inst: Inst): boolean => /^(TEX|TLD|TLD4|TXD)$/.test(inst.form.op);

/** Registers among the operands of some instructions. */
function valuesOf(func: Func, which: (i: Inst) => boolean, operands: (i: Inst) => readonly Operand[]): Set<number> {
  const found = new Set<number>();
  for (const block of func.blocks)
    for (const inst of block.insts)
      if (which(inst)) for (const o of operands(inst)) if (o.kind === Kind.Reg) found.add(o.id);
  return found;
}

function firstPoint({ flat, start, segments, points }: Ranges, v: number): number {
  let first = points;
  for (let u = flat.unitBase[v] as number; u < (flat.unitBase[v + 1] as number); u++)
    if ((start[u] as number) < (start[u + 1] as number))
      first = Math.min(first, segments[2 * (start[u] as number)] as number);
  return first;
}

function frequenciesOf(func: Func, trips: number): Float64Array {
  return blockFrequencies(analysis(func, "cfg"), analysis(func, "loops"), trips);
}

function factsOf(
  ranges: Ranges,
  v: number,
  uses: number,
  defs: number,
  temporary: boolean,
): Omit<ValueFacts, "factor"> {
  const { flat, start, segments } = ranges;
  const width = flat.func.values.width(v);
  let first = ranges.points;
  let last = -1;
  let points = 0;
  for (let u = flat.unitBase[v] as number; u < (flat.unitBase[v + 1] as number); u++) {
    for (let s = start[u] as number; s < (start[u + 1] as number); s++) {
      const from = segments[2 * s] as number;
      const to = segments[2 * s + 1] as number;
      if (from < first) first = from;
      if (to > last) last = to;
      points += to - from + 1;
    }
  }
  return {
    id: v,
    file: flat.func.values.file(v),
    width,
    align: alignmentOf(width),
    uses,
    defs,
    points,
    first,
    last,
    temporary,
  };
}

function noteCopy(c: Copy, block: Block, file: File, copies: Map<number, CopyHint[]>): void {
  if (c.to.file !== file || c.to.id === c.from.id) return;
  const weight = Math.max(1, Math.min(WEIGHT_LIMIT, Math.round(COPY_WEIGHT * block.freq)));
  push(copies, c.to.id, { other: c.from.id, offset: c.from.sub - c.to.sub, weight });
  push(copies, c.from.id, { other: c.to.id, offset: c.to.sub - c.from.sub, weight });
}

function noteTriple(
  inst: Inst,
  file: File,
  triples: Map<number, [number, number][]>,
  near: (value: number) => boolean,
): void {
  if (inst.srcs.length < 3 || inst.form.memory !== null) return;
  let a = -1;
  let b = -1;
  let c = -1;
  for (const o of inst.srcs) {
    if (o.kind !== Kind.Reg || o.file !== file || o.id === ZERO_REG || o.width !== 1) continue;
    const { id } = o;
    if (id === a || id === b || id === c) continue;
    if (a < 0) a = id;
    else if (b < 0) b = id;
    else if (c < 0) c = id;
    else return;
  }
  if (c < 0) return;
  if (near(a)) push(triples, a, [b, c]);
  if (near(b)) push(triples, b, [a, c]);
  if (near(c)) push(triples, c, [a, b]);
}

/** First factors of 64-bit products. */
function noteFactor({ form, srcs }: Inst, factors: Set<number>): void {
  if (form.op !== "IMAD" || !form.name.startsWith("IMAD.WIDE")) return;
  const [a] = srcs;
  if (a?.kind === Kind.Reg && a.file === File.R && a.width === 1 && a.id !== ZERO_REG) factors.add(a.id);
}

/** What instructions say of where their operands should stand. */
function findFellows(insts: readonly Inst[]): Fellows {
  const partners = new Map<number, number[]>();
  const results = new Map<number, number[]>();
  for (const inst of insts) noteOperands(inst, partners, results);
  return { partners, results };
}

function noteOperands(
  { form, dsts, srcs }: Inst,
  partners: Map<number, number[]>,
  results: Map<number, number[]>,
): void {
  const ids: number[] = [];
  for (const o of srcs) {
    if (o.kind === Kind.Reg && o.file === File.R && o.id !== ZERO_REG && !ids.includes(o.id)) ids.push(o.id);
  }
  for (let k = 1; k < ids.length; k++)
    for (let j = 0; j < k; j++) {
      push(partners, ids[k] as number, ids[j] as number);
      push(partners, ids[j] as number, ids[k] as number);
    }
  const d = dsts[0];
  if (d === undefined || d.kind !== Kind.Reg || d.file !== File.R || d.id === ZERO_REG || form.memory !== null) return;
  for (const v of ids) if (v !== d.id) push(results, v, d.id);
}

function push<T>(map: Map<number, T[]>, key: number, item: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [item]);
  else list.push(item);
}
