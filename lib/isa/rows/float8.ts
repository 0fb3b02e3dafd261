/**
 * F2FP in all its kinds: floats rounded to 8-, 6- and 4-bit formats and back, two at a time. MERGE_C puts the result
 * beside a half of c, PACK_AB takes one number of a and one of b, UNPACK_B both of b.
 */
import { type Line, type Rows, shared } from "../row.js";
import { to90 } from "./conversion.js";
import { middle, one, wide } from "./shapes.js";

const sat = "{_|.SATFINITE@77}";
const relu = "{_|.RELU@75}";
const rz = "{_|?|?|.RZ|...???@79:3}";
const rest = "{_|...???@79:3}";
/** The same of sm_89, where nvdisasm refuses what it has no name for. */
const rz89 = "{_|!|!|.RZ|...!@79:3}";
const rest89 = "{_|...!@79:3}";
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

/** From sm_100 on. What has no name there is refused up to sm_103; there alone is rounding with random bits from c. */
const newer = [
  { sm: "100-103", u: "!", end: "...!" },
  { sm: "110-", u: "?", end: "...???" },
].map(({ sm, u, end }) => ({
  sm,
  strict: end === "...!",
  rounding: `{_|${u}|.RP|.RZ|${end}@79:3}`,
  half: `{_|${u}|${u}|.RZ|${end}@79:3}`,
  none: `{_|${end}@79:3}`,
}));
type Newer = (typeof newer)[number];
const to100 = "{!|!|!|!|!|!|.E2M3|.E3M2|.E5M2|.E4M3|~|!|.E8|...!@76+85:3}";
/** `%K` in the text is the kind. Where c is no register and names are printed, the other kinds have none. */
function one100(era: Newer, as: string, kind: string, text: string, is: string): Line {
  const code = kinds.indexOf(kind);
  return { as, text: text.replace("%K", kind), is: `${is} 78=${code & 1} 89:2=${code >> 1}`, sm: era.sm };
}
function other100(era: Newer, as: string, kind: string, text: string, is: string): Line {
  if (era.strict) return one100(era, as, kind, text, is);
  const list = "?|".repeat(kinds.indexOf(kind));
  return { as, text: text.replace("%K", `{${list}${kind}|...???@78+89:2}`), is, sm: era.sm };
}
const kinds = ["", ".MERGE_C", "", "", ".UNPACK_B_MERGE_C", ".PACK_AB_MERGE_C"];

function lines100(era: Newer, shapes: readonly [string, string], kind: string, text: string, is: string): Line[] {
  if (era.strict) return [one100(era, shapes.join(" "), kind, text, is)];
  return [one100(era, shapes[0], kind, text, is), other100(era, shapes[1], kind, text, is)];
}

/** .E2M1 saturates, .S2_6 unless told otherwise; neither takes a part of c. */
function plain100(era: Newer, shapes: readonly [string, string], kind: string, from: string, to: string, is: string) {
  const rounded = era.strict ? " 79:3=0" : "";
  const four = (sat: string): string => `F2FP${sat}${relu}{~|.E2M1@76}${from}%K${era.none} ${to}`;
  const six = `F2FP{.SATFINITE|_@77}${relu}.S2_6${from.replace(".F16", "!")}%K${era.none} ${to}`;
  return [
    one100(era, shapes[0], kind, four(".SATFINITE"), `${is} 77=1 85:3=1${rounded}`),
    other100(era, shapes[1], kind, four("{?|.SATFINITE|...???@77}"), `${is} 85:3=1${rounded}`),
    ...lines100(era, shapes, kind, six, `${is} 76=1 85:3=5${rounded}`),
  ];
}

const bc: readonly [string, string] = ["RR=23e IR=83e UR=c3eu", "RI=43e RU=e3eu"];
function merged100(era: Newer): Line[] {
  const head = `F2FP${sat}${relu}`;
  const from = "{.F16|.BF16@83}";
  const to = "d, b, c{+half72}";
  return [
    ...lines100(era, bc, ".MERGE_C", `${head}{.F16|.BF16@76}.F32%K${era.half} ${to}`, "73:2=0 82:2=0 85:3=0"),
    ...lines100(era, bc, ".UNPACK_B_MERGE_C", `${head}${to100}${from}%K${era.rounding} ${to}`, "73:2=1 82=0"),
    ...plain100(era, bc, ".UNPACK_B_MERGE_C", from, "d, b, c", "73:2=1 82=0"),
  ].map((l) => ({ ...l, fill: "24:8=255" }));
}

