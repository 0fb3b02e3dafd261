/** Arithmetic on pairs of halves (f16x2, bf16x2). `.H0_H0` and `.H1_H1` use one half for both. */
import { type Line, type Rows, shared } from "../row.js";
import { either, outer, two } from "./shapes.js";

/**
 * Lines for the types of halves that the bits `at` choose: f16, bf16, and values without meaning (`one`, `three`). Up to
 * sm_89 value 1 is called .F32.
 */
function types(at: string, text: (type: string) => string, line: Omit<Line, "text">, one = "?", three = "?"): Line[] {
  const is = line.is ? `${line.is} ` : "";
  return [
    { ...line, text: text(`{_|${one}|!|${three}@${at}}`) },
    { ...line, text: text(".BF16_V2"), is: `${is}${at}=2`, imm: "bf2" },
  ];
}

/** Its first operand is not kept for reuse. */
const sum = (text: string, is: string, sm: string): Line[] => [
  { as: "Rq=230", text, is, imm: "h1", sm, reuse: 4 },
  { as: outer(0x30).replace("Rq=230 ", ""), text, is, imm: "h1", sm, reuse: 0 },
];
const mul = (type: string): string => `HMUL2${type}{fmz}{sat} d, -|a|{h}, -|b|{h}`;
const fma = (relu: string, fmz: string, b: string, h: string, pin: string) => (type: string) =>
  `HFMA2${type}{${fmz}}${relu} d, -|a|{${h}}, -|b|{${b}}, -|c|{${h}}${pin}`;
const mma = (relu: string, pin: string) => (type: string) => `HFMA2.MMA${type}{fmz}${relu} d, -|a|, -|b|, -|c|${pin}`;
const mnmx = (mods: string, h: string, isA: string, pq: string) => (type: string) =>
  `HMNMX2${type}{ftz}{nan}${mods}${isA} d, ${pq}-|a|{${h}}, -|b|{${h}}, !pin@87`;
/** Saturation is refused beside it. */
const relu = "77=0 79=1";
const pinned = ", !pin@87?";
const setp = (type: string): string =>
  `HSETP2${type}{fcmp}{_|.H_AND@71}{ftz}{.AND|.OR|.XOR@69:2} p@81, q@84, -|a|{h}, -|b|{h}, !pin@87`;
const set = (type: string): string =>
  `HSET2${type}{_|.BF@71}{fcmp}{ftz}{.AND|.OR|.XOR@69:2} d, -|a|{h}, -|b|{h}, !pin@87`;
const old = (text: string): string => text.replaceAll("{h}", "{h75}");

