/**
 * Capsules from machine words alone (see capmerc.ts): which words are one Mercury instruction, what it is, and how many bytes it has.
 * Everything is in the tables of capmerc-table.ts; a word that they do not know has no capsule.
 */
import { type Capsule, type CapsuleUnit, SEVERAL } from "./capmerc.js";
import { mercuryGroups, mercuryLines, standingSizes } from "./capmerc-table.js";

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

interface Field {
  readonly kind: string;
  readonly from: number;
  readonly length: number;
  readonly to: number;
  readonly width: number;
  readonly flags: number;
}

interface Key {
  readonly value: Uint32Array;
  readonly mask: Uint32Array;
}

interface Line extends Key {
  readonly low: boolean;
  /** Null: the word stands for itself. */
  readonly record: Uint8Array | null;
  readonly fields: readonly Field[];
}

/** 128 bits from hexadecimal digits, as four u32. */
function quad(hex: string): Uint32Array {
  const all = hex.padStart(32, "0");
  return Uint32Array.from([24, 16, 8, 0], (i) => Number.parseInt(all.slice(i, i + 8), 16));
}

const GUARD: Field = { kind: "g", from: 12, length: 4, to: 32, width: 8, flags: 0 };
const RZ = 255;
const PT = 7;

function parseField(text: string): Field {
  if (text === "g") return GUARD;
  if (text.startsWith("k>")) return { kind: "k", from: 0, length: 32, to: Number(text.slice(2)), width: 32, flags: 0 };
  const m = /^([rpbsm])(\d+)(?:\.(\d+))?>(\d+)(?:\/(\d))?(?:\.(\d+))?$/.exec(text);
  if (m === null) throw new Error(`capmerc table: field ${text}`);
  const kind = m[1]!;
  const length = kind === "r" ? 8 : kind === "p" ? 3 : Number(m[3]);
  const width = kind === "r" ? 10 : kind === "p" ? 5 : kind === "b" ? length : Number(m[6] ?? 32);
  return { kind, from: Number(m[2]), length, to: Number(m[4]), width, flags: Number(m[5] ?? 0) };
}

function parseLine(text: string): Line {
  const [, key, ...rest] = text.split(" ");
  const low = rest[0] === "low";
  const [item, ...fields] = low ? rest.slice(1) : rest;
  return { ...parseKey(key!), low, record: item === "1" ? null : hexBytes(item!), fields: fields.map(parseField) };
}

function parseKey(text: string): Key {
  const [value, mask] = text.split("/");
  return { value: quad(value!), mask: quad(mask!) };
}

function hexBytes(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g)!, (b) => Number.parseInt(b, 16));
}

/** Several words that are one Mercury instruction, or a word with what must follow it. */
interface Group {
  readonly words: number;
  readonly keys: readonly Key[];
  readonly record: Uint8Array;
  readonly fields: readonly Field[];
}

function parseGroup(text: string): Group {
  const [, words, ...rest] = text.split(" ");
  const keys = rest.filter((t) => t.includes("/") && !t.includes(">")).map(parseKey);
  const [item, ...fields] = rest.slice(keys.length);
  return { words: Number(words), keys, record: hexBytes(item!), fields: fields.map(parseField) };
}

interface Table {
  /** By opcode (bits 11:0) of the (first) word. */
  readonly lines: readonly (readonly Line[])[];
  readonly groups: readonly (readonly Group[])[];
}

let parsed: Table | null = null;

function table(): Table {
  if (parsed !== null) return parsed;
  const lines: Line[][] = Array.from({ length: 0x1000 }, () => []);
  const groups: Group[][] = Array.from({ length: 0x1000 }, () => []);
  for (const text of mercuryLines.trim().split("\n")) {
    const line = parseLine(text);
    lines[line.value[0]! & 0xfff]!.push(line);
  }
  for (const text of mercuryGroups.trim().split("\n")) {
    const group = parseGroup(text);
    groups[group.keys[0]!.value[0]! & 0xfff]!.push(group);
  }
  parsed = { lines, groups };
  return parsed;
}

