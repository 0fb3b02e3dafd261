/**
 * The tables of capmerc-table.ts as lines: which words are one Mercury instruction, and how its record is filled from the
 * bits of the words.
 */
import { InternalError } from "../../errors.js";
import { mercuryKeys, mercuryLines } from "./capmerc-table.js";

interface Field {
  readonly kind: string;
  readonly from: number;
  readonly length: number;
  readonly to: number;
  readonly width: number;
  readonly flags: number;
  /** No word with the zero register there was measured. */
  readonly nonzero: boolean;
}

interface Key {
  readonly value: Uint32Array;
  readonly mask: Uint32Array;
}

/** What a unit of one or more words is. */
export interface Line {
  readonly keys: readonly Key[];
  readonly low: boolean;
  /** Opcode of the instruction for which lanes come together next, −1 for any. */
  readonly follower: number;
  /** Null: the word stands for itself (`size` bytes), or it is refused (`size` 0). */
  readonly record: Uint8Array | null;
  readonly size: number;
  /** ptxas writes other items for the same words, too. */
  readonly either: boolean;
  /** The same words also occur as instructions of their own. */
  readonly apart: boolean;
  /** Only in the code of this compiler. */
  readonly own: boolean;
  readonly fields: readonly Field[];
}

/** 128 bits from hexadecimal digits, as four u32. */
export function quad(hex: string): Uint32Array {
  const all = hex.padStart(32, "0");
  return Uint32Array.from([24, 16, 8, 0], (i) => Number.parseInt(all.slice(i, i + 8), 16));
}

const RZ = 255;
export const PT = 7;

function parseField(text: string): Field {
  const m = /^([grpbsmk])(\d+)?(?:\.(\d+))?(?:>(\d+))?(?:\/(\d+))?(?:\.(\d+))?(!)?$/.exec(text);
  if (m === null) throw new InternalError(`capmerc table: field ${text}`);
  const kind = m[1]!;
  const length = kind === "g" ? 4 : kind === "r" ? 8 : kind === "p" ? 3 : Number(m[3] ?? 32);
  const widths: Readonly<Record<string, number>> = { g: 8, r: 10, p: 5, b: length };
  return {
    kind,
    from: Number(m[2] ?? 12),
    length,
    to: Number(m[4] ?? 32),
    width: widths[kind] ?? Number(m[6] ?? 32),
    flags: Number(m[5] ?? 0),
    nonzero: m[7] !== undefined,
  };
}

/** `names`: keys that stand in many lines. */
function parseLine(text: string, names: ReadonlyMap<string, string>): Line {
  const [, ...rest] = text.split(" ");
  const keys: Key[] = [];
  while (rest.length > 0) {
    const key = names.get(rest[0]!) ?? rest[0]!;
    if (!/^[0-9a-f]+\/[0-9a-f]+$/.test(key)) break;
    const [value, mask] = key.split("/");
    keys.push({ value: quad(value!), mask: quad(mask!) });
    rest.shift();
  }
  const low = rest[0] === "low";
  if (low) rest.shift();
  const follower = rest[0]!.startsWith("next=") ? Number.parseInt(rest.shift()!.slice(5), 16) : -1;
  const m = /^([~|^]*)(\?|\d|[0-9a-f]{8,})$/.exec(rest.shift()!);
  if (m === null || keys.length === 0) throw new InternalError(`capmerc table: ${text}`);
  const item = m[2]!;
  return {
    keys,
    low,
    follower,
    record: item.length === 1 ? null : hexBytes(item),
    size: item.length === 1 ? Number(item.replace("?", "0")) * 16 : 0,
    either: m[1]!.includes("~"),
    apart: m[1]!.includes("|"),
    own: m[1]!.includes("^"),
    fields: rest.map(parseField),
  };
}

function hexBytes(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g)!, (b) => Number.parseInt(b, 16));
}

