/**
 * Issue interval, expected latency and least stall per opcode, in issue cycles: `OPCODE… @SMs; interval; latency; stall; source of
 * the latency`. `.fixed` after an opcode: only its forms without scoreboards, `.state`: those that move special state. Of several
 * lines that fit an instruction the one with the most modifiers counts, and of equal ones the later.
 *
 * Intervals and least stalls: the least that ptxas 13.0.88 puts between two instructions of the kind, or after one
 * (`tools/harvest-latency.ts`). Latencies are for estimates only, never for correctness. Sources: `cells`: the common
 * distance to a reader (see the cells); `MICRO25`: "Analyzing modern NVIDIA GPU cores", table 2, sm_86, hits in the nearest
 * cache, address in a register; `estimate`: nothing is known.
 */
export const timingText: string = `
MOV SEL P2R R2P I2IP IADD3 IADD LEA LOP3 SHF PRMT IABS IMNMX VIMNMX VIMNMX3 VIADDMNMX VABSDIFF VABSDIFF4 VIADD; 2; 4; 1; cells
ISETP BMSK SGXT PLOP3 FMNMX FSEL FSET FSETP FMNMX3 I2I I2FP F2FP F2IP VHMNMX CSMTEST RPCMOV PCOPY UNDEF; 2; 4; 1; cells
MOV SEL FSEL FSETP ISETP VIMNMX VIADD FMNMX VOTE @120-; 1; 5; 1; cells
MOV.64 SEL.64 IADD.64 @120-; 2; 5; 2; cells
ISETP.S64 ISETP.U64 @120-; 2; 5; 2; cells
MOV64IUR; 2; 5; 2; estimate
VOTE ELECT @-110; 2; 4; 1; cells
ELECT @120-; 2; 5; 1; cells
CS2R LEPC; 1; 6; 1; cells
CS2R @90-103; 2; 6; 1; cells
CS2R.32; 1; 4; 1; cells
LEPC @90-; 1; 6; 7; cells
IMAD IMUL IDP FADD FHADD FMUL FFMA FHFMA FSWZADD QADD4 QMUL4 QFMA4; 2; 4; 1; cells
FADD FMUL FFMA @86-; 1; 4; 1; cells
FADD2 FMUL2 FFMA2; 2; 4; 1; cells
IMAD.WIDE IMAD.HI; 4; 5; 1; cells
HADD2 HMUL2 HFMA2 HMNMX2 HSETP2 HSET2; 2; 5; 1; cells
HADD2 HMUL2 HFMA2 HMNMX2 HSETP2 HSET2 @75; 2; 8; 1; cells
HADD2 @86; 1; 5; 1; cells
HADD2.F32 @86-89; 2; 5; 1; cells
HFMA2.MMA; 2; 10; 1; cells
DADD DMUL DFMA DSETP @80; 4; 10; 1; estimate
DADD DMUL DFMA DSETP @90-100; 2; 10; 1; cells
DADD DMUL DFMA DSETP @75; 4; 48; 1; estimate
DADD DMUL DFMA DSETP @86-89; 4; 48; 1; estimate
DADD DMUL DFMA DSETP @103-; 64; 64; 1; estimate: ptxas pads with up to 64 cycles of NOP (measured on ptxas 13.0.88)
HMMA IMMA BMMA DMMA QMMA OMMA; 8; 24; 1; estimate
HMMA IMMA BMMA @75; 8; 24; 1; estimate
HMMA IMMA BMMA @80-90; 8; 24; 1; cells
HMMA.1684 HMMA.1688 HMMA.SP.16816 IMMA.16816 BMMA.168128 HMMA.SP.1688.TF32 @80-90; 4; 16; 1; cells
IMMA.SP.16832 IMMA.SP.16864.S4.S4 IMMA.SP.16864.S4.U4 IMMA.SP.16864.U4.S4 IMMA.SP.16864.U4.U4 @80-90; 6; 16; 1; cells
QMMA @89; 16; 24; 1; cells
QMMA.16816 @89; 8; 16; 1; cells
HMMA.1688.TF32 HMMA.SP.16816.TF32 @80-90; 8; 24; 1; cells
IMMA.8816 IMMA.8832 BMMA.88128 @80-90; 4; 13; 1; cells
HMMA IMMA BMMA QMMA OMMA @100-110; 8; 19; 1; cells
IMMA @103; 64; 64; 1; cells
HMMA QMMA OMMA @120-; 16; 28; 1; cells
IMMA @120-; 16; 26; 1; cells
DMMA @103-; 64; 64; 1; estimate
${productTiming()}
POPC FLO BREV FCHK MUFU F2F F2I I2F FRND MATCH; 8; 20; 1; estimate
MATCH @103-; 4; 20; 1; estimate
MUFU.EX2 @103; 4; 20; 1; estimate
POPC @103; 1; 20; 1; estimate
POPC FLO BREV FCHK MUFU F2F F2I I2F FRND @110-; 1; 20; 1; estimate
I2F.F64 I2F.U64 I2F.S64 F2I.F64 F2I.U64 F2I.S64 F2F.F64 FRND.F64 @103-; 64; 64; 1; estimate: they share the pipe of DFMA
SHFL MOVM LDTRAM PIXLD ISBERD ISBEWR AL2P ALD AST IPA OUT SYNCS ARRIVES; 4; 24; 1; estimate
LDS STS LDSM STSM; 4; 24; 1; MICRO25
LDS.128 STS.128; 4; 26; 1; MICRO25
LDS.128 @75; 8; 26; 1; MICRO25
ATOMS; 4; 40; 1; estimate
LDG LD; 4; 300; 1; estimate: 32 in L1 (MICRO25), several hundred beyond it
LDL; 4; 32; 1; MICRO25
LDL.64; 4; 34; 1; MICRO25
LDL.128; 4; 38; 1; MICRO25
STG ST STL RED REDG STAS REDAS USTGR UREDGR; 4; 14; 1; MICRO25
LDGSTS; 4; 300; 1; estimate: 39 in L1 (MICRO25)
ATOMG ATOM LDGMC; 4; 400; 1; estimate
QSPC CCTL CCTLT CCTLL; 4; 30; 1; estimate
CCTL @-89; 4; 30; 5; estimate
LDTM STTM; 4; 60; 1; estimate
LDC; 8; 29; 1; MICRO25
TEX TLD TLD4 TMML TXD TXQ FOOTPRINT SULD SUST SUATOM SURED SUQUERY; 4; 400; 1; estimate
S2R B2R GETLMEMBASE SETLMEMBASE; 4; 25; 1; estimate
S2R @90-; 1; 25; 1; estimate
B2R @90-; 2; 25; 1; estimate
BAR; 6; 25; 1; estimate
BAR @75; 5; 25; 5; estimate
LDGDEPBAR SETCTAID UCGABAR_ARV UCGABAR_WAIT FENCE; 2; 25; 1; estimate
MEMBAR ERRBAR; 6; 500; 6; estimate
MEMBAR @75; 5; 500; 5; estimate
ERRBAR; 2; 25; 1; estimate
CGAERRBAR; 6; 25; 6; estimate
UBLKCP UBLKRED UBLKPF UTMALDG UTMAPF UTMASTG UTMAREDG UTMACCTL UTMACMDFLUSH UGETNEXTWORKID UMEMSETS; 4; 500; 1; estimate
UTCCP UTCBAR UTCATOMSWS UTCHMMA UTCIMMA UTCQMMA UTCOMMA UTCSHIFT; 4; 60; 1; estimate
R2UR; 2; 13; 1; cells
R2UR @-89; 8; 13; 1; estimate
REDUX CREDUX; 8; 30; 1; estimate
S2UR; 8; 25; 1; estimate
UIADD3 UIMAD ULEA ULOP3 USHF UPRMT USEL UISETP UPLOP3 UFLO UPOPC UBREV UBMSK USGXT UCLEA UP2UR UR2UP UF2FP ULEPC; 2; 6; 1; cells
UIADD3 UIMAD ULEA ULOP3 USHF UPRMT UISETP @120-; 1; 6; 1; cells
UIABS UVIADD UVIMNMX UIMNMX UFADD UFHADD UFFMA UFHFMA UFMUL UFMNMX UFSEL UFSET UFSETP UF2F UF2I UFRND UF2IP UI2I UI2F; 2; 6; 1; cells
UI2FP UI2IP; 2; 6; 1; cells
CS2UR; 4; 6; 4; estimate
CS2UR @120-; 1; 6; 1; estimate
UVIRTCOUNT USETMAXREG USETSHMSZ; 2; 6; 1; estimate
ULDC; 2; 5; 1; cells
ULDC @90; 1; 5; 1; cells
UMOV VOTEU; 2; 2; 1; cells
UMOV @90-; 1; 2; 1; cells
LDCU; 1; 29; 1; MICRO25 (of LDC)
BRA BRX BRXU RET EXIT JMP JMX JMXU BSYNC; 5; 12; 5; estimate
BRXU @90; 2; 12; 2; estimate
CALL; 5; 12; 5; estimate
BREAK YIELD NANOSLEEP WARPSYNC; 1; 12; 1; estimate
BREAK YIELD NANOSLEEP WARPSYNC @90-; 5; 12; 5; estimate
WARPSYNC @75; 4; 12; 4; estimate
BSSY BMOV KILL BPT ENDCOLLECTIVE; 1; 12; 1; estimate
BMOV.fixed @87; 4; 12; 4; estimate
BMOV.fixed.state @87; 1; 12; 1; estimate
BMOV.fixed.state.CLEAR @87; 4; 12; 4; estimate
NOP DEPBAR PMTRIG WARPGROUP WARPGROUPSET PREEXIT ACQBULK ACQSHMINIT HIDDEN __HIR0X1E0; 1; 1; 1; cells
DEPBAR; 4; 4; 4; cells
WARPGROUP @90; 2; 2; 2; cells
WARPGROUP.ARRIVE @90; 1; 1; 1; cells
`;

