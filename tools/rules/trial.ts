/**
 * Both sides of a rule on machine operands, in the simulator: a kernel that loads operands, computes the left and the right side, and
 * stores what each gives. Bit by bit, but that all NaNs of a float count as one: PTX leaves their bits open.
 */
import { link } from "../../lib/elf/index.js";
import { form } from "../../lib/isa/form.js";
import type { Form } from "../../lib/isa/types.js";
import { lower } from "../../lib/lower/index.js";
import { newInst } from "../../lib/ori/func.js";
import { clone, imm, neg, notPT, PT, preg, RZ, register } from "../../lib/ori/operand.js";
import { slotDefault } from "../../lib/ori/slots.js";
import { File, type Func, type Inst, Kind, Mod, type Operand } from "../../lib/ori/types.js";
import { runPhases } from "../../lib/phases/index.js";
import { parse } from "../../lib/ptx/index.js";
import { unwrap } from "../../lib/result.js";
import { evaluate } from "../../lib/rules/expression.js";
import type { PatternInst, PatternOperand, Rule } from "../../lib/rules/syntax.js";
import { encodeFunc } from "../../lib/sass/index.js";
import { simulate } from "../../lib/sim/index.js";
import type { TargetName } from "../../lib/target/index.js";

const WORDS = 8;

const frame = (target: string): string => `.version 9.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 i, l, u, r, s; .reg .b64 z, o, g; .reg .b32 w<8>; .reg .pred p<3>; .reg .b64 x, y;
  ld.param.u64 z, [in]; ld.param.u64 o, [out]; mov.u32 i, %ctaid.x; mov.u32 l, %ntid.x; mov.u32 u, %tid.x; mad.lo.u32 i, i, l, u;
  mul.wide.u32 g, i, 32; add.u64 z, z, g; mul.wide.u32 g, i, 32; add.u64 o, o, g;
  ${Array.from({ length: WORDS }, (_, k) => `ld.global.u32 w${k}, [z+${4 * k}];`).join(" ")}
  ld.global.u64 x, [z]; ld.global.u64 y, [z+8];
  { .reg .b32 t; ${[0, 1, 2].map((k) => `and.b32 t, w${7 - k}, ${1 << k}; setp.ne.u32 p${k}, t, 0;`).join(" ")} }
  mov.u32 r, 0x5eed; st.global.u32 [o], r;
  ret;
}`;

export interface Trial {
  readonly target: TargetName;
  /** Values of the rule's literals. */
  readonly literals: ReadonlyMap<string, number>;
}

/** Does the form compute floats of this width? 0: none. */
export function floatBits(f: Form): 0 | 16 | 32 | 64 {
  if (/^(F(ADD|MUL|FMA|MNMX|MNMX3|SEL|RND)|MUFU)$/.test(f.op)) return 32;
  if (/^H(ADD2|MUL2|FMA2|MNMX2)$/.test(f.op)) return 16;
  return /^D(ADD|MUL|FMA)$/.test(f.op) ? 64 : 0;
}

/** Runs both sides for each row of eight words; the first row on which they differ, null: they are equal on all. */
export function differs(rule: Rule, trial: Trial, operands: Uint32Array): Uint32Array | null {
  const text = frame(trial.target);
  const program = unwrap(lower(unwrap(parse(text)), { target: trial.target }));
  const func = program.funcs[0] as Func;
  const results = new Build(func, rule, trial.literals).place();
  unwrap(runPhases(func, { level: 0 }));
  const cubin = unwrap(link([encodeFunc(func)], program));
  const rows = operands.length / WORDS;
  const out = new Uint32Array(rows * WORDS);
  const ran = unwrap(simulate(cubin, { kernel: "k", grid: rows / 128, block: 128, params: [operands, out] }));
  if (ran.fault !== null) throw new Error(`${rule.name}: the trial faults`);
  const bits = floatBits(rule.left.form);
  for (let n = 0; n < rows; n++) {
    const row = out.subarray(n * WORDS, n * WORDS + WORDS);
    for (let k = 0; k < results; k++) if (!same(row, 2 * k, bits)) return operands.slice(n * WORDS, n * WORDS + WORDS);
  }
  return null;
}

/** The left side alone on loaded operands: a function on which the rule must fire. */
export function leftSide(rule: Rule, trial: Trial): Func {
  const program = unwrap(lower(unwrap(parse(frame(trial.target))), { target: trial.target }));
  const func = program.funcs[0] as Func;
  new Build(func, rule, trial.literals).place([rule.left]);
  return func;
}

const scratch = new DataView(new ArrayBuffer(8));

/** Results of two words at most: the left in words 0 and 1, the right in 4 and 5. */
function same(row: Uint32Array, at: number, bits: 0 | 16 | 32 | 64): boolean {
  const nan = (lo: number, hi: number): boolean => {
    scratch.setUint32(0, lo, true);
    scratch.setUint32(4, hi, true);
    return bits === 32 ? Number.isNaN(scratch.getFloat32(0, true)) : Number.isNaN(scratch.getFloat64(0, true));
  };
  const [a, b, c, d] = [row[at]!, row[at + 1]!, row[at + 4]!, row[at + 5]!];
  if (a === c && b === d) return true;
  if (bits === 16)
    return [0, 16].every(
      (s) => ((a >>> s) & 0xffff) === ((c >>> s) & 0xffff) || (halfNan(a >>> s) && halfNan(c >>> s)),
    );
  return bits !== 0 && nan(a, b) && nan(c, d);
}

const halfNan = (h: number): boolean => (h & 0x7c00) === 0x7c00 && (h & 0x3ff) !== 0;

