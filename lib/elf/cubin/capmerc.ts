/**
 * Capsule Mercury (`.nv.capmerc.text.NAME`, sm_100 on): what a finalizer needs to make the code of one SM run on another of its family.
 *
 * A word of the text tells most of what the compiler's own instruction (Mercury) was, but not all: `S2R`, `LDC c[0][0x360]` and
 * `CS2R` are one Mercury instruction, a NOP or the loop that closes a function are none, `WARPSYNC.COLLECTIVE SHFL ENDCOLLECTIVE`
 * are one. So the capsule says for every instruction whether its word stands for itself, and gives an item if not:
 *
 *     u32 index of the text section · u32 0xc0000001 · u32 n · n bits (1: the word stands for itself) · zeros to 4 bytes · items
 *
 * The first byte of an item: bits 3:0 the size of its record in units of 16 bytes (0: no Mercury instruction), bits 6:4 the form
 *
 *     0  the whole record, 16 or 32 bytes
 *     4  four bytes of it, which name the instruction; the word tells the operands
 *     5  a u16: from bit 7 on the number of words that the instruction becomes; its record follows, unless the size is 0
 *
 * Measured: nvlink 13.0.88 finalizes sm_100 for sm_103 where `.nv.compat` does not excuse it (CAN_FASTPATH_FINALIZE bit 3), and
 * then drops words of loads from bank 0 and of S2R that are said to stand for themselves; with ptxas's items it gives ptxas's words.
 */
import { view } from "../elf64.js";
import { mercuryLines } from "./capmerc-table.js";

const MAGIC = 0xc0000001;
const CUT = 4;
const SEVERAL = 5;
const SELF_BRANCH = 0x947;
const NOP = 0x918;
const ISETP: readonly number[] = [0x20c, 0x80c, 0xc0c, 0x28c, 0x88c];

export interface CapsuleUnit {
  /** The first word and how many there are. */
  readonly first: number;
  readonly words: number;
  /** Null where the word stands for itself. */
  readonly item: Uint8Array | null;
}

export interface Capsule {
  readonly textSection: number;
  readonly units: readonly CapsuleUnit[];
}

/** Bytes of the item at `at`, including the record behind a count; 0 for a form that was never seen. */
function itemLength(bytes: Uint8Array, at: number): number {
  const head = bytes[at]!;
  const form = (head >> 4) & 7;
  const size = head & 15;
  if (form === 0) return size === 1 || size === 2 ? size * 16 : 0;
  if (form === CUT) return 4;
  if (form !== SEVERAL) return 0;
  if (size === 0) return 2;
  const rest = at + 2 < bytes.length && ((bytes[at + 2]! >> 4) & 7) !== SEVERAL ? itemLength(bytes, at + 2) : 0;
  return rest === 0 ? 0 : 2 + rest;
}

/** Null if the bytes are not what the head of this file describes. */
export function readCapsule(bytes: Uint8Array): Capsule | null {
  if (bytes.length < 12) return null;
  const v = view(bytes);
  if (v.getUint32(4, true) !== MAGIC) return null;
  const count = v.getUint32(8, true);
  let at = align4(12 + Math.ceil(count / 8));
  if (at > bytes.length) return null;
  const units: CapsuleUnit[] = [];
  let first = 0;
  for (let i = 0; i < count; i++) {
    let item: Uint8Array | null = null;
    let words = 1;
    if (((bytes[12 + (i >> 3)]! >> (i & 7)) & 1) === 0) {
      const length = at < bytes.length ? itemLength(bytes, at) : 0;
      if (length === 0 || at + length > bytes.length) return null;
      item = bytes.subarray(at, at + length);
      if (((item[0]! >> 4) & 7) === SEVERAL) words = (item[0]! | (item[1]! << 8)) >> 7;
      at += length;
    }
    units.push({ first, words, item });
    first += words;
  }
  return at === bytes.length ? { textSection: v.getUint32(0, true), units } : null;
}

export function writeCapsule(capsule: Capsule): Uint8Array {
  const { units } = capsule;
  const start = align4(12 + Math.ceil(units.length / 8));
  const out = new Uint8Array(units.reduce((sum, u) => sum + (u.item?.length ?? 0), start));
  const v = view(out);
  v.setUint32(0, capsule.textSection, true);
  v.setUint32(4, MAGIC, true);
  v.setUint32(8, units.length, true);
  let at = start;
  units.forEach((u, i) => {
    if (u.item === null) out[12 + (i >> 3)]! |= 1 << (i & 7);
    else {
      out.set(u.item, at);
      at += u.item.length;
    }
  });
  return out;
}

function align4(n: number): number {
  return (n + 3) & ~3;
}

// ---------------------------------------------------------------------------------------------------- items from words

interface Field {
  readonly kind: string;
  readonly from: number;
  readonly length: number;
  readonly to: number;
  readonly width: number;
  readonly flags: number;
}

interface Line {
  readonly value: Uint32Array;
  readonly mask: Uint32Array;
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
  const [value, mask] = key!.split("/");
  return {
    value: quad(value!),
    mask: quad(mask!),
    low,
    record: item === "1" ? null : Uint8Array.from(item!.match(/../g)!, (b) => Number.parseInt(b, 16)),
    fields: fields.map(parseField),
  };
}

let parsed: readonly (readonly Line[])[] | null = null;

/** Lines by opcode (bits 11:0). */
function lines(): readonly (readonly Line[])[] {
  if (parsed !== null) return parsed;
  const byOpcode: Line[][] = Array.from({ length: 0x1000 }, () => []);
  for (const text of mercuryLines.trim().split("\n")) {
    const line = parseLine(text);
    byOpcode[line.value[0]! & 0xfff]!.push(line);
  }
  parsed = byOpcode;
  return byOpcode;
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

function holds(line: Line, words: Uint32Array, base: number, low: boolean): boolean {
  if (line.low !== low) return false;
  for (let k = 0; k < 4; k++) if ((words[base + k]! & line.mask[k]!) >>> 0 !== line.value[k]!) return false;
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

/**
 * The capsule of a function's words, or the index of the first whose true item is not known: then there must be none, for a
 * finalizer would trust it. `paramBase`: where the kernel's parameters begin in bank 0.
 */
export function capsuleOf(
  words: Uint32Array,
  textSection: number,
  paramBase: number,
): Capsule | { readonly unknown: number } {
  const table = lines();
  const end = bodyLength(words);
  const units: CapsuleUnit[] = [];
  for (let i = 0; i < end; i++) {
    const base = i * 4;
    const low = lowerHalf(words, i, end);
    const line = table[words[base]! & 0xfff]!.find((l) => holds(l, words, base, low));
    if (line === undefined) return { unknown: i };
    const item = line.record === null ? null : Uint8Array.from(line.record);
    if (item !== null) for (const f of line.fields) if (!fill(item, f, words, base, paramBase)) return { unknown: i };
    units.push({ first: i, words: 1, item });
  }
  const rest = words.length / 4 - end;
  if (rest === 0) return { unknown: end };
  const tail = (SEVERAL << 4) | (rest << 7);
  units.push({ first: end, words: rest, item: Uint8Array.of(tail & 0xff, tail >> 8) });
  return { textSection, units };
}
