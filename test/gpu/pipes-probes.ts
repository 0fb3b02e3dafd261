/** What is measured of the pipes: instructions of which independent copies or chains are timed. */
import { line } from "./lines.js";

export interface Probe {
  readonly what: string;
  /** Repetitions that are timed, and more of them. */
  readonly n: number;
  readonly m: number;
  /** Instructions of the kind per repetition. */
  readonly per?: number;
  /** The instruction whose interval or latency our tables state. */
  readonly inst?: string;
  /** Warps of the block (a sub-core gets a quarter, and at least one). */
  readonly warps: readonly number[];
  /** Bytes between the addresses of neighbouring threads. */
  readonly strides?: readonly number[];
  readonly before?: readonly string[];
  /** Stall of the NOP that waits for everything. */
  readonly drain?: number;
  readonly body: (i: number, id: number) => string[];
}

const each = [1, 4, 8, 16, 32];
const both = [1, 4, 16];

/** Independent copies: results in R20 … R51, one stall cycle. `write`: results arrive at a time of their own. */
function rate(
  text: string,
  o: {
    write?: boolean;
    read?: boolean;
    width?: number;
    warps?: readonly number[];
    strides?: readonly number[];
    n?: number;
    stall?: number;
    what?: string;
  } = {},
): Probe {
  const width = o.width ?? 1;
  const n = o.n ?? 32;
  return {
    what: `interval ${o.what ?? text.replace(/\{d\}/g, "R20")}`,
    inst: text.replace(/\{d\}/g, "R20"),
    n,
    m: 3 * n,
    warps: o.warps ?? each,
    ...(o.strides && { strides: o.strides }),
    body: (i) => [
      line(
        text.replace(/\{d\}/g, `R${20 + ((i * width) % 32)}`),
        o.stall ?? 1,
        "",
        o.write ? String(i % 4) : "-",
        o.read ? String(i % 4) : "-",
      ),
    ],
  };
}

/** Several instructions in turn. */
function mix(what: string, texts: readonly string[], n = 32): Probe {
  return {
    what: `interval ${what}`,
    n,
    m: 3 * n,
    per: texts.length,
    warps: each,
    body: (i) => texts.map((t, k) => line(t.replace(/\{d\}/g, `R${20 + ((i * texts.length + k) % 32)}`), 1)),
  };
}

/** Each waits for the one before. */
function chain(text: string, what = text, n = 8, warps: readonly number[] = [1]): Probe {
  return { what: `latency ${what}`, inst: text, n, m: 3 * n, warps, body: () => [line(text, 2, "0", "0")] };
}

function fixedChain(texts: readonly (readonly [string, number])[], what: string, n = 16): Probe {
  return { what, n, m: 3 * n, warps: [1], body: () => texts.map(([t, s]) => line(t, s)) };
}

