import type { Func } from "../../lib/ori/types.js";
import { commonLoads } from "../../lib/phases/common-loads.js";
import { rotateLoops } from "../../lib/phases/rotate-loops.js";
import { unrollLoops } from "../../lib/phases/unroll.js";
import { unrollLimits } from "../../lib/phases/unroll-cost.js";
import { after, normalize } from "./texts.js";

const head = `func "k" entry sm_90 virtual expanded`;
const run = (code: string, phase: (func: Func) => unknown): string => after(`${head}\n${code}`, phase);
const text = (code: string): string => normalize(`${head}\n${code}`);

const counted = (bound: string, more = ""): string => `
    b0
      LDC %R0, c[0x0][0x210]
      MOV %R1, RZ
    b1${more}
      IMAD %R0, %R0, %R0, %R1
      IADD3 %R1, %R1, 0x1, RZ
      ISETP.LT.AND %P2, PT, %R1, ${bound}, PT
      @%P2 BRA b1
    b2
      STG.E [RZ], %R0
      EXIT`;

test("known trips: the turns one after the other", () => {
  const out = run(counted("0x3"), (f) => unrollLoops(f));
  expect(out.match(/IMAD/g)).toHaveLength(3);
  expect(out).not.toMatch(/BRA/);
});

test("a loop that is told to stays, and one turn is no loop", () => {
  expect(run(counted("0x3", " nounroll"), (f) => unrollLoops(f))).toBe(text(counted("0x3", " nounroll")));
  const once = run(counted("0x1"), (f) => unrollLoops(f));
  expect(once.match(/IMAD/g)).toHaveLength(1);
  expect(once).not.toMatch(/BRA/);
});

test("many trips: the rest in front, then rounds that fit the budget", () => {
  const limits = { ...unrollLimits, UnrollBudget: 4, UnrollInstLimit: 1 };
  const out = run(counted("0x1003"), (f) => unrollLoops(f, limits));
  // 4099 = 3 + 1024 · 4 is too large with 3 in front; 1 + 1366 · 3 fits.
  expect(out.match(/IMAD/g)).toHaveLength(4);
  expect(out.match(/BRA/g)).toHaveLength(1);
});

test("unknown trips: four turns as long as four are sure, then two, then one", () => {
  const before = counted("%R0")
    .replace("IMAD %R0, %R0, %R0, %R1", "IMAD %R3, %R3, %R3, %R1")
    .replace("MOV %R1", "MOV %R3, RZ\n      MOV %R1");
  const out = run(before, (f) => unrollLoops(f));
  expect(out.match(/IMAD/g)).toHaveLength(7);
  expect(out.match(/BRA/g)).toHaveLength(4);
  expect(out).toMatch(/ISETP\.GT\.AND %P\d+, PT, %R0, 0x3, PT/);
});

const branching = (trips: string, condition: string, arm: string): string => `
    b0
      LDG.E %R0, [RZ]
      MOV %R1, RZ
    b1
      ${condition}
      BSSY %B5, b4
      @%P3 BRA b3
    b2
      ${arm}
    b3
      BSYNC %B5
    b4
      IADD3 %R1, %R1, 0x1, RZ
      ISETP.LT.AND %P2, PT, %R1, ${trips}, PT
      @%P2 BRA b1
    b5
      STG.E [RZ], %R0
      EXIT`;

test("several blocks: the region in each turn has a barrier of its own", () => {
  const code = branching("0x3", "ISETP.LT.AND %P3, PT, %R0, 0x5, PT", "IMAD %R0, %R0, %R0, %R1");
  const out = run(code, (f) => unrollLoops(f));
  expect(out.match(/IMAD/g)).toHaveLength(3);
  expect(new Set(out.match(/BSYNC %B\d+/g)).size).toBe(3);
  expect(out.match(/BRA/g)).toHaveLength(3);
});

test("what folds in each turn does not count", () => {
  const arm = "IMAD %R0, %R0, %R0, %R1\n".repeat(40);
  const folds = `SHF.R.U32.HI %R4, RZ, 0x2, %R1
      IMAD %R6, %R4, %R4, %R1
      LOP3.LUT %R6, %R6, 0x5, %R4, 0x96, !PT
      ISETP.EQ.AND %P3, PT, %R6, RZ, PT`;
  const varies = "ISETP.EQ.AND %P3, PT, %R0, RZ, PT";
  const turns = (condition: string): number | undefined =>
    run(branching("0x18", condition, arm), (f) => unrollLoops(f)).match(/BSYNC/g)?.length;
  expect([turns(folds), turns(varies)]).toEqual([24, 1]);
});

