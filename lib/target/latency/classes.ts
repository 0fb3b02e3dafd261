/**
 * Which class each opcode belongs to, and what a class is. An entry is an opcode with the modifiers that matter
 * (`HADD2.F32`); of several entries that fit an instruction the one with the most modifiers counts.
 */

/** class: pipe, interval, latency, minStall, write ports, read ports (`file:port`; `~` = the file's default). */
export const classText = `
class,    pipe,     interval, latency, stall, writes,                      reads
alu,      ALU,      2,        4,       1,     R:alu P:alu,                 R:alu P:alu UR:coupled UP:coupled
disp,     DISPATCH, 1,        4,       1,     R:alu P:disp,                R:alu P:disp UR:coupled UP:coupled
disp64,   DISPATCH, 2,        6,       1,     R:disp64,                    R:alu P:alu UR:coupled UP:coupled
r2p,      ALU,      2,        5,       1,     P:r2p,                       R:alu P:alu UR:coupled UP:coupled
fma,      FMA,      2,        4,       1,     R:fma P:fma,                 R:fma P:fma UR:coupled UP:coupled
hi,       FMA,      4,        5,       1,     R:wide P:fma,                R:wide P:fma UR:coupled UP:coupled
wide,     FMA,      4,        5,       1,     R:wide P:fma,                R:wide P:fma UR:coupled UP:coupled
fp16,     FP16,     2,        5,       1,     R:fp16 P:fp16,               R:fp16 P:fp16 UR:coupled UP:coupled
hfma2mma, FMA,      2,        10,      1,     R:hfma2mma P:hfma2mma,       R:hfma2mma P:hfma2mma UR:h2mma UP:coupled
fp64,     FP64,     2,        10,      1,     R:fp64 P:fp64,               R:fp64 P:fp64 UR:decoupled UP:coupled
hmma,     TENSOR,   4,        28,      1,     R:mma P:decoupled,           R:mma P:guard UR:coupled UP:uguard
gmma,     TENSOR,   4,        60,      2,     R:decoupled P:decoupled,     R:agu P:guard UR:bindless UP:uguard
xu,       XU,       8,        20,      1,     R:decoupled P:decoupled,     R:decoupled P:guard UR:decoupled UP:uguard
lsu,      LSU,      4,        30,      1,     R:decoupled P:decoupled UR:tour UP:tour, R:agu P:guard UR:decoupled UP:uguard
global,   LSU,      4,        450,     1,     R:decoupled P:decoupled UR:tour UP:tour, R:agu P:guard UR:decoupled UP:uguard
const,    LSU,      4,        40,      1,     R:decoupled P:decoupled,     R:agu P:guard UR:bindless UP:uguard
tex,      TEX,      4,        500,     1,     R:decoupled P:decoupled,     R:agu P:guard UR:bindless UP:uguard
adu,      ADU,      2,        25,      1,     R:decoupled P:decoupled UR:tour UP:tour, R:agu P:guard UR:bindless UP:uguard
tour,     ADU,      2,        13,      1,     R:decoupled P:r2ur UR:tour UP:tour, R:agu P:guard UR:decoupled UP:uguard
udp,      UDP,      2,        12,      1,     UR:udp UP:udp P:decoupled R:decoupled, R:agu P:guard UR:udp UP:udp
uldc,     UDP,      2,        5,       1,     UR:uldc,                     UR:uldc UP:uguard P:guard
ldcu,     ADU,      2,        40,      1,     UR:tour,                     UR:uldc UP:uguard P:guard
umov,     UDP,      2,        5,       1,     UR:umov UP:udp,              UR:umov UP:udp P:guard
voteu,    UDP,      2,        5,       1,     UR:voteu UP:voteu,           P:disp UR:umov UP:udp
jump,     CBU,      2,        15,      5,     R:alu P:decoupled,           R:decoupled P:guard UR:branch UP:bra
cbu,      CBU,      2,        15,      1,     R:alu P:decoupled,           R:decoupled P:guard UR:branch UP:bra
nop,      DISPATCH, 1,        1,       1,     ,                            R:agu P:guard UR:decoupled UP:uguard
`;

/** class: opcodes. */
export const memberText = `
alu: MOV MOV.64 SEL P2R I2IP IADD3 IADD LEA LOP3 SHF PRMT IABS IMNMX VIMNMX VIMNMX3 VIADDMNMX VABSDIFF VABSDIFF4 VIADD
alu: ISETP BMSK SGXT PLOP3 FMNMX FSEL FSET FSETP FMNMX3 I2I I2FP F2FP F2IP VHMNMX CSMTEST RPCMOV
alu: MOV.PHI PCOPY UNDEF
r2p: R2P
disp: VOTE CS2R.32 ELECT
disp64: CS2R LEPC
fma: IMAD IDP FADD FMUL FFMA FSWZADD FADD2 FMUL2 FFMA2 QADD4 QMUL4 QFMA4
wide: IMAD.WIDE
hi: IMAD.HI
fp16: HADD2 HMUL2 HFMA2 HMNMX2 HSETP2 HSET2
hfma2mma: HFMA2.MMA
fp64: DADD DMUL DFMA DSETP
hmma: HMMA IMMA BMMA DMMA QMMA OMMA
gmma: HGMMA QGMMA IGMMA BGMMA
xu: POPC FLO BREV FCHK MUFU F2F F2I I2F FRND
lsu: SHFL MATCH MOVM LDSM STSM LDS STS ATOMS LDTRAM PIXLD ISBERD ISBEWR AL2P ALD AST IPA OUT B2R GETLMEMBASE SETLMEMBASE
lsu: SYNCS ARRIVES
global: LDG LD LDL STG ST STL ATOMG ATOM RED REDG LDGSTS LDGMC QSPC CCTL CCTLT CCTLL MEMBAR FENCE STAS REDAS USTGR UREDGR
global: LDTM STTM
const: LDC
tex: TEX TLD TLD4 TMML TXD TXQ FOOTPRINT SULD SUST SUATOM SURED SUQUERY
adu: S2R BAR LDGDEPBAR SETCTAID ERRBAR CGAERRBAR UCGABAR_ARV UCGABAR_WAIT
adu: UBLKCP UBLKRED UBLKPF UTMALDG UTMAPF UTMASTG UTMAREDG UTMACCTL UTMACMDFLUSH UGETNEXTWORKID UMEMSETS
adu: UTCCP UTCBAR UTCATOMSWS UTCHMMA UTCIMMA UTCQMMA UTCOMMA UTCSHIFT
tour: R2UR REDUX CREDUX S2UR
udp: UIADD3 UIMAD ULEA ULOP3 USHF UPRMT USEL UISETP UPLOP3 UFLO UPOPC UBREV UBMSK USGXT UCLEA UP2UR UR2UP UF2FP ULEPC
udp: UVIRTCOUNT USETMAXREG USETSHMSZ
uldc: ULDC
ldcu: LDCU
umov: UMOV
voteu: VOTEU
jump: BRA BRX BRXU CALL RET EXIT JMP JMX JMXU BSYNC
cbu: BSSY BREAK BMOV WARPSYNC YIELD KILL BPT NANOSLEEP ENDCOLLECTIVE
nop: NOP DEPBAR PMTRIG WARPGROUP WARPGROUPSET PREEXIT ACQBULK ACQSHMINIT HIDDEN __HIR0X1E0
`;