/** Up to 32 bits of the word that starts at `base`, unsigned. */
function bits(words: Uint32Array, base: number, from: number, length: number): number {
  const at = base + (from >> 5);
  const shift = from & 31;
  let v = words[at]! >>> shift;
  if (shift > 0 && shift + length > 32) v |= words[at + 1]! << (32 - shift);
  return length === 32 ? v >>> 0 : (v & ((1 << length) - 1)) >>> 0;
}

function insert(record: Uint8Array, to: number, width: number, value: number): void {
  for (let i = 0; i < width; i++) {
    // Bits beyond 31 repeat the sign: shift counts are taken modulo 32.
    if ((value >> Math.min(i, 31)) & 1) record[(to + i) >> 3]! |= 1 << ((to + i) & 7);
  }
}

function holds(key: Key, words: Uint32Array, base: number): boolean {
  for (let k = 0; k < 4; k++) if ((words[base + k]! & key.mask[k]!) >>> 0 !== key.value[k]!) return false;
  return true;
}

/** False where the value cannot be expressed: a constant below the kernel's parameters. */
function fill(record: Uint8Array, f: Field, words: Uint32Array, base: number, paramBase: number): boolean {
  const v = bits(words, base, f.from, f.length);
  switch (f.kind) {
    case "g":
      insert(record, f.to, f.width, (v >> 3) | (((v & 7) === PT ? 31 : v & 7) << 3));
      return true;
    case "r":
      insert(record, f.to, f.width, v === RZ ? 1023 : v);
      if (v !== RZ) insert(record, f.to - 6, 6, f.flags);
      return true;
    case "p":
      insert(record, f.to, f.width, v === PT ? 31 : v);
      return true;
    case "s":
      insert(record, f.to, f.width, f.length === 32 ? v | 0 : (v << (32 - f.length)) >> (32 - f.length));
      return true;
    case "m":
      insert(record, f.to, f.width, v - paramBase);
      return v >= paramBase;
    default:
      insert(record, f.to, f.width, v);
      return true;
  }
}

