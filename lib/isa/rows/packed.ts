/** Arithmetic on several small numbers at once, and conversions that pack them. */
import { type Rows, shared } from "../row.js";
import { either, middle, two } from "./shapes.js";

const f2 = ".F32x2.HI_LO|.F32x2.LO_HI|.F32/4";
const q = "{.B3210|.B3|.B2|.B1|.B0|.N7654|.N3210|.N6420";
const qc = "{.B3210|.B3|.B2|.B1|.B0@85:3}";
const quarter = "{.E5M2x4|.E4M3x4|~|?@88:2}{.E5M2x4|.E4M3x4|~|.E3M2x4|.E2M3x4|.E2M1x4|.E0M3x4|.E8x4@77:3}";
const quarterB = "{.E5M2x4|.E4M3x4|~|.E3M2x4|.E2M3x4|.E2M1x4|.E0M3x4|.E8x4@80:3}";
const sat = "{_|.SATFINITE@90}";
const qa = `-|a|@24-73%122${q}@74:3}`;
const qb = `-|b|@32%123${q}@59:3}`;
const qub = `-|ub|@32${q}@59:3}`;

const mnmx3 = (type: string): string =>
  `VHMNMX${type}{ftz}{nan}{xorsign} d, -|a|{h}, -|b|{h}, -|c|{_|?|.H0_H0|.H1_H1@76:2}, !pin@87`;

