/** Random functions on virtual registers, for properties of the allocator: any control flow, all files and widths. */
import { Builder, type Func, guardOn, newFunc, operand } from "../../lib/ori/index.js";
import { type Block, File, type Guard, type Operand } from "../../lib/ori/types.js";
import { type TargetName, target } from "../../lib/target/index.js";

const { constIndexed, imm, reg, register, RZ } = operand;

export interface Shape {
  readonly seed: number;
  readonly blocks: number;
  /** Instructions per block. */
  readonly length: number;
  /** Values per file and width. */
  readonly values: number;
  /** Every value gets a definition at the start. */
  readonly defined: boolean;
}

/** A small generator of pseudo-random numbers (xorshift), the same on every machine. */
export function random(seed: number): (n: number) => number {
  let x = (seed * 2654435761 + 12345) | 0 || 1;
  return (n) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % n;
  };
}

export function randomFunc(shape: Shape, sm: TargetName = "sm_90"): Func {
  return new Maker(shape, sm).make();
}

class Maker {
  private readonly shape: Shape;
  private readonly pick: (n: number) => number;
  private readonly b: Builder;
  private readonly singles: Operand[] = [];
  private readonly pairs: Operand[] = [];
  private readonly quads: Operand[] = [];
  private readonly uniforms: Operand[] = [];
  private readonly upairs: Operand[] = [];
  private readonly predicates: Operand[] = [];
  private readonly upredicates: Operand[] = [];

  constructor(shape: Shape, sm: TargetName) {
    this.shape = shape;
    this.pick = random(shape.seed);
    this.b = new Builder(newFunc("k", target(sm)));
    const n = shape.values;
    const fill = (list: Operand[], file: File, width: number, count: number): void => {
      for (let i = 0; i < count; i++) list.push(this.b.value(file, width));
    };
    fill(this.singles, File.R, 1, n);
    fill(this.pairs, File.R, 2, Math.ceil(n / 3));
    fill(this.quads, File.R, 4, Math.ceil(n / 6));
    fill(this.uniforms, File.UR, 1, Math.ceil(n / 3));
    fill(this.upairs, File.UR, 2, 1);
    fill(this.predicates, File.P, 1, Math.ceil(n / 3));
    fill(this.upredicates, File.UP, 1, Math.ceil(n / 5));
  }

  make(): Func {
    const { b, shape, pick } = this;
    const blocks = Array.from({ length: shape.blocks }, () => b.newBlock());
    blocks.forEach((block, i) => {
      b.start(block);
      block.freq = 1 << pick(6);
      if (i === 0 && shape.defined) this.defineAll();
      for (let k = 0; k < shape.length; k++) this.instruction();
      this.leave(blocks, i);
    });
    return b.finish();
  }

  private of(list: readonly Operand[]): Operand {
    const o = list[this.pick(list.length)] as Operand;
    return register(o.file, o.id, o.width);
  }

  /** One register: a single, or a part of a pair or quad. */
  private r(): Operand {
    const kind = this.pick(6);
    const o = this.of(kind === 0 ? this.pairs : kind === 1 ? this.quads : this.singles);
    return reg(o.id, 1, this.pick(o.width));
  }

  private r2(): Operand {
    if (this.pick(4) > 0) return this.of(this.pairs);
    return reg(this.of(this.quads).id, 2, 2 * this.pick(2));
  }

  private guard(): Guard | null {
    const kind = this.pick(5);
    if (kind > 1) return null;
    const p = this.of(kind === 0 || this.pick(3) > 0 ? this.predicates : this.predicates);
    return guardOn(p.file, p.id, this.pick(2) === 1);
  }

