/**
 * Calls by the ABI, in the simulator: what programs compute is worked out in plain code. Each runs at every level, checked by the
 * verifier, the allocation checker and the hazard checker.
 */
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf/index";
import type { Func } from "../../lib/ori/types";
import type { PhaseEvent } from "../../lib/phases/index";
import { checkAllocation } from "../../lib/regalloc/index";
import { simulate } from "../../lib/sim/index";
import type { TargetName } from "../../lib/target/index";
import { verifyCubin } from "../../lib/verify";

const targets: readonly TargetName[] = ["sm_75", "sm_90", "sm_100"];
const levels = [0, 1, 2] as const;
const LANES = 32;

/** `call (%r2), f, (…)` with values in `.param` space: `$ack(%r1,%r2)` into %r3 becomes four statements in braces. */
function callText(result: string, callee: string, args: readonly string[], rest = ""): string {
  const params = args.map((a, k) => `.param .b32 a${k}; st.param.b32 [a${k}], ${a};`).join(" ");
  const list = args.map((_, k) => `a${k}`).join(", ");
  return `{ ${params} .param .b32 z; call (z), ${callee}, (${list})${rest}; ld.param.b32 ${result}, [z]; }`;
}

function kernel(body: string, outside: string, name = "k"): string {
  return `${outside}
.visible .entry ${name}(.param .u64 out)
{
  .reg .b32 %t, %v, %x<9>; .reg .b64 %out, %at, %y<9>; .reg .pred %p<9>;
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  ${body}
  mul.wide.u32 %at, %t, 4;
  add.u64 %at, %out, %at;
  st.global.u32 [%at], %v;
  ret;
}
`;
}

function run(text: string, target: TargetName, opt: number, name = "k"): number[] {
  let before: Func | null = null;
  const observe = (e: PhaseEvent): void => {
    // Above -O0 the phase may choose another order first.
    if (e.phase !== "AllocateRegisters" || opt > 0) return;
    if (e.kind === "before") before = e.snapshot();
    else if (before !== null) expect(checkAllocation(before, e.func)).toEqual([]);
  };
  const options = { target, opt, verify: true, observe };
  const c = compile(`.version 9.0\n.target ${target}\n.address_size 64\n${text}`, options);
  if (c.cubin === null) throw new Error(c.diagnostics.map((d) => d.message).join("\n"));
  const read = readCubin(c.cubin);
  if (!read.ok) throw new Error("the cubin cannot be read");
  expect(verifyCubin(read.value)).toEqual([]);
  const out = new Uint32Array(LANES);
  const r = simulate(c.cubin, { kernel: name, grid: 1, block: LANES, params: [out] });
  if (!r.ok) throw new Error(r.diagnostics.map((d) => d.message).join("\n"));
  expect(r.value.fault).toBeNull();
  return [...out];
}

function everywhere(text: string, expected: (lane: number) => number, name = "k"): void {
  const wanted = Array.from({ length: LANES }, (_, lane) => expected(lane) >>> 0);
  for (const target of targets)
    for (const opt of levels) expect([target, opt, run(text, target, opt, name)]).toEqual([target, opt, wanted]);
}

const head = "(.param .b32 r)";
const registers = ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>;";

test("Fibonacci numbers by two calls of itself", () => {
  const fib = `.func ${head} fib(.param .b32 n) { ${registers}
  ld.param.u32 %r1, [n];
  setp.lt.s32 %p1, %r1, 2;
  @%p1 bra DONE;
  sub.s32 %r2, %r1, 1;
  ${callText("%r3", "fib", ["%r2"])}
  sub.s32 %r2, %r1, 2;
  ${callText("%r4", "fib", ["%r2"])}
  add.s32 %r1, %r3, %r4;
DONE: st.param.b32 [r], %r1; ret; }`;
  const plain = (n: number): number => (n < 2 ? n : plain(n - 1) + plain(n - 2));
  everywhere(kernel(`and.b32 %x1, %t, 7; ${callText("%v", "fib", ["%x1"])}`, fib), (lane) => plain(lane & 7));
});

