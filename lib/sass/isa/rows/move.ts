/** Moves, selects, and traffic between register files. */
import type { Line, Rows } from "../row.js";
import { middle, one, two } from "./shapes.js";

/** Types of I2IP with the parts of c that they have. */
const i2ip = (sat: string, sm: string): Line[] =>
  [
    ["{.U8|.S8|.U16|.S16@76:2}", "{_|.H1|...???@72:2}", "78=0"],
    ["{.U2|.S2@76}", "{3=.28|...???@72:2}", "77:2=2"],
    ["{.U4|.S4@76}", "{?|?|.24|?|...???@72:2}", "77:2=3"],
  ].map(([type, part, is]) => ({ as: middle(0x39), text: `I2IP${type}.S32${sat} d, a, b, c${part}`, is: is!, sm }));

export const moveRows: Rows = [
  {
    op: "MOV",
    does: "d = b; mask: the bytes of d that are written",
    slots: "d <- b mask:I=15",
    lines: [
      { as: one(0x02), text: "MOV d, b, mask@72:4?", sm: "-90" },
      { as: "R=202 I=802", text: "MOV d, b, mask@72:4?", sm: "100-110" },
      { as: "U=c02u", text: "MOV d, b, mask@72:4?", is: "88=0", sm: "100-110" },
      { as: "R=202", text: "MOV d, b, mask@72:4?", is: "80=0", sm: "120-" },
      { as: "U=c02u", text: "MOV d, b, mask@72:4?", is: "80=0 88=0", sm: "120-" },
      { as: "I=802", text: "MOV d, b, mask@72:4?", sm: "120-" },
    ],
    time: "fixed",
  },
  {
    op: "MOV.64",
    does: "d = b, 64 bits",
    slots: "d*2 <- b*2",
    lines: [
      { as: "R=202", text: "MOV.64 d, b", is: "80=1", fill: "72:4=15", sm: "120-" },
      { as: "U=c02u", text: "MOV.64 d, b", is: "80=1 88=0", fill: "72:4=15", sm: "120-" },
      { as: "402", text: "MOV.64 d, b#24:64", sm: "120-" },
    ],
    time: "fixed",
  },
  {
    op: "MOV.SPILL",
    does: "d = b, a uniform register to be kept",
    slots: "d <- b:UR",
    lines: [
      { as: "c02u", text: "MOV.SPILL d, b@32", is: "88=1", fill: "72:4=15", sm: "100-110" },
      { as: "c02u", text: "MOV.SPILL d, b@32", is: "80=0 88=1", fill: "72:4=15", sm: "120-" },
    ],
    time: "fixed",
  },
  {
    op: "SEL",
    does: "d = pin ? a : b",
    slots: "d <- a b pin:P",
    lines: [{ as: two(0x07), text: "SEL d, a, b, !pin@87" }],
    time: "fixed",
  },
  {
    op: "SEL.64",
    does: "d = pin ? a : b, 64 bits",
    slots: "d*2 <- a*2 b*2 pin:P",
    lines: [
      { as: "RR=607 RU=e07u", text: "SEL.64 d, a, b, !pin@87", sm: "120-" },
      { as: "RI=407", text: "SEL.64 d, a, b, !pin@87", is: "64=0", sm: "120-" },
      { as: "RI=407", text: "SEL.64 d, a, b, !pin@87", is: "64=1", imm: "n32", sm: "120-" },
    ],
    time: "fixed",
  },
  {
    op: "P2R",
    does: "d = a with the byte chosen by .Bn replaced by the predicates P0…P6 where b has ones",
    slots: "d <- a b",
    lines: [
      { as: two(0x03), text: "P2R{byte} d, PR, a, b", imm: "s32", sm: "-89" },
      { as: two(0x03), text: "P2R{byte} d, PR, a, b", sm: "90-" },
    ],
    time: "fixed",
  },
  {
    op: "R2P",
    does: "the predicates P0…P6 where b has ones = the bits of byte .Bn of a",
    slots: "<- a b",
    lines: [{ as: two(0x04), text: "R2P PR, a{byte}, b" }],
    effect: true,
    time: "fixed",
  },
  {
    op: "S2R",
    does: "d = special register",
    slots: "d <- s:S",
    lines: [{ as: "919", text: "S2R d, s@72:8" }],
    time: "result",
  },
  {
    op: "CS2R",
    does: "d (64 bits) = special register and its successor",
    slots: "d*2 <- s:S",
    lines: [{ as: "805", text: "CS2R d, s@72:8", is: "80=1" }],
    time: "fixed",
  },
  {
    op: "CS2R.32",
    does: "d = special register",
    slots: "d <- s:S",
    lines: [{ as: "805", text: "CS2R.32 d, s@72:8", is: "80=0" }],
    time: "fixed",
  },
  {
    op: "R2UR",
    does: "d = a of the first active lane",
    slots: "pout:P=PT d:UR <- a",
    lines: [
      { as: "3c2", text: "R2UR pout@81?, d, a@24", is: "84=0", sm: "-89" },
      { as: "2ca", text: "R2UR pout@81?, d, a@24%122", is: "84=0", sm: "90" },
      { as: "2ca", text: "R2UR{_|.FILL|.BROADCAST|!@86:2} pout@81?, d, a@24%122", is: "84=0", sm: "100-" },
    ],
    time: "r2ur",
  },
  {
    op: "R2UR.OR",
    does: "d = or of a over the active lanes; pout: some lane has another value",
    slots: "pout:P=PT d:UR <- a",
    lines: [
      { as: "3c2", text: "R2UR.OR pout@81, d, a@24", is: "84=1", sm: "-89" },
      { as: "2ca", text: "R2UR.OR pout@81, d, a@24%122", is: "84=1", sm: "90" },
      { as: "2ca", text: "R2UR.OR{_|.FILL|.BROADCAST|!@86:2} pout@81, d, a@24%122", is: "84=1", sm: "100-" },
    ],
    time: "r2ur",
  },
  {
    op: "SHFL",
    does: "d = a of the lane that b (source, delta or mask) and c (clamp and segment) choose; pout: that lane is in range",
    slots: "pout:P=PT d <- a b c",
    lines: [
      { as: "389", text: "SHFL{shfl} pout@81, d, a@24, b@32, c@64" },
      { as: "589", text: "SHFL{shfl} pout@81, d, a@24, b@32, c#40:13" },
      { as: "989", text: "SHFL{shfl} pout@81, d, a@24, b#53:5, c@64" },
      { as: "f89", text: "SHFL{shfl} pout@81, d, a@24, b#53:5, c#40:13" },
    ],
    time: "result",
  },
  {
    op: "VOTE",
    does: "d = ballot of pin; pout = all, any or equal over the active lanes",
    slots: "d=RZ pout:P=PT <- pin:P",
    lines: [{ as: "806", text: "VOTE{vote} d?, pout@81, !pin@87" }],
    time: "fixed",
  },
  {
    op: "MATCH.ANY",
    does: "d = mask of the lanes with the same a",
    slots: "d <- a*mw",
    lines: [{ as: "3a1", text: "MATCH.ANY{mw} d, a@24", is: "79=1", fill: "81:3=7" }],
    time: "result",
  },
  {
    op: "MATCH.ALL",
    does: "d = mask of the active lanes if all have the same a, else 0; pout: they have",
    slots: "pout:P=PT d <- a*mw",
    lines: [{ as: "3a1", text: "MATCH.ALL{mw} pout@81, d, a@24", is: "79=0" }],
    time: "result",
  },
  {
    op: "REDUX",
    does: "d = reduction of a over the active lanes (and without a name)",
    slots: "d:UR <- a",
    lines: [{ as: "3c4", text: "REDUX{redux}{_|.S32@73} d, a@24", sm: "80-" }],
    time: "result",
  },
  {
    op: "CREDUX",
    does: "d = minimum or maximum of a over the active lanes",
    slots: "d:UR <- a",
    lines: [
      {
        as: "2cc",
        text: "CREDUX{.MAX|.MAXABS|.MIN|.MINABS@78:2}{_|.S32|.F32@73:2}{_|.NAN@77} d, a@24%122",
        sm: "100-103",
      },
    ],
    time: "fixed",
  },
  {
    op: "B2R",
    does: "d = state of CTA barrier b",
    slots: "d <- b:I",
    lines: [{ as: "31c", text: "B2R d, b@54:4", is: "78:2=0" }],
    time: "result",
  },
  {
    op: "B2R.RESULT",
    does: "d, pout = result of the last BAR.RED",
    slots: "d=RZ pout:P=PT <-",
    lines: [{ as: "31c", text: "B2R.RESULT d, pout@81?", is: "78:2=1" }],
    time: "result",
  },
  {
    op: "GETLMEMBASE",
    does: "d (64 bits) = address of the thread's local memory window",
    slots: "d*2 <-",
    lines: [{ as: "3c0", text: "GETLMEMBASE d" }],
    time: "result",
  },
  {
    op: "SETLMEMBASE",
    does: "address of the local memory window = a",
    slots: "<- a*2",
    lines: [{ as: "3c1", text: "SETLMEMBASE a@24" }],
    effect: true,
    time: "operands",
  },
  {
    op: "BMOV.32",
    does: "d = convergence barrier b, which is emptied with .CLEAR",
    slots: "d <- b:B",
    lines: [{ as: "355", text: "BMOV.32{_|.CLEAR@84} d, b@24", is: "28:2=0" }],
    effect: true,
    time: "write",
  },
  {
    op: "BMOV.32",
    does: "d = special state s",
    slots: "d <- s:WORD",
    lines: [
      { as: "355", text: "BMOV.32{_|.CLEAR@84} d, s{state75}", not: "75 29=1", sm: "-89" },
      { as: "355", text: "BMOV.32{_|.CLEAR@84} d, s{state}", sm: "90-" },
    ],
    effect: true,
    time: "write",
  },
  {
    op: "BMOV.32",
    does: "convergence barrier d = b (.PQUAD: the quads of b, completed)",
    slots: "d:B <- b",
    lines: [
      { as: "356", text: "BMOV.32{_|.PQUAD@84} d@24, b@32", is: "28:2=0" },
      { as: "956", text: "BMOV.32{_|.PQUAD@84} d@24, b#32:32", is: "28:2=0", sets: "none" },
    ],
    effect: true,
    time: "operands",
  },
  {
    op: "BMOV.32",
    does: "special state s = b",
    slots: "s:WORD <- b",
    lines: [
      { as: "356", text: "BMOV.32{_|.PQUAD@84} s{state75}, b@32", sm: "-89" },
      { as: "356", text: "BMOV.32{_|.PQUAD@84} s{state}, b@32", sm: "90-" },
    ],
    effect: true,
    time: "operands",
  },
  {
    op: "I2IP",
    does: "d = a and b saturated to small integers and packed below c",
    slots: "d <- a b c",
    imm: "s32",
    lines: [
      ...i2ip(".SAT", "80"),
      ...i2ip("{.SAT|_|.SATRELU@74:2}", "86-89"),
      ...i2ip("{_|.SAT|.SATRELU@74:2}", "90-"),
    ],
    time: "fixed",
  },
];
