import { foldBranches } from "../../lib/phases/branches.js";
import { predicate } from "../../lib/phases/predication.js";
import { after, normalize } from "./texts.js";

const head = `func "k" entry sm_90 virtual expanded`;
const run = (code: string): string => after(`${head}\n${code}`, "LateMergeEquivalentConditionalFlow");
const text = (code: string): string => normalize(`${head}\n${code}`);

test("an arm that asks which lanes are there runs under a guard, one that votes stays", () => {
  const arm = (vote: string): string => `
    b0
      S2R %R0, SR_TID.X
      MOV %R2, RZ
      ISETP.LT.AND %P3, PT, %R0, 0x7, PT
      ISETP.LT.AND %P5, PT, %R0, 0x3, PT
      BSSY %B4, b3
      @!%P3 BRA b2
    b1
      ${vote}
    b2
      BSYNC %B4
    b3
      STS [%R0], %R2
      EXIT`;
  expect(run(arm("VOTE.ANY %R2, PT, PT"))).toContain("@%P3 VOTE.ANY %R2, PT, PT");
  expect(run(arm("VOTE.ANY %R2, PT, %P5"))).toContain("BRA");
  expect(run(arm("VOTE.ALL %R2, PT, PT"))).toContain("BRA");
});

test("a short arm runs under a guard; what harms nobody has none; its region goes", () => {
  const before = `
    b0
      S2R %R0, SR_TID.X
      LDC %R1, c[0x0][0x210]
      MOV %R2, RZ
      LDG.E %R6, [%R1]
      ISETP.LT.AND %P3, PT, %R0, %R1, PT
      BSSY %B4, b3
      @!%P3 BRA b2
    b1
      IADD3 %R5, %R0, %R1, RZ
      LDG.E %R2, [%R5]
    b2
      BSYNC %B4
    b3
      STG.E [%R6], %R2
      EXIT`;
  const expected = `
    b0
      S2R %R0, SR_TID.X
      LDC %R1:0, c[0x0][0x210]
      MOV %R2, RZ
      LDG.E %R6:0, [%R1]
      ISETP.LT.AND %P3, PT, %R0, %R1:0, PT
      IADD3 %R5:0, %R0, %R1:0, RZ
      @%P3 LDG.E %R2, [%R5]
      STG.E [%R6], %R2
      EXIT`;
  expect(run(before)).toBe(text(expected));
});

test("a wait for an mbarrier by the whole warp has no YIELD and no region; an arrival by one lane stands under a guard", () => {
  const before = `
    b0
      S2R %R0, SR_TID.X
      MOV %R1, 0x400
      ISETP.NE.AND %P2, PT, %R0, RZ, PT
      BSSY %B3, b2
      @%P2 BRA b6
    b1
      SYNCS.ARRIVE.TRANS64 %R6, [%R1+URZ], %R0
    b6
      BSYNC %B3
    b2
      BSSY %B4, b5
    b3
      YIELD PT
      SYNCS.PHASECHK.TRANS64.TRYWAIT %P5, [%R1+URZ], RZ
      @!%P5 BRA b3
    b4
      BSYNC %B4
    b5
      STG.E [RZ], %R0
      EXIT`;
  const expected = `
    b0
      S2R %R0, SR_TID.X
      MOV %R1, 0x400
      ISETP.NE.AND %P2, PT, %R0, RZ, PT
      @!%P2 SYNCS.ARRIVE.TRANS64 %R6, [%R1+URZ], %R0
    b3
      SYNCS.PHASECHK.TRANS64.TRYWAIT %P5, [%R1+URZ], RZ
      @!%P5 BRA b3
    b4
      STG.E [RZ], %R0
      EXIT`;
  expect(run(before)).toBe(text(expected));
});

test("two arms: the first leaves alone what the second reads", () => {
  const before = `
    b0
      S2R %R0, SR_TID.X
      ISETP.LT.AND %P1, PT, %R0, 0x5, PT
      MOV %R2, %R0
      @%P1 BRA b2
    b1
      IADD3 %R2, %R2, 0x1, RZ
      IADD3 %R3, %R0, 0x2, RZ
      BRA b3
    b2
      IADD3 %R3, %R2, 0x3, RZ
    b3
      STG.E [RZ], %R2
      STG.E [RZ], %R3
      EXIT`;
  const expected = `
    b0
      S2R %R0, SR_TID.X
      ISETP.LT.AND %P1, PT, %R0, 0x5, PT
      MOV %R2, %R0
      @!%P1 IADD3 %R2, %R2, 0x1, RZ
      IADD3 %R3, %R0, 0x2, RZ
      @%P1 IADD3 %R3, %R2, 0x3, RZ
      STG.E [RZ], %R2
      STG.E [RZ], %R3
      EXIT`;
  expect(run(before)).toBe(text(expected));
});