test("functions that call each other, lanes at different depths inside loops", () => {
  const declared = `.func ${head} odd(.param .b32 n);`;
  const even = `.func ${head} even(.param .b32 n) { ${registers}
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 100;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  mov.u32 %r2, 0; mov.u32 %r5, 0;
LOOP: sub.u32 %r3, %r1, 1;
  ${callText("%r4", "odd", ["%r3"])}
  add.u32 %r2, %r2, %r4;
  add.u32 %r5, %r5, 1;
  and.b32 %r6, %r1, 1;
  setp.le.u32 %p2, %r5, %r6;
  @%p2 bra LOOP;
DONE: st.param.b32 [r], %r2; ret; }`;
  const odd = `.func ${head} odd(.param .b32 n) { ${registers}
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 7;
  setp.eq.u32 %p1, %r1, 0;
  @!%p1 sub.u32 %r3, %r1, 1;
  @%p1 bra DONE;
  ${callText("%r2", "even", ["%r3"])}
  add.u32 %r2, %r2, %r1;
DONE: st.param.b32 [r], %r2; ret; }`;
  const oddOf = (n: number): number => (n === 0 ? 7 : evenOf(n - 1) + n);
  const evenOf = (n: number): number => (n === 0 ? 100 : ((n & 1) + 1) * oddOf(n - 1));
  everywhere(kernel(`and.b32 %x1, %t, 7; ${callText("%v", "even", ["%x1"])}`, `${declared}\n${even}\n${odd}`), (lane) =>
    evenOf(lane & 7),
  );
});

const operations = [
  `.func ${head} f0(.param .b32 a) { ${registers} ld.param.u32 %r1, [a]; add.u32 %r1, %r1, 7; st.param.b32 [r], %r1; ret; }`,
  `.func ${head} f1(.param .b32 a) { ${registers} ld.param.u32 %r1, [a]; mul.lo.u32 %r1, %r1, 7; st.param.b32 [r], %r1; ret; }`,
  `.func ${head} f2(.param .b32 a) { ${registers} ld.param.u32 %r1, [a]; xor.b32 %r1, %r1, 21; st.param.b32 [r], %r1; ret; }`,
];
const operationOf = (k: number, a: number): number => [a + 7, a * 7, a ^ 21][k]!;
const prototype = "P: .callprototype (.param .b32 _) _ (.param .b32 _);";

describe("calls through addresses", () => {
  const table = `${operations.join("\n")}\n.global .align 8 .u64 table[3] = {f0, f1, f2};`;
  const body = (targets_ = prototype): string => `rem.u32 %x1, %t, 3; mul.wide.u32 %y1, %x1, 8; mov.u64 %y2, table;
  add.u64 %y1, %y1, %y2; ld.global.u64 %y3, [%y1]; ${targets_} ${callText("%v", "%y3", ["%t"], ", P")}`;
  const expected = (lane: number): number => operationOf(lane % 3, lane);

  test("from an initialized table, one kernel", () => everywhere(kernel(body(), table), expected));
  test("two kernels share the table", () => {
    const both = `${kernel(body(), table)}${kernel(body(), "", "other")}`;
    everywhere(both, expected);
    everywhere(both, expected, "other");
  });
  test(".calltargets", () => everywhere(kernel(body("P: .calltargets f0, f1, f2;"), table), expected));
  test("from mov, chosen by lane", () => {
    const text = `mov.u64 %y1, f1; mov.u64 %y2, f2; and.b32 %x1, %t, 1; setp.eq.u32 %p1, %x1, 0; selp.u64 %y3, %y1, %y2, %p1;
    ${prototype} ${callText("%v", "%y3", ["%t"], ", P")}`;
    everywhere(kernel(text, operations.join("\n")), (lane) => operationOf(1 + (lane & 1), lane));
  });
});

