import { compile } from "../../lib/compile.js";
import {
  type Argument,
  type Findings,
  type LaunchOptions,
  type Run,
  runLaunchFile,
  simulate,
} from "../../lib/sim/index.js";
import { type CorpusTarget, corpus, corpusPtx, corpusTargets } from "../corpus/cases.js";
import { runText } from "./assemble.js";
import { racyProgram } from "./racy-programs.js";

type Level = 0 | 3;

function compiled(ptx: string, target: CorpusTarget, opt: Level): Uint8Array {
  const { cubin, diagnostics } = compile(ptx, { target, opt, lineInfo: true });
  if (cubin === null) throw new Error(`${diagnostics.map((d) => d.message).join("\n")}\n${ptx}`);
  return cubin;
}

function watched(cubin: Uint8Array, options: LaunchOptions): Run & { readonly findings: Findings } {
  const run = simulate(cubin, { ...options, races: true, maxInstructions: 2_000_000 });
  if (!run.ok) throw new Error(run.diagnostics.map((d) => d.message).join("\n"));
  return run.value as Run & { findings: Findings };
}

/** What is found in a kernel of the corpus, and whether its results are as expected. */
function inCorpus(name: string, ptx: string, target: CorpusTarget, opt: Level): { findings: Findings; right: boolean } {
  const { launch } = corpus.find((c) => c.name === name)!;
  const found: Findings[] = [];
  const result = runLaunchFile(compiled(ptx, target, opt), launch, {
    readFile: () => null,
    launch: (device, module, options) => {
      const run = device.launch(module, { ...options, races: true });
      if (run.ok) found.push(run.value.findings!);
      return run;
    },
  });
  const findings = {
    races: found.flatMap((f) => f.races),
    uninitialized: found.flatMap((f) => f.uninitialized),
    registers: [],
  };
  return { findings, right: result.status === 0 };
}

const NOTHING: Findings = { races: [], uninitialized: [], registers: [] };

describe.each(corpusTargets)("the corpus on %s", (target) => {
  test.each(corpus.map((c) => c.name))("%s has no races and no uninitialised reads", (name) => {
    for (const opt of target === "sm_90" ? ([0, 3] as const) : ([3] as const))
      expect(inCorpus(name, corpusPtx(name, target), target, opt)).toEqual({ findings: NOTHING, right: true });
  });
});

/**
 * Where the machine code needs no barrier although PTX asks for one: before the loads at the end of bitonic each thread has changed words
 * with its neighbour in the warp only, all lanes together.
 */
const idle = new Set(["bitonic 1"]);

/** Every barrier of the corpus: kernel, which of its barriers, and the lines of its PTX without it. */
const planted = corpus.flatMap(({ name }) => {
  const lines = corpusPtx(name, "sm_90").split("\n");
  const barriers = lines.flatMap((l, i) => (/^\s*bar\.sync/.test(l) ? [i] : []));
  return barriers.flatMap((at, n) =>
    idle.has(`${name} ${n}`) ? [] : [{ name, n, ptx: lines.map((l, i) => (i === at ? "" : l)).join("\n") }],
  );
});

test("every barrier that the corpus needs, left out", () => {
  expect(planted).toHaveLength(13);
  for (const { name, ptx } of planted)
    for (const opt of [0, 3] as const) {
      const { findings } = inCorpus(name, ptx, "sm_90", opt);
      expect({ name, opt, races: findings.races.length > 0 }).toEqual({ name, opt, races: true });
      for (const { first, second } of findings.races) {
        expect([first.ptxLine, second.ptxLine]).not.toContain(null);
        expect(first.thread).not.toEqual(second.thread);
      }
    }
});

function ranRacy(ptx: string, grid: number, block: number, opt: Level): Run & { readonly findings: Findings } {
  const params: Argument[] = [new Uint32Array(512), new Uint32Array(256).map((_, i) => i * 5)];
  return watched(compiled(ptx, "sm_90", opt), { grid, block, params });
}

/** Larger by PTXLAB_RACES=N programs. */
const programs = Array.from({ length: Number(process.env.PTXLAB_RACES ?? 22) }, (_, seed) => racyProgram(seed));

