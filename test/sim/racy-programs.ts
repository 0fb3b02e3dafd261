/**
 * Random kernels whose threads hand each other words through memory: with all their synchronization, and with one piece of it
 * left out, so that two threads of different warps (or blocks) race. Which pair races is known by construction.
 */
import { type Random, random } from "../corpus/random.js";

export interface RacyProgram {
  readonly name: string;
  /** null: all synchronization stands. */
  readonly ptx: (leaveOut: number | null) => string;
  /** How many pieces can be left out. */
  readonly pieces: number;
  readonly grid: number;
  readonly block: number;
}

/** One way to hand words on: lines of PTX with the pieces between them that must not be left out. */
interface Step {
  readonly lines: readonly (string | { readonly sync: string })[];
}

const WORDS = 256;

/** Address of word `(tid * odd + add) mod 256` of shared array `s` in %r9. */
function place(odd: number, add: number): string {
  return `mad.lo.u32 %r9, %r1, ${odd}, ${add}; and.b32 %r9, %r9, ${WORDS - 1}; shl.b32 %r9, %r9, 2; add.u32 %r9, %r9, %r3;`;
}

const barriers = (r: Random): string =>
  [
    "bar.sync 0;",
    `bar.sync ${1 + r.below(15)};`,
    "barrier.sync.aligned 3, 256;",
    "barrier.red.popc.aligned.u32 %r10, 2, %p1;",
    "bar.red.or.pred %p2, 1, %p1;",
  ][r.below(5)]!;

/** All threads write a word each, then read another warp's. */
function exchange(r: Random): Step {
  const odd = 2 * r.below(64) + 1;
  // The word of a thread of another warp, whichever thread reads.
  const far = 32 * (1 + r.below(7));
  return {
    lines: [
      `${place(odd, 0)} st.shared.u32 [%r9], %r2;`,
      { sync: barriers(r) },
      `add.u32 %r11, %r1, ${far}; mad.lo.u32 %r9, %r11, ${odd}, 0; and.b32 %r9, %r9, ${WORDS - 1};`,
      "shl.b32 %r9, %r9, 2; add.u32 %r9, %r9, %r3; ld.shared.u32 %r10, [%r9]; mad.lo.u32 %r2, %r10, 3, %r2;",
      { sync: barriers(r) },
    ],
  };
}

/** Some warps write, the others read. */
function oneWay(r: Random): Step {
  const warps = 1 + r.below(7);
  const label = `L${r.below(1 << 20)}`;
  return {
    lines: [
      `setp.ge.u32 %p1, %r1, ${32 * warps}; @%p1 bra ${label}; ${place(1, 0)} st.shared.u32 [%r9], %r2; ${label}:`,
      { sync: "bar.sync 0;" },
      `rem.u32 %r11, %r1, ${32 * warps}; shl.b32 %r9, %r11, 2; add.u32 %r9, %r9, %r3;`,
      "ld.shared.u32 %r10, [%r9]; xor.b32 %r2, %r2, %r10;",
      { sync: "bar.sync 0;" },
    ],
  };
}

/** Bytes, that share words with those of other threads. */
function bytes(r: Random): Step {
  const far = 32 * (1 + r.below(7));
  return {
    lines: [
      "add.u32 %r9, %r3, %r1; st.shared.u8 [%r9], %r2;",
      { sync: "bar.sync 0;" },
      `add.u32 %r11, %r1, ${far}; and.b32 %r11, %r11, ${WORDS - 1}; add.u32 %r9, %r3, %r11;`,
      "ld.shared.u8 %r10, [%r9]; add.u32 %r2, %r2, %r10;",
      { sync: "bar.sync 0;" },
    ],
  };
}