test("lanes that call different functions meet after the call, in a kernel with a branch", () => {
  const functions = [1, 2].map(
    (n) => `.func ${head} g${n}(.param .b32 a) { ${registers}
  ld.param.u32 %r1, [a]; mul.lo.u32 %r1, %r1, ${n}; st.param.b32 [r], %r1; ret; }`,
  );
  const body = (end: string): string => `mov.u32 %v, 0; and.b32 %x1, %t, 1; setp.eq.u32 %p1, %x1, 0; ${end}
  mov.u64 %y1, g1; mov.u64 %y2, g2; selp.b64 %y1, %y1, %y2, %p1;
  P: .callprototype (.param .b32 _) _ (.param .b32 _);
  ${callText("%v", "%y1", ["%t"], ", P")}
  vote.sync.ballot.b32 %x2, 1, 0xffffffff;
  END:`;
  const met = (text: string): number => {
    const c = compile(`.version 9.0\n.target sm_90\n.address_size 64\n${text}`, { target: "sm_90", opt: 0 });
    expect(c.diagnostics).toEqual([]);
    const { insts } = c.functions.find((f) => f.kind === "entry")!.code!;
    return insts.filter((i) => i.form.op === "BSSY").length;
  };
  const branching = kernel(body("setp.gt.u32 %p2, %t, 100; @%p2 bra END;"), functions.join("\n"));
  expect([met(branching), met(kernel(body(""), functions.join("\n")))]).toEqual([2, 0]);
  everywhere(branching, (lane) => lane * (lane % 2 === 0 ? 1 : 2));
});

test("fifteen arguments: registers, gaps filled, the rest on the stack", () => {
  const types = ["b32", "b64", "b16", "b8", "b64", "b32", "b32", "b32", "b64", "b32", "b32", "b8", "b64", "b16", "b32"];
  const load = (t: string, k: number): string => {
    const small = t === "b8" || t === "b16";
    if (t === "b64") return `ld.param.u64 %rd1, [a${k}]; cvt.u32.u64 %r2, %rd1;`;
    return small ? `ld.param.u${t.slice(1)} %r2, [a${k}];` : `ld.param.u32 %r2, [a${k}];`;
  };
  const params = types.map((t, k) => `.param .${t} a${k}`).join(", ");
  const sum = types.map((t, k) => `${load(t, k)} mad.lo.u32 %r1, %r2, ${k + 3}, %r1;`).join("\n");
  // It calls itself once, so it is not inlined.
  const inner = types
    .map(
      (t, k) =>
        `.param .${t} b${k}; ${t === "b64" ? `ld.param.u64 %rd2, [a${k}]; st.param.b64 [b${k}], %rd2;` : `${load(t, k)} st.param.${t} [b${k}], ${t === "b32" ? "%r2" : "%h1"};`}`,
    )
    .map((s) => s.replace("%r2, [a", s.includes("%h1") ? "%h1, [a" : "%r2, [a"))
    .join("\n");
  const list = types.map((_, k) => `b${k}`).join(", ");
  const f = `.func ${head} many(${params}) { ${registers} .reg .b16 %h1; .reg .b32 %d;
  mov.u32 %r1, 0;
  ${sum}
  ld.param.u32 %r3, [a0];
  setp.ne.u32 %p1, %r3, 1;
  @%p1 bra DONE;
  { ${inner.replace("ld.param.u32 %r2, [a0]", "mov.u32 %r2, 2")}
  .param .b32 z; call (z), many, (${list}); ld.param.b32 %r4, [z]; }
  add.u32 %r1, %r1, %r4;
DONE: st.param.b32 [r], %r1; ret; }`;
  const actual = types.map((t, k) => {
    const v = t === "b64" ? "%y1" : t === "b32" ? "%x1" : "%h1";
    const set = k === 0 ? "mov.u32 %x1, 1;" : `add.u32 %x1, %t, ${k}; cvt.u64.u32 %y1, %x1; cvt.u16.u32 %h1, %x1;`;
    return `${set} .param .${t} a${k}; st.param.${t} [a${k}], ${v};`;
  });
  const call = `{ .reg .b16 %h1; ${actual.join("\n")} .param .b32 z; call (z), many, (${types.map((_, k) => `a${k}`).join(", ")}); ld.param.b32 %v, [z]; }`;
  const once = (lane: number, first: number): number =>
    types.reduce((s, _, k) => s + (k === 0 ? first : lane + k) * (k + 3), 0);
  everywhere(kernel(call, f), (lane) => once(lane, 1) + once(lane, 2));
});

