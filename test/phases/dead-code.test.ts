import * as fc from "fast-check";
import { compile } from "../../lib/compile.js";
import { disassemble } from "../../lib/disassemble.js";
import { readCubin } from "../../lib/elf/index.js";
import { Builder } from "../../lib/ori/builder.js";
import { guardOn, newFunc } from "../../lib/ori/func.js";
import * as o from "../../lib/ori/operand.js";
import { printFunc } from "../../lib/ori/print.js";
import { File, Kind } from "../../lib/ori/types.js";
import { verify } from "../../lib/ori/verify.js";
import { removeDeadCode } from "../../lib/phases/dead-code.js";
import { unwrap } from "../../lib/result.js";
import { target } from "../../lib/target/index.js";
import { build, plans } from "../ori/random.js";

const start = (): Builder => new Builder(newFunc("k", target("sm_90")));
const code = (b: Builder): string => printFunc(b.func, { details: false }).split("\n").slice(1).join("\n");

test("a counter that only feeds itself goes, what a store reads stays", () => {
  const b = start();
  const [i, x] = [b.r(), b.r()];
  const p = b.p();
  const loop = b.newBlock();
  b.emit("MOV", [i], [o.imm(0)]);
  b.emit("MOV", [x], [o.imm(5)]);
  b.start(loop);
  b.emit("IADD3", [o.clone(i)], [o.clone(i), o.imm(1), o.RZ()]);
  b.emit("ISETP.LT.AND", [p], [o.clone(x), o.imm(9)]);
  b.emit("STG.E", [], { base: o.RZ(2), data: o.clone(x) });
  b.branch(loop, guardOn(File.P, p.id));
  b.exit();
  b.finish();
  expect(removeDeadCode(b.func)).toBe(2);
  expect(code(b)).toBe(
    [
      "b1",
      "  MOV %R1, 0x5",
      "b0",
      "  ISETP.LT.AND %P2, PT, %R1, 0x9, PT",
      "  STG.E [RZ], %R1",
      "  @%P2 BRA b0",
      "b2",
      "  EXIT",
      "",
    ].join("\n"),
  );
});

test("effects stay: stores, atomics, barriers, the stack pointer, volatile loads; a plain load goes", () => {
  const b = start();
  const sp = b.value(File.R, 1, "", 1);
  b.emit("LDC", [sp], [o.constBank(0, 0x28)]);
  b.emit("LDG.E", { d: b.r() }, { base: o.RZ(2) });
  b.emit("BAR.SYNC", [], [o.imm(0)]);
  b.emit("ATOMG.E.ADD.STRONG.GPU", { d: b.r() }, { base: o.RZ(2), data: o.RZ() });
  b.exit();
  b.finish();
  expect(removeDeadCode(b.func)).toBe(1);
  expect(b.func.blocks[0]?.insts.map((i) => i.form.op)).toEqual(["LDC", "BAR", "ATOMG", "EXIT"]);
});

test("asking again finds nothing", () => {
  const b = start();
  b.emit("MOV", [b.r()], [o.imm(0)]);
  b.exit();
  b.finish();
  expect(removeDeadCode(b.func)).toBe(1);
  const { generation } = b.func;
  expect(removeDeadCode(b.func)).toBe(0);
  expect(b.func.generation).toBe(generation);
});

test("random functions stay right, keep every store and branch, and nothing dead is left", () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const func = build(plan);
      const effects = (): string[] =>
        func.blocks.flatMap((b) => b.insts.filter((i) => i.form.sideEffect).map((i) => `${b.id}:${i.id}`));
      const before = effects();
      removeDeadCode(func);
      expect(effects()).toEqual(before);
      expect(verify(func)).toEqual([]);
      // Every value still defined is read somewhere.
      const read = new Set(
        func.blocks.flatMap((b) =>
          b.insts.flatMap((i) => [
            ...i.srcs.filter((s) => s.kind === Kind.Reg).map((s) => s.id),
            ...(i.guard === null ? [] : [i.guard.id]),
          ]),
        ),
      );
      for (const b of func.blocks) {
        for (const i of b.insts) {
          const results = i.dsts.filter((d) => d.kind === Kind.Reg && d.id >= 0);
          if (!i.form.sideEffect && results.length > 0) expect(results.some((d) => read.has(d.id))).toBe(true);
        }
      }
    }),
    { seed: 1, numRuns: 200 },
  );
});

// What the left sides make in ptxas -O3's code stays there, sm_75, 90, 120.
test.each([
  ["ld.volatile.global.u32 %r0, [%l1]", 1],
  ["ld.volatile.u32 %r0, [%l0]", 1],
  ["ld.mmio.relaxed.sys.global.u32 %r0, [%l1]", 1],
  ["ld.relaxed.sys.global.u32 %r0, [%l1]", 0],
  ["ld.global.u32 %r0, [%l1]", 0],
])("unread: %s", (line, kept) => {
  const text = `.version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .b64 out) {
    .reg .b32 %r<2>;\n.reg .b64 %l<2>;
    ld.param.b64 %l0, [out];\ncvta.to.global.u64 %l1, %l0;\n${line};\nret;\n}`;
  const { cubin } = compile(text, { target: "sm_90", opt: 3 });
  const [k] = disassemble(unwrap(readCubin(cubin as Uint8Array)));
  expect(k?.instructions.filter((i) => /^LDG?\./.test(i.text))).toHaveLength(kept);
});
