/**
 * Loads, stores, fences, and the addresses of these and of atomics. Addresses are flattened: base register, uniform
 * offset `ur`, byte offset `off`, and from sm_80 on the memory descriptor `desc` of global and generic accesses.
 */
import type { Line, Rows } from "../row.js";

const load = "pout:P=PT d*size <- base*e ur:UR*e=none off:I=0 desc:UR*2=none pin:P=PT";
const store = "<- base*e ur:UR*e=none off:I=0 desc:UR*2=none data*size";

/** Modifiers of LDG and LD, STG and ST, atomics and reductions up to sm_75 and from sm_80 on. */
export const loadMods75 = "{e}{evict}{ltc75}{size75}{strong75}{scope75}{private75}";
const loadMods = "{e}{evict}{ltc}{size}{scope}";
const storeMods75 = "{e}{evict}{size75}{strongS75}{scope75}{private75}";
const storeModsL = "{e}{evict}{size}{scopeA}";
const storeMods = "{e}{evict}{size}{scopeS}";

/** Bits that say which kind of address there is: a descriptor, and a base of 64 bits. */
export interface AddressBits {
  /** −1: there is no descriptor. */
  readonly desc: number;
  readonly wide: number;
  /** The offset, and what it counts in (`x32`). */
  readonly off?: string;
  readonly scale?: string;
  /** A zero base is left out, and refused beside a descriptor. */
  readonly bare?: boolean;
}

const usual: AddressBits = { desc: 76, wide: 90 };
const plain75: AddressBits = { desc: -1, wide: 90 };

/**
 * The three kinds of an address with something uniform, which sits at bit `at`: descriptor and 64-bit base, uniform offset
 * and 64-bit base (no zero register from sm_90 on), uniform offset and 32-bit base. `%A` stands for the address; only the
 * last may leave .E out.
 */
export function far(
  as: string,
  at: number,
  text: string,
  sm: string,
  bits: AddressBits = sm === "75" ? plain75 : usual,
): Line[] {
  const { desc, wide, off = "40:24", scale = "", bare } = bits;
  const early = /^(75|8)/.test(sm);
  const q = early || bare ? "?" : "";
  const put = (address: string, e: string): string => text.replace("%A", address).replace("{e}", e);
  const plain = desc < 0 ? "" : `${desc}=0 `;
  const lines = [
    {
      as,
      text: put(`desc${early ? "?101" : ""}[desc@${at}][base@24.64+off@${off}s${scale}]`, "{eW}"),
      is: `${desc}=1`,
      fill: `${wide}=1`,
      not: `${wide}=0${bare ? "; 24:8=255" : ""}`,
      sm,
    },
    {
      as,
      text: put(`[${q ? "?base@" : "base@@"}24.64+ur@${at}+off@${off}s${scale}]`, "{eW}"),
      is: `${plain}${wide}=1`,
      sm,
    },
    { as, text: put(`[${q}base@24.U32+ur@${at}+off@${off}s${scale}]`, "{e}"), is: `${plain}${wide}=0`, sm },
  ];
  // Without a base its width is not asked for.
  if (q) {
    const without = put(`[${q}base@24.64+ur@${at}+off@${off}s${scale}]`, "{e}");
    lines.push({ as, text: without, is: `${plain}${wide}=1 24:8=255`, sm });
  }
  return desc < 0 ? lines.slice(1) : lines;
}

