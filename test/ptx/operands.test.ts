import { analyze } from "../../lib/ptx/index.js";

/** First messages about single instructions; every answer was given by ptxas 13.0.88 for sm_90a, null where it has none. */
const DECLARATIONS =
  ".global .align 16 .b8 out[256];\n.visible .entry k() {\n.reg .pred %p<8>; .reg .b8 %b<8>; .reg .b16 %h<16>; .reg .b32 %r<16>; " +
  ".reg .b64 %l<16>; .reg .f32 %f<8>; .reg .f64 %d<8>; .reg .v2 .u32 %t<4>; .shared .f32 sf; .const .f64 cd;\n";

function first(statement: string): string | null {
  const text = `.version 9.0\n.target sm_90a\n.address_size 64\n${DECLARATIONS}${statement}\nret; }\n`;
  return analyze(text, { target: "sm_90a" }).diagnostics[0]?.message ?? null;
}

const ANSWERS: readonly (readonly [string, string | null])[] = [
  ["add.u16 %h1,%h1,[%h1];", "Argument 2 of instruction 'add': must be register"],
  ["add.u16 %h1,%h1,out;", "Argument 2 of instruction 'add': must be register"],
  ["add.rn.f32 %f1,%f1,[%r1];", "Argument 2 of instruction 'add': must be register"],
  ["fma.rn.f32x2 %l1,%l1,out,%l1;", "Feature 'fma.f32x2' requires .target sm_100 or higher"],
  ["shr.s64 %l1,%l1,[%r1];", "Arguments mismatch for instruction 'shr'"],
  ["add.s32 %r1,%r1,-%l1;", "Illegal argument to unary minus"],
  ["add.s32 %r1,%r1,-%r1;", "Operand negation not allowed for instruction 'add'"],
  ["add.s32 -%r1,%r1,%r1;", "Operand negation limited to either (source A xor source B) or source C"],
  ["selp.u32 %r1,%r1,%r1,!%r1;", "Illegal argument to predicate negation"],
  ["add.s32 %r1,%r1,!%p1;", "Arguments mismatch for instruction 'add'"],
  ["max.bf16x2 -1,%r1,%r1;", "Arguments mismatch for instruction 'max'"],
  ["and.b64 1.5,%l1,%l1;", "Result register required for instruction 'and'"],
  ["setp.eq.u32 3,%r1,%r1;", "Result register required for instruction 'setp'"],
  ["min.f16x2 %r1,%r1,1.5;", "Arguments mismatch for instruction 'min'"],
  ["st.s32 [%l1],%clock64;", "Special register argument not allowed for instruction 'st'"],
  ["add.u64 %l1,%l1,%tid.x;", "Arguments mismatch for instruction 'add'"],
  ["mov.u16 %h1,%tid.x;", null],
  ["suld.b.2d.b32.clamp {%r1},[%l1,{%r2,%r3}];", null],
  ["sust.p.1d.b32.trap [%l1,{%r2}],{%r1};", null],
  ["sured.b.add.1d.u32.clamp [%l1,{%r2}],{%r1};", "Vector operand is not allowed for instruction 'sured.b'"],
  ["mov.u32 %r1,sf;", null],
  ["mov.b64 %l1,cd;", null],
  ["mov.f32 %f1,sf;", "Arguments mismatch for instruction 'mov'"],
  ["mov.f64 %d1,out;", "Arguments mismatch for instruction 'mov'"],
  ["mov.u32 %r1,out;", "Program uses 32-bit address on line '7' which is conflicting with .address_size 64"],
  ["atom.add.u32 %r1,[%r2],3;", "Program uses 32-bit address on line '7' which is conflicting with .address_size 64"],
  ["prefetch.L1 [%r2];", "Program uses 32-bit address on line '7' which is conflicting with .address_size 64"],
  [
    "mbarrier.init.b64 [%r2],%r1;",
    "Program uses 32-bit address on line '7' which is conflicting with .address_size 64",
  ],
  ["atom.shared.add.u32 %r1,[%r2],3;", null],
  ["cvt.rn.bf16x2.ue8m0x2 _,%h1;", "Instruction 'cvt with .ue8m0x2' not supported on .target 'sm_90a'"],
  ["add.u32 %r1,%r2,-0f3F800000;", "Parsing error near '0f3F800000': syntax error"],
  ["mov.f64 %d1,-0d3FF0000000000000;", null],
  ["cvta.const.u64 %l1,cd;", null],
  ["cvta.shared.u64 %l1,cd;", "State space mismatch between instruction and address in instruction 'cvta'"],
  ["cvta.global.u64 %l1,sf;", "State space mismatch between instruction and address in instruction 'cvta'"],
  ["cvta.to.global.u64 %l1,out;", "Argument 1 of instruction 'cvta.to': must be register"],
  ["cvta.to.global.u64 %l1,cd;", "Arguments mismatch for instruction 'cvta.to'"],
  ["mapa.shared::cluster.u32 %r1,sf,1;", null],
  ["mapa.shared::cluster.u32 %r1,out,1;", "State space mismatch between instruction and address in instruction 'mapa'"],
  ["isspacep.global %p1,out;", "Argument 1 of instruction 'isspacep': must be register"],
  ["mov.f32 %f1,%laneid;", "Special register argument not allowed for instruction 'mov'"],
  ["cvt.s16.u64 %laneid,%l1;", "Read-only special register cannot be destination argument"],
  ["cvt.rni.s32.f32 %tid.x,%f1;", "Special register argument not allowed for instruction 'cvt'"],
  ["ld.v4.s16 %l1,[%l1];", "Result vector expected"],
  ["st.v4.b32 [%l1],%r1;", "Argument vector size mismatch for instruction 'st'"],
  ["st.v2.u16 [%l1],%clock64;", "Special register argument not allowed for instruction 'st'"],
  ["ld.v2.b64 {%r1,%r2},[%l1];", "Arguments mismatch for instruction 'ld'"],
  ["ld.v4.b32 {%l1,%l2},[%l1];", "Argument vector size mismatch for instruction 'ld'"],
  ["ld.shared.b64 {%l1,%l2},[%r1];", "Argument vector size mismatch for instruction 'ld'"],
  ["xor.b16 %h1,%h1,{%h1,%h2};", "Arguments mismatch for instruction 'xor'"],
  ["add.u16 %h1,%h1,{%h1,%h2};", "Vector operand is not allowed for instruction 'add'"],
  ["red.global.add.v2.f32 [%l1],%f1;", "Vector expected for argument 1"],
  ["ld.global.u32 %r1,[%l1],%l1;", ".L2::cache_hint modifier required for instruction 'ld' with 3 arguments"],
  ["ld.global.u32 %r1,[%l1],%r1;", "Arguments mismatch for instruction 'ld'"],
  [
    "atom.global.add.u32 %r1,[%l1],%r1,%l1;",
    ".L2::cache_hint modifier required for instruction 'atom' with 4 arguments",
  ],
  ["atom.global.cas.b32 %r1,[%l1],%r1;", "Arguments mismatch for instruction 'atom'"],
  ["atom.global.add.add.u32 %r1,[%l1],%r1;", "Multiple instruction post-operation flags set"],
  ["setp.eq.and.u32 %p1,%r1,%r1;", "Arguments mismatch for instruction 'setp'"],
  ["ld.global.global.u32 %r1,[%l1];", "Unexpected number of state spaces specified in instruction 'ld'"],
  ["add.rn.rz.f32 %f1,%f1,%f1;", "Multiple rounding modifiers specified"],
  ["add.ftz.ftz.f32 %f1,%f1,%f1;", "Duplicate .ftz modifier"],
  ["atom.global.gpu.cta.add.u32 %r1,[%l1],%r1;", "Multiple scope modifiers specified"],
  ["min.u64.pred %l1,%l1,%l1;", null],
  ["cvt.rn.bf16.u32 %h1,%l1;", "Arguments mismatch for instruction 'cvt'"],
  ["cvt.rn.bf16.u8 %h1,%h1;", "Arguments mismatch for instruction 'cvt'"],
  ["cvt.f32.bf16 _,%h1;", null],
  ["xp.async.wait_group 2;", "Unknown modifier '.wait_group'"],
  ["istypep.texref %p1,%l1;", null],
  ["isspacep.global %p1,%f1;", "Arguments mismatch for instruction 'isspacep'"],
  ["isspacep.global %p1,%r1;", null],
  ["discard.global.L2 [%l1],%r1;", "Arguments mismatch for instruction 'discard'"],
  ["mapa.u64 %l1,[%l1],%r1;", "Argument 1 of instruction 'mapa': must be register"],
  [
    "multimem.red.relaxed.gpu.global.add.v2.f32 [%l1],%f1;",
    "Vector of size 2 is expected for argument 1 of instruction 'multimem.red'",
  ],
  ["prefetch.global.L1 3;", "Arguments mismatch for instruction 'prefetch'"],
  ["tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4},[%l1,{%l1,%l2}];", "Arguments mismatch for instruction 'tex'"],
  ["tex.2d.v4.f32.f32 %f1,[%l1,{%f1,%f2}];", "Result vector expected"],
  ["txq.width.b32 %r1,%l1;", "Address expected for argument 1 of instruction 'txq'"],
  ["suld.b.2d.b32.trap %r1,[%l1,{%f1,%f2}];", "Arguments mismatch for instruction 'suld.b'"],
  ["sured.b.add.2d.u32.trap [%l1,{%r1,%r2}],[%r1];", "Argument 2 of instruction 'sured.b': must be register"],
  ["vadd4.s32.s32.s32 %r1,%r2,3,%r4;", "Incorrect video selector for operand 2"],
  ["vadd.s32.s32.s32.add %r1,%r2,%r3;", "Arguments mismatch for instruction 'vadd'"],
  ["vmad.s32.s32.s32 %r1,%r2,%r3,-%r4;", null],
  ["bar.red.popc.u32 %r1,1,%r1;", "Arguments mismatch for instruction 'bar.red'"],
  ["mov.b64 %l1,%t1;", null],
  ["mov.b64 %t1,%t2;", "Illegal vector-vector operands for vector-scalar or scalar-vector mov instruction"],
];

test.each(ANSWERS)("%s", (statement, message) => expect(first(statement)).toBe(message));

test("what the modifiers' types ask of the target comes before what the operands lack, the version of the target last", () => {
  const messages = (statement: string, version: string, target: string): readonly string[] =>
    analyze(`.version ${version}\n.target ${target}\n.address_size 64\n${DECLARATIONS}${statement}\nret; }\n`, {
      target,
    }).diagnostics.map((d) => d.message);
  expect(messages("add.bf16 %h1,%h1,%q;", "9.0", "sm_75")).toEqual([
    "Feature '.bf16' requires .target sm_80 or higher",
    "Arguments mismatch for instruction 'add'",
    "Unknown symbol '%q'",
  ]);
  expect(messages("bmsk.wrap.b32 %r1, %r1, %r1;", "6.0", "sm_90a")).toEqual([
    "Feature 'bmsk' requires PTX ISA .version 7.6 or later",
    "PTX .version 6.0 does not support .target sm_90a",
  ]);
});
