/** Registers of machine code made virtual and allocated again. */
import { assembleCubin } from "../../lib/assemble.js";
import { compile } from "../../lib/compile.js";
import { readCubin } from "../../lib/elf/index.js";
import { liftCubin, replaceCode } from "../../lib/lift/index.js";
import { makeVirtual } from "../../lib/lift/webs.js";
import { Builder, guardOn, newFunc, operand, renderFinding, snapshot, verify } from "../../lib/ori/index.js";
import { File, type Func } from "../../lib/ori/types.js";
import { allocate, checkAllocation } from "../../lib/regalloc/index.js";
import { unwrap } from "../../lib/result.js";
import { control } from "../../lib/sched/index.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import { target } from "../../lib/target/index.js";
import { verifyCubin } from "../../lib/verify.js";
import { corpus, corpusPtx } from "../corpus/cases.js";

const { imm, reg, preg, RZ } = operand;

function physical(make: (b: Builder) => void): Func {
  const b = new Builder(newFunc("k", target("sm_90")));
  make(b);
  b.exit();
  const func = b.finish();
  func.virtual = false;
  return func;
}

describe("webs", () => {
  test("one register, two values", () => {
    const func = physical((b) => {
      b.emit("MOV", [reg(4)], [imm(1)]);
      b.emit("IADD3", { d: reg(5) }, { a: reg(4), b: imm(1), c: RZ() });
      b.emit("MOV", [reg(4)], [imm(2)]);
      b.emit("IADD3", { d: reg(5) }, { a: reg(4), b: reg(5), c: RZ() });
    });
    expect(makeVirtual(func)).toBeNull();
    const ids = func.blocks[0]!.insts.map((i) => i.dsts[0]?.id);
    expect(new Set(ids.slice(0, 4)).size).toBe(4);
    expect(verify(func, "scheduled").map(renderFinding)).toEqual([]);
  });

  test("a pair is one value, its halves keep their places", () => {
    const func = physical((b) => {
      b.emit("MOV", [reg(6)], [imm(1)]);
      b.emit("MOV", [reg(7)], [imm(2)]);
      b.emit("IMAD.WIDE", { d: reg(8, 2) }, { a: reg(6), b: imm(4), c: reg(6, 2) });
    });
    expect(makeVirtual(func)).toBeNull();
    const [low, high, wide] = func.blocks[0]!.insts;
    expect(high!.dsts[0]!.id).toBe(low!.dsts[0]!.id);
    expect([low!.dsts[0]!.sub, high!.dsts[0]!.sub]).toEqual([0, 1]);
    expect(func.values.width(low!.dsts[0]!.id)).toBe(2);
    expect(wide!.dsts[0]!.id).not.toBe(low!.dsts[0]!.id);
    expect(verify(func, "scheduled").map(renderFinding)).toEqual([]);
  });

  test("a guarded definition joins what it may leave", () => {
    const func = physical((b) => {
      b.emit("MOV", [reg(4)], [imm(1)]);
      b.emit("ISETP.NE.AND", { p: preg(0) }, { a: reg(4), b: imm(0) });
      b.emit("MOV", [reg(4)], [imm(2)], { guard: guardOn(File.P, 0) });
      b.emit("IADD3", { d: reg(5) }, { a: reg(4), b: imm(1), c: RZ() });
    });
    expect(makeVirtual(func)).toBeNull();
    const [one, , two, sum] = func.blocks[0]!.insts;
    expect(two!.dsts[0]!.id).toBe(one!.dsts[0]!.id);
    expect(sum!.srcs[0]!.id).toBe(one!.dsts[0]!.id);
  });

  test("packs of predicates that cannot be split are refused with their name", () => {
    const func = physical((b) => b.emit("P2R", { d: reg(4) }, { a: RZ(), b: reg(5) }));
    expect(makeVirtual(func)?.message).toMatch(/P2R as it stands here/);
    expect(func.virtual).toBe(false);
  });

  test("a return to a caller outside is refused", () => {
    const func = physical((b) => b.emit("RET.REL.NODEC", {}, { a: reg(20, 2), target: operand.label(0) }));
    expect(makeVirtual(func)?.message).toMatch(/RET.REL.NODEC to a caller outside/);
  });
});

describe("lifted, allocated again", () => {
  test.each(corpus.map((c) => [c.name, c] as const))("%s computes what it should", (name, c) => {
    const bytes = compile(corpusPtx(name, "sm_90"), { target: "sm_90", opt: 0 }).cubin!;
    const lifted = unwrap(liftCubin(unwrap(readCubin(bytes)), { registers: "virtual" }));
    for (const { func } of lifted) {
      expect(verify(func, "scheduled", { skipDefinedness: true }).map(renderFinding)).toEqual([]);
      const before = snapshot(func);
      expect(unwrap(allocate(func)).spills).toEqual([]);
      expect(checkAllocation(before, func)).toEqual([]);
      control(func);
    }
    const ran = runLaunchFile(
      unwrap(replaceCode(bytes, lifted)),
      { ...c.launch, maxInstructions: 5_000_000 },
      {
        readFile: () => null,
      },
    );
    expect(ran.status === 0 ? "" : ran.lines.join("\n")).toBe("");
  });
});

