/** Conversions between number types. Those that touch 64 bits have opcodes of their own. */
import type { Line, Rows } from "../row.js";
import { one, registers, two } from "./shapes.js";

/** Types that F2FP converts to on sm_89 and 90. */
export const to90 = "{.F16|.BF16|~|.TF32|.E5M2|.E4M3|...???@76+86:2}";

/** Integers of 32, 16 and 8 bits, to a float type that `to` says. */
const i2f = (to: string, sm: string): Line[] => [
  { as: one(0x106), text: `I2F{${to}}{rnd} d, b`, is: "84:2=2 74=1", imm: "s32", sm },
  { as: one(0x106), text: `I2F{${to}}.U32{rnd} d, b`, is: "84:2=2 74=0", sm },
  { as: registers(0x106), text: `I2F{${to}}{int16}{rnd} d, b{half}`, is: "84:2=1", imm: "h1", sm },
  { as: registers(0x106), text: `I2F{${to}}{int8}{rnd} d, b{byteOf}`, is: "84:2=0", sm },
];
const i2d = (f64: string, sm: string): Line[] => [
  { as: one(0x112), text: "I2F.F64{rnd} d, b", is: `84:2=2 ${f64} 74=1`, imm: "s32", sm },
  { as: one(0x112), text: "I2F.F64.U32{rnd} d, b", is: `84:2=2 ${f64} 74=0`, sm },
  { as: registers(0x112), text: "I2F.F64{int16}{rnd} d, b{half}", is: `84:2=1 ${f64}`, imm: "h1", sm },
  { as: registers(0x112), text: "I2F.F64{int8}{rnd} d, b{byteOf}", is: `84:2=0 ${f64}`, sm },
];

const i2fp = (rest: string, sm: string): Line[] => {
  const text = (type: string): string => `I2FP{?|?|.F32${rest}@75:3}${type}{_|?|?|.RZ@78:2} d, b`;
  return [
    { as: registers(0x45), text: text(`{4=.U32|!${rest}@74+84:2}`), sm },
    { as: "I=845", text: text(".U32"), is: "74=0 84:2=2", sm },
    { as: one(0x45), text: text(".S32"), is: "74=1 84:2=2", imm: "s32", sm },
  ];
};

const f2fp = (type: string): string => `F2FP{_|.SATFINITE@77}{_|.RELU@75}${type}.PACK_AB{_|!|!|.RZ@79:2} d, a, b`;
const packAb = (rounding: string): string =>
  `F2FP{_|.SATFINITE@77}{_|.RELU@75}${to90}.F32.PACK_AB{_|${rounding}} d, a, b`;

/** Types that F2F converts to. */
const to = (types: string): string => `{${types}@75:3}`;

