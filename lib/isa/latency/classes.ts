/**
 * Which class each opcode belongs to, and through which ports a class writes and reads registers. Found from the issue
 * distances in the code of ptxas 13.0.88 (`tools/harvest-latency.ts classes`): opcodes of a class behave alike in every
 * column that was seen. Names follow the tables that NVIDIA gave to Mesa NAK where the same classes appear there.
 *
 * An entry is an opcode with the modifiers that matter (`HADD2.F32`); of several entries that fit, the one with most
 * modifiers counts, and of equal ones the later line. `class@80-90:` restricts a line to some SMs.
 */

/**
 * class: pipe; write ports; read ports. `FILE:port` is the port of all operands in that register file, `slot=port` of one
 * slot in file R, `slot+1=port` of its second register; `URc` a uniform register inside a constant
 * operand (`bindless` when left out). `kept` is the slot of a register that a write under a guard may leave. What is written through `apart` no distance guards.
 */
export const classText = `
alu;      ALU;      R:alu P:alu;                        R:alu P:alu UR:coupled UP:coupled
alu5;     ALU;      R:alu5 P:alu5;                      R:alu5 P:alu5 UR:coupled UP:coupled
alu64;    ALU;      R:alu64 P:alu64;                    R:alu64 P:alu5 UR:coupled UP:coupled
set64;    ALU;      P:alu64;                            R:alu5 P:alu5 UR:coupled UP:coupled
vote;     DISPATCH; R:alu P:vote;                       R:alu P:disp UR:coupled UP:coupled
vote5;    DISPATCH; R:alu5 P:vote;                      R:alu5 P:disp UR:coupled UP:coupled
elect;    DISPATCH; P:vote UR:elect;                    UR:elect P:disp
r2p;      ALU;      P:r2p;                              R:alu P:alu UR:coupled UP:coupled
disp32;   DISPATCH; R:alu;                              R:alu P:alu UR:coupled UP:coupled
disp64;   DISPATCH; R:disp64;                           R:alu P:alu UR:coupled UP:coupled
fma;      FMA;      R:fma P:fma;                        R:fma P:fma UR:coupled UP:coupled
fma2;     FMA;      R:fma2 P:fma;                       R:fma2 P:fma UR:coupled UP:coupled
wide;     FMA;      R:wideh d+0=widel P:fma;            R:wideab c=widecl c+1=widech P:fma UR:coupled UP:coupled
hi;       FMA;      R:wideh P:fma;                      R:wideab c=widecl c+1=widech P:fma UR:coupled UP:coupled
fp16;     FP16;     R:fp16 P:fp16;                      R:fp16 P:fp16 UR:coupled UP:coupled
fp16f;    FP16;     R:fp16f P:fp16;                     R:fp16f P:fp16 UR:coupled UP:coupled
hfma2mma; FMA;      R:hfma2mma P:hfma2mma;              R:hfma2mma P:hfma2mma UR:h2mma UP:coupled
fp64;     FP64;     R:fp64 P:fp64;                      R:fp64 P:fp64 UR:decoupled UP:coupled
mmaa;     TENSOR;   R:mmaa;                             R:mma P:guard UR:cmma UP:uguard
mmab;     TENSOR;   R:mmab;                             R:mma P:guard UR:cmma UP:uguard
mmac;     TENSOR;   R:mmac;                             R:mma2 P:guard UR:cmma UP:uguard
mmad;     TENSOR;   R:mmab;                             R:mma2 P:guard UR:cmma UP:uguard
dmma;     TENSOR;   R:decoupled;                        R:dmma P:guard UR:cmma UP:uguard
gmma;     TENSOR;   R:apart P:apart;                    R:agu P:guard UR:decoupled UP:uguard
group;    DISPATCH; R:decoupled;                        R:decoupled P:guard UR:decoupled UP:uguard
xu;       XU;       R:decoupled P:decoupled;            R:decoupled P:guard UR:decoupled UP:uguard
xu64;     FP64;     R:decoupled P:decoupled;            R:decoupled P:guard UR:decoupled UP:uguard
lsu;      LSU;      R:decoupled P:decoupled UR:tour UP:tour; R:agu P:guard UR:decoupled UP:uguard
sync;     LSU;      R:decoupled P:decoupled UR:tour UP:tour; R:decoupled P:guard UR:decoupled UP:uguard
idc;      LSU;      R:decoupled P:decoupled UR:tour UP:tour; R:decoupled P:guard UR:bindless UP:uguard
tex;      TEX;      R:decoupled P:decoupled;            R:decoupled P:guard UR:decoupled UP:uguard
adu;      ADU;      R:decoupled P:decoupled UR:tour UP:tour; R:decoupled kept=agu P:guard UR:decoupled UP:uguard
bulk;     ADU;      R:decoupled P:decoupled UR:tour UP:tour; R:agu P:guard UR:decoupled UP:uguard
r2ur;     ADU;      UR:r2ur P:r2ur;                     R:decoupled P:guard UR:decoupled UP:uguard
tour;     ADU;      UR:tour P:r2ur R:decoupled;         R:decoupled P:guard UR:decoupled UP:uguard
udp;      UDP;      UR:udp UP:udp P:decoupled R:decoupled; R:agu UR:udp UP:udp
uldc;     UDP;      UR:uldc;                            UR:uldc URc:uldc UP:uguard P:guard
ldcu;     ADU;      UR:tour;                            UR:uldc URc:uldc UP:uguard P:guard
umov;     UDP;      UR:umov UP:udp;                     UR:umov UP:udp P:guard
voteu;    UDP;      UR:voteu UP:voteu;                  P:disp UR:umov UP:udp
cbu;      CBU;      R:alu P:decoupled;                  R:branch P:guard UR:branch UP:bra
nop;      DISPATCH; ;                                   R:decoupled P:guard UR:decoupled UP:uguard
`;

