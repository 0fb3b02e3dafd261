/**
 * Instructions that write or read the register under test, by register file. `{x}` is that register (`{x2}`, `{x4}`: one of an
 * aligned pair or quadruple); writers take their operands from R32 … R51, readers leave their result in R20 … R23, P2, UR12
 * or UP2. `pre` runs a long time before the pair, `post` after it: it brings a result to R20 that is elsewhere.
 */
export interface Op {
  readonly text: string;
  readonly pre?: readonly string[];
  readonly post?: readonly string[];
  /** The register is part of an address; the other one's result is none. */
  readonly address?: boolean;
  readonly wild?: boolean;
  /** Leaves the same whatever its operands are. */
  readonly constant?: boolean;
  /** Shared memory is filled first. */
  readonly shared?: boolean;
}

const plain = (text: string): Op[] =>
  text
    .split("\n")
    .map((l) => l.trim())
    .filter((l) => l !== "")
    .map((l) => ({ text: l }));

/** R32 a, R36 b, R40 c, R44 d: random values that are harmless as floats; R64: large in the second register of a pair. */
export const writers: Readonly<Record<"R" | "P" | "UR" | "UP", readonly Op[]>> = {
  R: [
    { text: "CS2R.32 {x}, SRZ", constant: true },
    { text: "CS2R {x2}, SRZ", constant: true },
    ...plain(`
    IADD3 {x}, R32, R36, R40
    LOP3.LUT {x}, R32, R36, R40, 0x96, !PT
    SHF.L.U32 {x}, R32, 0x3, RZ
    MOV {x}, R32
    SEL {x}, R32, R36, P3
    PRMT {x}, R32, 0x5410, R36
    LEA {x}, R32, R36, 0x2
    FMNMX {x}, R32, R36, PT
    FSEL {x}, R32, R36, P3
    VIMNMX {x}, R32, R36, PT
    IABS {x}, R32
    I2FP.F32.S32 {x}, R32
    F2FP.F16.F32.PACK_AB {x}, R32, R36
    P2R {x}, PR, R32, 0x1e
    IMAD {x}, R32, R36, R40
    IMAD.MOV.U32 {x}, RZ, RZ, R32
    IMAD.IADD {x}, R32, 0x1, R36
    FFMA {x}, R32, R36, R40
    FADD {x}, R32, R36
    FMUL {x}, R32, R36
    VIADD {x}, R32, 0x12345
    IMAD.WIDE {x2}, R32, R36, R40
    IMAD.WIDE.U32 {x2}, R32, R36, R40
    IMAD.HI.U32 {x}, R32, R36, R40
    HADD2 {x}, R32, R36
    HMUL2 {x}, R32, R36
    HFMA2 {x}, R32, R36, R40
    HADD2.F32 {x}, -RZ, R32.H0_H0
    HFMA2.MMA {x}, R32, R36, R40
    DADD {x2}, R32, R36
    DMUL {x2}, R32, R36
    DFMA {x2}, R32, R36, R40
    IMMA.8816.S8.S8 {x2}, R32.ROW, R36.COL, R40
    IMMA.16816.S8.S8 {x4}, R32.ROW, R36.COL, R40
    HMMA.1688.F32 {x4}, R32, R36, R40
    HMMA.16816.F32 {x4}, R32, R36, R40
    HMMA.16816.F16 {x2}, R32, R36, R40
    IMMA.16832.S8.S8 {x4}, R32.ROW, R36.COL, R40
  `),
  ],
  P: plain(`
    ISETP.LT.U32.AND {x}, PT, R32, R36, PT
    FSETP.LT.AND {x}, PT, R32, R36, PT
    PLOP3.LUT {x}, PT, P3, P4, PT, 0x3c, 0x0
    IADD3 R24, {x}, R33, R65, RZ
    VOTE.ANY {x}, P3
    R2P PR, R32, 0x2
    IMAD.WIDE.U32 R24, {x}, R32, R36, R64
    HSETP2.LT.AND {x}, PT, R32, R36, PT
    DSETP.LT.AND {x}, PT, R32, R36, PT
    R2UR.OR {x}, UR30, R32
  `),
  UR: [
    { text: "VOTEU.ANY {x}, UPT, P3", wild: true },
    { text: "ELECT P4, {x}, PT", wild: true, constant: true },
    ...plain(`
    UIADD3 {x}, UR16, UR20, URZ
    ULOP3.LUT {x}, UR16, UR20, URZ, 0x3c, !UPT
    USHF.L.U32 {x}, UR16, 0x1, URZ
    UIMAD {x}, UR16, 0x3, UR20
    ULEA {x}, UR16, UR20, 0x1
    USEL {x}, UR16, UR20, UP3
    UMOV {x}, 0x150
    UMOV {x}, UR16
    ULDC {x}, c[0x0][0x22c]
    R2UR {x}, R72
  `),
  ],
  UP: plain(`
    UISETP.LT.U32.AND {x}, UPT, UR16, UR20, UPT
    UPLOP3.LUT {x}, UPT, UP3, UPT, UPT, 0x40, 0x0
    VOTEU.ALL {x}, P3
  `),
};