  private defineAll(): void {
    const { b } = this;
    for (const o of this.singles) b.emit("MOV", { d: o }, { b: imm(1) });
    for (const o of [...this.pairs, ...this.quads]) {
      for (let k = 0; k < o.width; k++) b.emit("MOV", { d: reg(o.id, 1, k) }, { b: imm(k) });
    }
    for (const o of [...this.uniforms, ...this.upairs]) {
      for (let k = 0; k < o.width; k++) b.emit("UMOV", { d: register(File.UR, o.id, 1, k) }, { b: imm(k) });
    }
    for (const o of this.predicates) b.emit("ISETP.NE.U32.AND", { p: o }, { a: this.of(this.singles), b: RZ() });
    for (const o of this.upredicates) {
      b.emit("UISETP.NE.U32.AND", { p: o }, { a: this.of(this.uniforms), b: operand.URZ() });
    }
  }

  private instruction(): void {
    const { b } = this;
    const options = { guard: this.guard() };
    switch (this.pick(14)) {
      case 0:
        return void b.emit("MOV", { d: this.r() }, { b: this.r() }, options);
      case 1:
        return void b.emit("MOV", { d: this.of(this.singles) }, { b: this.of(this.singles) });
      case 2: {
        const co = this.pick(2) === 0 ? { co: this.of(this.predicates) } : {};
        return void b.emit("IADD3", { d: this.r(), ...co }, { a: this.r(), b: this.r(), c: this.r() }, options);
      }
      case 3:
        return void b.emit("IMAD.WIDE", { d: this.r2() }, { a: this.r(), b: this.r(), c: this.r2() }, options);
      case 4:
        return void b.emit(
          "LDG.E.128",
          { d: this.of(this.quads) },
          { base: this.r2(), desc: this.of(this.upairs) },
          options,
        );
      case 5:
        return void b.emit("STG.E.64", {}, { base: this.r2(), desc: this.of(this.upairs), data: this.r2() }, options);
      case 6:
        return void b.emit("STG.E", {}, { base: this.r2(), desc: this.of(this.upairs), data: this.r() }, options);
      case 7: {
        const [p, q] = [this.of(this.predicates), this.of(this.predicates)];
        const both = p.id === q.id ? { p } : { p, q };
        return void b.emit("ISETP.GE.AND", both, { a: this.r(), b: this.r(), pin: this.of(this.predicates) }, options);
      }
      case 8:
        return void b.emit(
          "SEL",
          { d: this.r() },
          { a: this.r(), b: this.r(), pin: this.of(this.predicates) },
          options,
        );
      case 9:
        return void b.emit("R2UR", { d: this.of(this.uniforms) }, { a: this.r() });
      case 10:
        return void b.emit(
          "LDC.64",
          { d: this.of(this.pairs) },
          { b: constIndexed(0, File.R, this.of(this.singles).id, 0x210, 2) },
          options,
        );
      case 11:
        return void b.emit("MOV", { d: this.r() }, { b: this.of(this.uniforms) }, options);
      case 12:
        return void b.emit(
          "UISETP.GE.AND",
          { p: this.of(this.upredicates) },
          { a: this.of(this.uniforms), b: this.of(this.uniforms) },
        );
      default:
        return void b.emit(
          "USEL",
          { d: this.of(this.uniforms) },
          {
            a: this.of(this.uniforms),
            b: this.of(this.uniforms),
            pin: this.of(this.upredicates),
          },
        );
    }
  }

  private leave(blocks: readonly Block[], i: number): void {
    const { b, pick } = this;
    if (i === blocks.length - 1) return void b.emit("EXIT");
    const to = blocks[1 + pick(blocks.length - 1)] as Block;
    const p = this.of(this.predicates);
    const kind = pick(5);
    if (kind < 3) b.emit("BRA", {}, { target: operand.label(to) }, { guard: guardOn(File.P, p.id, pick(2) === 1) });
    else if (kind === 3) b.emit("BRA", {}, { target: operand.label(to) });
    else if (pick(6) === 0) b.emit("EXIT", {}, {}, { guard: guardOn(File.P, p.id) });
  }
}
