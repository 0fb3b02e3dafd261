/**
 * A segment: instructions of one basic block, as one WebAssembly function. It does eight times the same for four lanes, with the
 * registers that it touches in locals; what it writes goes to memory at the end of each round.
 *
 * Nothing is written before it is certain that no access faults: the addresses of all accesses come from registers as they are
 * before the segment, and are tested for all lanes first. Lanes see each other only through memory; a segment that stores
 * to a space has no other access to it (segments.ts cuts), so that the order "lane after lane" is that of the instructions.
 *
 * Code goes to three places: the prologue (uniform registers, constants; once), the body (four lanes), the commit (what
 * the round writes). Uniform instructions are vectors of equal lanes in the prologue, so both datapaths share one meaning.
 */
import { File, type MachineInst } from "../../isa/operand.js";
import { ACTIVE, BASE, type FmaMode, Untranslated, type V } from "./emission.js";
import { Code, Type } from "./encoder.js";
import { SHORT_BITS, SHORT_LEAST, SHORT_MOST } from "./fma64.js";
import { CONVERGENCE, PREDICATES, ROW_BYTES, UNIFORM } from "./layout.js";
import { Op } from "./opcodes.js";
import { Operands } from "./operands.js";

/** Upper words, less 1, of the least f64 that is normal as an f32 with room to spare, and of 2^128. */
const TINY = ((1023 - 125) << 20) - 1;
const HUGE = ((1023 + 128) << 20) - 2;

export class Segment extends Operands {
  readonly count: number = this.local(Type.i32);
  readonly risk: V = this.local();
  /** Least and greatest of what was noted of the f64 sums that were rounded to f32: lanes 0 and 1, lanes 2 and 3 (float.ts). */
  readonly least: readonly [V, V] = [this.local(), this.local()];
  readonly most: readonly [V, V] = [this.local(), this.local()];
  /** Some operation of the body may be wrong where `risk` says so. */
  risky: boolean = false;
  /** f64 sums are rounded to f32. */
  private rounds = false;
  /** Of factors of short products: least and greatest, and all their bits. */
  private short: { readonly least: V; readonly most: V; readonly bits: V } | null = null;

  private commits: (() => void)[] = [];
  /** Predicates as lane masks on the way out. */
  private readonly predicateOut = new Map<number, number>();
  /** Threads: instructions of all active lanes, under a predicate as it came in, under a mask of the body. */
  private plain = 0;
  private readonly underGiven = new Map<string, { index: number; not: boolean; n: number }>();
  private underMask = new Map<V, number>();
  private readonly underUniform: { mask: V }[] = [];
  /** What emitters keep for a round, and addresses of copies of rows, for all. */
  round: Map<string, unknown> = new Map();
  readonly lasting: Map<string, number> = new Map();

  constructor(
    /** All 32 lanes are active. */
    readonly full: boolean,
    public fma: FmaMode,
  ) {
    super();
  }

  /** As if nothing had been emitted, for what is seen of instructions; its code is of no use any more. */
  forget(): void {
    this.touched.clear();
    this.lasting.clear();
    this.banks.clear();
    this.risky = false;
  }
  /** Does something with effect at the end of the round, when nothing can go wrong any more. */
  commit(emit: () => void): void {
    this.commits.push(emit);
  }

  /** Before a round that may be wrong in some lanes. */
  startRisk(out: Code): void {
    out.words(0, 0, 0, 0).set(this.risk);
    if (this.rounds) for (const x of this.least) out.words(-1, -1, -1, -1).set(x);
    if (this.rounds) for (const x of this.most) out.words(-1, -1, -1, -1).set(x);
    if (this.short === null) return;
    out.words(-1, -1, -1, -1).tee(this.short.least).set(this.short.most);
    out.words(0, 0, 0, 0).set(this.short.bits);
  }

  /** Segments with short products are tried without them where these have failed. */
  get hasShort(): boolean {
    return this.short !== null;
  }

  /** Leaves on the stack whether some factor makes short products wrong: of lanes that take no part, too. */
  private endShort(out: Code, { least, most, bits }: { least: V; most: V; bits: V }): void {
    const wrong = [
      this.v(Op.i32x4LtU, least, this.words(0, SHORT_LEAST, 0, SHORT_LEAST)),
      this.v(Op.i32x4GtS, most, this.words(0x7fffffff, SHORT_MOST, 0x7fffffff, SHORT_MOST)),
      this.v(Op.and, bits, this.words(SHORT_BITS, 0, SHORT_BITS, 0)),
    ];
    out
      .get(wrong.reduce((x, y) => this.v(Op.or, x, y)))
      .op(Op.anyTrue)
      .op(Op.i32Or);
  }

