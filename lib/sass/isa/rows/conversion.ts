/** Conversions between number types. Those that touch 64 bits have opcodes of their own. */
import type { Rows } from "../row.js";
import { one, registers, two } from "./shapes.js";

export const conversionRows: Rows = [
  {
    op: "F2F",
    does: "d = b converted between float types, .TO.FROM",
    slots: "d <- b",
    imm: "f32",
    lines: [
      { as: one(0x104), text: "F2F{ftz}{fto}.F32{rnd} d, -|b|", is: "84:3=2" },
      { as: one(0x104), text: "F2F{ftz}{fto}.F16{rnd} d, -|b{half}|", is: "84:3=1", imm: "h1" },
      { as: one(0x104), text: "F2F{ftz}{fto}.BF16{rnd} d, -|b{half}|", is: "84:3=4", sm: "90-", imm: "b1" },
    ],
    time: "result",
  },
  {
    op: "F2F.F64",
    does: "d (f64) = b",
    slots: "d*2 <- b",
    imm: "f32",
    lines: [
      { as: one(0x110), text: "F2F{ftz}.F64.F32{rnd} d, -|b|", is: "75:3=3 84:3=2" },
      { as: one(0x110), text: "F2F{ftz}.F64.F16{rnd} d, -|b{half}|", is: "75:3=3 84:3=1", imm: "h1" },
      { as: one(0x110), text: "F2F{ftz}.F64.BF16{rnd} d, -|b{half}|", is: "75:3=3 84:3=4", sm: "90-", imm: "b1" },
    ],
    time: "result",
  },
  {
    op: "F2F.TO.F64",
    does: "d = b (f64)",
    slots: "d <- b*2",
    imm: "f64",
    lines: [{ as: one(0x110), text: "F2F{ftz}{fto}.F64{rnd} d, -|b|", is: "84:3=3" }],
    time: "result",
  },
  {
    op: "F2I",
    does: "d = b rounded to an integer type (.NTZ: NaN gives the largest value)",
    slots: "d <- b",
    imm: "f32",
    lines: [
      { as: one(0x105), text: "F2I{ftz}{itype}{round}{ntz} d, -|b|", is: "84:3=2" },
      { as: one(0x105), text: "F2I{ftz}{itype}.F16{round}{ntz} d, -|b{half}|", is: "84:3=1", imm: "h1" },
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
      { as: one(0x111), text: "F2I{ftz}{.U64|.S64@72}{round}{ntz} d, -|b|", is: "84:3=2 75:2=3" },
      { as: one(0x111), text: "F2I{ftz}{.U64|.S64@72}.F16{round}{ntz} d, -|b{half}|", is: "84:3=1 75:2=3", imm: "h1" },
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
    lines: [{ as: one(0x111), text: "F2I{ftz}{itype64}.F64{round}{ntz} d, -|b|", is: "84:3=3" }],
    time: "result",
  },
  {
    op: "I2F",
    does: "d = float of integer b (f32 unless .F16 or .BF16)",
    slots: "d <- b",
    lines: [
      { as: one(0x106), text: "I2F{fto16}{rnd} d, b", is: "84:2=2 74=1", imm: "s32" },
      { as: one(0x106), text: "I2F{fto16}.U32{rnd} d, b", is: "84:2=2 74=0" },
      { as: registers(0x106), text: "I2F{fto16}{int16}{rnd} d, b{half}", is: "84:2=1", imm: "h1" },
      { as: registers(0x106), text: "I2F{fto16}{int8}{rnd} d, b{byteOf}", is: "84:2=0" },
    ],
    time: "result",
  },
  {
    op: "I2F.F64",
    does: "d (f64) = integer b",
    slots: "d*2 <- b",
    lines: [
      { as: one(0x112), text: "I2F.F64{rnd} d, b", is: "84:2=2 75:3=3 74=1", imm: "s32" },
      { as: one(0x112), text: "I2F.F64.U32{rnd} d, b", is: "84:2=2 75:3=3 74=0" },
      { as: registers(0x112), text: "I2F.F64{int16}{rnd} d, b{half}", is: "84:2=1 75:3=3", imm: "h1" },
      { as: registers(0x112), text: "I2F.F64{int8}{rnd} d, b{byteOf}", is: "84:2=0 75:3=3" },
    ],
    time: "result",
  },
  {
    op: "I2F.64",
    does: "d = float of 64-bit integer b",
    slots: "d <- b*2",
    lines: [
      { as: one(0x112), text: "I2F{fto16}.S64{rnd} d, b", is: "84:2=3 74=1", imm: "s32" },
      { as: one(0x112), text: "I2F{fto16}.U64{rnd} d, b", is: "84:2=3 74=0" },
    ],
    time: "result",
  },
  {
    op: "I2F.F64.64",
    does: "d (f64) = 64-bit integer b",
    slots: "d*2 <- b*2",
    lines: [
      { as: one(0x112), text: "I2F.F64.S64{rnd} d, b", is: "84:2=3 75:3=3 74=1", imm: "s32" },
      { as: one(0x112), text: "I2F.F64.U64{rnd} d, b", is: "84:2=3 75:3=3 74=0" },
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
    lines: [
      { as: one(0x45), text: "I2FP.F32.U32{_|?|?|.RZ@78:2} d, b", is: "75:3=2 84:2=2 74=0", sm: "86-" },
      { as: one(0x45), text: "I2FP.F32.S32{_|?|?|.RZ@78:2} d, b", is: "75:3=2 84:2=2 74=1", imm: "s32", sm: "86-" },
    ],
    time: "fixed",
  },
  {
    op: "F2FP",
    does: "d = a and b (f32) rounded to halves and packed, a in the upper half",
    slots: "d <- a b",
    imm: "f32",
    lines: [
      {
        as: two(0x3e),
        text: "F2FP{_|.SATFINITE@77}{_|.RELU@75}{.F16|.BF16@76}.F32.PACK_AB{_|?|?|.RZ|...???@79:2} d, a, b",
        is: "78=0 81=0 85:3=0 89:2=0",
        fill: "64:8=255",
        sm: "90-",
      },
    ],
    time: "fixed",
  },
  {
    op: "FRND",
    does: "d = b rounded to an integral value",
    slots: "d <- b",
    imm: "f32",
    lines: [
      { as: one(0x107), text: "FRND{ftz}{round} d, -|b|", is: "84:3=2 75:3=2 77=0" },
      { as: one(0x107), text: "FRND{ftz}.F16{round} d, -|b{half}|", is: "84:3=1 75:3=1 77=0", imm: "h1" },
      { as: one(0x107), text: "FRND{ftz}.BF16{round} d, -|b{half}|", is: "84:3=4 75:3=4", sm: "90-", imm: "b1" },
    ],
    time: "result",
  },
  {
    op: "FRND.F64",
    does: "d = b rounded to an integral value, f64",
    slots: "d*2 <- b*2",
    imm: "f64",
    lines: [{ as: one(0x113), text: "FRND{ftz}.F64{round} d, -|b|", is: "84:3=3 75:3=3" }],
    time: "result",
  },
];
