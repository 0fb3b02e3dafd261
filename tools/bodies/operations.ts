/**
 * PTX operations of which small bodies are made: what they read and give (`r` 32 bits, `q` 64, `f` f32, `g` f64, `h` 16 bits, `p` predicate), and
 * their text with `$d` for the result, `$0`, `$1`, … for what is read, `%n` for a number that all lanes share.
 */
export type Kind = "r" | "q" | "f" | "g" | "h" | "p";

export interface Operation {
  readonly result: Kind;
  readonly reads: readonly Kind[];
  readonly text: string;
}

const literals: readonly string[] = ["1", "2", "3", "7", "8", "16", "31", "255", "65535", "-1", "4096", "0x12345678"];
const counts: readonly string[] = ["1", "2", "3", "7", "8", "16", "31"];
const floats: readonly string[] = ["0f3F800000", "0f40000000", "0f3F000000", "0fBF800000", "0f00000000", "0f40490FDB"];

/** `mnemonics` of one shape: `add.s32 sub.s32` with `rr` read and `r` given; `tail` stands after the result. */
const each = (mnemonics: string, result: Kind, reads: string, tail = defaultTail(reads)): Operation[] =>
  mnemonics.split(" ").map((m) => ({ result, reads: [...reads] as Kind[], text: `${m} $d,${tail};` }));

const defaultTail = (reads: string): string => [...reads].map((_, i) => `$${i}`).join(",");

/** The same with each of these operands as the last. */
const withLast = (mnemonics: string, result: Kind, reads: string, last: readonly string[]): Operation[] =>
  last.flatMap((k) => each(mnemonics, result, reads, `${defaultTail(reads)},${k}`));

const text = (result: Kind, reads: string, body: string): Operation => ({
  result,
  reads: [...reads] as Kind[],
  text: body,
});

const integers =
  "add.s32 sub.s32 mul.lo.s32 and.b32 or.b32 xor.b32 min.s32 max.s32 min.u32 max.u32 mul.hi.u32 mul.hi.s32";
const shifts = "shl.b32 shr.u32 shr.s32";
const compares = "setp.lt.s32 setp.lt.u32 setp.eq.s32 setp.ge.s32 setp.ne.s32 setp.gt.u32";
const wide = "add.s64 sub.s64 mul.lo.s64 and.b64 or.b64 xor.b64 min.s64 max.u64";
const sums = "add.f32 sub.f32 mul.f32 min.f32 max.f32 add.rn.f32 mul.rn.f32 add.ftz.f32 mul.ftz.f32 add.sat.f32";