/**
 * Predicates from the bits of the thread's number are packed, changed as a number and unpacked; a routine that is called
 * twice adds its argument to what only its caller knows.
 */
const packed = `.target sm_90
.entry k
.registers 32
.param 0 8
.code
k:
    B01---- R1 W0 Y S15     LDC R1, c[0x0][0x28] ;
    B01---- R- W- Y S15     ULDC.64 UR4, c[0x0][0x208] ;
    B01---- R1 W0 Y S15     LDC.64 R2, c[0x0][0x210] ;
    B01---- R1 W0 Y S15     S2R R0, SR_TID.X ;
    B01---- R- W- Y S15     R2P PR, R0, 0x1d ;
    B01---- R- W- Y S15     LOP3.LUT P1, RZ, R0, 0x2, RZ, 0xc0, !PT ;
    B01---- R- W- Y S15     P2R.B1 R4, PR, R0, 0x1f ;
    B01---- R- W- Y S15     SHF.R.U32.HI R5, RZ, 0x1, R4 ;
    B01---- R- W- Y S15     @P3 R2P PR, R5.B1, 0x9 ;
    B01---- R- W- Y S15     P2R R6, PR, R4, 0x1f ;
    B01---- R- W- Y S15     MOV R8, R6 ;
    B01---- R- W- Y S15     MOV R20, 0x130 ;
    B01---- R- W- Y S15     MOV R21, 0x0 ;
    B01---- R- W- Y S15     CALL.REL.NOINC \`(.L_x_1) ;
    B01---- R- W- Y S15     MOV R10, R8 ;
.L_x_2:
    B01---- R- W- Y S15     IADD3 R8, R8, R0, RZ ;
    B01---- R- W- Y S15     MOV R20, 0x130 ;
    B01---- R- W- Y S15     NOP ;
    B01---- R- W- Y S15     CALL.REL.NOINC \`(.L_x_1) ;
    B01---- R- W- Y S15     IADD3 R8, R8, R10, R6 ;
    B01---- R- W- Y S15     IMAD.WIDE.U32 R2, R0, 0x4, R2 ;
    B01---- R1 W- Y S15     STG.E desc[UR4][R2.64], R8 ;
    B01---- R- W- Y S15     EXIT ;
.L_x_1:
    B01---- R- W- Y S15     IMAD R8, R8, 0x3, RZ ;
    B01---- R- W- Y S15     IADD3 R8, R8, 0x7, RZ ;
    B01---- R- W- Y S15     RET.REL.NODEC R20 \`(k) ;
.end
`;

test("a call of code that never returns is a branch: nothing says where it would come back", () => {
  const leaves = packed.replace(/RET.REL.NODEC .* ;/, "EXIT ;").replace(/MOV R20, 0x\w+/g, "NOP");
  const made = unwrap(assembleCubin(leaves));
  expect(unwrap(liftCubin(unwrap(readCubin(made)))).flatMap((l) => l.pinned)).toEqual([]);
  const returns = unwrap(assembleCubin(packed.replace(/MOV R20, 0x\w+/g, "NOP")));
  expect(unwrap(liftCubin(unwrap(readCubin(returns))))[0]!.pinned.map((d) => d.message)).toEqual([
    expect.stringMatching("where CALL.REL.NOINC returns is not known"),
    expect.stringMatching("where CALL.REL.NOINC returns is not known"),
  ]);
});

test("packed predicates and routines, allocated again", () => {
  const made = unwrap(assembleCubin(packed.replace("MOV R20, 0x130", "MOV R20, 0xe0")));
  const expected = Array.from({ length: 32 }, (_, t) => {
    const four = (t & ~0x1f00) | (t << 8);
    // Under P3: P0 and P3 become the bits 9 and 12 of the packed number.
    const bits = (t & 8) === 0 ? t : (t & ~9) | ((four >> 9) & 9);
    const six = (four & ~0x1f) | bits;
    const once = 3 * six + 7;
    return 3 * (once + t) + 7 + once + six;
  });
  const launch = {
    buffers: { out: { type: "u32", length: 32 } },
    launches: [{ kernel: "k", grid: [1], block: [32], params: [{ buffer: "out" }] }],
    expect: { out: { values: expected } },
  };
  const lines = (bytes: Uint8Array): string => runLaunchFile(bytes, launch, { readFile: () => null }).lines.join("\n");
  expect(lines(made)).toBe("out: as expected");
  const lifted = unwrap(liftCubin(unwrap(readCubin(made)), { registers: "virtual" }));
  for (const { func } of lifted) {
    expect(verify(func, "scheduled", { skipDefinedness: true }).map(renderFinding)).toEqual([]);
    const before = snapshot(func);
    expect(unwrap(allocate(func)).spills).toEqual([]);
    expect(checkAllocation(before, func)).toEqual([]);
    expect(verify(func, "allocated", { skipDefinedness: true }).map(renderFinding)).toEqual([]);
    control(func);
  }
  const again = unwrap(replaceCode(made, lifted));
  expect(verifyCubin(unwrap(readCubin(again)))).toEqual([]);
  expect(lines(again)).toBe("out: as expected");
});
