/** Faults of blocks and edges. */
import { form } from "../../../lib/isa/form.js";
import { newInst } from "../../../lib/ori/func.js";
import * as o from "../../../lib/ori/operand.js";
import { type Block, File, Kind, type Operand } from "../../../lib/ori/types.js";
import { ends, type Fault, someBlock, where } from "./pick.js";

export const structural: readonly Fault[] = [
  { what: "no blocks", rule: "empty", make: (f) => void f.blocks.splice(0) },
  {
    what: "two blocks with one id",
    rule: "block-id",
    make: (f, n) => {
      (f.blocks[1 + n(f.blocks.length - 1)] as Block).id = (f.blocks[0] as Block).id;
    },
  },
  {
    what: "block id never given out",
    rule: "block-id",
    make: (f, n) => {
      someBlock(f, n).id = f.nextBlock + n(5);
    },
  },
  {
    what: "an instruction in two places",
    rule: "inst-id",
    make: (f, n) => {
      const [, inst] = where(f, n, (i) => !ends(i));
      someBlock(f, n).insts.unshift(inst);
    },
  },
  {
    what: "instruction id never given out",
    rule: "inst-id",
    make: (f, n) => {
      where(f, n, () => true)[1].id = f.nextInst + n(9);
    },
  },
  {
    what: "code after a transfer",
    rule: "transfer",
    make: (f, n) => {
      const block = someBlock(f, n, (b) => b.insts.some(ends));
      block.insts.push(newInst(f, form("NOP"), [], []));
    },
  },
  {
    what: "control runs off the end",
    rule: "falls-off",
    make: (f) => void (f.blocks[f.blocks.length - 1] as Block).insts.pop(),
  },
  {
    what: "a successor is missing",
    rule: "edges",
    make: (f, n) => {
      const b = someBlock(f, n, (x) => x.succs.length > 0);
      b.succs.splice(n(b.succs.length), 1);
    },
  },
  {
    what: "a successor too many",
    rule: "edges",
    make: (f, n) => {
      const b = someBlock(f, n, (x) => x.succs.length < f.blocks.length);
      b.succs.push(f.blocks.find((x) => !b.succs.includes(x)) as Block);
    },
  },
  {
    what: "successors in the wrong order",
    rule: "edges",
    make: (f, n) => void someBlock(f, n, (b) => b.succs.length === 2).succs.reverse(),
  },
  {
    what: "the branch goes elsewhere than the edge",
    rule: "edges",
    make: (f, n) => {
      const [b, inst] = where(f, n, (i) => i.form.flow === "branch");
      const label = inst.srcs.find((x) => x.kind === Kind.Label) as Operand;
      label.id = (f.blocks.find((x) => !b.succs.includes(x)) as Block).id;
    },
  },
  {
    what: "layout changed under a fall-through",
    rule: "edges",
    make: (f) => {
      const [b] = f.blocks.splice(1, 1);
      f.blocks.push(b as Block);
    },
  },
  {
    what: "a predecessor is missing",
    rule: "preds",
    make: (f, n) => void someBlock(f, n, (b) => b.preds.length > 0).preds.pop(),
  },
  {
    what: "a predecessor twice",
    rule: "preds",
    make: (f, n) => {
      const b = someBlock(f, n, (x) => x.preds.length > 0);
      b.preds.push(b.preds[0] as Block);
    },
  },
  {
    what: "a label to a block that is gone",
    rule: "label",
    make: (f, n) => {
      const [, inst] = where(f, n, (i) => i.srcs.some((x) => x.kind === Kind.Label));
      (inst.srcs.find((x) => x.kind === Kind.Label) as Operand).id = f.nextBlock + n(3);
    },
  },
  {
    what: "an indirect branch without targets",
    rule: "indirect",
    make: (f) => {
      const last = f.blocks[f.blocks.length - 1] as Block;
      const address = f.values.add(File.R, 2);
      last.insts[last.insts.length - 1] = newInst(f, form("BRX"), [], [o.PT(), o.reg(address, 2), o.label(last)]);
    },
  },
];