  /** Notes a factor of a product that is to be exact: at most 26 bits long, and zero or of a size that nothing over- or underflows. */
  noteShort(x: V): void {
    this.risky = true;
    this.short ??= { least: this.local(), most: this.local(), bits: this.local() };
    const key = `short ${x}`;
    if (this.round.has(key)) return;
    this.round.set(key, true);
    const { least, most, bits } = this.short;
    this.out.get(bits).get(x).op(Op.or).set(bits);
    // Less 1, so that zero is none of the small ones.
    const size = this.v(Op.i64x2Sub, this.v(Op.f64x2Abs, x), this.words(1, 0, 1, 0));
    this.out.get(least).get(size).op(Op.i32x4MinU).set(least);
    this.out.get(most).get(size).op(Op.i32x4MaxS).set(most);
  }

  /** Leaves on the stack whether some lane of the round may be wrong. */
  endRisk(out: Code): void {
    const after = this.out;
    this.out = out;
    let { risk } = this;
    if (this.rounds) {
      const halves = [0, 1].map((i) =>
        this.v(
          Op.or,
          this.v(Op.i32x4LtU, this.least[i]!, this.words(1, TINY, 1, TINY)),
          this.v(Op.i32x4GtS, this.most[i]!, this.words(0x7fffffff, HUGE, 0x7fffffff, HUGE)),
        ),
      ) as [V, V];
      risk = this.v(Op.or, risk, this.v(Op.or, this.evenWords(...halves), this.oddWords(...halves)));
    }
    out.get(risk);
    if (!this.full) out.get(this.activeLanes()).op(Op.and);
    out.op(Op.anyTrue);
    if (this.short !== null && this.fma === "short") this.endShort(out, this.short);
    this.out = after;
  }

  /**
   * The f64 sums of lanes 0 and 1 (`half` 0) or 2 and 3 rounded to 24 bits, as f64. Notes where that is not the f32 of the exact sum: where the
   * sum lies midway, or the f32 is subnormal.
   */
  roundedToSingle(half: 0 | 1, sum: V): () => V {
    this.risky = true;
    this.rounds = true;
    // Half a unit more, and cut: away from zero where the sum lies midway, which is noted.
    const more = this.v(Op.i64x2Add, sum, this.words(0x10000000, 0, 0x10000000, 0));
    const parts = this.v(Op.and, more, this.words(0x1fffffff, 0x7fffffff, 0x1fffffff, 0x7fffffff));
    // The upper word less 1: zero is none of the small ones.
    const noted = this.v(Op.i32x4Add, parts, this.words(0, -1, 0, -1));
    this.out.get(this.least[half]!).get(noted).op(Op.i32x4MinU).set(this.least[half]!);
    return () => {
      // What is too large for an f32 is noted where it is not made one.
      this.out.get(this.most[half]!).get(noted).op(Op.i32x4MaxS).set(this.most[half]!);
      return this.v(Op.and, more, this.words(-0x20000000, -1, -0x20000000, -1));
    };
  }

  /** Starts the code of a round. */
  startRound(fma: FmaMode): void {
    this.fma = fma;
    this.out = new Code();
    this.regs = new Map();
    this.preds = new Map();
    this.active = null;
    this.commits = [];
    this.underMask = new Map();
    this.underGiven.clear();
    this.underUniform.length = 0;
    this.plain = 0;
    this.writtenPreds.clear();
    this.round = new Map();
    this.ownUniform.clear();
    this.ownUniformPreds.clear();
  }