test("structures by value, small ones and such as go through memory, back and forth", () => {
  const bytes = (n: number): string => `.align 8 .b8`.concat(` s[${n}]`);
  const f = (
    n: number,
  ): string => `.func (.param .align 8 .b8 r[${n}]) f${n}(.param .b32 n, .param ${bytes(n)}) { ${registers}
  ld.param.u32 %r1, [n];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra LAST;
  sub.u32 %r2, %r1, 1;
  { .param .b32 m; st.param.b32 [m], %r2; .param .align 8 .b8 q[${n}];
  ${Array.from({ length: n / 4 }, (_, k) => `ld.param.u32 %r3, [s+${4 * k}]; add.u32 %r3, %r3, ${k + 1}; st.param.b32 [q+${4 * k}], %r3;`).join("\n")}
  .param .align 8 .b8 z[${n}]; call (z), f${n}, (m, q);
  ${Array.from({ length: n / 8 }, (_, k) => `ld.param.u64 %rd1, [z+${8 * k}]; st.param.b64 [r+${8 * k}], %rd1;`).join("\n")} }
  ret;
LAST:
  ${Array.from({ length: n / 8 }, (_, k) => `ld.param.b64 %rd1, [s+${8 * k}]; st.param.b64 [r+${8 * k}], %rd1;`).join("\n")}
  ret; }`;
  for (const n of [24, 40, 56, 120]) {
    const body = `{ .param .b32 m; st.param.b32 [m], 3; .param .align 8 .b8 q[${n}];
    ${Array.from({ length: n / 4 }, (_, k) => `add.u32 %x1, %t, ${k}; st.param.b32 [q+${4 * k}], %x1;`).join("\n")}
    .param .align 8 .b8 z[${n}]; call (z), f${n}, (m, q);
    mov.u32 %v, 0;
    ${Array.from({ length: n / 4 }, (_, k) => `ld.param.u32 %x2, [z+${4 * k}]; mad.lo.u32 %v, %x2, ${k + 1}, %v;`).join("\n")} }`;
    const plain = (lane: number): number => {
      let v = 0;
      for (let k = 0; k < n / 4; k++) v += (lane + k + 3 * (k + 1)) * (k + 1);
      return v;
    };
    everywhere(kernel(body, f(n)), plain);
  }
}, 60_000);

test("bytes and halves of a structure", () => {
  const f = `.func ${head} f(.param .align 2 .b8 s[10], .param .b32 n) { ${registers} .reg .b16 %h<9>;
  ld.param.u32 %r1, [n];
  mov.u32 %r4, 0;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra SUM;
  sub.u32 %r1, %r1, 1;
  { .param .align 2 .b8 q[10]; .param .b32 m; st.param.b32 [m], %r1;
  ld.param.u16 %h1, [s]; st.param.b16 [q], %h1; ld.param.u8 %h2, [s+3]; st.param.b8 [q+2], %h2; ld.param.u8 %h2, [s+2]; st.param.b8 [q+3], %h2;
  ld.param.s8 %h3, [s+5]; st.param.b8 [q+5], %h3; st.param.b8 [q+4], %h3; ld.param.u16 %h4, [s+6]; st.param.b16 [q+6], %h4; ld.param.u16 %h4, [s+8]; st.param.b16 [q+8], %h4;
  .param .b32 z; call (z), f, (q, m); ld.param.b32 %r4, [z]; }
SUM:
  ${Array.from({ length: 10 }, (_, k) => `ld.param.s8 %r2, [s+${k}]; mad.lo.s32 %r4, %r2, ${k + 1}, %r4;`).join("\n")}
  ld.param.s16 %r2, [s+6]; add.s32 %r4, %r4, %r2;
  st.param.b32 [r], %r4; ret; }`;
  const body = `{ .reg .b16 %h; .param .align 2 .b8 q[10]; .param .b32 m; st.param.b32 [m], 1;
  ${Array.from({ length: 10 }, (_, k) => `mad.lo.u32 %x1, %t, 37, ${k * 55}; cvt.u16.u32 %h, %x1; st.param.b8 [q+${k}], %h;`).join("\n")}
  .param .b32 z; call (z), f, (q, m); ld.param.b32 %v, [z]; }`;
  const sum = (s: Int8Array): number =>
    s.reduce((v, b, k) => v + b * (k + 1), 0) + new Int16Array(s.slice(6, 8).buffer)[0]!;
  everywhere(kernel(body, f), (lane) => {
    const s = Int8Array.from({ length: 10 }, (_, k) => lane * 37 + k * 55);
    const q = Int8Array.from([s[0]!, s[1]!, s[3]!, s[2]!, s[5]!, s[5]!, s[6]!, s[7]!, s[8]!, s[9]!]);
    return sum(s) + sum(q);
  });
});

