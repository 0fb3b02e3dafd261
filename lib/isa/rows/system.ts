/**
 * Control flow and state of the warp beyond what compiled code needs: absolute and indirect jumps, convergence barriers
 * and special state, saved return addresses, cache control of textures and constants, launch control.
 */
import { type Line, type Rows, shared } from "../row.js";

const far = "target@16:8+34:47x4";
const near = "target@34:47x4";
const bank = "c[k@54:5][@40:14sx4]";

/** Special state that BMOV moves, by number; MCOLLECTIVE came with sm_90. */
const state =
  "B0|B1|B2|B3|B4|B5|B6|B7|B8|B9|B10|B11|B12|B13|B14|B15|THREAD_STATE_ENUM.0|THREAD_STATE_ENUM.1|THREAD_STATE_ENUM.2|THREAD_STATE_ENUM.3|THREAD_STATE_ENUM.4|TRAP_RETURN_PC.LO|TRAP_RETURN_PC.HI|TRAP_RETURN_MASK|MEXITED|MKILL|MACTIVE|MATEXIT|OPT_STACK|API_CALL_DEPTH|ATEXIT_PC.LO|ATEXIT_PC.HI";
const barriers = `s{${state.slice(0, state.indexOf("|T"))}|...?@24:6}`;
/** Lines in whose text `&S` is any of it, `&s` all but the barriers. */
const ofState = (lines: readonly Line[]): Line[] =>
  ["-89", "90-"].flatMap((sm, i) =>
    lines.map((line) => {
      const all = i === 0 ? state : `${state}|MCOLLECTIVE`;
      const text = line.text
        .replace("&S", `s{${all}|...?@24:6}`)
        .replace("&s", `s{${all.replace(/B\d+/g, "?")}|...?@24:6}`);
      return { ...line, text, sm };
    }),
  );
const pquad = "{_|.PQUAD@84}";

/** An instruction with its operand in a constant bank, directly or through a uniform register (up to sm_90). */
function constants(direct: string, through: string, text: string): Line[] {
  return [
    { as: direct, text: text.replace("%", "c[k@54:5][@40:14sx4]"), sm: "-90" },
    { as: through, text: text.replace("%", "cx[k@32][@40:14x4]"), sm: "-90" },
  ];
}

/** Cache control of LDC or LDCU; LDCU has no index register before sm_120. */
const cacheOf = (unit: "LDC" | "LDCU", deep: string): Line[] =>
  ["100-110", "120-"].flatMap((sm, i) => {
    const head = `{?|?|.C|...???@78:3}.${unit}`;
    const one = `{?|?|?|.IV|...???@87:4}${deep}`;
    const [all, global, constant, bound] =
      unit === "LDC" ? ["33f", "53fu", "b3f", "73fu"] : ["340", "540u", "b40u", "740u"];
    const index = unit === "LDC" ? "i@64?" : i === 0 ? "x{255=URZ|...?@64:8}" : "iu@64?";
    const more = { sm, decoupled: unit === "LDCU" || i === 1 };
    return [
      { as: all!, text: `CCTL${head}{?|?|?|?|.IVALL|...???@87:4}${deep}`, ...more },
      { as: global!, text: `CCTL.E${head}${one} [base@24?+off@32:32ss]`, ...more },
      { as: constant!, text: `CCTL${head}${one} c[k@54:5][${unit === "LDC" ? "R" : "UR"}@24+@37:17s]`, ...more },
      { as: bound!, text: `CCTL${head}${one} cx[ur@24][${index}+shift@37:17s]`, ...more },
    ];
  });

