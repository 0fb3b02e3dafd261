/**
 * Asynchronous copies and the barriers in shared memory that count them (sm_90 on): SYNCS are the operations on such a
 * barrier, UBLK* copy, reduce and prefetch runs of bytes, UTMA* boxes of a tensor after a descriptor.
 */
import { type Line, type Rows, shared } from "../row.js";

/** The cache policy is after a second register and optional. */
function policy(as: string, text: string, sm: string, is = ""): Line[] {
  return [
    { as, text: `${text}, desc[desc@40]`, is: `${is} 76=1`.trim(), sm },
    { as, text, is: `${is} 76=0`.trim(), sm },
  ];
}

/** From sm_100 on; sm_120 has no pairs of CTAs, no .W128, and counts nothing. */
function newer(as: string, text: string): Line[] {
  const less = text.replace(".2CTA", "?").replace(".W128", "?").replace("{_|.COUNTED@85}", "");
  return less === text ? policy(as, text, "100-") : [...policy(as, text, "100-110"), ...policy(as, less, "120-")];
}

/** Both widths of an address in another CTA, which bit `wide` tells apart. */
const remote = (as: string, head: string, wide: number, sm: string): Line[] => [
  { as, text: `${head} [base@@24.64+ur@64?+off@40:24s], data@32`, is: `${wide}=1`, sm },
  { as, text: `${head} [base@24.U32+ur@64+off@40:24s], data@32`, is: `${wide}=0`, sm },
];

const op = "{.ADD|.MIN|.MAX|.INC|.DEC|.AND|.OR|.XOR@87:3}";
const bulkType = "{_|.S32|.U64|.S64|.F16.RN|.F32.RN|.F32.FTZ.RN|.F64.RN|.BF16.RN@81:4}";
const ltc = "{_|.LTC64B|.LTC128B|.LTC256B@81:2}";
const arrive = "TRANS64{_|.TMASK|.RED@73:2}{_|.OPTOUT@75}{_|.A1T0|.A0T1|.A0TR|.A0TX|.ART0@84:3}";

