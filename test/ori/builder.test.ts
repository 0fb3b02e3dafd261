import * as fc from "fast-check";
import { form } from "../../lib/isa/form.js";
import { Builder } from "../../lib/ori/builder.js";
import {
  insertAtEnd,
  layoutIndex,
  redirect,
  removeBlock,
  splitAtTransfers,
  splitBlock,
  splitCriticalEdges,
  splitEdge,
} from "../../lib/ori/editor.js";
import { connect } from "../../lib/ori/flow.js";
import { guardOn, newBlock, newFunc, newInst, snapshot } from "../../lib/ori/func.js";
import * as o from "../../lib/ori/operand.js";
import { type Block, File, type Func, Kind, type Operand } from "../../lib/ori/types.js";
import { verify } from "../../lib/ori/verify.js";
import { target } from "../../lib/target/index.js";
import { build, plans } from "./random.js";

const sm90 = target("sm_90");
const start = (): Builder => new Builder(newFunc("k", sm90));

describe("filling slots", () => {
  test("optional slots that are passed over hold their defaults", () => {
    const b = start();
    const d = b.r();
    const inst = b.emit(
      "IADD3",
      [d],
      [o.imm(1), o.imm(2), o.RZ()].map((x) => (x.kind === Kind.Imm ? b.r() : x)),
    );
    expect(inst.dsts.map((x) => [x.file, x.id])).toEqual([
      [File.R, d.id],
      [File.P, -1],
      [File.P, -1],
    ]);
    expect(inst.srcs).toHaveLength(3);
  });

  test("a leading optional predicate is skipped when a register is given", () => {
    const b = start();
    const inst = b.emit("LOP3.LUT", [b.r()], [b.r(), o.imm(1), b.r(), o.imm(0xc0)]);
    expect(inst.dsts[0]).toMatchObject({ file: File.P, id: -1, mods: 0 });
    expect(inst.srcs[4]).toMatchObject({ file: File.P, id: -1, mods: 4 });
  });

  test("by name, addresses take what is given and default the rest", () => {
    const b = start();
    const inst = b.emit("LDG.E", { d: b.r() }, { base: b.r(2), off: o.imm(16) });
    const slots = inst.form.srcs.map((s) => s.name);
    expect(inst.srcs[slots.indexOf("off")]).toMatchObject({ kind: Kind.Imm, value: 16 });
    expect(inst.srcs[slots.indexOf("desc")]).toMatchObject({ kind: Kind.None });
    expect(inst.srcs[slots.indexOf("pin")]).toMatchObject({ file: File.P, id: -1 });
  });

  test("what does not fit is refused", () => {
    const b = start();
    expect(() => b.emit("IADD3", [b.p()], [b.r(), b.r(), b.r()])).toThrow(/slot d cannot hold/);
    expect(() => b.emit("IADD3", [b.r()], [b.r(), b.r()])).toThrow(/missing/);
    expect(() => b.emit("IADD3", [b.r()], [b.r(), b.r(), b.r(), b.r()])).toThrow(/too many/);
    expect(() => b.emit("STG.E", [], { base: b.r(2), date: b.r() })).toThrow(/slot data is missing/);
    expect(() => b.emit("MOV", [b.r()], { b: b.r(), c: b.r() })).toThrow(/no slot c/);
  });
});

/** b0: conditional branch to b2, falls to b1; b1 → b2; b2 exits. */
function diamond(): { func: Func; blocks: readonly [Block, Block, Block] } {
  const b = start();
  const b0 = b.start(b.newBlock("top"));
  const b1 = b.newBlock("then");
  const b2 = b.newBlock("join");
  const p = b.p();
  b.emit("ISETP.GE.AND", [p], [o.RZ(), o.imm(1)]);
  b.branch(b2, guardOn(File.P, p.id));
  b.start(b1);
  b.emit("NOP");
  b.start(b2);
  b.exit();
  return { func: b.finish(), blocks: [b0, b1, b2] };
}

describe("edges", () => {
  test("fall-through first, then targets", () => {
    const { func, blocks } = diamond();
    const [b0, b1, b2] = blocks;
    expect(b0.succs).toEqual([b1, b2]);
    expect(b2.preds.map((b) => b.id).sort()).toEqual([b0.id, b1.id]);
    expect(verify(func)).toEqual([]);
  });

  test("code after a transfer goes to a new block", () => {
    const b = start();
    b.exit(null);
    b.exit(null);
    expect(b.finish().blocks).toHaveLength(2);
  });

  test("a branch to the next block is one edge", () => {
    const b = start();
    const next = b.newBlock();
    const p = b.p();
    b.emit("ISETP.GE.AND", [p], [o.RZ(), o.imm(1)]);
    b.branch(next, guardOn(File.P, p.id));
    b.start(next);
    b.exit();
    const func = b.finish();
    expect(func.blocks[0]?.succs).toEqual([next]);
    expect(verify(func)).toEqual([]);
  });
});

