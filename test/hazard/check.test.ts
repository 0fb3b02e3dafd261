import { findingText, verifyHazards } from "../../lib/hazard/index";
import { target } from "../../lib/target/index";
import { random } from "../corpus/random";
import { brief, findings, words } from "./text";

const end = "B------ R- W- - S05   EXIT";

/** `{}` stands for a stall: the least for which nothing is found is what the finding before it asked for. */
function leastStall(template: string, kind: string): void {
  const short = findings(template.replace("{}", "01"));
  const found = short.filter((f) => f.kind === kind);
  expect(found.length).toBeGreaterThan(0);
  const need = Math.max(...found.map((f) => f.required! - f.actual! + 1));
  const at = (stall: number): string[] => brief(template.replace("{}", String(stall).padStart(2, "0")));
  expect(at(need - 1)).not.toEqual([]);
  expect(at(need)).toEqual([]);
}

describe("fixed latency", () => {
  test("a result is read too early; at the distance of the table it is not", () => {
    leastStall(`B------ R- W- Y S{}   IADD3 R4, R5, R6, RZ\nB------ R- W- Y S01   FADD R7, R4, R4\n${end}`, "raw");
  });
  test("distances add up over instructions in between", () => {
    const code = (stall: string): string =>
      `B------ R- W- Y S02   IADD3 R4, R5, R6, RZ\nB------ R- W- Y S${stall}   IADD3 R8, R9, R6, RZ
       B------ R- W- Y S01   IADD3 R7, R4, R4, RZ\n${end}`;
    expect(brief(code("01"))).toEqual(["raw R4 at 0x20 since 0x0"]);
    expect(brief(code("02"))).toEqual([]);
  });
  test("a guard needs its predicate earlier than an operand does", () => {
    leastStall(
      `B------ R- W- Y S{}   ISETP.GE.AND P0, PT, R4, R5, PT\nB------ R- W- Y S01   @P0 IADD3 R7, R8, R8, RZ\n${end}`,
      "raw",
    );
  });
  test("both registers of a pair count", () => {
    const code = `B------ R- W- Y S01   IADD3 R5, R6, R6, RZ\nB------ R1 W0 Y S02   LDG.E R8, desc[UR4][R4.64]\n${end}`;
    expect(brief(code)).toEqual(["raw R5 at 0x10 since 0x0"]);
  });
  test("uniform registers", () => {
    leastStall(
      `B------ R- W- Y S{}   UIADD3 UR4, UR5, UR6, URZ\nB------ R- W- Y S01   IADD3 R7, R8, UR4, RZ\n${end}`,
      "raw",
    );
  });
  test("predicates that no operand names: R2P writes them, P2R reads them", () => {
    expect(
      brief(`B------ R- W- Y S01   R2P PR, R4, 0x2\nB------ R- W- Y S01   @P1 IADD3 R7, R8, R8, RZ\n${end}`),
    ).toEqual(["raw P1 at 0x10 since 0x0"]);
    expect(
      brief(`B------ R- W- Y S01   R2P PR, R4, 0x2\nB------ R- W- Y S01   @P2 IADD3 R7, R8, R8, RZ\n${end}`),
    ).toEqual([]);
    const p2r = `B------ R- W- Y S01   ISETP.GE.AND P3, PT, R4, R5, PT\nB------ R- W- Y S01   P2R R7, PR, RZ, 0x8\n${end}`;
    expect(brief(p2r)).toEqual(["raw P3 at 0x10 since 0x0"]);
  });
  test("the least distance over all ways counts: a short way around", () => {
    const code = (stall: string): string => `
      B------ R- W- Y S15   ISETP.GE.AND P0, PT, R4, R5, PT
      B------ R- W- - S01   IADD3 R6, R5, R5, RZ
      B------ R- W- - S${stall}   @P0 BRA \`(.L)
      B------ R- W- Y S15   IADD3 R8, R5, R5, RZ
      .L:
      B------ R- W- - S01   IADD3 R7, R6, R6, RZ
      ${end}`;
    expect(findings(code("02")).map((f) => [f.kind, f.register, f.actual, f.at.address])).toContainEqual([
      "raw",
      "R6",
      3,
      0x40,
    ]);
    expect(brief(code("05"))).toEqual([]);
  });
  test("stall 0 with yielding waits until the pipelines are empty", () => {
    const code = (control: string): string =>
      `${control}   HMMA.16816.F32 R16, R8, R30, R16\nB------ R- W- Y S01   MOV R4, R16\n${end}`;
    expect(brief(code("B------ R- W- Y S15"))).toEqual(["raw R16 at 0x10 since 0x0"]);
    expect(brief(code("B------ R- W- Y S00"))).toEqual([]);
  });
  test("around a loop", () => {
    const code = (stall: string): string => `
      B------ R- W- Y S15   ISETP.GE.AND P0, PT, R4, R5, PT
      .L:
      B------ R- W- - S02   FADD R9, R6, R6
      B------ R- W- - S01   IADD3 R6, R5, R5, RZ
      B------ R- W- - S${stall}   @P0 BRA \`(.L)
      ${end}`;
    expect(
      findings(code("02"))
        .filter((f) => f.kind === "raw")
        .map((f) => f.at.address),
    ).toEqual([0x10]);
    expect(brief(code("08"))).toEqual([]);
  });
});

