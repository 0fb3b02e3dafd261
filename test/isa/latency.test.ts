/** Stalls here were read off chains compiled by ptxas 13.0.88. */

import { latencyTables } from "../../lib/isa/latency/index.js";
import { GUARD, rawDistance, setToWait, timingOf, warDistance, wawDistance } from "../../lib/isa/latency.js";
import { IMPLICIT, type MachineInst } from "../../lib/isa/operand.js";
import { parseInst } from "../../lib/isa/parse.js";
import { rows } from "../../lib/isa/table.js";
import { type TargetName, target } from "../../lib/target/index.js";
import { sms } from "../../lib/target/table.js";

const inst = (text: string, sm: TargetName): MachineInst => {
  const p = parseInst(text, { isa: target(sm).isa });
  if (!p.ok) throw new Error(p.message);
  return p.inst;
};

/** Target, writer, reader, source slot of the reader, distance. */
const chains: readonly (readonly [TargetName, string, string, number, number])[] = [
  ["sm_90", "IADD3 R2, R3, R4, RZ", "LOP3.LUT R5, R2, R4, RZ, 0xc0, !PT", 0, 4],
  ["sm_90", "FADD R2, R3, R4", "FFMA R5, R2, R4, R6", 0, 4],
  ["sm_90", "IADD3 R2, R3, R4, RZ", "FFMA R5, R2, R4, R6", 0, 5],
  ["sm_90", "ISETP.LT.AND P0, PT, R1, R2, PT", "@P0 IADD3 R2, R3, R4, RZ", GUARD, 13],
  ["sm_75", "ISETP.LT.AND P0, PT, R1, R2, PT", "@P0 IADD3 R2, R3, R4, RZ", GUARD, 12],
  // One register for both halves: what else stands in its pair is not read.
  ["sm_100", "FFMA R9, R0, R8, R9", "FFMA2 R4, R9.F32, R4.F32x2.HI_LO, R6.F32x2.HI_LO", 0, 4],
  ["sm_103", "FFMA R8, R8, R10, R11", "FFMA2 R4, R8.F32x2.HI_LO, R4.F32x2.HI_LO, R6.F32x2.HI_LO", 0, 4],
  ["sm_90", "UIADD3 UR4, UR5, UR6, URZ", "ULOP3.LUT UR7, UR4, UR5, URZ, 0xc0, !UPT", 0, 4],
];

