/** Memory accesses that ordinary code does not need: 256 bits at once, multicast memory, constants behind a descriptor. */
import type { Rows } from "../row.js";

const l2 = "{evict}{.EFL2|.ENL2|.ELL2@81:2}";
const wide = "p:P=PT d2*4 d*4 <- base*2 ur:UR*2=none off:I=0 desc:UR*2=none mask:I=255 pin:P=PT";
const ltc73 = "{?|?|?|?|_|.LTC64B|.LTC128B|.LTC256B@73:3}";
const mcOp = "{.ADD|.MIN|.MAX|?|?|.AND|.OR|.XOR@87:4}{.32/4|.S32/4|.64/8|.S64/8@73:3}.STRONG.SYS";
const floats =
  "{.F16x2.RN/4|.F16x4.RN/8|.F16x8.RN/16|.BF16x2.RN/4|.BF16x4.RN/8|.BF16x8.RN/16|?|?|?|?|?|?|.F32.RN/4|.F32x2.RN/8|.F32x4.RN/16|.F64.RN/8@73:4+87}";
const floats100 = floats.replace(
  "@",
  "|?|.E5M2x4.RN/4|.E5M2x8.RN/8|.E5M2x16.RN/16|.E4M3x4.RN/4|.E4M3x8.RN/8|.E4M3x16.RN/16@",
);
const ordered = "{scopeS}";