/** Half of the warps produce and go on, the other half waits for them. */
function produce(r: Random): Step {
  const id = 4 + r.below(8);
  const label = `L${r.below(1 << 20)}`;
  return {
    lines: [
      `setp.ge.u32 %p1, %r1, 128; @%p1 bra ${label}c; ${place(1, 0)} st.shared.u32 [%r9], %r2;`,
      `bar.arrive ${id}, 256; bra ${label}; ${label}c:`,
      { sync: `bar.sync ${id}, 256;` },
      `sub.u32 %r11, %r1, 128; shl.b32 %r9, %r11, 2; add.u32 %r9, %r9, %r3; ld.shared.u32 %r10, [%r9];`,
      `add.u32 %r2, %r2, %r10; ${label}:`,
      { sync: "bar.sync 0;" },
    ],
  };
}

/** The same through global memory, within the block. */
function throughGlobal(r: Random): Step {
  const far = 32 * (1 + r.below(7));
  return {
    lines: [
      "st.global.u32 [%rd2], %r2;",
      { sync: "bar.sync 0;" },
      `add.u32 %r11, %r1, ${far}; and.b32 %r11, %r11, ${WORDS - 1}; mad.wide.u32 %rd3, %r11, 4, %rd4;`,
      "ld.global.u32 %r10, [%rd3]; xor.b32 %r2, %r2, %r10;",
      { sync: "bar.sync 0;" },
      "st.global.u32 [%rd2], %r2;",
    ],
  };
}

/** Copies that the thread waits for before the barrier. */
function copies(r: Random): Step {
  const far = 32 * (1 + r.below(7));
  return {
    lines: [
      "shl.b32 %r9, %r1, 2; add.u32 %r9, %r9, %r3; cp.async.ca.shared.global [%r9], [%rd5], 4; cp.async.commit_group;",
      { sync: "cp.async.wait_group 0;" },
      { sync: "bar.sync 0;" },
      `add.u32 %r11, %r1, ${far}; and.b32 %r11, %r11, ${WORDS - 1}; shl.b32 %r9, %r11, 2; add.u32 %r9, %r9, %r3;`,
      "ld.shared.u32 %r10, [%r9]; add.u32 %r2, %r2, %r10;",
      { sync: "bar.sync 0;" },
    ],
  };
}

const steps = [exchange, oneWay, bytes, produce, throughGlobal, copies];

function kernel(lines: readonly string[]): string {
  return `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in) {
  .reg .b32 %r<16>; .reg .b64 %rd<9>; .reg .pred %p<4>;
  .shared .align 16 .b8 s[${4 * WORDS}];
  mov.u32 %r1, %tid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r3, s;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd5, [in];
  mad.wide.u32 %rd4, %r4, ${4 * WORDS}, %rd1;
  mad.wide.u32 %rd2, %r1, 4, %rd4;
  mad.wide.u32 %rd5, %r1, 4, %rd5;
  mad.lo.u32 %r2, %r1, 7, 1; setp.eq.u32 %p1, %r2, 5;
  ${lines.join("\n  ")}
  st.global.u32 [%rd2], %r2;
  ret;
}
`;
}

/** A program of some steps; the n-th piece can be left out. */
export function racyProgram(seed: number): RacyProgram {
  const r = random(seed);
  const chosen = Array.from({ length: 1 + r.below(3) }, () => steps[r.below(steps.length)]!);
  const lines: Step["lines"][number][] = [];
  const needed: number[] = [];
  chosen.forEach((step, k) => {
    const own = step(r).lines;
    // A barrier at the end of a step keeps nobody apart where no step follows that writes to shared memory at once.
    const follows = chosen[k + 1] !== undefined && chosen[k + 1] !== throughGlobal;
    own.forEach((l, i) => {
      if (typeof l !== "string" && (follows || i < own.length - 1)) needed.push(lines.length + i);
    });
    lines.push(...own);
  });
  return {
    name: `${seed}: ${chosen.map((s) => s.name).join(", ")}`,
    pieces: needed.length,
    grid: 1 + r.below(2),
    block: WORDS,
    ptx: (out) =>
      kernel(lines.map((l, i) => (typeof l === "string" ? l : out !== null && needed[out] === i ? "" : l.sync))),
  };
}
