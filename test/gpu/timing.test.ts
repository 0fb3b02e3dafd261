/**
 * The timing model against the times that an H100 took for 80 codes of the corpus. The bounds leave the room that the noise of the
 * measurement has: with 0.3 microseconds more of it (normally distributed, 300 draws), 98 % of the correlations lie above 0.85 and
 * 0.89.
 */
import { agreement, mean, slope, spearman } from "./agreement.js";
import { behindCopies, flushed, median, recordedEvents, timedCodes } from "./events.js";
import { type Modelled, modelled } from "./model.js";

describe("timing model and GPU", () => {
  const codes = timedCodes();
  let model: readonly Modelled[] = [];
  beforeAll(() => {
    model = codes.map((c) => modelled(c.cubin, c.kernel, "small", behindCopies));
  });
  const times = codes.map((c) => c.us);

  test("ranks the codes as the GPU does", () => {
    const us = model.map((m) => m.microseconds);
    expect(spearman(times, us)).toBeGreaterThan(0.85);
  });

  test("tells the codes of a kernel apart as the GPU does", () => {
    const pairs = codes.flatMap((c, i) => {
      const first = codes.findIndex((o) => o.kernel === c.kernel);
      return i === first
        ? []
        : [[model[i]!.microseconds - model[first]!.microseconds, c.us - codes[first]!.us] as const];
    });
    const [a, b] = [pairs.map((p) => p[0]), pairs.map((p) => p[1])];
    expect(spearman(a, b)).toBeGreaterThan(0.89);
    expect(slope(a, b)).toBeCloseTo(1, 1);
  });

  test("is off by less than the same code from process to process", () => {
    const around = median(codes.map((c, i) => c.us - model[i]!.microseconds));
    const noise = median(codes.map((c) => Math.max(...c.first) - Math.min(...c.first)));
    expect(mean(codes.map((c, i) => Math.abs(c.us - around - model[i]!.microseconds)))).toBeLessThan(noise);
  });

  test("holds on every other kernel with what lies around a launch taken from the rest", () => {
    const kernels = [...new Set(codes.map((c) => c.kernel))];
    for (const rest of [0, 1]) {
      const own = (kernel: string): boolean => kernels.indexOf(kernel) % 2 === rest;
      const off = codes.map((c, i) => ({ own: own(c.kernel), by: c.us - model[i]!.microseconds }));
      const around = median(off.filter((o) => !o.own).map((o) => o.by));
      expect(mean(off.filter((o) => o.own).map((o) => Math.abs(o.by - around)))).toBeLessThan(0.95);
    }
  });

  test("the simulator executes as many instructions as the profiler counts, in about as many cycles", () => {
    for (const [kernel, byCode] of Object.entries(recordedEvents().profiled))
      for (const [name, p] of Object.entries(byCode)) {
        const m = modelled(codes.find((c) => c.kernel === kernel && c.name === name)!.cubin, kernel, "small", flushed);
        expect(m.instructions).toBe(p.instructions);
        expect(Math.abs(m.cycles / p.active - 1)).toBeLessThan(0.08);
      }
  });
});

describe("agreement", () => {
  test("ranks; ties share theirs", () => {
    expect(spearman([1, 2, 3, 4], [10, 20, 30, 90])).toBe(1);
    expect(spearman([1, 2, 3], [3, 2, 1])).toBe(-1);
    expect(spearman([1, 2, 2, 3], [1, 2, 3, 4])).toBeCloseTo(0.9487, 4);
  });

  test("pairs that the GPU cannot tell apart do not count", () => {
    const point = (kernel: string, measured: number, model: number) => ({ kernel, name: "", measured, model });
    const a = agreement([point("a", 100, 90), point("a", 101, 80), point("a", 200, 210), point("b", 50, 40)]);
    expect([a.pairs, a.ordered, a.points]).toEqual([2, 1, 4]);
    expect(a.kernels.map((k) => k.error.toFixed(1))).toEqual(["11.9", "20.0"]);
  });
});
