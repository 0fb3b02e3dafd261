/**
 * F2FP in all its kinds: floats rounded to 8-, 6- and 4-bit formats and back, two at a time. MERGE_C puts the result
 * beside a half of c, PACK_AB takes one number of a and one of b, UNPACK_B both of b.
 */
import type { Line, Rows } from "../row.js";
import { to90 } from "./conversion.js";
import { middle, one, registers, wide } from "./shapes.js";

const sat = "{_|.SATFINITE@77}";
const relu = "{_|.RELU@75}";
const to100 = "{?|?|?|?|?|?|.E2M3|.E3M2|.E5M2|.E4M3|?|?|.E8@76+85:3}";
/** Without a part of c; .S2_6 saturates unless told otherwise. */
const plain100 = [
  { head: `F2FP${sat}${relu}.E2M1`, is: "76=1 85:3=1", uniform: false },
  { head: `F2FP{.SATFINITE|_@77}${relu}.S2_6`, is: "76=1 85:3=5", uniform: true },
] as const;
/** Shapes without a uniform register as b, which nvdisasm refuses for .E2M1. */
const shapes = (all: string, uniform: boolean): string => (uniform ? all : all.replace(/\bR?UR=c3eu /, ""));
const rz = "{_|?|?|.RZ|...???@79:3}";
const rest = "{_|...???@79:3}";
/** The same of sm_89, where nvdisasm refuses what it has no name for. */
const rz89 = "{_|!|!|.RZ|...!@79:3}";
const rest89 = "{_|...!@79:3}";
const rounding = "{_|?|.RP|.RZ@79:2}";
/** b and c, either of which may be no register. */
const pairs = "RR=23e IR=83e CR=a3e XR=a3eu UR=c3eu RC=63e RX=63eu RU=e3eu";
const lastIsNumber = "RI=43e";

function merged(text: string, is: string, sm: string): Line[] {
  return [{ as: `${pairs} ${lastIsNumber}`, text: `${text} d, b, c{+half72}`, is, fill: "24:8=255", sm }];
}

function packed(text: string, is: string, sm: string): Line[] {
  return [{ as: `${wide(0x3e)} RRI=43e`, text: `${text} d, a, b, c{+half72}`, is, sm }];
}

/** MERGE_C of sm_80 to sm_88: without a type of b, and of other kinds where c is no register. */
function merged80(type: string, sm: string): Line[] {
  const text = (kind: string): string => `F2FP${sat}${relu}${type}${kind}{_|!|!|.RZ@79:2} d, b, c{+half72}`;
  const fill = "24:8=255";
  return [
    { as: "RR=23e IR=83e CR=a3e XR=a3eu UR=c3eu", text: text(".MERGE_C"), is: "78=1 81=0", fill, sm },
    { as: "RC=63e RX=63eu RU=e3eu RI=43e", text: text("{?|.MERGE_C|...???@78}"), is: "81=0", fill, sm },
  ];
}

/** Rounded with random bits from c. */
const random80 = (type: string, sm: string, is = "", as = `${wide(0x3e)} RRI=43e`): Line => ({
  as,
  text: `F2FP${sat}${relu}{_|...???@${type}}{.PACK_AB|.MERGE_C@78}.RS{_|.REG_RS@82}{.7b|_|.9b|.10b@83:2}{_|.LTN25@85} d, a, b, c{+half72}`,
  is: `79:3=4 ${is}`.trim(),
  sm,
});

/** Unpacked and scaled: what is no register in b or c. */
const scaled = "RR=63e UR=23eu RU=43eu IR=a3e RI=e3e";
const head100 = `F2FP${sat}${relu}{?|.BF16|...???@76+85:3}`;
const kind100 = "{?|?|.UNPACK_B|...???@78+89:2}";
const scale = "c{+.H0|.H1|.B0|.B1|.B2|.B3@24:3}";

