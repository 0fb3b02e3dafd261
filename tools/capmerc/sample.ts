/** Units of one layout as the fit sees them: bits of the words, the record, what is left to explain. */
import { bitOf, PT, RZ } from "./bits.js";
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
export function samplesOf(all: readonly Unit[], shape: Shape): Sample[] {
  const { units, spelled } = usualUnits(all, shape);
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
    const items = new Set(list.map((x) => (numbered(x.words) ? x.item.slice(0, -8) : x.item)));
    const either = items.size > 1 || spelled.has(manner(u, shape));
    return { bits, item: record, label, count: u.count, either, rest: "", flags: [] };
  });
}

/** What of words of one layout is no free operand: modifiers, and which operands are RZ or PT. */
function manner(u: Unit, shape: Shape): string {
  let text = "";
  u.words.forEach((w, k) => {
    for (const b of shape.rest) if (b >> 7 === k) text += bitOf(w, b & 127);
    for (const { kind, from, length } of shape.operands) {
      if (from >> 7 !== k || kind === "label" || kind === "n") continue;
      text += bitsAt(w, from & 127, length) === (kind === "r" ? RZ : PT) ? "z" : "x";
    }
  });
  return text;
}

/**
 * Rare spellings of words that are usually spelled otherwise are left out; `spelled`: the manners of such words. (`and.b32` and
 * `lop3.b32` with the table of AND are two Mercury instructions and become equal words.)
 */
function usualUnits(all: readonly Unit[], shape: Shape): { units: readonly Unit[]; spelled: ReadonlySet<string> } {
  const spelled = new Set<string>();
  if (!all.some((u) => u.rare)) return { units: all, spelled };
  const form = (u: Unit): string => (u.item.length < 8 ? `${u.item} ${u.size}` : u.item.slice(0, 8));
  const usual = new Map<string, Set<string>>();
  for (const u of all) {
    if (u.rare) continue;
    const m = manner(u, shape);
    usual.set(m, (usual.get(m) ?? new Set()).add(form(u)));
  }
  const units = all.filter((u) => {
    if (!u.rare) return true;
    const m = manner(u, shape);
    const forms = usual.get(m);
    if (forms === undefined || forms.has(form(u))) return true;
    spelled.add(m);
    return false;
  });
  return { units, spelled };
}
