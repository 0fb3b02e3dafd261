/** What a cubin says of kernels that use tensor memory, as ptxas 13.0 says it on sm_100a, 103a and 110a. */
import type { MachineInst } from "../../isa/operand.js";

export interface TensorMemoryUse {
  /** Products, copies, arrivals, allocation for one CTA; with the help of a second. */
  readonly alone: boolean;
  readonly paired: boolean;
  /** Allocates or gives back: the driver prepares the reserved shared memory. */
  readonly allocates: boolean;
  /** Any of it, loads and stores alone, too. */
  readonly columns: boolean;
  /** Any of it, fences, too. */
  readonly any: boolean;
}

const allocation: ReadonlySet<string> = new Set(["UTCATOMSWS", "UVIRTCOUNT"]);
const units = /^UTC/;

export function tensorMemoryUse(insts: readonly MachineInst[]): TensorMemoryUse {
  let [alone, paired, allocates, columns, fences] = [false, false, false, false, false];
  for (const { form } of insts) {
    const { op, mods } = form;
    const isUnit = units.test(op) || op === "UVIRTCOUNT";
    if (isUnit && mods.includes("2CTA")) paired = true;
    else if (isUnit) alone = true;
    if (allocation.has(op)) allocates = true;
    if (units.test(op) || op === "LDTM" || op === "STTM") columns = true;
    if (op === "FENCE" && mods.includes("T")) fences = true;
  }
  return { alone, paired, allocates, columns, any: alone || paired || columns || fences };
}

/** AT_ENTRY_FRAGMENT_TMEM_CTA1_V2. */
export const ENTRY_FRAGMENT = 6;
/** EIATTR_VRC_CTA_INIT_COUNT of a kernel that touches tensor memory. */
export const VRC_COUNT = 0x80;
/** Bytes of reserved shared memory in which allocations are noted. */
export const PARTITION_BYTES = 0x20;
