import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { analyze, check, parse } from "../../lib/ptx/index.js";

const HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n";
const REGISTERS =
  ".reg .pred p<4>; .reg .b16 h<4>; .reg .b32 r<9>; .reg .s32 s<4>; .reg .u32 u<4>; .reg .b64 d<9>; .reg .f32 f<9>; .reg .f64 g<4>; .reg .b128 q<4>;";

/** Messages about one statement in a kernel. */
function messages(statement: string, target = "sm_90"): readonly string[] {
  const text = `${HEAD.replace("sm_90", target)}.shared .b8 sm[64];\n.global .b8 gm[64];\n.entry k(.param .u64 a) {\n${REGISTERS}\n${statement}\n ret; }\n`;
  return analyze(text, { target }).diagnostics.map(
    (d) => `${d.span === null ? "" : d.span.line - 8} ${d.severity}: ${d.message}`,
  );
}

/** Every answer here was given by ptxas 13.0.88 to the same statement. */
describe("instructions that ptxas takes", () => {
  test.each(
    [
      "ld.global.b32 {r1}, [d1];",
      "@p0 ld.global.u8 {h1}, [d1];",
      "ld.global.b128 {q1}, [d1];",
      "ldu.global.f32 {f1}, [d1];",
      "st.global.b32 [d1], {r1};",
      "st.global.f32 [d1], {1.0};",
      "st.global.b32 [d1], {%tid.x};",
      "st.global.v2.b32 [d1], {%tid.x, r1};",
      "mov.b32 {r1}, r2;",
      "mov.b64 d1, {d2};",
      "atom.global.add.u32 _, [d1], r1;",
      "atom.exch.b32 _, [d1], r1;",
      "atom.shared.cas.b32 _, [sm], r1, r2;",
      "multimem.ld_reduce.relaxed.sys.global.add.v2.bf16x2 _, [d1];",
      "lop3.b32 _, r1, r2, r3, 5;",
      "match.all.sync.b32 _|p1, r1, r2;",
      "add.ftz.rn.f32 f0, f1, f2;",
      "add.f32.ftz.sat.rn r0, f1, r2;",
      "add.u32 s0, u1, 5;",
      "add.u32 r0, r1, r2+1;",
      "mul.wide.u32 d0, u1, s2;",
      "mov.b32 r0, 0f3F800000;",
      "mov.b64 d0, 1.5;",
      "mov.b64 {r0, _}, d0;",
      "mov.b128 q0, {d0, d1};",
      "mov.u16 h0, %tid.x;",
      "mov.u64 d0, gm+8;",
      "ld.global.u8 d0, [d1];",
      "ld.global.b32 g0, [d1];",
      "ld.global.f32 d0, [d1];",
      "ld.volatile.global.u32 r0, [gm];",
      "ld.shared.u32 r0, [d1];",
      "cvt.u8.u32 r0, r1;",
      "cvt.rn.f16.f32 r0, f1;",
      "setp.eq.and.u32 p0|p1, r0, r1, !p2;",
      "selp.u32 r0, r1, r2, !p0;",
      "shfl.sync.down.b32 r0|p0, r1, 1, 31, -1;",
      "atom.global.cas.b32 r0, [d0], r1, r2;",
      "vmad.s32.s32.s32 s0, s1, s2, -s3;",
      "{ .reg .u32 r0; mov.u32 r0, 1; }",
      "bra end; { bra end; } end:",
    ].map((s) => [s]),
  )("%s", (s) => expect(messages(s)).toEqual([]));
});

