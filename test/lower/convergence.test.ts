/**
 * Random control flow: blocks that branch on bits which differ from lane to lane, to any block, with exits, barriers of the warp
 * and shuffles on the way back to a common block. Every lane must go the way an interpreter goes, and no kernel may hang.
 */
import { compile } from "../../lib/compile";
import { simulate } from "../../lib/sim/index";
import { targets } from "./harness";

/** Deterministic numbers below n. */
function generator(seed: number): (n: number) => number {
  let x = (seed * 2654435761) >>> 0 || 1;
  return (n) => {
    x ^= x << 13;
    x >>>= 0;
    x ^= x >>> 17;
    x ^= x << 5;
    x >>>= 0;
    return x % n;
  };
}

type End =
  | { readonly kind: "branch"; readonly bit: number; readonly to: number; readonly otherwise: number | null }
  | { readonly kind: "jump"; readonly to: number }
  | { readonly kind: "table"; readonly targets: readonly number[] }
  | { readonly kind: "exit"; readonly bit: number }
  | { readonly kind: "fall" };

interface Program {
  readonly ends: readonly End[];
  readonly steps: number;
}

function program(seed: number): Program {
  const next = generator(seed);
  const n = 3 + next(9);
  // Half of the programs jump mostly forward, as compiled code does.
  const forward = next(2) === 0;
  const target = (from: number): number => (forward && next(4) > 0 ? from + 1 + next(n - from) : next(n + 1));
  const ends = Array.from({ length: n }, (_, b): End => {
    switch (next(10)) {
      case 0:
        return { kind: "jump", to: target(b) };
      case 1:
        return { kind: "table", targets: [target(b), target(b), target(b), target(b)] };
      case 2:
        return { kind: "exit", bit: next(12) };
      case 3:
        return { kind: "fall" };
      default:
        return { kind: "branch", bit: next(12), to: target(b), otherwise: next(3) === 0 ? target(b) : null };
    }
  });
  return { ends, steps: 5 + next(40) };
}

/** Block n is the end: it stores what was gathered. */
function text(p: Program, target: string): string {
  const n = p.ends.length;
  const blocks = p.ends.map((e, b) => {
    const work = `B${b}:
  mad.lo.u32 %r, %r, 1664525, ${1013904223 + b};
  sub.u32 %left, %left, 1;
  setp.eq.u32 %p, %left, 0;
  @%p bra B${n};
  shr.u32 %bits, %r, 16;`;
    const test = (bit: number): string =>
      `  shr.u32 %t, %bits, ${bit};\n  and.b32 %t, %t, 1;\n  setp.ne.u32 %p, %t, 0;`;
    switch (e.kind) {
      case "jump":
        return `${work}\n  bra B${e.to};`;
      case "fall":
        return work;
      case "exit":
        return `${work}\n${test(e.bit)}\n  st.global.u32 [%a], %r;\n  @%p exit;`;
      case "table":
        return `${work}\n  and.b32 %t, %bits, 3;\n  T${b}: .branchtargets ${e.targets.map((t) => `B${t}`).join(", ")};\n  brx.idx %t, T${b};`;
      default:
        return `${work}\n${test(e.bit)}\n  @%p bra B${e.to};${e.otherwise === null ? "" : `\n  bra B${e.otherwise};`}`;
    }
  });
  return `.version 9.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .u64 %a, %o;
  .reg .u32 %r, %left, %t, %bits, %i;
  .reg .pred %p;
  mov.u32 %i, %tid.x;
  mad.lo.u32 %r, %i, 2654435761, 12345;
  mov.u32 %left, ${p.steps};
  ld.param.u64 %a, [out];
  mul.wide.u32 %o, %i, 4;
  add.u64 %a, %a, %o;
${blocks.join("\n")}
B${n}:
  st.global.u32 [%a], %r;
}
`;
}

function lane(p: Program, i: number): number {
  let r = (Math.imul(i, 2654435761) + 12345) >>> 0;
  let left = p.steps;
  let b = 0;
  while (b < p.ends.length) {
    const e = p.ends[b]!;
    r = (Math.imul(r, 1664525) + 1013904223 + b) >>> 0;
    left--;
    if (left === 0) return r;
    const bits = r >>> 16;
    const set = (bit: number): boolean => ((bits >>> bit) & 1) === 1;
    if (e.kind === "exit" && set(e.bit)) return r;
    if (e.kind === "jump") b = e.to;
    else if (e.kind === "table") b = e.targets[bits & 3]!;
    else if (e.kind === "branch" && set(e.bit)) b = e.to;
    else if (e.kind === "branch" && e.otherwise !== null) b = e.otherwise;
    else b++;
  }
  return r;
}

describe.each(targets)("random control flow on %s", (target) => {
  test.each(Array.from({ length: 60 }, (_, k) => k + 1))("program %d", (seed) => {
    const p = program(seed);
    const made = compile(text(p, target), { target, opt: 0, verify: true });
    if (made.cubin === null)
      throw new Error(
        [...made.diagnostics.map((d) => d.message), ...made.internalErrors.map((e) => e.stack)].join("\n"),
      );
    const out = new Uint32Array(64);
    const ran = simulate(made.cubin, { kernel: "k", block: 64, params: [out], maxInstructions: 200_000 });
    expect(ran.ok && ran.value.fault).toBeNull();
    expect([...out]).toEqual(Array.from({ length: 64 }, (_, i) => lane(p, i)));
  });
});

/** Successors of each block: branches of two arms of which one ends the kernel elsewhere, so that regions with one join have no common entry. */
const apart = [[1], [4, 2], [3, 7], [7], [5, 10], [6, 7], [7], [8, 9], [9], [], [11], []];

test.each([0, 3])("regions with one join and no common entry, -O%i", (opt) => {
  const blocks = apart.map((to, b) => {
    const end =
      to.length === 0 ? "ret;" : to.map((t, i) => (i + 1 < to.length ? `@%p bra B${t};` : `bra B${t};`)).join(" ");
    return `B${b}: ld.global.u32 %r1, [%o+${4 * b}]; add.u32 %r2, %r2, %r1; st.global.u32 [%o+64], %r2; setp.eq.u32 %p, %r1, 0; ${end}`;
  });
  const body = `.reg .pred %p; .reg .b32 %r<3>; .reg .b64 %o; ld.param.u64 %o, [o]; mov.b32 %r2, 0;\n${blocks.join("\n")}`;
  const ptx = `.version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 o) {\n${body}\n}`;
  const made = compile(ptx, { target: "sm_90", opt, verify: true });
  if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  for (let way = 0; way < 32; way++) {
    const words = Uint32Array.from({ length: 17 }, (_, b) => (b < 12 ? (way >> (b % 5)) & 1 : 0));
    let [b, sum] = [0, words[0]!];
    for (let to = apart[b]!; to.length > 0; to = apart[b]!) {
      b = to.length === 2 && words[b] !== 0 ? to[1]! : to[0]!;
      sum += words[b]!;
    }
    const ran = simulate(made.cubin, { params: [words] });
    expect(ran.ok && ran.value.fault).toBeNull();
    expect(words[16]).toBe(sum);
  }
});
