/**
 * Register units: the smallest things that are live or dead on their own, one 32-bit register or one predicate. On
 * virtual registers the units of a value are consecutive (value × sub-register); on physical ones every register of
 * every file has its fixed unit. All five files share one numbering, so one bit set covers them.
 */
import { File, type Func, type Operand, type ValueTable } from "../ori/types.js";

/** First unit of each file on physical registers, indexed by File; UPs and Ps get 16 places although 8 exist. */
const physicalBase: readonly number[] = [0, 0, 256, 512, 528, 544];
const physicalCount = 560;

/** The numbering of register units: one per register of a virtual value, or per physical register. */
export interface Units {
  /** How many units there are. */
  readonly count: number;
  /** Registers are virtual: units belong to values. */
  readonly virtual: boolean;
  /** Register file of each unit. */
  readonly file: Uint8Array;
  /** What a unit belongs to: the value id, or on physical registers the register number. */
  readonly owner: Int32Array;
  /** First unit of each value (virtual) or of each file (physical). */
  readonly base: Int32Array;
}

/** By table of values: these are only ever added. */
const known = new WeakMap<ValueTable, Units>();
let physical: Units | null = null;

/** The units of a function. */
export function unitsOf(func: Func): Units {
  if (!func.virtual) {
    physical ??= physicalUnits();
    return physical;
  }
  const before = known.get(func.values);
  if (before !== undefined && before.base.length === func.values.count + 1) return before;
  const units = virtualUnits(func.values);
  known.set(func.values, units);
  return units;
}

function virtualUnits(values: ValueTable): Units {
  const base = new Int32Array(values.count + 1);
  for (let v = 0; v < values.count; v++) base[v + 1] = (base[v] as number) + values.width(v);
  const count = base[values.count] as number;
  const file = new Uint8Array(count);
  const owner = new Int32Array(count);
  for (let v = 0; v < values.count; v++) {
    file.fill(values.file(v), base[v], base[v + 1]);
    owner.fill(v, base[v], base[v + 1]);
  }
  return { count, virtual: true, file, owner, base };
}

function physicalUnits(): Units {
  const file = new Uint8Array(physicalCount);
  const owner = new Int32Array(physicalCount);
  for (let f = File.R as number; f <= File.B; f++) {
    const from = physicalBase[f] as number;
    const to = physicalBase[f + 1] ?? physicalCount;
    for (let u = from; u < to; u++) {
      file[u] = f;
      owner[u] = u - from;
    }
  }
  return { count: physicalCount, virtual: false, file, owner, base: Int32Array.from(physicalBase) };
}

/** First unit of register `sub` of value or register `id`. */
export function unitAt(units: Units, file: File, id: number, sub: number): number {
  return units.virtual ? (units.base[id] as number) + sub : (units.base[file] as number) + id + sub;
}

/** First unit of a register operand that is not the hard-wired zero. */
export function unitOf(units: Units, o: Operand): number {
  return unitAt(units, o.file, o.id, o.sub);
}

const homes = new WeakMap<Units, Int32Array>();

/** The unit that stands for each: its own, or on virtual registers the first one bound to the same register. */
export function homeUnits(func: Func, units: Units): Int32Array {
  const before = homes.get(units);
  if (before !== undefined) return before;
  const home = findHomes(func, units);
  homes.set(units, home);
  return home;
}

function findHomes(func: Func, units: Units): Int32Array {
  const home = new Int32Array(units.count);
  for (let u = 0; u < home.length; u++) home[u] = u;
  if (!func.virtual) return home;
  const bound = new Map<number, number>();
  for (let v = 0; v < func.values.count; v++) {
    const register = func.values.fixed(v);
    if (register < 0) continue;
    const first = units.base[v] as number;
    for (let sub = 0; sub < func.values.width(v); sub++) {
      const key = 256 * func.values.file(v) + register + sub;
      const known = bound.get(key);
      if (known === undefined) bound.set(key, first + sub);
      else home[first + sub] = known;
    }
  }
  return home;
}