/**
 * Products of warp groups by their number of columns. Issue intervals as ptxas puts them between three of a kind after each
 * other (`tools/hazard/wgmma.ts`: all shapes): a product of few columns asks for 3. Latencies: what the tensor cores need at the
 * rate of the data sheet, N/2 cycles for 64 × N × 16 halves.
 */
function productTiming(): string {
  const out: string[] = ["HGMMA QGMMA IGMMA BGMMA; 3; 64; 1; estimate"];
  const integer: Readonly<Record<number, number>> = { 160: 4, 176: 5, 192: 5, 208: 6, 224: 7 };
  for (let n = 8; n <= 256; n += 8) {
    const latency = 32 + n / 2;
    const line = (ops: readonly string[], depths: readonly number[], interval: number): void => {
      const names = ops.flatMap((op) => depths.map((k) => `${op}.64x${n}x${k}`));
      out.push(`${names.join(" ")}; ${Math.max(3, interval)}; ${latency}; 1; estimate`);
    };
    line(["HGMMA"], [8, 16], (n - 32) / 8);
    line(["QGMMA"], [32], (n - 32) / 8);
    line(["HGMMA.SP"], [16, 32], n / 8);
    line(["QGMMA.SP"], [64], n / 8);
    line(["BGMMA"], [256], Math.ceil(n / 16) - 2);
    line(["IGMMA"], [32], integer[n] ?? 3);
  }
  return out.join("\n");
}
