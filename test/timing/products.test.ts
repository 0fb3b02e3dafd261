/** The timing model on matrix products: what keeps a tensor core busy, and how groups of warp-group products end. */
import { assembleCubin } from "../../lib/assemble.js";
import { type Estimate, estimate } from "../../lib/timing/index.js";

function estimated(target: string, lines: readonly string[], block: number): Estimate {
  const head = [`.target ${target}`, ".entry k", ".registers 168", ".code", "k:"];
  const text = [...head, ...lines, "B------ R- W- Y S05 EXIT ;", ".end"].join("\n");
  const made = assembleCubin(`${text}\n`);
  if (!made.ok) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  const e = estimate(made.value, { block, sharedBytes: 32768 });
  if (!e.ok) throw new Error(e.diagnostics.map((d) => d.message).join("\n"));
  expect(e.value.run.fault).toBeNull();
  return e.value;
}

const times = (n: number, line: (i: number) => string): string[] => Array.from({ length: n }, (_, i) => line(i));

/** Cycles per product of many independent ones. */
function perProduct(target: string, form: string, block: number, parts: string): number {
  const line = (i: number): string =>
    `B------ R- W- Y S01 ${form} R${32 + 4 * (i % 8)}, ${parts}, R${32 + 4 * (i % 8)} ;`;
  const cycles = (n: number): number => estimated(target, times(n, line), block).cycles;
  return (cycles(48) - cycles(16)) / 32;
}

describe("matrix products in the timing model", () => {
  test("the rate of the data sheet", () => {
    // 16 · 8 · 16 multiply-adds at 256 a cycle and sub-core; four warps on four sub-cores go no slower, eight take twice as long.
    expect(perProduct("sm_80", "HMMA.16816.F32", 32, "R4, R8")).toBe(8);
    expect(perProduct("sm_80", "HMMA.16816.F32", 128, "R4, R8")).toBe(8);
    expect(perProduct("sm_80", "HMMA.16816.F32", 256, "R4, R8")).toBe(16);
    expect(perProduct("sm_80", "IMMA.16832.S8.S8", 32, "R4.ROW, R8.COL")).toBe(8);
    expect(perProduct("sm_80", "HMMA.1688.F32.TF32", 32, "R4, R8")).toBe(8);
    expect(perProduct("sm_80", "BMMA.168256.XOR.POPC", 32, "R4.ROW, R8.COL")).toBe(8);
  });

  test("products of a warp group end one after the other, and the wait for their group sees it", () => {
    const group = (columns: number, count: number): Estimate =>
      estimated(
        "sm_90a",
        [
          ...[4, 5, 6, 7].map((u) => `B------ R- W- Y S02 UMOV UR${u}, 0x40 ;`),
          "B------ R- W- Y S07 WARPGROUP.ARRIVE ;",
          ...times(count, (i) => {
            const closes = i === count - 1 ? ", gsb0" : "";
            return `B------ R- W- Y S10 HGMMA.64x${columns}x16.F32 R24, gdesc[UR4], R24${closes} ;`;
          }),
          "B------ R- W- Y S02 WARPGROUP.DEPBAR.LE gsb0, 0x0 ;",
          "B------ R- W- Y S05 NOP ;",
        ],
        128,
      );
    const four = group(128, 4);
    expect(four.reasons.gmma).toBeGreaterThan(0);
    expect(group(128, 8).cycles - four.cycles).toBe(4 * 64);
    expect(group(64, 8).cycles - group(64, 4).cycles).toBe(4 * 32);
  });
});