describe("editing", () => {
  test("splitting a block moves its successors to the back half", () => {
    const { func, blocks } = diamond();
    const [b0, b1, b2] = blocks;
    const generation = func.generation;
    const back = splitBlock(func, b0, 1);
    expect(func.generation).toBeGreaterThan(generation);
    expect(b0.succs).toEqual([back]);
    expect(back.succs).toEqual([b1, b2]);
    expect(func.blocks).toEqual([b0, back, b1, b2]);
    expect(verify(func)).toEqual([]);
  });

  test("splitting a branch edge makes a block at the end that jumps on", () => {
    const { func, blocks } = diamond();
    const [b0, b1, b2] = blocks;
    const middle = splitEdge(func, b0, b2);
    expect(b0.succs).toEqual([b1, middle]);
    expect(func.blocks[3]).toBe(middle);
    expect(middle.insts.map((i) => i.form.name)).toEqual(["BRA"]);
    expect(verify(func)).toEqual([]);
  });

  test("splitting a fall-through edge needs no branch", () => {
    const { func, blocks } = diamond();
    const middle = splitEdge(func, blocks[0], blocks[1]);
    expect(middle.insts).toEqual([]);
    expect(func.blocks[1]).toBe(middle);
    expect(verify(func)).toEqual([]);
  });

  test("predecessors keep their places, since phis depend on them", () => {
    const { func, blocks } = diamond();
    const [b0, , b2] = blocks;
    const before = b2.preds.map((b) => b.id);
    const middle = splitEdge(func, b0, b2);
    expect(b2.preds.map((b) => b.id)).toEqual(before.map((id) => (id === b0.id ? middle.id : id)));
  });

  test("a branch that is turned elsewhere keeps the edge along which the block falls", () => {
    const b = start();
    const [next, other] = [b.newBlock(), b.newBlock()];
    const p = b.p();
    b.emit("ISETP.GE.AND", [p], [o.RZ(), o.imm(1)]);
    b.branch(next, guardOn(File.P, p.id));
    b.start(next);
    b.branch(other);
    b.start(other);
    b.exit();
    const func = b.finish();
    const [first] = func.blocks as [Block, Block, Block];
    redirect(func, first, next, other);
    expect(first.succs.map((s) => s.id).sort()).toEqual([next.id, other.id].sort());
    // A jump that always leaves takes its edge along.
    redirect(func, next, other, other);
    expect(next.succs).toEqual([other]);
    expect(verify(func)).toEqual([]);
  });

  test("a block that is not in the layout has no place there", () => {
    const { func } = diamond();
    const foreign = newBlock(func, "", 1);
    expect(() => layoutIndex(func, foreign)).toThrow(/not in the layout/);
  });

  test("removing a block that is reached is refused", () => {
    const { func, blocks } = diamond();
    expect(() => removeBlock(func, blocks[1])).toThrow(/still reached/);
  });

  test("random functions stay valid when all critical edges are split, and then have none", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const func = build(plan);
        expect(verify(func)).toEqual([]);
        splitCriticalEdges(func);
        expect(verify(func)).toEqual([]);
        for (const b of func.blocks)
          for (const s of b.succs) expect(b.succs.length > 1 && s.preds.length > 1).toBe(false);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  test("edges kept by edits are those the code implies", () => {
    fc.assert(
      fc.property(plans, fc.nat(), fc.nat(), (plan, n, m) => {
        const func = build(plan);
        const block = func.blocks[n % func.blocks.length] as Block;
        splitBlock(func, block, m % Math.max(1, block.insts.length));
        splitCriticalEdges(func);
        const kept = func.blocks.map((b) => [b.id, b.succs.map((s) => s.id)]);
        connect(func);
        expect(func.blocks.map((b) => [b.id, b.succs.map((s) => s.id)])).toEqual(kept);
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  test("transfers inside a block are split off", () => {
    const { func, blocks } = diamond();
    const [, b1] = blocks;
    const exit = form("EXIT");
    b1.insts.unshift(newInst(func, exit, [], [o.PT()]));
    expect(splitAtTransfers(func)).toBe(1);
    connect(func);
    expect(b1.succs).toEqual([]);
    expect(verify(func)).toEqual([]);
  });

  test("insertAtEnd stays ahead of the branch", () => {
    const { func, blocks } = diamond();
    insertAtEnd(func, blocks[0], newInst(func, form("NOP"), [], []));
    expect(blocks[0].insts.map((i) => i.form.op)).toEqual(["ISETP", "NOP", "BRA"]);
  });
});

describe("snapshot", () => {
  test("is equal and shares nothing that passes edit", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const func = build(plan);
        const copy = snapshot(func);
        expect(copy).toEqual(func);
        const first = func.blocks[0] as Block;
        (first.insts[0]?.dsts[0] as Operand).id = 99;
        func.values.add(File.R, 4);
        func.frame.spillBytes = 12;
        first.insts.pop();
        expect(copy.blocks[0]?.insts[0]?.dsts[0]?.id).not.toBe(99);
        expect(copy.values.count).toBe(func.values.count - 1);
        expect(copy.frame.spillBytes).toBe(0);
        for (const b of copy.blocks) for (const s of b.succs) expect(copy.blocks).toContain(s);
      }),
      { seed: 3, numRuns: 50 },
    );
  });
});
