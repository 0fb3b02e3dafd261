/** f32 and f64 arithmetic. */
import { type Rows, shared } from "../row.js";
import { either, one, outer, two } from "./shapes.js";

export const floatRows: Rows = shared({ imm: "f32", time: "fixed" }, [
  {
    op: "FADD",
    does: "d = a + b",
    slots: "d <- a b",
    lines: [{ as: outer(0x021), text: "FADD{ftz}{rnd}{sat} d, -|a|, -|b|" }],
  },
  {
    op: "FHADD",
    does: "d (f32) = a (f16 or bf16) + b",
    slots: "d <- a b",
    lines: [
      { as: "Rq=221 RU=e21u", text: "FHADD{_|.BF16@82}{rnd}{sat} d, -|a|{_|.H1@83}, -|b|", is: "81=1", sm: "100-" },
    ],
  },
  {
    op: "FMUL",
    does: "d = a * b",
    slots: "d <- a b",
    lines: [{ as: two(0x020), text: "FMUL{fmz}{scale}{rnd}{sat} d, -|a|, -|b|" }],
  },
  {
    op: "FFMA",
    does: "d = a * b + c with one rounding",
    slots: "d <- a b c",
    lines: [{ as: either(0x023), text: "FFMA{fmz}{rnd}{sat} d, -|a|, -|b|, -|c|" }],
  },
  {
    op: "FHFMA",
    does: "d (f32) = a * b (f16 or bf16) + c",
    slots: "d <- a b c",
    lines: [
      {
        as: "RRR=223 RUR=c23u RRU=e23u",
        text: "FHFMA{_|.BF16@82}{rnd}{sat} d, -|a|{_|.H1@83}, -|b|{_|.H1@84}, -|c|",
        is: "81=1",
        sm: "100-",
      },
    ],
  },
  {
    op: "FMNMX",
    does: "d = pin ? min(a, b) : max(a, b)",
    slots: "d <- a b pin:P=PT",
    lines: [
      { as: two(0x009), text: "FMNMX{ftz} d, -|a|, -|b|, !pin@87", sm: "75" },
      { as: two(0x009), text: "FMNMX{ftz}{nan} d, -|a|, -|b|, !pin@87", sm: "80" },
      { as: two(0x009), text: "FMNMX{ftz}{nan}{xorsign} d, -|a|, -|b|, !pin@87", sm: "86-89" },
      { as: two(0x009), text: "FMNMX{ftz}{nan}{xorsign} d, -|a|, -|b|, !pin@87", is: "65=0", sm: "90-" },
    ],
  },
  {
    op: "FMNMX.IS_A",
    does: "the same; p: the result is a",
    slots: "d p:P <- a b pin:P=PT",
    lines: [
      { as: two(0x009), text: "FMNMX{ftz}{nan}{xorsign}.IS_A d, p@66, -|a|, -|b|, !pin@87", is: "65=1", sm: "90-" },
    ],
  },
  {
    op: "FSEL",
    does: "d = pin ? a : b",
    slots: "d <- a b pin:P",
    lines: [{ as: two(0x008), text: "FSEL{ftz} d, -|a|, -|b|, !pin@87" }],
  },
  {
    op: "FSET",
    does: "d = ((a cmp b) bool pin) ? 1.0 : 0.0",
    slots: "d <- a b pin:P=PT",
    lines: [{ as: two(0x00a), text: "FSET.BF{fcmp}{ftz}{bool} d, -|a|, -|b|, !pin@87" }],
  },
  {
    op: "FSETP",
    does: "p = (a cmp b) bool pin; q = !(a cmp b) bool pin",
    slots: "p:P q:P=PT <- a b pin:P=PT",
    lines: [{ as: two(0x00b), text: "FSETP{fcmp}{ftz}{bool} p@81, q@84, -|a|, -|b|, !pin@87" }],
  },
  {
    op: "FCHK",
    does: "p = a / b needs the slow path of division",
    slots: "p:P <- a b",
    lines: [{ as: two(0x102), text: "FCHK p@81, -|a|, -|b|" }],
    time: "result",
  },
  {
    op: "FSWZADD",
    does: "d = ±a ± c with signs chosen per quad lane by pattern",
    slots: "d <- a c pattern:PATTERN",
    lines: [
      { as: "822", text: "FSWZADD{ftz}{rnd}{_|.NDV@77} d, a@24%122, c@64%124, pattern@32:8", sm: "-110" },
      { as: "822", text: "FSWZADD{ftz}{rnd}{_|.NDV|?|.DXY@77+81} d, a@24%122, c@64%124, pattern@32:8", sm: "120-" },
    ],
  },
  {
    op: "MUFU",
    does: "d = approximation of the function; RCP64H and RSQ64H take and give the upper word of a double",
    slots: "d <- b",
    not: "103 80=1 72:2=!0",
    lines: [
      { as: one(0x108), text: "MUFU{mufu2}.F16x2 d, -|b|", is: "72:2=3 80=0", imm: "h2", sm: "103" },
      { as: one(0x108), text: "MUFU{mufu2}.BF16x2 d, -|b|", is: "72:2=0 80=1", imm: "bf2", sm: "103" },
      { as: "I=908", text: "MUFU{.RCP64H|.RSQ64H@74} d, b", is: "73=0 75:3=3", imm: "f64", sm: "-89" },
      { as: "I=908", text: "MUFU{.RCP64H|.RSQ64H@74} d, b", is: "72:2=0 75:3=3", imm: "f64", sm: "90-100,110-" },
      { as: "I=908", text: "MUFU{.RCP64H|.RSQ64H@74} d, b", is: "72:2=0 75:3=3 80=0", imm: "f64", sm: "103" },
      { as: one(0x108), text: "MUFU{mufu} d, -|b|", is: "73=0", sm: "-89" },
      { as: one(0x108), text: "MUFU{mufu} d, -|b|", is: "72:2=0", sm: "90-" },
      { as: one(0x108), text: "MUFU{mufu16}.F16 d, -|b{half}|", is: "73=1", imm: "h1", sm: "-89" },
      { as: one(0x108), text: "MUFU{mufu16}.F16 d, -|b{half}|", is: "72:2=1", imm: "h1", sm: "90-" },
      { as: one(0x108), text: "MUFU{mufu16}.BF16 d, -|b{half}|", is: "72:2=2", imm: "b1", sm: "90-" },
    ],
    time: "result",
  },
  {
    op: "DADD",
    does: "d = a + b, f64",
    slots: "d*2 <- a*2 b*2",
    imm: "f64",
    lines: [
      { as: "Rr=229 RI=429 RC=629 RX=629u RU=e29u", text: "DADD{rnd} d, -|a|, -|b|", sm: "-110" },
      { as: "Rr=229 RI=429 RU=e29u", text: "DADD{rnd} d, -|a|, -|b|", decoupled: true, sm: "120-" },
    ],
    time: "fp64",
  },
  {
    op: "DMUL",
    does: "d = a * b, f64",
    slots: "d*2 <- a*2 b*2",
    imm: "f64",
    lines: [
      { as: two(0x028), text: "DMUL{rnd} d, -|a|, -|b|", sm: "-110" },
      { as: two(0x028), text: "DMUL{rnd} d, -|a|, -|b|", decoupled: true, sm: "120-" },
    ],
    time: "fp64",
  },
  {
    op: "DFMA",
    does: "d = a * b + c with one rounding, f64",
    slots: "d*2 <- a*2 b*2 c*2",
    imm: "f64",
    lines: [
      { as: either(0x02b), text: "DFMA{rnd} d, -|a|, -|b|, -|c|", sm: "-110" },
      { as: either(0x02b), text: "DFMA{rnd} d, -|a|, -|b|, -|c|", decoupled: true, sm: "120-" },
    ],
    time: "fp64",
  },
  {
    op: "DSETP",
    does: "p = (a cmp b) bool pin; q = !(a cmp b) bool pin, f64",
    slots: "p:P q:P=PT <- a*2 b*2 pin:P=PT",
    imm: "f64",
    lines: [
      { as: outer(0x02a), text: "DSETP{dcmp}{bool} p@81, q@84, -|a|, -|b|, !pin@87", sm: "-110" },
      { as: outer(0x02a), text: "DSETP{dcmp}{bool} p@81, q@84, -|a|, -|b|, !pin@87", decoupled: true, sm: "120-" },
    ],
    time: "fp64",
  },
]);
