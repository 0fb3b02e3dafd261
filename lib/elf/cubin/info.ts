/** `.nv.info` records: a tag of four bytes, for format 4 followed by a payload (digest G §1B, §2M.5). */
import { InternalError } from "../../errors.js";
import type { Result } from "../../result.js";

/** How a record holds its value: 1 no value, 2 one byte, 3 two bytes, 4 sized payload. */
export type InfoFormat = 1 | 2 | 3 | 4;

export interface InfoRecord {
  readonly code: number;
  /** `REGCOUNT`, `KPARAM_INFO`…; `0x61` when the code has no name. */
  readonly name: string;
  readonly format: InfoFormat;
  /** The value of formats 2 and 3, 0 otherwise. */
  readonly value: number;
  /** The payload of format 4 (without padding), empty otherwise. */
  readonly payload: Uint8Array;
}

/** Splits the bytes of `.nv.info` or `.nv.compat` into records. */
export function decodeInfo(_bytes: Uint8Array): Result<InfoRecord[]> {
  throw new InternalError("not built: decodeInfo");
}
