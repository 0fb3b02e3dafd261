/**
 * Operations on registers for random modules, as texts. A line is `result sources [least SM]: text`, files by their letters: r and h are 32 and 16
 * bits, d 64, q a pair of f16, f and g floats of 32 and 64 bits, p predicates. In the text D is the result, A, B, C the sources, {x|y} one of
 * several, #n a number below n, %t and %a temporaries of 32 and 64 bits. What a line means is nowhere said: interpreter, our code and
 * ptxas's are held against each other. Nothing that PTX leaves undefined, no NaN but the machine's own.
 */

export type File = "r" | "d" | "h" | "q" | "f" | "g" | "p";
export const counts: Readonly<Record<File, number>> = { r: 8, d: 4, h: 3, q: 2, f: 4, g: 3, p: 4 };
export const types: Readonly<Record<File, string>> = {
  r: "b32",
  d: "b64",
  h: "b16",
  q: "b32",
  f: "f32",
  g: "f64",
  p: "pred",
};

export interface Operation {
  readonly result: File;
  readonly sources: readonly File[];
  /** Number of the least SM. */
  readonly from: number;
  readonly text: string;
}

const lines = `
r rr: {add|sub}.{u32|s32|sat.s32} D, A, B;
r rr: mul.{lo|hi}.{u32|s32} D, A, B;
r rr: mul24.{lo|hi}.{u32|s32} D, A, B;
r rrr: mad.{lo.u32|lo.s32|hi.u32|hi.s32|hi.sat.s32} D, A, B, C;
r rrr: mad24.{lo.u32|hi.s32|hi.sat.s32} D, A, B, C;
r rrr: sad.{u32|s32} D, A, B, C;
r rr: {min|max}.{u32|s32} D, A, B;
r rr: {and|or|xor}.b32 D, A, B;
r rr: shl.b32 D, A, B;
r rr: shr.{u32|s32|b32} D, A, B;
r r: shl.b32 D, A, #32;
r r: shr.{u32|s32} D, A, #32;
r rr: or.b32 %t, B, 1; {div|rem}.{u32|s32} D, A, %t;
r r: {div|rem}.{u32|s32} D, A, {3|7|10|16|100|641|1000000007|-5};
r rrr: lop3.b32 D, A, B, C, #256;
r rrr: shf.{l|r}.{wrap|clamp}.b32 D, A, B, C;
r rrr: add.cc.u32 %t, A, B; addc.u32 D, C, %t;
r rrr: sub.cc.u32 %t, A, B; subc.u32 D, C, %t;
r rrr: mad.lo.cc.u32 %t, A, B, C; madc.hi.u32 D, A, B, %t;
r r: {popc|clz|brev|not|cnot}.b32 D, A;
r r: {neg|abs}.s32 D, A;
r r: bfind.{u32|s32|shiftamt.u32|shiftamt.s32} D, A;
r r: bfe.{u32|s32} D, A, #32, #33;
r rrr: bfe.{u32|s32} D, A, B, C;
r rr: bfi.b32 D, A, B, #17, #16;
r rrr: bfi.b32 D, A, B, C, #32;
r rr: prmt.b32 D, A, B, #65536;
r rrr: prmt.b32 D, A, B, C;
r rrr: prmt.b32.{f4e|b4e|rc8|ecl|ecr|rc16} D, A, B, C;
r rr: bmsk.{clamp|wrap}.b32 D, A, B;
r rr: szext.{clamp|wrap}.{u32|s32} D, A, B;
r rrr: dp4a.{u32|s32}.{u32|s32} D, A, B, C;
r rrr: dp2a.{lo|hi}.{u32|s32}.{u32|s32} D, A, B, C;
r rrp: selp.b32 D, A, B, C;
r rrr: slct.b32.s32 D, A, B, C;
r rrf: slct.u32.f32 D, A, B, C;
r rr: set.{lt|ge|eq|ne}.u32.{u32|s32} D, A, B;
r ff: set.{lt|geu|eq|num|nan}.u32.f32 D, A, B;
r rrr: {vadd|vsub|vabsdiff|vmin|vmax}.{u32|s32}.{u32|s32}.s32.add D, A, B, C;
r rrr: {vavrg4|vabsdiff4|vmin4|vmax4}.u32.u32.u32 D, A, B, C;
r d: cvt.{u32|s32}.{u64|s64} D, A;
r d: cvt.sat.{u32|s32|u8|s8|u16|s16}.{u64|s64} D, A;
r r: cvt.{u8|s8|u16|s16}.{u32|s32} D, A;
r r: cvt.sat.{u8|s8|u16|s16}.{u32|s32} D, A;
r r: cvt.{u32|s32}.{u8|s8|u16|s16} D, A;
r h: cvt.{u32|s32}.{u16|s16|u8|s8} D, A;
r f: cvt.{rni|rzi|rmi|rpi}.{u32|s32|s16|u8}.f32 D, A;
r g: cvt.{rni|rzi|rmi|rpi}.{u32|s32}.f64 D, A;
r f: mov.b32 D, A;
r q: mov.b32 D, A;
r hh: mov.b32 D, {A, B};
r d: mov.b64 {D, _}, A;
r d: mov.b64 {_, D}, A;
r hh: mul.wide.{u16|s16} D, A, B;
r hhr: mad.wide.{u16|s16} D, A, B, C;
r d: {popc|clz}.b64 D, A;
r d: bfind.{u64|s64|shiftamt.u64} D, A;
r rr 90: {add|min|max}.{u16x2|s16x2} D, A, B;
r r: mov.u32 D, {%tid.x|%ntid.x|%laneid|%ctaid.x};
d dd: {add|sub}.{u64|s64} D, A, B;
d dd: mul.{lo|hi}.{u64|s64} D, A, B;
d ddd: mad.{lo|hi}.{u64|s64} D, A, B, C;
d dd: {and|or|xor}.b64 D, A, B;
d dd: {min|max}.{u64|s64} D, A, B;
d dr: shl.b64 D, A, B;
d dr: shr.{u64|s64|b64} D, A, B;
d d: shl.b64 D, A, #64;
d d: shr.{u64|s64} D, A, #64;
d dd: or.b64 %a, B, 1; {div|rem}.{u64|s64} D, A, %a;
d d: {div|rem}.{u64|s64} D, A, {3|7|10|16|1000|4294967296|-9};
d rr: mul.wide.{u32|s32} D, A, B;
d rrd: mad.wide.{u32|s32} D, A, B, C;
d rr: mov.b64 D, {A, B};
d ddp: selp.b64 D, A, B, C;
d ddr: slct.b64.s32 D, A, B, C;
d d: {not|brev|cnot}.b64 D, A;
d d: {neg|abs}.s64 D, A;
d d: bfe.{u64|s64} D, A, #64, #65;
d dd: bfi.b64 D, A, B, #33, #32;
d ddd: sad.{u64|s64} D, A, B, C;
d ddd: add.cc.u64 %a, A, B; addc.u64 D, C, %a;
d r: cvt.{u64.u32|s64.s32|s64.s16|u64.u8} D, A;
d h: cvt.{u64.u16|s64.s16} D, A;
d d: cvt.{s64.s32|u64.u32|s64.s8} D, A;
d f: cvt.{rni|rzi}.{s64|u64}.f32 D, A;
d g: cvt.{rzi|rmi}.{s64|u64}.f64 D, A;
d g: mov.b64 D, A;
h hh: {add|sub|mul.lo}.{u16|s16} D, A, B;
h hh: mul.hi.{u16|s16} D, A, B;
h hhh: mad.lo.{u16|s16} D, A, B, C;
h hh: {and|or|xor}.b16 D, A, B;
h h: {not|cnot}.b16 D, A;
h h: {neg|abs}.s16 D, A;
h hh: {min|max}.{u16|s16} D, A, B;
h hr: {shl.b16|shr.u16|shr.s16} D, A, B;
h hhp: selp.b16 D, A, B, C;
h hh: or.b16 %th, B, 1; {div|rem}.{u16|s16} D, A, %th;
h r: cvt.{u16|s16}.{u32|s32} D, A;
h r: cvt.sat.{u16|s16|s8|u8}.s32 D, A;
h d: cvt.u16.u64 D, A;
h r: mov.b32 {D, _}, A;
h r: mov.b32 {_, D}, A;
h f: cvt.rzi.{s16|u16|u8}.f32 D, A;
f ff: {add|sub|mul}.{rn|rz|rm|rp}.f32 D, A, B;
f ff: {add|sub|mul}.rn{.ftz|.sat|.ftz.sat}.f32 D, A, B;
f fff: fma.{rn|rz|rm|rp|rn.ftz|rn.sat}.f32 D, A, B, C;
f ff: div.{rn|rz|rn.ftz}.f32 D, A, B;
f f: {rcp|sqrt}.{rn|rz|rn.ftz}.f32 D, A;
f ff: {min|max}.f32 D, A, B;
f ff 80: {min|max}.NaN.f32 D, A, B;
f ffp: selp.f32 D, A, B, C;
f ffr: slct.f32.s32 D, A, B, C;
f g: cvt.{rn|rz|rm|rp}.f32.f64 D, A;
f r: cvt.{rn|rz|rp}.f32.{s32|u32|s16|u8} D, A;
f d: cvt.{rn|rz}.f32.{s64|u64} D, A;
f f: cvt.{rni|rzi|rmi|rpi}.f32.f32 D, A;
f h: cvt.rn.f32.{s16|u16} D, A;
f ff: set.{lt|ge|neu}.f32.f32 D, A, B;
f q: mov.b32 {%th, _}, A; cvt.f32.f16 D, %th;
f q: mov.b32 {_, %th}, A; cvt.f32.f16 D, %th;
g gg: {add|sub|mul}.{rn|rz|rm|rp}.f64 D, A, B;
g ggg: fma.{rn|rz|rm|rp}.f64 D, A, B, C;
g gg: div.rn.f64 D, A, B;
g g: {rcp|sqrt}.rn.f64 D, A;
g gg: {min|max}.f64 D, A, B;
g ggp: selp.f64 D, A, B, C;
g f: cvt.f64.f32 D, A;
g r: cvt.rn.f64.{s32|u32} D, A;
g d: cvt.{rn|rz}.f64.{s64|u64} D, A;
g g: cvt.{rni|rzi|rpi}.f64.f64 D, A;
q qq: {add|sub|mul}.rn{|.sat|.ftz}.f16x2 D, A, B;
q qqq: fma.rn{|.sat|.ftz}.f16x2 D, A, B, C;
q qqq 80: fma.rn.relu.f16x2 D, A, B, C;
q qq 80: {min|max}{|.NaN|.ftz}.f16x2 D, A, B;
q ff 80: cvt.rn.f16x2.f32 D, A, B;
q ff: cvt.{rn|rz}.f16.f32 %th, A; cvt.rn.f16.f32 %th2, B; mov.b32 D, {%th, %th2};
q qq: set.{lt|ge|ne}.f16x2.f16x2 D, A, B;
q qqp: selp.b32 D, A, B, C;
q qq: mov.b32 {%th, _}, A; mov.b32 {_, %th2}, B; fma.rn.f16 %th, %th, %th2, %th; mov.b32 D, {%th, %th2};
q r: cvt.{rn|rz}.f16.{s32|u32|s16} %th, A; mov.b32 D, {%th, %th};
p rr: setp.{lt|le|gt|ge|eq|ne}.{u32|s32} D, A, B;
p rrp: setp.{lt|ge|eq}.{and|or|xor}.{u32|s32} D, A, B, C;
p rrp: setp.{lt|ge|ne}.{and|or|xor}.{u32|s32} D, A, B, !C;
p dd: setp.{lt|le|gt|ge|eq|ne}.{u64|s64} D, A, B;
p ddp: setp.{lt|ge|eq}.{and|or|xor}.{u64|s64} D, A, B, !C;
p hh: setp.{lt|ge|eq|ne}.{u16|s16} D, A, B;
p ff: setp.{lt|le|gtu|geu|eq|neu|num|nan}.f32 D, A, B;
p gg: setp.{lt|leu|gt|ge|equ|ne|num|nan}.f64 D, A, B;
p f: testp.{finite|infinite|number|notanumber|normal|subnormal}.f32 D, A;
p pp: {and|or|xor}.pred D, A, B;
p p: not.pred D, A;
p qq: setp.{lt|ge|neu}.f16x2 D|%z2, A, B;
p rr: setp.{lt|ge}.s32 %z2|D, A, B;
p r: setp.ne.b32 D, A, 0;
`;

function operation(line: string): Operation {
  const [, result, sources, from, text] = /^(\w) (\w+)(?: (\d+))?: (.*)$/.exec(line)!;
  return {
    result: result as File,
    sources: [...sources!] as File[],
    from: Number(from ?? 0),
    text: text!,
  };
}

export const operations: readonly Operation[] = lines.trim().split("\n").map(operation);

/** One of the alternatives of each {x|y}, a number for each #n. */
export function chosen(text: string, below: (n: number) => number): string {
  return text
    .replace(/\{([^{}, ]*\|[^{} ]*)\}/g, (_, all: string) => {
      const list = all.split("|");
      return list[below(list.length)]!;
    })
    .replace(/#(\d+)/g, (_, n: string) => `${below(Number(n))}`);
}
