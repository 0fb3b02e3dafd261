/**
 * Lines of the table from evidence. Units of one layout (shape.ts) and one record name share the places to which operands go; what is left
 * must follow from modifiers: copied bits first, then a tree of tests until all units of a leaf agree. A leaf covers only words whose
 * modifiers have values seen there; where a test on an equal value has no line for a word, a line `?` refuses it.
 */

import type { Unit } from "./evidence.js";
import { bitsAt, type Operand, type Shape, shapeOf, WORD } from "./shape.js";

const PARAM_BASE = 0x380;
const RZ = 255;
const PT = 7;
const ENDCOLLECTIVE = 0x91b;
const RECORD_START = 40;

interface Sample {
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

interface Move {
  readonly operand: Operand;
  readonly kind: "r" | "p" | "b" | "s" | "m" | "g";
  readonly to: number;
  readonly width: number;
}

interface Copy {
  readonly from: number;
  readonly to: number;
  length: number;
}

export interface Leaf {
  readonly shape: Shape;
  readonly context: string;
  readonly mask: Uint32Array;
  readonly value: Uint32Array;
  /** `?` refuses. */
  readonly item: string;
  readonly either: boolean;
  readonly fields: readonly string[];
  readonly samples: number;
  /** For code of our own compiler only. */
  readonly own?: boolean;
}

const bitOf = (w: Uint32Array | Uint8Array, b: number): number =>
  w instanceof Uint8Array ? (w[b >> 3]! >> (b & 7)) & 1 : (w[b >> 5]! >>> (b & 31)) & 1;
const setBit = (w: Uint32Array, b: number): void => {
  w[b >> 5] = (w[b >> 5]! | (1 << (b & 31))) >>> 0;
};
const clear = (r: Uint8Array, from: number, length: number): void => {
  for (let b = from; b < from + length; b++) r[b >> 3]! &= ~(1 << (b & 7));
};
const recordBits = (r: Uint8Array, from: number, length: number): number => {
  let v = 0;
  for (let i = length - 1; i >= 0; i--) v = v * 2 + (from + i < r.length * 8 ? bitOf(r, from + i) : 0);
  return v;
};

/** The record of an item: what follows the count of words. */
const recordOf = (item: Uint8Array): Uint8Array => (((item[0]! >> 4) & 7) === 5 ? item.subarray(2) : item);

export function fitAll(units: readonly Unit[]): Leaf[] {
  const parts = new Map<string, { shape: Shape; context: string; units: Unit[] }>();
  for (const u of units) {
    const generated = u.item.length === 4;
    if (generated || (u.item === "1" && u.size === 0)) continue;
    const shape = shapeOf(u.words);
    if (shape === null) continue;
    const key = `${shape.name} | ${u.context}`;
    const part = parts.get(key);
    if (part === undefined) parts.set(key, { shape, context: u.context, units: [u] });
    else part.units.push(u);
  }
  return [...parts.keys()].sort().flatMap((key) => {
    const { shape, context, units: list } = parts.get(key)!;
    return new Fit(shape, context, samplesOf(list, shape)).leaves();
  });
}

const LDS = 0x984;
const MEMBAR = 0x992;
const NOP = 0x918;

/**
 * Lines for the code of our own compiler: ptxas puts dummy loads and MEMBAR.ALL.CTA before what waits for all memory accesses, and a NOP
 * behind some; without them it is the same instruction.
 */
export function withoutFillers(leaves: readonly Leaf[]): Leaf[] {
  const out: Leaf[] = [];
  for (const l of leaves) {
    const ops = Array.from({ length: l.shape.words }, (_, k) => l.value[k * 4]! & 0xfff);
    if (l.item === "?" || !ops.includes(MEMBAR)) continue;
    let from = 0;
    while (ops[from] === LDS) from++;
    if (ops[from] === MEMBAR && ops[from + 1] === MEMBAR) from++;
    let to = ops.length;
    while (ops[to - 1] === NOP) to--;
    if (from === 0 && to === ops.length) continue;
    out.push({
      ...l,
      shape: { ...l.shape, words: to - from },
      mask: l.mask.slice(from * 4, to * 4),
      value: l.value.slice(from * 4, to * 4),
      fields: l.fields.map((f) =>
        f.replace(/^([grpbsm])(\d+)/, (_, kind: string, at: string) => {
          // All words of a guarded sequence have its guard.
          const place = Number(at) - from * WORD;
          if (kind === "g" && place <= 12) return "g";
          if (place < 0) throw new Error(`${l.shape.name}: operand in a filler`);
          return `${kind}${place}`;
        }),
      ),
      own: true,
    });
  }
  return out;
}

/** Whether some line holds for a single word. */
export function knows(leaves: readonly Leaf[]): (word: Uint32Array) => boolean {
  const by = new Map<number, Leaf[]>();
  for (const l of leaves) {
    if (l.shape.words > 1 || l.context !== "-") continue;
    const opcode = l.value[0]! & 0xfff;
    const list = by.get(opcode);
    if (list === undefined) by.set(opcode, [l]);
    else list.push(l);
  }
  return (w) => {
    const line = by
      .get(w[0]! & 0xfff)
      ?.find((l) => [0, 1, 2, 3].every((k) => (w[k]! & l.mask[k]!) >>> 0 === l.value[k]!));
    return line !== undefined && line.item !== "?";
  };
}

/** One sample for units with the same words: the most frequent item; of equals the greater, where scopes are wider. */
function samplesOf(units: readonly Unit[], shape: Shape): Sample[] {
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

/** Lanes are brought together for one instruction: the last 32 bits of the record number the kinds of such in a function. */
export const numbered = (words: readonly Uint32Array[]): boolean =>
  words.length > 1 && (words.at(-1)![0]! & 0xfff) === ENDCOLLECTIVE;

interface Test {
  readonly from: number;
  readonly length: number;
  readonly value: number;
}

type Class = (s: Sample) => string | undefined;

class Fit {
  private readonly moves = new Map<string, { moves: Move[]; copies: Copy[] }>();
  private readonly out: Leaf[] = [];
  private readonly shape: Shape;
  private readonly context: string;
  private readonly samples: readonly Sample[];
  private readonly registers: readonly Operand[];

  constructor(shape: Shape, context: string, samples: readonly Sample[]) {
    this.shape = shape;
    this.context = context;
    this.samples = samples;
    this.registers = shape.operands.filter((o) => o.kind === "r");
  }

  leaves(): Leaf[] {
    const names = new Map<string, Sample[]>();
    for (const s of this.samples) {
      if (s.item === null || s.item.length < 16) continue;
      const list = names.get(s.label);
      if (list === undefined) names.set(s.label, [s]);
      else list.push(s);
    }
    for (const [label, list] of names) this.moves.set(label, this.layout(list));
    this.split(this.samples, []);
    return this.out;
  }

  // ---------------------------------------------------------------------------------------------- records

  private layout(samples: readonly Sample[]): { moves: Move[]; copies: Copy[] } {
    const moves: Move[] = [];
    const rests = samples.map((s) => s.item!.slice());
    const taken = new Set<number>();
    const take = (m: Move, from: number, length: number): void => {
      moves.push(m);
      for (let b = from; b < from + length; b++) taken.add(b);
      for (const r of rests) clear(r, from, length);
    };
    const bits = samples[0]!.item!.length * 8;
    for (let k = 0; k < this.shape.words; k++) {
      const operand: Operand = { kind: "p", from: k * WORD + 12, length: 4 };
      const varies = new Set(samples.map((s) => bitsAt(s.bits, operand.from, 4))).size > 1;
      const holds = samples.every((s) => recordBits(s.item!, 32, 8) === guardValue(bitsAt(s.bits, operand.from, 4)));
      if (holds && (varies || this.shape.words === 1)) {
        take({ operand, kind: "g", to: 32, width: 8 }, 32, 8);
        break;
      }
    }
    for (const operand of this.shape.operands) {
      const { from, length } = operand;
      const values = samples.map((s) => bitsAt(s.bits, from, length));
      if (new Set(values).size < 2 || operand.kind === "label") continue;
      const fits = (to: number, width: number, of: (v: number) => number): boolean => {
        if (to + width > bits) return false;
        for (let b = to; b < to + width; b++) if (taken.has(b)) return false;
        return samples.every((s, i) => recordBits(s.item!, to, width) === of(values[i]!));
      };
      for (let to = RECORD_START; to < bits; to++) {
        if (operand.kind === "r" && fits(to, 10, (v) => (v === RZ ? 1023 : v))) {
          take({ operand, kind: "r", to, width: 10 }, to, 10);
          for (let b = to - 6; b < to; b++) taken.add(b);
        } else if (operand.kind === "p" && fits(to, 5, (v) => (v === PT ? 31 : v)))
          take({ operand, kind: "p", to, width: 5 }, to, 5);
        else if (operand.kind === "n" && to % 8 === 0) {
          const wide =
            (width: number): ((v: number) => number) =>
            (v) =>
              v >= 2 ** (length - 1) ? v + (2 ** width - 2 ** length) : v;
          const negative = values.some((v) => v >= 2 ** (length - 1));
          if (negative && fits(to, 64, wideBig(length))) take({ operand, kind: "s", to, width: 64 }, to, 64);
          else if (negative && length < 32 && fits(to, 32, wide(32)))
            take({ operand, kind: "s", to, width: 32 }, to, 32);
          else if (fits(to, length, (v) => v)) take({ operand, kind: "b", to, width: length }, to, length);
          else if (length <= 17 && fits(to, 32, (v) => (v >= PARAM_BASE ? v - PARAM_BASE : -1)))
            take({ operand, kind: "m", to, width: 32 }, to, 32);
        }
      }
    }
    const registerMoves = this.registers.map((o) => moves.find((m) => m.kind === "r" && m.operand === o));
    for (const [i, s] of samples.entries()) {
      s.flags = registerMoves.map((m) => (m === undefined ? 0 : recordBits(s.item!, m.to - 6, 6)));
      for (const m of registerMoves) if (m !== undefined) clear(rests[i]!, m.to - 6, 6);
    }
    const copies = this.copies(samples, rests, taken);
    for (const [i, s] of samples.entries()) s.rest = Buffer.from(rests[i]!).toString("hex");
    return { moves, copies };
  }

  /** Bits of the record that are one modifier bit each, and no other; cleared in `rests`. */
  private copies(samples: readonly Sample[], rests: readonly Uint8Array[], taken: ReadonlySet<number>): Copy[] {
    const column = (get: (i: number) => number): string => samples.map((_, i) => get(i)).join("");
    const sources = new Map<string, number[]>();
    for (const b of this.shape.rest) {
      const c = column((i) => bitOf(samples[i]!.bits, b));
      const list = sources.get(c);
      if (list === undefined) sources.set(c, [b]);
      else list.push(b);
    }
    const copies: Copy[] = [];
    const bits = rests[0]!.length * 8;
    for (let to = RECORD_START; to < bits; to++) {
      if (taken.has(to)) continue;
      const c = column((i) => bitOf(rests[i]!, to));
      if (!c.includes("0") || !c.includes("1")) continue;
      const from = sources.get(c);
      if (from === undefined || from.length !== 1) continue;
      const last = copies.at(-1);
      if (last !== undefined && last.to + last.length === to && last.from + last.length === from[0]!) last.length++;
      else copies.push({ from: from[0]!, to, length: 1 });
      for (const r of rests) clear(r, to, 1);
    }
    return copies;
  }

  // ---------------------------------------------------------------------------------------------- tree

  /** What the units of a leaf must agree in. */
  private components(samples: readonly Sample[]): Class[] {
    const out: Class[] = [(s) => s.label, (s) => s.rest, (s) => (s.either ? "either" : "one")];
    const layout = this.moves.get(samples[0]!.label);
    if (layout === undefined) return out;
    for (const [k, o] of this.registers.entries()) {
      if (!layout.moves.some((m) => m.kind === "r" && m.operand === o)) continue;
      const zero = (s: Sample): boolean => bitsAt(s.bits, o.from, o.length) === RZ;
      out.push(
        (s) => (zero(s) ? undefined : `${s.flags[k]}`),
        (s) => (zero(s) ? `${s.flags[k]}` : undefined),
      );
    }
    return out;
  }

  private split(samples: readonly Sample[], path: readonly Test[]): void {
    let mixed: Class | null = null;
    for (const c of this.components(samples)) {
      const seen = new Set<string>();
      for (const s of samples) {
        const v = c(s);
        if (v !== undefined) seen.add(v);
      }
      if (seen.size > 1) {
        mixed = c;
        break;
      }
    }
    if (mixed === null) {
      this.leaf(samples, path, false);
      return;
    }
    const test = this.best(samples, mixed);
    if (test === null) {
      // The words alone do not tell: the most frequent item, marked.
      const weight = new Map<string, number>();
      for (const s of samples) weight.set(signature(s), (weight.get(signature(s)) ?? 0) + s.count);
      const most = [...weight].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
      this.leaf(
        samples.filter((s) => signature(s) === most),
        path,
        true,
        samples,
      );
      return;
    }
    const holds = (s: Sample): boolean => bitsAt(s.bits, test.from, test.length) === test.value;
    this.split(samples.filter(holds), [...path, test]);
    const other = samples.filter((s) => !holds(s));
    if (test.length > 1) this.refuse([...path, test]);
    this.split(other, test.length === 1 ? [...path, { ...test, value: 1 - test.value }] : path);
  }

  private tests(samples: readonly Sample[], c: Class): Test[] {
    const out: Test[] = [];
    const add = (from: number, length: number, values: Iterable<number>): void => {
      for (const value of values) out.push({ from, length, value });
    };
    for (const b of this.shape.rest) add(b, 1, [1]);
    for (const g of this.shape.groups)
      if (g.length > 1) add(g.from, g.length, new Set(samples.map((s) => bitsAt(s.bits, g.from, g.length))));
    const odd = oddOnes(samples, c);
    for (const o of this.shape.operands) {
      if (o.kind === "n") add(o.from, o.length, new Set(odd.map((s) => bitsAt(s.bits, o.from, o.length))));
      if (o.kind === "r") add(o.from, o.length, [RZ]);
      if (o.kind === "p") add(o.from, o.length, [PT]);
      if (o.kind !== "n") continue;
      add(o.from, o.length, [0]);
      add(o.from + o.length - 1, 1, [1]);
      // Addresses of the driver's constants.
      if (o.length <= 17)
        add(
          o.from,
          o.length,
          new Set(samples.map((s) => bitsAt(s.bits, o.from, o.length)).filter((v) => v < PARAM_BASE)),
        );
    }
    for (let k = 0; k < this.shape.words; k++) add(k * WORD + 12, 4, [PT]);
    return out;
  }

  /** The test that leaves the least disorder; of equals, the first. */
  private best(samples: readonly Sample[], c: Class): Test | null {
    const classes = samples.map((s) => c(s));
    let best: Test | null = null;
    let least = disorder(classes) - 1e-9;
    for (const t of this.tests(samples, c)) {
      const inside: (string | undefined)[] = [];
      const outside: (string | undefined)[] = [];
      samples.forEach((s, i) => {
        (bitsAt(s.bits, t.from, t.length) === t.value ? inside : outside).push(classes[i]);
      });
      if (inside.length === 0 || outside.length === 0) continue;
      const left = disorder(inside) + disorder(outside);
      if (left < least) {
        least = left;
        best = t;
      }
    }
    return best;
  }

  // ---------------------------------------------------------------------------------------------- lines

  private refuse(path: readonly Test[]): void {
    const mask = new Uint32Array(this.shape.words * 4);
    const value = new Uint32Array(mask.length);
    this.opcode(mask, value);
    for (const t of path) require(mask, value, t);
    this.push({ mask, value, item: "?", either: false, fields: [], samples: 0 });
  }

  private opcode(mask: Uint32Array, value: Uint32Array): void {
    const { bits } = this.samples[0]!;
    for (let k = 0; k < this.shape.words; k++) {
      mask[k * 4] = 0xfff;
      value[k * 4] = bits[k * 4]! & 0xfff;
    }
  }

  private push(leaf: Omit<Leaf, "shape" | "context">): void {
    this.out.push({ shape: this.shape, context: this.context, ...leaf });
  }

  /** `all`: what the leaf covers, where its samples are only the most frequent of them. */
  private leaf(
    samples: readonly Sample[],
    path: readonly Test[],
    either: boolean,
    all: readonly Sample[] = samples,
  ): void {
    const mask = new Uint32Array(this.shape.words * 4);
    const value = new Uint32Array(mask.length);
    this.opcode(mask, value);
    const first = samples[0]!;
    const layout = this.moves.get(first.label) ?? { moves: [], copies: [] };
    const copied = new Set(layout.copies.flatMap((c) => Array.from({ length: c.length }, (_, i) => c.from + i)));
    const same = (b: number): boolean => all.every((s) => bitOf(s.bits, b) === bitOf(first.bits, b));
    for (const b of this.shape.rest)
      if (!copied.has(b) && same(b)) {
        setBit(mask, b);
        if (bitOf(first.bits, b)) setBit(value, b);
      }
    for (const o of this.shape.operands) {
      const v = bitsAt(first.bits, o.from, o.length);
      if (!all.every((s) => bitsAt(s.bits, o.from, o.length) === v)) continue;
      const special = (o.kind === "r" && v === RZ) || (o.kind === "p" && v === PT);
      const lost = first.item !== null && first.item.length >= 16 && !layout.moves.some((m) => m.operand === o);
      if (special || (lost && o.kind !== "label")) require(mask, value, { ...o, value: v });
    }
    if (this.shape.words > 1)
      for (let k = 0; k < this.shape.words; k++) {
        const from = k * WORD + 12;
        const v = bitsAt(first.bits, from, 4);
        if (all.every((s) => bitsAt(s.bits, from, 4) === v)) require(mask, value, { from, length: 4, value: v });
      }
    for (const t of path) require(mask, value, t);
    this.push({
      mask,
      value,
      item: first.item === null ? `${Number(first.label) / 16}` : this.base(samples, layout.moves),
      either: either || first.either,
      fields: this.fields(samples, layout),
      samples: all.length,
    });
  }

  private flagsOf(samples: readonly Sample[], o: Operand): { zero: number | null; other: number | null } {
    const k = this.registers.indexOf(o);
    const zero = samples.find((s) => bitsAt(s.bits, o.from, o.length) === RZ);
    const other = samples.find((s) => bitsAt(s.bits, o.from, o.length) !== RZ);
    return { zero: zero?.flags[k] ?? null, other: other?.flags[k] ?? null };
  }

  private base(samples: readonly Sample[], moves: readonly Move[]): string {
    const first = samples[0]!;
    if (first.item!.length < 16) return Buffer.from(first.item!).toString("hex");
    const record = Uint8Array.from(Buffer.from(first.rest, "hex"));
    for (const m of moves) {
      if (m.kind !== "r") continue;
      const { zero, other } = this.flagsOf(samples, m.operand);
      const v = zero !== null && (other === null || (zero & ~other) === 0) ? zero : other!;
      for (let i = 0; i < 6; i++) if ((v >> i) & 1) record[(m.to - 6 + i) >> 3]! |= 1 << ((m.to - 6 + i) & 7);
    }
    return Buffer.from(record).toString("hex");
  }

  private fields(samples: readonly Sample[], layout: { moves: readonly Move[]; copies: readonly Copy[] }): string[] {
    const out = layout.moves.map((m) => {
      const { from, length } = m.operand;
      switch (m.kind) {
        case "g":
          return from === 12 ? "g" : `g${from}`;
        case "r": {
          const { zero, other } = this.flagsOf(samples, m.operand);
          if (zero === null) return `r${from}>${m.to}!`;
          if (other === null || other === zero) return `r${from}>${m.to}`;
          return (zero & ~other) === 0 ? `r${from}>${m.to}/${other & ~zero}` : `r${from}>${m.to}!`;
        }
        case "p":
          return `p${from}>${m.to}`;
        case "s":
          return `s${from}.${length}>${m.to}${m.width === 64 ? ".64" : ""}`;
        default:
          return `${m.kind}${from}.${length}>${m.to}`;
      }
    });
    for (const c of layout.copies) out.push(`b${c.from}.${c.length}>${c.to}`);
    const { bits, item } = samples[0]!;
    if (
      item !== null &&
      item.length >= 16 &&
      this.shape.words > 1 &&
      (bits[bits.length - 4]! & 0xfff) === ENDCOLLECTIVE
    )
      out.push(`k>${item.length * 8 - 32}`);
    return out;
  }
}

const ODD = 24;

/** Samples of all but the most frequent class, unless they are many. */
function oddOnes(samples: readonly Sample[], c: Class): readonly Sample[] {
  const by = new Map<string, Sample[]>();
  for (const s of samples) {
    const k = c(s);
    if (k === undefined) continue;
    const list = by.get(k);
    if (list === undefined) by.set(k, [s]);
    else list.push(s);
  }
  const lists = [...by.values()].sort((a, b) => b.length - a.length);
  const odd = lists.slice(1).flat();
  return odd.length <= ODD ? odd : [];
}

const signature = (s: Sample): string => `${s.label} ${s.rest} ${s.flags.join()}`;

function require(mask: Uint32Array, value: Uint32Array, t: Test): void {
  for (let i = 0; i < t.length; i++) {
    setBit(mask, t.from + i);
    if (Math.floor(t.value / 2 ** i) % 2 === 1) setBit(value, t.from + i);
  }
}

const guardValue = (v: number): number => (v >> 3) | (((v & 7) === PT ? 31 : v & 7) << 3);

/** Sign extension to 64 bits, as `recordBits` reads them. */
function wideBig(length: number): (v: number) => number {
  return (v) => {
    if (v < 2 ** (length - 1)) return v;
    let out = 0;
    for (let i = 63; i >= 0; i--) out = out * 2 + (i >= length ? 1 : Math.floor(v / 2 ** i) % 2);
    return out;
  };
}

/** Entropy times number, in bits. */
function disorder(classes: readonly (string | undefined)[]): number {
  const counts = new Map<string, number>();
  let n = 0;
  for (const c of classes) {
    if (c === undefined) continue;
    counts.set(c, (counts.get(c) ?? 0) + 1);
    n++;
  }
  let sum = 0;
  for (const k of counts.values()) sum -= k * Math.log2(k / n);
  return sum;
}