  /** Sets the mask of an instruction and counts its threads. */
  startInstruction(inst: MachineInst, uniform: boolean): void {
    const { guard } = inst;
    this.uniform = uniform;
    this.mask = null;
    const index = guard === null ? 7 : (guard.file === File.UP ? 8 : 0) + (guard.id < 0 ? 7 : guard.id);
    const not = guard?.not ?? false;
    if (index === 15 || (index === 7 && not)) throw new Untranslated("guard");
    if (index === 7) this.plain++;
    else if (index >= 8) {
      const own = this.ownUniformPreds.get(index);
      if (own === undefined) this.underGivenPredicate(index, not);
      else this.underUniform.push({ mask: not ? this.inPrologue(() => this.v(Op.not, own)) : own });
    } else if (!this.writtenPreds.has(index)) this.underGivenPredicate(index, not);
    const active = (): V | null => (this.full || uniform ? null : this.activeLanes());
    if (index === 7) {
      this.mask = active();
      return;
    }
    if (uniform) {
      this.inPrologue(() => {
        const p = this.pred(index);
        this.mask = not ? this.v(Op.not, p) : p;
      });
      return;
    }
    const key = `m${this.pred(index)},${not}`;
    let m = this.round.get(key) as V | undefined;
    if (m === undefined) {
      const p = this.pred(index);
      const lanes = active();
      if (lanes === null) m = not ? this.v(Op.not, p) : p;
      else m = not ? this.v(Op.andnot, lanes, p) : this.v(Op.and, lanes, p);
      this.round.set(key, m);
    }
    this.mask = m;
    if (index < 8 && this.writtenPreds.has(index)) this.underMask.set(m, (this.underMask.get(m) ?? 0) + 1);
  }

  private underGivenPredicate(index: number, not: boolean): void {
    const key = `${index}${not}`;
    const known = this.underGiven.get(key);
    if (known) known.n++;
    else this.underGiven.set(key, { index, not, n: 1 });
  }

  /** Stores a register that has been written in this round. */
  writeBack(n: number): void {
    const v = this.value(this.regs.get(n)!);
    this.out
      .get(this.row)
      .get(v)
      .memory(Op.store, n * ROW_BYTES);
  }

  /** Code of the round's writes, of these registers among them, after what has been emitted since `startRound`. */
  finishRound(registers: ReadonlySet<number> = new Set()): Code {
    for (const emit of this.commits) emit();
    for (const n of registers) this.writeBack(n);
    for (const p of this.writtenPreds) {
      let out = this.predicateOut.get(p);
      if (out === undefined) {
        out = this.local(Type.i32);
        this.predicateOut.set(p, out);
      }
      this.out.get(out).get(this.preds.get(p)!).op(Op.i32x4Bitmask).get(this.shift).op(Op.i32Shl).op(Op.i32Or).set(out);
    }
    for (const [m, n] of this.underMask) {
      this.out.get(this.count).get(m).op(Op.i32x4Bitmask).op(Op.i32Popcnt);
      if (n > 1) this.out.i32(n).op(Op.i32Mul);
      this.out.op(Op.i32Add).set(this.count);
    }
    return this.out;
  }

  /** Stores a lane mask into the rows of a convergence barrier. */
  setConvergence(barrier: number, mask: V): void {
    const offset = CONVERGENCE + barrier * ROW_BYTES;
    this.commit(() => {
      const next = this.full
        ? mask
        : (() => {
            const old = this.local();
            this.out.get(this.row).memory(Op.load, offset).set(old);
            return this.v(Op.bitselect, mask, old, this.activeLanes());
          })();
      this.out.get(this.row).get(next).memory(Op.store, offset);
    });
  }

  /** After the rounds: uniform registers, predicates, the number of threads. */
  epilogue(): Code {
    this.out = new Code();
    const { out } = this;
    for (const [n, v] of this.ownUniform)
      out
        .get(BASE)
        .get(v)
        .lane(Op.i32x4Extract, 0)
        .memory(Op.i32Store, UNIFORM + 4 * n);
    for (const [p, v] of this.ownUniformPreds)
      out
        .get(BASE)
        .get(v)
        .lane(Op.i32x4Extract, 0)
        .memory(Op.i32Store, PREDICATES + 4 * p);
    for (const [p, local] of this.predicateOut)
      out
        .get(BASE)
        .get(local)
        .memory(Op.i32Store, PREDICATES + 4 * p);
    out.get(this.count);
    const add = (n: number): void => {
      out.op(Op.i32Popcnt);
      if (n > 1) out.i32(n).op(Op.i32Mul);
      out.op(Op.i32Add);
    };
    if (this.plain > 0) {
      out.get(ACTIVE);
      add(this.plain);
    }
    for (const { index, not, n } of this.underGiven.values()) {
      const p = this.givenPredicate(index);
      out.get(ACTIVE).get(p);
      if (not) out.i32(-1).op(Op.i32Xor);
      out.op(Op.i32And);
      add(n);
    }
    for (const { mask } of this.underUniform) {
      out.get(ACTIVE).get(mask).lane(Op.i32x4Extract, 0).op(Op.i32And);
      add(1);
    }
    return out;
  }
}