export const globalRows: Rows = [
  {
    op: "LDG.256",
    does: "d2, d = 32 bytes of global memory (mask: which bytes of a word group; zero registers take nothing)",
    slots: wide.replace("p:P=PT ", ""),
    memory: ["global", "load"],
    bytes: 32,
    lines: [
      {
        as: "97eu",
        text: `LDG.E${l2}${ltc73}.256{scope} d2@64, d@16, desc[desc@32][base@24.64+off@40:17sx32], mask@57:7+72?, !pin@^87?`,
        is: "76=1",
        fill: "75=1",
        sm: "100-",
      },
      {
        as: "97eu",
        text: `LDG.E${l2}{_|.LTC64B|.LTC128B|.LTC256B@73:2}.256{scope} d2@64, d@16, [?base@24.64+ur@32+off@40:17sx32], mask@57:7+72?, !pin@^87?`,
        is: "76=0 75=1",
        sm: "100-",
      },
      {
        as: "97eu",
        text: `LDG.E${l2}{_|.LTC64B|.LTC128B|.LTC256B@73:2}.256{scope} d2@64, d@16, [?base@24.U32+ur@32+off@40:17sx32], mask@57:7+72?, !pin@^87?`,
        is: "76=0 75=0",
        sm: "100-",
      },
    ],
    time: "result",
  },
  {
    op: "STG.256",
    does: "32 bytes of global memory = data, data2",
    slots: "<- base*2 ur:UR*2=none off:I=0 desc:UR*2=none data*4 data2*4 mask:I=255",
    memory: ["global", "store"],
    bytes: 32,
    effect: true,
    lines: [
      {
        as: "97fu",
        text: `STG.E${l2}.256${ordered} desc[desc@64][base@24.64+off@40:19sx32], data@32, data2@16, mask@59:5+88:3?`,
        is: "76=1",
        fill: "75=1",
        sm: "100-",
      },
      {
        as: "97fu",
        text: `STG.E${l2}.256${ordered} [?base@24.64+ur@64+off@40:19sx32], data@32, data2@16, mask@59:5+88:3?`,
        is: "76=0 75=1",
        sm: "100-",
      },
      {
        as: "97fu",
        text: `STG.E${l2}.256${ordered} [?base@24.U32+ur@64+off@40:19sx32], data@32, data2@16, mask@59:5+88:3?`,
        is: "76=0 75=0",
        sm: "100-",
      },
    ],
    time: "operands",
  },
  {
    op: "ST.E",
    does: "memory at a generic address = data",
    slots: "<- base*2 ur:UR*2 off:I=0 data*size",
    memory: ["generic", "store"],
    bytes: "size",
    effect: true,
    lines: (["64", "U32"] as const).map((w, i) => ({
      as: "985u",
      text: `ST.E{evict}{size75}{strongS75}{scope75}{private75} [?base@24.${w}+ur@64+off@40:24s], data@32`,
      is: `72=1 90=${1 - i}`,
      sm: "75",
    })),
    time: "operands",
  },
  {
    op: "LD.E",
    does: "d = memory at a generic address; p: the address was valid (.ZD: else zero)",
    slots: "p:P=none d*size <- base*2 ur:UR*2 off:I=0 pin:P=PT",
    memory: ["generic", "load"],
    bytes: "size",
    lines: (["64", "U32"] as const).flatMap((w, i) =>
      (["", ".ZD"] as const).map((zd, z) => ({
        as: "980u",
        text: `LD.E{evict}{ltc75}{size75}{strong75}{scope75}{private75}${zd} ${z ? "p@81, " : ""}d, [?base@24.${w}+ur@32+off@40:24s], !pin@^64?`,
        is: `72=1 87=${z} 90=${1 - i}`,
        sm: "75",
      })),
    ),
    time: "result",
  },
  {
    op: "ATOM.ARRIVE",
    does: "d = memory at a generic address, which counts an arrival",
    slots: "p:P d*2 <- base*2 ur:UR*2 off:I=0",
    memory: ["generic", "atomic"],
    bytes: 8,
    effect: true,
    lines: [
      ...(["64", "U32"] as const).map((w, i) => ({
        as: "f8au",
        text: `ATOM{?|.E|...???@72}.ARRIVE{evict}{?|?|.64|...???@73:3}{scopeA} p@81, d, [base@24.${w}+ur@64+off@40:24s]`,
        is: `87:4=10 70=${1 - i}`,
        sm: "90",
      })),
      ...(["64", "U32"] as const).map((w, i) => ({
        as: "f8au",
        text: `ATOM{?|.E|...???@72}.ARRIVE{evict}{?|?|.64|...???@73:3}{scopeA} p@81, d, [base@24.${w}+ur@64+off@40:23s]`,
        is: `87:4=10 63=${1 - i}`,
        sm: "100-",
      })),
    ],
    time: "result",
  },
  {
    op: "ATOM.POPC.INC.32",
    does: "d = memory at a generic address, then memory += number of active lanes that use the address",
    slots: "p:P d <- base*2 ur:UR*2 off:I=0",
    memory: ["generic", "atomic"],
    bytes: 4,
    effect: true,
    lines: [
      ...(["64", "U32"] as const).map((w, i) => ({
        as: "f8au",
        text: `ATOM{?|.E|...???@72}.POPC.INC{evict}{.32|...???@73:3}{scopeA} p@81, d, [base@24.${w}+ur@64+off@40:24s]`,
        is: `87:4=11 70=${1 - i}`,
        sm: "90",
      })),
      ...(["64", "U32"] as const).map((w, i) => ({
        as: "f8au",
        text: `ATOM{?|.E|...???@72}.POPC.INC{evict}{.32|...???@73:3}{scopeA} p@81, d, [base@24.${w}+ur@64+off@40:23s]`,
        is: `87:4=11 63=${1 - i}`,
        sm: "100-",
      })),
    ],
    time: "result",
  },
  {
    op: "LDGMC",
    does: "d = op over the copies of a multicast address",
    slots: "d*size <- base*2 ur:UR*2=none off:I=0 desc:UR*2=none",
    memory: ["global", "load"],
    bytes: "size",
    effect: true,
    lines: [
      {
        as: "9a4u",
        text: `LDGMC{?|.E|...???@72}${mcOp} d, desc[desc@64][base@24.64+off@40:24s]`,
        is: "71=1",
        fill: "70=1 78=1 80=1",
        sm: "90",
      },
      {
        as: "9a4u",
        text: `LDGMC{?|.E|...???@72}${mcOp} d, [base@24.64+ur@64+off@40:24s]`,
        is: "70:2=1",
        fill: "78=1 80=1",
        sm: "90",
      },
      {
        as: "9a4u",
        text: `LDGMC{?|.E|...???@72}${mcOp} d, [base@24.U32+ur@64+off@40:24s]`,
        is: "70:2=0",
        fill: "78=1 80=1",
        sm: "90",
      },
      {
        as: "9a4u",
        text: `LDGMC{?|.E|...???@72}${mcOp} d, desc[desc@64][base@24.64+off@40:24s]`,
        is: "82=1",
        fill: "78=1 80:2=3",
        sm: "100-",
      },
      {
        as: "9a4u",
        text: `LDGMC{?|.E|...???@72}${mcOp} d, [base@24.64+ur@64+off@40:24s]`,
        is: "81:2=1",
        fill: "78=1 80=1",
        sm: "100-",
      },
      {
        as: "9a4u",
        text: `LDGMC{?|.E|...???@72}${mcOp} d, [base@24.U32+ur@64+off@40:24s]`,
        is: "81:2=0",
        fill: "78=1 80=1",
        sm: "100-",
      },
      ...(
        [
          ["90", "F32ADD", floats, "desc[desc@64][base@24.64+off@40:24s]", "71=1", "70=1 80=1"],
          ["90", "F32ADD", floats, "[base@24.64+ur@64+off@40:24s]", "70:2=1", "80=1"],
          ["90", "F32ADD", floats, "[base@24.U32+ur@64+off@40:24s]", "70:2=0", "80=1"],
          ["100-", "HPADD", floats100, "desc[desc@64][base@24.64+off@40:24s]", "82=1", "80:2=3"],
          ["100-", "HPADD", floats100, "[base@24.64+ur@64+off@40:24s]", "81:2=1", "80=1"],
          ["100-", "HPADD", floats100, "[base@24.U32+ur@64+off@40:24s]", "81:2=0", "80=1"],
        ] as const
      ).map(([sm, add, type, address, is, fill]) => ({
        as: "9a5u",
        text: `LDGMC{?|.E|...???@72}{.ADD|.MIN|.MAX|.${add}@88:2}${type}.STRONG.SYS d, ${address}`,
        is: `${is} 77:3=2`,
        fill,
        sm,
      })),
    ],
    time: "result",
  },
  {
    op: "LDC",
    does: "d = constants behind a bound constant buffer",
    slots: "d*size <- ur:UR*2 a=RZ off:I=0",
    memory: ["const", "load"],
    bytes: "size",
    lines: [
      { as: "582u", text: "LDC{sizeC} d, cx[ur@24][off@38:16]", is: "64:8=255", sm: "75" },
      { as: "582u", text: "LDC{sizeC}{ldcMode} d, cx[ur@24][off@38:16]", is: "64:8=255", sm: "80-" },
      { as: "582u", text: "LDC{sizeC} d, cx[ur@24][a@64+off@38:16s]", sm: "75" },
      { as: "582u", text: "LDC{sizeC}{ldcMode} d, cx[ur@24][a@64+off@38:16s]", sm: "80-" },
    ],
    time: "result",
  },
  {
    op: "QSPC",
    does: "p: the generic address is in the window of global (.G), local (.L), shared (.S) or cluster shared memory (.D)",
    slots: "p:P d=RZ <- base*2 ur:UR*2 off:I=0",
    lines: [
      ...(["75", "80-"] as const).flatMap((sm) =>
        (["64", "U32"] as const).map((width, i) => ({
          as: "9aau",
          text: `QSPC{_|.E@72}{.G|.L|.S|.D@73:2} p@81, d, [${sm === "75" ? "?" : ""}base@24.${width}+ur@32+off@40:24s]`,
          is: `90=${1 - i}`,
          sm,
        })),
      ),
    ],
    time: "result",
  },
  {
    op: "DEPBAR.LE",
    does: "wait until scoreboard sb counts at most what n holds, and for those in the mask",
    slots: "<- sb:SB n:UR mask:BITS=0",
    effect: true,
    lines: [
      { as: "d1au", text: "DEPBAR{?|.LE|...???@47} sb@44:3, n@32, mask@38:6?", sm: "90" },
      { as: "d1au", text: "DEPBAR{?|.LE|...???@47} sb@44:3, n@32, mask@48:6?", sm: "100-" },
    ],
    time: "fixed",
    sets: "none",
  },
  {
    op: "LDGSTS.UR",
    does: "shared memory = global memory, asynchronously; both addresses are the register's plus a uniform one",
    slots: "<- base off:I=0 ur:UR*3 addr*2 goff:I=0 pin:P=PT",
    memory: ["global", "load"],
    bytes: "size",
    effect: true,
    lines: [
      {
        as: "daeu",
        text: "LDGSTS.E{.BYPASS|_@81}{evict}{ltc@71:2}{size@73:3}{_|.ZFILL@82} [base@16+ur@64+off@44:20s], desc[ur+1][addr@24.64+goff@32:12s], !pin@87?",
        is: "70=1 76=1 77:4=0",
        sm: "90",
      },
      {
        as: "daeu",
        text: "LDGSTS.E{.BYPASS|_@81}{evict}{ltc@72:2}{_/4|.64/8|.128/16@74:2}{_|.ZFILL@82} [base@16+ur@64+off@44:20s], desc[ur+1][addr@24.64+goff@32:12s], !pin@87?",
        is: "83=1 76=1 77:4=0",
        sm: "100-",
      },
    ],
    time: "result",
  },
];