test("an arm that writes the condition, and one with a barrier, keep their branch", () => {
  for (const inst of [
    "ISETP.EQ.AND %P1, PT, %R0, RZ, PT",
    "BAR.SYNC.DEFER_BLOCKING 0x0",
    "SHFL.BFLY PT, %R0, %R0, 0x1, 0x1f",
  ]) {
    const code = `
    b0
      S2R %R0, SR_TID.X
      ISETP.LT.AND %P1, PT, %R0, 0x5, PT
      @%P1 BRA b2
    b1
      ${inst}
    b2
      STG.E [RZ], %R0
      @%P1 EXIT
    b3
      STG.E [RZ], %R0
      EXIT`;
    expect(after(`${head}\n${code}`, predicate)).toBe(text(code));
  }
});

test("regions and WARPSYNC stay where lanes part, and only there", () => {
  const loop = (trips: string): string => `
    b0
      ${trips}
      MOV %R1, RZ
      BSSY %B2, b3
    b1
      IADD3 %R1, %R1, 0x1, RZ
      WARPSYNC.ALL
      BAR.SYNC.DEFER_BLOCKING 0x0
      ISETP.LT.AND %P3, PT, %R1, %R0, PT
      @%P3 BRA b1
    b2
      BSYNC %B2
    b3
      WARPSYNC.ALL
      BAR.SYNC.DEFER_BLOCKING 0x0
      EXIT`;
  expect(run(loop("S2R %R0, SR_TID.X")).match(/BSSY|BSYNC|WARPSYNC/g)).toEqual(["BSSY", "WARPSYNC", "BSYNC"]);
  expect(run(loop("S2R %R0, SR_CTAID.X")).match(/BSSY|BSYNC|WARPSYNC/g)).toBeNull();
});

test("a region around a loop goes where a region in the loop brings the lanes together that part there", () => {
  const before = `
    b0
      S2R %R0, SR_TID.X
      LDC %R1, c[0x0][0x210]
      BSSY %B4, b6
    b1
      ISETP.LT.AND %P2, PT, %R0, %R1, PT
      BSSY %B5, b4
      @%P2 BRA b3
    b2
      BAR.SYNC.DEFER_BLOCKING 0x0
    b3
      BSYNC %B5
    b4
      IADD3 %R1, %R1, 0x1, RZ
      ISETP.LT.AND %P3, PT, %R1, 0x9, PT
      @%P3 BRA b1
    b5
      BSYNC %B4
    b6
      STG.E [RZ], %R1
      EXIT`;
  const expected = before.replace("      BSSY %B4, b6\n", "").replace("    b5\n      BSYNC %B4\n    b6\n", "    b5\n");
  expect(run(before)).toBe(text(expected));
  // A way past the inner BSYNC needs the outer one.
  const past = before.replace("BAR.SYNC.DEFER_BLOCKING 0x0", "@%P9 BRA b5");
  expect(run(past)).toContain("BSYNC %B4");
});

test("a value made where lanes are apart varies, whatever it is made from", () => {
  const code = `
    b0
      S2R %R0, SR_TID.X
      MOV %R1, RZ
      ISETP.LT.AND %P2, PT, %R0, 0x5, PT
      BSSY %B3, b3
      @%P2 BRA b2
    b1
      MOV %R1, 0x1
      BAR.SYNC.DEFER_BLOCKING 0x0
    b2
      BSYNC %B3
    b3
      ISETP.EQ.AND %P4, PT, %R1, RZ, PT
      BSSY %B5, b6
      @%P4 BRA b5
    b4
      BAR.SYNC.DEFER_BLOCKING 0x0
    b5
      BSYNC %B5
    b6
      STG.E [RZ], %R0
      EXIT`;
  expect(run(code).match(/BSYNC/g)).toHaveLength(2);
});

