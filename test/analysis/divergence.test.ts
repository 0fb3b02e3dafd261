/** Where the lanes of a warp are together: regions, regions in which lanes YIELD, barriers of the CTA after them. */
import { analysis } from "../../lib/analysis/index.js";
import { parseFunc } from "../../lib/ori/parse.js";
import type { Func } from "../../lib/ori/types.js";

function read(body: string): Func {
  const values = "value %R0\nvalue %R1\nvalue %R2\nvalue %P3\nvalue %P4\nvalue %B5\nvalue %B6\nvalue %R7 fixed 4";
  const parsed = parseFunc(`func "k" entry sm_90 virtual\n${values}\n${body}`);
  if (!parsed.ok) throw new Error(parsed.diagnostics[0]?.message);
  return parsed.value;
}

/** Blocks in which lanes may be apart, with how many of their instructions. */
function apart(body: string): string {
  const func = read(body);
  const found = analysis(func, "divergence");
  return func.blocks
    .map((b) => b.insts.filter((_, at) => found.apartAt(b, at)).length)
    .map((n, b) => (n > 0 ? `b${b} ${n}` : ""))
    .filter((t) => t !== "")
    .join(", ");
}

/** Lane 0 looks at memory until it has changed; the others wait for it. */
const watching = (inLoop: string, after: string): string => `b0
S2R %R0, SR_TID.X
ISETP.NE.AND %P3, PT, %R0, RZ, PT
BSSY %B5, b3
@%P3 BRA b3
b1
${inLoop}
LDS %R1, [RZ]
ISETP.EQ.AND %P4, PT, %R1, RZ, PT
@%P4 BRA b1
b2
NOP
b3
BSYNC %B5
${after}
STS [RZ], %R0
EXIT`;

test("a BSYNC brings the lanes of its region together", () => {
  expect(apart(watching("NOP", "NOP"))).toBe("b1 4, b2 1, b3 1");
});

test("lanes that YIELD are not waited for: they are apart after the BSYNC", () => {
  expect(apart(watching("YIELD PT", "NOP"))).toBe("b1 4, b2 1, b3 4");
});

test("the barrier of the CTA after it brings them together", () => {
  expect(apart(watching("YIELD PT", "NOP\nBAR.SYNC.DEFER_BLOCKING 0x0"))).toBe("b1 4, b2 1, b3 3");
});

test("none comes where the code after it turns round for ever", () => {
  expect(apart(`${watching("YIELD PT", "NOP").replace("EXIT", "BRA b4")}\nb4\nNOP\nBRA b4`)).toBe(
    "b1 4, b2 1, b3 4, b4 2",
  );
});

test("not one that some lanes may leave out", () => {
  expect(apart(watching("YIELD PT", "NOP\n@%P3 BAR.SYNC.DEFER_BLOCKING 0x0"))).toBe("b1 4, b2 1, b3 5");
});

test("a YIELD before the region is no part of it: its BSYNC brings lanes together", () => {
  const body = `b0
S2R %R0, SR_TID.X
ISETP.NE.AND %P3, PT, %R0, RZ, PT
b1
YIELD PT
BSSY %B5, b3
@%P3 BRA b3
b2
NOP
b3
BSYNC %B5
LDC %R1, c[0x0][0x210]
ISETP.EQ.AND %P4, PT, %R1, RZ, PT
@%P4 BRA b1
b4
EXIT`;
  expect(apart(body)).toBe("b2 1, b3 1");
});

test("whether a phase of an mbarrier has completed is the same for all lanes that ask about the same one", () => {
  const waits = (address: string): string => `b0
S2R %R0, SR_TID.X
MOV %R1, 0x400
b1
SYNCS.PHASECHK.TRANS64.TRYWAIT %P3, [${address}+URZ], RZ
@!%P3 BRA b1
b2
NOP
EXIT`;
  expect([apart(waits("%R1")), apart(waits("%R0"))]).toEqual(["", "b1 2, b2 2"]);
});

/** Rounds from which some lanes leave past the region's end. */
test("a BSYNC that some lanes go past brings nobody together", () => {
  const body = `b0
S2R %R0, SR_TID.X
BSSY %B6, b7
b1
ISETP.NE.AND %P3, PT, %R0, RZ, PT
BSSY %B5, b5
@%P3 BRA b3
b2
NOP
BRA b4
b3
LDS %R1, [RZ]
ISETP.EQ.AND %P4, PT, %R1, RZ, PT
@%P4 BRA b6
b4
BSYNC %B5
b5
NOP
BRA b1
b6
BREAK %B5
b8
BSYNC %B6
b7
STS [RZ], %R0
EXIT`;
  expect(apart(body)).toBe("b1 3, b2 2, b3 3, b4 1, b5 2, b6 1, b7 1");
});

/** A routine is called by lanes that may be apart, and they stay so. */
test("in a function that is called lanes are apart but after a BSYNC", () => {
  const body = watching("NOP", "NOP");
  const func = read(body);
  const found = analysis({ ...func, kind: "func" }, "divergence");
  expect(func.blocks.map((b) => b.insts.filter((_, at) => found.apartAt(b, at)).length)).toEqual([4, 4, 1, 1]);
});

/**
 * What a call gives back may differ, and lanes may come back at different times; what was the same before it still is. What is called may
 * YIELD and has the region's mask put away: lanes that waited go on, and a barrier of the CTA must get the others (random modules 8000164, 8000239, 8000821).
 */
test("in a kernel lanes are apart after a call until a barrier of the CTA brings them together, not its region", () => {
  const body = (barrier: string): string => `b0
LDC %R1, c[0x0][0x210]
S2R %R0, SR_TID.X
BSSY %B5, b2
ISETP.EQ.AND %P3, PT, %R0, RZ, PT
@%P3 BRA b2
b1
IADD3 %R1, %R1, 0x1, RZ
CALL.REL.NOINC b0 ; 9 passes (%R7) -> (%R7)
IADD3 %R2, %R7, 0x1, RZ
b2
BSYNC %B5
${barrier}
STS [RZ], %R2
EXIT`;
  expect(apart(body("NOP"))).toBe("b1 3, b2 4");
  expect(apart(body("BAR.SYNC.DEFER_BLOCKING 0x0"))).toBe("b1 3, b2 2");
  const straight = `b0
LDC %R1, c[0x0][0x210]
CALL.REL.NOINC b0 ; 9 passes (%R7) -> (%R7)
IADD3 %R2, %R7, 0x1, RZ
STS [RZ], %R2
EXIT`;
  expect(apart(straight)).toBe("b0 3");
  const { varies } = analysis(read(straight), "divergence");
  expect([1, 2, 7].map((v) => varies[v])).toEqual([0, 1, 1]);
});

test("a shuffle from one lane gives all lanes the same, one from a lane each names itself does not", () => {
  const body = (lane: string, width: string): string => `b0
S2R %R0, SR_TID.X
SHFL.IDX PT, %R1, %R0, ${lane}, ${width}
STS [RZ], %R1
EXIT`;
  const varies = (text: string): number => analysis(read(text), "divergence").varies[1] as number;
  expect(varies(body("RZ", "0x1f"))).toBe(0);
  expect(varies(body("%R0", "0x1f"))).toBe(1);
  expect(varies(body("RZ", "0x181f"))).toBe(1);
});
