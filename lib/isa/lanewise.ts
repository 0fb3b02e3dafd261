/**
 * Instructions that compute the results of each lane from the operands of that lane and from constant banks, and do nothing
 * else: where they stand, and how often they run, shows in no result. Not here: what reads the state of the machine (S2R, CS2R),
 * what lanes do together (SHFL, VOTE, MATCH, REDUX, matrix products), and the uniform datapath, which runs once for all lanes.
 */
import type { Form } from "./types.js";

const mnemonics: ReadonlySet<string> = new Set(
  [
    "MOV SEL PRMT LDC",
    "IADD IADD3 IADD32I VIADD IMAD IMUL LEA IABS IMNMX VIMNMX VIMNMX3 IDP",
    "LOP3 SHF SHL SHR BMSK SGXT BREV FLO POPC",
    "ISETP PLOP3",
    "FADD FMUL FFMA FSEL FSETP FMNMX FMNMX3 FCHK MUFU",
    "DADD DMUL DFMA DSETP",
    "HADD2 HMUL2 HFMA2 HMNMX2 HSETP2 HSET2",
    "I2F I2FP F2I F2F F2FP FRND I2I I2IP",
  ].flatMap((line) => line.split(" ")),
);

/** The instruction may be made later, earlier, again or not at all: only its operands and its guard matter. */
export function isLanewise(form: Form): boolean {
  return mnemonics.has(form.op) && !form.sideEffect && !form.pseudo && form.flow === "next";
}