const abc: readonly [string, string] = ["RRR=23e RIR=83e RUR=c3eu", "RRI=43e RRU=e3eu"];
function packed100(era: Newer): Line[] {
  const head = `F2FP${sat}${relu}`;
  const kind = ".PACK_AB_MERGE_C";
  const out = [
    ...lines100(era, abc, kind, `${head}${to100}.F32%K${era.rounding} d, a, b, c{+half72}`, "73:2=0 82:2=0"),
    ...plain100(era, abc, kind, ".F32", "d, a, b, c", "73:2=0 82:2=0"),
  ];
  if (!era.strict) return out;
  // Rounded with random bits from c.
  const as = abc.join(" ");
  const types = "{!|!|~|.E2M1|!|!|.E2M3|.E3M2|.E5M2|.E4M3|~|...!@76+85:3}";
  const is = "73:2=0 79:3=4 82:2=0";
  return [
    ...out,
    { as, text: `${head}{.F16|.BF16@76}.F32.PACK_AB.RS d, a, b, c`, is: `${is} 78=0 85:3=0 89:2=0`, sm: era.sm },
    one100(era, as, ".MERGE_C", `${head}${types}.F32%K.RS d, a, b, c`, is),
    one100(era, as, kind, `${head}${types}.F32%K.RS d, a, b, c`, is),
  ];
}

function unpacked100({ sm, none, strict }: Newer): Line[] {
  const rest = strict ? "79:3=0 85:3=0 89:2=1" : "85:3=0 89:2=1";
  const from = "{!|!|.E5M2|.E4M3|~|!|.E2M3|.E3M2|~|...!@73:2+82:2}";
  return [
    { text: `F2FP${relu}.F16${from}.UNPACK_B${none} d, b{+_|.H1@88}`, is: `76:3=0 ${rest}` },
    { text: `F2FP${relu}.F16.E2M1.UNPACK_B${none} d, b{+_|.B1|.B2|.B3@72+88}`, is: `73:2=1 76:3=0 82:2=1 ${rest}` },
    { text: `F2FP.BF16.E8.UNPACK_B${none} d, b{+_|.H1@88}`, is: `73:2=3 76:3=1 82:2=2 ${rest}` },
  ].map((l) => ({ as: one(0x3e), ...l, fill: "24:8=255 64:8=255", sm }));
}

export const float8Rows: Rows = shared({ imm: "f32", time: "fixed" }, [
  {
    op: "F2FP.PACK_B",
    does: "d = b rounded",
    slots: "d <- b",
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
      ...newer.map(({ sm, half }) => ({
        as: one(0x3e),
        text: `F2FP${sat}${relu}.TF32.F32.PACK_B${half} d, b`,
        is: "73:2=0 76=1 78=1 82:2=0 85:3=2 89:2=1",
        fill: "24:8=255 64:8=255",
        sm,
      })),
    ],
  },
  {
    op: "F2FP.MERGE_C",
    does: "d = b rounded, beside a half of c",
    slots: "d <- b c",
    lines: [
      ...merged80("{_|.BF16@76}", "80"),
      ...merged80("{_|.BF16|~|?@76+86}", "86-88"),
      ...merged(`F2FP${sat}${relu}${to90}.F32.MERGE_C{_|!|!|.RZ@79:2}`, "73:2=0 78=1 81=0 89:2=0", "89"),
      ...merged(`F2FP${sat}${relu}${to90}.F32.MERGE_C${rz}`, "73:2=0 78=1 89:2=0", "90"),
      ...merged(`F2FP${sat}${relu}${to90}.F16.UNPACK_B_MERGE_C${rest89}`, "73:2=1 78=0 89:2=2", "89"),
      ...merged(`F2FP${sat}${relu}${to90}.F16.UNPACK_B_MERGE_C${rest}`, "73:2=1 78=0 89:2=2", "90"),
      ...newer.flatMap(merged100),
    ],
  },
  {
    op: "F2FP.PACK_AB_MERGE_C",
    does: "d = a and b rounded, beside a half of c (.RS: c holds random bits)",
    slots: "d <- a b c",
    lines: [
      ...packed(`F2FP${sat}${relu}${to90}.F32.PACK_AB_MERGE_C${rest89}`, "73:2=0 78=1 89:2=2", "89"),
      ...packed(`F2FP${sat}${relu}${to90}.F32.PACK_AB_MERGE_C${rest}`, "73:2=0 78=1 89:2=2", "90"),
      ...newer.flatMap(packed100),
    ],
  },
  {
    op: "F2FP.UNPACK_B",
    does: "d = both numbers of b as halves",
    slots: "d <- b",
    lines: [
      ...[rest89, rest].map((rounding, i) => ({
        as: one(0x3e),
        text: `F2FP${relu}${to90}{!|!|.E5M2|.E4M3@73:2}.UNPACK_B${rounding} d, b{+_|.H1@88}`,
        is: "78=0 89:2=1",
        fill: "24:8=255 64:8=255",
        sm: `${89 + i}`,
      })),
      ...newer.flatMap(unpacked100),
    ],
  },
  {
    op: "F2FP.BF16.UNPACK_B",
    does: "d = both numbers of b as halves, scaled by c",
    slots: "d <- b c",
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
  },
  {
    op: "F2FP.RS",
    does: "d = a and b rounded at random",
    slots: "d <- a b c",
    lines: [
      random80("76", "80"),
      random80("76+86", "86-88"),
      random80("76+86:2", "89", "73:2=0 89:2=0", "RRI=43e RRC=63e RRX=63eu RRU=e3eu"),
      { ...random80("76+86:2", "89", "73:2=0 89:2=0", middle(0x3e)), not: "76=1; 86:2=!0" },
    ],
  },
]);
