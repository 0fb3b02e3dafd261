/**
 * Textures. The handle is in a register (.B), in a constant bank (its number and word; or words for texture and
 * sampler), or behind a uniform register. d2 takes what does not fit into d. Widths of coordinates and results are the
 * largest: how many registers there are follows from the dimension, the modifiers and the mask.
 */
import type { Line, Row, Rows } from "../row.js";

/** Opcodes by place of the handle; the last for a register from sm_100 on. */
interface Codes {
  readonly register: string;
  readonly constant: string;
  readonly pair: string;
  readonly uniform: string;
  readonly register100: string;
}

/** `%B` stands for the mark of a handle in a register, `%H` for the handle. */
function lines(codes: Codes, early: string, late: string): Line[] {
  const put = (as: string, text: string, b: string, h: string, sm: string, fill?: string): Line => {
    // Without a handle in a register, b may be left out (derivatives may not).
    const place = h === "" || text.startsWith("TXD") ? text : text.replace("b@32", "b@32?");
    const line = { as, text: place.replace("%B", b).replace("%H", h), sm };
    return fill ? { ...line, fill } : line;
  };
  return [
    put(codes.register, early, "{?|.B|...???@59}", "", "-90"),
    put(codes.constant, early, "{_|.B@59}", "bank@54:5, word@40:14, ", "-90"),
    put(codes.pair, early, "{?|.B|...???@59}", "bank@54:5, word@40:6, sampler@46:8, ", "-90"),
    put(codes.uniform, early, "", "ur@40, sampler@46:8, ", "-90"),
    put(codes.register100, late, ".B", "", "100-"),
    put(
      codes.uniform,
      late,
      "",
      late.startsWith("TXQ") ? "ur@40, 0x0, " : "ur@40, ",
      "100-",
      late.startsWith("TXQ") ? undefined : "48:8=255",
    ),
  ];
}

const handle = "ur:UR*2=none bank:I=none word:I=none sampler:I=none";
const slots = `p:P=PT d2*2 d*2 <- a*4 b*4=RZ ${handle} dim:WORD mask:I=15`;
const dim = "dim{1D|2D|3D|CUBE|ARRAY_1D|ARRAY_2D|?|ARRAY_CUBE@61:3}";
const f16 = "{_|.F16.RN|.F16.RZ@79:2}";
const lod = "{_|.LZ|.LB|.LL|.LC|.LB.LC|.LC.FDV@87:3}";
const operands = `p@81?, d2@64, d@16, a@24, b@32, %H${dim}, mask@72:4?`;
const noDep = "{_|.NODEP@90}";

const shared: Pick<Row, "memory" | "time"> = { memory: ["global", "load"], time: "result" };

