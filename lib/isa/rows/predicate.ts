/** Logic of predicates with signs of registers, and the uniform instructions that ordinary code does not need. */
import type { Rows } from "../row.js";

const toHalf = "{?|?|?|?|?|?|?|?|?|_|...???@75:2+84:2}";
const halfRounding = "{_|?|?|.RZ|...???@79:3}";
const mask = "mask@32:4+80:4?";
const luts = "lut@72:8, lut2@16:8";

const signs: Rows = [
  {
    op: "PLOP3",
    does: "p = lut(a, b, c), q = lut2(a, b, c) of predicates and signs of registers",
    slots: "p:P q:P=PT <- pa:P b pc:P lut:I lut2:I",
    lines: [
      {
        as: "R=21d C=a1d X=a1du U=c1du",
        text: `PLOP3.LUT p@81, q@84, !pa@87, b.SIGN, !pc@68, ${luts}`,
        not: "75 67=1",
      },
    ],
    time: "fixed",
  },
  {
    op: "PLOP3",
    does: "the same with two signs",
    slots: "p:P q:P=PT <- pa:P b c lut:I lut2:I",
    lines: [{ as: "RR=21e CR=a1e XR=a1eu UR=c1eu", text: `PLOP3.LUT p@81, q@84, !pa@87, b.SIGN, c.SIGN, ${luts}` }],
    time: "fixed",
  },
  {
    op: "PLOP3",
    does: "the same with three signs",
    slots: "p:P q:P=PT <- a b c lut:I lut2:I",
    lines: [{ as: "RRR=21f RCR=a1f RXR=a1fu RUR=c1fu", text: `PLOP3.LUT p@81, q@84, a.SIGN, b.SIGN, c.SIGN, ${luts}` }],
    time: "fixed",
  },
];