/** The lines by opcode (bits 11:0) of the first word; those of an opcode are read when it is first asked for. */
export class MercuryTable {
  private readonly text: string;
  /** Where lines start in the text, by opcode, in the order of the text: those of an opcode from `first[opcode]` on. */
  private readonly starts: Int32Array;
  private readonly first: Int32Array;
  private readonly read: Map<number, readonly Line[]> = new Map();
  private readonly names: ReadonlyMap<string, string>;

  /** Both texts as in capmerc-table.ts. */
  constructor(keys: string, text: string) {
    this.text = text;
    this.names = new Map(
      keys
        .trim()
        .split("\n")
        .map((l) => l.split(" ") as [string, string]),
    );
    const opcodeOf = new Map([...this.names].map(([name, key]) => [name, opcodeOfKey(key)]));
    const starts: number[] = [];
    const opcodes: number[] = [];
    this.first = new Int32Array(0x1001);
    for (let at = 0, end = 0; at < text.length; at = end + 1) {
      end = lineEnd(text, at);
      if (end === at) continue;
      const key = text.slice(text.indexOf(" ", at) + 1, text.indexOf(" ", text.indexOf(" ", at) + 1));
      const opcode = opcodeOf.get(key) ?? opcodeOfKey(key);
      if (Number.isNaN(opcode)) throw new InternalError(`capmerc table: ${text.slice(at, end)}`);
      starts.push(at);
      opcodes.push(opcode);
      this.first[opcode + 1]!++;
    }
    for (let opcode = 0; opcode < 0x1000; opcode++) this.first[opcode + 1]! += this.first[opcode]!;
    this.starts = new Int32Array(starts.length);
    const next = this.first.slice();
    starts.forEach((at, k) => {
      this.starts[next[opcodes[k]!]!++] = at;
    });
  }

  /** The first line that holds decides. */
  at(opcode: number): readonly Line[] {
    let lines = this.read.get(opcode);
    if (lines === undefined) {
      const texts = this.starts.subarray(this.first[opcode], this.first[opcode + 1]);
      lines = Array.from(texts, (at) => parseLine(this.text.slice(at, lineEnd(this.text, at)), this.names));
      this.read.set(opcode, lines);
    }
    return lines;
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** Bits 11:0 of `value/mask`. */
function opcodeOfKey(key: string): number {
  return Number.parseInt(key.slice(0, key.indexOf("/")).slice(-3), 16);
}

let parsed: MercuryTable | null = null;

export function committed(): MercuryTable {
  parsed ??= new MercuryTable(mercuryKeys, mercuryLines);
  return parsed;
}

/** Up to 32 bits of the word that starts at `base`, unsigned. */
export function bits(words: Uint32Array, base: number, from: number, length: number): number {
  const at = base + (from >> 5);
  const shift = from & 31;
  let v = words[at]! >>> shift;
  if (shift > 0 && shift + length > 32) v |= words[at + 1]! << (32 - shift);
  return length === 32 ? v >>> 0 : (v & ((1 << length) - 1)) >>> 0;
}

export function insert(record: Uint8Array, to: number, width: number, value: number): void {
  for (let i = 0; i < width; i++) {
    // Bits beyond 31 repeat the sign: shift counts are taken modulo 32.
    if ((value >> Math.min(i, 31)) & 1) record[(to + i) >> 3]! |= 1 << ((to + i) & 7);
  }
}

export function holds(key: Key, words: Uint32Array, base: number): boolean {
  for (let k = 0; k < 4; k++) if ((words[base + k]! & key.mask[k]!) >>> 0 !== key.value[k]!) return false;
  return true;
}

/** False where the value cannot be expressed: a constant below the kernel's parameters. */
export function fill(record: Uint8Array, f: Field, words: Uint32Array, base: number, paramBase: number): boolean {
  const v = bits(words, base, f.from, f.length);
  switch (f.kind) {
    case "g":
      insert(record, f.to, f.width, (v >> 3) | (((v & 7) === PT ? 31 : v & 7) << 3));
      return true;
    case "r":
      insert(record, f.to, f.width, v === RZ ? 1023 : v);
      if (v !== RZ) insert(record, f.to - 6, 6, f.flags);
      return v !== RZ || !f.nonzero;
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
