/** Products of warp groups. The clean texts are ptxas 13.0.88's, -O3 on sm_90a (tools/hazard/wgmma.ts). */
import { brief } from "./text";

const end = "B------ R- W- - S05   EXIT";

const sum = (
  change: Readonly<{ add?: string; arrive?: string; after?: string; product?: string; wait?: string }> = {},
): string[] =>
  brief(`
    ${change.add ?? "B------ R- W- Y S06   FADD R31, R31, R0"}
    ${change.arrive ?? "B------ R- W- Y S06   WARPGROUP.ARRIVE"}
    ${change.after ?? ""}
    ${change.product ?? "B------ R- W- - S03   HGMMA.64x16x16.F32.BF16 R24, gdesc[UR8], R24, gsb0"}
    ${change.wait ?? "B------ R- W- - S02   WARPGROUP.DEPBAR.LE gsb0, 0x0"}
    B------ R- W- - S04   STG.E desc[UR4][R2.64], R24
    ${end}`);

describe("products of a warp group", () => {
  test("as ptxas has them nothing is found", () => {
    expect(sum()).toEqual([]);
  });
  test("a result is read before its group has been waited for", () => {
    expect(sum({ wait: "B------ R- W- - S02   NOP" })).toEqual(["result R24 at 0x40 since 0x20"]);
    expect(sum({ wait: "B------ R- W- - S02   WARPGROUP.DEPBAR.LE gsb0, 0x1" })).toEqual([
      "result R24 at 0x40 since 0x20",
    ]);
  });
  test("a wait does not see a group that was never closed", () => {
    expect(sum({ product: "B------ R- W- - S03   HGMMA.64x16x16.F32.BF16 R24, gdesc[UR8], R24" })).toEqual([
      "result R24 at 0x40 since 0x20",
    ]);
  });
  test("a wait that comes too soon after the product does not see its group", () => {
    expect(sum({ product: "B------ R- W- - S02   HGMMA.64x16x16.F32.BF16 R24, gdesc[UR8], R24, gsb0" })).toEqual([
      "result R24 at 0x40 since 0x20",
    ]);
  });
  test("an accumulator is not done when ARRIVE hands it over", () => {
    expect(sum({ add: "B------ R- W- Y S05   FADD R31, R31, R0" })).toEqual(["arrive R31 at 0x20 since 0x0"]);
    const load = (wait: string): string[] =>
      sum({
        add: "B------ R- W2 - S02   LDG.E R30, desc[UR4][R2.64]",
        arrive: `B${wait} R- W- Y S06   WARPGROUP.ARRIVE`,
      });
    expect(load("--2---")).toEqual([]);
    expect(load("------")).toContain("arrive R30 at 0x20 since 0x0");
  });
  test("a factor may come two cycles later than an accumulator", () => {
    const factor = (stall: string): string[] =>
      sum({
        add: `B------ R- W- Y S${stall}   F2FP.F16.F32.PACK_AB R35, R9, R10`,
        product: "B------ R- W- - S03   HGMMA.64x16x16.F32 R24, R32, gdesc[UR4], RZ, !UPT, gsb0",
      });
    expect(factor("04")).toEqual([]);
    expect(factor("03")).toEqual(["arrive R35 at 0x20 since 0x0"]);
  });
  test("a product reads what was written after the ARRIVE, or issues too soon after it", () => {
    expect(sum({ after: "B------ R- W- Y S15   FADD R24, R1, R0" })).toEqual(["arrive R24 at 0x30 since 0x20"]);
    expect(sum({ arrive: "B------ R- W- Y S05   WARPGROUP.ARRIVE" })).toEqual(["arrive at 0x20 since 0x10"]);
  });
  test("what a product reads is overwritten before it has been waited for", () => {
    expect(
      brief(`
        B------ R- W- Y S06   WARPGROUP.ARRIVE
        B------ R- W- - S03   HGMMA.64x16x16.F32 R24, R32, gdesc[UR4], RZ, !UPT, gsb0
        B------ R- W- - S05   FADD R33, R0, R0
        B------ R- W- - S02   WARPGROUP.DEPBAR.LE gsb0, 0x0
        B------ R- W- - S05   FADD R32, R0, R0
        ${end}`),
    ).toEqual(["operand R33 at 0x20 since 0x10"]);
  });
  test("descriptors are read as the product issues", () => {
    expect(
      brief(`
        B------ R- W- Y S06   WARPGROUP.ARRIVE
        B------ R- W- - S01   HGMMA.64x128x16.F32.BF16 R24, gdesc[UR8], R24
        B------ R- W- Y S11   UIADD3.64 UR8, UR8, 0x4, URZ
        B------ R- W- - S03   HGMMA.64x128x16.F32.BF16 R24, gdesc[UR8], R24, gsb0
        B------ R- W- - S02   WARPGROUP.DEPBAR.LE gsb0, 0x0
        ${end}`),
    ).toEqual([]);
  });
  test("groups end in their order: each wait gives back what it says", () => {
    const groups = (first: number, second: number): string[] =>
      brief(`
        B------ R- W- Y S06   WARPGROUP.ARRIVE
        B------ R- W- - S04   HGMMA.64x16x16.F32.BF16 R40, gdesc[UR4], RZ, !UPT, gsb0
        B------ R- W- - S04   HGMMA.64x16x16.F32.BF16 R32, gdesc[UR4], RZ, !UPT, gsb0
        B------ R- W- - S03   HGMMA.64x16x16.F32.BF16 R24, gdesc[UR8], RZ, !UPT, gsb0
        B------ R- W- - S02   WARPGROUP.DEPBAR.LE gsb0, 0x${first}
        B------ R- W- - S04   STG.E desc[UR4][R2.64], R40
        B------ R- W- - S02   WARPGROUP.DEPBAR.LE gsb0, 0x${second}
        B------ R- W- - S04   STG.E desc[UR4][R2.64], R32
        ${end}`);
    expect(groups(2, 1)).toEqual([]);
    expect(groups(3, 1)).toEqual(["result R40 at 0x50 since 0x10"]);
    expect(groups(2, 2)).toEqual(["result R32 at 0x70 since 0x20"]);
  });
  test("a group in flight over the turns of a loop", () => {
    const loop = (left: number): string[] =>
      brief(`
        B------ R- W- Y S06   WARPGROUP.ARRIVE
        B------ R- W- Y S12   HGMMA.64x128x16.F32.BF16 R24, gdesc[UR4], RZ, !UPT, gsb0
        .L:
        B------ R- W- Y S06   WARPGROUP.ARRIVE
        B------ R- W- - S03   HGMMA.64x128x16.F32.BF16 R88, gdesc[UR8], RZ, !UPT, gsb0
        B------ R- W- Y S02   WARPGROUP.DEPBAR.LE gsb0, 0x${left}
        B------ R- W- - S05   FADD R1, R24, R24
        B------ R- W- - S05   @P0 BRA \`(.L)
        ${end}`);
    expect(loop(1)).toEqual([]);
    expect(loop(2)).toContain("result R24 at 0x50 since 0x10");
  });
});
