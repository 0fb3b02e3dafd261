import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, ori, readCubin, staticLatency, unwrap } from "../../lib/index.js";
import { funcLatency, policyNamed, scheduleFunc } from "../../lib/sched/index.js";

const kernel = (name: string): string => readFileSync(join(__dirname, `../corpus/ptx/sm_90/${name}.ptx`), "latin1");

test.each(["saxpy", "sgemm", "mandelbrot", "local_array"])(
  "%s: told at every moment, and the function stays",
  (name) => {
    const told: number[] = [];
    const c = compile(kernel(name), {
      target: "sm_90",
      observe: (e) => {
        if (e.kind !== "after" || !e.changed) return;
        const text = e.text();
        const { cycles, blocks } = e.metrics.latency;
        expect(blocks.reduce((sum, b) => sum + b.frequency * b.cycles, 0)).toBeCloseTo(cycles, 6);
        expect(blocks.reduce((n, b) => n + b.instructions, 0)).toBe(e.metrics.instructions);
        expect(e.text()).toBe(text);
        told.push(cycles);
      },
    });
    if (!c.ok) throw new Error("no cubin");
    expect(told.every((n) => n > 0 && Number.isFinite(n))).toBe(true);
    // After the last phase it is what the machine words say.
    const cubin = unwrap(readCubin(c.cubin));
    expect(told.at(-1)).toBeCloseTo(staticLatency(cubin, cubin.functions[0]!)?.cycles ?? 0, 6);
  },
);

test.each(["sgemm", "histogram", "mandelbrot"])("%s: what the scheduler says of the orders given", (name) => {
  compile(kernel(name), {
    target: "sm_90",
    observe: ({ kind, changed, func }) => {
      if (kind !== "after" || !changed || func.milestone === "ssa") return;
      const report = scheduleFunc(func, policyNamed("source-order")!, { select: () => false });
      const { cycles, blocks } = funcLatency(func);
      expect(cycles).toBe(report.before);
      expect(blocks.map((b) => [b.block, b.cycles])).toEqual(report.blocks.map((b) => [b.block, b.before.drain]));
    },
  });
});

test("cycles by hand: a chain of two additions waits the distance of the table twice", () => {
  const text = `func "f" entry sm_90 physical allocated
b0 freq 1 <- ->
  IADD3 R2, R2, 0x1, RZ ; 0
  IADD3 R2, R2, 0x1, RZ ; 1
  EXIT ; 2
`;
  const one = unwrap(ori.parseFunc(text));
  const slow = {
    occupancy: () => ({ pipe: 0, resource: 0, interval: 1, latency: 1, write: false, read: false, minStall: 1 }),
    raw: () => 7,
    waw: () => 7,
    war: () => 1,
  };
  // The second issues 7 cycles after the first, EXIT in the next cycle; the result that nobody reads is not waited for.
  expect(funcLatency(one, { model: slow }).blocks[0]).toMatchObject({ instructions: 3, cycles: 9 });
});
