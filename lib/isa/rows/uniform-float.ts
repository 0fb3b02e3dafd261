/**
 * The uniform datapath of sm_120 on: floats, conversions, packed integers. Most instructions are those on vector registers
 * with uniform ones in their places.
 */
import { type Row, type Rows, shared } from "../row.js";
import { holdsFor } from "../syntax.js";
import { conversionRows } from "./conversion.js";
import { floatRows } from "./float.js";
import { integerRows } from "./integer.js";
import { packedRows } from "./packed.js";

const sm = "120-";
const vector = [integerRows, floatRows, packedRows, conversionRows].flat();

/** The encodings with registers and immediates only, bits 8:0 of the opcode being `base`. */
function encodings(as: string, base: number): string {
  const items = as.split(" ").map((item) => item.split("="));
  return items
    .filter(([shape]) => /^[RIrq]+$/.test(shape!))
    .map(
      ([shape, code]) => `${shape!.replace("q", "r")}=${((Number.parseInt(code!, 16) & 0xe00) | base).toString(16)}u`,
    )
    .join(" ");
}

const inUniform = (slot: string): string =>
  slot.replace(/^([a-z]\w*)(:P)?(?=[*=]|$)/, (_, name, p) => `${name}:${p ? "UP" : "UR"}`);

/** Rows of a vector instruction as ones of the uniform datapath: U before the name, `base` for bits 8:0 of the opcode. */
function like(op: string, base: number): Row[] {
  return vector
    .filter((r) => r.op === op && r.lines.some((l) => holdsFor(l.sm, 120)))
    .map((r) => ({
      ...r,
      op: `U${r.op}`,
      slots: r.slots.split(" ").map(inUniform).join(" "),
      lines: r.lines
        .filter((l) => holdsFor(l.sm, 120))
        .map((l) => ({ ...l, as: encodings(l.as, base), text: `U${l.text}`, sm })),
      time: "fixed",
    }));
}

const to = "{.BF16|.F16|?|.TF32|.E5M2|.E4M3|...???@75:3}";
const head = `UF2FP{_|.SATFINITE@82}{_|.RELU@74}${to}`;
const [rz, undefinedRounding] = ["{_|?|?|.RZ|...???@79:3}", "{_|...???@79:3}"];