export const operations: readonly Operation[] = [
  ...each(`${integers} ${shifts}`, "r", "rr"),
  ...withLast(integers, "r", "r", [...literals, "%n"]),
  ...withLast(shifts, "r", "r", [...counts, "%n"]),
  ...each("not.b32 neg.s32 abs.s32 popc.b32 clz.b32 brev.b32 cnot.b32", "r", "r"),
  ...each("mad.lo.s32 sad.u32 dp4a.u32.u32", "r", "rrr"),
  ...["12", "8", "%n"].flatMap((k) => each("mad.lo.s32", "r", "rr", `$0,${k},$1`)),
  ...withLast("bfi.b32", "r", "rr", ["8,8", "5,3"]),
  ...withLast("bfe.u32", "r", "r", ["8,8", "5,6"]),
  ...withLast("bfe.s32", "r", "r", ["16,8"]),
  ...withLast("prmt.b32", "r", "rr", ["0x3120"]),
  ...withLast("prmt.b32", "r", "r", ["0,0x0123", "0,0x4440"]),
  ...withLast("shf.l.wrap.b32", "r", "rr", ["5"]),
  ...each("shf.l.wrap.b32", "r", "rrr"),
  ...withLast("lop3.b32", "r", "rrr", ["0x96", "0xe8"]),
  ...each("cvt.u32.u8 cvt.s32.s8 cvt.u32.u16 cvt.s32.s16", "r", "r"),
  ...each(compares, "p", "rr"),
  ...withLast(compares, "p", "r", ["0", "%n", ...literals.slice(0, 8)]),
  ...each("setp.lt.and.s32 setp.lt.or.s32 setp.lt.xor.s32", "p", "rrp"),
  ...each("and.pred or.pred xor.pred", "p", "pp"),
  ...each("not.pred", "p", "p"),
  ...each("selp.b32", "r", "rrp"),
  ...each("selp.u32", "r", "p", "1,0,$0"),
  ...each("selp.b32", "r", "rp", "$0,0,$1"),
  text("r", "rrp", "mov.b32 $d,$0; @$2 add.s32 $d,$0,$1;"),
  text("r", "rrp", "mov.b32 $d,$0; @!$2 mov.b32 $d,$1;"),
  ...each(wide, "q", "qq"),
  ...withLast(wide, "q", "q", ["1", "8", "255", "4096", "-16"]),
  ...withLast("shl.b64", "q", "q", ["3", "2", "32"]),
  ...withLast("shr.u64", "q", "q", ["5", "32"]),
  ...withLast("shr.s64", "q", "q", ["32"]),
  ...each("shl.b64", "q", "qr"),
  ...each("neg.s64 not.b64", "q", "q"),
  ...each("mul.wide.u32 mul.wide.s32", "q", "rr"),
  ...withLast("mul.wide.u32 mul.wide.s32", "q", "r", ["4", "24"]),
  ...each("mad.wide.u32 mad.wide.s32", "q", "rrq"),
  ...each("cvt.u64.u32 cvt.s64.s32", "q", "r"),
  ...each("cvt.u32.u64", "r", "q"),
  text("r", "q", "{ .reg .b32 lo; mov.b64 {lo,$d},$0; }"),
  ...each("mov.b64", "q", "rr", "{$0,$1}"),
  ...each("setp.lt.s64 setp.eq.s64 setp.gt.u64", "p", "qq"),
  ...withLast("setp.lt.s64 setp.eq.s64 setp.gt.u64", "p", "q", ["0"]),
  ...each("selp.b64", "q", "qqp"),
  ...each(sums, "f", "ff"),
  ...withLast(sums, "f", "f", floats),
  ...each("neg.f32 abs.f32 rcp.approx.ftz.f32 sqrt.approx.ftz.f32 ex2.approx.ftz.f32 lg2.approx.ftz.f32", "f", "f"),
  ...each("cvt.rmi.f32.f32 cvt.sat.f32.f32", "f", "f"),
  ...each("fma.rn.f32", "f", "fff"),
  ...each("fma.rn.f32", "f", "ff", "$0,0f40000000,$1"),
  ...each("div.full.f32", "f", "ff"),
  ...each("setp.lt.f32 setp.ge.f32 setp.eq.f32 setp.neu.f32", "p", "ff"),
  ...withLast("setp.lt.f32 setp.ge.f32 setp.eq.f32 setp.neu.f32", "p", "f", ["0f00000000"]),
  ...each("selp.f32", "f", "ffp"),
  ...each("mov.b32", "f", "r"),
  ...each("mov.b32", "r", "f"),
  ...each("cvt.rn.f32.s32 cvt.rn.f32.u32 cvt.rn.f32.u8", "f", "r"),
  ...each("cvt.rzi.s32.f32 cvt.rzi.u32.f32", "r", "f"),
  ...each("cvt.rn.f16x2.f32", "r", "ff"),
  ...each("add.f16x2 mul.f16x2", "r", "rr"),
  ...each("fma.rn.f16x2", "r", "rrr"),
  ...each("neg.f16x2", "r", "r"),
  ...each("add.f64 mul.f64", "g", "gg"),
  ...each("fma.rn.f64", "g", "ggg"),
  ...each("neg.f64 abs.f64", "g", "g"),
  ...each("cvt.f64.f32", "g", "f"),
  ...each("cvt.rn.f32.f64", "f", "g"),
  ...each("cvt.rn.f64.s32", "g", "r"),
  ...each("add.u16 mul.lo.u16 and.b16", "h", "hh"),
  ...withLast("shr.u16", "h", "h", ["4"]),
  ...each("cvt.u16.u32", "h", "r"),
  ...each("cvt.u32.u16 cvt.s32.s16", "r", "h"),
];