/** A compare without carry whose predicate the upper half (`.EX`) takes. */
function lowerHalf(words: Uint32Array, index: number, count: number): boolean {
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

/** The words before the self-branch that closes a function. */
function bodyLength(words: Uint32Array): number {
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

interface SizeRule {
  readonly conditions: readonly { readonly from: number; readonly length: number; readonly value: number }[];
  readonly size: number;
}

let sizeRules: readonly (readonly SizeRule[])[] | null = null;

/** Rules by opcode; the first whose conditions hold gives the size. */
function sizes(): readonly (readonly SizeRule[])[] {
  if (sizeRules !== null) return sizeRules;
  const byOpcode: SizeRule[][] = Array.from({ length: 0x1000 }, () => []);
  for (const text of standingSizes.trim().split("\n")) {
    const [opcodes, size, ...conditions] = text.split(" ");
    const rule: SizeRule = {
      size: Number(size),
      conditions: conditions.map((c) => {
        const m = /^(\d+)\.(\d+)=([0-9a-f]+)$/.exec(c);
        if (m === null) throw new Error(`capmerc sizes: condition ${c}`);
        return { from: Number(m[1]), length: Number(m[2]), value: Number.parseInt(m[3]!, 16) };
      }),
    };
    for (const opcode of opcodes!.split(",")) byOpcode[Number.parseInt(opcode, 16)]!.push(rule);
  }
  sizeRules = byOpcode;
  return byOpcode;
}

/** Bytes of the Mercury instruction that a word stands for by itself; 0 for a word never measured. */
function standingSize(words: Uint32Array, base: number): number {
  const rule = sizes()[words[base]! & 0xfff]!.find((r) =>
    r.conditions.every((c) => bits(words, base, c.from, c.length) === c.value),
  );
  return rule?.size ?? 0;
}

/** Bytes of the Mercury instruction that an item stands for. */
function itemSize(item: Uint8Array): number {
  const size = (item[0]! & 15) * 16;
  return size > 0 && ((item[0]! >> 4) & 7) === SEVERAL ? (item[2]! & 15) * 16 : size;
}

function addressesOf(words: Uint32Array, units: readonly CapsuleUnit[]): Uint32Array | { readonly unknown: number } {
  const out = new Uint32Array(words.length / 4 + 1);
  let at = 0;
  for (const u of units) {
    out.fill(at, u.first, u.first + u.words);
    const size = u.item === null ? standingSize(words, u.first * 4) : itemSize(u.item);
    if (size === 0 && u.item === null) return { unknown: u.first };
    at += size;
  }
  out[out.length - 1] = at;
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
  /** The function calls others. */
  readonly calls?: boolean;
}

/** Item of a word that is no Mercury instruction. */
const generated: Uint8Array = Uint8Array.of((SEVERAL << 4) | (1 << 7), 0);

/**
 * Makes the units of one function. Kinds of instructions of several words are numbered as they appear: a finalizer must not
 * bring together lanes that wait at instructions of different kinds.
 */
class Derivation {
  readonly units: CapsuleUnit[] = [];
  private readonly kinds = new Map<string, number>();
  private readonly words: Uint32Array;
  private readonly end: number;
  private readonly options: CapsuleOptions;

  constructor(words: Uint32Array, end: number, options: CapsuleOptions) {
    this.words = words;
    this.end = end;
    this.options = options;
  }

  /** How many words from word `i` on became a unit; 0 where the true item is not known. */
  take(i: number): number {
    const { words, options } = this;
    const opcode = words[i * 4]! & 0xfff;
    if (options.compiled === true && opcode === NOP) return this.push(i, 1, generated);
    const group = table().groups[opcode]!.find((g) => this.matches(g, i));
    if (group !== undefined) return this.group(group, i);
    const low = lowerHalf(words, i, this.end);
    const line = table().lines[opcode]!.find((l) => l.low === low && holds(l, words, i * 4));
    if (line === undefined) return 0;
    if (line.record === null) return this.push(i, 1, null);
    const item = this.filled(line.record, line.fields, i);
    return item === null ? 0 : this.push(i, 1, item);
  }

  private push(first: number, words: number, item: Uint8Array | null): number {
    this.units.push({ first, words, item });
    return words;
  }

  private matches(g: Group, i: number): boolean {
    return g.keys.every((key, k) => {
      const at = k < g.words ? i + k : this.follower(i + k);
      return at < this.end && holds(key, this.words, at * 4);
    });
  }

  /** Where the compiler is known to bring lanes together for one instruction, others may have come between. */
  private follower(from: number): number {
    let i = from;
    if (this.options.compiled === true) while (i < this.end && !ends.includes(this.words[i * 4]! & 0xfff)) i++;
    return i;
  }

  private group(g: Group, i: number): number {
    const record = this.filled(g.record, g.fields, i);
    if (record === null) return 0;
    if (g.words === 1) return this.push(i, 1, record);
    const head = (SEVERAL << 4) | 1 | (g.words << 7);
    return this.push(i, g.words, Uint8Array.of(head & 0xff, head >> 8, ...record));
  }

  private filled(record: Uint8Array, fields: readonly Field[], i: number): Uint8Array | null {
    const item = Uint8Array.from(record);
    for (const f of fields) {
      if (f.kind === "k") {
        if (this.options.calls === true) return null;
        insert(item, f.to, f.width, this.kind(record, item));
      } else if (!fill(item, f, this.words, i * 4, this.options.paramBase)) return null;
    }
    return item;
  }

  private kind(record: Uint8Array, item: Uint8Array): number {
    // Bits 95:86 are the register result.
    const none = item[11] === 0xff && item[10]! >> 6 === 3;
    const name = `${record.subarray(0, 10).join()} ${none}`;
    const known = this.kinds.get(name);
    if (known !== undefined) return known;
    this.kinds.set(name, this.kinds.size);
    return this.kinds.size - 1;
  }
}

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
  const addresses = addressesOf(words, units);
  return "unknown" in addresses ? addresses : { textSection, units, addresses };
}
