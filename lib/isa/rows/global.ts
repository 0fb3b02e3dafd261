/** Memory accesses that ordinary code does not need: 256 bits at once, multicast memory, constants after a descriptor. */
import type { Line, Rows } from "../row.js";
import { far, loadMods75 } from "./memory.js";

const l2 = "{evict}{.EFL2|.ENL2|.ELL2@81:2}";
/** With .RML2 scopes have no names but what STRONG and GPU are part of. */
const scopeR =
  "{.???1.???0|.???0.???0.PRIVATE|.???0.???1|.???0.???1.PRIVATE|.STRONG.???2.PRIVATE|.STRONG.???2|.STRONG.GPU.PRIVATE|.STRONG.GPU|.???3.GPU|.???0.???2|.STRONG.???5|.???0.???2.PRIVATE|.???3.???5|.???0.???3|.???0.???3.PRIVATE|.???0.GPU@77:4}";
const wide = "p:P=PT d2*4 d*4 <- base*2 ur:UR*2=none off:I=0 desc:UR*2=none mask:I=255 pin:P=PT";
const ltc73 = "{_|.LTC64B|.LTC128B|.LTC256B@73:2}";
const wide256 = { desc: 76, wide: 75, scale: "x32", bare: true };
const loadText = (head: string, scope: string, mask: string): string =>
  `LDG.E${head}${ltc73}.256${scope} d2@64, d@16, %A, mask@${mask}?, !pin@^87?`;
const wide100 = { ...wide256, off: "40:17" };
const wideStore = (sm: string, scope: string, mask: string): Line[] =>
  far("97fu", 64, `STG.E${l2}.256${scope} %A, data@32, data2@16, mask@${mask}?`, sm, { ...wide256, off: "40:19" });
const mcOp = "{.ADD|.MIN|.MAX|?|?|.AND|.OR|.XOR@87:4}{.32/4|.S32/4|.64/8|.S64/8@73:3}.STRONG.SYS";
const floats =
  "{.F16x2.RN/4|.F16x4.RN/8|.F16x8.RN/16|.BF16x2.RN/4|.BF16x4.RN/8|.BF16x8.RN/16|?|?|?|?|?|?|.F32.RN/4|.F32x2.RN/8|.F32x4.RN/16|.F64.RN/8@73:4+87}";
const floats100 = floats
  .replace("|?|?|?|", "|~|~|~|")
  .replace("@", "|?|.E5M2x4.RN/4|.E5M2x8.RN/8|.E5M2x16.RN/16|.E4M3x4.RN/4|.E4M3x8.RN/8|.E4M3x16.RN/16@");

/** A copy; bit 76 says that there is a descriptor, which sm_80 to 89 leave out of the text unless bit 101 says otherwise. */
function copy(sm: "80-89" | "90" | "100-", from: string, is: string): Line {
  const early = sm !== "100-";
  const mods = early ? "{ltc@71:2}{?|?|?|?|_/4|.64/8|.128/16@73:3}" : "{ltc@72:2}{_/4|.64/8|.128/16@74:2}";
  const head = `LDGSTS.E{.BYPASS|_@81}{evict}${mods}{_|.ZFILL@82}{scopeC} [base@16+ur@64+off@44:20s]`;
  return { as: "daeu", text: `${head}${from}, !pin@87?`, is: `${is} ${early ? 70 : 83}=1`, sm };
}
const described = ", desc[ur+1][addr@24.64+goff@32:12s]";
const bare = ", [addr@24.64+goff@32:12s]";

