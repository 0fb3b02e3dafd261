/** The timing model: what follows from control words and from how memory is touched. */
import { compile } from "../../lib/compile.js";
import { type Estimate, type EstimateOptions, stallReasons } from "../../lib/timing/index.js";
import { code, estimated, nops } from "../sim/assembled.js";

const cyclesOf = (cubin: Uint8Array, options: EstimateOptions = {}): number => estimated(cubin, options).cycles;
function ptx(body: string, shared = 0): Uint8Array {
  const text = `.version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;
    ${shared > 0 ? `.shared .align 4 .b8 s[${shared}];` : ""}\n${body}\nret;\n}`;
  const c = compile(text, { target: "sm_90", opt: 0 });
  if (!c.ok) throw new Error(c.diagnostics.map((d) => d.message).join("\n"));
  return c.cubin!;
}

describe("timing model", () => {
  test("stall counts add up", () => {
    const base = cyclesOf(code());
    expect(cyclesOf(code(...nops(4, "S05"))) - base).toBe(20);
    expect(cyclesOf(code(...nops(4, "S10"))) - base).toBe(40);
  });

  test("a wait lasts until the result is there, and is told as such", () => {
    const load = "B------ R- W0 Y S02 S2R R0, SR_TID.X ;";
    const free = estimated(code(load, "B------ R- W- Y S02 IADD3 R2, RZ, R3, RZ ;"), {});
    const waits = estimated(code(load, "B0----- R- W- Y S02 IADD3 R2, RZ, R0, RZ ;"), {});
    expect(waits.cycles).toBeGreaterThan(free.cycles);
    const add = waits.instructions.find((i) => i.instruction.startsWith("IADD3"))!;
    expect(add.reasons.short_scoreboard).toBeGreaterThan(0);
  });

  test("every cycle of a lone warp has a reason", () => {
    const e = estimated(
      code(...nops(3, "S07"), "B------ R- W0 Y S02 S2R R0, SR_TID.X ;", "B0----- R- W- Y S02 NOP ;"),
      {},
    );
    expect(stallReasons.reduce((n, r) => n + e.reasons[r], 0)).toBe(e.simulatedCycles);
    expect(e.instructions.reduce((n, i) => n + i.cycles, 0)).toBe(e.simulatedCycles);
  });

  test("warps of one sub-core hide each other's stalls", () => {
    const cubin = code(...nops(40, "S08"));
    const one = cyclesOf(cubin, { block: 32 });
    const eight = cyclesOf(cubin, { block: 32 * 32 });
    expect(eight).toBeLessThan(1.5 * one);
  });

  test("bank conflicts are counted and cost", () => {
    const store = (shift: number): Uint8Array =>
      ptx(
        `mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, ${shift}; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;`,
        8192,
      );
    const run = (shift: number): Estimate => estimated(store(shift), { block: 32, params: [{ u64: 0 }] });
    expect(run(2).memory.conflicts).toBe(0);
    expect(run(7).memory.conflicts).toBe(31);
  });

  test("scattered loads fetch more lines than dense ones", () => {
    const load = (shift: number): Uint8Array =>
      ptx(`ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, ${shift}; cvt.u64.u32 %rd2, %r2;
        add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd3], %r3;`);
    const run = (shift: number): Estimate => estimated(load(shift), { block: 32, params: [new Uint8Array(8192)] });
    expect(run(2).memory.misses).toBe(1);
    expect(run(7).memory.misses).toBe(32);
  });

  test("warps wait for the last one at a barrier", () => {
    const e = estimated(
      ptx(
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @!%p1 bra W; mov.u32 %r2, %clock; W: bar.sync 0;".replace(
          "setp",
          ".reg .pred %p<2>; setp",
        ),
      ),
      { block: 128, params: [{ u64: 0 }] },
    );
    expect(e.reasons.barrier).toBeGreaterThan(0);
  });

  test("where every SM has one block, the slowest block decides", () => {
    // A loop of as many rounds as the block's number says.
    const cubin = ptx(
      `.reg .pred %p<2>; mov.u32 %r1, %ctaid.x; L: setp.eq.u32 %p1, %r1, 0; @%p1 bra E; sub.u32 %r1, %r1, 1; bra L; E:`,
    );
    const run = (grid: number): number => cyclesOf(cubin, { grid, block: 32, params: [{ u64: 0 }] });
    expect(run(20)).toBeGreaterThan(run(2) + 100);
  });

  test("blocks that are not played back need not run", () => {
    const cubin = code(...nops(20, "S04"));
    const run = (partial: boolean): Estimate =>
      estimated(cubin, { grid: 64, block: 64, blocks: 4, partial, parameters: { sms: 1 } });
    const [all, some] = [run(false), run(true)];
    expect(some.cycles).toBe(all.cycles);
    expect([all.run.warpInstructions, some.run.warpInstructions]).toEqual([64 * 2 * 21, 4 * 2 * 21]);
  });

  test("counts of the whole grid stand beside those of the blocks that are played back", () => {
    // Two warps a block, of 32 and 8 threads; threads 0 to 9 execute the guarded move.
    const cubin = code(
      "B------ R- W0 Y S02 S2R R0, SR_TID.X ;",
      "B0----- R- W- Y S13 ISETP.LT.U32.AND P0, PT, R0, 0xa, PT ;",
      "B------ R- W- Y S05 @P0 MOV R1, R0 ;",
    );
    const run = (partial: boolean): Estimate =>
      estimated(cubin, { grid: 70, block: 40, blocks: 4, partial, parameters: { sms: 1 } });
    const e = run(false);
    expect(e.issued).toBe(4 * 2 * 4);
    expect(e.gridWarpInstructions).toBe(70 * 2 * 4);
    expect(e.gridThreadInstructions).toBe(70 * (3 * 40 + 10));
    expect([run(true).gridWarpInstructions, run(true).gridThreadInstructions]).toEqual([null, null]);
  });

  test("a load takes the latencies of L1, L2 and memory, one on top of the other", () => {
    // The same line twice; in between nothing that costs.
    const twice = ptx(
      `ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; cvt.u64.u32 %rd2, %r2; add.u64 %rd3, %rd1, %rd2;
       ld.global.u32 %r3, [%rd3+-1]; st.global.u32 [%rd1], %r3;`,
    );
    const run = (parameters: EstimateOptions["parameters"]): number =>
      cyclesOf(twice, { block: 1, params: [new Uint8Array(4)], parameters: { coldFront: false, ...parameters } });
    const near = run({ warm: true, l2Latency: 0 });
    expect(run({ warm: true, l2Latency: 200 }) - near).toBe(200);
    expect(run({ warm: false, l2Latency: 200, dramLatency: 300 }) - near).toBe(500);
  });

  test("L1 fetches sectors of 32 bytes, not lines", () => {
    // One thread: the second load is in the same sector, or in another of the same line.
    const run = (offset: number): Estimate =>
      estimated(
        ptx(`ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+${offset}];
          add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3;`),
        { block: 1, params: [new Uint8Array(128)] },
      );
    expect([run(28).memory.l1Hits, run(32).memory.l1Hits]).toEqual([1, 0]);
  });

  test("each line of a scattered access is a pass of its own", () => {
    const load = (shift: number): number =>
      estimated(
        ptx(`ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, ${shift}; cvt.u64.u32 %rd2, %r2;
        add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3]; ld.global.u32 %r4, [%rd3]; st.global.u32 [%rd3], %r4;`),
        { block: 32, params: [new Uint8Array(8192)], parameters: { warm: true, l2Latency: 0, l2Bytes: 1e9 } },
      ).cycles;
    // Two loads of 32 lines for one, two cycles each.
    expect(load(7) - load(2)).toBeGreaterThanOrEqual(2 * 31 * 2);
  });

  test("the rest of a big grid is extrapolated", () => {
    const cubin = code(...nops(100, "S04"));
    const run = (grid: number): Estimate => estimated(cubin, { grid, block: 1024, blocks: 4, parameters: { sms: 1 } });
    const [few, many] = [run(8), run(16)];
    expect(few.blocks).toBe(4);
    expect(many.cycles / few.cycles).toBeGreaterThan(1.7);
    expect(many.cycles / few.cycles).toBeLessThan(2.3);
  });

  test("the same input gives the same estimate", () => {
    const cubin = code(...nops(10, "S03"));
    expect(estimated(cubin, { block: 96, timeline: 100 })).toEqual(estimated(cubin, { block: 96, timeline: 100 }));
  });
});
