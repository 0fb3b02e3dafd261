import { Builder } from "../../../lib/ori/builder.js";
import { guardOn, newFunc } from "../../../lib/ori/func.js";
import * as o from "../../../lib/ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand } from "../../../lib/ori/types.js";
import type { Rule } from "../../../lib/ori/verify.js";
import { target } from "../../../lib/target/index.js";

/** Deterministic numbers for choosing places. */
export function numbers(seed: number): (below: number) => number {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
}

export type Pick = (below: number) => number;

/** A function with a bit of everything: guards, pairs, loads, branches, a loop, an early exit, a region. */
export function sample(): Func {
  const b = new Builder(newFunc("sample", target("sm_90")));
  const [x, y, z] = [b.r(1, "%r1"), b.r(1, "%r2"), b.r()];
  const addr = b.r(2, "%rd1");
  const quad = b.r(4);
  const desc = b.ur(2);
  const [p, q] = [b.p("%p1"), b.p()];
  const bar = b.b();
  const [loop, then, join, out] = [b.newBlock("loop"), b.newBlock(), b.newBlock("join"), b.newBlock("out")];
  b.emit("MOV", [x], [o.imm(0)]);
  b.emit("S2R", [y], [o.sreg(0x21)]);
  b.emit("MOV", [o.lo(addr)], [o.constBank(0, 0x210)]);
  b.emit("MOV", [o.hi(addr)], [o.constBank(0, 0x214)]);
  b.emit("R2UR", [o.lo(desc)], [o.clone(x)]);
  b.emit("R2UR", [o.hi(desc)], [o.clone(y)]);
  b.emit("ISETP.GE.AND", [p, q], [o.clone(y), o.imm(8)]);
  b.emit("EXIT", [], [], { guard: guardOn(File.P, p.id) });
  b.start(loop);
  b.emit("BSSY", [bar], [o.label(join)]);
  b.branch(join, guardOn(File.P, q.id, true));
  b.start(then);
  b.emit("LDG.E.128", { d: quad }, { base: o.clone(addr), desc: o.clone(desc), off: o.imm(16) });
  b.emit("IADD3", [z], [o.part(quad, 0), o.neg(o.part(quad, 3)), o.clone(y)]);
  b.emit("STG.E", [], { base: o.clone(addr), desc: o.clone(desc), data: o.clone(z) });
  b.start(join);
  b.emit("BSYNC", [], [o.clone(bar)]);
  b.emit("IADD3", [o.clone(x)], [o.clone(x), o.imm(1), o.RZ()]);
  b.emit("ISETP.LT.AND", [o.clone(q)], [o.clone(x), o.imm(100)]);
  b.branch(loop, guardOn(File.P, q.id));
  b.start(out);
  b.emit("STG.E", [], { base: o.clone(addr), desc: o.clone(desc), data: o.clone(x) });
  b.exit();
  const func = b.finish();
  func.milestone = "expanded";
  return func;
}

export const where = (func: Func, pick: Pick, fits: (inst: Inst) => boolean): [Block, Inst] => {
  const all = func.blocks.flatMap((b) => b.insts.filter(fits).map((i): [Block, Inst] => [b, i]));
  return all[pick(all.length)] as [Block, Inst];
};
export const someBlock = (func: Func, pick: Pick, fits: (b: Block) => boolean = () => true): Block => {
  const all = func.blocks.filter(fits);
  return all[pick(all.length)] as Block;
};
export const isReg = (x: Operand): boolean => x.kind === Kind.Reg && x.id >= 0;
export const hasReg = (inst: Inst): boolean => inst.srcs.some(isReg);
export const regOf = (inst: Inst, pick: Pick): Operand => {
  const all = inst.srcs.filter(isReg);
  return all[pick(all.length)] as Operand;
};
export const ends = (inst: Inst): boolean => ["branch", "exit"].includes(inst.form.flow);

export interface Fault {
  readonly what: string;
  readonly rule: Rule;
  readonly physical?: boolean;
  readonly make: (func: Func, pick: Pick) => void;
}
