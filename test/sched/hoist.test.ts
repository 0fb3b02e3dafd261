/** Motion between blocks: what may go up, what must stay, on small texts; and whole programs that compute the same. */
import { compile } from "../../lib/compile.js";
import { reorderCubin } from "../../lib/experiment/index.js";
import { renderInst } from "../../lib/isa/text.js";
import { parseFunc } from "../../lib/ori/parse.js";
import type { Func } from "../../lib/ori/types.js";
import { type HoistOptions, hoist } from "../../lib/sched/index.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import { corpus, corpusPtx } from "../corpus/cases.js";

function func(code: string): Func {
  const read = parseFunc(`func "k" entry sm_90 physical post-expanded\n${code}`);
  if (!read.ok) throw new Error(read.diagnostics.map((d) => `line ${d.span?.line}: ${d.message}`).join("\n"));
  return read.value;
}

/** Mnemonics and what they write per block afterwards, one line each. */
function placed(code: string, options: HoistOptions = {}): string[] {
  const f = func(code);
  hoist(f, options);
  return f.blocks.map((b) => b.insts.map((i) => renderInst(i).replace(/,.*| \[.*| B\d$/g, "")).join("; "));
}

const guarded = (rest: string, head = "ISETP.GE.AND P0, PT, R0, R9, PT"): string => `b0
${head}
@P0 EXIT
b1
${rest}
STG.E desc[UR8][R4.64], R0
EXIT`;

describe("motion between blocks", () => {
  test("what only the rest of the code reads goes above a conditional exit, in its order", () => {
    const code = guarded("LDC.64 R2, c[0x0][0x210]\nULDC.64 UR8, c[0x0][0x208]\nIMAD.WIDE R4, R0, 0x4, R2");
    expect(placed(code)).toEqual(["ISETP.GE.AND P0; LDC.64 R2; ULDC.64 UR8; IMAD.WIDE R4; @P0 EXIT", "STG.E; EXIT"]);
    expect(placed(code, { what: "loads" })[0]).toBe("ISETP.GE.AND P0; LDC.64 R2; @P0 EXIT");
    expect(placed(code, { select: (inst) => inst.form.op === "ULDC" })[0]).toBe(
      "ISETP.GE.AND P0; ULDC.64 UR8; @P0 EXIT",
    );
  });

  test.each([
    ["the guard of the exit", "ISETP.EQ.AND P0, PT, R0, RZ, PT"],
    ["a load that may fault", "LDG.E R6, desc[UR8][R4.64]"],
    ["a constant at an unknown place", "LDC R6, c[0x3][R5]"],
    ["an instruction in which lanes see each other", "SHFL.IDX PT, R6, R0, RZ, 0x1f"],
    ["a clock", "CS2R R6, SR_CLOCKLO"],
    ["a result that nobody could have", "IADD3 RZ, R0, R1, RZ"],
  ])("stays: %s", (_, inst) => {
    expect(placed(guarded(inst))[0]).toBe("ISETP.GE.AND P0; @P0 EXIT");
  });

  test("nothing passes what writes its operands or touches its result", () => {
    expect(placed(guarded("LDG.E R5, desc[UR8][R2.64]\nIADD3 R6, R5, R0, RZ\nMOV R2, R0"))[1]).toBe(
      "LDG.E R5; IADD3 R6; MOV R2; STG.E; EXIT",
    );
  });

  const diamond = (arm: string, join: string, end = "STG.E desc[UR8][R4.64], R6"): string => `b0
ISETP.GE.AND P0, PT, R0, R9, PT
@P0 BRA b2
b1
${arm}
BRA b3
b2
${end}
b3
${join}
STG.E desc[UR8][R4.64], R7
EXIT`;

  test("out of a join and of an arm, but not over what another way reads", () => {
    expect(placed(diamond("IADD3 R7, R0, R1, RZ", "MOV R3, R0"))).toEqual([
      "ISETP.GE.AND P0; MOV R3; @P0 BRA",
      "IADD3 R7; BRA",
      "STG.E",
      "STG.E; EXIT",
    ]);
    // R7 comes from b0 where b2 is the way: b1 may not write it earlier. R3 belongs to b1 alone.
    expect(placed(diamond("MOV R3, R0\nIADD3 R7, R3, R1, RZ", "NOP"))[0]).toBe("ISETP.GE.AND P0; MOV R3; @P0 BRA");
  });

  test("registers of the warp do not pass a branch: other lanes may be in the other arm", () => {
    expect(placed(diamond("UMOV UR4, 0x1\nMOV R3, UR4", "NOP"))[0]).toBe("ISETP.GE.AND P0; @P0 BRA");
  });

  test("out of a loop what is the same each time; not what counts, nor from after a loop into it", () => {
    const loop = `b0
MOV R2, RZ
b1
LDC R6, c[0x0][0x210]
IADD3 R2, R2, 0x1, RZ
IADD3 R8, R6, R2, RZ
ISETP.LT.AND P0, PT, R2, R6, PT
@P0 BRA b1
b2
MOV R10, R6
STG.E desc[UR8][R4.64], R10
EXIT`;
    expect(placed(loop)).toEqual([
      "MOV R2; LDC R6",
      "IADD3 R2; IADD3 R8; ISETP.LT.AND P0; @P0 BRA",
      "MOV R10; STG.E; EXIT",
    ]);
    // Read before it is written on the second turn.
    expect(placed(loop.replace("IADD3 R8, R6, R2, RZ", "MOV R6, R2"))[0]).toBe("MOV R2");
  });

  test("a function with calls is left alone", () => {
    const code = guarded("LDC.64 R2, c[0x0][0x210]\nCALL.REL.NOINC b1");
    expect(hoist(func(code))).toBe(0);
  });

  test("gathered lanes go on at the label: what stands ahead of it is not theirs", () => {
    const code = `b0
MOV R5, R0
WARPSYNC.COLLECTIVE R5, b1
VOTE.ANY P0, P0
ENDCOLLECTIVE
b1
MOV R6, R0
STG.E desc[UR8][R4.64], R6
EXIT`;
    expect(placed(code)[1]).toBe("MOV R6; STG.E; EXIT");
  });

  test("a third of the corpus computes the same", () => {
    const target = "sm_90";
    for (const c of corpus.filter((_, i) => i % 3 === 2)) {
      const { cubin } = compile(corpusPtx(c.name, target), { target, opt: 2 });
      const made = reorderCubin(cubin!, [{ hoist: "all" }, { policy: "critical-path" }]);
      if (!made.ok) throw new Error(`${c.name}: ${made.diagnostics[0]?.message}`);
      expect([c.name, made.value.hazards]).toEqual([c.name, 0]);
      expect(runLaunchFile(made.value.bytes, c.launch, { readFile: () => null }).status).toBe(0);
    }
  });
});
