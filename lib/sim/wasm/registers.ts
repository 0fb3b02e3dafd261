/** Registers and predicates in a segment: their values before it, and what its instructions have made of them. */
import { File, Kind, type Operand } from "../../isa/operand.js";
import { ZERO_ROW } from "../state.js";
import { ACTIVE, BASE, Emission, Untranslated, type V, type Value } from "./emission.js";
import { Type } from "./encoder.js";
import { PREDICATES, ROW_BYTES, UNIFORM } from "./layout.js";
import { Op } from "./opcodes.js";
import { HIGH_PAIR, LOW_PAIR } from "./vectors.js";

export class Registers extends Emission {
  /** Address of the round's four lanes in register 0, and the number of its first lane. */
  readonly row: number = this.local(Type.i32);
  readonly shift: number = this.local(Type.i32);
  /** Lanes of the running instruction; null: all. */
  mask: V | null = null;
  /** The running instruction is one of the uniform datapath. */
  uniform: boolean = false;
  protected regs: Map<number, Value> = new Map();
  protected preds: Map<number, V> = new Map();
  private readonly longs = new Map<string, readonly [V, V]>();
  private readonly doubles = new Map<string, readonly [V, V]>();
  protected active: V | null = null;
  readonly writtenPreds: Set<number> = new Set();
  protected readonly ownUniform: Map<number, V> = new Map();
  protected readonly ownUniformPreds: Map<number, V> = new Map();
  private readonly given = new Map<string, number>();
  /** Registers and predicates of which the value before the segment was asked for. */
  readonly touched: Set<string> = new Set();

  protected given32(key: string, offset: number): number {
    let local = this.given.get(key);
    if (local === undefined) {
      local = this.local(Type.i32);
      this.prologue.get(BASE).memory(Op.i32Load, offset).set(local);
      this.given.set(key, local);
    }
    return local;
  }

  /** A word of the warp's exchange area, as a scalar. */
  exchange(offset: number): number {
    return this.given32(`x${offset}`, offset);
  }

  reg(n: number): Value {
    if (n < 0) return this.fixedWords(0, 0, 0, 0);
    if (this.uniform) throw new Untranslated("a vector register in the uniform datapath");
    let known = this.regs.get(n);
    if (known === undefined) {
      this.touched.add(`R${n}`);
      const d = this.local();
      this.out
        .get(this.row)
        .memory(Op.load, n * ROW_BYTES)
        .set(d);
      known = this.newValue(d);
      this.regs.set(n, known);
    }
    return known;
  }

  /** Offset of a register's 32 lanes in the warp's state; nobody has written it in this segment. */
  rowOf(n: number): number {
    if (n >= 0) this.touched.add(`R${n}`);
    return (n < 0 ? ZERO_ROW : n) * ROW_BYTES;
  }

  ureg(n: number): Value {
    if (n < 0) return this.fixedWords(0, 0, 0, 0);
    const own = this.ownUniform.get(n);
    if (own !== undefined) return this.fixed(`o${own}`, (code) => code.get(own));
    this.touched.add(`U${n}`);
    return this.fixed(`u${n}`, (code) => code.get(BASE).memory(Op.load32Splat, UNIFORM + 4 * n));
  }

  /** Lane 0 of a vector of the prologue, as a scalar local. */
  scalarOf(v: V): number {
    const d = this.local(Type.i32);
    this.prologue.get(v).lane(Op.i32x4Extract, 0).set(d);
    return d;
  }

  protected merged(next: V, before: () => V): V {
    return this.mask === null ? next : this.v(Op.bitselect, next, before(), this.mask);
  }

  /** Writes a register under the mask of the running instruction. */
  setReg(n: number, x: Value): void {
    if (n < 0) return;
    if (this.uniform) {
      const own = this.merged(this.value(x), () => this.value(this.ureg(n)));
      this.ownUniform.set(n, own);
      return;
    }
    this.regs.set(n, this.mask === null ? x : this.newValue(this.merged(this.value(x), () => this.value(this.reg(n)))));
  }

  /** The destination `o` and the registers that follow. */
  setDst(o: Operand | null, ...values: readonly Value[]): void {
    if (o === null || o.kind !== Kind.Reg || o.id < 0) return;
    if ((o.file === File.UR) !== this.uniform) throw new Untranslated("mixed register files");
    values.forEach((x, i) => {
      this.setReg(o.id + i, x);
    });
  }

