import { criticalPath } from "../../lib/sched/policies.js";
import { check, stalls } from "./control/words.js";
import { edges, kinds, orderOf } from "./texts.js";

const arrive = "WARPGROUP.ARRIVE";
const product = "HGMMA.64x16x16.F32.BF16 R24, gdesc[UR8], R24, gsb0";
const wait = "WARPGROUP.DEPBAR.LE gsb0, 0x0";

describe("dependences of warp-group products", () => {
  test("what a product reads is ready for the ARRIVE, what it writes for the wait's followers", () => {
    expect(edges(`FADD R31, R31, R0\n${arrive}\n${product}\n${wait}\nFADD R1, R24, R0`)).toEqual([
      "0 -> 1 WAW 6",
      "1 -> 2 RAW 6",
      "2 -> 3 RAW 40",
      "1 -> 3 memory 1",
      "3 -> 4 RAW 2",
    ]);
  });
  test("a factor in registers is free again after the wait", () => {
    const code = `${arrive}\nHGMMA.64x16x16.F32 R24, R32, gdesc[UR4], RZ, !UPT, gsb0\n${wait}\nFADD R33, R0, R0`;
    expect(kinds(code)).toEqual(["0 -> 1 WAW", "1 -> 2 RAW", "0 -> 2 WAR", "2 -> 3 WAW"]);
  });
  test("work on other registers depends on none of them", () => {
    expect(kinds(`${arrive}\n${product}\nFADD R1, R2, R0\nLDG.E R4, desc[UR4][R6.64]\n${wait}`)).toEqual([
      "0 -> 1 RAW",
      "1 -> 4 RAW",
      "0 -> 4 memory",
    ]);
  });
  test("shared memory that products read is written after their wait; they stay after what is stored there", () => {
    expect(kinds(`STS [R0], R1\n${arrive}\n${product}\n${wait}\nSTS [R0], R1`)).toEqual([
      "1 -> 2 RAW",
      "0 -> 2 memory",
      "2 -> 3 RAW",
      "0 -> 3 memory",
      "1 -> 3 memory",
      "0 -> 4 memory",
      "2 -> 4 memory",
      "3 -> 4 memory",
    ]);
  });
  test("each wait gives back its own groups", () => {
    const group = (d: string): string => `HGMMA.64x16x16.F32.BF16 ${d}, gdesc[UR8], RZ, !UPT, gsb0`;
    const code = `${group("R24")}\n${group("R32")}\nWARPGROUP.DEPBAR.LE gsb0, 0x1\nFADD R1, R24, R0\n${wait}\nFADD R2, R32, R0`;
    const found = kinds(code);
    expect(found).toContain("2 -> 3 RAW");
    expect(found).toContain("4 -> 5 RAW");
    expect(found).not.toContain("2 -> 5 RAW");
  });
  test("what does not meet a product fills the time until its wait", () => {
    const code = `${arrive}\n${product}\n${wait}\nFADD R1, R24, R0\nFADD R2, R3, R4\nFADD R5, R6, R7`;
    const order = orderOf(code, criticalPath);
    expect(order.indexOf(4)).toBeLessThan(order.indexOf(2));
    expect(order.indexOf(5)).toBeLessThan(order.indexOf(2));
  });
});

test("stalls around a product are ptxas's (-O3, sm_90a: sum_fma and groups of tools/hazard/wgmma.ts)", () => {
  check(
    `b0
      6 | FADD R31, R31, R0
      6 | WARPGROUP.ARRIVE
      3 | HGMMA.64x16x16.F32.BF16 R24, gdesc[UR8], R24, gsb0
      2 | WARPGROUP.DEPBAR.LE gsb0, 0x0
      4 | STG.E desc[UR4][R2.64], R24
      1 | STG.E desc[UR4][R2.64+0x200], R25
      5 | EXIT`,
    stalls,
  );
});
