/**
 * Conditions on the bits of a word, as the table writes them: `73:3=5-7,1 76=1; 72=0` is an alternative of conjunctions of
 * fields with their values. They are compiled to cubes (mask and value), so that a word is tested by comparing.
 */
import { InternalError } from "../errors.js";
import { holdsFor, type Loc, parseLoc, widthOf } from "./syntax.js";

export interface FieldSet {
  readonly loc: Loc;
  readonly values: readonly number[];
}

/** A conjunction; it holds on `sm` (all when empty). */
export interface Condition {
  readonly sm: string;
  readonly fields: readonly FieldSet[];
}

/** `73:3=5-7,1 76=1; 80- 72=0`: an SM range may stand before a conjunction. */
export function parseConditions(text: string | undefined): Condition[] {
  if (!text) return [];
  return text.split("; ").map((part) => {
    const items = part.split(" ");
    const sm = items[0]!.includes("=") ? "" : items.shift()!;
    return { sm, fields: items.map(parseField) };
  });
}

function parseField(item: string): FieldSet {
  const [at, list] = item.split("=");
  if (!list) throw new InternalError(`instruction table: bad condition "${item}"`);
  const loc = parseLoc(at!);
  const negated = list.startsWith("!");
  const named = new Set<number>();
  for (const range of list.slice(negated ? 1 : 0).split(",")) {
    const [from, to] = range.split("-").map(Number);
    for (let v = from!; v <= (to ?? from!); v++) named.add(v);
  }
  const values: number[] = [];
  for (let v = 0; v < 2 ** widthOf(loc); v++) if (named.has(v) !== negated) values.push(v);
  return { loc, values };
}

/** Mask and value of 128-bit words: eight u32 a cube. Of the words that have certain bits; those are not asked for again. */
export class Cubes {
  private readonly words: number[] = [];

  constructor(
    private readonly mask: Uint32Array,
    private readonly value: Uint32Array,
  ) {}

  add(fields: readonly FieldSet[]): void {
    this.expand(fields, 0, this.mask, this.value);
  }

  private expand(fields: readonly FieldSet[], at: number, mask: Uint32Array, value: Uint32Array): void {
    const field = fields[at];
    if (!field) {
      const asked = mask.map((m, i) => m & ~this.mask[i]!);
      this.words.push(...asked, ...value.map((v, i) => v & asked[i]!));
      return;
    }
    for (const { care, bits } of coverOf(field.values, widthOf(field.loc))) {
      const m = mask.slice();
      const v = value.slice();
      if (fixSome(m, v, field.loc, care, bits)) this.expand(fields, at + 1, m, v);
    }
  }

  done(): Uint32Array | null {
    return this.words.length === 0 ? null : Uint32Array.from(this.words);
  }
}

/** What the conditions that hold on the SM say of words with these bits. */
export function cubesOf(conditions: readonly Condition[], isa: number, mask: Uint32Array, value: Uint32Array): Cubes {
  const out = new Cubes(mask, value);
  for (const c of conditions) if (holdsFor(c.sm, isa)) out.add(c.fields);
  return out;
}

/** Is the word in one of the cubes? */
export function inCubes(cubes: Uint32Array, words: Uint32Array, at: number): boolean {
  const w0 = words[at]!;
  const w1 = words[at + 1]!;
  const w2 = words[at + 2]!;
  const w3 = words[at + 3]!;
  for (let i = 0; i < cubes.length; i += 8)
    if (
      (w2 & cubes[i + 2]!) >>> 0 === cubes[i + 6]! &&
      (w1 & cubes[i + 1]!) >>> 0 === cubes[i + 5]! &&
      (w0 & cubes[i]!) >>> 0 === cubes[i + 4]! &&
      (w3 & cubes[i + 3]!) >>> 0 === cubes[i + 7]!
    )
      return true;
  return false;
}

/** The cubes that words with the fields of this one can be in; null when there are none. */
export function fixedBits(
  cubes: Uint32Array | null,
  fields: readonly { readonly loc: Loc }[],
  words: Uint32Array,
  at: number,
): Uint32Array | null {
  if (cubes === null || fields.length === 0) return cubes;
  const mask = new Uint32Array(4);
  for (const f of fields)
    for (const p of f.loc)
      for (let bit = p.lo; bit < p.lo + p.width; bit++) mask[bit >> 5] = mask[bit >> 5]! | (1 << (bit & 31));
  const left: number[] = [];
  for (let i = 0; i < cubes.length; i += 8) {
    let possible = true;
    for (let k = 0; k < 4; k++) possible &&= ((words[at + k]! ^ cubes[i + 4 + k]!) & cubes[i + k]! & mask[k]!) === 0;
    if (possible) left.push(...cubes.subarray(i, i + 8));
  }
  return left.length === 0 ? null : Uint32Array.from(left);
}

/** Sets the bits of a field that matter; false if they contradict what is set. */
function fixSome(mask: Uint32Array, value: Uint32Array, loc: Loc, care: number, bits: number): boolean {
  let n = 0;
  for (const p of loc)
    for (let i = 0; i < p.width; i++, n++) {
      if (!((care >> n) & 1)) continue;
      const word = (p.lo + i) >> 5;
      const bit = (1 << ((p.lo + i) & 31)) >>> 0;
      const set = ((bits >> n) & 1) === 1;
      if (mask[word]! & bit) {
        if (((value[word]! & bit) !== 0) !== set) return false;
        continue;
      }
      mask[word] = (mask[word]! | bit) >>> 0;
      if (set) value[word] = (value[word]! | bit) >>> 0;
    }
  return true;
}

interface Cube {
  readonly care: number;
  readonly bits: number;
}

/** Few cubes that are exactly these values: neighbours are merged as long as there are any, then what is covered goes. */
function coverOf(values: readonly number[], width: number): readonly Cube[] {
  const all = (1 << width) - 1;
  let level = new Map<string, Cube>(values.map((v) => [`${all},${v}`, { care: all, bits: v }]));
  const primes: Cube[] = [];
  while (level.size > 0) {
    const next = new Map<string, Cube>();
    for (const c of level.values()) {
      let merged = false;
      for (let b = 1; b <= all; b <<= 1) {
        if (!(c.care & b) || !level.has(`${c.care},${c.bits ^ b}`)) continue;
        merged = true;
        const cube = { care: c.care & ~b, bits: c.bits & ~b };
        next.set(`${cube.care},${cube.bits}`, cube);
      }
      if (!merged) primes.push(c);
    }
    level = next;
  }
  primes.reverse();
  const out: Cube[] = [];
  const left = new Set(values);
  for (const c of primes) {
    const covered = [...left].filter((v) => (v & c.care) === c.bits);
    if (covered.length === 0) continue;
    for (const v of covered) left.delete(v);
    out.push(c);
  }
  return out;
}