export const textureRows: Rows = [
  {
    op: "TEX",
    does: "d2, d = texture at coordinates a, b",
    slots,
    ...shared,
    lines: lines(
      { register: "361", constant: "b60", pair: "b62", uniform: "f60u", register100: "d61u" },
      `TEX{_|.SCR@60}%B${f16}${lod}{_|.AOFFI@76}{_|.DC@78}{evict}{_|.NDV@77}${noDep} ${operands}`,
      `TEX{_|.SCR@60}%B${f16}{_|.LZ|.LB|.LL|.LC|.LB.LC@59+87:3}{_|.AOFFI@56:2}{_|.DC@78}{evict}{_|.NDV|.FDV@76:2}${noDep} ${operands}`,
    ),
  },
  {
    op: "TLD",
    does: "d2, d = texel at integer coordinates a, b",
    slots,
    ...shared,
    lines: lines(
      { register: "367", constant: "b66", pair: "b68", uniform: "f66u", register100: "d67u" },
      `TLD{_|.SCR@60}%B${f16}{?|.LZ|?|.LL@87:3}{_|.AOFFI@76}{evict}{_|.MS@78}{_|.CL@77}${noDep} ${operands}`,
      `TLD{_|.SCR@60}%B${f16}{.LZ|.LL@87:2}{_|.AOFFI@56:2}{evict}{_|.MS@77:2}{_|.CL@76}${noDep} ${operands}`,
    ),
  },
  {
    op: "TLD4",
    does: "d2, d = one component of the four texels around a, b",
    slots,
    ...shared,
    lines: lines(
      { register: "364", constant: "b63", pair: "b65", uniform: "f63u", register100: "d64u" },
      `TLD4{_|.SCR@60}{.R|.G|.B|.A@87:2}%B${f16}{_|.AOFFI|.PTP@76:2}{_|.DC@78}{evict}${noDep} ${operands}`,
      `TLD4{_|.SCR@60}{.R|.G|.B|.A@87:2}%B${f16}{_|.AOFFI|.PTP@76:2}{_|.DC@78}{evict}${noDep} ${operands}`,
    ),
  },
  {
    op: "TMML",
    does: "d2, d = level of detail at coordinates a, b",
    slots: `d2*2 d*2 <- a*4 b*4=RZ ${handle} dim:WORD mask:I=15`,
    ...shared,
    lines: lines(
      { register: "36a", constant: "b69", pair: "b6b", uniform: "f69u", register100: "36a" },
      `TMML%B.LOD{_|.NDV@77}${noDep} d2@64, d@16, a@24, b@32, %H${dim}, mask@72:4?`,
      `TMML%B.LOD{_|.NDV@76:2}${noDep} d2@64, d@16, a@24, b@32, %H${dim}, mask@72:4?`,
    ),
  },
  {
    op: "TXD",
    does: "d2, d = texture at a with derivatives b",
    slots,
    ...shared,
    lines: lines(
      { register: "36d", constant: "b6c", pair: "b6e", uniform: "f6cu", register100: "d6du" },
      `TXD%B${f16}{_|.LC@87}{_|.AOFFI@76}{evict}${noDep} ${operands}`,
      `TXD%B${f16}{_|.LC@87:2}{_|.AOFFI@56:2}{evict}${noDep} ${operands}`,
    ),
  },
  {
    op: "TXQ",
    does: "d2, d = properties of the texture at level a",
    slots: `d2*2 d*2 <- a what:WORD ${handle} mask:I`,
    ...shared,
    lines: lines(
      { register: "370", constant: "b6f", pair: "b71", uniform: "f6fu", register100: "370" },
      `TXQ%B${noDep} d2@64, d@16, a@24, what{TEX_HEADER_DIMENSION|TEX_HEADER_TEXTURE_TYPE|TEX_HEADER_SAMPLER_POS@62:2}, %Hmask@72:4`,
      `TXQ%B${noDep} d2@64, d@16, a@24, what{TEX_HEADER_DIMENSION|TEX_HEADER_TEXTURE_TYPE|TEX_HEADER_SAMPLER_POS@62:2}, %Hmask@72:4`,
    ),
  },
  {
    op: "FOOTPRINT",
    does: "d2, d = texels that a texture access would touch",
    slots: `p:P=PT d2*2 d*2 <- a*4 b*4=RZ ${handle} dim:WORD`,
    ...shared,
    lines: lines(
      { register: "373", constant: "b72", pair: "b74", uniform: "f74u", register100: "d73u" },
      `FOOTPRINT{_|.SCR@60}%B{.TEX|.TXD@78}{_|.COARSE@76}${lod}{_|.NDV@77}${noDep} p@81?, d2@64, d@16, a@24, b@32, %Hdim{?|2D|3D@61:3}`,
      `FOOTPRINT{_|.SCR@60}%B{.TEX|.TXD@78}{_|.COARSE@57}{_|.LZ|.LB|.LL|.LC|.LB.LC@87:3}{_|.NDV|.FDV@76:2}${noDep} p@81?, d2@64, d@16, a@24, b@32, %Hdim{?|2D|3D@61:3}`,
    ),
  },
];
