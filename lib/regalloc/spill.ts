/**
 * Spilling: a value that found no register lives somewhere else, and every instruction that mentions it works on a
 * short-lived temporary of its own.
 *
 *     d = a + b    →    LDL t, [R1+8]      t stands for the spilled b
 *                       d = a + t
 *
 *     @p b = …     →    LDL t, [R1+8]      the old b survives where p is false
 *                       @p t = …
 *                       STL [R1+8], t
 *
 * R values go to local memory above the function's own local variables. The other files have no memory instructions:
 * a predicate or uniform register gets a home in R, a uniform predicate in UR; the home is a virtual register like any
 * other and may be spilled in turn. So may a convergence barrier, as ptxas does it (`BMOV.32.CLEAR R, B` after BSSY, `BMOV.32 B, R` before
 * BSYNC): all lanes of a region hold the same mask, and lanes that wait at a barrier stay there while others use its register. Slots and homes are private to a thread, so divergence needs no
 * care. Temporaries are never spilled again, which is why this ends.
 */
import { isProduct } from "../analysis/products.js";
import { rewriteBlock } from "../ori/index.js";
import { clone, reg } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import { isGuarded } from "./flat.js";
import { alignmentOf } from "./geometry.js";
import { type Cause, loadLocal, moveHome, storeLocal } from "./machine.js";
import { overlap } from "./occupancy.js";
import type { Ranges } from "./ranges.js";
import type { SpillSlot, ValueFacts } from "./types.js";

export interface Spiller {
  readonly func: Func;
  /** The value bound to R1; made when first needed. */
  stackPointer: () => number;
  /** Bytes from R1 to the spill area. */
  readonly areaStart: number;
  /** Values that must not be spilled. */
  readonly temporaries: Set<number>;
  readonly slots: SpillSlot[];
  /** Accesses of several registers at once that may still be made. */
  readonly wide: { left: number };
}

/** Which file the home of a spilled value is in; R itself goes to memory. */
const homeFile: Readonly<Record<number, File>> = {
  [File.B]: File.R,
  [File.P]: File.R,
  [File.UR]: File.R,
  [File.UP]: File.UR,
};

interface Place {
  readonly file: File;
  readonly offset: number;
  readonly home: number;
}

/** Rewrites the function so that none of `victims` (all of one file) keeps a register. */
export function spillValues(s: Spiller, ranges: Ranges, victims: readonly ValueFacts[]): void {
  const places = new Map<number, Place>();
  const offsets = assignSlots(s, ranges, victims);
  for (const v of victims) {
    const offset = offsets.get(v.id) ?? -1;
    const home = offset < 0 ? s.func.values.add(homeFile[v.file] as File, v.width, s.func.values.name(v.id)) : -1;
    places.set(v.id, { file: v.file, offset, home });
    s.slots.push({ value: v.id, name: s.func.values.name(v.id), file: v.file, offset, home });
  }
  for (const block of s.func.blocks) {
    let late: readonly Inst[] = [];
    rewriteBlock(s.func, block, (inst, out) => {
      const now = late;
      late = rewrite(s, places, inst, out);
      out.push(...now);
    });
  }
}

/**
 * Byte offsets from R1 of the R values. Values spilled together share a slot where their ranges do not meet; slots of
 * earlier rounds stay as they are.
 */
function assignSlots(s: Spiller, ranges: Ranges, victims: readonly ValueFacts[]): Map<number, number> {
  const offsets = new Map<number, number>();
  const frame = s.func.frame;
  const base = s.areaStart + frame.spillBytes;
  const words: number[][] = [];
  const unitOf = (v: number): number => ranges.flat.unitBase[v] as number;
  const memory = victims
    .filter((v) => v.file === File.R)
    .sort((a, b) => b.align - a.align || a.first - b.first || a.id - b.id);
  for (const v of memory) {
    const step = Math.min(v.align, 4);
    const skew = (base >>> 2) % step;
    let word = (step - skew) % step;
    const isFree = (at: number): boolean => {
      for (let k = 0; k < v.width; k++) {
        for (const u of words[at + k] ?? []) if (overlap(ranges, unitOf(v.id) + k, u)) return false;
      }
      return true;
    };
    while (!isFree(word)) word += step;
    for (let k = 0; k < v.width; k++) {
      while (words.length <= word + k) words.push([]);
      (words[word + k] as number[]).push(unitOf(v.id) + k);
    }
    offsets.set(v.id, base + 4 * word);
  }
  frame.spillBytes += 4 * words.length;
  return offsets;
}

/** The registers of a value that one instruction touches, and the temporary that stands for them. */
interface Use {
  low: number;
  high: number;
  /** Widest operand: the temporary keeps its alignment. */
  widest: number;
  temp: number;
}

