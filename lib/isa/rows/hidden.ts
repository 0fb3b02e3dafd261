/**
 * Words that nvdisasm takes and prints as nothing. What they do is not known; all that can be said is which there are and
 * which control words they take (measured on all-random words, tools/isa-random.ts). The instruction holds the word
 * itself, so that it comes back as it was. Words of other instructions that are printed as nothing (`hidden` of their
 * rows) decode to it too.
 */
import type { Line, Row, Rows } from "../row.js";

/** Opcodes whose operands at these places have reuse bits (bit 0: 122), or which run in a unit of their own. */
function lines(opcodes: string, sm: string, reuse: number, not = "", is = ""): Line {
  const line = { as: opcodes, text: "HIDDEN low@0:64, high@64:64", sm, reuse };
  return { ...line, ...(not && { not }), ...(is && { is }) };
}

/** They guard no result, or nothing at all. */
const noResult = "110:3=!7";
const nothing = `${noResult}; 113:3=!7`;
/** They wait for nothing, and have no reuse bits beside bit 109. */
const lone = "116:6=!0; 109=1 122:3=!0";
/** No stall, no yield, no scoreboard, nothing kept: only what they wait for is open (all 16,384 others asked). */
const bare = `${nothing}; 105:4=!0; 109=1; 122:3=!0`;
/** What F2FP is from sm_80 on: two numbers packed, one beside a half of c, or rounded with random bits from c. */
const f2fp = (opcodes: string, reuse: readonly (readonly [kind: string, mask: number])[]): Line[] =>
  reuse.map(([kind, mask]) => lines(opcodes, "75", mask, kind.startsWith("81=0") ? "79:2=1,2" : "79:2=!0", kind));

export const hiddenRow: Row = {
  op: "HIDDEN",
  does: "not known: nvdisasm takes the word and prints nothing",
  slots: "<- low:I high:I",
  effect: true,
  time: "fixed",
  lines: [
    lines("218 22c 241 242", "80-103", 7),
    lines("218", "75", 7),
    lines("22c", "110", 7),
    lines("22c c2cu e2cu", "120-", -1),
    lines("20e", "80-90", 6),
    lines("62c 62cu", "80-90", 3),
    lines("e2cu", "80-110", 3),
    lines("e79u", "80-110", 3),
    lines("a2c a2cu", "80-90", 5),
    lines("c2cu", "80-110", 5),
    lines("a78u", "80-90", 0),
    lines("478u", "80-", 2),
    lines("47e e79u", "120-", 2),
    lines("878u c78u", "80-", 0),
    lines("3c7u 5c7u", "90-", 0),
    lines("94f", "89-", -1, bare),
    lines("951", "", 0),
    lines("951u", "75", 0),
    lines("9d4", "75,86-89,120-", -1, "109=1 122:3=!0; 122:3=5"),
    lines("31e 35a 95a d5au", "", -1, noResult),
    lines("31eu", "75", -1, noResult),
    lines("b5a b5au", "-90", -1, noResult),
    lines("3d0 3d5", "75,86-89,120-", -1, nothing),
    lines("3d1", "75,86-89,120-", -1, `110:3=!7; ${lone}`),
    lines("3d2", "75,86-89,120-", -1, `113:3=!7; ${lone}`),
    lines("3d3", "75,86-89,120-", -1, `${nothing}; ${lone}`),
    lines("5f0u 5f1u 5f2u 5f3u", "90", -1, nothing),
    lines("9e4u 9e5u", "100-110", -1),
    lines("deau feau", "100", -1, `${noResult}; 63=0; 72:2=!1`),
    ...f2fp("23e", [
      ["81=0 78=0", 3],
      ["81=0 78=1", 6],
      ["81=1", 7],
    ]),
    ...f2fp("83e a3e a3eu c3eu", [
      ["81=0 78=0", 1],
      ["81=0 78=1", 4],
      ["81=1", 5],
    ]),
    ...f2fp("43e 63e 63eu e3eu", [
      ["81=0 78=1", 2],
      ["81=1", 3],
    ]),
    lines("304 904 b04 b04u d04u", "86-89", -1, "", "75:3=2 84:3=4"),
    lines("304 904 b04 b04u d04u", "90", -1, "", "75:3=2 84:3=5"),
  ],
};

export const namelessRows: Rows = [
  hiddenRow,
  {
    op: "__HIR0X1E0",
    does: "not known; nvdisasm's life ranges take it for a return",
    flow: "return",
    slots: "<-",
    effect: true,
    lines: [
      { as: "94f 94fu", text: "__HIR0X1E0", sm: "75", reuse: -1, not: `${nothing}; 109=0 105:4=0` },
      { as: "94f", text: "__HIR0X1E0", sm: "80-88", reuse: -1, not: bare },
    ],
    time: "fixed",
  },
];