export const systemRows: Rows = shared({ effect: true, time: "fixed" }, [
  {
    op: "PREEXIT",
    does: "let dependent grids start",
    slots: "<-",
    lines: [{ as: "82d", text: "PREEXIT", sm: "90-" }],
    sets: "any",
    decoupled: true,
  },
  {
    op: "ACQBULK",
    does: "wait for the grids this one depends on",
    slots: "<-",
    lines: [{ as: "82e", text: "ACQBULK", sm: "90-" }],
  },
  {
    op: "ACQSHMINIT",
    does: "wait until shared memory is initialized",
    slots: "<-",
    lines: [{ as: "877", text: "ACQSHMINIT", sm: "100-" }],
  },
  {
    op: "ELECT",
    does: "p: this lane is the one chosen among those of the mask b; d = its number",
    slots: "p:P d:UR=URZ <- b:UR",
    lines: [{ as: "82fu", text: "ELECT{_|.IGNOREKILL@85} p@81, d@16, ~b@24-72", sm: "90-" }],
    effect: false,
  },
  {
    op: "JMP",
    does: "go to address target in the lanes where pin holds",
    slots: "<- pin:P=PT target:I=none k:C=none",
    flow: "indirect",
    lines: [
      { as: "94a", text: `JMP{inc}{_|.U|.DIV|.CONV@32:2} !pin@87?, ${near}`, sm: "-89" },
      { as: "94a", text: `JMP{inc}{_|.U|.DIV|.CONV@32:2} !pin@87?, ${far}`, sm: "90-" },
      { as: "94a", text: `JMP{inc}{?|.U|?|?@32:2}.ANY !pin@87?, ${far}`, is: "84=1 32:2=1", sm: "90-" },
      { as: "b4a", text: "JMP{inc}{_|.U|.DIV|.CONV@32:2} !pin@87?, c[k@54:5][@38:16s]", sm: "75" },
      { as: "b4a", text: `JMP{inc}{_|.U|.DIV|.CONV@32:2} !pin@87?, ${bank}`, sm: "80-90" },
      { as: "b4a", text: `JMP{inc}{?|.U|?|?@32:2}.ANY !pin@87?, ${bank}`, is: "84=1 32:2=1", sm: "90" },
    ],
  },
  {
    op: "JMP.U",
    does: "go to address target if the uniform predicate holds",
    slots: "<- pin:P=PT upin:UP target:I=none k:C=none",
    flow: "indirect",
    lines: [
      { as: "54au", text: `JMP{inc}{?|.U|...???@32:2} !pin@87?, !upin@24, ${near}`, sm: "80-89" },
      { as: "74au", text: `JMP{inc}{?|.U|...???@32:2} !pin@87?, !upin@24, ${bank}`, sm: "80-89" },
      { as: "54au", text: `JMP{inc}{?|.U|...???@32:2}{_|.ANY@84} !pin@87?, !upin@24, ${far}`, sm: "90-" },
      { as: "74au", text: `JMP{inc}{?|.U|...???@32:2}{_|.ANY@84} !pin@87?, !upin@24, ${bank}`, sm: "90" },
    ],
  },
  {
    op: "JMP.DIV",
    does: "go to address target if the lanes of the mask are not together (.CONV: if they are)",
    slots: "<- pin:P=PT ur:UR target:I=none k:C=none",
    flow: "indirect",
    lines: [
      { as: "94au", text: `JMP{inc}{?|?|.DIV|.CONV@32:2} !pin@87?, ~ur@24-30, ${near}`, sm: "80-89" },
      { as: "b4au", text: `JMP{inc}{?|?|.DIV|.CONV@32:2} !pin@87?, ~ur@24-30, ${bank}`, sm: "80-89" },
      { as: "94au", text: `JMP{inc}{?|?|.DIV|.CONV|...???@32:2} !pin@87?, ~ur@24-30, ${far}`, sm: "90" },
      { as: "94au", text: `JMP{inc}{?|?|.DIV|.CONV|...???@32:2} !pin@87?, ~ur@24-82, ${far}`, sm: "100-" },
      { as: "b4au", text: `JMP{inc}{?|?|.DIV|.CONV|...???@32:2} !pin@87?, ~ur@24-30, ${bank}`, sm: "90" },
    ],
  },
  {
    op: "JMX",
    does: "go to address a + off",
    slots: "<- pin:P=PT a*2 off:I=0",
    flow: "indirect",
    lines: [
      { as: "94c", text: "JMX{inc} !pin@87?, a@24 off@34:48sx4?", sm: "-89" },
      { as: "94c", text: "JMX{inc} !pin@87?, a@24 off@16:8+34:48sx4?", sm: "90-" },
    ],
  },
  {
    op: "JMXU",
    does: "go to address ur + off",
    slots: "<- pin:P=PT ur:UR*2 off:I=0",
    flow: "indirect",
    lines: [
      { as: "959u", text: "JMXU{inc}{_|.U|.DIV|.CONV@32:2} !pin@87?, ur@24 off@34:48sx4?", sm: "-89" },
      { as: "959u", text: "JMXU{inc}{_|.U|.DIV|.CONV@32:2} !pin@87?, ur@24 off@16:8+34:48sx4?", sm: "90-" },
    ],
  },
  {
    op: "CALL.REL",
    does: "call ur + target",
    slots: "<- pin:P=PT ur:UR*2 target:L",
    flow: "call",
    lines: [
      { as: "944u", text: "CALL.REL{_|.NOINC@86} !pin@87?, ur@24 target@34:48sx4", sm: "-89" },
      { as: "944u", text: "CALL.REL{_|.NOINC@86} !pin@87?, ur@24 target@16:8+34:48sx4", sm: "90-" },
    ],
  },
  {
    op: "CALL.ABS",
    does: "call the function at address ur + target, or at an address in a constant bank",
    slots: "<- pin:P=PT ur:UR*2=none target:I=0 k:C=none",
    flow: "call",
    lines: [
      { as: "943u", text: "CALL.ABS{_|.NOINC@86} !pin@87?, ur@24 target@34:48sx4?", sm: "-89" },
      { as: "943u", text: "CALL.ABS{_|.NOINC@86} !pin@87?, ur@24 target@16:8+34:48sx4?", sm: "90-" },
      { as: "b43", text: "CALL.ABS{_|.NOINC@86} !pin@87?, c[k@54:5][@38:16s]", sm: "75" },
      { as: "b43", text: "CALL.ABS{_|.NOINC@86} !pin@87?, c[k@54:5][@40:14sx4]", sm: "80-90" },
    ],
  },
  {
    op: "RET.REL",
    does: "return to ur + target",
    slots: "<- pin:P=PT ur:UR*2 target:L",
    flow: "return",
    lines: [
      { as: "950u", text: "RET.REL{_|.NODEC@86} !pin@87?, ur@24 target@34:48sx4", is: "85=0", sm: "-89" },
      { as: "950u", text: "RET.REL{_|.NODEC@86} !pin@87?, ur@24 target@16:8+34:48sx4", is: "85=0", sm: "90-" },
    ],
  },
  {
    op: "RET.ABS",
    does: "return to address ur + off",
    slots: "<- pin:P=PT ur:UR*2 off:I=0",
    flow: "return",
    lines: [
      { as: "950u", text: "RET.ABS{_|.NODEC@86} !pin@87?, ur@24 off@34:48sx4?", is: "85=1", sm: "-89" },
      { as: "950u", text: "RET.ABS{_|.NODEC@86} !pin@87?, ur@24 off@16:8+34:48sx4?", is: "85=1", sm: "90-" },
    ],
  },
  {
    op: "B2R.WARP",
    does: "d = barriers the warp waits at",
    slots: "d <-",
    lines: [{ as: "31c", text: "B2R.WARP d", is: "78:2=2" }],
    time: "result",
    effect: false,
  },
  {
    op: "BAR.SCAN",
    does: "as BAR.RED, with a prefix sum of pin over the threads",
    slots: "<- id n=0 pin:P",
    lines: [
      { as: "b1d", text: "BAR.SCAN id#54:4, n#42:12, !pin@87", is: "77:4=3" },
      { as: "91d", text: "BAR.SCAN id#54:4, n@32, !pin@87", is: "77:4=3" },
      { as: "51d", text: "BAR.SCAN id@32, n#42:12, !pin@87", is: "77:4=3" },
      { as: "31d", text: "BAR.SCAN id@32, n@32, !pin@87", is: "77:4=3" },
    ],
    time: "operands",
  },
  {
    op: "RPCMOV.32",
    does: "d = one half of the saved return address",
    slots: "d <- h:WORD",
    lines: [{ as: "353", text: "RPCMOV.32 d, h{Rpc.LO|Rpc.HI@31}" }],
    decoupled: false,
  },
  {
    op: "RPCMOV.32",
    does: "one half of the saved return address = b",
    slots: "h:WORD <- b=none ub:UR=none k:C=none",
    lines: [
      { as: "352", text: "RPCMOV.32 h{Rpc.LO|Rpc.HI@31}, b@32%123" },
      { as: "952", text: "RPCMOV.32 h{Rpc.LO|Rpc.HI@31}, b#32:32" },
      { as: "d52u", text: "RPCMOV.32 h{Rpc.LO|Rpc.HI@31}, ub@32" },
      ...constants("b52", "b52u", "RPCMOV.32 h{Rpc.LO|Rpc.HI@31}, %").map((l) =>
        l.as === "b52" ? { ...l, sm: "80-90" } : l,
      ),
      { as: "b52", text: "RPCMOV.32 h{Rpc.LO|Rpc.HI@31}, c[k@54:5][@38:16s]", sm: "75" },
    ],
    decoupled: false,
  },
  {
    op: "RPCMOV.64",
    does: "the saved return address = b",
    slots: "<- target:I=none ub:UR*2=none k:C=none",
    lines: [
      { as: "954", text: `RPCMOV.64 Rpc, ${near}`, sm: "-89" },
      { as: "954", text: `RPCMOV.64 Rpc, ${far}`, sm: "90-" },
      { as: "d54u", text: "RPCMOV.64 Rpc, ub@32" },
      ...constants("b54", "b54u", "RPCMOV.64 Rpc, %"),
    ],
  },
  {
    op: "BMOV.64",
    does: "address of the code that runs at exit = b",
    slots: "<- b*2=none target:I=none ub:UR*2=none k:C=none",
    lines: [
      { as: "357", text: "BMOV.64 ATEXIT_PC, b@32", sets: "read" },
      { as: "957", text: `BMOV.64 ATEXIT_PC, ${near}`, sm: "-89" },
      { as: "957", text: `BMOV.64 ATEXIT_PC, ${far}`, sm: "90-" },
      { as: "d57u", text: "BMOV.64 ATEXIT_PC, ub@32" },
      ...constants("b57", "b57u", "BMOV.64 ATEXIT_PC, %"),
    ],
    decoupled: true,
  },
  {
    op: "BMOV.32",
    does: "special state s = b",
    slots: "s:WORD <- b:I=none ub:UR=none k:C=none",
    lines: [
      ...ofState([
        { as: "956", text: `BMOV.32${pquad} &S, b@32:32`, sets: "none" },
        { as: "d56u", text: `BMOV.32${pquad} &S, ub@32` },
      ]),
      ...["-89", "90"].flatMap((sm, i) =>
        ofState(constants("b56", "b56u", `BMOV.32${pquad} &S, %`)).flatMap((l, k) =>
          k >> 1 === i ? { ...l, sm } : [],
        ),
      ),
    ],
    decoupled: true,
  },
  {
    op: "BMOV.32",
    does: "convergence barrier d = special state s",
    slots: "d:B <- s:WORD",
    lines: [
      ...ofState([{ as: "f55", text: "BMOV.32 d@16, &s", is: "84=0", not: "75 28:2=!1" }]),
      { as: "f55", text: `BMOV.32.CLEAR d@16, ${barriers}`, is: "84=1", not: "75 28:2=!0" },
    ],
    decoupled: true,
  },
  {
    op: "BMOV.32",
    does: "special state s = convergence barrier b",
    slots: "s:WORD <- b:B",
    lines: ofState([{ as: "f56", text: `BMOV.32${pquad} &S, b@16` }]),
    decoupled: true,
  },
  {
    op: "CCTLT",
    does: "drop a texture's header and sampler",
    slots: "<- b=none ur:UR=none bank:I=none word:I=none",
    lines: [
      { as: "391", text: "CCTLT.IVALL", is: "85:2=2", sets: "none" },
      { as: "391", text: "CCTLT.IVTH b@@32", is: "85:2=1" },
      { as: "b91", text: "CCTLT{?|.IVTH|...???@85:2} bank@54:5, word@40:14", not: "75 85:2=!1", sm: "-90" },
      { as: "d91u", text: "CCTLT{?|.IVTH|...???@85:2} ur@@32", not: "75 85:2=!1" },
    ],
    time: "operands",
  },
  {
    op: "CCTLL",
    does: "cache control of local memory",
    slots: "<- base ur:UR=none off:I=0",
    lines: [
      { as: "990", text: "CCTLL.IVALL", is: "24:8=255 87:4=4", sets: "none" },
      { as: "990", text: "CCTLL.WBALL", is: "24:8=255 87:4=7", sets: "none" },
      { as: "990", text: "CCTLL{.PF1|.PF2|.WB|.IV|!|.RS|...!@87:4} [base@24+off@40:24s]" },
      { as: "d90u", text: "CCTLL{.PF1|.PF2|.WB|.IV|?|.RS|...???@87:4} [base@24+ur@32]", not: "75 87:4=4,6-15" },
    ],
    time: "operands",
  },
  {
    op: "CCTL.C.LDC",
    does: "drop constants from the cache of LDC",
    slots: "<- base:UR*2=none off:I=0 k:C=none ur:UR*2=none i=RZ iu:UR=URZ x:WORD=255 shift:I=0",
    lines: cacheOf("LDC", "{_|...???@86}"),
    time: "operands",
    sets: "any",
  },
  {
    op: "CCTL.C.LDCU",
    does: "drop constants from the cache of LDCU",
    slots: "<- base:UR*2=none off:I=0 k:C=none ur:UR*2=none i=RZ iu:UR=URZ x:WORD=255 shift:I=0",
    lines: cacheOf("LDCU", "{_|.DEEP@86}"),
    time: "result",
  },
  {
    op: "CSMTEST",
    does: "p, q = test of the clip state",
    slots: "p:P q:P=PT <- n:I pin:P=PT",
    lines: [
      {
        as: "80d",
        text: "CSMTEST{?|.R|.A|.RA@62:2}{.F|.CSM_TA|.CSM_TR|.CSM_MX|.T|.FCSM_TA|.FCSM_TR|.FCSM_MX@76:3}{bool} p@81, q@84, n@32:28, !pin@87",
      },
    ],
    effect: false,
  },
  {
    op: "SETCTAID",
    does: "set the index of the CTA",
    slots: "<- a*size",
    lines: [{ as: "31f", text: "SETCTAID{.X/4|.Y/4|.Z/4|_/8@78:2} a@24" }],
    time: "operands",
    sets: "any",
  },
]);