/** What also may be the later one of two writers: results that come at a time of their own (scoreboard 0). */
export const lateWriters: Readonly<Record<"R" | "P" | "UR" | "UP", readonly Op[]>> = {
  R: [
    ...plain(`
    MUFU.RCP {x}, R44
    POPC {x}, R44
    SHFL.IDX PT, {x}, R44, 0x3, 0x1f
    S2R {x}, SR_TID.X
    LDC {x}, c[0x0][0x210]
    LDG.E {x}, desc[UR4][R4.64]
    LDG.E.128 {x4}, desc[UR4][R4.64]
    F2F.F64.F32 {x2}, R44
    DMMA.8x8x4 {x4}, R44, R46, R48
  `),
    { text: "LDS {x}, [R70]", shared: true },
  ],
  P: plain(`
    FCHK {x}, R44, R45
    SHFL.UP {x}, R24, R44, 0x3, RZ
  `),
  UR: [
    { text: "S2UR {x}, SR_CTAID.X", wild: true },
    { text: "REDUX.SUM.S32 {x}, R44", wild: true },
  ],
  UP: [],
};

export const readers: Readonly<Record<"R" | "P" | "UR" | "UP", readonly Op[]>> = {
  R: [
    ...plain(`
    IADD3 R20, {x}, R44, R48
    IADD3 R20, R44, {x}, R48
    IADD3 R20, R44, R48, {x}
    LOP3.LUT R20, R44, {x}, R48, 0x96, !PT
    SHF.L.W.U32.HI R20, R44, 0x8, {x}
    MOV R20, {x}
    SEL R20, {x}, R44, P3
    PRMT R20, R44, 0x5410, {x}
    FMNMX R20, {x}, R44, PT
    ISETP.LT.U32.AND P2, PT, {x}, R44, PT
    IMAD R20, {x}, R44, R48
    IMAD R20, R44, R48, {x}
    IMAD.MOV.U32 R20, RZ, RZ, {x}
    FFMA R20, {x}, R44, R48
    FFMA R20, R44, R48, {x}
    FADD R20, {x}, R44
    IMAD.WIDE R20, {x}, R44, R48
    IMAD.WIDE.U32 R20, R44, R48, {x2}
    IMAD.HI.U32 R20, {x}, R44, R48
    HADD2 R20, {x}, R44
    HFMA2 R20, {x}, R44, R48
    HFMA2 R20, R44, R48, {x}
    HADD2.F32 R20, -RZ, {x}.H0_H0
    HFMA2.MMA R20, {x}, R44, R48
    HFMA2.MMA R20, R44, R48, {x}
    DADD R20, {x2}, RZ
    DMUL R20, {x2}, R44
    DFMA R20, R44, R48, {x2}
    DSETP.LT.AND P2, PT, {x2}, R44, PT
    HMMA.16816.F32 R20, {x4}, R44, R48
    HMMA.16816.F32 R20, R44, {x2}, R48
    HMMA.16816.F32 R20, R44, R48, {x4}
    HMMA.16816.F16 R20, R44, R48, {x2}
    IMMA.16832.S8.S8 R20, R44.ROW, R48.COL, {x4}
    HMMA.1688.F32 R20, {x2}, R44, R48
    HMMA.1688.F32 R20, R44, {x}, R48
    HMMA.1688.F32 R20, R44, R48, {x4}
    IMMA.8816.S8.S8 R20, {x}.ROW, R44.COL, R48
    IMMA.8816.S8.S8 R20, R44.ROW, R45.COL, {x2}
    DMMA.8x8x4 R20, {x2}, R44, R48
    DMMA.8x8x4 R20, R44, R48, {x4}
    MUFU.RCP R20, {x}
    POPC R20, {x}
    I2F.S16 R20, {x}
    F2F.F64.F32 R20, {x}
    F2F.F32.F64 R20, {x2}
    SHFL.IDX PT, R20, {x}, 0x3, 0x1f
    R2UR UR12, {x}
    REDUX.SUM.S32 UR12, {x}
    R2P PR, {x}, 0x4
  `),
    { text: "BMOV.32 B6, {x}", post: ["BMOV.32 R20, B6"] },
    { text: "STS [R70], {x}", post: ["LDS R20, [R70]"], shared: true },
    { text: "STS.128 [R71], {x4}", post: ["LDS.128 R20, [R71]"], shared: true },
    { text: "STG.E desc[UR4][R2.64], {x}", post: ["LDG.E.STRONG.GPU R20, desc[UR4][R2.64]"] },
    { text: "ATOMS.EXCH R24, [R70], {x}", post: ["LDS R20, [R70]"], shared: true },
  ],
  P: [
    ...plain(`
    @{x} IADD3 R20, R44, R48, RZ
    @!{x} MOV R20, R44
    @{x} IMAD R20, R44, R48, R50
    @{x} FFMA R20, R44, R48, R50
    @{x} HFMA2 R20, R44, R48, R50
    @{x} DFMA R20, R44, R48, R50
    @{x} MUFU.RCP R20, R44
    @{x} SHFL.IDX PT, R20, R44, 0x3, 0x1f
    @{x} ISETP.LT.U32.AND P2, PT, R44, R48, PT
    @{x} LDC R20, c[0x0][0x210]
    @{x} LDG.E R20, desc[UR4][R4.64]
    @{x} S2R R20, SR_TID.X
    @{x} CS2R R20, SRZ
    SEL R20, R44, R48, {x}
    FSEL R20, R44, R48, {x}
    ISETP.LT.U32.AND P2, PT, R44, R48, {x}
    PLOP3.LUT P2, PT, {x}, P3, PT, 0x3c, 0x0
    IADD3.X R20, R44, R48, RZ, {x}, !PT
    P2R R20, PR, RZ, 0x2
    VOTE.ANY R20, PT, {x}
    VOTEU.ANY UR12, UPT, {x}
    IMAD.X R20, R44, 0x1, R48, {x}
    IMAD.WIDE.U32.X R20, R44, R46, R48, {x}
    HSETP2.LT.AND P2, PT, R44, R48, {x}
    DSETP.LT.AND P2, PT, R44, R48, {x}
  `),
    { text: "@{x} LDS R20, [R70]", shared: true },
    { text: "@{x} STS [R70], R44", pre: ["STS [R70], R56"], post: ["LDS R20, [R70]"], shared: true },
    {
      text: "@{x} BRA `(skip)",
      pre: ["BSSY B0, `(join)"],
      post: ["MOV R20, R44", "skip:", "BSYNC B0", "join:"],
    },
  ],
  UR: [
    ...plain(`
    IADD3 R20, R44, {x}, RZ
    MOV R20, {x}
    LOP3.LUT R20, R44, {x}, RZ, 0x3c, !PT
    IMAD R20, R44, {x}, R48
    FFMA R20, R44, {x}, RZ
    FADD R20, -RZ, {x}
    IMAD.WIDE R20, R44, {x}, R48
    HADD2 R20, -RZ, {x}
    ISETP.LT.U32.AND P2, PT, R73, {x}, PT
    BREV R20, {x}
    FLO.U32 R20, {x}
    DADD R20, -RZ, {x2}
    HFMA2.MMA R20, R44, {x}, RZ
    UIADD3 UR12, {x}, UR20, URZ
    ULOP3.LUT UR12, {x}, UR20, URZ, 0x3c, !UPT
    UIMAD UR12, {x}, 0x3, UR20
    USHF.L.U32 UR12, {x}, 0x1, URZ
    UISETP.LT.U32.AND UP2, UPT, {x}, UR21, UPT
    UMOV UR12, {x}
  `),
    { text: "ULDC UR12, c[0x0][{x}+0x210]", address: true },
    { text: "LDS R20, [R70+{x}]", shared: true, address: true },
    { text: "LDS R20, [{x}]", shared: true, address: true },
  ],
  UP: [
    ...plain(`
    @{x} UIADD3 UR12, UR16, UR20, URZ
    @{x} UMOV UR12, UR16
    @{x} ULDC UR12, c[0x0][0x228]
    USEL UR12, UR16, UR20, {x}
    UPLOP3.LUT UP2, UPT, {x}, UP3, UPT, 0x3c, 0x0
    UISETP.GE.U32.AND UP2, UPT, UR16, UR20, {x}
    PLOP3.LUT P2, PT, P3, PT, {x}, 0x6c, 0x0
  `),
    { text: "BRA.U {x}, `(skip)", post: ["MOV R20, R44", "skip:"] },
  ],
};
