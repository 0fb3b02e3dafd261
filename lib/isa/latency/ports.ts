/**
 * Issue ports, where they are finer than the pipes of the classes: what takes one instruction of a warp at a time. Read
 * off the stalls of ptxas 13.0.88 (`tools/control-fidelity.ts`, measured on ptxas 13.0.88): the least distance between two
 * instructions that share no register. Evidence per line, as OPCODE > OPCODE cycles×how often (test corpus, -O1 and -O3).
 *
 * An entry is an opcode with the modifiers that matter; `@SMs` restricts a line. Of several that fit the one with most
 * modifiers counts, and of equal ones the later.
 */

/** opcodes; port. Opcodes without a line issue through the port of their pipe. */
export const portText = `
LDC S2UR; IDC
S2R; S2R
S2R @-89; LSU
VOTE @-110; ALU
BAR @-89; LSU
HSET2 @100-; ALU
HFMA2.MMA; H2MMA
HFMA2 @100-; FMA
CS2R @90-103; ALU
CS2R.32 @90-103; DISPATCH
POPC @103-; POPC
HMMA IMMA QMMA OMMA DMMA @100-; FP64
WARPGROUP; GROUP
HGMMA QGMMA IGMMA BGMMA; GMMA
IMAD IMUL IDP HADD2.F32 @86-89; HEAVY
MOV SEL FSEL FMNMX FMNMX3 VIMNMX VIMNMX3 VIADDMNMX ISETP FSETP FSET @120-; ALU5
IADD.64 MOV.64 SEL.64 ISETP.S64 ISETP.U64 @120-; ALU64
`;

/** opcodes; other port; cycles from its issue on for which nothing else issues there. */
export const holdText = `
BAR @75; LSU; 5
BAR @75; CBU; 5
BAR @80-; LSU; 6
BAR @80-; CBU; 6
BSSY @90-; CBU; 4
BAR @90; GROUP; 6
WARPGROUP.ARRIVE; GMMA; 6
HGMMA QGMMA IGMMA BGMMA; GROUP; 3
IADD.64 MOV.64 SEL.64 ISETP.S64 ISETP.U64 @120-; ALU; 3
`;

/**
 * Least cycles from setting a scoreboard for a result to the first wait on it, where they are more than elsewhere
 * (measured on ptxas 13.0.88: "9b; self 8b", "10b (DFMA→DFMA 6b)"): opcodes of the setter; to a waiter of the same pipe; to others.
 */
export const setToWaitText = `
DADD DMUL DFMA DSETP @75; 8; 9
DADD DMUL DFMA @80-89; 6; 10
DSETP @80-89; 6; 6
`;

/**
 * After how many cycles ptxas takes it that a result is there, or that operands are read: where a block ends no sooner, it
 * waits, which frees the scoreboard. Evidence: most cycles without and least with such a wait at the end of a block
 * (STS 9/10, LDG -/11, STG 17/21, MUFU -/15, LDCU -/10, S2R -/13, LDC 21/22, DFMA 4/9 and from sm_103 on -/2).
 * opcodes; side; cycles.
 */
export const settledText = `
STS; operands; 10
LDG; operands; 11
STG; operands; 20
MUFU; operands; 15
MUFU; result; 15
LDCU; result; 10
S2R; result; 13
LDC; result; 22
DADD DMUL DFMA @-89; result; 9
DADD DMUL DFMA @103-; result; 2
DADD DMUL DFMA @103-; operands; 2
`;