describe("and what it says about the others", () => {
  test.each<[string, readonly string[]]>([
    ["add.u32 {r1}, r2, r3;", ["0 error: Vector operand is not allowed for instruction 'add'"]],
    ["add.u32 r1, {d1}, r2;", ["0 error: Arguments mismatch for instruction 'add'"]],
    [
      "atom.global.add.u32 r1, [d1], {r2};",
      [
        "0 error: Vector is not expected for argument 2 of instruction 'atom'",
        "0 error: Vector operand is not allowed for instruction 'atom'",
      ],
    ],
    [
      "atom.global.add.noftz.bf16x2 {r1}, [d1], r2;",
      [
        "0 error: Vector is not expected for argument 0 of instruction 'atom'",
        "0 error: Vector operand is not allowed for instruction 'atom'",
      ],
    ],
    [
      "red.global.add.noftz.bf16 [d1], {h2};",
      [
        "0 error: Vector is not expected for argument 1 of instruction 'red'",
        "0 error: Vector operand is not allowed for instruction 'red'",
      ],
    ],
    [
      "multimem.ld_reduce.relaxed.sys.global.add.f32 _, [d1];",
      ["0 fatal: Result discard mode is not allowed for instruction 'multimem.ld_reduce'"],
    ],
    ["ld.global.b32 {r1, r2}, [d1];", ["0 error: Argument vector size mismatch for instruction 'ld'"]],
    ["ld.global.b32 {5}, [d1];", ["0 error: Result register required for instruction 'ld'"]],
    [
      "ld.global.b32 {_}, [d1];",
      [
        "0 error: Unable to infer type of vector elements (assuming .b8)",
        "0 error: Arguments mismatch for instruction 'ld'",
      ],
    ],
    [
      "st.global.v2.b32 [d1], {nothing, r1};",
      ["0 error: Illegal expression 'nothing'", "0 error: Unknown symbol 'nothing'"],
    ],
    ["mov.u32 {r1}, r2;", ["0 error: Argument vector size mismatch for instruction 'mov'"]],
    [
      "mov.b32 {r1}, {r2};",
      ["0 error: Illegal vector-vector operands for vector-scalar or scalar-vector mov instruction"],
    ],
    ["vote.sync.any.pred _, p1, r1;", ["0 fatal: Result discard mode is not allowed for instruction 'vote'"]],
    ["match.any.sync.b32 _, r1, r2;", ["0 fatal: Result discard mode is not allowed for instruction 'match'"]],
    ["setp.eq.u32 _|_, r1, r2;", ["0 fatal: Parsing error near '_': syntax error"]],
    ["add.foo.f32 f0, f1;", ["0 error: Unknown modifier '.foo'", "0 error: Arguments mismatch for instruction 'add'"]],
    [
      "mov.u32 r0, nothing;",
      ["0 error: Arguments mismatch for instruction 'mov'", "0 error: Unknown symbol 'nothing'"],
    ],
    [
      "add.u32 r0, r1,\n nothing;\nfoo;",
      [
        "0 error: Arguments mismatch for instruction 'add'",
        "2 error: Not a name of any known instruction: 'foo'",
        "1 error: Unknown symbol 'nothing'",
      ],
    ],
    ["ld.global.f32 g0, [d1];", ["0 error: Arguments mismatch for instruction 'ld'"]],
    [
      "ld.global.u32 r0, [f0];",
      ["0 error: Illegal to use symbol 'f0' of type .f32 as address operand. Use integer or bit only."],
    ],
    ["ld.global.u32 r0, [sm];", ["0 error: State space mismatch between instruction and address in instruction 'ld'"]],
    ["add.rn.rz.f32 f0,f1,f2;", ["0 error: Multiple rounding modifiers specified"]],
    ["add.global.u32 r0, r1, r2;", ["0 error: No state space qualifier expected for instruction 'add'"]],
    ["add.sat.u32 r0, r1, r2;", ["0 error: Modifier '.sat' does not apply to '.u32' type"]],
    ["cvt.u32.f32 r0, f1;", ["0 error: Rounding modifier required for instruction 'cvt'"]],
    ["cvt.rn.u32.f32 r0, f1;", ["0 error: Illegal rounding modifier for instruction 'cvt'"]],
    ["div.f32 f0, f1, f2;", ["0 error: Rounding modifier or '.approx' modifier required for instruction 'div'"]],
    ["add.u32 r0, %tid.x, r1;", ["0 error: Special register argument not allowed for instruction 'add'"]],
    ["add.u32 r0, r1, gm;", ["0 error: Argument 2 of instruction 'add': must be register"]],
    ["setp.eq.u32 p0, r0, r1, p1;", ["0 error: Boolean operation is required for instruction 'setp'"]],
    [
      "bfe.u32 r0, r1, 256, 1;",
      ["0 error: Argument 2 of instruction 'bfe': value '256' out of range, expected to be in range [0..255]"],
    ],
    ["add.u32 _, r1, r2;", ["0 fatal: Result discard mode is not allowed for instruction 'add'"]],
  ])("%s", (s, expected) => expect(messages(s)).toEqual(expected));

  test("gates go by target", () => {
    expect(messages("fma.rn.bf16 h0, h1, h2, h3;", "sm_75")).toContain(
      "0 error: Feature '.bf16' requires .target sm_80 or higher",
    );
    expect(messages("fma.rn.bf16 h0, h1, h2, h3;", "sm_80")).toEqual([]);
    expect(messages("wgmma.fence.sync.aligned;", "sm_90")).toEqual([
      "0 error: Instruction 'wgmma.fence' not supported on .target 'sm_90'",
    ]);
    expect(messages("wgmma.fence.sync.aligned;", "sm_90a")).toEqual([]);
    expect(messages("mov.u32 r0, %cluster_ctarank;", "sm_80")).toEqual([
      "0 error: Feature '%cluster_ctarank' requires .target sm_90 or higher",
    ]);
  });
});