const uniform: Rows = [
  {
    op: "UPLOP3",
    does: "p = lut(a, b, c), q = lut2(a, b, c) of predicates and signs of registers",
    slots: "p:UP q:UP=PT <- pa:UP b:UR pc:UP lut:I lut2:I",
    lines: [{ as: "29du", text: `UPLOP3.LUT p@81, q@84, !pa@87, b@32.SIGN, !pc@68, ${luts}` }],
    time: "fixed",
  },
  {
    op: "UPLOP3",
    does: "the same with two signs",
    slots: "p:UP q:UP=PT <- pa:UP b:UR c:UR lut:I lut2:I",
    lines: [{ as: "29eu", text: `UPLOP3.LUT p@81, q@84, !pa@87, b@32.SIGN, c@64.SIGN, ${luts}` }],
    time: "fixed",
  },
  {
    op: "UPLOP3",
    does: "the same with three signs",
    slots: "p:UP q:UP=PT <- a:UR b:UR c:UR lut:I lut2:I",
    lines: [{ as: "29fu", text: `UPLOP3.LUT p@81, q@84, a@24.SIGN, b@32.SIGN, c@64.SIGN, ${luts}` }],
    time: "fixed",
  },
  {
    op: "UCLEA",
    does: "d = address of constant a of bank b, scaled by n; p: it is out of bounds",
    slots: "d:UR*2 p:UP=PT <- a:UR*2 b:UR n:I",
    lines: [
      { as: "8bcu", text: "UCLEA d@16, p@81, a@24, b#32:16, n@73:4", sm: "-90" },
      { as: "cbcu", text: "UCLEA d@16, p@81, a@24, b@32, n@73:4", sm: "-90" },
      { as: "8bcu", text: "UCLEA d@16, p@81, a@24, b#32:16, n@73:5", sm: "100-" },
      { as: "cbcu", text: "UCLEA d@16, p@81, a@24, b@32, n@73:5", sm: "100-" },
    ],
    time: "fixed",
  },
  {
    op: "UP2UR",
    does: "d = a with a byte replaced by the uniform predicates of the mask b",
    slots: "d:UR <- a:UR b:UR",
    lines: [
      { as: "883u", text: "UP2UR{byte} d@16, UPR, a@24, b#32:32" },
      { as: "c83u", text: "UP2UR{byte} d@16, UPR, a@24, b@32" },
    ],
    effect: true,
    time: "fixed",
  },
  {
    op: "UR2UP",
    does: "the uniform predicates of the mask b = a byte of a",
    slots: "<- a:UR b:UR=255",
    lines: [
      { as: "884u", text: "UR2UP UPR, a@24{byte}, b#32:32?" },
      { as: "c84u", text: "UR2UP UPR, a@24{byte}, b@32" },
    ],
    effect: true,
    time: "fixed",
  },
  {
    op: "UF2FP.MERGE_C",
    does: "d = b as f16 beside a half of c",
    slots: "d:UR <- b:UR c:UR",
    imm: "f32",
    lines: [
      {
        as: "RR=2bau IR=8bau",
        text: `UF2FP${toHalf}.MERGE_C${halfRounding} d, b, c{half72}`,
        is: "78=1",
        sm: "86-110",
      },
      {
        as: "RI=4bau",
        text: `UF2FP${toHalf}{?|.MERGE_C|...???@78}${halfRounding} d, b, c`,
        fill: "78=1",
        sm: "86-110",
      },
    ],
    time: "fixed",
  },
  {
    op: "UF2FP.PACK_AB",
    does: "d = a and b as f16",
    slots: "d:UR <- a:UR b:UR",
    imm: "f32",
    lines: [{ as: "RR=2bau RI=8bau", text: `UF2FP${toHalf}.PACK_AB${halfRounding} d, a, b`, is: "78=0", sm: "86-110" }],
    time: "fixed",
  },
  {
    op: "UIADD3.64",
    does: "d = a + b + c, 64 bits",
    slots: "d:UR*2 co:UP=PT co2:UP=PT <- a:UR*2 b:UR*2 c:UR*2",
    imm: "s32",
    lines: [
      {
        as: "RRR=297u RIR=897u",
        text: "UIADD3.64 d, co@81?, co2@84?, -a, -b, -c",
        is: "74=0",
        fill: "77:4=15 87:4=15",
        sm: "75",
      },
    ],
    time: "fixed",
  },
  {
    op: "UIADD3.64.X",
    does: "d = a + b + c + ci + ci2, 64 bits",
    slots: "d:UR*2 co:UP=PT co2:UP=PT <- a:UR*2 b:UR*2 c:UR*2 ci:UP=!PT ci2:UP=!PT",
    imm: "s32",
    lines: [
      {
        as: "RRR=297u RIR=897u",
        text: "UIADD3.64.X d, co@81?, co2@84?, ~a, ~b, ~c, !ci@87, !ci2@77",
        is: "74=1",
        sm: "75",
      },
    ],
    time: "fixed",
  },
  {
    op: "ULEPC",
    does: "d (64 bits) = address of target, or of the next instruction",
    slots: "d:UR*2 <- target:L=none",
    lines: [
      { as: "3ceu", text: "ULEPC d@16", sm: "90-" },
      { as: "9ceu", text: "ULEPC d@16, target@24:58s", sm: "90-" },
    ],
    time: "fixed",
  },
  {
    op: "UVIRTCOUNT",
    does: "count of a pool of the SM, given back",
    slots: "<- n:UR",
    effect: true,
    lines: [
      { as: "44cu", text: "UVIRTCOUNT.DEALLOC.SMPOOL n@24", sm: "100-" },
      { as: "84c", text: "UVIRTCOUNT.DEALLOC.SMPOOL n#32:32", sm: "100-" },
    ],
    time: "fixed",
    sets: "any",
    decoupled: true,
  },
  {
    op: "LDCU",
    does: "d = constants at a global address, or at an offset in a bound constant buffer",
    slots: "d:UR*size <- base:UR*2=URZ off:I=0 pin:UP=PT ur:UR*2=none i:UR=URZ x:WORD=255 shift:I=0",
    widths:
      ".TEXUNPACK d*2; .U8.TEXUNPACK d=1; .S8.TEXUNPACK d=1; .U16.TEXUNPACK d=1; .S16.TEXUNPACK d=1; .128.TEXUNPACK d=1; .128.HDRUNPACK d=1",
    memory: ["const", "load"],
    bytes: "size",
    lines: [
      { as: "9acu", text: "LDCU{size}{_|.TEXUNPACK@80} d@16, [base@24?+off@38:32ss], !pin@87", sm: "100-110" },
      { as: "9acu", text: "LDCU{size}{unpack} d@16, [base@24?+off@38:32ss], !pin@87", sm: "120-" },
      {
        as: "bacu",
        text: "LDCU{size}{_|.TEXUNPACK@80} d@16, cx[ur@24][x{255=URZ|...?@64:8}+shift@37:17s]",
        sm: "100-110",
      },
      {
        as: "bacu",
        text: "LDCU{size}{unpack} d@16, cx[ur@24][i@64?+shift@37:17s]",
        sets: "any",
        sm: "120-",
      },
    ],
    time: "write",
  },
  {
    op: "LDCU.256",
    does: "d, e = 32 bytes of constants, those of the mask",
    slots: "e:UR*4 d:UR*4 <- k:C=none base:UR*2=URZ off:I=0 ur:UR*2=none i:UR=URZ shift:I=0 mask:I=255 pin:UP=PT",
    widths: "d#0:4 e#4:4",
    memory: ["const", "load"],
    bytes: 32,
    lines: [
      { as: "dacu", text: `LDCU.256 e@72:8, d@16, c[k@54:5][UR@24+@37:17s], ${mask}`, sm: "120-" },
      { as: "3acu", text: `LDCU.256 e@72:8, d@16, [base@24?+off@38:32ss], ${mask}, !pin@87`, sm: "120-" },
      { as: "5acu", text: `LDCU.256 e@72:8, d@16, cx[ur@24][i@64?+shift@37:17s], ${mask}`, sets: "any", sm: "120-" },
    ],
    time: "write",
  },
  {
    op: "ULDC",
    does: "d = constants at a global address",
    slots: "d:UR*size <- base:UR*2=URZ off:I=0 pin:UP=PT",
    memory: ["const", "load"],
    bytes: "size",
    lines: [
      { as: "8b8u", text: "ULDC{sizeC} d@16, [off@38:32]", is: "24:6=63", sm: "-90" },
      { as: "8b8u", text: "ULDC{sizeC} d@16, [base@24+off@38:32s], !pin@87", sm: "-90" },
    ],
    time: "fixed",
  },
];

export const predicateRows: Rows = [...signs, ...uniform.map((row) => ({ guard: "UP" as const, ...row }))];
