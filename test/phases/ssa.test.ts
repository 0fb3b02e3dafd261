/** Into the SSA window and out again: the rules of the window hold inside, the meaning outside. */
import * as fc from "fast-check";
import { Builder } from "../../lib/ori/builder.js";
import { connect, isPhi } from "../../lib/ori/flow.js";
import { guardOn, newFunc } from "../../lib/ori/func.js";
import * as o from "../../lib/ori/operand.js";
import { printFunc } from "../../lib/ori/print.js";
import { type Block, File, type Func, type Operand } from "../../lib/ori/types.js";
import { verify } from "../../lib/ori/verify.js";
import { convertAllMovPhiToMov } from "../../lib/phases/convert-mov-phi.js";
import { generateMovPhi } from "../../lib/phases/generate-mov-phi.js";
import { sequentialize } from "../../lib/phases/parallel-copy.js";
import { target } from "../../lib/target/index.js";
import { trace } from "../ori/interpret.js";
import { build, type Plan, plans } from "../ori/random.js";

const code = (func: Func): string => printFunc(func, { details: false }).split("\n").slice(1, -1).join("\n");
const phis = (func: Func): number => func.blocks.reduce((n, b) => n + b.insts.filter(isPhi).length, 0);

function loop(): Func {
  const b = new Builder(newFunc("k", target("sm_90")));
  const i = b.r(1, "%r1");
  const p = b.p();
  const [b0, body, end] = [b.newBlock(), b.newBlock(), b.newBlock()];
  b.start(b0);
  b.emit("MOV", [i], [o.imm(0)]);
  b.start(body);
  b.emit("IADD3", [o.clone(i)], [o.clone(i), o.imm(1), o.RZ()]);
  b.emit("ISETP.LT.AND", [p], [o.clone(i), o.imm(9)]);
  b.branch(body, guardOn(File.P, p.id));
  b.start(end);
  b.emit("STG.E", [], { base: o.RZ(2), data: o.clone(i) });
  b.exit();
  return b.finish();
}

test("a loop counter: before, in the window, after", () => {
  const func = loop();
  generateMovPhi(func);
  expect(code(func)).toBe(
    [
      "b0",
      "  MOV %R2, 0x0",
      "b1",
      "  MOV.PHI %R3, %R2, %R4",
      "  IADD3 %R4, %R3, 0x1, RZ",
      "  ISETP.LT.AND %P1, PT, %R4, 0x9, PT",
      "  @%P1 BRA b1",
      "b2",
      "  STG.E [RZ], %R4",
      "  EXIT",
    ].join("\n"),
  );
  expect(func.values.name(4)).toBe("%r1");
  convertAllMovPhiToMov(func);
  expect(code(func)).toBe(
    [
      "b0",
      "  MOV %R2, 0x0",
      "  MOV %R3, %R2",
      "b1",
      "  IADD3 %R4, %R3, 0x1, RZ",
      "  ISETP.LT.AND %P1, PT, %R4, 0x9, PT",
      "  @%P1 BRA b3",
      "b2",
      "  STG.E [RZ], %R4",
      "  EXIT",
      "b3",
      "  MOV %R3, %R4",
      "  BRA b1",
    ].join("\n"),
  );
});

describe("random functions", () => {
  const there = (plan: Plan): Func => {
    const func = build({ ...plan, guards: false });
    func.milestone = "ssa";
    generateMovPhi(func);
    return func;
  };

  test("the window's rules hold, and the meaning is kept", () => {
    let seen = 0;
    fc.assert(
      fc.property(plans, (plan) => {
        const expected = trace(build({ ...plan, guards: false }));
        const func = there(plan);
        seen += phis(func);
        expect(verify(func)).toEqual([]);
        expect(trace(func)).toEqual(expected);
      }),
      { seed: 1, numRuns: 400 },
    );
    expect(seen).toBeGreaterThan(300);
  });

  test("out of the window there is no phi, the function is right, and the meaning is kept", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const expected = trace(build({ ...plan, guards: false }));
        const func = there(plan);
        convertAllMovPhiToMov(func);
        expect(func.milestone).toBe("expanded");
        expect(phis(func)).toBe(0);
        expect(verify(func)).toEqual([]);
        expect(trace(func)).toEqual(expected);
      }),
      { seed: 2, numRuns: 400 },
    );
  });

  test("guarded definitions keep their registers", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const expected = trace(build(plan));
        const func = build(plan);
        func.milestone = "ssa";
        generateMovPhi(func);
        expect(verify(func)).toEqual([]);
        expect(trace(func)).toEqual(expected);
        convertAllMovPhiToMov(func);
        expect(verify(func)).toEqual([]);
        expect(trace(func)).toEqual(expected);
      }),
      { seed: 3, numRuns: 200 },
    );
  });
});