test("what a function keeps, at many registers: values live across calls, spilled under a limit", () => {
  const n = 40;
  const ids = Array.from({ length: n }, (_, k) => k);
  const f = `.func ${head} f(.param .b32 a) { .reg .b32 %r<9>, %w<${n}>; .reg .pred %p<3>;
  ld.param.u32 %r1, [a];
  ${ids.map((k) => `mad.lo.u32 %w${k}, %r1, ${k + 2}, ${k * k};`).join("\n")}
  mov.u32 %r3, 0;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra SUM;
  sub.u32 %r2, %r1, 1;
  ${callText("%r3", "f", ["%r2"])}
SUM: ${ids.map((k) => `xor.b32 %r3, %r3, %w${k}; add.u32 %r3, %r3, ${k};`).join("\n")}
  st.param.b32 [r], %r3; ret; }`;
  const plain = (a: number): number => {
    let v = a === 0 ? 0 : plain(a - 1);
    for (const k of ids) v = (((v ^ (a * (k + 2) + k * k)) >>> 0) + k) >>> 0;
    return v;
  };
  const body = `and.b32 %x1, %t, 3; ${callText("%v", "f", ["%x1"])}`;
  everywhere(kernel(body, f), (lane) => plain(lane & 3));
  everywhere(kernel(body, f).replace("(.param .u64 out)\n{", "(.param .u64 out) .maxnreg 32\n{"), (lane) =>
    plain(lane & 3),
  );
});

test("predicates, divergent calls on both sides of a branch, local variables of caller and callee", () => {
  const f = `.func ${head} f(.param .b32 a) { ${registers} .local .align 8 .b8 buf[32];
  ld.param.u32 %r1, [a];
  and.b32 %r5, %r1, 7; mul.wide.u32 %rd1, %r5, 4; mov.u64 %rd2, buf; add.u64 %rd2, %rd2, %rd1;
  ${Array.from({ length: 8 }, (_, k) => `add.u32 %r2, %r1, ${3 * k}; st.local.u32 [buf+${4 * k}], %r2;`).join(" ")}
  setp.lt.u32 %p1, %r1, 2;
  mov.u32 %r3, 0;
  @%p1 bra DONE;
  shr.u32 %r4, %r1, 1;
  ${callText("%r3", "f", ["%r4"])}
DONE: ld.local.u32 %r2, [%rd2];
  add.u32 %r3, %r3, %r2;
  st.param.b32 [r], %r3; ret; }`;
  const plain = (a: number): number => a + 3 * (a & 7) + (a < 2 ? 0 : plain(a >> 1));
  const body = `setp.lt.u32 %p1, %t, 11; and.b32 %x1, %t, 1; setp.eq.u32 %p2, %x1, 0;
  @%p1 bra LOW;
  ${callText("%v", "f", ["%t"])}
  bra JOIN;
LOW: add.u32 %x2, %t, 40;
  ${callText("%v", "f", ["%x2"])}
JOIN: @%p2 add.u32 %v, %v, 1000; @%p1 add.u32 %v, %v, 5;`;
  everywhere(
    kernel(body, f),
    (lane) => plain(lane < 11 ? lane + 40 : lane) + (lane % 2 === 0 ? 1000 : 0) + (lane < 11 ? 5 : 0),
  );
});

test("a tree of two calls at each of 20 levels stays small", () => {
  const level = (k: number): string => `.func ${head} f${k}(.param .b32 a) { ${registers}
  ld.param.u32 %r1, [a];
  ${k === 0 ? "add.u32 %r1, %r1, 1;" : `${callText("%r2", `f${k - 1}`, ["%r1"])} add.u32 %r1, %r1, 3; ${callText("%r3", `f${k - 1}`, ["%r1"])} add.u32 %r1, %r2, %r3;`}
  st.param.b32 [r], %r1; ret; }`;
  const text = kernel(callText("%v", "f20", ["%t"]), Array.from({ length: 21 }, (_, k) => level(k)).join("\n"));
  const c = compile(`.version 9.0\n.target sm_90\n.address_size 64\n${text}`, { target: "sm_90", opt: 2 });
  expect(c.ok).toBe(true);
  const code = c.functions.find((f) => f.kind === "entry")!.code!;
  expect(code.insts.length).toBeLessThan(6000);
  expect(code.routines.length).toBeGreaterThan(3);
});