describe("variable latency", () => {
  const load = "B------ R1 W2 - S02   LDG.E R4, desc[UR4][R2.64]";
  test("a result is waited for", () => {
    expect(brief(`${load}\nB------ R- W- - S01   FADD R7, R4, R4\n${end}`)).toEqual(["result R4 at 0x10 since 0x0"]);
    expect(brief(`${load}\nB--2--- R- W- - S01   FADD R7, R4, R4\n${end}`)).toEqual([]);
    expect(brief(`${load}\nB---3-- R- W- - S01   FADD R7, R4, R4\n${end}`)).toEqual(["result R4 at 0x10 since 0x0"]);
  });
  test("a wait needs two cycles to see what was set", () => {
    const code = (stall: string): string =>
      `B------ R1 W2 - S${stall}   LDG.E R4, desc[UR4][R2.64]\nB--2--- R- W- - S01   FADD R7, R4, R4\n${end}`;
    expect(brief(code("01"))).toEqual(["result R4 at 0x10 since 0x0"]);
    expect(findings(code("01"))[0]?.reason).toMatch(/too shortly/);
    expect(brief(code("02"))).toEqual([]);
  });
  test("without a scoreboard nothing tells when", () => {
    const f = findings(
      `B------ R1 W- - S02   LDG.E R4, desc[UR4][R2.64]\nB012345 R- W- - S01   FADD R7, R4, R4\n${end}`,
    );
    expect(f.map((x) => x.kind)).toEqual(["result"]);
    expect(f[0]?.reason).toMatch(/no scoreboard/);
  });
  test("neither result nor operands may be overwritten", () => {
    expect(brief(`${load}\nB------ R- W- - S01   MOV R4, R9\n${end}`)).toEqual(["overwrite R4 at 0x10 since 0x0"]);
    expect(brief(`${load}\nB------ R- W- - S01   MOV R3, R9\n${end}`)).toEqual(["operand R3 at 0x10 since 0x0"]);
    expect(brief(`${load}\nB-1---- R- W- - S01   MOV R3, R9\n${end}`)).toEqual([]);
    // What has returned has read its operands.
    expect(brief(`${load}\nB--2--- R- W- - S01   MOV R3, R9\n${end}`)).toEqual([]);
    // A uniform operand is read at issue.
    expect(brief(`${load}\nB------ R- W- - S01   ULDC UR4, c[0x0][0x210]\n${end}`)).toEqual([]);
  });
  test("a scoreboard counts: one wait is for all that share it", () => {
    const both = `${load}\nB------ R1 W2 - S02   LDG.E R5, desc[UR4][R8.64]`;
    expect(brief(`${both}\nB--2--- R- W- - S01   FADD R7, R4, R5\n${end}`)).toEqual([]);
  });
  test("several ways: each must be waited for", () => {
    const code = (wait: string): string => `
      B------ R- W- Y S15   ISETP.GE.AND P0, PT, R10, R11, PT
      B------ R- W- - S05   @P0 BRA \`(.A)
      B------ R1 W2 - S02   LDG.E R4, desc[UR4][R2.64]
      B------ R- W- - S05   BRA \`(.B)
      .A:
      B------ R1 W3 - S02   LDG.E R4, desc[UR4][R8.64]
      .B:
      ${wait} R- W- - S01   FADD R7, R4, R4
      ${end}`;
    expect(brief(code("B--23--"))).toEqual([]);
    expect(brief(code("B--2---"))).toEqual(["result R4 at 0x50 since 0x40"]);
    expect(brief(code("B---3--"))).toEqual(["result R4 at 0x50 since 0x20"]);
  });
  test("around a loop", () => {
    const code = (wait: string): string => `
      B------ R- W- Y S15   ISETP.GE.AND P0, PT, R10, R11, PT
      .L:
      ${wait} R- W- - S02   IADD3 R2, R6, R6, RZ
      B------ R- W- - S02   IADD3 R3, R6, R6, RZ
      B------ R- W- Y S06   NOP
      B------ R1 W- - S02   STG.E desc[UR4][R2.64], R9
      B------ R- W- - S05   @P0 BRA \`(.L)
      ${end}`;
    expect(brief(code("B------"))).toEqual(["operand R2 at 0x10 since 0x40", "operand R3 at 0x20 since 0x40"]);
    expect(brief(code("B-1----"))).toEqual([]);
  });
  test("opposite guards of one predicate touch different threads, until it is written", () => {
    const code = (between: string): string => `
      B------ R- W- Y S15   ISETP.GE.AND P0, PT, R10, R11, PT
      B------ R1 W2 - S02   @P0 LDG.E R4, desc[UR4][R2.64]
      ${between}
      B------ R- W- - S01   @!P0 MOV R4, R9
      ${end}`;
    expect(brief(code("B------ R- W- Y S15   ISETP.GE.AND P1, PT, R10, R12, PT"))).toEqual([]);
    expect(brief(code("B------ R- W- Y S15   ISETP.GE.AND P0, PT, R10, R12, PT"))).toEqual([
      "overwrite R4 at 0x30 since 0x10",
    ]);
  });
  test("loads from shared memory return in order: the last one's scoreboard is enough", () => {
    const code = (second: string): string => `
      B------ R- W- - S02   LDS R4, [R10]
      B------ R- W2 - S02   ${second}
      B--2--- R- W- - S01   FADD R7, R4, R5
      ${end}`;
    expect(brief(code("LDS R5, [R10+0x4]"))).toEqual([]);
    expect(brief(code("LDG.E R5, desc[UR4][R8.64]"))).toEqual(["result R4 at 0x20 since 0x0"]);
  });
  test("matrices, atomics and transposed matrices come through the crossbar of shared memory too, in order", () => {
    // ptxas 13.0.88 -O3: the first has no scoreboard where the second's is waited for (sm_75 to 120).
    const code = (first: string, second: string): string => `
      B------ R- W- - S04   ${first}
      B------ R- W0 - S04   ${second}
      B0----- R- W- Y S05   IADD3 R7, R4, R5, RZ
      ${end}`;
    const crossbar = ["LDSM.16.M88 R{}, [R0]", "ATOMS.ADD R{}, [R0], R9", "MOVM.16.MT88 R{}, R9", "LDS R{}, [R0+0x10]"];
    for (const a of crossbar)
      for (const b of [...crossbar, "SHFL.BFLY PT, R{}, R9, 0x1, 0x1f"])
        expect(brief(code(a.replace("{}", "4"), b.replace("{}", "5")))).toEqual([]);
    for (const other of ["MATCH.ANY R{}, R9", "LDL R{}, [R9]", "S2R R{}, SR_LANEID"]) {
      const lds = "LDS R{}, [R0]";
      for (const [a, b] of [[lds, other] as const, [other, lds] as const])
        expect(brief(code(a.replace("{}", "4"), b.replace("{}", "5")))).toEqual(["result R4 at 0x20 since 0x0"]);
    }
  });
  test("memory instructions read their operands in order", () => {
    const code = `B------ R- W- - S02   LDG.E R4, desc[UR4][R2.64]\nB------ R- W2 - S02   LDG.E R2, desc[UR4][R8.64]\n${end}`;
    expect(brief(code)).toEqual([]);
  });
  test("constants are in no queue, accesses to local memory in their own", () => {
    // STL's operands: ptxas lets the LDC wait (its scoreboard at -O0 to -O3).
    const code = (first: string, second: string): string => `${first}\n${second}\n${end}`;
    const stl = "B------ R{} W- - S02   STL [R1], R0";
    const ldc = "B{}----- R- W1 - S02   LDC R0, c[0x0][0x210]";
    const both = (sb: string, wait: string): string => code(stl.replace("{}", sb), ldc.replace("{}", wait));
    expect(brief(both("-", "-"))).toEqual(["operand R0 at 0x10 since 0x0"]);
    expect(brief(both("0", "-"))).toEqual(["operand R0 at 0x10 since 0x0"]);
    expect(brief(both("0", "0"))).toEqual([]);
    // sm_90, -O3, end of a function: the wait for the last load's address is that for all of them.
    const loads = (last: string): string => `
      B------ R- W2 - S04   LDL R21, [R1+0x8]
      B------ R0 W3 - S02   ${last}
      B0----- R- W- Y S05   VIADD R1, R1, 0x10
      ${end}`;
    expect(brief(loads("LDL R2, [R1]"))).toEqual([]);
    expect(brief(loads("LDS R2, [R3]"))).toEqual(["operand R1 at 0x20 since 0x0"]);
    expect(brief(loads("STL [R3], R2").replace("W3", "W-"))).toEqual(["operand R1 at 0x20 since 0x0"]);
  });
  test("each S2R needs its scoreboard, S2UR come in order", () => {
    const code = (first: string, second: string, use: string): string => `
      B------ R- W- - S02   ${first}
      B------ R- W1 - S02   ${second}
      B-1---- R- W- Y S05   ${use}
      ${end}`;
    expect(brief(code("S2R R4, SR_TID.X", "S2R R5, SR_TID.Y", "IADD3 R6, R4, R5, RZ"))).toEqual([
      "result R4 at 0x20 since 0x0",
    ]);
    expect(brief(code("S2R R4, SR_TID.X", "S2UR UR5, SR_CTAID.X", "IADD3 R6, R4, UR5, RZ"))).toEqual([
      "result R4 at 0x20 since 0x0",
    ]);
    // ptxas 13.0.88 -O3, sm_90 (DeviceHistogramSweepKernel of CUB)
    expect(brief(code("S2UR UR4, SR_CTAID.Y", "S2UR UR12, SR_CTAID.X", "UIMAD UR5, UR13, UR4, UR12"))).toEqual([]);
  });
  test("a barrier of the block comes back when the memory instructions before it have read their operands, on sm_75", () => {
    const code = (between: string): string => `
      B------ R- W- - S04   STS [R9], R2
      B------ R- W- - S05   ${between}
      B------ R- W- - S01   MOV R2, R8
      ${end}`;
    const sync = code("BAR.SYNC.DEFER_BLOCKING 0x0");
    expect(brief(sync, "sm_75")).toEqual([]);
    expect(brief(sync.replace("STS [R9]", "STL [R9]"), "sm_75")).toEqual([]);
    expect(brief(sync, "sm_90")).toEqual(["operand R2 at 0x20 since 0x0"]);
    expect(brief(code("NOP"), "sm_75")).toEqual(["operand R2 at 0x20 since 0x0"]);
  });
  test("nothing may be in flight when control leaves for code that is not seen", () => {
    const leave = "B------ R- W- - S05   RET.REL.NODEC R20 `(k)";
    expect(brief(`${load}\nB-12--- R- W- - S05   RET.REL.NODEC R20 0x0`)).toEqual([]);
    expect(brief(`${load}\n${leave.replace("`(k)", "0x0")}`)).toEqual(
      expect.arrayContaining(["call R4 at 0x10 since 0x0", "call R2 at 0x10 since 0x0"]),
    );
  });
  test("calls inside the section are followed, and so are their returns", () => {
    const code = (wait: string): string => `
      B------ R1 W2 - S02   LDG.E R4, desc[UR4][R2.64]
      B------ R- W- - S05   CALL.REL.NOINC \`(.F)
      B------ R- W- - S01   FADD R7, R4, R4
      ${end}
      .F:
      ${wait} R- W- - S05   RET.REL.NODEC R20 0x0`;
    expect(brief(code("B------"))).toEqual(["result R4 at 0x20 since 0x0"]);
    expect(brief(code("B--2---"))).toEqual([]);
  });
  test("a call of code that never returns is a branch", () => {
    const code = (last: string): string => `
      B------ R- W- - S01   @P0 CALL.REL.NOINC \`(.F)
      ${end}
      .F:
      ${last}`;
    expect(brief(code("B------ R- W- - S05   EXIT"))).toEqual([]);
    expect(brief(code("B------ R- W- - S05   RET.REL.NODEC R20 0x0"))).toEqual([expect.stringMatching("stall")]);
  });
  test("DEPBAR waits too, to zero", () => {
    const code = (depbar: string): string =>
      `${load}\nB------ R- W- - S04   ${depbar}\nB------ R- W- - S01   FADD R7, R4, R4\n${end}`;
    expect(brief(code("DEPBAR.LE SB2, 0x0"))).toEqual([]);
    expect(brief(code("DEPBAR.LE SB0, 0x0, {2}"))).toEqual([]);
    expect(brief(code("DEPBAR.LE SB2, 0x1"))).toEqual(["result R4 at 0x20 since 0x0"]);
  });
  test("DEPBAR sees one cycle later what a control word would not see yet", () => {
    const code = (wait: string): string => `
      B------ R- W5 Y S01   SHFL.IDX PT, R8, R7, RZ, 0x1c03
      ${wait}
      B------ R- W- - S01   FADD R9, R8, R8
      ${end}`;
    expect(brief(code("B------ R- W- Y S06   DEPBAR.LE SB5, 0x0"), "sm_75")).toEqual([]);
    expect(brief(code("B-----5 R- W- Y S06   MOV R1, R1"), "sm_75")).toEqual(["result R8 at 0x20 since 0x0"]);
  });
  test("the predicate of a generic atomic is there when its operands are read", () => {
    const code = (wait: string, writeSb: string): string => `
      B------ R0 W${writeSb} - S02   ATOM.E.ADD.64.STRONG.GPU P0, R4, desc[UR4][R2.64], R8
      ${wait} R- W- - S05   @P0 EXIT
      B-----5 R- W- - S05   EXIT`;
    expect(brief(code("B0-----", "5"))).toEqual([]);
    expect(brief(code("B-----5", "5"))).toEqual([]);
    expect(brief(code("B------", "5"))).toEqual(["result P0 at 0x10 since 0x0"]);
  });
  test("transposed matrices return in order", () => {
    const code = (wait: string): string => `
      B------ R- W- - S01   MOVM.16.MT88 R4, R5
      B------ R- W1 - S02   MOVM.16.MT88 R6, R7
      ${wait} R- W- - S05   FADD R8, R4, R4
      ${end}`;
    expect(brief(code("B-1----"))).toEqual([]);
    expect(brief(code("B------"))).toEqual(["result R4 at 0x20 since 0x0"]);
  });
  test("CALL.REL through a register enters the functions of its section", () => {
    const code = (callee: string): string => `B------ R- W- - S01   LDC R1, c[0x0][0x28]
B------ R- W- - S05   MOV R2, 0x40
B------ R- W- - S05   MOV R20, 0x40
B------ R- W- - S05   CALL.REL.NOINC R2 \`(.F)
${end}
.F:
${callee}
B------ R- W- - S05   RET.REL.NODEC R20 \`(.F)`;
    expect(brief(code("B------ R- W- - S05   IADD3 R4, R2, 0x10, RZ"), "sm_90", [0x50])).toEqual([]);
    expect(brief(code("B------ R- W- - S05   IADD3 R4, R1, 0x10, RZ"), "sm_90", [0x50])).toEqual([
      "result R1 at 0x50 since 0x0",
    ]);
  });

  test("where a call through a register goes is not known", () => {
    const call = "B------ R- W- - S05   CALL.REL.NOINC R2 `(.F)";
    const code = `.F:\nB------ R1 W2 - S02   LDG.E R4, desc[UR4][R2.64]\n${call}\n${end}`;
    expect(brief(code)).toContain("call R4 at 0x10 since 0x0");
  });
});

test("a counted wait is for what has that many followers in its order", () => {
  const code = (n: number): string => `
    B------ R- W5 - S02   TEX.LL RZ, R8, R14, R2, UR4, 0x0, 2D, 0x1
    B------ R- W5 - S02   TEX.LL RZ, R9, R16, R3, UR4, 0x0, 2D, 0x1
    B------ R- W- Y S04   DEPBAR.LE SB5, 0x${n}
    B------ R- W- - S01   MOV R20, R8
    ${end}`;
  expect(brief(code(1))).toEqual([]);
  expect(brief(code(2))).toEqual(["result R8 at 0x30 since 0x0"]);
  expect(brief(code(1).replace("MOV R20, R8", "MOV R20, R9"))).toEqual(["result R9 at 0x30 since 0x10"]);
});

test("a counted wait sees the groups of copies on its own scoreboard", () => {
  const code = (sb: string): string => `
    B------ R- W0 - S01   LDGDEPBAR
    B------ R- W- - S04   DEPBAR.LE ${sb}, 0x1
    ${end}`;
  expect(brief(code("SB0"))).toEqual([]);
  expect(brief(code("SB1"))).toEqual(["group at 0x10 since 0x0"]);
});

describe("reuse cache", () => {
  const code = (between: string): string => `
    B------ R- W- - S01   FFMA R4, R8.reuse, R9, R10
    ${between}
    B------ R- W- - S01   FFMA R5, R8, R9, R10
    ${end}`;
  test("a register must not be written between keeping it and taking it", () => {
    expect(brief(code("B------ R- W- Y S05   MOV R8, R20"))).toEqual(["reuse R8 at 0x20 since 0x0"]);
    expect(brief(code("B------ R- W- Y S05   MOV R12, R20"))).toEqual([]);
  });
  test("another operand in the same place puts it out, in its bank", () => {
    expect(brief(code("B------ R- W- - S05   FFMA R8, R14, R15, R16"))).toEqual([]);
    expect(brief(code("B------ R- W- - S05   FFMA R8, R15, R15, R16"))).toEqual(["reuse R8 at 0x20 since 0x0"]);
  });
  test("double precision keeps operands also where it is emulated; other late readers leave the cache alone", () => {
    const kept = (between: string): string[] =>
      brief(
        `B------ R0 W1 - S02   DMUL R20, R2.reuse, R6
         ${between}
         B-1---- R0 W1 - S02   DMUL R24, R2, R8
         ${end}`,
        "sm_75",
      );
    expect(kept("B01---- R- W- - S05   NOP")).toEqual([]);
    expect(kept("B01---- R- W- Y S14   MOV R2, R30")).toEqual(["reuse R2 at 0x20 since 0x0"]);
    expect(kept("B01---- R0 W1 - S05   DADD R2, R30, R32")).toEqual([]);
    expect(kept("B01---- R0 W1 - S05   MUFU.RCP R2, R30")).toEqual(["reuse R2 at 0x20 since 0x0"]);
  });
});

describe("acquires", () => {
  const code = (wait: string, between = ""): string => `
    B------ R- W2 - S04   LDG.E.STRONG.GPU R0, desc[UR4][R2.64]
    ${between}
    ${wait} R- W- - S04   CCTL.IVALL
    B--2--- R- W- - S05   IADD3 R1, R0, R0, RZ
    ${end}`;
  test("the cache is thrown away after the strong access only", () => {
    expect(brief(code("B--2---"))).toEqual([]);
    expect(brief(code("B------"))).toEqual(["acquire at 0x10 since 0x0"]);
  });
  test("a fence in between ends it; a weak or a later one that is waited for is another matter", () => {
    expect(brief(code("B------", "B------ R- W- - S06   MEMBAR.SC.GPU"))).toEqual([]);
    expect(brief(code("B------", "B------ R- W- - S06   @P0 MEMBAR.SC.GPU"))).toEqual(["acquire at 0x20 since 0x0"]);
    const later = "B------ R- W3 - S04   LDG.E.STRONG.GPU R6, desc[UR4][R2.64]";
    expect(brief(code("B---3--", later))).toEqual([]);
    expect(brief(code("B--2---", later))).toEqual(["acquire at 0x20 since 0x10"]);
    expect(brief(code("B--2---", `${later.replace("LDG", "@P0 LDG")}`))).toEqual(["acquire at 0x20 since 0x10"]);
    expect(brief(code("B------").replace(".STRONG.GPU", ""))).toEqual([]);
  });
});

describe("the control word", () => {
  const add = (control: string): string[] =>
    brief(`${control}   IADD3 R4, R5, R6, RZ\nB------ R- W- Y S15   NOP\n${end}`);
  test("stall and yield", () => {
    expect(add("B------ R- W- - S11")).toEqual([]);
    expect(add("B------ R- W- - S12")).toEqual(["control at 0x0"]);
    expect(add("B------ R- W- - S00")).toEqual(["control at 0x0", "stall at 0x0"]);
    expect(add("B------ R- W- Y S15")).toEqual([]);
  });
  test("scoreboards", () => {
    expect(brief(`B------ R- W6 - S02   LDG.E R4, desc[UR4][R2.64]\n${end}`)).toEqual(["control at 0x0"]);
    expect(add("B------ R- W2 - S11")).toEqual(["control at 0x0"]);
  });
});

test("a word that is not in the table is told", () => {
  expect(brief(`.word 0x000fc000000000000000000000000fff\n${end}`)).toEqual(["unknown at 0x0"]);
});

test("a texture instruction names as many registers as its dimension and mask say", () => {
  const tex = "B------ R0 W5 - S02   TEX.LL RZ, R8, R14, R2, UR4, 0x0, 2D, 0x2";
  const write = (r: string): string[] =>
    brief(`${tex}\nB------ R- W- - S01   MOV ${r}, R30\n${end}`).map((f) => f.split(" ").slice(0, 2).join(" "));
  expect(write("R8")).toEqual(["overwrite R8"]);
  expect(write("R9")).toEqual([]);
  expect(write("R15")).toEqual(["operand R15"]);
  expect(write("R16")).toEqual([]);
  expect(write("R2")).toEqual(["operand R2"]);
  expect(write("R3")).toEqual([]);
});

test("packed coordinates: one register in the second operand", () => {
  const tld = "B------ R- W5 Y S02   TLD.SCR.F16.RN.LZ P0, R0, R4, R6, R8, 0x0, 0x5a, ARRAY_2D";
  const write = (r: string): string[] =>
    brief(`${tld}\nB------ R- W- - S01   MOV ${r}, R30\n${end}`, "sm_75").map((f) =>
      f.split(" ").slice(0, 2).join(" "),
    );
  expect(write("R8")).toEqual(["operand R8"]);
  expect(write("R9")).toEqual([]);
});

test("a sparse product may keep its metadata for reuse, which no text shows", () => {
  const code = words(`B------ R- W- - S08   IMMA.SP.16864.S8.S8 R8, R8.ROW, R16.COL, RZ, R0, 0x0\n${end}`, "sm_90");
  code[3] = code[3]! | (1 << 29);
  expect(verifyHazards({ name: "k", words: code }, target("sm_90")).filter((f) => f.kind === "control")).toEqual([]);
});

test("any words are taken", () => {
  const r = random(1);
  const noise = Uint32Array.from({ length: 4000 }, () => r.u32());
  for (const arch of ["sm_75", "sm_90", "sm_120"] as const)
    expect(
      verifyHazards({ name: "k", words: noise, entries: [16, 64], targets: new Map([[32, [48]]]) }, target(arch))
        .length,
    ).toBeGreaterThan(0);
  expect(verifyHazards({ name: "k", words: new Uint32Array(0) }, target("sm_90"))).toEqual([]);
});

test("a finding as text", () => {
  const [f] = findings(
    `B------ R1 W2 - S02   LDG.E R4, desc[UR4][R2.64]\nB------ R- W- - S01   FADD R7, R4, R4\n${end}`,
  );
  expect(findingText(f!)).toBe(
    "k /*0010*/ FADD R7, R4, R4: result: reads R4, which may still have to be written: SB2 tells when, and was not waited for; since /*0000*/ LDG.E R4, desc[UR4][R2.64]",
  );
});