/** class: opcodes. */
export const memberText = `
alu: MOV MOV.64 SEL SEL.64 P2R I2IP IADD3 IADD IADD.64 LEA LOP3 SHF PRMT IABS IMNMX VIMNMX VIMNMX3 VIADDMNMX VABSDIFF
alu: VABSDIFF4 VIADD ISETP BMSK SGXT PLOP3 FMNMX FSEL FSET FSETP FMNMX3 I2I I2FP F2FP F2IP VHMNMX CSMTEST RPCMOV
alu: MOV.PHI PCOPY UNDEF MOV64IUR
fma@90-110: VIADD
alu5@120-: VIADD CS2R.32 MOV SEL FSEL FMNMX FMNMX3 VIMNMX VIMNMX3 VIADDMNMX VHMNMX IMNMX ISETP FSETP FSET
alu64@120-: IADD.64 MOV.64 SEL.64 MOV64IUR IMNMX.S64 IMNMX.U64
set64@120-: ISETP.S64 ISETP.U64
r2p: R2P
vote: VOTE
vote5@120-: VOTE
elect: ELECT
disp32@-110: CS2R.32
disp64: CS2R LEPC
fma: IMAD IMUL IDP FADD FHADD FMUL FFMA FHFMA FSWZADD QADD4 QMUL4 QFMA4
fma2: FADD2 FMUL2 FFMA2
wide: IMAD.WIDE IMUL.WIDE
hi: IMAD.HI
fp16: HADD2 HMUL2 HFMA2 HMNMX2 HSETP2 HSET2
fp16f: HADD2.F32
hfma2mma: HFMA2.MMA
fp64: DADD DMUL DFMA DSETP
mmac: HMMA IMMA BMMA QMMA OMMA
mmab@80-90: HMMA.1684 HMMA.1688 HMMA.SP.16816 IMMA.16816 IMMA.16832.S4.S4 IMMA.16832.S4.U4 IMMA.16832.U4.S4 IMMA.16832.U4.U4
mmab@80-90: IMMA.SP.16832 BMMA.168128 HMMA.SP.1688.TF32
mmab@80-90: IMMA.SP.16864.S4.S4 IMMA.SP.16864.S4.U4 IMMA.SP.16864.U4.S4 IMMA.SP.16864.U4.U4 QMMA.16816
mmac@80-90: HMMA.1688.TF32 HMMA.SP.16816.TF32
mmaa@80-90: IMMA.8816 IMMA.8832 BMMA.88128
mmad@120-: IMMA
mmab@120-: IMMA.16816
mmad@120-: IMMA.SP.16816
dmma: DMMA
gmma: HGMMA QGMMA IGMMA BGMMA
xu: POPC FLO BREV FCHK MUFU F2F F2I I2F FRND MATCH
xu64@103-: I2F.F64 I2F.U64 I2F.S64 F2I.F64 F2I.U64 F2I.S64 F2F.F64 FRND.F64
lsu: SHFL MOVM LDSM STSM LDS STS ATOMS LDTRAM PIXLD ISBERD ISBEWR AL2P ALD AST IPA OUT
sync: SYNCS
lsu: ARRIVES LDG LD LDL STG ST STL ATOMG ATOM RED REDG LDGSTS LDGMC QSPC CCTL CCTLT CCTLL STAS REDAS USTGR UREDGR
lsu: LDTM STTM
idc: LDC
tex: TEX TLD TLD4 TMML TXD TXQ FOOTPRINT SULD SUST SUATOM SURED SUQUERY
adu: S2R BAR B2R GETLMEMBASE SETLMEMBASE LDGDEPBAR SETCTAID ERRBAR CGAERRBAR UCGABAR_ARV UCGABAR_WAIT MEMBAR FENCE
bulk: UBLKCP UBLKRED UBLKPF UTMALDG UTMAPF UTMASTG UTMAREDG UTMACCTL UTMACMDFLUSH UGETNEXTWORKID UMEMSETS
bulk: UTCCP UTCBAR UTCATOMSWS UTCHMMA UTCIMMA UTCQMMA UTCOMMA UTCSHIFT
r2ur: R2UR
tour: REDUX CREDUX S2UR
udp: UIADD3 UIMAD ULEA ULOP3 USHF UPRMT USEL UISETP UPLOP3 UFLO UPOPC UBREV UBMSK USGXT UCLEA UP2UR UR2UP UF2FP ULEPC
udp: UIABS UVIADD UVIMNMX UIMNMX UFADD UFHADD UFFMA UFHFMA UFMUL UFMNMX UFSEL UFSET UFSETP UF2F UF2I UFRND UF2IP UI2I UI2F
udp: UI2FP UI2IP CS2UR
udp: UVIRTCOUNT USETMAXREG USETSHMSZ
uldc: ULDC
ldcu: LDCU
umov: UMOV
voteu: VOTEU
cbu: BRA BRX BRXU CALL RET EXIT JMP JMX JMXU BSYNC BSSY BREAK BMOV WARPSYNC YIELD KILL BPT NANOSLEEP ENDCOLLECTIVE
group: WARPGROUP
nop: NOP DEPBAR PMTRIG WARPGROUPSET PREEXIT ACQBULK ACQSHMINIT HIDDEN __HIR0X1E0
`;
