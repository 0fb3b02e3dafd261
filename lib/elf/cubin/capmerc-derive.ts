/**
 * Capsules from machine words alone (see capmerc.ts): which words are one Mercury instruction, what it is, and how many bytes it has.
 * Everything is in the tables (capmerc-lines.ts); a word that they do not know has no capsule.
 */
import { type Capsule, type CapsuleUnit, SEVERAL } from "./capmerc.js";
import { bits, committed, fill, holds, insert, type Line, type MercuryTable, PT } from "./capmerc-lines.js";

const SELF_BRANCH = 0x947;
const NOP = 0x918;
const ISETP: readonly number[] = [0x20c, 0x80c, 0xc0c, 0x28c, 0x88c];

/** Instructions that lanes execute together (VOTE, SHFL, MATCH, REDUX, WARPSYNC), and those that end straight code. */
const ends: readonly number[] = [
  0x806, 0x389, 0x589, 0x989, 0xf89, 0x3a1, 0x3c4, 0x348, 0x948, 0x941, 0x945, 0x947, 0x949, 0x94d, 0x950, 0x943, 0x944,
];

/** A capsule made from words, with the addresses that all other sections of Mercury count in. */
export interface DerivedCapsule extends Capsule {
  /**
   * Byte address of every word among the Mercury instructions and, last, of the end. An instruction of several words gives all
   * of them its address; what is no Mercury instruction has the address of the next.
   */
  readonly addresses: Uint32Array;
}

/** A compare without carry whose predicate the upper half (`.EX`) takes. */
export function lowerHalf(words: Uint32Array, index: number, count: number): boolean {
  const base = index * 4;
  if (!ISETP.includes(words[base]! & 0xfff) || bits(words, base, 72, 1) === 1) return false;
  const predicate = bits(words, base, 81, 3);
  if (predicate === PT) return false;
  for (let i = index + 1; i < count; i++) {
    const at = i * 4;
    if (!ISETP.includes(words[at]! & 0xfff)) continue;
    if (bits(words, at, 72, 1) === 1 && bits(words, at, 68, 4) === predicate) return true;
    if (bits(words, at, 81, 3) === predicate) return false;
  }
  return false;
}

/** The next word from `from` on that ends straight code or that lanes execute together. */
export function follower(words: Uint32Array, from: number, end: number): number {
  let i = from;
  while (i < end && !ends.includes(words[i * 4]! & 0xfff)) i++;
  return i;
}

/** The words before the self-branch that closes a function. */
export function bodyLength(words: Uint32Array): number {
  let end = words.length / 4;
  while (end > 0 && (words[(end - 1) * 4]! & 0xfff) === NOP) end--;
  const branch = (end - 1) * 4;
  const itself =
    end > 0 &&
    (words[branch]! & 0xfff) === SELF_BRANCH &&
    words[branch + 1] === 0xfffffffc &&
    words[branch]! >>> 16 === 0xfc;
  return itself ? end - 1 : end;
}

/** Bytes of the Mercury instruction that an item stands for. */
function itemSize(item: Uint8Array): number {
  const size = (item[0]! & 15) * 16;
  return size > 0 && ((item[0]! >> 4) & 7) === SEVERAL ? (item[2]! & 15) * 16 : size;
}

/** `sizes`: bytes of the units that stand for themselves. */
function addressesOf(count: number, units: readonly CapsuleUnit[], sizes: Uint8Array): Uint32Array {
  const out = new Uint32Array(count + 1);
  let at = 0;
  for (const u of units) {
    out.fill(at, u.first, u.first + u.words);
    at += u.item === null ? sizes[u.first]! : itemSize(u.item);
  }
  out[count] = at;
  return out;
}

export interface CapsuleOptions {
  /** Where the kernel's parameters begin in bank 0. */
  readonly paramBase: number;
  /**
   * What the words do not tell, but is so in the code of this compiler: NOPs are padding, no instructions of the program; WARPSYNC of
   * a register belongs to the next instruction that lanes execute together.
   */
  readonly compiled?: boolean;
  /** Where ptxas writes different items for the same words, the most frequent is taken; without this, such words are not known. */
  readonly likely?: boolean;
  /** The function calls others. */
  readonly calls?: boolean;
  /** Another table than the committed one. */
  readonly table?: MercuryTable;
}

/** Item of a word that is no Mercury instruction. */
export const GENERATED: Uint8Array = Uint8Array.of((SEVERAL << 4) | (1 << 7), 0);

/**
 * Makes the units of one function. Kinds of instructions of several words are numbered as they appear: a finalizer must not
 * bring together lanes that wait at instructions of different kinds.
 */
class Derivation {
  readonly units: CapsuleUnit[] = [];
  /** By word: bytes of the Mercury instruction that it stands for by itself. */
  readonly sizes: Uint8Array;
  private readonly kinds = new Map<string, number>();
  private readonly words: Uint32Array;
  private readonly end: number;
  private readonly options: CapsuleOptions;
  private readonly table: MercuryTable;

  constructor(words: Uint32Array, end: number, options: CapsuleOptions) {
    this.words = words;
    this.end = end;
    this.options = options;
    this.table = options.table ?? committed();
    this.sizes = new Uint8Array(end);
  }

