/** Faults inside the SSA window, and a right function there. */
import { form } from "../../../lib/isa/form.js";
import { Builder } from "../../../lib/ori/builder.js";
import { guardOn, newFunc, newInst } from "../../../lib/ori/func.js";
import * as o from "../../../lib/ori/operand.js";
import { type Block, File, type Func, type Inst, type Operand } from "../../../lib/ori/types.js";
import { target } from "../../../lib/target/index.js";
import { type Fault, someBlock } from "./pick.js";

/** b0 → b1 | b2 → b3, with a phi in b3: inside the SSA window. */
export function ssaSample(): Func {
  const b = new Builder(newFunc("ssa", target("sm_90")));
  const [x, y, z] = [b.r(), b.r(), b.r()];
  const p = b.p();
  const [b1, b2, b3] = [b.newBlock(), b.newBlock(), b.newBlock()];
  b.emit("ISETP.GE.AND", [p], [o.RZ(), o.imm(8)]);
  b.branch(b2, guardOn(File.P, p.id));
  b.start(b1);
  b.emit("MOV", [x], [o.imm(1)]);
  b.branch(b3);
  b.start(b2);
  b.emit("MOV", [y], [o.imm(2)]);
  b.start(b3);
  const phi = b.emit("MOV.PHI", [z], [o.clone(x), o.clone(y)]);
  b.emit("STG.E", [], { base: o.RZ(2), data: o.clone(z) });
  b.exit();
  const func = b.finish();
  phi.srcs = b3.preds.map((from) => o.clone(from === b1 ? x : y));
  func.milestone = "ssa";
  return func;
}

export const inWindow: readonly Fault[] = [
  {
    what: "a second definition",
    rule: "single-definition",
    make: (f, n) => {
      const b = someBlock(f, n, (x) => x.succs.length === 1);
      b.insts.unshift(
        newInst(f, form("MOV"), [o.clone((b.insts[0] as Inst).dsts[0] as Operand)], [o.imm(n(9)), o.imm(15)]),
      );
    },
  },
  {
    what: "a use that its definition does not dominate",
    rule: "dominated-use",
    make: (f) => {
      const b3 = f.blocks[3] as Block;
      (b3.insts[1]?.srcs.at(-1) as Operand).id = 0;
    },
  },
  {
    what: "phi sources exchanged",
    rule: "dominated-use",
    make: (f) => void f.blocks[3]?.insts[0]?.srcs.reverse(),
  },
  { what: "a phi lacks a source", rule: "phi", make: (f) => void f.blocks[3]?.insts[0]?.srcs.pop() },
  {
    what: "a phi after other code",
    rule: "phi",
    make: (f) => {
      const insts = f.blocks[3]?.insts as Inst[];
      insts.unshift(insts.splice(1, 1)[0] as Inst);
    },
  },
];