export const halfRows: Rows = shared({ imm: "h2", time: "fixed" }, [
  {
    op: "HADD2",
    does: "d = a + b in both halves (.F32: one half of each, to f32)",
    slots: "d <- a b",
    lines: [
      { as: outer(0x30), text: "HADD2{_|.F32@78}{ftz}{sat} d, -|a|{h75}, -|b|{h75}", sm: "75-80" },
      { as: outer(0x30), text: "HADD2{ftz}{sat} d, -|a|{h75}, -|b|{h75}", is: "78=0", sm: "86-89" },
      ...sum("HADD2.F32{ftz}{sat} d, -a{h75}, -|b|{h75}", "78=1", "86-89"),
      { as: outer(0x30), text: "HADD2{ftz}{sat} d, -|a|{h}, -|b|{h}", is: "78=0 85=0", sm: "90-" },
      ...sum("HADD2.F32{ftz}{sat} d, -a{h}, -|b|{h}", "78=1 85=0", "90-"),
      {
        as: outer(0x30),
        text: "HADD2.BF16_V2{ftz}{sat} d, -|a|{h}, -|b|{h}",
        imm: "bf2",
        is: "78=0 85=1",
        sm: "90-",
      },
    ],
  },
  {
    op: "HMUL2",
    does: "d = a * b in both halves",
    slots: "d <- a b",
    lines: [
      { as: two(0x32), text: old(mul("{_|.F32@78}")), sm: "-89" },
      ...types("78+85", mul, { as: two(0x32), sm: "90-" }),
    ],
  },
  {
    op: "HFMA2",
    does: "d = a * b + c in both halves",
    slots: "d <- a b c",
    signOfC: 84,
    lines: [
      { as: either(0x31), text: fma("{sat}", "fmz", "h75", "h75", "")("{_|.F32@78}"), sm: "75" },
      ...types("78+85", fma("{sat}", "fmz", "h75", "h75", ""), { as: either(0x31), is: "79=0", sm: "80" }, ".F32"),
      ...types(
        "78+85",
        fma("{sat}", "fmz", "hb", "h75", ""),
        { as: either(0x31), is: "79=0", sm: "86-89" },
        ".F32",
        "~",
      ),
      ...types("78+85", fma("{sat}", "fmo", "hb", "h", ""), { as: either(0x31), is: "79=0", sm: "90" }, ".F32", "~"),
      ...types("78+85", fma("{sat}", "fmo", "hb", "h", ""), { as: either(0x31), is: "79=0", sm: "100-" }, ".F32"),
    ],
  },
  {
    op: "HFMA2.RELU",
    does: "d = max(a * b + c, 0) in both halves, where pin holds; a * b + c elsewhere",
    slots: "d <- a b c pin:P=PT",
    signOfC: 84,
    lines: [
      ...types("78+85", fma(".RELU", "fmz", "h75", "h75", pinned), { as: either(0x31), is: relu, sm: "80" }, ".F32"),
      ...types(
        "78+85",
        fma(".RELU", "fmz", "hb", "h75", pinned),
        { as: either(0x31), is: relu, sm: "86-89" },
        ".F32",
        "~",
      ),
      ...types("78+85", fma(".RELU", "fmo", "hb", "h", pinned), { as: either(0x31), is: relu, sm: "90" }, ".F32", "~"),
      ...types("78+85", fma(".RELU", "fmo", "hb", "h", pinned), { as: either(0x31), is: relu, sm: "100-" }, ".F32"),
    ],
  },
  {
    op: "HFMA2.MMA",
    does: "d = a * b + c in both halves, on the tensor pipe",
    slots: "d <- a b c",
    signOfC: 84,
    lines: [
      { as: either(0x35), text: mma("{sat}", "")(""), is: "79=0", sm: "80-89" },
      ...types("78+85", mma("{sat}", ""), { as: either(0x35), is: "79=0", sm: "90" }),
    ],
  },
  {
    op: "HFMA2.MMA.RELU",
    does: "the same, negative results as 0 where pin holds",
    slots: "d <- a b c pin:P=PT",
    signOfC: 84,
    lines: [
      { as: either(0x35), text: mma(".RELU", pinned)(""), is: relu, sm: "80-89" },
      ...types("78+85", mma(".RELU", pinned), { as: either(0x35), is: relu, sm: "90" }),
    ],
  },
  {
    op: "HMNMX2",
    does: "d = pin ? min(a, b) : max(a, b) in both halves",
    slots: "d <- a b pin:P=PT",
    lines: [
      ...types("78+85", mnmx("", "h75", "", ""), { as: two(0x40), sm: "80" }, ".F32"),
      ...types("78+85", mnmx("{xorsign}", "h75", "", ""), { as: two(0x40), sm: "86-89" }, ".F32", "~"),
      ...types("78+85", mnmx("{xorsign}", "h", "", ""), { as: two(0x40), is: "65=0", sm: "90" }, "?", "~"),
      ...types("78+85", mnmx("{xorsign}", "h", "", ""), { as: two(0x40), is: "65=0", sm: "100-" }),
    ],
  },
  {
    op: "HMNMX2.IS_A",
    does: "the same; p and q: the low and the high half are a's",
    slots: "d p:P q:P <- a b pin:P=PT",
    lines: [
      ...types(
        "78+85",
        mnmx("{xorsign}", "h", ".IS_A", "p@66, q@69, "),
        { as: two(0x40), is: "65=1", sm: "90" },
        "?",
        "~",
      ),
      ...types("78+85", mnmx("{xorsign}", "h", ".IS_A", "p@66, q@69, "), { as: two(0x40), is: "65=1", sm: "100-" }),
    ],
  },
  {
    op: "HSETP2",
    does: "p, q = (a cmp b) bool pin of the low and the high half (.H_AND: p = both, q = not both)",
    slots: "p:P q:P=PT <- a b pin:P=PT",
    lines: [
      { as: outer(0x34), text: old(setp("")), sm: "-89" },
      ...types("64:2", setp, { as: outer(0x34), sm: "90-" }),
    ],
  },
  {
    op: "HSET2",
    does: "d = (a cmp b) bool pin of each half, as mask or (.BF) 1.0",
    slots: "d <- a b pin:P=PT",
    lines: [{ as: outer(0x33), text: old(set("")), sm: "-89" }, ...types("64:2", set, { as: outer(0x33), sm: "90-" })],
  },
]);
