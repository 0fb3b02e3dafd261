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
  private readonly texts: string[][] = Array.from({ length: 0x1000 }, () => []);
  private readonly read: (readonly Line[] | undefined)[] = new Array(0x1000).fill(undefined);
  private readonly names: ReadonlyMap<string, string>;

  /** Both texts as in capmerc-table.ts. */
  constructor(keys: string, text: string) {
    this.names = new Map(
      keys
        .trim()
        .split("\n")
        .map((l) => l.split(" ") as [string, string]),
    );
    for (const one of text.trim().split("\n")) {
      const first = one.split(" ", 2)[1] ?? "";
      const key = this.names.get(first) ?? first;
      const opcode = Number.parseInt(key.slice(0, key.indexOf("/")).slice(-3), 16);
      if (Number.isNaN(opcode)) throw new InternalError(`capmerc table: ${one}`);
      this.texts[opcode]!.push(one);
    }
  }

  /** The first line that holds decides. */
  at(opcode: number): readonly Line[] {
    let lines = this.read[opcode];
    if (lines === undefined) {
      lines = this.texts[opcode]!.map((one) => parseLine(one, this.names));
      this.read[opcode] = lines;
    }
    return lines;
  }
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