test("what counts the turns is nothing that folds: 24 products go 50 times in fourteens, as in ptxas's code", () => {
  const code = counted("0x32").replace("IMAD %R0, %R0, %R0, %R1", "IMAD %R0, %R0, %R0, %R1\n".repeat(24));
  expect(run(code, (f) => unrollLoops(f)).match(/IMAD/g)).toHaveLength(336);
});

test("shuffles keep lanes of different trips together: such a loop stays", () => {
  const code = counted("%R0").replace("IMAD %R0, %R0, %R0, %R1", "SHFL.IDX PT, %R3, %R1, 0x0, 0x1f");
  expect(run(code, (f) => unrollLoops(f))).toBe(text(code));
});

test("a loop that tests at its top is tested at its end", () => {
  const before = `
    b0
      LDC %R0, c[0x0][0x210]
      MOV %R1, RZ
    b1
      ISETP.GE.AND %P2, PT, %R1, %R0, PT
      @%P2 BRA b3
    b2
      IADD3 %R1, %R1, 0x1, RZ
      BRA b1
    b3
      STG.E [RZ], %R1
      EXIT`;
  const out = run(before, (f) => rotateLoops(f));
  expect(out.match(/ISETP/g)).toHaveLength(2);
  expect(out.match(/BRA/g)).toHaveLength(2);
  expect(out).toMatch(/@!%P2 BRA b2/);
});

const ssa = (code: string, ...phases: Parameters<typeof after>[1][]): string =>
  after(`func "k" entry sm_90 virtual ssa\n${code}`, ...phases);

test("what does not change in a loop leaves it; a load stays where something writes", () => {
  const loop = (store: string): string => `
    b0
      LDC.64 %R0, c[0x0][0x210]
      LDC %R1, c[0x0][0x218]
    b1
      MOV.PHI %R2, RZ, %R6
      MUFU.RCP %R3, %R1
      LDG.E %R4, [%R0]
      FADD %R5, %R3, %R4
      ${store}
      IADD3 %R6, %R2, 0x1, RZ
      ISETP.LT.AND %P7, PT, %R6, 0x9, PT
      @%P7 BRA b1
    b2
      STG.E [%R0], %R5
      EXIT`;
  const ahead = (out: string): string => out.slice(0, out.indexOf("MOV.PHI"));
  expect(ahead(ssa(loop(""), "OriHoistInvariantsEarly"))).toMatch(/MUFU.*\n.*LDG.*\n.*FADD/);
  const kept = ssa(loop("STG.E [%R0+0x10], %R2"), "OriHoistInvariantsEarly");
  expect(ahead(kept)).toMatch(/MUFU/);
  expect(ahead(kept)).not.toMatch(/LDG|FADD/);
});

test("a load that repeats one is a copy, unless something between may have written there", () => {
  const code = (between: string): string => `
    b0
      LDC.64 %R0, c[0x0][0x210]
      LDC.64 %R1, c[0x0][0x218]
      LDG.E %R2, [%R0]
      ${between}
      LDG.E %R3, [%R0]
      STG.E [%R1], %R3
      EXIT`;
  const loads = (between: string): number => ssa(code(between), (f) => commonLoads(f, true)).match(/LDG/g)?.length ?? 0;
  expect(loads("STG.E [%R0+0x4], %R2")).toBe(1);
  expect(loads("STG.E [%R0], %R2")).toBe(2);
  expect(loads("STG.E [%R1], %R2")).toBe(2);
  expect(loads("BAR.SYNC.DEFER_BLOCKING 0x0")).toBe(2);
});

test("a store that the next access overwrites goes; one that is read does not", () => {
  const code = (between: string): string => `
    b0
      LDC.64 %R0, c[0x0][0x210]
      LDC %R5, c[0x0][0x218]
      STG.E [%R0], RZ
      ${between}
      STG.E [%R0], %R5
      EXIT`;
  const stores = (between: string): number =>
    ssa(code(between), (f) => commonLoads(f, false)).match(/STG/g)?.length ?? 0;
  expect(stores("MOV %R1, RZ")).toBe(1);
  expect(stores("LDG.E %R1, [%R0+0x40]")).toBe(2);
});