/** b0 → b1; b1: phis (x, y), loops to itself or leaves to b2, which stores both. */
function twoPhis(indirect: boolean): { func: Func; x: Operand; y: Operand; b1: Block } {
  const b = new Builder(newFunc("k", target("sm_90")));
  const [x, y, one, two] = [b.r(), b.r(), b.r(), b.r()];
  const n = b.r();
  const n2 = b.r();
  const p = b.p();
  const [b0, b1, b2] = [b.newBlock(), b.newBlock(), b.newBlock()];
  b.start(b0);
  b.emit("MOV", [one], [o.imm(1)]);
  b.emit("MOV", [two], [o.imm(2)]);
  b.start(b1);
  b.emit("MOV.PHI", [x], [o.clone(one), o.clone(y)]);
  b.emit("MOV.PHI", [y], [o.clone(two), o.clone(x)]);
  b.emit("MOV.PHI", [n], [o.RZ(), o.clone(n2)]);
  b.emit("STG.E", [], { base: o.RZ(2), data: o.clone(x) });
  b.emit("IADD3", [n2], [o.clone(n), o.imm(1), o.RZ()]);
  b.emit("ISETP.LT.AND", [p], [o.clone(n2), o.imm(4)]);
  if (indirect) b.emit("BRX", [], { a: o.RZ(2), off: o.imm(0) }, { targets: [b1, b2] });
  else b.branch(b1, guardOn(File.P, p.id));
  b.start(b2);
  b.emit("STG.E", [], { base: o.RZ(2), data: o.clone(x) });
  b.emit("STG.E", [], { base: o.RZ(2), data: o.clone(y) });
  b.exit();
  const func = b.finish();
  func.milestone = "ssa";
  return { func, x, y, b1 };
}

describe("destruction", () => {
  test("swap and lost copy", () => {
    const { func } = twoPhis(false);
    expect(verify(func)).toEqual([]);
    const values = ["1", "2", "1", "2", "2", "1"].map((v) => `[0.0+0] = ${v}`);
    expect(trace(func)).toEqual([...values, "exit"]);
    convertAllMovPhiToMov(func);
    expect(verify(func)).toEqual([]);
    expect(trace(func)).toEqual([...values, "exit"]);
  });

  test("the edges of an indirect branch: copies through fresh registers, no block is split", () => {
    const { func, x, b1 } = twoPhis(true);
    expect(verify(func)).toEqual([]);
    const before = func.blocks.length;
    convertAllMovPhiToMov(func);
    expect(func.blocks).toHaveLength(before);
    expect(verify(func)).toEqual([]);
    // The phi's own register is written at the head only: b2 still sees the value of this round.
    const writes = b1.insts.flatMap((inst, i) =>
      inst.dsts.some((d) => d.id === x.id && d.file === File.R) ? [i] : [],
    );
    expect(writes).toHaveLength(1);
    expect(writes[0]).toBeLessThan(b1.insts.findIndex((inst) => inst.form.op === "STG"));
  });

  test("edges made again from the code are those that were kept", () => {
    const { func } = twoPhis(false);
    convertAllMovPhiToMov(func);
    const kept = func.blocks.map((b) => b.succs.map((s) => s.id));
    connect(func);
    expect(func.blocks.map((b) => b.succs.map((s) => s.id))).toEqual(kept);
  });
});

test("parallel copies in sequence do what they do at once", () => {
  const copies = fc
    .uniqueArray(fc.nat(7), { minLength: 1, maxLength: 8 })
    .chain((dsts) =>
      fc.tuple(
        fc.constant(dsts),
        fc.array(fc.integer({ min: -1, max: 7 }), { minLength: dsts.length, maxLength: dsts.length }),
      ),
    );
  fc.assert(
    fc.property(copies, fc.boolean(), ([dsts, srcs], predicates) => {
      const func = newFunc("k", target("sm_90"));
      const file = predicates ? File.P : File.R;
      for (let v = 0; v < 8; v++) func.values.add(file);
      const insts = sequentialize(
        func,
        dsts.map((d, i) => ({ dst: o.register(file, d), src: o.register(file, srcs[i] as number) })),
      );
      const now = new Map<number, string>([[-1, "zero"]]);
      for (let v = 0; v < 8; v++) now.set(v, `v${v}`);
      const before = new Map(now);
      for (const inst of insts) now.set(inst.dsts[0]?.id as number, now.get(inst.srcs[0]?.id as number) as string);
      dsts.forEach((d, i) => {
        expect(now.get(d)).toBe(before.get(srcs[i] as number));
      });
      for (let v = 0; v < 8; v++) if (!dsts.includes(v)) expect(now.get(v)).toBe(`v${v}`);
      // One temporary per cycle at most.
      expect(insts.length).toBeLessThanOrEqual(dsts.length + dsts.length / 2);
    }),
    { seed: 4, numRuns: 1000 },
  );
});
