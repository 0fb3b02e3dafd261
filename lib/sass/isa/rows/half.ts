/** Arithmetic on pairs of halves (f16x2, bf16x2). `.H0_H0` and `.H1_H1` use one half for both. */
import type { Rows } from "../row.js";
import { either, outer, two } from "./shapes.js";

export const halfRows: Rows = [
  {
    op: "HADD2",
    does: "d = a + b in both halves (.F32: one half of each, to f32)",
    slots: "d <- a b",
    imm: "h2",
    lines: [
      { as: outer(0x30), text: "HADD2{_|.F32@78}{ftz}{sat} d, -|a|{h75}, -|b|{h75}", sm: "75" },
      { as: outer(0x30), text: "HADD2{ftz}{sat} d, -|a|{h}, -|b|{h}", is: "78=0 85=0", sm: "80-" },
      { as: outer(0x30), text: "HADD2.F32{ftz}{sat} d, -a{h}, -|b|{h}", is: "78=1 85=0", imm: "h1", sm: "80-" },
      {
        as: outer(0x30),
        text: "HADD2.BF16_V2{ftz}{sat} d, -|a|{h}, -|b|{h}",
        imm: "bf2",
        is: "78=0 85=1",
        sm: "90-",
      },
    ],
    time: "fixed",
  },
  {
    op: "HMUL2",
    does: "d = a * b in both halves",
    slots: "d <- a b",
    imm: "h2",
    lines: [
      { as: two(0x32), text: "HMUL2{_|.F32@78}{fmz}{sat} d, -|a|{h75}, -|b|{h75}", sm: "75" },
      { as: two(0x32), text: "HMUL2{fmz}{sat} d, -|a|{h}, -|b|{h}", is: "78=0 85=0", sm: "80-" },
      {
        as: two(0x32),
        text: "HMUL2.BF16_V2{fmz}{sat} d, -|a|{h}, -|b|{h}",
        imm: "bf2",
        is: "78=0 85=1",
        sm: "80-",
      },
    ],
    time: "fixed",
  },
  {
    op: "HFMA2",
    does: "d = a * b + c in both halves",
    slots: "d <- a b c",
    imm: "h2",
    signOfC: 84,
    lines: [
      { as: either(0x31), text: "HFMA2{_|.F32@78}{fmz}{sat} d, -|a|{h75}, -|b|{h75}, -|c|{h75}", sm: "75" },
      {
        as: either(0x31),
        text: "HFMA2{_|.F32@78}{fmz}{sat} d, -|a|{h}, -|b|{h}, -|c|{h}",
        is: "79=0 85=0 86=0",
        sm: "80-",
      },
      {
        as: either(0x31),
        text: "HFMA2.BF16_V2{fmz}{sat} d, -|a|{h}, -|b|{h}, -|c|{h}",
        imm: "bf2",
        is: "79=0 85=1 86=0 78=0",
        sm: "80-",
      },
      {
        as: either(0x31),
        text: "HFMA2.BF16_V2{fmz}.RELU d, -|a|{h}, -|b|{h}, -|c|{h}",
        imm: "bf2",
        is: "78:2=2 85=1 86=0 87:4=7",
        sm: "80-",
      },
      {
        as: either(0x31),
        text: "HFMA2{fmz}.RELU d, -|a|{h}, -|b|{h}, -|c|{h}",
        is: "78:2=2 85=0 86=0 87:4=7",
        sm: "80-",
      },
    ],
    time: "fixed",
  },
  {
    op: "HFMA2.MMA",
    does: "d = a * b + c in both halves, on the tensor pipe",
    slots: "d <- a b c",
    imm: "h2",
    signOfC: 84,
    lines: [
      { as: either(0x35), text: "HFMA2.MMA{fmz}{sat} d, -|a|, -|b|, -|c|", is: "79=0 78=0 85=0", sm: "80-90" },
      {
        as: either(0x35),
        text: "HFMA2.MMA.BF16_V2{fmz}{sat} d, -|a|, -|b|, -|c|",
        imm: "bf2",
        is: "79=0 78=0 85=1",
        sm: "80-90",
      },
    ],
    time: "fixed",
  },
  {
    op: "HMNMX2",
    does: "d = pin ? min(a, b) : max(a, b) in both halves",
    slots: "d <- a b pin:P=PT",
    imm: "h2",
    lines: [
      {
        as: two(0x40),
        text: "HMNMX2{ftz}{nan}{xorsign} d, -|a|{h}, -|b|{h}, !pin@87",
        is: "65=0 78=0 85=0",
        sm: "80-",
      },
      {
        as: two(0x40),
        text: "HMNMX2.BF16_V2{ftz}{nan}{xorsign} d, -|a|{h}, -|b|{h}, !pin@87",
        is: "65=0 78=0 85=1",
        imm: "bf2",
        sm: "80-",
      },
    ],
    time: "fixed",
  },
  {
    op: "HSETP2",
    does: "p, q = (a cmp b) bool pin of the low and the high half (.H_AND: p = both, q = not both)",
    slots: "p:P q:P=PT <- a b pin:P=PT",
    imm: "h2",
    lines: [
      {
        as: outer(0x34),
        text: "HSETP2{fcmp}{_|.H_AND@71}{ftz}{.AND|.OR|.XOR@69:2} p@81, q@84, -|a|{h}, -|b|{h}, !pin@87",
        is: "64:2=0",
      },
      {
        as: outer(0x34),
        text: "HSETP2.BF16_V2{fcmp}{_|.H_AND@71}{ftz}{.AND|.OR|.XOR@69:2} p@81, q@84, -|a|{h}, -|b|{h}, !pin@87",
        imm: "bf2",
        is: "64:2=2",
        sm: "90-",
      },
    ],
    time: "fixed",
  },
  {
    op: "HSET2",
    does: "d = (a cmp b) bool pin of each half, as mask or (.BF) 1.0",
    slots: "d <- a b pin:P=PT",
    imm: "h2",
    lines: [
      {
        as: outer(0x33),
        text: "HSET2{_|.BF@71}{fcmp}{ftz}{.AND|.OR|.XOR@69:2} d, -|a|{h}, -|b|{h}, !pin@87",
        is: "64:2=0",
      },
      {
        as: outer(0x33),
        text: "HSET2.BF16_V2{_|.BF@71}{fcmp}{ftz}{.AND|.OR|.XOR@69:2} d, -|a|{h}, -|b|{h}, !pin@87",
        imm: "bf2",
        is: "64:2=2",
        sm: "90-",
      },
    ],
    time: "fixed",
  },
];