const rows: Rows = shared({ time: "fixed" }, [
  ...like("IABS", 0x4d),
  ...like("VIADD", 0x49),
  ...like("VIMNMX", 0x4a),
  ...like("IMNMX", 0x85),
  ...like("FADD", 0x54),
  ...like("FHADD", 0x54),
  ...like("FFMA", 0x55),
  ...like("FHFMA", 0x55),
  ...like("FMUL", 0x56),
  ...like("FMNMX", 0x50),
  ...like("FMNMX.IS_A", 0x50),
  ...like("FSEL", 0x51),
  ...like("FSET", 0x52),
  ...like("FSETP", 0x53),
  ...like("F2F", 0x5b),
  ...like("F2I", 0x5c),
  ...like("FRND", 0x5d),
  ...like("F2IP", 0x59),
  ...like("I2I", 0x4e),
  ...like("I2F", 0x5a),
  {
    op: "UI2FP",
    does: "d (f32) = 32-bit integer b",
    slots: "d:UR <- b:UR",
    lines: [
      { as: "I=85eu", text: "UI2FP{?|?|.F32@75:3}.U32{_|?|?|.RZ@78:2} d, b", is: "74=0 84:2=2", sm },
      { as: "I=85eu", text: "UI2FP{?|?|.F32@75:3}.S32{_|?|?|.RZ@78:2} d, b", imm: "s32", is: "74=1 84:2=2", sm },
      { as: "R=25eu", text: "UI2FP{?|?|.F32@75:3}{4=.U32|.S32@74+84:2}{_|?|?|.RZ@78:2} d, b", sm },
    ],
  },
  {
    op: "UI2IP",
    does: "d = a and b as small integers, packed below c",
    slots: "d:UR <- a:UR b:UR c:UR",
    imm: "s32",
    lines: [
      {
        as: "RRR=24fu RIR=84fu",
        text: "UI2IP{.U8|.S8|.U16|.S16@76:2}.S32{_|.SAT|.RELU@74:2} d, a, b, c{_|.H1|...???@72:2}",
        is: "78=0",
        sm,
      },
      ...[".U2|.S2@76}", ".U4|.S4@76}"].map((type, i) => ({
        as: "RRR=24fu RIR=84fu",
        text: `UI2IP{${type}.S32{_|.SAT|.RELU@74:2} d, a, b, c{${["?|?|?|.28", "?|?|.24"][i]}|...???@72:2}`,
        is: `78=1 77=${i}`,
        sm,
      })),
    ],
  },
  {
    op: "UF2FP.PACK_AB",
    does: "d = a and b rounded, a in the upper half",
    slots: "d:UR <- a:UR b:UR",
    imm: "f32",
    lines: [
      {
        as: "RR=2bau RI=8bau",
        text: `${head}.F32.PACK_AB${rz} d, a, b`,
        is: "78=0 84:2=2 89:2=0",
        fill: "64:8=255",
        sm,
      },
    ],
  },
  {
    op: "UF2FP.MERGE_C",
    does: "d = b rounded (or both numbers of b), beside a half of c",
    slots: "d:UR <- b:UR c:UR",
    imm: "f32",
    lines: [
      { as: "RR=2bau IR=8bau", text: `${head}.F32.MERGE_C${rz} d, b, c{half72}`, is: "78=1 84:2=2 89:2=0", sm },
      { as: "RI=4bau", text: `${head}.F32.MERGE_C${rz} d, b, c`, is: "78=1 84:2=2 89:2=0", sm },
      {
        as: "RR=2bau IR=8bau RI=4bau",
        text: `${head}.F16.UNPACK_B_MERGE_C${undefinedRounding} d, b, c{+half72}`,
        is: "78=0 84:2=3 89:2=2",
        sm,
      },
    ],
  },
  {
    op: "UF2FP.PACK_AB_MERGE_C",
    does: "d = a and b rounded, beside a half of c",
    slots: "d:UR <- a:UR b:UR c:UR",
    imm: "f32",
    lines: [
      {
        as: "RRR=2bau RIR=8bau RRI=4bau",
        text: `${head}.F32.PACK_AB_MERGE_C${undefinedRounding} d, a, b, c{+half72}`,
        is: "78=1 84:2=2 89:2=2",
        sm,
      },
    ],
  },
  {
    op: "UF2FP.UNPACK_B",
    does: "d = both numbers of b",
    slots: "d:UR <- b:UR",
    imm: "f32",
    lines: [
      {
        as: "R=2bau I=8bau",
        text: `UF2FP{_|.RELU@74}${to}{.E5M2|.E4M3|!|!@84:2}.UNPACK_B${undefinedRounding} d, b{+half72}`,
        is: "78=0 89:2=1",
        sm,
      },
      {
        as: "R=2bau I=8bau",
        text: `${head.replace(to, "{?|?|?|.TF32|...???@75:3}")}.F32.PACK_B${rz} d, b`,
        is: "78=1 84:2=2 89:2=1",
        sm,
      },
    ],
  },
  {
    op: "CS2UR",
    does: "d (64 bits) = special register and its successor",
    slots: "d:UR*2 <- s:S",
    lines: [{ as: "8cb", text: "CS2UR d, s@72:8", is: "80=1", sm }],
  },
  {
    op: "CS2UR.32",
    does: "d = special register",
    slots: "d:UR <- s:S",
    lines: [{ as: "8cb", text: "CS2UR.32 d, s@72:8", is: "80=0", sm }],
  },
]);

export const uniformFloatRows: Rows = [
  ...rows.map((row) => ({ ...row, guard: "UP" as const })),
  {
    op: "MOV64IUR",
    does: "d = b, 64 bits",
    slots: "d*2 <- b:UR*2",
    lines: [
      { as: "554", text: "MOV64IUR d, b#24:64", sm },
      { as: "f54u", text: "MOV64IUR d, b@32", sm },
    ],
    time: "fixed",
  },
];