test.each(programs.map((p) => [p.name, p] as const))("random programs: %s", (_, p) => {
  for (const opt of [0, 3] as const) {
    const clean = ranRacy(p.ptx(null), p.grid, p.block, opt);
    expect({ fault: clean.fault, findings: clean.findings }).toEqual({ fault: null, findings: NOTHING });
    for (let piece = 0; piece < p.pieces; piece++) {
      const { races } = ranRacy(p.ptx(piece), p.grid, p.block, opt).findings;
      expect({ opt, piece, races: races.length > 0 }).toEqual({ opt, piece, races: true });
    }
  }
});

test("at least a hundred kernels with a planted race are run", () => {
  const random = racyCount(22);
  expect(2 * planted.length + random).toBeGreaterThanOrEqual(100);
});

function racyCount(n: number): number {
  return Array.from({ length: n }, (_, seed) => 2 * racyProgram(seed).pieces).reduce((a, b) => a + b, 0);
}

// ------------------------------------------------------------------------------------------------ one by one

/** A kernel with the address of word tid in %rd2, of the first word in %rd1, and what stands in `body`. */
function kernel(body: string): string {
  return `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .pred %p<4>;
  .shared .align 4 .b8 s[1024];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, s;
  ld.param.u64 %rd1, [out];
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  ${body}
  ret;
}
`;
}

const ran = (body: string, options: LaunchOptions = {}): Findings =>
  watched(compiled(kernel(body), "sm_90", 3), { block: 64, params: [new Uint32Array(64)], ...options }).findings;

test("a race names both accesses: instruction, PTX line, block, thread", () => {
  const { races } = ran(
    `
  st.global.u32 [%rd2], %r1;
  xor.b32 %r4, %r1, 32;
  mad.wide.u32 %rd3, %r4, 4, %rd1;
  ld.global.u32 %r5, [%rd3];
  st.global.u32 [%rd2+256], %r5;`,
    { params: [new Uint32Array(128)] },
  );
  expect(races).toHaveLength(1);
  expect(races[0]).toMatchObject({ space: "global", first: { kind: "read" }, second: { kind: "write" }, count: 64 });
  expect(races[0]!.first).toMatchObject({ function: "k", ptxLine: 14, block: [0, 0, 0], thread: [0, 0, 0] });
  expect(races[0]!.first.instruction).toMatch(/^LDG/);
  expect(races[0]!.second).toMatchObject({ function: "k", ptxLine: 11, block: [0, 0, 0], thread: [32, 0, 0] });
  expect(races[0]!.second.instruction).toMatch(/^STG/);
});