test("jumps to jumps, around jumps, to ends; a target that nothing falls into comes next", () => {
  const before = `
    b0
      LDC %R0, c[0x0][0x210]
      ISETP.LT.AND %P1, PT, %R0, 0x5, PT
      @%P1 BRA b2
    b1
      BRA b4
    b2
      STG.E [RZ], %R0
      BRA b5
    b3
      EXIT
    b4
      STG.E [0x4], %R0
      @%P1 BRA b3
    b6
      STG.E [0xc], %R0
      BRA b2
    b5
      STG.E [0x8], %R0
      BRA b3`;
  const expected = `
    b0
      LDC %R0, c[0x0][0x210]
      ISETP.LT.AND %P1, PT, %R0, 0x5, PT
      @!%P1 BRA b4
    b2
      STG.E [RZ], %R0
      STG.E [0x8], %R0
      EXIT
    b4
      STG.E [0x4], %R0
      @%P1 EXIT
    b6
      STG.E [0xc], %R0
      BRA b2`;
  expect(after(`${head}\n${before}`, foldBranches)).toBe(text(expected));
});

test("a copy on the way back to a loop's head is made under the branch's guard", () => {
  const before = `
    b0 freq 1
      LDC %R0, c[0x0][0x210]
      MOV %R1, RZ
    b1 freq 10
      IADD3 %R2, %R1, %R0, RZ
      STG.E [RZ], %R2
      ISETP.LT.AND %P3, PT, %R2, 0x64, PT
      @!%P3 BRA b3
    b2 freq 10
      MOV %R1, %R2
      BRA b1
    b3 freq 1
      STG.E [RZ], %R1
      EXIT`;
  const expected = before.replace(
    / {6}@!%P3 BRA b3\n {4}b2 freq 10\n {6}MOV %R1, %R2\n {6}BRA b1/,
    "      @%P3 MOV %R1, %R2\n      @%P3 BRA b1",
  );
  expect(run(before)).toBe(text(expected.replace(/ freq \d+/g, "")));
});

test("of two arms only the first is short: it runs under a guard with its jump", () => {
  const long = Array.from({ length: 12 }, () => "IMAD %R2, %R2, %R2, %R0").join("\n      ");
  const before = `
    b0
      S2R %R0, SR_TID.X
      ISETP.LT.AND %P1, PT, %R0, 0x5, PT
      MOV %R2, %R0
      @%P1 BRA b2
    b1
      IMAD %R2, %R0, %R0, %R0
      BRA b3
    b2
      ${long}
    b3
      STG.E [RZ], %R2
      EXIT`;
  const out = run(before);
  expect(out).toMatch(/@!%P1 IMAD %R2, %R0, %R0, %R0\n@!%P1 BRA b3/);
  expect(out.match(/BRA/g)).toHaveLength(1);
});

test("a short way that ends the kernel runs under a guard, its EXIT too", () => {
  const before = `
    b0
      S2R %R0, SR_TID.X
      ISETP.LT.AND %P1, PT, %R0, 0x5, PT
      @%P1 BRA b2
    b1
      STG.E [0x4], %R0
      EXIT
    b2
      STG.E [RZ], %R0
      EXIT`;
  expect(run(before)).toMatch(/@!%P1 STG.E \[0x4\], %R0\n@!%P1 EXIT\nb2\nSTG.E \[RZ\], %R0\nEXIT/);
});

test("what stands after the last region moves ahead of it unless it may meet a store inside", () => {
  const code = (address: string): string => `
    b0
      S2R %R0, SR_TID.X
      LDC.64 %R5, c[0x0][0x210]
      ISETP.LT.AND %P1, PT, %R0, 0x5, PT
      BSSY %B2, b3
      @%P1 BRA b2
    b1
      ${Array.from({ length: 10 }, (_, k) => `STG.E [%R5+0x${(4 * k + 16).toString(16)}], %R0`).join("\n      ")}
    b2
      BSYNC %B2
    b3
      STG.E [${address}], %R0
      EXIT`;
  expect(run(code("%R5"))).not.toMatch(/BSSY/);
  expect(run(code("%R5+0x14"))).toMatch(/BSSY/);
});

/** A branch around one load: the head, the operands of the guard. */
const loadAfter = (before: string): string => `
    b0
      S2R %R0, SR_TID.X
      LDC %R1, c[0x0][0x210]
      MOV %R2, RZ
      ${before}
      ISETP.LT.AND %P3, PT, %R0, %R1, PT
      @!%P3 BRA b2
    b1
      LDG.E %R2, [%R1]
    b2
      STG.E [%R4], %R2
      EXIT`;

