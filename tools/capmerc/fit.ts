/**
 * Lines of the table from evidence. Units of one layout (shape.ts) and one record name share the places to which operands go; what is left
 * must follow from modifiers: copied bits first, then a tree of tests until all units of a leaf agree. A leaf covers only words whose
 * modifiers have values seen there; where a test on an equal value has no line for a word, a line `?` refuses it.
 */

import { bitOf, RZ, setBit } from "./bits.js";
import type { Unit } from "./evidence.js";
import { type Layout, layoutOf } from "./layout.js";
import { Items, type Leaf, lineKnows, operandTests, require } from "./leaf.js";
import { type Sample, samplesOf } from "./sample.js";
import { bitsAt, type Operand, type Shape, shapeOf, WORD } from "./shape.js";
import { bestTest, type Class, holds, type Test } from "./splits.js";

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
    const line = by.get(w[0]! & 0xfff)?.find((l) => lineKnows(l, w));
    return line !== undefined && line.item !== "?";
  };
}

class Fit {
  private readonly layouts = new Map<string, Layout>();
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
    for (const [label, list] of names) this.layouts.set(label, layoutOf(this.shape, list));
    this.split(this.samples, []);
    return this.out;
  }

  // ---------------------------------------------------------------------------------------------- tree

  /** What the units of a leaf must agree in. */
  private components(samples: readonly Sample[]): Class[] {
    const out: Class[] = [(s) => s.label, (s) => s.rest, (s) => (s.either ? "either" : "one")];
    const layout = this.layouts.get(samples[0]!.label);
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
    const mixed = this.components(samples).find((c) => {
      const seen = new Set<string>();
      for (const s of samples) {
        const v = c(s);
        if (v !== undefined) seen.add(v);
      }
      return seen.size > 1;
    });
    if (mixed === undefined) {
      this.leaf(samples, path, false);
      return;
    }
    const test = bestTest(this.shape, samples, mixed);
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
    const inside = samples.filter((s) => holds(test, s));
    const other = samples.filter((s) => !holds(test, s));
    this.split(inside, [...path, test]);
    if (test.length > 1) this.refuse([...path, test]);
    this.split(other, test.length === 1 ? [...path, { ...test, value: 1 - test.value }] : path);
  }

  // ---------------------------------------------------------------------------------------------- lines

  private refuse(path: readonly Test[]): void {
    const { mask, value } = this.key();
    // Words of other layouts, in which these bits are others, are not refused.
    this.same(this.samples, new Set(), mask, value);
    for (const t of path) require(mask, value, t);
    this.push({ mask, value, item: "?", either: false, fields: [], samples: 0 });
  }

  /** The opcodes. */
  private key(): { mask: Uint32Array; value: Uint32Array } {
    const { bits } = this.samples[0]!;
    const mask = new Uint32Array(this.shape.words * 4);
    const value = new Uint32Array(mask.length);
    for (let k = 0; k < this.shape.words; k++) {
      mask[k * 4] = 0xfff;
      value[k * 4] = bits[k * 4]! & 0xfff;
    }
    return { mask, value };
  }

  /** Requires the bits that are no operand and the same in all samples. */
  private same(all: readonly Sample[], but: ReadonlySet<number>, mask: Uint32Array, value: Uint32Array): void {
    const first = all[0]!;
    for (const b of this.shape.rest) {
      const v = bitOf(first.bits, b);
      if (but.has(b) || !all.every((s) => bitOf(s.bits, b) === v)) continue;
      setBit(mask, b);
      if (v === 1) setBit(value, b);
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
    const { mask, value } = this.key();
    const first = samples[0]!;
    const layout = this.layouts.get(first.label) ?? { moves: [], copies: [] };
    const copied = new Set(layout.copies.flatMap((c) => Array.from({ length: c.length }, (_, i) => c.from + i)));
    this.same(all, copied, mask, value);
    for (const t of operandTests(this.shape, first, all, layout)) require(mask, value, t);
    if (this.shape.words > 1)
      for (let k = 0; k < this.shape.words; k++) {
        const from = k * WORD + 12;
        const v = bitsAt(first.bits, from, 4);
        if (all.every((s) => bitsAt(s.bits, from, 4) === v)) require(mask, value, { from, length: 4, value: v });
      }
    for (const t of path) require(mask, value, t);
    const items = new Items(samples, layout, this.registers);
    this.push({
      mask,
      value,
      item: items.base(),
      either: either || first.either,
      fields: items.fields(),
      samples: all.length,
    });
  }
}

const signature = (s: Sample): string => `${s.label} ${s.rest} ${s.flags.join()}`;
