/** Bit vectors as SMT-LIB terms: each operation becomes a definition, so that a term is as short as its name. */
export interface Term {
  readonly text: string;
  readonly width: number;
}

export class Terms {
  readonly lines: string[] = [];
  private count = 0;

  variable(name: string, width: number): Term {
    this.lines.push(`(declare-const ${name} (_ BitVec ${width}))`);
    return { text: name, width };
  }

  constant(value: number | bigint, width: number): Term {
    return { text: `(_ bv${BigInt.asUintN(width, BigInt(value))} ${width})`, width };
  }

  private define(text: string, width: number): Term {
    const name = `t${this.count++}`;
    this.lines.push(`(define-fun ${name} () (_ BitVec ${width}) ${text})`);
    return { text: name, width };
  }

  private same(op: string, a: Term, b: Term): Term {
    if (a.width !== b.width) throw new Error(`${op}: ${a.width} and ${b.width} bits`);
    return this.define(`(${op} ${a.text} ${b.text})`, a.width);
  }

  add = (a: Term, b: Term): Term => this.same("bvadd", a, b);
  sub = (a: Term, b: Term): Term => this.same("bvsub", a, b);
  mul = (a: Term, b: Term): Term => this.same("bvmul", a, b);
  and = (a: Term, b: Term): Term => this.same("bvand", a, b);
  or = (a: Term, b: Term): Term => this.same("bvor", a, b);
  xor = (a: Term, b: Term): Term => this.same("bvxor", a, b);
  shl = (a: Term, b: Term): Term => this.same("bvshl", a, b);
  lshr = (a: Term, b: Term): Term => this.same("bvlshr", a, b);
  ashr = (a: Term, b: Term): Term => this.same("bvashr", a, b);
  not = (a: Term): Term => this.define(`(bvnot ${a.text})`, a.width);
  neg = (a: Term): Term => this.define(`(bvneg ${a.text})`, a.width);
  concat = (hi: Term, lo: Term): Term => this.define(`(concat ${hi.text} ${lo.text})`, hi.width + lo.width);
  extract = (hi: number, lo: number, a: Term): Term => this.define(`((_ extract ${hi} ${lo}) ${a.text})`, hi - lo + 1);
  zext = (a: Term, width: number): Term =>
    a.width === width ? a : this.define(`((_ zero_extend ${width - a.width}) ${a.text})`, width);
  sext = (a: Term, width: number): Term =>
    a.width === width ? a : this.define(`((_ sign_extend ${width - a.width}) ${a.text})`, width);
  /** Relations are vectors of one bit. */
  private relation(op: string, a: Term, b: Term): Term {
    if (a.width !== b.width) throw new Error(`${op}: ${a.width} and ${b.width} bits`);
    return this.define(`(ite (${op} ${a.text} ${b.text}) #b1 #b0)`, 1);
  }
  eq = (a: Term, b: Term): Term => this.relation("=", a, b);
  ult = (a: Term, b: Term): Term => this.relation("bvult", a, b);
  ule = (a: Term, b: Term): Term => this.relation("bvule", a, b);
  slt = (a: Term, b: Term): Term => this.relation("bvslt", a, b);
  sle = (a: Term, b: Term): Term => this.relation("bvsle", a, b);
  ite = (c: Term, a: Term, b: Term): Term => this.define(`(ite (= ${c.text} #b1) ${a.text} ${b.text})`, a.width);
}