const barrier: Rows = [
  {
    op: "SYNCS.ARRIVE.TRANS64",
    does: "arrive at the barrier and expect data more bytes; d = its state before",
    slots: "d*2 <- base ur:UR off:I=0 data",
    memory: ["shared", "atomic"],
    bytes: 8,
    effect: true,
    lines: [
      { as: "9a7u", text: `SYNCS{.ARRIVE|...???@70:2}.${arrive} d, [base@24+ur@64+off@40:24s], data@32`, sm: "90" },
      { as: "9a7u", text: `SYNCS{.ARRIVE|...???@76:2}.${arrive} d, [base@24+ur@64+off@40:24s], data@32`, sm: "100-" },
    ],
    time: "result",
  },
  {
    op: "SYNCS.PHASECHK.TRANS64",
    does: "p: the phase of parity data has ended (.TRYWAIT: after waiting a while)",
    slots: "p:P <- base ur:UR off:I=0 data",
    memory: ["shared", "atomic"],
    bytes: 8,
    effect: true,
    lines: [
      {
        as: "5a7u",
        text: "SYNCS{?|.PHASECHK|...???@70:2}.TRANS64{_|.TRYWAIT@72} p@81, [base@24+ur@64+off@40:24s], data@32",
        sm: "90",
      },
      {
        as: "5a7u",
        text: "SYNCS{?|.PHASECHK|...???@76:2}.TRANS64{_|.TRYWAIT@72} p@81, [base@24+ur@64+off@40:24s], data@32",
        sm: "100-",
      },
    ],
    time: "result",
  },
  {
    op: "SYNCS.FLUSH",
    does: "wait for the operations on barriers before it",
    slots: "<-",
    effect: true,
    lines: [{ as: "3a7", text: "SYNCS{?|?|.FLUSH|...???@76:2}", sm: "100-" }],
    time: "fixed",
    sets: "any",
    decoupled: true,
  },
  {
    op: "SYNCS.LD.64",
    does: "d = the barrier's state",
    slots: "d*2 <- base ur:UR off:I=0",
    memory: ["shared", "load"],
    bytes: 8,
    effect: true,
    lines: [{ as: "5b1u", text: "SYNCS{?|.LD|...???@73}.64{_|.WATCH@74} d, [base@24+ur@64+off@40:24s]", sm: "90-" }],
    time: "result",
  },
  {
    op: "SYNCS.CCTL",
    does: "drop or write back the copy of the barrier",
    slots: "<- base ur:UR off:I=0",
    effect: true,
    lines: [{ as: "9b1u", text: "SYNCS{.CCTL|...???@73}{.IV|.WB@72} [base@24+ur@64+off@40:24s]", sm: "90-" }],
    time: "result",
  },
  {
    op: "SYNCS.CCTL.IVALL",
    does: "the same for all barriers",
    slots: "<-",
    effect: true,
    lines: [{ as: "9b1", text: "SYNCS{.CCTL|...???@73}{.IVALL|.WBALL@72}", sm: "90-" }],
    time: "result",
    decoupled: true,
  },
  {
    op: "SYNCS.EXCH.64",
    does: "d = the word at base, then the word = data (initializes a barrier)",
    slots: "d:UR*2 <- base:UR off:I=0 data:UR*2",
    memory: ["shared", "atomic"],
    bytes: 8,
    effect: true,
    guard: "UP",
    lines: [{ as: "5b2u", text: "SYNCS{?|.EXCH|...???@72:2}.64 d@16, [base@24+off@40:24s], data@32", sm: "90-" }],
    time: "result",
  },
  {
    op: "SYNCS.CAS.64",
    does: "d = the word at base; if it equals cmp (two registers), the word = the two registers after it",
    slots: "d:UR*2 <- base:UR off:I=0 cmp:UR*4=none",
    memory: ["shared", "atomic"],
    bytes: 8,
    effect: true,
    guard: "UP",
    lines: [
      // A number after the last register reads as the last ones.
      {
        as: "3b2u",
        text: "SYNCS{?|?|.CAS|...???@72:2}.64 d@16, [base@24+off@40:24s], UR60, UR62",
        is: "32:6=63",
        sm: "90",
      },
      { as: "3b2u", text: "SYNCS{?|?|.CAS|...???@72:2}.64 d@16, [base@24+off@40:24s], cmp@32, cmp+2", sm: "90-" },
    ],
    not: "90 32:6=60-62; 100- 32:8=254",
    time: "result",
  },
  {
    op: "SYNCS.LD.64",
    does: "d = the word at base, uniform",
    slots: "d:UR*2 <- base:UR off:I=0",
    memory: ["shared", "load"],
    bytes: 8,
    effect: true,
    guard: "UP",
    lines: [{ as: "9b2u", text: "SYNCS{.LD|...???@72:2}.64 d@16, [base@24+off@40:24s]", sm: "90-" }],
    time: "result",
  },
  {
    op: "ARRIVES",
    does: "arrive at the barrier when the LDGSTS before it are done",
    slots: "<- base ur:UR off:I=0",
    effect: true,
    lines: [
      {
        as: "9b0u",
        text: "ARRIVES{.LDGSTSBAR|...???@72}{?|?|?|?|?|.64|...???@73:3} [base@24+ur@64+off@40:24s]",
        sm: "80-89",
      },
      {
        as: "9b0u",
        text: "ARRIVES{.LDGSTSBAR|...???@72}{?|?|?|?|?|.64|...???@73:3}{_|.ARVCNT|.TRANSCNT@70:2} [base@24+ur@64+off@40:24s]",
        sm: "90",
      },
      {
        as: "9b0u",
        text: "ARRIVES{.LDGSTSBAR|...???@72}{?|?|?|?|?|.64|...???@73:3}{_|.ARVCNT|.TRANSCNT@76:2} [base@24+ur@64+off@40:24s]",
        sm: "100-",
      },
    ],
    time: "operands",
  },
  {
    op: "STAS",
    does: "shared memory of another CTA = data, counted on its barrier",
    slots: "<- base*2 ur:UR*2 off:I=0 data*size",
    memory: ["shared", "store"],
    bytes: "size",
    effect: true,
    lines: [
      ...remote("dbdu", "STAS{?|?|?|?|_/4|.64/8|.128/16@73:3}{scopeT}", 90, "90"),
      ...remote("dbdu", "STAS{?|?|?|?|_/4|.64/8|.128/16@73:3}", 90, "100-"),
    ],
    time: "operands",
    sets: "any",
  },
  {
    op: "REDAS",
    does: "shared memory of another CTA = op(memory, data), counted on its barrier",
    slots: "<- base*2 ur:UR*2 off:I=0 data*size",
    memory: ["shared", "reduce"],
    bytes: "size",
    effect: true,
    lines: [
      ...remote("dbeu", "REDAS{atomOpR}{_/4|.S32/4|.64/8@73:3}{scopeT}", 72, "90"),
      ...remote("dbeu", "REDAS{atomOpR}{_/4|.S32/4|.64/8@73:3}", 72, "100-"),
    ],
    time: "operands",
    sets: "any",
  },
];