export const packedRows: Rows = shared({ time: "fixed" }, [
  {
    op: "FADD2",
    does: "d = a + b in both of two f32",
    slots: "d*2 <- a*2 b*2",
    imm: "f32",
    lines: [
      {
        as: "Rq=24b RU=e4bu",
        text: `FADD2{ftz}{rnd} d, -|a|{${f2}@81:2}{_|.NP@83}, -|b|{${f2}@84:2}{_|.NP@86}`,
        sm: "100-103",
      },
      { as: "RI=44b", text: `FADD2{ftz}{rnd} d, -|a|{${f2}@81:2}{_|.NP@83}, b{+_|.NP@86}`, sm: "100-103" },
    ],
  },
  {
    op: "FMUL2",
    does: "d = a * b in both of two f32",
    slots: "d*2 <- a*2 b*2",
    imm: "f32",
    lines: [
      { as: "RR=24a RU=c4au", text: `FMUL2{fmz}{rnd} d, -|a|{${f2}@81:2}{_|.NP@83}, -|b|{${f2}@87:2}`, sm: "100-103" },
      { as: "RI=84a", text: `FMUL2{fmz}{rnd} d, -|a|{${f2}@81:2}{_|.NP@83}, b`, fill: "88=1", sm: "100-103" },
    ],
  },
  {
    op: "FFMA2",
    does: "d = a * b + c in both of two f32",
    slots: "d*2 <- a*2 b*2 c*2",
    imm: "f32",
    lines: [
      {
        as: "RRR=249 RUR=c49u RRU=e49u RIR=849",
        text: `FFMA2{fmz}{rnd} d, -|a|{${f2}@81:2}{_|.NP@83}, -|b|{${f2}@87:2}, -|c|{${f2}@84:2}{_|.NP@86}`,
        sm: "100-103",
      },
      {
        as: "RRI=449",
        text: `FFMA2{fmz}{rnd} d, -|a|{${f2}@81:2}{_|.NP@83}, -|b|{${f2}@87:2}, c{+_|.NP@86}`,
        sm: "100-103",
      },
    ],
  },
  {
    op: "FMNMX3",
    does: "d = pin ? min(a, b, c) : max(a, b, c)",
    slots: "d <- a b c pin:P=PT",
    imm: "f32",
    lines: [{ as: middle(0x76), text: "FMNMX3{ftz}{nan} d, -|a|, -|b|, -|c|, !pin@87", sm: "100-110" }],
  },
  {
    op: "VHMNMX",
    does: "d = pin ? min(a, b, c) : max(a, b, c) in both halves",
    slots: "d <- a b c pin:P=PT",
    imm: "h2",
    signOfC: 84,
    lines: [
      { as: middle(0x47), text: mnmx3("{_|?|!|~@78+85}"), sm: "90" },
      { as: middle(0x47), text: mnmx3("{_|?|!|?@78+85}"), sm: "100-103" },
      { as: middle(0x47), text: mnmx3(".BF16_V2"), imm: "bf2", is: "78=0 85=1", sm: "90-103" },
    ],
  },
  {
    op: "IMNMX",
    does: "d = pin ? min(a, b) : max(a, b)",
    slots: "d <- a b pin:P=PT",
    imm: "s32",
    lines: [{ as: two(0x17), text: "IMNMX{u32} d, a, b, !pin@87", sm: "100-103" }],
  },
  {
    op: "F2IP",
    does: "d = a and b as 8-bit integers, packed below c",
    slots: "d <- a b c",
    imm: "f32",
    lines: [
      {
        as: either(0x43),
        text: "F2IP{.U8|.S8@76:2}.F32{_|?|?|.TRUNC@78:2}{_|.NTZ@74}{_|.RELU@75} d, a, b, c{+half72}",
        sm: "86-",
      },
    ],
  },
  {
    op: "I2FP.F16x2",
    does: "d = two 4-bit integers of b as f16",
    slots: "d <- b",
    lines: [
      {
        as: "R=445 U=e45u",
        text: "I2FP.F16x2{.U4x2|.S4x2@74}{_|?|?|.RZ@78:2} d, b{_|.B1|.B2|.B3@80:2}",
        sm: "100-103",
      },
    ],
  },
  {
    op: "QADD4",
    does: "d = a + c in four 8-bit floats",
    slots: "d <- a c=none uc:UR=none",
    lines: [
      { as: "27d", text: `QADD4${quarter}${sat} d, ${qa}, -|c|@64-84%124${qc}`, sm: "100-103" },
      { as: "47d", text: `QADD4${quarter}${sat} d, ${qa}, c#32:32`, sm: "100-103" },
      { as: "e7du", text: `QADD4${quarter}${sat} d, ${qa}, -|uc|@64-84${qc}`, sm: "100-103" },
    ],
  },
  {
    op: "QMUL4",
    does: "d = a * b in four 8-bit floats",
    slots: "d <- a b=none ub:UR=none",
    lines: [
      { as: "27c", text: `QMUL4${quarter}${quarterB}${sat} d, ${qa}, ${qb}`, sm: "100-103" },
      { as: "87c", text: `QMUL4${quarter}${quarterB}${sat} d, ${qa}, b#32:32`, sm: "100-103" },
      { as: "c7cu", text: `QMUL4${quarter}${quarterB}${sat} d, ${qa}, ${qub}`, sm: "100-103" },
    ],
  },
  {
    op: "QFMA4",
    does: "d = a * b + c in four 8-bit floats",
    slots: "d <- a b=none ub:UR=none c=none uc:UR=none",
    lines: [
      { as: "27b", text: `QFMA4${quarter}${quarterB}${sat} d, ${qa}, ${qb}, -|c|@64-84%124${qc}`, sm: "100-103" },
      {
        as: "47b",
        text: `QFMA4${quarter}${quarterB}${sat} d, ${qa}, -|b|@64-84%123${q}@85:3}, c#32:32`,
        sm: "100-103",
      },
      { as: "87b", text: `QFMA4${quarter}${quarterB}${sat} d, ${qa}, b#32:32, -|c|@64-84%124${qc}`, sm: "100-103" },
      { as: "c7bu", text: `QFMA4${quarter}${quarterB}${sat} d, ${qa}, ${qub}, -|c|@64-84%124${qc}`, sm: "100-103" },
      { as: "e7bu", text: `QFMA4${quarter}${quarterB}${sat} d, ${qa}, ${qb}, -|uc|@64-84${qc}`, sm: "100-103" },
    ],
  },
]);