class Build {
  private readonly func: Func;
  private readonly rule: Rule;
  private readonly literals: ReadonlyMap<string, number>;
  private readonly out: Inst[] = [];
  private readonly named = new Map<string, Operand>();
  private readonly taken = { R: 0, pair: 0, P: 0 };
  /** Results of inner instructions that others may read, too. */
  private readonly shared: Operand[] = [];

  constructor(func: Func, rule: Rule, literals: ReadonlyMap<string, number>) {
    this.func = func;
    this.rule = rule;
    this.literals = literals;
  }

  /** Puts the sides and their stores in the place of the frame's store; returns how many results are compared. */
  place(patterns: readonly PatternInst[] = [this.rule.left, this.rule.right]): number {
    for (const block of this.func.blocks) {
      const at = block.insts.findIndex((i) => i.srcs[0]?.kind === Kind.Imm && i.srcs[0].value === 0x5eed);
      if (at < 0) continue;
      const from = block.insts.findIndex((i, k) => k > at && i.form.memory?.access === "store");
      const store = block.insts[from] as Inst;
      const sides = patterns.map((s) => this.side(s));
      sides.forEach((words, s) => {
        for (const [k, w] of words.entries()) this.store(store, w, 16 * s + 4 * k);
      });
      if (patterns.length === 1) for (const d of this.shared) this.store(store, clone(d), 24);
      block.insts.splice(at, from - at + 1, ...this.out);
      return 1;
    }
    throw new Error("the frame has no mark");
  }

  private store(like: Inst, word: Operand, offset: number): void {
    const { form } = like;
    const srcs = like.srcs.map((o, k) => {
      const { name } = form.srcs[k]!;
      return name === "data" ? clone(word) : name === "off" ? imm(offset) : clone(o);
    });
    this.out.push(newInst(this.func, form, [], srcs));
  }

  /** The words that a side computes, two at most. */
  private side(i: PatternInst): Operand[] {
    const { func } = this;
    const results: Operand[] = [];
    const dsts = i.dsts.map((d, k) => {
      const slot = i.form.dsts[k]!;
      if (d.is !== "name") return slotDefault(slot);
      const width = Math.max(1, slot.width);
      const r = register(slot.file, func.values.add(slot.file, width), width);
      results.push(r);
      return r;
    });
    this.emit(i, dsts);
    return results.flatMap((r) => (r.file === File.P ? [this.flag(r)] : halves(r)));
  }

  private flag(p: Operand): Operand {
    const d = register(File.R, this.func.values.add(File.R));
    this.out.push(newInst(this.func, form("SEL"), [d], [RZ(), imm(1), { ...clone(p), mods: Mod.Not }]));
    return d;
  }

  private emit(i: PatternInst, dsts: Operand[]): void {
    const srcs = i.srcs.map((s, k) => this.operand(s, i.form, k));
    this.out.push(newInst(this.func, i.form, dsts, srcs));
  }

  private operand(p: PatternOperand, f: Form, k: number): Operand {
    const slot = f.srcs[k]!;
    switch (p.is) {
      case "default":
        return slotDefault(slot);
      case "zero":
        if (p.predicate) return p.not ? notPT() : PT();
        return p.not ? neg(RZ(Math.max(1, slot.width))) : RZ(Math.max(1, slot.width));
      case "literal": {
        const value = evaluate(p.value, (n) => this.literals.get(n) ?? 0);
        return slot.accepts.includes("imm") ? imm(value) : this.inRegister(value);
      }
      case "inner": {
        const forms = p.inst.form.dsts;
        const at = forms.findIndex((d) => d.optional === null);
        const width = Math.max(1, forms[at]!.width);
        const d = register(forms[at]!.file, this.func.values.add(forms[at]!.file, width), width);
        this.emit(
          p.inst,
          forms.map((s, n) => (n === at ? d : slotDefault(s))),
        );
        if (p.name !== null) this.named.set(p.name, clone(d));
        if (p.shared && d.file === File.R && d.width === 1) this.shared.push(d);
        return { ...clone(d), mods: bitsOf(p.mods) };
      }
      default: {
        const o = clone(this.variable(p.name, slot.file === File.P, p.half === null ? Math.max(1, slot.width) : 2));
        if (p.half !== null) {
          o.sub += p.half;
          o.width = 1;
        }
        o.mods = p.mods === "any" ? 0 : bitsOf(p.mods);
        return o;
      }
    }
  }

  private inRegister(value: number): Operand {
    const d = register(File.R, this.func.values.add(File.R));
    const mov = form("MOV");
    this.out.push(newInst(this.func, mov, [d], [imm(value), ...mov.srcs.slice(1).map(slotDefault)]));
    return clone(d);
  }

  private variable(name: string, predicate: boolean, width: number): Operand {
    const known = this.named.get(name);
    if (known !== undefined) return known;
    const word = predicate ? `p${this.taken.P++}` : width === 2 ? ["x", "y"][this.taken.pair++] : `w${this.taken.R++}`;
    let id = -1;
    for (let v = 0; v < this.func.values.count && id < 0; v++)
      if (this.func.values.name(v).replace(/^%/, "") === word) id = v;
    if (id < 0) throw new Error(`${this.rule.name}: the frame has no ${word}`);
    const o = predicate ? preg(id) : register(File.R, id, width);
    this.named.set(name, o);
    return o;
  }
}

function halves(r: Operand): Operand[] {
  return Array.from({ length: r.width }, (_, k) => ({ ...clone(r), sub: r.sub + k, width: 1 }));
}

function bitsOf(m: string): number {
  return m === "-" ? Mod.Neg : m === "~" || m === "!" ? Mod.Not : m === "|" ? Mod.Abs : 0;
}