test.each([
  ["a load that the predicate does not wait for", "LDG.E %R4, [%R1]", true],
  ["nothing", "MOV %R4, RZ", false],
  ["two sums", "IADD3 %R4, %R0, %R1, RZ\nIADD3 %R4, %R4, %R1, RZ", false],
  ["four operations", "MOV %R4, RZ\n".concat("IADD3 %R4, %R4, %R1, RZ\n".repeat(3)), true],
  ["a store after the load", "LDG.E %R4, [%R1]\nSTG.E [%R1], %R4", false],
  ["a load that makes the predicate", "LDG.E %R0, [%R1]\nMOV %R4, RZ", false],
])("an arm that loads, where the head has %s in flight", (_, before, straight) => {
  expect(run(loadAfter(before)).includes("@%P3 LDG.E")).toBe(straight);
});

test("an arm that jumps on to where another one falls stays an arm", () => {
  const code = run(`
    b0
      S2R %R0, SR_TID.X
      ISETP.EQ.AND %P1, PT, %R0, RZ, PT
      @%P1 BRA b3
    b1
      ISETP.EQ.AND %P2, PT, %R0, 0x7, PT
      @%P2 BRA b4
    b2
      STG.E [RZ], %R0
      BRA b4
    b3
      STG.E [0x4], %R0
    b4
      STG.E [0x8], %R0
      EXIT`);
  expect(code.match(/BRA/g)).toHaveLength(3);
  expect(code).not.toMatch(/@!?%P\d STG/);
});

test("who jumps beside a branch to a block of its own: that block comes next", () => {
  const before = `
    b0
      S2R %R0, SR_TID.X
      ISETP.EQ.AND %P1, PT, %R0, RZ, PT
      @%P1 BRA b3
    b1
      ISETP.EQ.AND %P2, PT, %R0, 0x7, PT
      @%P2 BRA b4
    b2
      BRA b5
    b3
      STG.E [RZ], %R0
      BRA b5
    b4
      STG.E [0x4], %R0
    b5
      STG.E [0x8], %R0
      EXIT`;
  const code = after(`${head}\n${before}`, (func) => foldBranches(func));
  expect(code).toBe(
    text(`
    b0
      S2R %R0, SR_TID.X
      ISETP.EQ.AND %P1, PT, %R0, RZ, PT
      @%P1 BRA b3
    b1
      ISETP.EQ.AND %P2, PT, %R0, 0x7, PT
      @!%P2 BRA b5
    b4
      STG.E [0x4], %R0
      BRA b5
    b3
      STG.E [RZ], %R0
    b5
      STG.E [0x8], %R0
      EXIT`),
  );
});

test("what follows a region with a region inside stays after it", () => {
  const code = run(`
    b0
      S2R %R0, SR_TID.X
      ISETP.EQ.AND %P1, PT, %R0, RZ, PT
      BSSY %B2, b5
      @%P1 BRA b4
    b1
      LDG.E %R3, [%R0]
      ISETP.EQ.AND %P4, PT, %R3, RZ, PT
      BSSY %B5, b3
      @%P4 BRA b3
    b2
      ${"STG.E [0x10], %R3\n".repeat(9)}
    b3
      BSYNC %B5
    b6
      STG.E [0x4], %R3
    b4
      BSYNC %B2
    b5
      STG.E [0x8], %R0
      EXIT`);
  expect(code.match(/BSSY/g)).toHaveLength(2);
  expect(code.indexOf("BSYNC %B2")).toBeLessThan(code.indexOf("[0x8]"));
});

test("a block that ends in a branch of its own does not move with a jump after it", () => {
  const code = `
    b0
      S2R %R0, SR_TID.X
      ISETP.EQ.AND %P1, PT, %R0, RZ, PT
      @%P1 BRA b3
    b1
      BRA b4
    b2
      STG.E [RZ], %R0
      BRA b4
    b3
      ISETP.EQ.AND %P2, PT, %R0, 0x7, PT
      @%P2 BRA b2
    b4
      STG.E [0x8], %R0
      EXIT`;
  expect(after(`${head}\n${code}`, (func) => foldBranches(func)).match(/BRA/g)).toHaveLength(4);
});
