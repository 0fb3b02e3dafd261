import { compile } from "../../lib/compile.js";
import { type LaunchOptions, profileByLine, type Run, simulate } from "../../lib/sim/index.js";

/** Threads load words `stride` apart, put them into shared memory `stride` apart, and never come to the last store. */
const ptx = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 stride) {
  .reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .pred %p<3>;
  .shared .align 4 .b8 s[4096];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r3, [stride];
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r2, %r1, %r3;
  mad.wide.u32 %rd2, %r2, 4, %rd1;
  ld.global.u32 %r4, [%rd2];
  mov.u32 %r5, s;
  mad.lo.u32 %r5, %r2, 4, %r5;
  st.shared.u32 [%r5], %r4;
  setp.gt.u32 %p1, %r1, 99;
  @!%p1 bra done;
  st.global.u32 [%rd2], %r1;
done:
  ret;
}
`;

function ran(stride: number, options: LaunchOptions = {}): Run {
  const { cubin, diagnostics } = compile(ptx, { target: "sm_90", opt: 0, lineInfo: true });
  if (cubin === null) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  const params = [new Uint32Array(1024), { u32: stride }];
  const run = simulate(cubin, { grid: 3, block: 32, params, profile: true, ...options });
  if (!run.ok) throw new Error(run.diagnostics.map((d) => d.message).join("\n"));
  return run.value;
}

// 96 requests of a word each: a line has 128 bytes in 4 sectors, and words 32 apart are in one bank.
test.each([
  [1, 4, 1],
  [2, 8, 2],
  [8, 32, 8],
  [0, 1, 1],
])("words %i apart: %i sectors and %i passes for each warp", (stride, sectors, passes) => {
  const { profile } = ran(stride);
  const of = (op: RegExp): unknown => profile!.find((e) => op.test(e.instruction))!.memory;
  expect(of(/^LDG/)).toEqual({ space: "global", requests: 3, bytes: 384, sectors: 3 * sectors, passes: 0 });
  expect(of(/^STS/)).toEqual({ space: "shared", requests: 3, bytes: 384, sectors: 0, passes: 3 * passes });
});

test("by PTX line: issues, threads, traffic", () => {
  const lines = profileByLine(ran(2).profile!);
  const line = (n: number) => lines.find((l) => l.line === n)!;
  expect(line(12)).toMatchObject({ memory: [{ space: "global", requests: 3, bytes: 384, sectors: 24 }] });
  expect(line(15)).toMatchObject({ memory: [{ space: "shared", requests: 3, bytes: 384, passes: 6 }] });
  expect(line(18)).toBeUndefined();
  const { profile, warpInstructions, threadInstructions } = ran(2);
  expect(profile!.reduce((n, e) => n + e.warps, 0)).toBe(warpInstructions);
  expect(profile!.reduce((n, e) => n + e.threads, 0)).toBe(threadInstructions);
});

test("coverage: what was missed, without padding; nothing when all lines run", () => {
  const missed = ran(1).missed!;
  expect(missed.map((m) => m.ptxLine)).toContain(18);
  expect(missed.filter((m) => /^STG/.test(m.instruction))).toHaveLength(1);
  expect(missed.some((m) => /^(NOP|EXIT)/.test(m.instruction))).toBe(false);
  expect(ran(0, { block: 128 }).missed).toEqual([]);
  expect(ran(0, { profile: false }).missed).toBeNull();
});
