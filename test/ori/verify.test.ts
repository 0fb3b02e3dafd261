/**
 * The verifier must be silent on right functions and catch faults. Each fault below breaks one stated rule of a right
 * function, so it is a fault by the rule's definition; it counts as caught when a finding names that rule.
 */
import * as fc from "fast-check";
import { form } from "../../lib/isa/form.js";
import { Builder } from "../../lib/ori/builder.js";
import { guardOn, newFunc, newInst, snapshot } from "../../lib/ori/func.js";
import * as o from "../../lib/ori/operand.js";
import { parseFunc } from "../../lib/ori/parse.js";
import { type Block, type Control, File, type Func, type Inst, Kind, type Operand } from "../../lib/ori/types.js";
import { type Rule, rules, undefinedValues, verify } from "../../lib/ori/verify.js";
import { target } from "../../lib/target/index.js";
import { makePhysical } from "./physical.js";
import { build, type Plan, plans } from "./random.js";

/** Deterministic numbers for choosing places. */
function numbers(seed: number): (below: number) => number {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
}

type Pick = (below: number) => number;

/** A function with a bit of everything: guards, pairs, loads, branches, a loop, an early exit, a region. */
function sample(): Func {
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

const where = (func: Func, pick: Pick, fits: (inst: Inst) => boolean): [Block, Inst] => {
  const all = func.blocks.flatMap((b) => b.insts.filter(fits).map((i): [Block, Inst] => [b, i]));
  return all[pick(all.length)] as [Block, Inst];
};
const someBlock = (func: Func, pick: Pick, fits: (b: Block) => boolean = () => true): Block => {
  const all = func.blocks.filter(fits);
  return all[pick(all.length)] as Block;
};
const isReg = (x: Operand): boolean => x.kind === Kind.Reg && x.id >= 0;
const hasReg = (inst: Inst): boolean => inst.srcs.some(isReg);
const regOf = (inst: Inst, pick: Pick): Operand => {
  const all = inst.srcs.filter(isReg);
  return all[pick(all.length)] as Operand;
};
const ends = (inst: Inst): boolean => ["branch", "exit"].includes(inst.form.flow);

interface Fault {
  readonly what: string;
  readonly rule: Rule;
  readonly physical?: boolean;
  readonly make: (func: Func, pick: Pick) => void;
}

const structural: readonly Fault[] = [
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
    what: "code behind a transfer",
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

const onOperands: readonly Fault[] = [
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

const onValues: readonly Fault[] = [
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
    what: "the definition stands behind the use",
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

const control = (change: Partial<Control>): Fault["make"] => {
  return (f, n) => {
    Object.assign(where(f, n, () => true)[1].control as Control, change);
  };
};

const onPhysical: readonly Fault[] = [
  {
    what: "a pair at an odd register",
    rule: "alignment",
    physical: true,
    make: (f, n) => {
      const [, inst] = where(f, n, (i) => i.srcs.some((x) => isReg(x) && x.width === 2));
      (inst.srcs.find((x) => isReg(x) && x.width === 2) as Operand).id |= 1;
    },
  },
  {
    what: "a quad at a multiple of two",
    rule: "alignment",
    physical: true,
    make: (f) => {
      const [, inst] = where(
        f,
        () => 0,
        (i) => i.dsts.some((x) => x.width === 4),
      );
      (inst.dsts.find((x) => x.width === 4) as Operand).id += 2;
    },
  },
  {
    what: "a register beyond the file",
    rule: "range",
    physical: true,
    make: (f, n) => {
      const x = regOf(where(f, n, (i) => i.srcs.some((s) => isReg(s) && s.file === File.R))[1], n);
      x.id = { [File.R]: 256, [File.UR]: 64, [File.P]: 8, [File.UP]: 8, [File.B]: 16 }[x.file as number] as number;
    },
  },
  {
    what: "more registers than counted",
    rule: "used",
    physical: true,
    make: (f) => {
      f.used.R = 3;
    },
  },
  {
    what: "predicates not counted",
    rule: "used",
    physical: true,
    make: (f) => {
      f.used.P = 0;
    },
  },
  {
    what: "a part of a physical register",
    rule: "mode",
    physical: true,
    make: (f, n) => {
      regOf(where(f, n, hasReg)[1], n).sub = 1;
    },
  },
  {
    what: "no control word",
    rule: "control-missing",
    physical: true,
    make: (f, n) => {
      where(f, n, () => true)[1].control = null;
    },
  },
  {
    what: "overlapping definitions",
    rule: "double-definition",
    physical: true,
    make: (f) => {
      const [, inst] = where(
        f,
        () => 0,
        (i) => i.form.op === "ISETP" && isReg(i.dsts[1] as Operand),
      );
      (inst.dsts[1] as Operand).id = (inst.dsts[0] as Operand).id;
    },
  },
  {
    what: "a register nothing wrote",
    rule: "undefined",
    physical: true,
    make: (f, n) => {
      const x = regOf(where(f, n, (i) => i.srcs.some((s) => isReg(s) && s.file === File.R))[1], n);
      const file = x.file;
      f.used = { ...f.used, R: 200, P: 7, UR: 62, B: 16 };
      x.id = { [File.R]: 100, [File.UR]: 60, [File.P]: 6, [File.B]: 15 }[file as number] as number;
    },
  },
  { what: "stall 16", rule: "control-range", physical: true, make: control({ stall: 16 }) },
  { what: "yield 2", rule: "control-range", physical: true, make: control({ yield: 2 }) },
  { what: "scoreboard 6", rule: "control-range", physical: true, make: control({ writeSb: 6 }) },
  { what: "scoreboard 8", rule: "control-range", physical: true, make: control({ readSb: 8 }) },
  { what: "wait mask of 7 bits", rule: "control-range", physical: true, make: control({ wait: 64 }) },
  { what: "reuse of 5 slots", rule: "control-range", physical: true, make: control({ reuse: 16 }) },
];

/** b0 → b1 | b2 → b3, with a phi in b3: inside the SSA window. */
function ssaSample(): Func {
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

const inWindow: readonly Fault[] = [
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
    what: "a phi behind other code",
    rule: "phi",
    make: (f) => {
      const insts = f.blocks[3]?.insts as Inst[];
      insts.unshift(insts.splice(1, 1)[0] as Inst);
    },
  },
];

const caught = (func: Func, fault: Fault): boolean => verify(func).some((f) => f.rule === fault.rule);

describe("right functions", () => {
  test("random virtual functions, and the samples", () => {
    expect(verify(sample())).toEqual([]);
    expect(verify(ssaSample())).toEqual([]);
    fc.assert(
      fc.property(plans, (plan) => {
        expect(verify(build(plan))).toEqual([]);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  test("random physical functions", () => {
    expect(verify(makePhysical(sample()))).toEqual([]);
    fc.assert(
      fc.property(plans, (plan) => {
        expect(verify(makePhysical(build(plan)))).toEqual([]);
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  test("verifying does not edit", () => {
    const func = sample();
    const before = snapshot(func);
    verify(func);
    expect(func).toEqual(before);
  });
});

describe("seeded faults", () => {
  const groups: readonly [string, readonly Fault[], () => Func][] = [
    ["structure", structural, sample],
    ["operands", onOperands, sample],
    ["values", onValues, sample],
    ["physical", onPhysical, () => makePhysical(sample())],
    ["SSA window", inWindow, ssaSample],
  ];
  const seeds = [1, 2, 3];
  for (const [name, faults, make] of groups) {
    test(`${name}: ${faults.length * seeds.length} faults are caught`, () => {
      const missed: string[] = [];
      for (const fault of faults) {
        for (const seed of seeds) {
          const func = make();
          fault.make(func, numbers(seed));
          if (!caught(func, fault)) missed.push(`${fault.what} (seed ${seed}): ${JSON.stringify(verify(func))}`);
        }
      }
      expect(missed).toEqual([]);
    });
  }

  test("there are more than 100 of them, and every rule has one", () => {
    const all = groups.flatMap(([, faults]) => faults);
    expect(all.length * seeds.length).toBeGreaterThan(100);
    expect([...new Set(all.map((f) => f.rule))].sort()).toEqual(
      (Object.keys(rules) as Rule[]).filter((r) => r !== undefined).sort(),
    );
  });

  test("all findings are reported, not just the first", () => {
    const func = makePhysical(sample());
    for (const fault of onPhysical.slice(6, 7)) fault.make(func, numbers(1));
    func.used.P = 0;
    func.blocks[1]?.preds.pop();
    const found = new Set(verify(func).map((f) => f.rule));
    expect(found).toEqual(new Set(["control-missing", "used", "preds"]));
  });
});

test("values that the input leaves undefined can be told and forgiven", () => {
  const b = new Builder(newFunc("k", target("sm_90")));
  const x = b.r();
  b.emit("STG.E", [], { base: o.RZ(2), data: x });
  b.exit();
  const func = b.finish();
  expect(undefinedValues(func)).toEqual(new Set([x.id]));
  expect(verify(func).map((f) => f.rule)).toEqual(["undefined"]);
  expect(verify(func, "initial", { mayBeUndefined: undefinedValues(func) })).toEqual([]);
});

test("the registers of a pair in the SSA window have one definition each, and each dominates its own uses", () => {
  const found = (b0: string, b1: string, b2: string): Rule[] => {
    const head = 'func "k" entry sm_90 virtual ssa\nvalue %R0\nvalue %R1 width 2\nvalue %P2';
    const branch = "ISETP.LT.AND %P2, PT, %R0, RZ, PT\n@%P2 BRA b2";
    const read = parseFunc(`${head}\nb0\nS2R %R0, SR_TID.X\n${b0}\n${branch}\nb1\n${b1}\nb2\n${b2}\nEXIT`);
    if (!read.ok) throw new Error(read.diagnostics[0]?.message);
    return verify(read.value, "ssa", { skipDefinedness: true }).map((f) => f.rule);
  };
  const [low, high] = ["MOV %R1:0, 0x1", "MOV %R1:1, 0x2"];
  expect(found(`${high}\nSTS [%R0], %R1:1`, `${low}\nSTS.64 [%R0], %R1`, "STS [%R0], %R1:1")).toEqual([]);
  expect(found("NOP", low, `${high}\nSTS.64 [%R0], %R1`)).toEqual(["dominated-use"]);
  expect(found(high, low, "STS.64 [%R0], %R1")).toEqual(["dominated-use"]);
  expect(found(high, low, high)).toEqual(["single-definition"]);
});

test("a plan of one block is a function", () => {
  const plan: Plan = { target: "sm_75", blocks: [{ insts: [], end: 0, to: 0, to2: 0 }] };
  expect(verify(build(plan))).toEqual([]);
});