test("a semantic error before a syntax error comes first; a nameless one after it is not reported", () => {
  const text = `${HEAD}.entry k() {\n .reg .b32 r<3>;\n add.u32 r1, r2;\n mov.u32 r1, nothing;\n add.u32 r1 r2;\n}\n`;
  expect(analyze(text, { target: "sm_90" }).diagnostics.map((d) => d.message)).toEqual([
    "Arguments mismatch for instruction 'add'",
    "Arguments mismatch for instruction 'mov'",
    "Parsing error near 'r2': syntax error",
  ]);
});

/** As ptxas 13.0.88 says it. */
test("a syntax error among the operands comes after what the modifiers say, and after the statements before it on its line", () => {
  expect(messages("cvt.rmi.u8.bf16 ~h1, h2;", "sm_75")).toEqual([
    "0 error: Feature '.bf16' requires .target sm_80 or higher",
    "0 fatal: Parsing error near 'h1': syntax error",
  ]);
  expect(messages("add.f32.bf16 f1, h1, _;", "sm_75")[0]).toBe(
    "0 error: Feature '.bf16' requires .target sm_80 or higher",
  );
  expect(messages("add.foo.u32 r1, ~r2, r2;")).toEqual([
    "0 error: Unknown modifier '.foo'",
    "0 fatal: Parsing error near 'r2': syntax error",
  ]);
  expect(messages("add.rn.rn.u32 r1, ~r2;")[0]).toBe("0 error: Multiple rounding modifiers specified");
  expect(messages("add.u32.u32 r1, r2, r3; add.u32 r1, ~r2;")).toEqual([
    "0 error: Unexpected instruction types specified for 'add'",
    "0 fatal: Parsing error near 'r2': syntax error",
  ]);
  expect(messages("add.u32.cta r1, ~r2;")).toEqual(["0 fatal: Parsing error near 'r2': syntax error"]);
});

test("vectors stand for values of bf16 and bf16x2 only", () => {
  expect(messages("min.bf16 h1, {h2, h3}, h2; neg.bf16x2 {r1}, r2; set.lt.u32.bf16 r1, {h1}, h2;")).toEqual([]);
  expect(messages("min.f16 h1, {h2, h3}, h2;")[0]).toMatch(/Vector operand is not allowed for instruction 'min'/);
  expect(messages("set.lt.u32.bf16 {r1}, h1, h2;")[0]).toMatch(/Vector operand is not allowed for instruction 'set'/);
});

/** As ptxas 13.0.88 says it. */
test("a vector modifier without a type after it is warned of, but .v8", () => {
  const warning = "warning: Vector Type not specified properly";
  expect(messages("ld.v2.global.u32 {r1, r2}, [d1];")).toEqual([`0 ${warning}`]);
  expect(messages("ld.global.u32.v2 {r1, r2}, [d1]; ld.v2.u32 {r1, r2}, [d1];")).toEqual([`0 ${warning}`]);
  expect(messages("ld.v2.v2.global.u32 {r1, r2}, [d1];").slice(0, 2)).toEqual([
    "0 error: Multiple vector modifiers specified",
    `0 ${warning}`,
  ]);
  expect(messages("ld.v8.global.u32 {r0, r1, r2, r3, r4, r5, r6, r7}, [d1];", "sm_100")).toEqual([]);
});

test("labels beside parameters, and registers where labels belong", () => {
  expect(messages("a: ret;")).toEqual(["0 error: Duplicate definition of label 'a'"]);
  expect(messages("{ a: ret; }")).toEqual([]);
  expect(messages("t: .branchtargets r3, b; brx.idx r1, t; b: ret;")[0]).toBe(
    "0 error: Illegal branch target, label expected",
  );
});

test("what an SM lacks of wmma", () => {
  expect(messages("wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {g1}, [d1], r1;", "sm_75")[0]).toBe(
    "0 error: Feature 'WMMA with fp64 types' requires .target sm_80 or higher",
  );
});

test("what -arch must allow", () => {
  const m = parse(`${HEAD.replace("sm_90", "sm_90a")}.entry k() { ret; }\n`);
  const say = (target: string): readonly string[] =>
    m.ok ? check(m.value, { target }).map((d) => d.message) : ["syntax"];
  expect(say("sm_90a")).toEqual([]);
  expect(say("sm_100")).toEqual(["Program with .target 'sm_90a' cannot be compiled to future architecture"]);
  expect(say("sm_80")).toEqual(["SM version specified by .target is higher than default SM version assumed"]);
});

test.each(["sm_75", "sm_90", "sm_100"])("nothing to say about the corpus for %s", (target) => {
  const folder = join(__dirname, "../corpus/ptx", target);
  for (const f of readdirSync(folder).filter((n) => n.endsWith(".ptx")))
    expect(analyze(readFileSync(join(folder, f), "utf8"), { target, file: f }).diagnostics).toEqual([]);
});