export const memoryRows: Rows = [
  {
    op: "LDG",
    does: "d = global memory; pout: the address was valid",
    slots: load,
    memory: ["global", "load"],
    bytes: "size",
    lines: [
      { as: "381", text: `LDG${loadMods75} pout@81?, d, [base@24+off@40:24s], !pin@^64?`, is: "87=0", sm: "75" },
      { as: "381", text: `LDG${loadMods75}.ZD pout@81, d, [base@24+off@40:24s], !pin@^64?`, is: "87=1", sm: "75" },
      ...far("981u", 32, `LDG${loadMods75} pout@81?, d, %A, !pin@^64?`, "75").map((l) => ({
        ...l,
        is: `${l.is} 87=0`,
      })),
      ...far("981u", 32, `LDG${loadMods75}.ZD pout@81, d, %A, !pin@^64?`, "75").map((l) => ({
        ...l,
        is: `${l.is} 87=1`,
      })),
      ...["80-89", "90-"].flatMap((sm) => far("981u", 32, `LDG${loadMods} pout@81?, d, %A, !pin@^64?`, sm)),
      { as: "381", text: `LDG${loadMods} pout@81?, d, [base@24+off@40:24s], !pin@^64?`, sm: "80-" },
    ],
    time: "result",
  },
  {
    op: "LD",
    does: "d = memory at a generic address",
    slots: "d*size <- base*e ur:UR*e=none off:I=0 desc:UR*2=none pin:P=PT",
    memory: ["generic", "load"],
    bytes: "size",
    lines: [
      { as: "980", text: `LD${loadMods75} d, [base@24+off@32:32s], !pin@^64?`, is: "87=0", sm: "75" },
      ...far("980u", 32, `LD${loadMods75} d, %A, !pin@^64?`, "75").map((l) => ({ ...l, is: `${l.is} 87=0` })),
      ...["80-89", "90-"].flatMap((sm) => far("980u", 32, `LD${loadMods} d, %A, !pin@^64?`, sm)),
      { as: "980", text: `LD${loadMods} d, [base@24+off@32:32s], !pin@^64?`, sm: "80-" },
    ],
    time: "result",
  },
  {
    op: "LDS",
    does: "d = shared memory",
    slots: "d*size <- base ur:UR=none off:I=0",
    memory: ["shared", "load"],
    bytes: "size",
    lines: [
      { as: "984", text: "LDS{_|.U@76}{sizeU} d, [base@24{xscale}+off@40:24s]", is: "87=0", sm: "75" },
      { as: "984u", text: "LDS{_|.U@76}{sizeU} d, [base@24{xscale}+ur@32+off@40:24s]", is: "87=0", sm: "75" },
      { as: "984", text: "LDS{sizeQ} d, [base@24{xscale}+off@40:24s]", sm: "80-" },
      { as: "984u", text: "LDS{sizeQ} d, [base@24{xscale}+ur@32+off@40:24s]", sm: "80-" },
    ],
    time: "result",
  },
  {
    op: "LDL",
    does: "d = local memory (the thread's own)",
    slots: "d*size <- base ur:UR=none off:I=0 desc:UR*2=none",
    memory: ["local", "load"],
    bytes: "size",
    lines: [
      { as: "983", text: "LDL{evict}{size} d, [base@24+off@40:24s]" },
      { as: "983u", text: "LDL{evict}{size} d, [base@24+ur@32+off@40:24s]", sm: "75" },
      { as: "983u", text: "LDL{evict}{size} d, [base@24+ur@32+off@40:24s]", is: "76=0", sm: "80-" },
      { as: "983u", text: "LDL{evict}{size} d, desc?101[desc@32][base@24+off@40:24s]", is: "76=1", sm: "80-89" },
      { as: "983u", text: "LDL{evict}{size} d, desc[desc@32][base@24+off@40:24s]", is: "76=1", sm: "90-" },
    ],
    time: "result",
  },
  {
    op: "LDC",
    does: "d = constant bank, with an index register",
    slots: "d*size <- b:C",
    memory: ["const", "load"],
    bytes: "size",
    lines: [{ as: "b82", text: "LDC{sizeC}{ldcMode} d, c[b@54:5][R@24+@38:16s]" }],
    time: "result",
  },
  {
    op: "STG",
    does: "global memory = data",
    slots: store,
    memory: ["global", "store"],
    bytes: "size",
    effect: true,
    lines: [
      { as: "386", text: `STG${storeMods75} [base@24+off@40:24s], data@32`, sm: "75" },
      ...far("986u", 64, `STG${storeMods75} %A, data@32`, "75"),
      ...["80-89", "90"].flatMap((sm) => far("986u", 64, `STG${storeModsL} %A, data@32`, sm)),
      { as: "386", text: `STG${storeModsL} [base@24+off@40:24s], data@32`, sm: "80-90" },
      ...far("986u", 64, `STG${storeMods} %A, data@32`, "100-"),
      { as: "386", text: `STG${storeMods} [base@24+off@40:24s], data@32`, sm: "100-" },
    ],
    time: "operands",
  },
  {
    op: "ST",
    does: "memory at a generic address = data",
    slots: store,
    memory: ["generic", "store"],
    bytes: "size",
    effect: true,
    lines: [
      { as: "385", text: `ST${storeMods75} [base@24+off@32:32s], data@64`, sm: "75" },
      ...far("985u", 64, `ST${storeMods75} %A, data@32`, "75"),
      ...["80-89", "90-"].flatMap((sm) => far("985u", 64, `ST${storeModsL} %A, data@32`, sm)),
      { as: "385", text: `ST${storeModsL} [base@24+off@32:32s], data@64`, sm: "80-" },
    ],
    time: "operands",
  },
  {
    op: "STS",
    does: "shared memory = data",
    slots: "<- base ur:UR=none off:I=0 data*size",
    memory: ["shared", "store"],
    bytes: "size",
    effect: true,
    lines: [
      { as: "388", text: "STS{size} [base@24{xscale}+off@40:24s], data@32" },
      { as: "988u", text: "STS{size} [base@24{xscale}+ur@64+off@40:24s], data@32" },
    ],
    time: "operands",
  },
  {
    op: "STL",
    does: "local memory = data",
    slots: "<- base ur:UR=none off:I=0 desc:UR*2=none data*size",
    memory: ["local", "store"],
    bytes: "size",
    effect: true,
    lines: [
      { as: "387", text: "STL{evict}{size} [base@24+off@40:24s], data@32" },
      { as: "987u", text: "STL{evict}{size} [base@24+ur@64+off@40:24s], data@32", sm: "75" },
      { as: "987u", text: "STL{evict}{size} [base@24+ur@64+off@40:24s], data@32", is: "76=0", sm: "80-" },
      { as: "987u", text: "STL{evict}{size} desc?101[desc@64][base@24+off@40:24s], data@32", is: "76=1", sm: "80-89" },
      { as: "987u", text: "STL{evict}{size} desc[desc@64][base@24+off@40:24s], data@32", is: "76=1", sm: "90-" },
    ],
    time: "operands",
  },
  {
    op: "LDGSTS",
    does: "shared memory = global memory, asynchronously (.BYPASS: not through the first-level cache)",
    slots: "<- base off:I=0 desc:UR*2=none addr*2 goff:I=0 pin:P=PT gur:UR*2=none",
    memory: ["global", "load"],
    bytes: "size",
    effect: true,
    lines: ["80-89", "90", "100-"].flatMap((sm, i): Line[] => {
      const wide = i < 2 ? 70 : 83;
      const mods = i < 2 ? "{ltc@71:2}{?|?|?|?|_/4|.64/8|.128/16@73:3}" : "{ltc@72:2}{_/4|.64/8|.128/16@74:2}";
      const head = `LDGSTS.E{.BYPASS|_@81}{evict}${mods}{_|.ZFILL@82}{scopeC} [base@16+off@44:20s]`;
      const desc = i === 0 ? "desc?101[desc@64]" : "desc[desc@64]";
      return [
        { as: "faeu", text: `${head}, ${desc}[addr@24.64+goff@32:12s], !pin@87?`, is: `76=1 ${wide}=1`, sm },
        { as: "faeu", text: `${head}, [addr@24.64+gur@64?+goff@32:12s], !pin@87?`, is: `76=0 ${wide}=1`, sm },
        { as: "faeu", text: `${head}, [addr@24.U32+gur@64?+goff@32:12s], !pin@87?`, is: `76=0 ${wide}=0`, sm },
      ];
    }),
    time: "result",
  },
  {
    op: "QSPC",
    does: "p: the generic address is in the window of global (.G), local (.L), shared (.S) or cluster shared memory (.D)",
    slots: "p:P d=RZ <- base*e off:I=0",
    lines: [
      { as: "3aa", text: "QSPC{e}{.G|.L|.S|?@73:2} p@81, d, [base@24+off@40:24s]", sm: "-89" },
      { as: "3aa", text: "QSPC{e}{.G|.L|.S|.D@73:2} p@81, d, [base@24+off@40:24s]", sm: "90-" },
    ],
    time: "result",
  },
  {
    op: "LDGDEPBAR",
    does: "count the LDGSTS before it on the scoreboard",
    slots: "<-",
    effect: true,
    lines: [{ as: "9af", text: "LDGDEPBAR", sm: "80-" }],
    time: "result",
  },
  {
    op: "DEPBAR",
    does: "wait for the scoreboards in the mask",
    slots: "<- mask:BITS=0",
    effect: true,
    lines: [{ as: "91a", text: "DEPBAR mask@32:6?", is: "47=0" }],
    time: "fixed",
    sets: "none",
  },
  {
    op: "DEPBAR.LE",
    does: "wait until scoreboard sb counts at most n, and for those in the mask",
    slots: "<- sb:WORD n:I mask:BITS=0",
    effect: true,
    lines: [{ as: "91a", text: "DEPBAR.LE sb{SB0|SB1|SB2|SB3|SB4|SB5|...I@44:3}, n@38:6, mask@32:6?", is: "47=1" }],
    time: "fixed",
    sets: "none",
  },
  {
    op: "MEMBAR",
    does: "order the thread's memory accesses at a scope",
    slots: "<-",
    effect: true,
    memory: ["generic", "fence"],
    lines: [
      { as: "992", text: "MEMBAR{.SC|.ALL|_@79:2}{.CTA|.SM|.GPU|.SYS|?|.VC@76:3}{_|.MMIO@72}", sm: "75" },
      {
        as: "992",
        text: "MEMBAR{.SC|.ALL|_|.MMIO@79:2}{.CTA|.SM|.GPU|.SYS|?|.VC@76:3}",
        sm: "80-89",
      },
      {
        as: "992",
        text: "MEMBAR{.SC|.ALL|_|.MMIO@79:2}{.CTA|.SM|.GPU|.SYS|?|.VC|.CTA.PARTIAL@76:3}",
        is: "73=0",
        sm: "90-",
      },
      { as: "992", text: "MEMBAR{?|?|?|?|?|.VC|...???@76:3}.ASYNC", is: "73=1", sm: "90-" },
    ],
    time: "operands",
  },
  {
    op: "ERRBAR",
    does: "wait for memory errors to be reported",
    slots: "<-",
    effect: true,
    lines: [{ as: "9ab", text: "ERRBAR" }],
    time: "fixed",
  },
  {
    op: "CGAERRBAR",
    does: "the same for the cluster",
    slots: "<-",
    effect: true,
    lines: [{ as: "5ab", text: "CGAERRBAR", sm: "90-" }],
    time: "fixed",
    sets: "any",
    decoupled: true,
  },
  {
    op: "CCTL",
    does: "cache control at an address: prefetch, write back, invalidate … (n: with .RML2 of sm_89 and from sm_100 on)",
    slots: "<- base*e ur:UR*e=none off:I=0 n:I=0",
    effect: true,
    memory: ["global", "prefetch"],
    lines: ["[base@24+off@32:32s]", "[base@24+ur@32]"].flatMap((address, i): Line[] => {
      const as = i === 0 ? "98f" : "d8fu";
      return [
        { as, text: `CCTL{e}{cctlCache}{cctlOp75} ${address}`, sm: "75" },
        { as, text: `CCTL{e}{cctlCache}{${i === 0 ? "cctlOp" : "cctlOpU"}} ${address}`, sm: "80-88,90" },
        { as, text: `CCTL{e}{cctlCache}{cctlOp} ${address}`, sm: "89,100-", not: "87:4=1 76=1" },
        { as, text: `CCTL{e}{cctlCache}.RML2 ${address}, n@73:3?`, is: "87:4=11", sm: "89,100-" },
      ];
    }),
    time: "operands",
  },
  {
    op: "CCTL.PF2.QFAULT",
    does: "prefetch; p: it did not fault",
    slots: "p:P <- base*e ur:UR*e=none off:I=0",
    effect: true,
    memory: ["global", "prefetch"],
    lines: [
      { as: "98f", text: "CCTL{e}{cctlCache}.PF2.QFAULT p@81, [base@24+off@32:32s]", is: "87:4=1 76=1", sm: "89,100-" },
      { as: "d8fu", text: "CCTL{e}{cctlCache}.PF2.QFAULT p@81, [base@24+ur@32]", is: "87:4=1 76=1", sm: "89,100-" },
    ],
    time: "result",
  },
  {
    op: "CCTL.IVALL",
    does: "invalidate the whole first-level cache (.WBALL, .WBALLP: write it back; what P adds is not known; .C and .I of sm_100 on take scoreboards)",
    slots: "<-",
    effect: true,
    lines: ["IVALL 4", "IVALLP 6", "WBALL 7", "WBALLP 8"].flatMap((name): Line[] => {
      const [what, value] = name.split(" ");
      const line = { as: "98f", text: `CCTL{cctlAll}.${what}`, fill: "72=0" };
      const is = `24:8=255 87:4=${value}`;
      return [
        { ...line, is, not: "75 72=1; 100- 79=1" },
        { ...line, is: `${is} 79=1`, sm: "100-", decoupled: false, sets: "any", reuse: 0 },
      ];
    }),
    time: "fixed",
    decoupled: true,
  },
  {
    op: "FENCE.VIEW.ASYNC",
    does: "make shared or global accesses visible to the asynchronous proxy",
    slots: "<-",
    effect: true,
    lines: [
      { as: "3c6", text: "FENCE.VIEW.ASYNC{.S|.G@72}", sm: "90" },
      { as: "3c6", text: "FENCE.VIEW.ASYNC{.S|.G|.T|!@72:2}", sm: "100-110" },
      { as: "3c6", text: "FENCE.VIEW.ASYNC{.S|.G|!|!@72:2}", sm: "120-" },
    ],
    time: "write",
  },
];