export const conversionRows: Rows = [
  {
    op: "F2F",
    does: "d = b converted between float types, .TO.FROM",
    slots: "d <- b",
    imm: "f32",
    lines: [
      { as: one(0x104), text: `F2F{ftz}${to("!|.F16|!|!|~|...!")}.F32{rnd} d, -|b|`, is: "84:2=2", sm: "75" },
      { as: one(0x104), text: `F2F{ftz}${to("!|.F16|!|!|.BF16|...!")}.F32{rnd} d, -|b|`, is: "84:2=2", sm: "80" },
      { as: one(0x104), text: `F2F{ftz}${to("!|.F16|!|!|.BF16|~|...!")}.F32{rnd} d, -|b|`, is: "84:3=2", sm: "86-90" },
      { as: one(0x104), text: `F2F{ftz}${to("!|.F16|!|!|.BF16|...!")}.F32{rnd} d, -|b|`, is: "84:3=2", sm: "100-" },
      {
        as: one(0x104),
        text: `F2F{ftz}${to("!|!|.F32|...!")}.F16{rnd} d, -|b{half}|`,
        is: "84:2=1",
        imm: "h1",
        sm: "-80",
      },
      {
        as: one(0x104),
        text: `F2F{ftz}${to("!|!|.F32|...!")}.F16{rnd} d, -|b{half}|`,
        is: "84:3=1",
        imm: "h1",
        sm: "86-89",
      },
      {
        as: one(0x104),
        text: `F2F{ftz}${to("!|!|.F32|!|.BF16|...!")}.F16{rnd} d, -|b{half}|`,
        is: "84:3=1",
        imm: "h1",
        sm: "90-",
      },
      {
        as: one(0x104),
        text: `F2F{ftz}${to("!|.F16|.F32|...!")}.BF16{rnd} d, -|b{half}|`,
        is: "84:3=4",
        imm: "b1",
        sm: "90-",
      },
    ],
    time: "result",
  },
  {
    op: "F2F.F64",
    does: "d (f64) = b",
    slots: "d*2 <- b",
    imm: "f32",
    lines: [
      { as: one(0x110), text: "F2F{ftz}.F64.F32{rnd} d, -|b|", is: "75:3=3 84:2=2", sm: "-80" },
      { as: one(0x110), text: "F2F{ftz}.F64.F16{rnd} d, -|b{half}|", is: "75:3=3 84:2=1", imm: "h1", sm: "-80" },
      { as: one(0x110), text: "F2F{ftz}.F64.F32{rnd} d, -|b|", is: "75:3=3 84:3=2", sm: "86-" },
      { as: one(0x110), text: "F2F{ftz}.F64.F16{rnd} d, -|b{half}|", is: "75:3=3 84:3=1", imm: "h1", sm: "86-" },
      { as: one(0x110), text: "F2F{ftz}.F64.BF16{rnd} d, -|b{half}|", is: "75:3=3 84:3=4", sm: "90-", imm: "b1" },
    ],
    time: "result",
  },
  {
    op: "F2F.TO.F64",
    does: "d = b (f64)",
    slots: "d <- b*2",
    imm: "f64",
    lines: [
      { as: one(0x110), text: `F2F{ftz}${to("!|.F16|.F32|...!")}.F64{rnd} d, -|b|`, is: "84:2=3", sm: "-80" },
      { as: one(0x110), text: `F2F{ftz}${to("!|.F16|.F32|...!")}.F64{rnd} d, -|b|`, is: "84:3=3", sm: "86-89" },
      { as: one(0x110), text: `F2F{ftz}${to("!|.F16|.F32|!|.BF16|...!")}.F64{rnd} d, -|b|`, is: "84:3=3", sm: "90-" },
    ],
    time: "result",
  },
  {
    op: "F2I",
    does: "d = b rounded to an integer type (.NTZ: NaN gives the largest value)",
    slots: "d <- b",
    imm: "f32",
    lines: [
      { as: one(0x105), text: "F2I{ftz}{itype75}{round}{ntz} d, -|b|", is: "84:2=2", sm: "75" },
      { as: one(0x105), text: "F2I{ftz}{itype75}.F16{round}{ntz} d, -|b{half}|", is: "84:2=1", imm: "h1", sm: "75" },
      { as: one(0x105), text: "F2I{ftz}{itype}{round}{ntz} d, -|b|", is: "84:2=2", sm: "80-89" },
      { as: one(0x105), text: "F2I{ftz}{itype}.F16{round}{ntz} d, -|b{half}|", is: "84:2=1", imm: "h1", sm: "80-89" },
      { as: one(0x105), text: "F2I{ftz}{itype}{round}{ntz} d, -|b|", is: "84:3=2", sm: "90-" },
      { as: one(0x105), text: "F2I{ftz}{itype}.F16{round}{ntz} d, -|b{half}|", is: "84:3=1", imm: "h1", sm: "90-" },
      { as: one(0x105), text: "F2I{ftz}{itype}.BF16{round}{ntz} d, -|b{half}|", is: "84:3=4", sm: "90-", imm: "b1" },
    ],
    time: "result",
  },
  {
    op: "F2I.64",
    does: "d (64 bits) = b rounded to an integer",
    slots: "d*2 <- b",
    imm: "f32",
    lines: [
      { as: one(0x111), text: "F2I{ftz}{.U64|.S64@72}{round}{ntz} d, -|b|", is: "84:2=2 75:2=3", sm: "-89" },
      {
        as: one(0x111),
        text: "F2I{ftz}{.U64|.S64@72}.F16{round}{ntz} d, -|b{half}|",
        is: "84:2=1 75:2=3",
        imm: "h1",
        sm: "-89",
      },
      { as: one(0x111), text: "F2I{ftz}{.U64|.S64@72}{round}{ntz} d, -|b|", is: "84:3=2 75:2=3", sm: "90-" },
      {
        as: one(0x111),
        text: "F2I{ftz}{.U64|.S64@72}.F16{round}{ntz} d, -|b{half}|",
        is: "84:3=1 75:2=3",
        imm: "h1",
        sm: "90-",
      },
      {
        as: one(0x111),
        text: "F2I{ftz}{.U64|.S64@72}.BF16{round}{ntz} d, -|b{half}|",
        is: "84:3=4 75:2=3",
        sm: "90-",
        imm: "b1",
      },
    ],
    time: "result",
  },
  {
    op: "F2I.F64",
    does: "d = b (f64) rounded to an integer type",
    slots: "d*itype <- b*2",
    imm: "f64",
    lines: [
      { as: one(0x111), text: "F2I{ftz}{itype64}.F64{round}{ntz} d, -|b|", is: "84:2=3", sm: "-89" },
      { as: one(0x111), text: "F2I{ftz}{itype64}.F64{round}{ntz} d, -|b|", is: "84:3=3", sm: "90-" },
    ],
    time: "result",
  },
  {
    op: "I2F",
    does: "d = float of integer b (f32 unless .F16 or .BF16)",
    slots: "d <- b",
    lines: [...i2f("fto16a", "75"), ...i2f("fto16b", "80-89"), ...i2f("fto16", "90-")],
    time: "result",
  },
  {
    op: "I2F.F64",
    does: "d (f64) = integer b",
    slots: "d*2 <- b",
    lines: [...i2d("75:2=3", "-89"), ...i2d("75:3=3", "90-")],
    time: "result",
  },
  {
    op: "I2F.64",
    does: "d = float of 64-bit integer b",
    slots: "d <- b*2",
    lines: [
      { as: one(0x112), text: "I2F{fto64a}.S64{rnd} d, b", is: "84:2=3 74=1", imm: "s32", sm: "-89" },
      { as: one(0x112), text: "I2F{fto64a}.U64{rnd} d, b", is: "84:2=3 74=0", sm: "-89" },
      { as: one(0x112), text: "I2F{fto64}.S64{rnd} d, b", is: "84:2=3 74=1", imm: "s32", sm: "90-" },
      { as: one(0x112), text: "I2F{fto64}.U64{rnd} d, b", is: "84:2=3 74=0", sm: "90-" },
    ],
    time: "result",
  },
  {
    op: "I2F.F64.64",
    does: "d (f64) = 64-bit integer b",
    slots: "d*2 <- b*2",
    lines: [
      { as: one(0x112), text: "I2F.F64.S64{rnd} d, b", is: "84:2=3 75:2=3 74=1", imm: "s32", sm: "-89" },
      { as: one(0x112), text: "I2F.F64.U64{rnd} d, b", is: "84:2=3 75:2=3 74=0", sm: "-89" },
      { as: one(0x112), text: "I2F.F64.S64{rnd} d, b", is: "84:2=3 75:3=3 74=1", imm: "s32", sm: "90-" },
      { as: one(0x112), text: "I2F.F64.U64{rnd} d, b", is: "84:2=3 75:3=3 74=0", sm: "90-" },
    ],
    time: "result",
  },
  {
    op: "I2I",
    does: "d = b saturated to a small integer type",
    slots: "d <- b",
    imm: "s32",
    lines: [{ as: one(0x38), text: "I2I{.U8|.S8|.U16|.S16@76:2}.S32.SAT d, b" }],
    time: "fixed",
  },
  {
    op: "I2FP",
    does: "d (f32) = 32-bit integer b",
    slots: "d <- b",
    lines: [...i2fp("|...???", "86-89"), ...i2fp("", "90-")],
    time: "fixed",
  },
  {
    op: "F2FP",
    does: "d = a and b (f32) rounded to halves and packed, a in the upper half",
    slots: "d <- a b",
    imm: "f32",
    lines: [
      { as: two(0x3e), text: f2fp("{_|.BF16@76}"), is: "78=0 81=0", fill: "64:8=255 86=0", sm: "80" },
      { as: two(0x3e), text: f2fp("{_|.BF16|~|?@76+86}"), is: "78=0 81=0", fill: "64:8=255", sm: "86-88" },
      { as: two(0x3e), text: packAb("!|!|.RZ@79:2"), is: "73:2=0 78=0 81=0 89:2=0", fill: "64:8=255", sm: "89" },
      { as: two(0x3e), text: packAb("?|?|.RZ|...???@79:3"), is: "73:2=0 78=0 89:2=0", fill: "64:8=255", sm: "90" },
      ...["!|!|.RZ|...!", "?|?|.RZ|...???"].map((rounding, i) => ({
        as: two(0x3e),
        text: `F2FP{_|.SATFINITE@77}{_|.RELU@75}{.F16|.BF16@76}.F32.PACK_AB{_|${rounding}@79:3} d, a, b`,
        is: "73:2=0 78=0 82:2=0 85:3=0 89:2=0",
        fill: "64:8=255",
        sm: i === 0 ? "100-103" : "110-",
      })),
    ],
    time: "fixed",
  },
  {
    op: "FRND",
    does: "d = b rounded to an integral value",
    slots: "d <- b",
    imm: "f32",
    lines: [
      { as: one(0x107), text: "FRND{ftz}{round} d, -|b|", is: "84:2=2 75:2=2", sm: "-89" },
      { as: one(0x107), text: "FRND{ftz}.F16{round} d, -|b{half}|", is: "84:2=1 75:2=1", imm: "h1", sm: "-89" },
      { as: one(0x107), text: "FRND{ftz}{round} d, -|b|", is: "84:3=2 75:3=2", sm: "90-" },
      { as: one(0x107), text: "FRND{ftz}.F16{round} d, -|b{half}|", is: "84:3=1 75:3=1", imm: "h1", sm: "90-" },
      { as: one(0x107), text: "FRND{ftz}.BF16{round} d, -|b{half}|", is: "84:3=4 75:3=4", sm: "90-", imm: "b1" },
    ],
    time: "result",
  },
  {
    op: "FRND.F64",
    does: "d = b rounded to an integral value, f64",
    slots: "d*2 <- b*2",
    imm: "f64",
    lines: [
      { as: one(0x113), text: "FRND{ftz}.F64{round} d, -|b|", is: "84:2=3 75:2=3", sm: "75" },
      { as: one(0x113), text: "FRND{ftz}{15=.F64|...???@75:2+84:2}{round} d, -|b|", sm: "80-89" },
      { as: one(0x113), text: "FRND{ftz}{27=.F64|...???@75:3+84:3}{round} d, -|b|", sm: "90-" },
    ],
    time: "result",
  },
];
