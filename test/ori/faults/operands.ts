import { guardOn } from "../../../lib/ori/func.js";
import * as o from "../../../lib/ori/operand.js";
import { type Block, File, Kind, type Operand } from "../../../lib/ori/types.js";
import { type Fault, hasReg, isReg, regOf, where } from "./pick.js";

export const onOperands: readonly Fault[] = [
  { what: "a source is missing", rule: "operand-count", make: (f, n) => void where(f, n, hasReg)[1].srcs.pop() },
  {
    what: "a definition too many",
    rule: "operand-count",
    make: (f, n) => void where(f, n, () => true)[1].dsts.push(o.PT()),
  },
  {
    what: "a register of the wrong file",
    rule: "operand-kind",
    make: (f, n) => {
      const x = regOf(where(f, n, (i) => i.srcs.some((s) => isReg(s) && s.file === File.R))[1], n);
      x.file = x.file === File.P ? File.R : File.P;
    },
  },
  {
    what: "a label where a register belongs",
    rule: "operand-kind",
    make: (f, n) => {
      const [, inst] = where(f, n, hasReg);
      inst.srcs[inst.srcs.findIndex(isReg)] = o.label(f.blocks[0] as Block);
    },
  },
  {
    what: "a pair where one register belongs",
    rule: "operand-width",
    make: (f, n) => {
      const [, inst] = where(f, n, (i) => i.form.op === "IADD3");
      inst.srcs[0] = o.reg(f.values.add(File.R, 2), 2);
    },
  },
  {
    what: "half an address",
    rule: "operand-width",
    make: (f, n) => {
      const [, inst] = where(f, n, (i) => i.form.memory?.space === "global");
      (inst.srcs[0] as Operand).width = 1;
    },
  },
  {
    what: "a signed immediate",
    rule: "operand-value",
    make: (f, n) => {
      const [, inst] = where(f, n, (i) => i.srcs.some((x) => x.kind === Kind.Imm));
      (inst.srcs.find((x) => x.kind === Kind.Imm) as Operand).value = -1 - n(9);
    },
  },
  {
    what: "no such constant bank",
    rule: "operand-value",
    make: (f, n) => {
      const [, inst] = where(f, n, (i) => i.srcs.some((x) => x.kind === Kind.Const));
      (inst.srcs.find((x) => x.kind === Kind.Const) as Operand).id = 32 + n(9);
    },
  },
  {
    what: "a value that does not exist",
    rule: "value",
    make: (f, n) => {
      regOf(where(f, n, hasReg)[1], n).id = f.values.count + n(4);
    },
  },
  {
    what: "a part outside the value",
    rule: "value",
    make: (f, n) => {
      regOf(where(f, n, hasReg)[1], n).sub += 4;
    },
  },
  {
    what: "a value of another file",
    rule: "value",
    make: (f, n) => {
      regOf(where(f, n, hasReg)[1], n).id = f.values.add(File.B);
    },
  },
  {
    what: "a part of RZ",
    rule: "zero-register",
    make: (f, n) => {
      const [, inst] = where(f, n, (i) => i.srcs.some((x) => x.kind === Kind.Reg && x.id === -1));
      (inst.srcs.find((x) => x.kind === Kind.Reg && x.id === -1) as Operand).sub = 1;
    },
  },
  {
    what: "a negated definition",
    rule: "definition",
    make: (f, n) => {
      const [, inst] = where(f, n, (i) => i.dsts.some(isReg));
      const at = inst.dsts.findIndex(isReg);
      inst.dsts[at] = o.neg(inst.dsts[at] as Operand);
    },
  },
  {
    what: "an immediate as definition",
    rule: "definition",
    make: (f, n) => {
      const [, inst] = where(f, n, (i) => i.dsts.some(isReg));
      inst.dsts[inst.dsts.findIndex(isReg)] = o.imm(3);
    },
  },
  {
    what: "one register defined twice",
    rule: "double-definition",
    make: (f, n) => {
      const [, inst] = where(f, n, (i) => i.form.op === "ISETP");
      inst.dsts[1] = o.clone(inst.dsts[0] as Operand);
    },
  },
  {
    what: "guarded by an R register",
    rule: "guard",
    make: (f, n) => {
      where(f, n, () => true)[1].guard = guardOn(File.R, 0);
    },
  },
  {
    what: "guarded by a value that is no predicate",
    rule: "value",
    make: (f, n) => {
      where(f, n, () => true)[1].guard = guardOn(File.P, f.values.add(File.R));
    },
  },
];
