/** Instructions whose results go to the registers of some lanes only. */
import type { Form } from "./types.js";

const UPPER_LANES = "16dp32bit_t16_t31";

/**
 * It writes the registers of some lanes, and those of the others stay: the second half of a load of two from tensor memory, which ptxas 13.0.88
 * has on the same registers as the first.
 */
export const writesSomeLanes = ({ op, mods }: Form): boolean => op === "LDTM" && mods.includes(UPPER_LANES);
