/** What the allocation checker keeps: the numbering of virtual units, and the state of all locations. */
import { File, type Func, type Guard, type Inst, Kind, type Operand, ZERO_REG } from "../ori/types.js";
import { isPlainCopy } from "./check-inserted.js";
import { FRAME_READY } from "./check-locations.js";

/** Not `@PT`. */
export function isGuarded(g: Guard | null): boolean {
  return g !== null && (g.id !== ZERO_REG || g.not);
}

/** Virtual units of the function before allocation. */
export class Units {
  readonly count: number;
  private readonly func: Func;
  private readonly base: Int32Array;
  private readonly ownerOf: Int32Array;

  constructor(func: Func) {
    this.func = func;
    const n = func.values.count;
    this.base = new Int32Array(n + 1);
    for (let v = 0; v < n; v++) this.base[v + 1] = (this.base[v] as number) + func.values.width(v);
    this.count = this.base[n] as number;
    this.ownerOf = new Int32Array(this.count);
    for (let v = 0; v < n; v++) this.ownerOf.fill(v, this.base[v], this.base[v + 1]);
  }

  of(value: number, sub: number): number {
    return (this.base[value] as number) + sub;
  }

  owner(unit: number): number {
    return this.ownerOf[unit] as number;
  }

  isPredicate(unit: number): boolean {
    const file = this.func.values.file(this.owner(unit));
    return file === File.P || file === File.UP;
  }

  /** Held once per warp. */
  isUniform(unit: number): boolean {
    const file = this.func.values.file(this.owner(unit));
    return file === File.UR || file === File.UP;
  }

  name(unit: number): string {
    const v = this.owner(unit);
    const sub = unit - (this.base[v] as number);
    return `%${v}${this.func.values.width(v) > 1 ? `.${sub}` : ""}`;
  }

  /** Notes in `defined` (one byte per unit) what an instruction may define. A copy of nothing defines nothing. */
  define(inst: Inst, defined: Uint8Array): void {
    const copy = isPlainCopy(inst);
    for (const o of inst.dsts) {
      if (o.kind !== Kind.Reg || o.id === ZERO_REG) continue;
      for (let k = 0; k < o.width; k++) {
        const unit = this.of(o.id, o.sub + k);
        if (!copy) defined[unit] = 1;
        else
          defined[unit] = defined[this.of((inst.srcs[0] as Operand).id, (inst.srcs[0] as Operand).sub + k)] as number;
      }
    }
  }
}

const nothing: readonly number[] = [];

/** Location → units it holds, and which units some path has defined. Sets are short immutable lists, shared freely. */
export class State {
  readonly defined: Uint8Array;
  private readonly sets: Map<number, readonly number[]>;

  /** Nothing is defined, nothing is held. */
  constructor(units: number);
  constructor(units: Uint8Array, sets: Map<number, readonly number[]>);
  constructor(units: number | Uint8Array, sets: Map<number, readonly number[]> = new Map()) {
    this.defined = typeof units === "number" ? new Uint8Array(units) : units;
    this.sets = sets;
  }

  copy(): State {
    return new State(this.defined.slice(), new Map(this.sets));
  }

  get(location: number): readonly number[] {
    return this.sets.get(location) ?? nothing;
  }

  holds(location: number, unit: number): boolean {
    return this.get(location).includes(unit);
  }

  /** Where a unit is held. */
  places(unit: number): number[] {
    const list: number[] = [];
    for (const [location, units] of this.sets)
      if (location !== FRAME_READY && units.includes(unit)) list.push(location);
    return list;
  }

  set(location: number, units: readonly number[]): void {
    if (units.length === 0) this.sets.delete(location);
    else this.sets.set(location, units);
  }

  /** The unit got a new value: whatever held the old one is stale. */
  forget(unit: number): void {
    for (const [location, units] of this.sets) {
      if (location !== FRAME_READY && units.includes(unit)) {
        this.set(
          location,
          units.filter((u) => u !== unit),
        );
      }
    }
  }

  /** Every location of `unit` holds `other` too. */
  share(unit: number, other: number): void {
    for (const [location, units] of this.sets) {
      if (location !== FRAME_READY && units.includes(unit) && !units.includes(other))
        this.sets.set(location, [...units, other]);
    }
  }

  equals(o: State): boolean {
    if (this.sets.size !== o.sets.size) return false;
    for (let u = 0; u < this.defined.length; u++) if (this.defined[u] !== o.defined[u]) return false;
    for (const [location, units] of this.sets) {
      const other = o.get(location);
      if (other.length !== units.length || !units.every((u) => other.includes(u))) return false;
    }
    return true;
  }

  /** Held on both paths; a unit that one path never defines may be anywhere on that path. */
  static join(a: State, b: State): State {
    const sets = new Map<number, readonly number[]>();
    const take = (location: number): void => {
      if (sets.has(location)) return;
      const left = a.get(location);
      const right = b.get(location);
      if (location === FRAME_READY) {
        if (left.length > 0 && right.length > 0) sets.set(location, left);
        return;
      }
      const kept = left.filter((u) => right.includes(u) || b.defined[u] === 0);
      for (const u of right) if (a.defined[u] === 0 && !left.includes(u)) kept.push(u);
      if (kept.length > 0) sets.set(location, kept);
    };
    for (const location of a.sets.keys()) take(location);
    for (const location of b.sets.keys()) take(location);
    return new State(
      a.defined.map((d, u) => d | (b.defined[u] as number)),
      sets,
    );
  }
}
