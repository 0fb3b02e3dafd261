/** Instructions of graphics shaders: attributes, interpolation, geometry output, pixel state. */
import type { Rows } from "../row.js";

const vec = "{vec}";
const ipa = "IPA{.PASS|.CONSTANT|.STATE@78:2}";
/** Where there is no register: another than RZ is undefined. */
const absent = (at: number): string => `x{255=_|...?@${at}:8}`;
/**
 * Bit 77 is that of physical addresses, which have a register. On sm_75 nvdisasm does not look at it where there is none and for
 * patches; one register of a patch with it ends the tool.
 */
const virtual = "80- 77=1";
const patch = "75 77=1 74:2=0; 80- 77=1";
const physical = "75 74:2=!0; 80- 24:8=255";

export const graphicsRows: Rows = [
  {
    op: "AL2P",
    does: "d = physical address of an attribute",
    slots: "d <- a=RZ n:I",
    lines: [
      { as: "920", text: "AL2P{_|.O@79}{_|.64|.96|.128@74:2} d, n@40:10", is: "24:8=255" },
      { as: "920", text: "AL2P{_|.O@79}{_|.64|.96|.128@74:2} d, a@24, n@40:11s" },
    ],
    time: "result",
  },
  {
    op: "ALD",
    does: "d = attribute of vertex v",
    slots: "d*vec <- base=RZ ur:UR=none off:I=0 v=RZ x:WORD=255",
    lines: [
      { as: "321", text: `ALD{_|.O@79}.PHYS{_|...???@74:2} d, a[base@24], v@32?`, is: "76:2=2", not: physical },
      { as: "321", text: `ALD{_|.O@79}.P${vec} d, a[off@40:10], ${absent(32)}?`, is: "76=1 24:8=255", not: virtual },
      { as: "321", text: `ALD{_|.O@79}.P${vec} d, a[base@24+off@40:11s], ${absent(32)}?`, is: "76=1", not: patch },
      { as: "321", text: `ALD{_|.O@79}${vec} d, a[off@40:10], v@32?`, is: "76=0 24:8=255", not: virtual },
      { as: "521u", text: `ALD{_|.O@79}.P${vec} d, a[ur@24+off@40:11s], ${absent(32)}?`, is: "76=1", not: virtual },
      { as: "521u", text: `ALD{_|.O@79}${vec} d, a[ur@24+off@40:11s], v@32?`, is: "76=0", not: virtual },
    ],
    time: "result",
  },
  {
    op: "AST",
    does: "attribute of vertex v = data",
    slots: "<- base=RZ ur:UR=none off:I=0 data*vec v=RZ x:WORD=255",
    effect: true,
    lines: [
      { as: "322", text: `AST.PHYS{_|...???@74:2} a[base@24], data@32, v@64?`, is: "76:2=2", not: physical },
      { as: "322", text: `AST${vec} a[off@40:10], data@32, v@64?`, is: "76=0 24:8=255", not: virtual },
      { as: "322", text: `AST.P${vec} a[off@40:10], data@32, v@64?`, is: "76=1 24:8=255", not: virtual },
      { as: "322", text: `AST.P${vec} a[base@24+off@40:11s], data@32, ${absent(64)}?`, is: "76=1", not: patch },
      { as: "522u", text: `AST{_|.P@76}${vec} a[ur@24+off@40:11s], data@32, v@64?`, not: virtual },
    ],
    time: "operands",
  },
  {
    op: "IPA",
    does: "d = attribute interpolated at the pixel; p: the primitive is flat",
    slots: "d p:P=PT <- ur:UR=none off:I=0",
    lines: [
      { as: "326", text: `${ipa}{_|.CENTROID@76} d, p@81?, a[off@64:8x4]`, is: "77=0" },
      { as: "526u", text: `${ipa}{_|.CENTROID@76} d, p@81?, a[ur@24+off@64:8x4]`, is: "77=0" },
    ],
    time: "result",
  },
  {
    op: "IPA.OFFSET",
    does: "the same, moved by b",
    slots: "d p:P=PT <- ur:UR=none off:I=0 b",
    lines: [
      { as: "R=326", text: `${ipa}.OFFSET d, p@81?, a[off@64:8x4], b`, is: "76:2=2" },
      { as: "R=526u", text: `${ipa}.OFFSET d, p@81?, a[ur@24+off@64:8x4], b`, is: "76:2=2" },
      { as: "I=926 C=b26", text: `${ipa}{?|?|.OFFSET|...???@76:2} d, p@81?, a[off@64:8x4], b`, not: "75 76:2=!2" },
      { as: "I=926u", text: `${ipa}{?|?|.OFFSET|...???@76:2} d, p@81?, a[ur@24+off@64:8x4], b`, not: "75 76:2=!2" },
    ],
    time: "result",
  },
  {
    op: "ISBERD",
    does: "d = internal stage buffer",
    slots: "d <- base off:I=0",
    lines: [
      {
        as: "923",
        text: "ISBERD{_|.O@79}{_|.PATCH|.PRIM|.ATTR@76:2}{_|.SKEW@78}{_|.U16|.32@74:2} d, [base@24]",
        sm: "-80",
      },
      {
        as: "923",
        text: "ISBERD{_|.O@79}{_|.PATCH|.PRIM|.ATTR@76:2}{_|.SKEW@78}{_|.U16|.32@74:2} d, [base@24+off@40:16]",
        sm: "86-",
      },
    ],
    time: "result",
  },
  {
    op: "ISBEWR",
    does: "internal stage buffer = data",
    slots: "<- base off:I=0 data",
    effect: true,
    lines: [
      {
        as: "927",
        text: "ISBEWR{?|.O|...???@79}{_|?|?|.ATTR@76:2}{_|.SKEW@78}{_|.U16|.32@74:2} [base@24], data@32",
        sm: "-80",
      },
      {
        as: "927",
        text: "ISBEWR{?|.O|...???@79}{_|?|?|.ATTR@76:2}{_|.SKEW@78}{_|.U16|.32@74:2} [base@24+off@40:16], data@32",
        sm: "86-",
      },
    ],
    time: "operands",
  },
  {
    op: "LDTRAM",
    does: "d = triangle parameters of an attribute",
    slots: "d*size <- ur:UR off:I=0",
    lines: [{ as: "3adu", text: "LDTRAM{.AB/8|.C/4@72} d, a[ur@24?+off@64:8x4]" }],
    time: "result",
  },
  {
    op: "OUT",
    does: "emit a vertex, end the strip",
    slots: "d <- a b:R",
    imm: "s32",
    effect: true,
    lines: [
      { as: "RR=324", text: "OUT{.EMIT|.EMIT_THEN_CUT@79} d, a, b", is: "78=1" },
      { as: "RI=924 RU=d24u", text: "OUT{?|.EMIT|?|.EMIT_THEN_CUT|...???@78:2} d, a, b", not: "75 78=0" },
    ],
    time: "result",
  },
  {
    op: "OUT.CUT",
    does: "end the strip, or all output",
    slots: "d=RZ <- a x:WORD=255 y:WORD=255",
    effect: true,
    lines: [
      { as: "324", text: "OUT.CUT d, a@24, x{255=RZ|...?@32:8}", is: "78:2=2" },
      { as: "324", text: "OUT.FINAL a@24", is: "78:2=0", sets: "read", sm: "75" },
      {
        as: "324",
        text: "OUT.FINAL y{255=_|...?@16:8}?, a@24, x{255=_|...?@32:8}?",
        is: "78:2=0",
        sets: "read",
        sm: "80-",
      },
    ],
    time: "result",
  },
  {
    op: "PIXLD",
    does: "d = state of the pixel",
    slots: "d p:P=PT <-",
    lines: [{ as: "925", text: "PIXLD{_|.COVMASK|.CENTROID_OFFSET|.MY_INDEX|.INNER_COVERAGE|...???@78:3} d, p@81?" }],
    time: "result",
  },
];