export function probes(): Probe[] {
  const fixed = [
    "FFMA {d}, R64, R65, R66",
    "FADD {d}, R64, R65",
    "FMUL {d}, R64, R65",
    "IMAD {d}, R64, R65, R66",
    "IMAD.MOV.U32 {d}, RZ, RZ, R64",
    "IADD3 {d}, R64, R65, R66",
    "LOP3.LUT {d}, R64, R65, R66, 0x96, !PT",
    "SHF.L.U32 {d}, R64, 0x3, RZ",
    "PRMT {d}, R64, 0x5410, R65",
    "LEA {d}, R64, R65, 0x2",
    "SEL {d}, R64, R65, P1",
    "FMNMX {d}, R64, R65, PT",
    "FSEL {d}, R64, R65, P1",
    "VIMNMX {d}, R64, R65, PT",
    "VIADD {d}, R64, 0x5",
    "MOV {d}, R64",
    "I2FP.F32.S32 {d}, R64",
    "F2FP.F16.F32.PACK_AB {d}, R64, R65",
    "ISETP.LT.AND P2, PT, R64, R65, PT",
    "FSETP.LT.AND P2, PT, R64, R65, PT",
    "PLOP3.LUT P2, PT, P1, P1, PT, 0x3c, 0x0",
    "HFMA2 {d}, R64, R65, R66",
    "HADD2 {d}, R64, R65",
    "HMUL2 {d}, R64, R65",
    "HADD2.F32 {d}, -RZ, R64.H0_H0",
    "HFMA2.MMA {d}, R64, R65, R66",
    "HSETP2.LT.AND P2, PT, R64, R65, PT",
    "CS2R.32 {d}, SRZ",
    "VOTE.ANY {d}, PT, P1",
    "P2R {d}, PR, RZ, 0x7f",
    "R2P PR, R64, 0x4",
    "IABS {d}, R64",
    "UIADD3 UR20, UR8, UR9, URZ",
    "ULOP3.LUT UR20, UR8, UR9, URZ, 0x3c, !UPT",
    "UIMAD UR20, UR8, UR9, UR10",
    "USHF.L.U32 UR20, UR8, 0x1, URZ",
    "UMOV UR20, 0x5",
    "ULDC UR20, c[0x0][0x228]",
    "VOTEU.ANY UR20, UPT, P1",
    "UISETP.LT.AND UP1, UPT, UR8, UR9, UPT",
    "R2UR UR20, R64",
    "NOP",
    "IADD3 {d}, R64, UR8, RZ",
    "IADD3 {d}, R64, 0x12345, RZ",
    "FFMA {d}, R64, c[0x0][0x228], R66",
    "IDP.4A.S8.S8 {d}, R64, R65, R66",
  ].map((t) => rate(t));
  const wide = [
    "IMAD.WIDE {d}, R64, R65, R66",
    "DADD {d}, R64, R66",
    "DMUL {d}, R64, R66",
    "DFMA {d}, R64, R66, R68",
    "CS2R {d}, SRZ",
    "IMAD.HI.U32 {d}, R64, R65, R66",
    "IMMA.8816.S8.S8 {d}, R64.ROW, R65.COL, R66",
    "HMMA.16816.F16 {d}, R64, R68, R72",
  ].map((t) => rate(t, { width: 2 }));
  const tensor = [
    "HMMA.16816.F32 {d}, R64, R68, R76",
    "HMMA.1688.F32 {d}, R64, R68, R76",
    "HMMA.1688.F32.TF32 {d}, R64, R68, R76",
    "HMMA.16816.F32.BF16 {d}, R64, R68, R76",
    "IMMA.16832.S8.S8 {d}, R64.ROW, R68.COL, R76",
    "IMMA.16816.S8.S8 {d}, R64.ROW, R68.COL, R76",
  ].map((t) => rate(t, { width: 4 }));
  const late = [
    "POPC {d}, R64",
    "FLO.U32 {d}, R64",
    "BREV {d}, R64",
    "MUFU.RCP {d}, R64",
    "MUFU.EX2 {d}, R64",
    "MUFU.SIN {d}, R64",
    "MUFU.RSQ {d}, R64",
    "F2I.TRUNC.NTZ {d}, R64",
    "FRND {d}, R64",
    "I2F.S16 {d}, R64",
    "F2F.F16.F64 {d}, R64",
    "SHFL.IDX PT, {d}, R64, 0x3, 0x1f",
    "MATCH.ANY {d}, R64",
    "S2R {d}, SR_TID.X",
    "S2R {d}, SR_LANEID",
    "LDC {d}, c[0x0][0x228]",
    "LDS {d}, [R71]",
    "LDG.E {d}, desc[UR4][R4.64]",
    "REDUX.SUM.S32 UR20, R64",
    "S2UR UR20, SR_CTAID.X",
    "ATOMS.ADD {d}, [R71], RZ",
    "LDG.E.STRONG.GPU {d}, desc[UR4][R4.64]",
    "ATOMS.POPC.INC.32 RZ, [R71+URZ]",
  ].map((t) => rate(t, { write: true }));
  const lateWide = [
    ["DMMA.8x8x4 {d}, R64, R66, R76", 4],
    ["LDS.64 {d}, [R71]", 2],
    ["LDS.128 {d}, [R71]", 4],
    ["LDG.E.64 {d}, desc[UR4][R4.64]", 2],
    ["LDG.E.128 {d}, desc[UR4][R4.64]", 4],
    ["LDC.64 {d}, c[0x0][0x228]", 2],
    ["F2F.F64.F32 {d}, R64", 2],
    ["F2F.F32.F64 {d}, R64", 1],
    ["I2F.F64 {d}, R64", 2],
    ["F2I.F64.TRUNC {d}, R64", 1],
    ["LDSM.16.M88.4 {d}, [R71]", 4],
    ["LDSM.16.M88 {d}, [R71]", 1],
    ["LDSM.16.M88.2 {d}, [R71]", 2],
    ["DSETP.LT.AND P2, PT, R64, R66, PT", 2],
  ].map(([t, w]) => rate(t as string, { write: !/DSETP/.test(t as string), width: w as number }));
  const stores = [
    "STS [R71], R64",
    "STS.64 [R71], R64",
    "STS.128 [R71], R64",
    "STG.E desc[UR4][R4.64+0x8000], R64",
    "STG.E.128 desc[UR4][R4.64+0x8000], R64",
    "ATOMS.ADD RZ, [R71], R64",
    "REDG.E.ADD.STRONG.GPU desc[UR4][R4.64+0x8000], RZ",
  ].map((t) => rate(t, { read: true }));
  // Threads a stride apart: conflicts of banks, lines of the data cache.
  const strides = [0, 4, 8, 16, 32, 64, 128, 12, 20, 132];
  const banks = [
    rate("LDS {d}, [R74]", { write: true, strides, warps: both }),
    rate("STS [R74], R64", { read: true, strides, warps: both }),
    rate("LDS.64 {d}, [R74]", { write: true, width: 2, strides: [8, 16, 32, 64, 128], warps: both }),
    rate("LDS.128 {d}, [R74]", { write: true, width: 4, strides: [0, 16, 32, 64, 128], warps: both }),
    rate("ATOMS.ADD {d}, [R74], RZ", { write: true, strides: [0, 4, 8, 128], warps: both }),
    rate("LDG.E {d}, desc[UR4][R12.64]", { write: true, strides: [0, 4, 8, 16, 32, 64, 128], warps: [1, 4, 8] }),
    rate("LDG.E.128 {d}, desc[UR4][R12.64]", { write: true, width: 4, strides: [16, 32, 64, 128], warps: [1, 4, 8] }),
  ];
  const mixes = [
    mix("FFMA, IADD3 in turn", ["FFMA {d}, R64, R65, R66", "IADD3 {d}, R67, R68, R69"]),
    mix("FFMA, IMAD in turn", ["FFMA {d}, R64, R65, R66", "IMAD {d}, R67, R68, R69"]),
    mix("FFMA, HFMA2 in turn", ["FFMA {d}, R64, R65, R66", "HFMA2 {d}, R67, R68, R69"]),
    mix("IADD3, IMAD in turn", ["IADD3 {d}, R64, R65, R66", "IMAD {d}, R67, R68, R69"]),
    mix("IADD3, HFMA2 in turn", ["IADD3 {d}, R64, R65, R66", "HFMA2 {d}, R67, R68, R69"]),
    mix("HFMA2, IMAD in turn", ["HFMA2 {d}, R64, R65, R66", "IMAD {d}, R67, R68, R69"]),
    mix("FFMA, UIADD3 in turn", ["FFMA {d}, R64, R65, R66", "UIADD3 UR20, UR8, UR9, URZ"]),
    mix("FFMA, IADD3, FFMA, IMAD in turn", [
      "FFMA {d}, R64, R65, R66",
      "IADD3 {d}, R67, R68, R69",
      "FFMA {d}, R64, R65, R66",
      "IMAD {d}, R67, R68, R69",
    ]),
    mix("FFMA sources R64 R66 R68", ["FFMA {d}, R64, R66, R68"]),
    mix("FFMA sources R64 R68 R72", ["FFMA {d}, R64, R68, R72"]),
    mix("FFMA sources R64 R65 R68", ["FFMA {d}, R64, R65, R68"]),
    mix("FFMA sources R64 R64 R64", ["FFMA {d}, R64, R64, R64"]),
    mix("FFMA sources R64.reuse R66.reuse R68", ["FFMA {d}, R64.reuse, R66.reuse, R68"]),
    mix("FFMA sources R64.reuse R66 R68", ["FFMA {d}, R64.reuse, R66, R68"]),
    mix("FFMA sources R64 R66 R68.reuse", ["FFMA {d}, R64, R66, R68.reuse"]),
    mix("IADD3 sources R64 R66 R68", ["IADD3 {d}, R64, R66, R68"]),
    mix("IMAD sources R64 R66 R68", ["IMAD {d}, R64, R66, R68"]),
    mix("FFMA, IADD3, sources all even", ["FFMA {d}, R64, R66, R68", "IADD3 {d}, R72, R76, R78"]),
  ];
  const chains = [
    ..."MUFU.RCP R20, R20;MUFU.EX2 R20, R20;MUFU.SIN R20, R20;POPC R20, R20;FLO.U32 R20, R20;BREV R20, R20;FRND R20, R20;F2I.TRUNC.NTZ R20, R20;I2F.S16 R20, R20;SHFL.IDX PT, R20, R20, 0x3, 0x1f;MATCH.ANY R20, R20;LDS R71, [R71];LDS.64 R20, [R20];LDS.128 R20, [R20];LDG.E.64 R4, desc[UR4][R4.64];LDG.E.64.STRONG.GPU R4, desc[UR4][R4.64];LDG.E.128 R76, desc[UR4][R76.64];LDG.E.64.CONSTANT R4, desc[UR4][R4.64];ATOMS.ADD R71, [R71], RZ;ATOMG.E.ADD.64.STRONG.GPU PT, R4, desc[UR4][R4.64], RZ;S2R R20, SR_TID.X;S2R R20, SR_LANEID;S2UR UR20, SR_CTAID.X;LDC R20, c[0x0][R20+0x224];DMMA.8x8x4 R20, R64, R66, R20;LDSM.16.M88 R20, [R20]"
      .split(";")
      .map((t) => {
        const p = chain(t);
        if (/LDS\.(64|128)|LDSM/.test(t)) return { ...p, before: ["MOV R20, R71"] };
        if (/^LDC/.test(t)) return { ...p, before: ["MOV R20, RZ"] };
        return t.startsWith("LDG.E.128") ? { ...p, before: ["MOV R76, R4", "MOV R77, R5"] } : p;
      }),
    {
      what: "latency F2F.F64.F32 and F2F.F32.F64",
      n: 8,
      m: 24,
      warps: [1],
      body: () => [line("F2F.F64.F32 R20, R22", 2, "0", "0"), line("F2F.F32.F64 R22, R20", 2, "0", "0")],
    },
    {
      what: "latency REDUX.SUM.S32 and MOV",
      n: 8,
      m: 24,
      warps: [1],
      body: () => [line("REDUX.SUM.S32 UR20, R20", 2, "0", "0"), line("MOV R20, UR20", 6, "0")],
    },
    {
      what: "latency LDS, waiter IADD3",
      n: 8,
      m: 24,
      warps: [1],
      body: () => [line("LDS R71, [R71]", 2, "0", "0"), line("IADD3 R71, R71, RZ, RZ", 5, "0")],
    },
    {
      what: "latency BAR.SYNC",
      n: 8,
      m: 24,
      warps: [1, 4, 8, 16, 32],
      body: () => [line("BAR.SYNC.DEFER_BLOCKING 0x0", 6)],
    },
    {
      what: "latency BAR.SYNC and wait",
      n: 8,
      m: 24,
      warps: [1, 4, 8, 16, 32],
      body: () => [line("BAR.SYNC.DEFER_BLOCKING 0x0", 6, "0"), line("NOP", 1, "0")],
    },
    { what: "latency MEMBAR.SC.CTA", n: 4, m: 12, warps: [1], body: () => [line("MEMBAR.SC.CTA", 6, "0", "-", "0")] },
    { what: "latency MEMBAR.SC.GPU", n: 4, m: 12, warps: [1], body: () => [line("MEMBAR.SC.GPU", 6, "0", "-", "0")] },
    {
      what: "latency BRA taken",
      n: 16,
      m: 48,
      warps: [1, 4, 8, 16, 32],
      body: (i: number, id: number) => [line(`BRA \`(l${id}_${i})`, 5), `l${id}_${i}:`],
    },
    {
      what: "latency BRA taken over 7 NOPs",
      n: 16,
      m: 48,
      warps: [1, 4, 16, 32],
      body: (i: number, id: number) => [
        line(`BRA \`(l${id}_${i})`, 5),
        ...Array.from({ length: 7 }, () => line("NOP", 1)),
        `l${id}_${i}:`,
      ],
    },
    {
      what: "latency BRA not taken",
      n: 16,
      m: 48,
      warps: [1, 4, 16, 32],
      body: (i: number, id: number) => [line(`@!PT BRA \`(l${id}_${i})`, 5), `l${id}_${i}:`],
    },
    {
      what: "latency BSSY BSYNC",
      n: 16,
      m: 48,
      warps: [1, 4, 16, 32],
      body: (i: number, id: number) => [line(`BSSY B0, \`(l${id}_${i})`, 5), line("BSYNC B0", 5), `l${id}_${i}:`],
    },
    { what: "latency WARPSYNC.ALL", n: 16, m: 48, warps: [1, 4, 16], body: () => [line("WARPSYNC.ALL", 5)] },
    fixedChain([["FFMA R20, R20, R65, R66", 4]], "chain FFMA at 4"),
    fixedChain([["IADD3 R20, R20, R65, R66", 4]], "chain IADD3 at 4"),
    fixedChain([["IMAD R20, R20, R65, R66", 4]], "chain IMAD at 4"),
    fixedChain([["DFMA R20, R20, R66, R68", 8]], "chain DFMA at 8"),
    fixedChain(
      [
        ["HMMA.16816.F32 R20, R64, R68, R20", 15],
        ["NOP", 9],
      ],
      "chain HMMA.16816.F32 at 24",
    ),
  ];
  // Other words are none: a stall of 0, or of more than 11, goes with a yield.
  const stalls = Array.from({ length: 16 }, (_, n) => n)
    .flatMap((n) => (n === 0 || n > 11 ? ["Y"] : ["-", "Y"]).map((y) => [n, y] as const))
    .map(
      ([n, y]): Probe => ({
        what: `stall ${n} ${y === "Y" ? "with" : "without"} yield, NOP`,
        n: 16,
        m: 48,
        warps: [1, 8],
        body: () => [`    B------ R- W- ${y} S${String(n).padStart(2, "0")} NOP ;`],
      }),
    );
  const code = [
    64, 96, 128, 160, 192, 256, 384, 512, 640, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 10240, 12288, 16384,
    24576,
  ].map(
    (n): Probe => ({
      what: `code of ${n} FFMA`,
      n,
      m: 4,
      warps: n <= 8192 ? [1, 4, 16] : [1, 4],
      body: (i) => [line(`FFMA R${20 + (i % 32)}, R64, R65, R66`, 1)],
    }),
  );
  return [
    ...fixed,
    ...wide,
    ...tensor,
    ...late,
    ...lateWide,
    ...stores,
    ...banks,
    ...mixes,
    ...chains,
    ...code,
    ...stalls,
  ];
}