test.each([
  ["blocks that write one word, different values", "st.global.u32 [%rd1], %r2;", { grid: 2, block: 1 }, 1],
  ["blocks that write one word, the same value", "st.global.u32 [%rd1], 7;", { grid: 2, block: 64 }, 0],
  ["lanes that write one word in one instruction", "st.global.u32 [%rd1], %r1;", { block: 32 }, 1],
  [
    "lanes in lockstep",
    "st.shared.u32 [%r3], %r2; ld.shared.u32 %r4, [%r3]; st.global.u32 [%rd2], %r4;",
    { block: 32 },
    0,
  ],
  [
    "lanes that have parted",
    `setp.lt.u32 %p1, %r1, 16; @%p1 bra a;
     ld.global.u32 %r4, [%rd1]; atom.global.add.u32 %r5, [%rd1+400], %r4; st.global.u32 [%rd2], %r5; bra b;
     a: st.global.u32 [%rd1], %r2; atom.global.add.u32 %r5, [%rd1+404], 1; st.global.u32 [%rd2+128], %r5; b:`,
    { block: 32, params: [new Uint32Array(128)] },
    1,
  ],
  ["atomics", "atom.global.add.u32 %r4, [%rd1], 1; st.global.u32 [%rd2+4], %r4;", { block: 32, grid: 1 }, 0],
  [
    "an atomic and a load, and two stores of what came",
    "red.global.add.u32 [%rd1], 1; ld.global.u32 %r4, [%rd1]; st.global.u32 [%rd2+4], %r4;",
    { grid: 2, block: 1 },
    2,
  ],
  [
    "a count that is not atomic: store and load, store and store",
    "ld.global.u32 %r4, [%rd1]; add.u32 %r4, %r4, 1; st.global.u32 [%rd1], %r4;",
    { grid: 2, block: 1 },
    2,
  ],
  [
    "a flag after a fence",
    `setp.eq.u32 %p1, %r2, 1; @%p1 bra get;
     st.global.u32 [%rd1+4], 9; membar.gl; st.relaxed.gpu.global.u32 [%rd1], 1; bra end;
     get: ld.relaxed.gpu.global.u32 %r4, [%rd1]; setp.eq.u32 %p2, %r4, 0; @%p2 bra get; membar.gl;
     ld.global.u32 %r5, [%rd1+4]; st.global.u32 [%rd1+8], %r5; end:`,
    { grid: 2, block: 1 },
    0,
  ],
  [
    "a flag without fence",
    `setp.eq.u32 %p1, %r2, 1; @%p1 bra get;
     st.global.u32 [%rd1+4], 9; st.relaxed.gpu.global.u32 [%rd1], 1; bra end;
     get: ld.relaxed.gpu.global.u32 %r4, [%rd1]; setp.eq.u32 %p2, %r4, 0; @%p2 bra get; membar.gl;
     ld.global.u32 %r5, [%rd1+4]; st.global.u32 [%rd1+8], %r5; end:`,
    { grid: 2, block: 1 },
    1,
  ],
  [
    "an mbarrier",
    `.shared .align 8 .b64 b; setp.ne.u32 %p1, %r1, 0; @%p1 bra go; mbarrier.init.shared.b64 [b], 64; go: bar.sync 0;
     shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r3; st.shared.u32 [%r4], %r1; mbarrier.arrive.shared.b64 %rd3, [b];
     w: mbarrier.try_wait.shared.b64 %p2, [b], %rd3; @!%p2 bra w;
     xor.b32 %r5, %r1, 32; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r3; ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd2], %r6;`,
    { block: 64 },
    0,
  ],
  [
    "an mbarrier that nobody waits for",
    `.shared .align 8 .b64 b; setp.ne.u32 %p1, %r1, 0; @%p1 bra go; mbarrier.init.shared.b64 [b], 64; go: bar.sync 0;
     shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r3; st.shared.u32 [%r4], %r1; mbarrier.arrive.shared.b64 %rd3, [b];
     xor.b32 %r5, %r1, 32; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r3; ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd2], %r6;`,
    { block: 64 },
    1,
  ],
  [
    "an atomic sum of 64 bits in shared memory, which is a loop",
    `.shared .align 8 .b64 b; setp.ne.u32 %p1, %r1, 0; @!%p1 st.shared.u64 [b], %rd2; bar.sync 0;
     cvt.u64.u32 %rd3, %r1; atom.shared.add.u64 %rd4, [b], %rd3; atom.shared.max.u64 %rd4, [b], %rd3;`,
    { block: 64 },
    0,
  ],
  [
    "a plain store beside it",
    `.shared .align 8 .b64 b; setp.ne.u32 %p1, %r1, 0; @!%p1 st.shared.u64 [b], %rd2; bar.sync 0; setp.lt.u32 %p2, %r1, 32;
     cvt.u64.u32 %rd3, %r1; @!%p2 atom.shared.add.u64 %rd4, [b], %rd3; @!%p1 st.shared.u64 [b], %rd3;`,
    { block: 64 },
    1,
  ],
] as const)("%s", (_, body, options, races) => {
  expect(ran(body, options).races).toHaveLength(races);
});

describe("reads of what nobody has written", () => {
  test("shared memory", () => {
    const { uninitialized } = ran("ld.shared.u32 %r4, [%r3+8]; st.global.u32 [%rd2], %r4;");
    expect(uninitialized).toMatchObject([
      { space: "shared", memoryAddress: expect.any(Number), ptxLine: 10, count: 64 },
    ]);
  });

  test("local memory: only what was not stored", () => {
    const body = (at: number): string => `MOV R2, 0x7fe00\nSTL [R2], R2\nLDL R3, [R2+0x${at.toString(16)}]\nEXIT`;
    expect(runText(body(0), { races: true }).run.findings!.uninitialized).toEqual([]);
    expect(runText(body(4), { races: true }).run.findings!.uninitialized).toMatchObject([
      { space: "local", count: 32 },
    ]);
  });

  test("what the block before has written does not count", () => {
    const body =
      "setp.ne.u32 %p1, %r2, 0; @!%p1 st.shared.u32 [%r3], 1; @%p1 ld.shared.u32 %r4, [%r3]; @%p1 st.global.u32 [%rd2], %r4;";
    expect(ran(body, { grid: 2, block: 1 }).uninitialized).toMatchObject([{ space: "shared", block: [1, 0, 0] }]);
  });
});
