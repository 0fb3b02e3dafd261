/**
 * Surfaces: loads, stores, atomics and reductions at integer coordinates. The handle is in a register, in a constant
 * bank (number and word, or two words), or after a uniform register. .P goes through the format, .D is raw bytes.
 */
import type { Line, Row, Rows } from "../row.js";

interface Codes {
  readonly register: string;
  readonly constant: string;
  readonly pair: string;
  readonly uniform: string;
  /** Register and uniform register, from sm_120 on. */
  readonly both: string;
}

/** Texts up to sm_75 and from sm_80 on; the handle follows. `%` stands for what sm_120 added. */
function lines(codes: Codes, early: string, late: string): Line[] {
  const first = early.replace("%", "");
  const plain = late.replace("%", "");
  const last = late.replace("%", "{_|.UAI@58}");
  const both = (as: string, h: string, until: string): Line[] => [
    { as, text: `${first}, ${h}`, sm: "75", not: "24:8=255" },
    { as, text: `${plain}, ${h}`, sm: `80-${until}` },
  ];
  return [
    ...both(codes.register, "handle@@64", "110"),
    ...both(codes.constant, "bank@54:5, word@40:14", "90"),
    ...both(codes.pair, "bank@54:5, word@40:6, word2@46:8", "90"),
    { as: codes.uniform, text: `${first}, ur@40, word2@46:8`, sm: "75", not: "24:8=255" },
    { as: codes.uniform, text: `${plain}, ur@40, word2@46:8`, sm: "80-90" },
    { as: codes.uniform, text: `${plain}, ur@40`, fill: "48:8=255", sm: "100-110" },
    { as: codes.register, text: `${last}, handle@@64, uoff@48?`, sm: "120-" },
    { as: codes.uniform, text: `${last}, ur@40, uoff@48?`, sm: "120-" },
    { as: codes.both, text: `${last}, handle@@64, ur@40, uoff@48`, sm: "120-" },
  ];
}

const handle = "handle=none ur:UR=none bank:I=none word:I=none word2:I=none uoff:UR=URZ";
const clamp = "{.IGN|_|.TRAP@59:2}";
const raw = "{_|.BA@72}{sdim}%";
const relaxed75 = "{strongS75}{scope75}{private75}";
const atomic75 = "{strongA75}{scope75}{private75}";

const load: Pick<Row, "memory" | "time"> = { memory: ["global", "load"], time: "result" };
const store: Pick<Row, "memory" | "time" | "effect"> = { memory: ["global", "store"], time: "operands", effect: true };
const atomic: Pick<Row, "memory" | "time" | "effect"> = { memory: ["global", "atomic"], time: "result", effect: true };
const reduce: Pick<Row, "memory" | "time" | "effect"> = {
  memory: ["global", "reduce"],
  time: "operands",
  effect: true,
};