export const float8Rows: Rows = [
  {
    op: "F2FP.PACK_B",
    does: "d = b rounded",
    slots: "d <- b",
    imm: "f32",
    lines: [
      {
        as: one(0x3e),
        text: `F2FP${relu}.TF32.F32.PACK_B${rz89} d, b`,
        is: "73:2=0 76=1 78=1 86:2=1 89:2=1",
        fill: "24:8=255 64:8=255",
        sm: "89",
      },
      {
        as: one(0x3e),
        text: `F2FP${relu}{?|?|?|.TF32|...???@76+86:2}.F32.PACK_B${rz} d, b`,
        is: "73:2=0 78=1 89:2=1",
        fill: "24:8=255 64:8=255",
        sm: "90",
      },
      {
        as: one(0x3e),
        text: `F2FP${sat}${relu}.TF32.F32.PACK_B{_|?|?|.RZ|...???@79:2} d, b`,
        is: "74=0 76=1 78=1 81=0 85:3=2 89:2=1",
        fill: "24:8=255 64:8=255",
        sm: "100-",
      },
    ],
    time: "fixed",
  },
  {
    op: "F2FP.MERGE_C",
    does: "d = b rounded, beside a half of c",
    slots: "d <- b c",
    imm: "f32",
    lines: [
      ...merged80("{_|.BF16@76}", "80"),
      ...merged80("{_|.BF16|~|?@76+86}", "86-88"),
      ...merged(`F2FP${sat}${relu}${to90}.F32.MERGE_C{_|!|!|.RZ@79:2}`, "73:2=0 78=1 81=0 89:2=0", "89"),
      ...merged(`F2FP${sat}${relu}${to90}.F32.MERGE_C${rz}`, "73:2=0 78=1 89:2=0", "90"),
      ...merged(
        `F2FP${sat}${relu}{.F16|.BF16@76}.F32.MERGE_C{_|?|?|.RZ|...???@79:2}`,
        "73:2=0 78=1 81=0 85:3=0 89:2=0",
        "100-",
      ),
      ...merged(`F2FP${sat}${relu}${to90}.F16.UNPACK_B_MERGE_C${rest89}`, "73:2=1 78=0 89:2=2", "89"),
      ...merged(`F2FP${sat}${relu}${to90}.F16.UNPACK_B_MERGE_C${rest}`, "73:2=1 78=0 89:2=2", "90"),
      ...merged(
        `F2FP${sat}${relu}${to100}{.F16|.BF16@83}.UNPACK_B_MERGE_C${rounding}`,
        "73:2=1 78=0 81=0 89:2=2",
        "100-",
      ),
      ...plain100.map(({ head, is, uniform }) => ({
        as: shapes(`${pairs} ${lastIsNumber}`, uniform),
        text: `${head}.BF16.UNPACK_B_MERGE_C d, b, c`,
        is: `73:2=1 78=0 79:3=0 83=1 89:2=2 ${is}`,
        fill: "24:8=255",
        sm: "100-",
      })),
    ],
    time: "fixed",
  },
  {
    op: "F2FP.PACK_AB_MERGE_C",
    does: "d = a and b rounded, beside a half of c (.RS: c holds random bits)",
    slots: "d <- a b c",
    imm: "f32",
    lines: [
      ...packed(`F2FP${sat}${relu}${to90}.F32.PACK_AB_MERGE_C${rest89}`, "73:2=0 78=1 89:2=2", "89"),
      ...packed(`F2FP${sat}${relu}${to90}.F32.PACK_AB_MERGE_C${rest}`, "73:2=0 78=1 89:2=2", "90"),
      ...packed(`F2FP${sat}${relu}${to100}.F32.PACK_AB_MERGE_C${rounding}`, "73:2=0 78=1 81=0 89:2=2", "100-"),
      ...plain100.map(({ head, is, uniform }) => ({
        as: shapes(`${wide(0x3e)} RRI=43e`, uniform),
        text: `${head}.F32.PACK_AB_MERGE_C d, a, b, c`,
        is: `73:2=0 78=1 79:3=0 89:2=2 ${is}`,
        sm: "100-",
      })),
      {
        as: `${wide(0x3e)} RRI=43e`,
        text: `F2FP${sat}${relu}${to100.replace("{?|?|?|?", "{?|?|?|.E2M1")}.F32.PACK_AB_MERGE_C.RS d, a, b, c`,
        is: "74=0 78=1 81=1 89:2=2",
        sm: "100-",
      },
      {
        as: `${wide(0x3e)} RRI=43e`,
        text: `F2FP${sat}${relu}{.F16|.BF16@76}.F32.PACK_AB.RS d, a, b, c`,
        is: "74=0 78=0 81=1 85:3=0 89:2=0",
        sm: "100-",
      },
    ],
    time: "fixed",
  },
  {
    op: "F2FP.UNPACK_B",
    does: "d = both numbers of b as halves",
    slots: "d <- b",
    imm: "f32",
    lines: [
      ...[rest89, rest].map((rounding, i) => ({
        as: one(0x3e),
        text: `F2FP${relu}${to90}{!|!|.E5M2|.E4M3@73:2}.UNPACK_B${rounding} d, b{+_|.H1@88}`,
        is: "78=0 89:2=1",
        fill: "24:8=255 64:8=255",
        sm: `${89 + i}`,
      })),
      {
        as: registers(0x3e),
        text: `F2FP${relu}.F16{?|?|.E5M2|.E4M3|?|?|.E2M3|.E3M2@73:2+82}.UNPACK_B d, b{_|.H1@88}`,
        is: "74=1 76:3=0 79:3=0 83=0 85:3=0 89:2=1",
        fill: "24:8=255 64:8=255",
        sm: "100-",
      },
      {
        as: "I=83e",
        text: `F2FP${relu}.F16{?|?|.E5M2|.E4M3|?|?|.E2M3|.E3M2@73:2+82}.UNPACK_B d, b`,
        is: "74=1 76:3=0 79:3=0 83=0 85:3=0 88:3=2",
        fill: "24:8=255 64:8=255",
        sm: "100-",
      },
      {
        as: registers(0x3e),
        text: `F2FP${relu}.F16.E2M1.UNPACK_B d, b{?|?|_|.B1|?|?|.B2|.B3@72:2+88}`,
        is: "73:2=1 76:3=0 79:3=0 82:2=1 85:3=0 89:2=1",
        fill: "24:8=255 64:8=255",
        sm: "100-",
      },
      {
        as: registers(0x3e),
        text: "F2FP.BF16.E8.UNPACK_B d, b{_|.H1@88}",
        is: "73:6=11 79:3=0 82:2=2 85:3=0 89:2=1",
        fill: "24:8=255 64:8=255",
        sm: "100-",
      },
    ],
    time: "fixed",
  },
  {
    op: "F2FP.BF16.UNPACK_B",
    does: "d = both numbers of b as halves, scaled by c",
    slots: "d <- b c",
    imm: "f32",
    lines: [
      {
        as: scaled,
        text: `${head100}{.E5M2|.E4M3|.E2M3|.E3M2|.S2_6|...!@73+82:2}${kind100}${rest} d, b{+_|.H1@88}, ${scale}`,
        is: "74=1",
        fill: "27:5=31",
        sm: "100-",
      },
      {
        as: scaled,
        text: `${head100}{!|!|~|.E2M1|~|...!@73+82:2}${kind100}${rest} d, b{+_|.B1|.B2|.B3@72+88}, ${scale}`,
        is: "74=0",
        fill: "27:5=31",
        sm: "100-",
      },
    ],
    time: "fixed",
  },
  {
    op: "F2FP.RS",
    does: "d = a and b rounded at random",
    slots: "d <- a b c",
    imm: "f32",
    lines: [
      random80("76", "80"),
      random80("76+86", "86-88"),
      random80("76+86:2", "89", "73:2=0 89:2=0", "RRI=43e RRC=63e RRX=63eu RRU=e3eu"),
      { ...random80("76+86:2", "89", "73:2=0 89:2=0", middle(0x3e)), not: "76=1; 86:2=!0" },
    ],
    time: "fixed",
  },
];