export const globalRows: Rows = [
  {
    op: "LDG.256",
    does: "d2, d = 32 bytes of global memory (mask: which bytes of a word group; zero registers take nothing)",
    slots: wide.replace("p:P=PT ", ""),
    widths: "d#0:4 d2#4:4",
    memory: ["global", "load"],
    bytes: 32,
    lines: [
      ...far("97eu", 32, loadText(l2, "{scope}", "38:2+59:5+72"), "89", { ...wide256, off: "40:19" }),
      ...far("97eu", 32, loadText(l2, "{scope}", "57:7+72"), "100-", wide100),
      ...far("97eu", 32, loadText("{evict}.RML2", scopeR, "57:7+72"), "120-", wide100).map((l) => ({
        ...l,
        is: `${l.is} 81:2=3`,
      })),
    ],
    time: "result",
  },
  {
    op: "STG.256",
    does: "32 bytes of global memory = data, data2",
    slots: "<- base*2 ur:UR*2=none off:I=0 desc:UR*2=none data*4 data2*4 mask:I=255",
    widths: "data#0:4 data2#4:4",
    memory: ["global", "store"],
    bytes: 32,
    effect: true,
    lines: [...wideStore("89", "{scopeA}", "59:5+70:3"), ...wideStore("100-", "{scopeS}", "59:5+88:3")],
    time: "operands",
  },
  {
    op: "LD.ZD",
    does: "d = memory at a generic address, zero when it is not valid, which p says",
    slots: "p:P d*size <- base*e ur:UR*e=none off:I=0 pin:P=PT",
    memory: ["generic", "load"],
    bytes: "size",
    lines: [
      { as: "980", text: `LD${loadMods75}.ZD p@81, d, [base@24+off@32:32s], !pin@^64?`, is: "87=1", sm: "75" },
      ...far("980u", 32, `LD${loadMods75}.ZD p@81, d, %A, !pin@^64?`, "75").map((l) => ({ ...l, is: `${l.is} 87=1` })),
    ],
    time: "result",
  },
  {
    op: "LDS.ZD",
    does: "d = shared memory, zero when the address is not valid, which p says",
    slots: "p:P d*size <- base ur:UR=none off:I=0",
    memory: ["shared", "load"],
    bytes: "size",
    lines: [
      { as: "984", text: "LDS{_|.U@76}{sizeU}.ZD p@81, d, [base@24{xscale}+off@40:24s]", is: "87=1", sm: "75" },
      { as: "984u", text: "LDS{_|.U@76}{sizeU}.ZD p@81, d, [base@24{xscale}+ur@32+off@40:24s]", is: "87=1", sm: "75" },
    ],
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
        text: `ATOM{?|.E|...???@72}.ARRIVE{evict}{?|?|.64|...???@73:4}{scopeA} p@81, d, [?base@24.${w}+ur@64+off@40:24s]`,
        is: `87:4=9 70=${1 - i}`,
        sm: "80-89",
      })),
      ...(["64", "U32"] as const).map((w, i) => ({
        as: "f8au",
        text: `ATOM{?|.E|...???@72}.ARRIVE{evict}{?|?|.64|...???@73:3}{scopeA} p@81, d, [base${i === 0 ? "@@" : "@"}24.${w}+ur@64+off@40:24s]`,
        is: `87:4=10 70=${1 - i}`,
        sm: "90",
      })),
      ...(["64", "U32"] as const).map((w, i) => ({
        as: "f8au",
        text: `ATOM{?|.E|...???@72}.ARRIVE{evict}{?|?|.64|...???@73:3}{scopeA} p@81, d, [base${i === 0 ? "@@" : "@"}24.${w}+ur@64+off@40:23s]`,
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
        text: `ATOM{?|.E|...???@72}.POPC.INC{evict}{.32|...???@73:4}{scopeA} p@81, d, [?base@24.${w}+ur@64+off@40:24s]`,
        is: `87:4=10 70=${1 - i}`,
        sm: "80-89",
      })),
      ...(["64", "U32"] as const).map((w, i) => ({
        as: "f8au",
        text: `ATOM{?|.E|...???@72}.POPC.INC{evict}{.32|...???@73:3}{scopeA} p@81, d, [base${i === 0 ? "@@" : "@"}24.${w}+ur@64+off@40:24s]`,
        is: `87:4=11 70=${1 - i}`,
        sm: "90",
      })),
      ...(["64", "U32"] as const).map((w, i) => ({
        as: "f8au",
        text: `ATOM{?|.E|...???@72}.POPC.INC{evict}{.32|...???@73:3}{scopeA} p@81, d, [base${i === 0 ? "@@" : "@"}24.${w}+ur@64+off@40:23s]`,
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
      ...[
        { sm: "90", desc: 71, wide: 70, add: "F32ADD", types: floats },
        { sm: "100-", desc: 82, wide: 81, add: "HPADD", types: floats100 },
      ].flatMap(({ sm, desc, wide, add, types }) =>
        [
          far("9a4u", 64, `LDGMC{e}${mcOp} d, %A`, sm, { desc, wide }),
          far("9a5u", 64, `LDGMC{e}{.ADD|.MIN|.MAX|.${add}@88:2}${types}.STRONG.SYS d, %A`, sm, { desc, wide }),
        ]
          .flat()
          .map((l) => ({ ...l, text: l.text.replace("{e}", "{eW}"), is: `${l.is} 77:4=10` })),
      ),
    ],
    time: "result",
  },
  {
    op: "LDC",
    does: "d = constants at an offset in a bound constant buffer",
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
    slots: "p:P d=RZ <- base*2 ur:UR*e off:I=0",
    lines: [
      ...far("9aau", 32, "QSPC{e}{.G|.L|.S|?@73:2} p@81, d, %A", "75"),
      ...far("9aau", 32, "QSPC{e}{.G|.L|.S|?@73:2} p@81, d, %A", "80-89", { desc: -1, wide: 90 }),
      ...far("9aau", 32, "QSPC{e}{.G|.L|.S|.D@73:2} p@81, d, %A", "90-", { desc: -1, wide: 90 }),
    ],
    time: "result",
  },
  {
    op: "DEPBAR.LE",
    does: "wait until scoreboard sb counts at most what n holds, and for those in the mask",
    slots: "<- sb:WORD n:UR mask:BITS=0",
    effect: true,
    lines: [
      { as: "d1au", text: "DEPBAR{?|.LE|...???@47} sb{SB0|SB1|SB2|SB3|SB4|SB5|...I@44:3}, n@32, mask@38:6?", sm: "90" },
      {
        as: "d1au",
        text: "DEPBAR{?|.LE|...???@47} sb{SB0|SB1|SB2|SB3|SB4|SB5|...I@44:3}, n@32, mask@48:6?",
        sm: "100-",
      },
    ],
    time: "fixed",
    sets: "none",
  },
  {
    op: "LDGSTS.UR",
    does: "shared memory = global memory, asynchronously; the first address is the register's plus a uniform one",
    slots: "<- base off:I=0 ur:UR*3 addr*2 goff:I=0 pin:P=PT",
    memory: ["global", "load"],
    bytes: "size",
    effect: true,
    lines: [copy("80-89", described, "76=1 101=1"), copy("90", described, "76=1"), copy("100-", described, "76=1")],
    time: "result",
  },
  {
    op: "LDGSTS.U",
    does: "the same without a descriptor",
    slots: "<- base off:I=0 ur:UR addr*2 goff:I=0 pin:P=PT",
    memory: ["global", "load"],
    bytes: "size",
    effect: true,
    lines: [copy("80-89", bare, "76=0"), copy("90", bare, "76=0"), copy("100-", bare, "76=0")],
    time: "result",
  },
  {
    op: "LDGSTS.UD",
    does: "the same with a descriptor after the uniform register that the text does not show",
    slots: "<- base off:I=0 ur:UR*3 addr*2 goff:I=0 pin:P=PT",
    memory: ["global", "load"],
    bytes: "size",
    effect: true,
    lines: [copy("80-89", bare, "76=1 101=0")],
    time: "result",
  },
];
