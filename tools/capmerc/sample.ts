/** Units of one layout as the fit sees them: bits of the words, the record, what is left to explain. */
import type { Unit } from "./evidence.js";
import { bitsAt, type Shape } from "./shape.js";

const ENDCOLLECTIVE = 0x91b;

export interface Sample {
  readonly bits: Uint32Array;
  readonly item: Uint8Array | null;
  /** Name of the record with its length, or the number of bytes where the word stands for itself. */
  readonly label: string;
  readonly count: number;
  /** Other units with these words have another item. */
  readonly either: boolean;
  /** What operands and copied bits do not explain. */
  rest: string;
  /** By register operand: the six bits below it in the record. */
  flags: number[];
}

/** The record of an item: what follows the count of words. */
const recordOf = (item: Uint8Array): Uint8Array => (((item[0]! >> 4) & 7) === 5 ? item.subarray(2) : item);

/** Lanes are brought together for one instruction: the last 32 bits of the record number the kinds of such in a function. */
export const numbered = (words: readonly Uint32Array[]): boolean =>
  words.length > 1 && (words.at(-1)![0]! & 0xfff) === ENDCOLLECTIVE;

/** One sample for units with the same words: the most frequent item; of equals the greater, where scopes are wider. */
export function samplesOf(units: readonly Unit[], shape: Shape): Sample[] {
  const by = new Map<string, Unit[]>();
  for (const u of units) {
    const key = u.words.map((w) => w.join()).join();
    const list = by.get(key);
    if (list === undefined) by.set(key, [u]);
    else list.push(u);
  }
  return [...by.values()].map((list) => {
    const u = list.reduce((best, x) =>
      x.count > best.count || (x.count === best.count && x.item > best.item) ? x : best,
    );
    const bits = new Uint32Array(u.words.length * 4);
    u.words.forEach((w, k) => {
      bits.set(w, k * 4);
    });
    const item = u.item === "1" ? null : Uint8Array.from(Buffer.from(u.item, "hex"));
    const record = item === null ? null : recordOf(item);
    if (record !== null && numbered(u.words)) record.fill(0, record.length - 4);
    // Offsets in bank 0 count from the parameters, those in other banks from their beginning.
    const bank = shape.bank === null ? "" : ` ${bitsAt(bits, shape.bank.from, shape.bank.length)}`;
    const label =
      record === null ? `${u.size}` : `${Buffer.from(record.subarray(0, 4)).toString("hex")} ${record.length}${bank}`;
    const either = new Set(list.map((x) => (numbered(x.words) ? x.item.slice(0, -8) : x.item))).size > 1;
    return { bits, item: record, label, count: u.count, either, rest: "", flags: [] };
  });
}
