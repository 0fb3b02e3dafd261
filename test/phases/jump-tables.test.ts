/** Branches by tables, in the simulator at all levels: results against counting in TypeScript, machine words against the hazard checker. */
import { compile } from "../../lib/compile.js";
import { readCubin } from "../../lib/elf/index.js";
import { printFunc } from "../../lib/ori/index.js";
import { unwrap } from "../../lib/result.js";
import { simulate } from "../../lib/sim/index.js";
import type { TargetName } from "../../lib/target/index.js";
import { verifyCubin } from "../../lib/verify.js";

const targets = ["sm_75", "sm_89", "sm_90", "sm_100", "sm_120"] as const;
const levels = [0, 1, 2] as const;
const LANES = 32;

const head = (target: string): string => `.version 9.0\n.target ${target}\n.address_size 64\n`;

/** Lane t reads word t, `%a`, makes `%v` of 1, and stores it. */
const kernel = (name: string, body: string): string => `.visible .entry ${name}(.param .u64 in, .param .u64 out) {
.reg .b32 %a, %v, %t, %j, %k; .reg .b64 %i, %o, %z; .reg .pred %p, %q;
ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %z, %t, 4;
add.s64 %i, %i, %z; add.s64 %o, %o, %z; ld.global.u32 %a, [%i]; mov.u32 %v, 1; mov.u32 %j, 0;
${body}
st.global.u32 [%o], %v; ret; }
`;

const add = (label: string, n: number, to: string): string => `${label}: mad.lo.u32 %v, %v, 7, ${n}; bra ${to};`;

interface Case {
  readonly body: string;
  readonly inputs: readonly number[];
  readonly wanted: (a: number) => number;
}

const upTo = (n: number): number[] => Array.from({ length: LANES }, (_, t) => (t * 5) % n);
const step = (v: number, n: number): number => (Math.imul(v, 7) + n) >>> 0;

const cases: Readonly<Record<string, Case>> = {
  plain: {
    body: `tab: .branchtargets A, B, C; brx.idx %a, tab; ${add("A", 3, "J")} ${add("B", 4, "J")} ${add("C", 5, "J")} J:`,
    inputs: upTo(3),
    wanted: (a) => step(1, 3 + a),
  },
  "the same block several times, and the block after": {
    body: `tab: .branchtargets A, B, A, J, B; brx.idx %a, tab; ${add("A", 3, "J")} ${add("B", 4, "J")} J:`,
    inputs: upTo(5),
    wanted: (a) => (a === 3 ? 1 : step(1, a % 2 === 0 && a < 4 ? 3 : 4)),
  },
  "one target": {
    body: `tab: .branchtargets A; brx.idx %a, tab; B: mov.u32 %v, 99; A: add.u32 %v, %v, %t;`,
    inputs: upTo(1),
    wanted: () => -1,
  },
  "under a guard": {
    body: `setp.lt.u32 %p, %a, 3; tab: .branchtargets A, B, C; @%p brx.idx %a, tab; ${add("D", 9, "J")} ${add("A", 3, "J")} ${add("B", 4, "J")} ${add("C", 5, "J")} J:`,
    inputs: upTo(6),
    wanted: (a) => step(1, a < 3 ? 3 + a : 9),
  },
  "two tables": {
    body: `and.b32 %k, %a, 3; shr.u32 %j, %a, 2; tab: .branchtargets A, B, C, D; uab: .branchtargets H, G, F, E;
brx.idx %k, tab; ${add("A", 3, "J")} ${add("B", 4, "J")} ${add("C", 5, "J")} ${add("D", 6, "J")}
J: brx.idx %j, uab; ${add("E", 13, "K")} ${add("F", 14, "K")} ${add("G", 15, "K")} ${add("H", 16, "K")} K:`,
    inputs: upTo(16),
    wanted: (a) => step(step(1, 3 + (a & 3)), 16 - (a >> 2)),
  },
  "in a loop of four turns, with a way out": {
    body: `tab: .branchtargets A, B, C, K; L: add.u32 %k, %a, %j; and.b32 %k, %k, 3; brx.idx %k, tab;
${add("A", 3, "J")} ${add("B", 4, "J")} ${add("C", 5, "J")} J: add.u32 %j, %j, 1; setp.lt.u32 %p, %j, 4; @%p bra L; K:`,
    inputs: upTo(4),
    wanted: (a) => {
      let v = 1;
      for (let j = 0; j < 4 && ((a + j) & 3) < 3; j++) v = step(v, 3 + ((a + j) & 3));
      return v;
    },
  },
  "an interpreter of unknown length": {
    body: `mov.u32 %k, %a; tab: .branchtargets A, B, K; L: brx.idx %j, tab;
A: mad.lo.u32 %v, %v, 7, 3; setp.eq.u32 %p, %k, 0; selp.u32 %j, 2, 1, %p; bra L;
B: mad.lo.u32 %v, %v, 7, 4; sub.u32 %k, %k, 1; mov.u32 %j, 0; bra L; K:`,
    inputs: upTo(7),
    wanted: (a) => {
      let v = step(1, 3);
      for (let k = a; k > 0; k--) v = step(step(v, 4), 3);
      return v;
    },
  },
};

