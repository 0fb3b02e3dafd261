import { compile } from "../../lib/compile.js";
import { type LaunchOptions, type Run, simulate, simulateGivingWay } from "../../lib/sim/index.js";
import { TraceRecorder } from "../../lib/sim/trace.js";
import { estimate } from "../../lib/timing/index.js";
import { runText } from "./assemble.js";

/** A kernel that goes round in lines 5 and 6 and, on every round, does `body`. */
function kernel(body = "", declarations = ""): Uint8Array {
  const ptx = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k() { .reg .b32 %r<9>; ${declarations}
again: add.u32 %r1, %r1, 1; ${body}
 bra again;
 ret;
}`;
  const { cubin, diagnostics } = compile(ptx, { target: "sm_90", opt: 0, lineInfo: true });
  if (cubin === null) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return cubin;
}

function ran(cubin: Uint8Array, options: LaunchOptions): Run {
  const run = simulate(cubin, options);
  if (!run.ok) throw new Error(run.diagnostics.map((d) => d.message).join("\n"));
  return run.value;
}

describe("a kernel without end", () => {
  test("ends by its budget of instructions, with the loop it is in", () => {
    const { fault } = ran(kernel(), { block: 64, maxInstructions: 100_000 });
    expect(fault).toMatchObject({ kind: "budget", kernel: "k", function: "k" });
    expect(fault!.instruction).not.toBe("");
    expect(fault!.message).toMatch(/^no end after 100000 warp-instructions, in the loop from k\+0x\w+ .*to k\+0x\w+/);
    expect([5, 6]).toContain(fault!.ptxLine);
    expect(fault!.message).toContain("(PTX line 6)");
  });

  test("ends by its budget of seconds", () => {
    const { fault } = ran(kernel(), { maxSeconds: 0 });
    expect(fault).toMatchObject({ kind: "budget" });
    expect(fault!.message).toMatch(/^no end after 0 seconds, in the loop/);
  });

  test("is stopped by a signal: at once when it is aborted before, and while it runs", async () => {
    expect(ran(kernel(), { signal: AbortSignal.abort() }).fault).toMatchObject({ kind: "interrupted" });
    const control = new AbortController();
    setTimeout(() => control.abort(), 1);
    const run = await simulateGivingWay(kernel(), { block: 32, signal: control.signal });
    expect(run).toMatchObject({ ok: true, value: { fault: { kind: "interrupted", kernel: "k" } } });
  });

  test("is recorded for the timing model up to a number of bytes", () => {
    const tracer = new TraceRecorder(new Set([0]), 1 << 20);
    const { fault } = ran(kernel(), { tracer });
    expect(fault).toMatchObject({ kind: "budget" });
    expect(fault!.message).toMatch(/^1 MiB have been recorded .*in the loop/);
    expect(tracer.bytes).toBeLessThan(2 << 20);
  });

  test("prints no more than is kept", () => {
    const text = `.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[4096];
.visible .entry k() {
  .reg .b64 %rd<3>;
  .param .b64 f; .param .b64 a; .param .b32 r;
  mov.u64 %rd1, text;
  cvta.global.u64 %rd1, %rd1;
  mov.u64 %rd2, 0;
again:
  st.param.b64 [f], %rd1; st.param.b64 [a], %rd2;
  call.uni (r), vprintf, (f, a);
  bra again;
}`;
    const filled = text.replace("text[4096]", `text[4096] = {${new Array(4095).fill(65).join(",")}, 0}`);
    const { cubin, diagnostics } = compile(filled, { target: "sm_90" });
    if (cubin === null) throw new Error(diagnostics.map((d) => d.message).join("\n"));
    const run = ran(cubin, { block: 32 });
    expect(run.fault).toMatchObject({ kind: "budget", message: "the kernel prints without end" });
    expect(run.output.length).toBeLessThan(17 << 20);
  });
});

test("an estimate of a kernel without end tells where it hangs", () => {
  const made = estimate(kernel(), { block: 32, maxInstructions: 100_000 });
  expect(made).toMatchObject({ ok: true, value: { run: { fault: { kind: "budget" } } } });
});

test("giving way changes nothing", async () => {
  const ptx = kernel("setp.gt.u32 %p1, %r1, 20000; @%p1 ret;", ".reg .pred %p<3>;");
  const run = await simulateGivingWay(ptx, { block: 96, grid: 7, profile: true });
  expect(run).toMatchObject({ ok: true, value: ran(ptx, { block: 96, grid: 7, profile: true }) });
});

test("a deadlock tells what threads wait for, where, how many have come and how many have ended", () => {
  const { run } = runText(
    `S2R R0, SR_TID.X
     ISETP.GE.AND P0, PT, R0, 0x40, PT
     ISETP.LT.AND P1, PT, R0, 0x20, PT
     @P0 EXIT
     @P1 BAR.SYNC 0x1, 0x40
     BAR.SYNC 0x2, 0x40
     EXIT`,
    { block: [96, 1, 1] },
  );
  expect(run.fault).toMatchObject({ kind: "deadlock", address: 0x40, ptxLine: 7 });
  expect(run.fault!.message).toBe(
    "no thread can go on: warp 0 lanes 0xffffffff wait at barrier 1 (32 of 64 threads have come, 32 have ended) in " +
      "k+0x40 (PTX line 7); warp 1 lanes 0xffffffff wait at barrier 2 (32 of 64 threads have come, 32 have ended) in " +
      "k+0x50 (PTX line 7)",
  );
});
