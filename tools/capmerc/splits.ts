/** Tests on words that tell items apart: a value of some bits each. */
import { PT, RZ } from "./bits.js";
import type { Sample } from "./sample.js";
import { bitsAt, type Shape, WORD } from "./shape.js";

const PARAM_BASE = 0x380;
/** So many samples of other classes than the most frequent may be told apart by the values of numbers. */
const ODD = 24;

export interface Test {
  readonly from: number;
  readonly length: number;
  readonly value: number;
}

/** What samples are told apart by; undefined where it does not matter. */
export type Class = (s: Sample) => string | undefined;

export const holds = (t: Test, s: Sample): boolean => bitsAt(s.bits, t.from, t.length) === t.value;

/** The test that leaves the least disorder; of equals, the first. */
export function bestTest(shape: Shape, samples: readonly Sample[], c: Class): Test | null {
  const classes = samples.map((s) => c(s));
  let best: Test | null = null;
  let least = disorder(classes) - 1e-9;
  for (const t of testsOf(shape, samples, c)) {
    const inside: (string | undefined)[] = [];
    const outside: (string | undefined)[] = [];
    samples.forEach((s, i) => {
      (holds(t, s) ? inside : outside).push(classes[i]);
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

function testsOf(shape: Shape, samples: readonly Sample[], c: Class): Test[] {
  const out: Test[] = [];
  const add = (from: number, length: number, values: Iterable<number>): void => {
    for (const value of values) out.push({ from, length, value });
  };
  for (const b of shape.rest) add(b, 1, [1]);
  for (const g of shape.groups)
    if (g.length > 1) add(g.from, g.length, new Set(samples.map((s) => bitsAt(s.bits, g.from, g.length))));
  const odd = oddOnes(samples, c);
  for (const o of shape.operands) {
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
  for (let k = 0; k < shape.words; k++) add(k * WORD + 12, 4, [PT]);
  return out;
}

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