const copies: Rows = shared({ effect: true, guard: "UP", time: "operands", sets: "any" }, [
  {
    op: "UBLKCP",
    does: "copy n * 16 bytes between global (.G) and shared memory (.S): d = destination and its barrier, s = source",
    slots: "<- d:UR*2 s:UR*size n:UR desc:UR*2=none",
    widths: ".COUNTED d=4",
    lines: [
      ...policy(
        "3bau",
        `UBLKCP{.G|.S@73}{.G/8|.S/4@74}{_|.MULTICAST@75}${ltc}{_|.SEQUENCED@83}{scopeB} [d@32], [s@24], n@64`,
        "90",
      ),
      ...newer(
        "3bau",
        `UBLKCP{.G|.S@73}{.G/8|.S/4@74}{_|.MULTICAST@75}{_|.DST_G_BYTE_MASK@84}${ltc}{_|.SEQUENCED@83}{_|.COUNTED@85}{scopeB} [d@32], [s@24], n@64`,
      ),
    ],
  },
  {
    op: "UBLKRED",
    does: "global or shared memory at d = op(memory, shared memory at s), n * 16 bytes",
    slots: "<- d:UR*2 s:UR n:UR desc:UR*2=none",
    widths: ".COUNTED d=4",
    lines: [
      ...policy("3bbu", `UBLKRED{.G|.S@73}{?|.S|...???@74}${op}${bulkType}{scopeB} [d@32], [s@24], n@64`, "90"),
      ...newer("3bbu", `UBLKRED{.G|.S@73}{?|.S@74}${op}{_|.COUNTED@85}${bulkType}{scopeB} [d@32], [s@24], n@64`),
    ],
  },
  {
    op: "UBLKPF",
    does: "prefetch n * 16 bytes of global memory at s into L2",
    slots: "<- s:UR*2 n:UR desc:UR*2=none",
    lines: policy("3bcu", "UBLKPF.L2 [s@24], n@64", "90-"),
  },
  {
    op: "UTMALDG",
    does: "shared memory = box of a tensor: d = destination, barrier and coordinates, s = descriptor, c = mask or offsets",
    slots: "<- d:UR*dims s:UR*2 c:UR=none desc:UR*2=none",
    widths: ".2D.GATHER4 d+3",
    lines: [
      ...policy("3b4u", "UTMALDG{dims}{_|.IM2COL@82}{_|.MULTICAST@75} [d@32], [s@24], c@64", "90"),
      ...newer(
        "3b4u",
        "UTMALDG{dims}{_|.IM2COL|.W128|.W|.GATHER4@82:3}{_|.MULTICAST@75}{_|.2CTA@85} [d@32], [s@24], c@64",
      ),
      ...policy("5b4u", "UTMALDG{dims} [d@32], [s@24]", "90"),
      ...newer("5b4u", "UTMALDG{dims}{_|?|?|?|.GATHER4@82:3}{_|.2CTA@85} [d@32], [s@24]"),
    ],
  },
  {
    op: "UTMAPF.L2",
    does: "prefetch a box of a tensor into L2: d = coordinates, s = descriptor",
    slots: "<- d:UR*dims s:UR*2 c:UR=none desc:UR*2=none",
    widths: ".2D.GATHER4 d+3",
    lines: [
      ...policy("3b8u", "UTMAPF.L2{dimsC}{?|.IM2COL|...???@82} [d@32], [s@24], c@64", "90"),
      ...newer("3b8u", "UTMAPF.L2{dimsC}{?|.IM2COL|.W128|.W@82:3} [d@32], [s@24], c@64"),
      ...policy("5b8u", "UTMAPF.L2{dimsC} [d@32], [s@24]", "90"),
      ...policy("5b8u", "UTMAPF.L2{dimsC}{_|?|?|?|.GATHER4@82:3} [d@32], [s@24]", "100-"),
    ],
  },
  {
    op: "UTMASTG",
    does: "box of a tensor = shared memory: d = source and coordinates, s = descriptor",
    slots: "<- d:UR*dims s:UR*2 desc:UR*2=none",
    widths: ".2D.SCATTER4 d+3",
    lines: [
      ...policy("3b5u", "UTMASTG{dimsS}{_|.IM2COL@82} [d@32], [s@24]", "90"),
      ...policy("3b5u", "UTMASTG{dimsS}{_|.IM2COL|.SCATTER4@82:2} [d@32], [s@24]", "100-"),
    ],
  },
  {
    op: "UTMAREDG",
    does: "box of a tensor = op(box, shared memory)",
    slots: "<- d:UR*dims s:UR*2 desc:UR*2=none",
    lines: policy("3b6u", `UTMAREDG{dimsS}{_|.IM2COL@82}${op} [d@32], [s@24]`, "90-"),
  },
  {
    op: "UTMACCTL",
    does: "drop (.IV) or fetch (.PF) the copy of a tensor's descriptor",
    slots: "<- s:UR*2",
    lines: [{ as: "9b9u", text: "UTMACCTL{.IV|.PF@82} [s@24]", sm: "90-" }],
  },
  {
    op: "UTMACCTL.IVALL",
    does: "drop the copies of all descriptors",
    slots: "<-",
    lines: [{ as: "9b9", text: "UTMACCTL{?|.IVALL|...???@83}", sm: "90-" }],
  },
  {
    op: "UTMACMDFLUSH",
    does: "close the group of bulk copies before it",
    slots: "<-",
    lines: [{ as: "9b7", text: "UTMACMDFLUSH", sm: "90-" }],
  },
  {
    op: "USETMAXREG",
    does: "give registers back to the pool, or take some (p: it worked); n registers per thread",
    slots: "p:UP=none <- n:UR",
    lines: [
      { as: "3c8u", text: "USETMAXREG.DEALLOC{?|.CTAPOOL|...???@74} n@32", is: "72:2=1", sm: "90-" },
      { as: "9c8u", text: "USETMAXREG.DEALLOC{?|.CTAPOOL|...???@74} n#32:10", is: "72:2=1", sm: "90-" },
      { as: "3c8u", text: "USETMAXREG.TRY_ALLOC{?|.CTAPOOL|...???@74} p@81, n@32", is: "72:2=2", sm: "90-" },
      { as: "9c8u", text: "USETMAXREG.TRY_ALLOC{?|.CTAPOOL|...???@74} p@81, n#32:10", is: "72:2=2", sm: "90-" },
    ],
    time: "fixed",
    decoupled: true,
  },
  {
    op: "USETSHMSZ",
    does: "set the size of the CTA's shared memory",
    slots: "<- n:UR",
    lines: [
      { as: "3c9u", text: "USETSHMSZ n@32", sm: "90-" },
      { as: "9c9u", text: "USETSHMSZ n#32:20", is: "72=0", sm: "90-" },
    ],
    time: "fixed",
    decoupled: true,
  },
  {
    op: "USETSHMSZ.FLUSH",
    does: "wait until the size is set",
    slots: "<-",
    lines: [{ as: "9c9u", text: "USETSHMSZ.FLUSH", is: "72=1", sm: "90-" }],
    time: "fixed",
    decoupled: true,
  },
  {
    op: "UGETNEXTWORKID",
    does: "ask for the next CTA to run (a: where the answer goes, and its barrier)",
    slots: "<- a:UR*2",
    lines: [{ as: "3cau", text: "UGETNEXTWORKID{.SELFCAST|.BROADCAST@72} [a@@24], [a@@+1]", sm: "100-" }],
    sets: "read",
  },
  {
    op: "UMEMSETS.64",
    does: "shared memory at base = zero, n * 8 bytes",
    slots: "<- base:UR off:I=0 b:WORD=255 n:UR",
    lines: [{ as: "3cbu", text: "UMEMSETS.64 [base@24?+off@40:24ss], b{255=URZ|...?@32:8}, n@64", sm: "100-" }],
    sets: "read",
  },
  {
    op: "USTGR",
    does: "global memory of all GPUs at base = data",
    slots: "<- base:UR*2 off:I=0 data:UR*size",
    memory: ["global", "store"],
    bytes: "size",
    lines: [
      {
        as: "377u",
        text: "USTGR.E.NA{.EFL2|_|.ELL2@83:2}{sizeC}{scopeG} [base@24?+off@40:24ss], data@32",
        sm: "100-110",
      },
    ],
    sets: "read",
  },
  {
    op: "UREDGR",
    does: "global memory of all GPUs at base += data",
    slots: "<- base:UR*2 off:I=0 data:UR*size",
    memory: ["global", "reduce"],
    bytes: "size",
    lines: [
      {
        as: "378u",
        text: "UREDGR.E{.ADD|?@87:3}.NA{.EFL2|_|.ELL2@83:2}{_/4|.S32/4|.64/8@73:3}{scopeG} [base@24?+off@40:24ss], data@32",
        sm: "100-110",
      },
    ],
    sets: "read",
  },
]);

export const asyncRows: Rows = [...barrier, ...copies];