  /** How many words from word `i` on became a unit; 0 where the true item is not known. */
  take(i: number): number {
    const { words, options } = this;
    const opcode = words[i * 4]! & 0xfff;
    if (options.compiled === true && opcode === NOP) return this.push(i, 1, GENERATED);
    const low = lowerHalf(words, i, this.end);
    const line = this.table.at(opcode).find((l) => this.matches(l, i, low));
    if (line === undefined) return 0;
    if (options.compiled !== true && options.likely !== true && (line.either || line.apart)) return 0;
    const count = line.keys.length;
    if (line.record === null) {
      if (line.size === 0) return 0;
      this.sizes[i] = line.size;
      return this.push(i, 1, null);
    }
    const record = this.filled(line, i);
    if (record === null) return 0;
    if (count === 1) return this.push(i, 1, record);
    const head = (SEVERAL << 4) | 1 | (count << 7);
    return this.push(i, count, Uint8Array.of(head & 0xff, head >> 8, ...record));
  }

  /** Notes the size of a word that is known to stand for itself; false where no line says it. */
  standsAlone(i: number): boolean {
    const low = lowerHalf(this.words, i, this.end);
    const holding = this.table
      .at(this.words[i * 4]! & 0xfff)
      .find((l) => l.record === null && l.size > 0 && l.low === low && holds(l.keys[0]!, this.words, i * 4));
    if (holding === undefined) return false;
    this.sizes[i] = holding.size;
    return true;
  }

  private push(first: number, words: number, item: Uint8Array | null): number {
    this.units.push({ first, words, item });
    return words;
  }

  private matches(l: Line, i: number, low: boolean): boolean {
    if (l.low !== low || i + l.keys.length > this.end) return false;
    const { compiled, likely } = this.options;
    if (compiled === true ? l.apart : l.own || (l.apart && likely === true)) return false;
    for (let k = 0; k < l.keys.length; k++) if (!holds(l.keys[k]!, this.words, (i + k) * 4)) return false;
    if (l.follower < 0) return true;
    const next = follower(this.words, i + 1, this.end);
    return next < this.end && (this.words[next * 4]! & 0xfff) === l.follower;
  }

  private filled(line: Line, i: number): Uint8Array | null {
    const item = Uint8Array.from(line.record!);
    for (const f of line.fields)
      if (f.kind !== "k" && !fill(item, f, this.words, i * 4, this.options.paramBase)) return null;
    const number = line.fields.find((f) => f.kind === "k");
    if (number === undefined) return item;
    if (this.options.calls === true) return null;
    insert(item, number.to, number.width, this.kind(item));
    return item;
  }

  private kind(item: Uint8Array): number {
    // Bits 95:86 are the register result.
    const none = item[11] === 0xff && item[10]! >> 6 === 3;
    const name = `${item.subarray(0, 10).join()} ${none}`;
    const known = this.kinds.get(name);
    if (known !== undefined) return known;
    this.kinds.set(name, this.kinds.size);
    return this.kinds.size - 1;
  }
}

/**
 * Addresses of the words of a function whose units are known (`DerivedCapsule.addresses`) and that has `size` bytes of Mercury; null where
 * the tables do not agree. Words that stand for themselves and are in no table (calls) have 16 or 32 bytes, all of an opcode the same: taken
 * when the size leaves one way only.
 */
export function unitAddresses(
  words: Uint32Array,
  units: readonly CapsuleUnit[],
  options: { readonly paramBase: number; readonly size: number },
): Uint32Array | null {
  const made = new Derivation(words, bodyLength(words), options);
  const unknown = new Map<number, number[]>();
  for (const { first, item } of units) {
    if (item !== null || made.standsAlone(first)) continue;
    const opcode = words[first * 4]! & 0xfff;
    const list = unknown.get(opcode);
    if (list === undefined) unknown.set(opcode, [first]);
    else list.push(first);
  }
  const places = [...unknown.values()];
  const found: Uint32Array[] = [];
  if (places.length > MOST_UNKNOWN) return null;
  for (let way = 0; way < 1 << places.length; way++) {
    places.forEach((list, k) => {
      for (const i of list) made.sizes[i] = (way >> k) & 1 ? 32 : 16;
    });
    const addresses = addressesOf(words.length / 4, units, made.sizes);
    if (addresses[words.length / 4] === options.size) found.push(addresses);
  }
  return found.length === 1 ? found[0]! : null;
}

/** Opcodes whose sizes are looked for together. */
const MOST_UNKNOWN = 4;

/**
 * The capsule of a function's words, or the index of the first whose true item is not known: then there must be none, for a
 * finalizer would trust it.
 */
export function capsuleOf(
  words: Uint32Array,
  textSection: number,
  options: CapsuleOptions,
): DerivedCapsule | { readonly unknown: number } {
  const end = bodyLength(words);
  const made = new Derivation(words, end, options);
  for (let i = 0; i < end; ) {
    const taken = made.take(i);
    if (taken === 0) return { unknown: i };
    i += taken;
  }
  const { units } = made;
  const rest = words.length / 4 - end;
  if (rest === 0) return { unknown: end };
  const tail = (SEVERAL << 4) | (rest << 7);
  units.push({ first: end, words: rest, item: Uint8Array.of(tail & 0xff, tail >> 8) });
  return { textSection, units, addresses: addressesOf(words.length / 4, units, made.sizes) };
}
