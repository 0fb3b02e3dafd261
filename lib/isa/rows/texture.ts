/**
 * Textures. The handle is in a register (.B), in a constant bank (its number and word; or words for texture and
 * sampler), or after a uniform register. d2 takes what does not fit into d. Widths of coordinates and results are the
 * largest: how many registers there are follows from the dimension, the modifiers and the mask.
 */
import type { Line, Row, Rows } from "../row.js";

/** Opcodes by place of the handle; from sm_100 on for a register, from sm_120 on for a register and a uniform one. */
interface Codes {
  readonly register: string;
  readonly constant: string;
  readonly pair: string;
  readonly uniform: string;
  readonly register100: string;
  readonly both: string;
}

/** Text up to sm_90, on sm_100 to 110, and from sm_120 on; `%B` stands for the mark of a handle in a register. */
type Texts = readonly string[];

/**
 * A text with its handle at `%H`, its uniform offset at `%U`. What a handle in a register takes has no zero register; where
 * there is none, b may be left out (derivatives may not).
 */
function put(as: string, text: string, b: string, h: string, u: string, sm: string, more: Partial<Line> = {}): Line {
  const second = text.startsWith("TXD") ? "b@32" : b === "" ? "b@32?" : "b@@32";
  const done = text
    .replace("%b", second)
    .replace("%a", b === "" ? "a@24" : "a@@24")
    .replace("%B", b)
    .replace("%H", h)
    .replace("%U", u);
  return { as, text: done, sm, ...more };
}

function lines(codes: Codes, texts: Texts, is = ""): Line[] {
  const [early, middle, late] = texts as [string, string, string];
  const query = early.startsWith("TXQ");
  const fill = query ? {} : { fill: "48:8=255" };
  const at = (bit: number): Partial<Line> => ({ is: `${is} 59=${bit}`.trim() });
  const word = "bank@54:5, word@40:14, ";
  const pair = "bank@54:5, word@40:6, sampler@46:8, ";
  const uniform = query ? "ur@40, 0x0, " : "ur@40, ";
  const offset = "uoff@48?, ";
  const plain: Partial<Line> = is === "" ? {} : { is };
  return [
    put(codes.register, early, "{!|.B@59}", "", "", "75", plain),
    put(codes.register, early, "{?|.B|...???@59}", "", "", "80-90", plain),
    put(codes.constant, early, "", word, "", "-90", at(0)),
    put(codes.constant, early, ".B", word, "", "-90", at(1)),
    put(codes.pair, early, "{!|.B@59}", pair, "", "75", plain),
    put(codes.pair, early, "{?|.B|...???@59}", pair, "", "80-90", plain),
    put(codes.uniform, early, "", "ur@@40, sampler@46:8, ", "", "75", { ...plain, not: "59=1" }),
    put(codes.uniform, early, "", "ur@@40, sampler@46:8, ", "", "80-90", plain),
    put(codes.register100, middle, ".B", "", "", "100-110", plain),
    put(codes.uniform, middle, "", uniform, "", "100-110", { ...plain, ...fill }),
    put(codes.register100, late, ".B", "", offset, "120-", plain),
    put(codes.uniform, late, "", uniform, offset, "120-", plain),
    put(codes.both, late, ".B", "ur@40, ", "uoff@48, ", "120-", plain),
  ];
}

const handle = "ur:UR*2=none bank:I=none word:I=none sampler:I=none uoff:UR=URZ";
const slots = `p:P=PT d2*2 d*2 <- a*4 b*4=RZ ${handle} dim:WORD mask:I=15`;
/** The first two results that the mask names are in d, the others in d2; two f16 share a register. */
const results = "d#0:4 d2#0:4-2; .F16 d=1 d2=1";
/**
 * Coordinates in a, with .LC the least level of detail (an index into an array shares its register); in b a handle, level
 * or bias, offsets, sample, and the value to compare with. Packed coordinates (.SCR) are not told apart.
 */
const coordinates =
  "a@1,2,3,3,2,3,4,4; .LC a@2,3,4,4,2,3,4,4; .UAI a@1,2,3,3,1,2,3,3; .UAI.LC a@2,3,4,4,2,3,4,4; .SCR a@2,2,2,2,2,2,2,2; b=0; .B b+1; .LB b+1; .LL b+1; .AOFFI b+1; .PTP b+2; .MS b+1; .DC b+1; .SCR b=2";
