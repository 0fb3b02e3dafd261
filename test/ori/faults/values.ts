/** Faults of values, guards and what an SM has. */
import { form } from "../../../lib/isa/form.js";
import { newInst } from "../../../lib/ori/func.js";
import * as o from "../../../lib/ori/operand.js";
import { type Block, File, type Inst, Kind } from "../../../lib/ori/types.js";
import { ends, type Fault, hasReg, isReg, regOf, someBlock, where } from "./pick.js";

export const onValues: readonly Fault[] = [
  {
    what: "a fresh register is read",
    rule: "undefined",
    make: (f, n) => {
      const x = regOf(where(f, n, hasReg)[1], n);
      x.id = f.values.add(x.file, f.values.width(x.id));
    },
  },
  {
    what: "the only definition is gone",
    rule: "undefined",
    make: (f, n) => {
      const used = new Set(f.blocks.flatMap((b) => b.insts.flatMap((i) => i.srcs.filter(isReg).map((x) => x.id))));
      const count = (id: number): number =>
        f.blocks.flatMap((b) => b.insts.flatMap((i) => i.dsts)).filter((d) => d.id === id && d.kind === Kind.Reg)
          .length;
      const [block, inst] = where(
        f,
        n,
        (i) => !ends(i) && i.dsts.some((d) => isReg(d) && used.has(d.id) && count(d.id) === 1),
      );
      block.insts.splice(block.insts.indexOf(inst), 1);
    },
  },
  {
    what: "one half of a pair stays undefined",
    rule: "undefined",
    make: (f, n) => {
      const [block, inst] = where(f, n, (i) => i.dsts.some((d) => isReg(d) && f.values.width(d.id) === 2));
      block.insts.splice(block.insts.indexOf(inst), 1);
    },
  },
  {
    what: "defined on one path only",
    rule: "undefined",
    make: (f) => {
      const [block, inst] = where(
        f,
        () => 0,
        (i) => i.form.op === "S2R",
      );
      block.insts.splice(block.insts.indexOf(inst), 1);
      (f.blocks[2] as Block).insts.unshift(inst);
    },
  },
  {
    what: "the definition stands after the use",
    rule: "undefined",
    make: (f) => {
      const first = f.blocks[0] as Block;
      const at = first.insts.findIndex((i) => i.form.op === "ISETP");
      const [setp] = first.insts.splice(at, 1);
      const [move] = first.insts.splice(1, 1);
      first.insts.splice(1, 0, setp as Inst);
      first.insts.splice(2, 0, move as Inst);
    },
  },
  {
    what: "a pseudo instruction after expansion",
    rule: "pseudo",
    make: (f, n) => {
      const x = f.values.add(File.R);
      someBlock(f, n).insts.unshift(newInst(f, form("PCOPY"), [o.reg(x)], [o.RZ()]));
    },
  },
  {
    what: "a phi outside the window",
    rule: "pseudo",
    make: (f, n) => {
      const b = someBlock(f, n, (x) => x.preds.length > 0);
      b.insts.unshift(
        newInst(
          f,
          form("MOV.PHI"),
          [o.reg(f.values.add(File.R))],
          b.preds.map(() => o.RZ()),
        ),
      );
    },
  },
  {
    what: "physical registers before allocation",
    rule: "mode",
    make: (f) => {
      f.virtual = false;
      f.used = { R: 255, UR: 63, P: 7, UP: 7, B: 16 };
    },
  },
  {
    what: "virtual registers after allocation",
    rule: "mode",
    make: (f) => {
      f.milestone = "allocated";
    },
  },
  {
    what: "a bound value that sticks out of the file",
    rule: "fixed",
    make: (f, n) => void f.values.add(File.R, 4, "", 252 + n(3)),
  },
  {
    what: "an instruction that the SM lacks",
    rule: "supported",
    make: (f, n) => {
      f.milestone = "unsupported-ops-gone";
      const b = someBlock(f, n);
      b.insts.unshift(newInst(f, form("LDCU"), [o.ureg(f.values.add(File.UR))], [o.constBank(0, 0)]));
    },
  },
];
