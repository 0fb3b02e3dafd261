/** Which SMs the timing model plays back where each has one block: those whose work differs. */
import { compile } from "../../lib/compile.js";
import { Device } from "../../lib/sim/index.js";
import { Accesses, WarpTrace, Where } from "../../lib/sim/trace.js";
import { target } from "../../lib/target/index.js";
import { differing } from "../../lib/timing/alike.js";
import { StreamingMultiprocessor } from "../../lib/timing/core.js";
import { play, recordLaunch } from "../../lib/timing/estimate.js";
import { deviceParameters } from "../../lib/timing/parameters.js";

const p = deviceParameters(target("sm_90"));

interface Touch {
  readonly line: number;
  readonly sectors?: number;
}

/** A warp that executes an instruction for each line that it touches. */
function warp(a: Accesses, block: number, touched: readonly Touch[], where: number = Where.Global): WarpTrace {
  const w = new WarpTrace(block, 0);
  touched.forEach(({ line, sectors = 1 }, pc) => {
    w.pcs.push(pc);
    w.accesses.push(a.where.length);
    a.where.push(where);
    a.work.push(1);
    a.firstLine.push(a.lines.length);
    a.lineCount.push(1);
    a.lines.push(line);
    a.sectors.push(sectors);
  });
  return w;
}

const kinds = (where: number, ...blocks: (readonly Touch[])[]): number[] => {
  const a = new Accesses();
  return differing(
    blocks.map((t, i) => [warp(a, i, t, where)]),
    a,
    p,
    0,
  );
};
const lines = (...numbers: number[]): Touch[] => numbers.map((line) => ({ line }));

describe("SMs with the same work", () => {
  test("other lines in the same pattern are the same work", () => {
    expect(kinds(Where.Global, lines(1, 2, 1), lines(7, 40, 7), lines(3, 5, 3))).toEqual([0]);
  });

  test("another pattern, other sectors, fewer instructions are not", () => {
    const first = lines(1, 2, 1);
    expect(kinds(Where.Global, first, lines(1, 2, 2), lines(1, 2), [...lines(1, 2), { line: 1, sectors: 3 }])).toEqual([
      0, 1, 2, 3,
    ]);
  });

  test("lines of local memory and constants have to be the same", () => {
    expect(kinds(Where.Local, lines(1), lines(2), lines(1))).toEqual([0, 1]);
    expect(kinds(Where.Constant, lines(1), lines(2), lines(1))).toEqual([0, 1]);
  });

  test("where a cache throws lines out, names matter", () => {
    // Five lines of one set, and five of different ones.
    const sets = (p.l1Kib * 1024) / 128 / 4;
    const one = lines(...[0, 1, 2, 3, 4].map((n) => n * sets));
    expect(kinds(Where.Global, one, one)).toEqual([0, 1]);
    expect(kinds(Where.Global, lines(0, 1, 2, 3, 4), one, lines(5, 6, 7, 8, 9))).toEqual([0, 1]);
  });

  test("the slowest of all SMs is the slowest of those that differ", () => {
    // As many rounds as the block's number says, up to two, over a line of its own each.
    const text = `.version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;
      .reg .pred %p<2>; ld.param.u64 %rd1, [p]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 128; add.u64 %rd3, %rd1, %rd2;
      and.b32 %r2, %r1, 2; L: ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd3+32], %r3; setp.eq.u32 %p1, %r2, 0; @%p1 bra E;
      sub.u32 %r2, %r2, 1; bra L; E: ret;\n}`;
    const cubin = compile(text, { target: "sm_90", opt: 1 }).cubin!;
    const device = new Device();
    const module = device.load(cubin);
    if (!module.ok) throw new Error("not loaded");
    const options = { grid: 12, block: 32, params: [new Uint8Array(2048)] };
    const made = recordLaunch(device, module.value, options, p);
    if (!made.ok) throw new Error("not run");
    const r = made.value;
    expect(r.sets).toHaveLength(12);
    const loads = r.sets.map((blocks) => r.recorder.warps.filter((w) => blocks.includes(w.block)));
    expect(differing(loads, r.recorder.accesses, p, r.facts.sharedBytes)).toEqual([0, 2]);
    const each = loads.map(
      (w) => new StreamingMultiprocessor(r.code, p, w, r.recorder.accesses, 1, r.facts.sharedBytes, 0).run().cycles,
    );
    expect(play(r, p).cycles).toBe(Math.max(...each));
  });
});