/** Array index, offsets and least level share a register after the coordinates; handle in a; derivatives in b. */
const derivatives =
  "a@1,2,4,4,2,3,4,4; .LC a@2,3,4,4,2,3,4,4; .AOFFI a@2,3,4,4,2,3,4,4; .B a@2,3,4,4,3,4,4,4; .B.LC a@3,4,4,4,3,4,4,4; .B.AOFFI a@3,4,4,4,3,4,4,4; b@2,4,4,4,2,4,4,4";
const footprints =
  "a@4,3,4,4,4,4,4,4; .B.TXD a@5,4,5,5,5,5,5,5; .SCR a@2,2,2,2,2,2,2,2; b=0; .B b+1; .LB b+1; .LL b+1; .TXD b=4; .SCR b=2";

const dims = "1D|2D|3D|CUBE|ARRAY_1D|ARRAY_2D|?|ARRAY_CUBE";
const f16 = "{_|.F16.RN|.F16.RZ@79:2}";
const lod = "{_|.LZ|.LB|.LL|.LC|.LB.LC|.LC.FDV@87:3}";
const lod100 = "{_|.LZ|.LB|.LL|.LC|.LB.LC@59+87:3}";
const lod120 = "{_|.LZ|.LB|.LL|.LC|.LB.LC|.ULB|.ULL|.ULC|.ULB.LC|.LB.ULC@59+87:3}";
const difference = "{_|.NDV|.FDV@76:2}";
const difference120 = "{_|.NDV|?|.DXY@76:2}";
const uaoffi = "{_|.AOFFI|.UAOFFI@56:2}";
const uai = "{_|.UAI@58}";
const noDep = "{_|.NODEP@90}";
const scr = "{_|.SCR@60}";

function operands(values: string): string {
  return `${noDep} p@81?, d2@64, d@16, a@@24, %b, %H%Udim{${values}|...I@61:3}, mask@72:4?`;
}

/** Footprints with .SCR (bit 60) know no .TXD. */
function footprint(sc: string, kinds: string, is: string): Line[] {
  const tail = `${noDep} p@81?, d2@@64, d@@16, a@@24, %b, %Hdim{?|2D|3D|...I@61:3}`;
  const late = (difference: string): string =>
    `FOOTPRINT${sc}%B${kinds}{_|.COARSE@57}{_|.LZ|.LB|.LL|.LC|.LB.LC@87:3}${difference}${tail}`;
  return lines(
    { register: "373", constant: "b72", pair: "b74", uniform: "f74u", register100: "d73u", both: "f73u" },
    [`FOOTPRINT${sc}%B${kinds}{_|.COARSE@76}${lod}{_|.NDV@77}${tail}`, late(difference), late(difference120)],
    is,
  ).map((l) => ({ ...l, text: l.text.replace("%U", "").replace(", uoff@48", "") }));
}

const shared: Pick<Row, "memory" | "time"> = { memory: ["global", "load"], time: "result" };

