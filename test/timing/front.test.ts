/**
 * The timing model's front end on hand-written code: instructions that have to come from afar, constants that are not in
 * their caches, jumps. Expected cycles follow from the parameters: 39 there and 39 back to the L1 of an SM, then L2.
 */
import { type EstimateOptions, type StallReason, stallReasons } from "../../lib/timing/index.js";
import { code, estimated, nops } from "../sim/assembled.js";

const FAR = 1000;
const L1 = 78;
const parameters: NonNullable<EstimateOptions["parameters"]> = {
  warm: true,
  l2Latency: FAR,
  launchPrefetch: 0,
  launchConstants: false,
};

interface Seen {
  readonly at: number[];
  readonly reasons: Readonly<Record<StallReason, number>>;
  readonly cycles: number;
}

/** Cycles at which the first warp issues, in order. */
function seen(lines: readonly string[], options: EstimateOptions = {}): Seen {
  const e = estimated(code(...lines), {
    timeline: 1000,
    ...options,
    parameters: { ...parameters, ...options.parameters },
  });
  expect(stallReasons.reduce((n, r) => n + e.reasons[r], 0)).toBe(e.instructions.reduce((n, i) => n + i.cycles, 0));
  return {
    at: e.timeline.filter((i) => i.warp === 0).map((i) => i.cycle),
    reasons: e.reasons,
    cycles: e.simulatedCycles,
  };
}

describe("instructions", () => {
  test("the first line comes from L2, the lines after it in the wake of it", () => {
    const { at, reasons } = seen(nops(16, "S02"));
    expect(at).toEqual(at.map((_, n) => L1 + FAR + 2 * n));
    expect(reasons.no_instruction).toBe(L1 + FAR);
  });

  test("a stream buffer of one line asks for the next but one when the next is taken: too late", () => {
    const { at, reasons } = seen(nops(23, "S02"), { parameters: { prefetchLines: 1 } });
    // Lines of eight: the second came after the first; the third was asked for a cycle after the first's last issue.
    expect([at[8]! - at[7]!, at[16]! - at[7]!]).toEqual([2, 1 + L1 + FAR]);
    expect(reasons.no_instruction).toBe(at[0]! + at[16]! - at[15]! - 2);
  });

  test("a jump out of what was fetched ahead waits for L2 once", () => {
    const lines = ["B------ R- W- Y S05 BRA `(FAR) ;", ...nops(120, "S01"), "FAR:", ...nops(8, "S01")];
    const near = seen(lines, { parameters: { coldFront: false } });
    const far = seen(lines);
    expect(near.reasons.no_instruction).toBe(0);
    expect(far.reasons.no_instruction).toBeGreaterThan(2 * (L1 + FAR) - 20);
    expect(far.reasons.no_instruction).toBeLessThanOrEqual(2 * (L1 + FAR));
  });

  test("the other sub-cores find a line in the L1 after them", () => {
    const e = estimated(code(...nops(8, "S01")), { block: 128, timeline: 100, parameters });
    expect(e.reasons.no_instruction).toBe(4 * (L1 + FAR));
  });

  test("a jump that is taken takes some cycles, one that is not does not", () => {
    const jump = (guard: string): number =>
      seen(
        [
          "B------ R- W- Y S13 ISETP.EQ.AND P0, PT, RZ, RZ, PT ;",
          `B------ R- W- Y S05 ${guard} BRA \`(L) ;`,
          "L:",
          ...nops(2, "S01"),
        ],
        { parameters: { coldFront: false, takenJump: 15 } },
      ).at[2]!;
    // The jump leads to the instruction after it: nothing is jumped over, and nothing has to be fetched anew.
    expect(jump("@P0")).toBe(jump("@!P0"));
    const over = (guard: string): number[] =>
      seen(
        [
          "B------ R- W- Y S13 ISETP.EQ.AND P0, PT, RZ, RZ, PT ;",
          `B------ R- W- Y S05 ${guard} BRA \`(L) ;`,
          ...nops(1, "S01"),
          "L:",
          ...nops(2, "S01"),
        ],
        { parameters: { coldFront: false, takenJump: 15 } },
      ).at;
    const [taken, not] = [over("@P0"), over("@!P0")];
    expect([taken[2]! - taken[1]!, not[2]! - not[1]!]).toEqual([15, 5]);
  });

  test("code that the launch brought in comes from L1", () => {
    expect(seen(nops(16, "S02"), { parameters: { launchPrefetch: 1024 } }).reasons.no_instruction).toBe(L1);
    const { reasons } = seen(nops(23, "S02"), { parameters: { launchPrefetch: 256, prefetchLines: 1 } });
    expect(reasons.no_instruction).toBeGreaterThan(FAR);
  });
});

describe("constants", () => {
  const operand = "B------ R- W- Y S04 IADD3 R2, RZ, c[0x0][0x1f0], RZ ;";
  const load = (sb: number, at: string): string => `B------ R- W${sb} Y S02 LDC R${2 + sb}, c[0x0][${at}] ;`;
  const wait = "B01---- R- W- Y S02 NOP ;";

  test("an operand that is not there is an imc_miss, once", () => {
    const { at, reasons } = seen([operand, operand]);
    expect(reasons.imc_miss).toBe(L1 + FAR);
    expect(at[1]! - at[0]!).toBe(4);
    expect(seen([operand, operand], { parameters: { launchConstants: true } }).reasons.imc_miss).toBe(L1);
    expect(seen([operand, operand], { parameters: { coldFront: false } }).reasons.imc_miss).toBe(0);
  });

  test("loads have a cache of their own: an operand after a load of the same line finds it in L1", () => {
    const { reasons } = seen([load(0, "0x1f4"), wait, operand]);
    expect(reasons.imc_miss).toBe(L1);
    expect(reasons.short_scoreboard).toBeGreaterThan(L1 + FAR);
  });

  test("loads come back in order: two lines that miss take twice as long", () => {
    const one = seen([load(0, "0x1f0"), load(1, "0x1f8"), wait]);
    const two = seen([load(0, "0x28"), load(1, "0x1f0"), wait]);
    expect(two.cycles - one.cycles).toBeGreaterThan(FAR);
    expect(two.cycles - one.cycles).toBeLessThanOrEqual(L1 + FAR);
  });

  test("a warp that waits for its constant holds up the others of the sub-core for four cycles", () => {
    const e = estimated(code(operand, ...nops(4, "S01")), { block: 256, timeline: 100, parameters });
    const first = e.timeline.filter((i) => i.warp % 4 === 0).map((i) => i.cycle);
    // Two warps on each of four sub-cores; the second asks four cycles after the first.
    expect(Math.min(...first)).toBe(2 * (L1 + FAR));
    expect(e.reasons.imc_miss).toBe(4 * (L1 + FAR + L1 + FAR - 4));
    expect(stallReasons.reduce((n, r) => n + e.reasons[r], 0)).toBe(e.instructions.reduce((n, i) => n + i.cycles, 0));
  });

  test("of a load with the address in a register the trace says the line", () => {
    const indexed = (offset: string): string[] => [
      `B------ R- W- Y S05 MOV R0, ${offset} ;`,
      "B------ R- W0 Y S02 LDC R2, c[0x0][0x1f0] ;",
      "B------ R- W1 Y S02 LDC R3, c[0x0][R0+0x1f0] ;",
      wait,
    ];
    const [same, other] = [seen(indexed("0x4")), seen(indexed("-0x100"))];
    expect(other.cycles - same.cycles).toBeGreaterThan(FAR);
  });
});
