/** `.nv.info` records: a tag of four bytes, for format 4 followed by a payload (measured on ptxas 13.0.88, names from wiki pages 59 and 71). */
import { fail, ok, type Result } from "../../result.js";
import { elfError, roundUp, view } from "../elf64.js";
import { infoNames } from "./attributes.js";

/** How a record holds its value: 1 no value, 2 one byte, 3 two bytes, 4 sized payload. */
export type InfoFormat = 1 | 2 | 3 | 4;

/** A record of `.nv.info`. */
export interface InfoRecord {
  /** EIATTR_* number. */
  readonly code: number;
  /** `REGCOUNT`, `KPARAM_INFO`…; `0x61` when the code has no name. */
  readonly name: string;
  /** How its value is stored. */
  readonly format: InfoFormat;
  /** The value of formats 2 and 3, 0 otherwise. */
  readonly value: number;
  /** The payload of format 4 (without padding), empty otherwise. */
  readonly payload: Uint8Array;
}

const none: Uint8Array = new Uint8Array(0);

export function infoName(code: number): string {
  return infoNames[code] ?? `0x${code.toString(16).padStart(2, "0")}`;
}

/** Splits the bytes of `.nv.info` or `.nv.compat` into records. */
export function decodeInfo(bytes: Uint8Array): Result<InfoRecord[]> {
  const v = view(bytes);
  const records: InfoRecord[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (bytes.length - at < 4) return fail([elfError(`truncated attribute at byte ${at}`)]);
    const format = v.getUint8(at);
    const code = v.getUint8(at + 1);
    const half = v.getUint16(at + 2, true);
    if (format < 1 || format > 4) return fail([elfError(`attribute at byte ${at} has the unknown format ${format}`)]);
    const sized = format === 4 ? half : 0;
    if (sized > bytes.length - at - 4) return fail([elfError(`truncated attribute at byte ${at}`)]);
    records.push({
      code,
      name: infoName(code),
      format: format as InfoFormat,
      value: format === 2 ? half & 0xff : format === 3 ? half : 0,
      payload: format === 4 ? bytes.subarray(at + 4, at + 4 + sized) : none,
    });
    at += 4 + roundUp(sized, 4);
  }
  return ok(records);
}

/** The inverse of `decodeInfo`. */
export function encodeInfo(records: readonly InfoRecord[]): Uint8Array {
  const size = records.reduce((n, r) => n + 4 + roundUp(r.payload.length, 4), 0);
  const out = new Uint8Array(size);
  const v = view(out);
  let at = 0;
  for (const r of records) {
    v.setUint8(at, r.format);
    v.setUint8(at + 1, r.code);
    v.setUint16(at + 2, r.format === 4 ? r.payload.length : r.value, true);
    out.set(r.payload, at + 4);
    at += 4 + roundUp(r.payload.length, 4);
  }
  return out;
}

/** A record without a value. */
export function flagRecord(code: number): InfoRecord {
  return { code, name: infoName(code), format: 1, value: 0, payload: none };
}

export function byteRecord(code: number, value: number): InfoRecord {
  return { code, name: infoName(code), format: 2, value, payload: none };
}

export function halfRecord(code: number, value: number): InfoRecord {
  return { code, name: infoName(code), format: 3, value, payload: none };
}

/** A record whose payload is u32 words. */
export function wordsRecord(code: number, words: readonly number[]): InfoRecord {
  const payload = new Uint8Array(words.length * 4);
  const v = view(payload);
  words.forEach((w, i) => {
    v.setUint32(i * 4, w >>> 0, true);
  });
  return { code, name: infoName(code), format: 4, value: 0, payload };
}

/** The payload as u32 words; a rest below four bytes is left out. */
export function infoWords(record: InfoRecord): number[] {
  const v = view(record.payload);
  const words: number[] = [];
  for (let at = 0; at + 4 <= record.payload.length; at += 4) words.push(v.getUint32(at, true));
  return words;
}