/** What is to stand after the next instruction. */
function rewrite(s: Spiller, places: ReadonlyMap<number, Place>, inst: Inst, out: Inst[]): readonly Inst[] {
  const uses = collect(places, inst);
  if (uses === null) {
    out.push(inst);
    return [];
  }
  const { values } = s.func;
  for (const [v, u] of uses) {
    u.low -= u.low % alignmentOf(u.widest);
    u.temp = values.add(values.file(v), u.high - u.low, values.name(v));
    s.temporaries.add(u.temp);
  }
  const cause: Cause = { func: s.func, loc: inst.loc, origin: inst.id };
  const before: Inst[] = [];
  const after: Inst[] = [];
  const loaded = new Set<number>();
  const load = (v: number, low: number, high: number): void => {
    for (let k = low; k < high; k++) {
      if (loaded.has(v * 256 + k)) continue;
      const n = transfer(s, cause, places, uses, v, k, high, false, before);
      for (let j = 0; j < n; j++) loaded.add(v * 256 + k + j);
      k += n - 1;
    }
  };
  const store = (v: number, low: number, high: number): void => {
    for (let k = low; k < high; ) k += transfer(s, cause, places, uses, v, k, high, true, after);
  };
  replace(inst, places, uses, isGuarded(inst.guard), load, store);
  if (!isProduct(inst.form.op)) {
    out.push(...before, inst, ...after);
    return [];
  }
  // What a product works on is there before the ARRIVE and stays there up to the wait, which stand right around it (products.ts).
  const arrive = out.pop() as Inst;
  out.push(...before, arrive, inst);
  return after;
}

function collect(places: ReadonlyMap<number, Place>, inst: Inst): Map<number, Use> | null {
  let uses: Map<number, Use> | null = null;
  const note = (v: number, low: number, width: number): void => {
    if (!places.has(v)) return;
    uses ??= new Map();
    const u = uses.get(v);
    if (u === undefined) uses.set(v, { low, high: low + width, widest: width, temp: -1 });
    else {
      u.low = Math.min(u.low, low);
      u.high = Math.max(u.high, low + width);
      u.widest = Math.max(u.widest, width);
    }
  };
  for (const o of inst.dsts) if (o.kind === Kind.Reg && o.id !== ZERO_REG) note(o.id, o.sub, o.width);
  for (const o of inst.srcs) {
    if (o.kind === Kind.Reg && o.id !== ZERO_REG) note(o.id, o.sub, o.width);
    else if (hasIndex(o)) note(o.index, 0, 1);
  }
  if (inst.guard !== null && inst.guard.id !== ZERO_REG) note(inst.guard.id, 0, 1);
  return uses;
}

function hasIndex(o: Operand): boolean {
  return o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG;
}

type Transfer = (value: number, low: number, high: number) => void;

/** Puts the temporaries in the place of the spilled values and asks for the loads and stores that they need. */
function replace(
  inst: Inst,
  places: ReadonlyMap<number, Place>,
  uses: ReadonlyMap<number, Use>,
  guarded: boolean,
  load: Transfer,
  store: Transfer,
): void {
  const g = inst.guard;
  if (g !== null && places.has(g.id)) {
    load(g.id, 0, 1);
    inst.guard = { file: g.file, id: (uses.get(g.id) as Use).temp, not: g.not };
  }
  inst.srcs.forEach((o, i) => {
    const v = o.kind === Kind.Reg ? o.id : hasIndex(o) ? o.index : ZERO_REG;
    if (v === ZERO_REG || !places.has(v)) return;
    const u = uses.get(v) as Use;
    const c = clone(o);
    if (o.kind === Kind.Reg) {
      load(v, o.sub, o.sub + o.width);
      c.id = u.temp;
      c.sub -= u.low;
    } else {
      load(v, 0, 1);
      c.index = u.temp;
    }
    inst.srcs[i] = c;
  });
  inst.dsts.forEach((o, i) => {
    if (o.kind !== Kind.Reg || !places.has(o.id)) return;
    const u = uses.get(o.id) as Use;
    if (guarded || isPartial(o)) load(o.id, o.sub, o.sub + o.width);
    store(o.id, o.sub, o.sub + o.width);
    const c = clone(o);
    c.id = u.temp;
    c.sub -= u.low;
    inst.dsts[i] = c;
  });
}

/** Writes only a half or a byte of the register. */
function isPartial(o: Operand): boolean {
  return o.part.startsWith(".H") || o.part.startsWith(".B");
}

/** Moves registers of a value from `k` on (as many as one access takes, at most up to `high`); returns how many. */
function transfer(
  s: Spiller,
  cause: Cause,
  places: ReadonlyMap<number, Place>,
  uses: ReadonlyMap<number, Use>,
  v: number,
  k: number,
  high: number,
  away: boolean,
  out: Inst[],
): number {
  const place = places.get(v) as Place;
  const use = uses.get(v) as Use;
  const at = k - use.low;
  if (place.offset < 0) {
    out.push(moveHome(cause, place.file, use.temp, at, place.home, k, away));
    return 1;
  }
  const whole = use.high - use.low;
  const offset = place.offset + 4 * k;
  let n = 4;
  while (n > 1 && (k + n > high || at % n !== 0 || offset % (4 * n) !== 0 || whole < n)) n >>= 1;
  if (n > 1 && s.wide.left-- <= 0) n = 1;
  const data = reg(use.temp, n, at);
  const sp = reg(s.stackPointer());
  out.push(away ? storeLocal(cause, sp, offset, data) : loadLocal(cause, data, sp, offset));
  const { frame } = s.func;
  if (away) frame.spillStores += 4 * n;
  else frame.spillLoads += 4 * n;
  return n;
}