export const surfaceRows: Rows = [
  {
    op: "SULD.P",
    does: "d = surface at a, converted from its format",
    slots: `p:P=PT d*rgba <- a*sdim ${handle}`,
    widths: ".UAI.1D_ARRAY a-1; .UAI.2D_ARRAY a-1",
    ...load,
    bytes: "rgba",
    lines: lines(
      { register: "998", constant: "b97", pair: "797", uniform: "f97u", both: "f98u" },
      `SULD.P{sdim}%{evict}${relaxed75}{rgba}${clamp} p@81?, d, [a@@24]`,
      `SULD.P{sdim}%{evict}{scope}{rgba}${clamp} p@81?, d, [a@@24]`,
    ),
  },
  {
    op: "SULD.D",
    does: "d = bytes of the surface at a",
    slots: `p:P=PT d*size <- a*sdim ${handle}`,
    widths: ".UAI.1D_ARRAY a-1; .UAI.2D_ARRAY a-1",
    ...load,
    bytes: "size",
    lines: lines(
      { register: "99a", constant: "b99", pair: "799", uniform: "f99u", both: "f9au" },
      `SULD.D${raw}{evict}{size}${relaxed75}${clamp} p@81?, d, [a@@24]`,
      `SULD.D${raw}{evict}{size}{scope}${clamp} p@81?, d, [a@@24]`,
    ),
  },
  {
    op: "SUST.P",
    does: "surface at a = data, converted to its format",
    slots: `<- a*sdim data*rgba ${handle}`,
    widths: ".UAI.1D_ARRAY a-1; .UAI.2D_ARRAY a-1",
    ...store,
    bytes: "rgba",
    lines: lines(
      { register: "99c", constant: "b9b", pair: "79b", uniform: "f9bu", both: "f9cu" },
      `SUST.P{sdim}%{evict}${relaxed75}{rgba}${clamp} [a@@24], data@32`,
      `SUST.P{sdim}%{evict}{scopeA}{rgba}${clamp} [a@@24], data@32`,
    ),
  },
  {
    op: "SUST.D",
    does: "bytes of the surface at a = data",
    slots: `<- a*sdim data*size ${handle}`,
    widths: ".UAI.1D_ARRAY a-1; .UAI.2D_ARRAY a-1",
    ...store,
    bytes: "size",
    lines: lines(
      { register: "99e", constant: "b9d", pair: "79d", uniform: "f9du", both: "f9eu" },
      `SUST.D${raw}{evict}{size}${relaxed75}${clamp} [a@@24], data@32`,
      `SUST.D${raw}{evict}{size}{scopeA}${clamp} [a@@24], data@32`,
    ),
  },
  {
    op: "SUATOM.D",
    does: "d = surface at a, then surface = op(surface, data)",
    slots: `p:P=PT d*stype <- a*sdim data*stype ${handle}`,
    widths: ".UAI.1D_ARRAY a-1; .UAI.2D_ARRAY a-1",
    ...atomic,
    bytes: "stype",
    lines: lines(
      { register: "394", constant: "593", pair: "793", uniform: "f93u", both: "f94u" },
      `SUATOM.D${raw}{atomOp}{evict}{stype}${atomic75}${clamp} p@81?, d, [a@@24], data@32`,
      `SUATOM.D${raw}{atomOp}{evict}{stype}{scopeA}${clamp} p@81?, d, [a@@24], data@32`,
    ),
  },
  {
    op: "SUATOM.D.CAS",
    does: "d = surface at a; if it equals the first half of data, surface = the second",
    slots: `p:P=PT d*scas/2 <- a*sdim data*scas ${handle}`,
    widths: ".UAI.1D_ARRAY a-1; .UAI.2D_ARRAY a-1",
    ...atomic,
    bytes: 4,
    lines: lines(
      { register: "396", constant: "595", pair: "795", uniform: "f95u", both: "f96u" },
      `SUATOM.D${raw}.CAS{evict}{scas}${atomic75}${clamp} p@81?, d, [a@@24], data@32`,
      `SUATOM.D${raw}.CAS{evict}{scas}{scopeA}${clamp} p@81?, d, [a@@24], data@32`,
    ).flatMap((l) =>
      l.sm?.startsWith("80-")
        ? [
            { ...l, sm: "80-89", text: l.text.replace("{scas}", "{scas80}") },
            { ...l, sm: l.sm.replace("80-", "90-") },
          ]
        : [l],
    ),
  },
  {
    op: "SURED.D",
    does: "surface at a = op(surface, data)",
    slots: `<- a*sdim data*stype ${handle}`,
    widths: ".UAI.1D_ARRAY a-1; .UAI.2D_ARRAY a-1",
    ...reduce,
    bytes: "stype",
    lines: lines(
      { register: "3a0", constant: "59f", pair: "79f", uniform: "f9fu", both: "fa0u" },
      `SURED.D${raw}{redOp}{evict}{stype}${atomic75}${clamp} [a@@24], data@32`,
      `SURED.D${raw}{redOp}{evict}{stype}{scopeA}${clamp} [a@@24], data@32`,
    ),
  },
  {
    op: "SUQUERY",
    does: "d = property of the surface at a",
    slots: `p:P=PT d <- a*sdim what:WORD ${handle}`,
    widths: ".UAI.1D_ARRAY a-1; .UAI.2D_ARRAY a-1",
    ...load,
    lines: lines(
      { register: "9b3", constant: "bb3", pair: "7b3", uniform: "fb3u", both: "db3u" },
      "",
      `SUQUERY${raw} p@81?, d, [a@@24], what{COMP_STATUS|...?@87}`,
    )
      .filter((l) => l.sm !== "75")
      .map((l) => ({ ...l, sm: l.sm!.replace(/^80-/, "86-") })),
  },
];