describe("issue distances", () => {
  test.each(chains)("%s: %s → %s", (sm, first, second, src, n) => {
    expect(rawDistance(inst(first, sm), 0, inst(second, sm), src, target(sm))).toBe(n);
  });

  test("products differ by the work of their shape: 15 cycles to a store, or 23 (ptxas -O3, sm_80 and 89)", () => {
    const toStore = (sm: TargetName, product: string): number =>
      rawDistance(inst(`${product} R4, R8.ROW, R10.COL, R12`, sm), 0, inst("STG.E [R2.64], R4", sm), 1, target(sm));
    expect(toStore("sm_89", "QMMA.16816.F32.E4M3.E4M3")).toBe(15);
    expect(toStore("sm_89", "QMMA.16832.F32.E4M3.E4M3")).toBe(23);
    const sparse = (name: string): number =>
      rawDistance(
        inst(`${name} R4, R4.ROW, R8.COL, R12, R0, 0x0`, "sm_80"),
        0,
        inst("STG.E [R2.64], R4", "sm_80"),
        1,
        target("sm_80"),
      );
    expect(sparse("IMMA.SP.16864.S4.S4")).toBe(15);
    expect(sparse("IMMA.SP.16864.S8.S8")).toBe(23);
  });

  test("products come by scoreboard on sm_75, integer ones on sm_103, one in 64 cycles there (ptxas -O0 and -O3)", () => {
    const guards = (sm: TargetName, text = "IMMA.16816.S8.S8 R8, R4.ROW, R6.COL, R8") =>
      timingOf(inst(text, sm), target(sm));
    expect(guards("sm_103")).toMatchObject({ write: true, read: true, interval: 64 });
    expect(guards("sm_75", "HMMA.1688.F32 R8, R6, R4, R8")).toMatchObject({ write: true, read: true });
    expect(guards("sm_103", "HMMA.1688.F32 R8, R6, R4, R8")).toMatchObject({ write: false, read: false });
    for (const sm of ["sm_90", "sm_100", "sm_110", "sm_120"] as const)
      expect([sm, guards(sm)]).toMatchObject([sm, { write: false, read: false }]);
  });

  test("sm_90: only a product waits for its group; the scoreboard of BAR.RED is seen after 2 cycles (ptxas -O3)", () => {
    const t = target("sm_90");
    expect(setToWait(inst("BAR.RED.OR.DEFER_BLOCKING R5, R5, P0", "sm_90"), t)).toBe(2);
  });

  test("BRXU: 9 cycles after its index on sm_75, 10 from then on; on sm_90 it holds back two cycles (ptxas -O1 … -O3)", () => {
    const index = "USHF.R.S32.HI UR5, URZ, 0x1f, UR4";
    const distance = (sm: TargetName): number =>
      rawDistance(inst(index, sm), 0, inst("BRXU UR4 0x10", sm), 0, target(sm));
    expect([distance("sm_75"), distance("sm_80"), distance("sm_90")]).toEqual([9, 10, 10]);
    expect(timingOf(inst("BRXU UR4 0x10", "sm_90"), target("sm_90")).minStall).toBe(2);
    expect(timingOf(inst("BRXU UR4 0x10", "sm_100"), target("sm_100")).minStall).toBe(5);
  });

  test("sm_87: moves of barriers hold back four cycles, those of the active lanes need not (ptxas -O3)", () => {
    const stall = (text: string): number => timingOf(inst(text, "sm_87"), target("sm_87")).minStall;
    expect(stall("BMOV.32 B0, 0xffffffff")).toBe(4);
    expect(stall("BMOV.32.CLEAR B1, B0")).toBe(4);
    expect(stall("BMOV.32 B15, MACTIVE")).toBe(1);
    expect(stall("BMOV.32.PQUAD MACTIVE, B15")).toBeLessThanOrEqual(2);
  });

  test("a scoreboard guards what arrives after a variable time", () => {
    const t = target("sm_90");
    const load = inst("LDS R2, [R3]", "sm_90");
    const add = inst("IADD3 R2, R2, R4, RZ", "sm_90");
    expect(timingOf(load, t)).toMatchObject({ write: true, read: true, pipe: "LSU" });
    expect(rawDistance(load, 0, add, 0, t)).toBe(0);
    expect(wawDistance(load, 0, add, 0, t)).toBe(0);
    expect(warDistance(load, 0, add, 0, t)).toBe(0);
    expect(wawDistance(add, 0, load, 0, t)).toBeGreaterThan(0);
  });

  test("sm_75: a write under a guard waits for the value it may leave, as a reader of its class would", () => {
    // SEL R18, …; @P5 IMAD R18, … with a stall of 5; LDS and S2R after 8 (chain kernels, ptxas -O3)
    const waits = (sm: TargetName, second: string): number =>
      wawDistance(inst("SEL R18, R1, R2, P0", sm), 0, inst(second, sm), 0, target(sm));
    expect(waits("sm_75", "@P5 IMAD R18, R3, R4, R5")).toBe(5);
    expect(waits("sm_75", "@P5 LDS R18, [R3]")).toBe(8);
    expect(waits("sm_75", "@P5 S2R R18, SR_TID.X")).toBe(8);
    expect(waits("sm_80", "@P5 IMAD R18, R3, R4, R5")).toBeLessThan(5);
  });

  test("predicates under a mask count like named ones: R2P to SEL 5, to a guard 13 (ptxas -O3)", () => {
    const t = target("sm_90");
    const move = inst("R2P PR, R4, 0x3f", "sm_90");
    const sel = inst("SEL R1, R2, R3, P1", "sm_90");
    const add = inst("@P1 IADD3 R2, R3, R4, RZ", "sm_90");
    expect(rawDistance(move, IMPLICIT, sel, 2, t)).toBe(5);
    expect(rawDistance(move, IMPLICIT, add, GUARD, t)).toBe(13);
    // P2R reads them as the other instructions of its pipe do.
    const set = inst("ISETP.LT.AND P1, PT, R1, R2, PT", "sm_90");
    expect(rawDistance(set, 0, inst("P2R R2, PR, RZ, 0x2", "sm_90"), IMPLICIT, t)).toBe(4);
  });

  test("every row of the instruction table has a class on every SM", () => {
    for (const sm of sms) {
      const tables = latencyTables(sm);
      const missing = rows.filter((row) => {
        const [op, ...mods] = row.op.split(".");
        return tables.classOf(op!, mods) < 0 || tables.timingOf(op!, mods) === null;
      });
      expect([sm, missing.map((r) => r.op)]).toEqual([sm, []]);
    }
  });
});