  /** A pair of 64-bit integers (or the bits of doubles) as a destination. */
  setLong(o: Operand | null, pair: readonly [V, V]): void {
    const low = this.lazy(() => this.evenWords(pair[0], pair[1]));
    const high = this.lazy(() => this.oddWords(pair[0], pair[1]));
    this.longs.set(`${low.id}:${high.id}`, pair);
    this.setDst(o, low, high);
  }

  /** A pair of doubles as a destination; NaNs become the canonical one when their bits are asked for. */
  setDouble(o: Operand | null, pair: readonly [V, V]): void {
    let bits: readonly [V, V] | null = null;
    const canonical = (): readonly [V, V] => {
      const nan = this.words(0, -0x80000, 0, -0x80000);
      bits ??= [
        this.v(Op.bitselect, nan, pair[0], this.v(Op.f64x2Ne, pair[0], pair[0])),
        this.v(Op.bitselect, nan, pair[1], this.v(Op.f64x2Ne, pair[1], pair[1])),
      ];
      return bits;
    };
    const low = this.lazy(() => this.evenWords(...(canonical() as [V, V])));
    const high = this.lazy(() => this.oddWords(...(canonical() as [V, V])));
    this.doubles.set(`${low.id}:${high.id}`, pair);
    this.setDst(o, low, high);
  }

  long(low: Value, high: Value): readonly [V, V] {
    const key = `${low.id}:${high.id}`;
    let known = this.longs.get(key);
    if (known === undefined) {
      const make = (): readonly [V, V] => {
        const [l, h] = [this.value(low), this.value(high)];
        return [this.shuffled(l, h, LOW_PAIR), this.shuffled(l, h, HIGH_PAIR)];
      };
      known = low.fixed && high.fixed ? this.inPrologue(make) : make();
      this.longs.set(key, known);
    }
    return known;
  }

  double(low: Value, high: Value): readonly [V, V] {
    return this.doubles.get(`${low.id}:${high.id}`) ?? this.long(low, high);
  }

  // ------------------------------------------------------------------------------------------ predicates

  /** Lanes as a vector mask, from a scalar lane mask. */
  expanded(mask: number): V {
    const d = this.local();
    const bits = this.words(1, 2, 4, 8);
    this.out.get(mask).get(this.shift).op(Op.i32ShrU).op(Op.i32x4Splat).get(bits).op(Op.and).get(bits);
    this.out.op(Op.i32x4Eq).set(d);
    return d;
  }

  /** The predicate as a lane mask before the segment. */
  givenPredicate(p: number): number {
    this.touched.add(p >= 8 ? `UP${p - 8}` : `P${p}`);
    return this.given32(`p${p}`, PREDICATES + 4 * p);
  }

  /** Predicate `index` of Warp.P (uniform ones from 8 on) as a vector mask. */
  pred(index: number): V {
    if ((index & 7) === 7) return this.words(-1);
    if (index >= 8) {
      const own = this.ownUniformPreds.get(index);
      if (own !== undefined) return own;
      this.touched.add(`UP${index - 8}`);
      return this.value(
        this.fixed(`p${index}`, (code) => code.get(BASE).memory(Op.load32Splat, PREDICATES + 4 * index)),
      );
    }
    if (this.uniform) throw new Untranslated("a vector predicate in the uniform datapath");
    let known = this.preds.get(index);
    if (known === undefined) {
      known = this.expanded(this.givenPredicate(index));
      this.preds.set(index, known);
    }
    return known;
  }

  setPred(index: number, v: V): void {
    if ((index & 7) === 7) return;
    if (index >= 8) {
      if (!this.uniform) throw new Untranslated("a uniform predicate of a vector instruction");
      this.ownUniformPreds.set(
        index,
        this.merged(v, () => this.pred(index)),
      );
      return;
    }
    if (this.uniform) throw new Untranslated("a vector predicate in the uniform datapath");
    const next = this.merged(v, () => this.pred(index));
    this.writtenPreds.add(index);
    this.preds.set(index, next);
  }

  /** Active lanes of the round. */
  activeLanes(): V {
    this.active ??= this.expanded(ACTIVE);
    return this.active;
  }
}
