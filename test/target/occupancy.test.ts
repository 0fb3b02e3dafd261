import { occupancy, registerCap, target } from "../../lib/target/index.js";

describe("occupancy", () => {
  // Public occupancy tables: 65,536 registers, 64 warps on sm_90.
  test.each([
    ["sm_90", 32, 0, 256, 64, ["warps", "registers"]],
    ["sm_90", 33, 0, 256, 48, ["registers"]],
    ["sm_90", 255, 0, 256, 8, ["registers"]],
    ["sm_90", 16, 100 * 1024, 128, 8, ["shared"]],
    ["sm_90", 16, 0, 32, 32, ["blocks"]],
    ["sm_75", 64, 0, 128, 32, ["warps", "registers"]],
    ["sm_86", 40, 0, 192, 48, ["warps", "registers"]],
  ] as const)(
    "%s, %i registers, %i bytes, %i threads: %i warps",
    (name, registers, sharedBytes, threadsPerBlock, warps, limit) => {
      const o = occupancy(target(name), { registers, sharedBytes, threadsPerBlock });
      expect(o.warpsPerSm).toBe(warps);
      for (const l of limit) expect(o.limitedBy).toContain(l);
    },
  );

  test("a block that does not fit has no occupancy", () => {
    expect(occupancy(target("sm_75"), { registers: 32, sharedBytes: 65 * 1024, threadsPerBlock: 32 }).blocksPerSm).toBe(
      0,
    );
    expect(occupancy(target("sm_75"), { registers: 32, sharedBytes: 0, threadsPerBlock: 1025 }).blocksPerSm).toBe(0);
  });
});

describe("register cap from launch bounds", () => {
  test("values read off ptxas -v (measured on ptxas 13.0.88)", () => {
    expect(registerCap(target("sm_90"), 256, 2)).toBe(128);
    expect(registerCap(target("sm_90"), 256, 3)).toBe(80);
    expect(registerCap(target("sm_90"), 1024, 2)).toBe(32);
    expect(registerCap(target("sm_90"), 32, 1)).toBe(255);
  });
  test("out of range is ignored", () => {
    expect(registerCap(target("sm_90"), 1024, 3)).toBeNull();
    expect(registerCap(target("sm_75"), 32, 17)).toBeNull();
  });
});