function results(cubin: Uint8Array, name: string, inputs: readonly number[]): number[] {
  const out = new Uint32Array(LANES);
  const run = unwrap(
    simulate(cubin, { kernel: name, block: LANES, maxInstructions: 100_000, params: [Uint32Array.from(inputs), out] }),
  );
  expect(run.fault).toBeNull();
  return [...out];
}

const wantedOf = (c: Case, label: string): number[] =>
  c.inputs.map((a, t) => (label === "one target" ? 1 + t : c.wanted(a)));

describe.each(targets)("jump tables, %s", (target: TargetName) => {
  test.each(Object.keys(cases))("%s", (label) => {
    const c = cases[label] as Case;
    for (const opt of levels) {
      const made = compile(head(target) + kernel("k", c.body), { target, opt, verify: true });
      if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
      expect(results(made.cubin, "k", c.inputs)).toEqual(wantedOf(c, label));
      expect(verifyCubin(unwrap(readCubin(made.cubin)))).toEqual([]);
    }
  });
});

test("functions after a kernel bring their tables, and the addresses of functions stay ahead of them", () => {
  const table = (p: string): string =>
    `tab${p}: .branchtargets A${p}, B${p}; brx.idx %k, tab${p}; ${add(`A${p}`, 3, `J${p}`)} ${add(`B${p}`, 4, `J${p}`)} J${p}:`;
  const func = (name: string, plus: number): string => `.func (.param .b32 r) ${name}(.param .b32 x) {
.reg .b32 %v, %k; ld.param.u32 %v, [x]; and.b32 %k, %v, 1; ${table(name)} add.u32 %v, %v, ${plus}; st.param.u32 [r], %v; ret; }
`;
  const call = `{ .reg .b64 %f; .reg .pred %c; .param .b32 x; .param .b32 r; mov.u64 %f, f; setp.gt.u32 %c, %a, 2; @%c mov.u64 %f, g;
st.param.b32 [x], %v; proto: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), %f, (x), proto; ld.param.b32 %v, [r]; }`;
  const target = "sm_90";
  const body = `and.b32 %k, %a, 1; ${table("k")} ${call}`;
  const text = head(target) + func("f", 10) + func("g", 20) + kernel("k", body) + kernel("other", call);
  const after = (v: number, plus: number): number => step(v, 3 + (v & 1)) + plus;
  for (const opt of levels) {
    const made = compile(text, { target, opt, verify: true });
    if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
    const inputs = upTo(5);
    expect(results(made.cubin, "k", inputs)).toEqual(inputs.map((a) => after(step(1, 3 + (a & 1)), a > 2 ? 20 : 10)));
  }
});

test("before it is laid out a table stands in the text of the IR, afterwards with its place", () => {
  const texts: string[] = [];
  const c = cases["two tables"] as Case;
  compile(head("sm_90") + kernel("k", c.body), {
    target: "sm_90",
    observe: (e) => {
      if (e.phase === "ExpandJmxComputation") texts.push(printFunc(e.func, { details: true }));
    },
  });
  const [before, after] = texts as [string, string];
  expect(before.match(/BRX\.IDX %R\d+\s+;.* table \(b\d+,b\d+,b\d+,b\d+\)/g)).toHaveLength(2);
  expect(after.match(/table at (\d+) /g)).toEqual(["table at 0 ", "table at 16 "]);
});

test("tables that do not fit a bank are refused with their line", () => {
  const many = Array.from({ length: 17000 }, () => "A").join(", ");
  const made = compile(head("sm_90") + kernel("k", `tab: .branchtargets ${many}; brx.idx %a, tab; A:`), {
    target: "sm_90",
  });
  expect(made.diagnostics.map((d) => [d.message, d.span?.line])).toEqual([
    ["not supported yet: jump tables of more than 64 KiB", 8],
  ]);
});