export const textureRows: Rows = [
  {
    op: "TEX",
    widths: `${coordinates}; ${results}`,
    does: "d2, d = texture at coordinates a, b",
    slots,
    ...shared,
    lines: lines({ register: "361", constant: "b60", pair: "b62", uniform: "f60u", register100: "d61u", both: "361" }, [
      `TEX${scr}%B${f16}${lod}{_|.AOFFI@76}{_|.DC@78}{evict}{_|.NDV@77}${operands(dims)}`,
      `TEX${scr}%B${f16}${lod100}{_|.AOFFI@56:2}{_|.DC@78}{evict}${difference}${operands(dims)}`,
      `TEX${scr}%B${f16}${lod120}${uaoffi}${uai}{_|.DC@78}{evict}${difference120}${operands(dims)}`,
    ]),
  },
  {
    op: "TLD",
    widths: `${coordinates}; ${results}`,
    does: "d2, d = texel at integer coordinates a, b",
    slots,
    ...shared,
    lines: lines(
      { register: "367", constant: "b66", pair: "b68", uniform: "f66u", register100: "d67u", both: "f67u" },
      [
        `TLD${scr}%B${f16}{?|.LZ|?|.LL@87:3}{_|.AOFFI@76}{evict}{_|.MS@78}{_|.CL@77}`,
        `TLD${scr}%B${f16}{.LZ|.LL@87:2}{_|.AOFFI@56:2}{evict}{_|.MS@77:2}{_|.CL@76}`,
        `TLD${scr}%B${f16}{.LZ|.LL|.ULL@87:2}${uaoffi}${uai}{evict}{_|.MS|.UMS@77:2}{_|.CL@76}`,
      ].map((t) => t + operands("1D|2D|3D|?|ARRAY_1D|ARRAY_2D")),
    ),
  },
  {
    op: "TLD4",
    // The first of .R, .G, .B, .A is a component.
    widths: `${coordinates.replace(".B b+1", ".R.B b+1; .G.B b+1; .A.B b+1; .B.B b+1")}; ${results}`,
    does: "d2, d = one component of the four texels around a, b",
    slots,
    ...shared,
    lines: lines(
      { register: "364", constant: "b63", pair: "b65", uniform: "f63u", register100: "d64u", both: "f64u" },
      ["{_|.AOFFI|.PTP@76:2}", "{_|.AOFFI|.PTP@76:2}", `{_|.AOFFI|.PTP|.UAOFFI@76:2}${uai}`].map(
        (offset) =>
          `TLD4${scr}{.R|.G|.B|.A@87:2}%B${f16}${offset}{_|.DC@78}{evict}${operands("?|2D|?|CUBE|?|ARRAY_2D|?|ARRAY_CUBE")}`,
      ),
    ),
  },
  {
    op: "TMML",
    widths: `${coordinates}; ${results}`,
    does: "d2, d = level of detail at coordinates a, b",
    slots: `d2*2 d*2 <- a*4 b*4=RZ ${handle} dim:WORD mask:I=15`,
    ...shared,
    lines: lines(
      { register: "36a", constant: "b69", pair: "b6b", uniform: "f69u", register100: "36a", both: "f6au" },
      ["{_|.NDV@77}", "{_|.NDV@76:2}", difference120].map(
        (difference) => `TMML%B.LOD${difference}${operands(dims).replace("p@81?, ", "").replace("%U", "")}`,
      ),
    ),
  },
  {
    op: "TXD",
    widths: `${derivatives}; ${results}`,
    does: "d2, d = texture at a with derivatives b",
    slots,
    ...shared,
    lines: lines(
      { register: "36d", constant: "b6c", pair: "b6e", uniform: "f6cu", register100: "d6du", both: "f6du" },
      ["{_|.LC@87}{_|.AOFFI@76}", "{_|.LC@87:2}{_|.AOFFI@56:2}", `{_|.LC|.ULC@87:2}${uaoffi}${uai}`].map(
        (mods) => `TXD%B${f16}${mods}{evict}${operands("1D|2D|?|?|ARRAY_1D|ARRAY_2D")}`,
      ),
    ),
  },
  {
    op: "TXQ",
    widths: `.B a@2,1,2,1; ${results}`,
    does: "d2, d = properties of the texture at level a",
    slots: `d2*2 d*2 <- a what:WORD ${handle} mask:I`,
    ...shared,
    lines: lines(
      { register: "370", constant: "b6f", pair: "b71", uniform: "f6fu", register100: "370", both: "f70u" },
      new Array<string>(3).fill(
        `TXQ%B${noDep} d2@64, d@16, %a, what{TEX_HEADER_DIMENSION|TEX_HEADER_TEXTURE_TYPE|TEX_HEADER_SAMPLER_POS|...I@62:2}, %Hmask@72:4`,
      ),
    ),
  },
  {
    op: "FOOTPRINT",
    widths: footprints,
    does: "d2, d = texels that a texture access would touch",
    slots: `p:P=PT d2*2 d*2 <- a*4 b*4=RZ ${handle} dim:WORD`,
    ...shared,
    lines: [...footprint("", "{.TEX|.TXD@78}", "60=0"), ...footprint(".SCR", "{.TEX|...???@78}", "60=1")],
  },
];
