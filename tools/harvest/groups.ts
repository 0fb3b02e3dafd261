/**
 * Fields whose texts depend on each other: found by trying pairs of values. Addresses become one template per combination
 * of special values; small fields become one table over all their bits.
 */
import { type Base, learnField } from "./learn.js";
import { type Field, type Group, type GroupCase, type Linear, numeric, predict } from "./model.js";
import type { Probe } from "./probe.js";
import { agree, difference, type Tokens } from "./text.js";
import { bitOf, flipped, pick, randomValue, setField, shuffle, type Word } from "./word.js";

/** Combinations of special values in one group. */
const MOST_CASES = 400;
/** Bits of a joint table. */
const JOINT_BITS = 13;

export interface Dependent {
  readonly fields: Field[];
  readonly groups: Group[];
}

type Pair = readonly [number, number];

/** Values set in the base word. */
export function wordWith(base: Base, values: readonly (readonly [Field, bigint | null])[]): Word {
  const w = base.word.slice();
  for (const [f, v] of values) if (v !== null) setField(w, f.bits, v);
  return w;
}

/** A value to test with; null for a field without known values. */
export function pickValue(base: Base, f: Field): bigint | null {
  const { random } = base;
  const known = [...f.table.keys()];
  if (f.linear === null && f.float === null) return known.length > 0 ? pick(random, known) : null;
  if (known.length > 0 && random.word() % 4 === 0) return pick(random, known);
  return randomValue(random, f.bits.length);
}

function valuesOf(base: Base, f: Field): bigint[] {
  if (f.linear === null && f.float === null) return shuffle(base.random, [...f.table.keys()]).slice(0, 32);
  const out = [...f.table.keys()].slice(0, 3);
  if (f.linear !== null && (f.linear.prefix === "hex" || f.linear.prefix === "dec") && !out.includes(0n)) out.push(0n);
  for (let i = 0; i < 2; i++) out.push(randomValue(base.random, f.bits.length));
  return out;
}

export function* learnDependent(base: Base, fields: Field[], groups: Group[]): Probe<Dependent> {
  let now: Dependent = { fields, groups };
  for (let round = 0; round < 3; round++) {
    const bad = yield* dependentPairs(base, now);
    if (bad.size === 0) break;
    const pairs = [...bad.values()];
    now = { fields: now.fields, groups: [...now.groups, ...(yield* templates(base, now, pairs))] };
    const grouped = new Set(now.groups.flatMap((g) => g.fields.map((b) => b[0]!)));
    const left = pairs.filter(({ pair }) => !pair.some((i) => grouped.has(now.fields[i]!.bits[0]!)));
    if (left.length === 0) continue;
    const joint = yield* joined(base, now.fields, left);
    if (joint === null) break;
    now = { fields: joint, groups: now.groups };
  }
  return now;
}

interface BadPair {
  readonly pair: Pair;
  count: number;
}

function* dependentPairs(base: Base, { fields, groups }: Dependent): Probe<Map<string, BadPair>> {
  const model = { base: base.word, tokens: base.tokens, fields, groups };
  const asked: { pair: Pair; word: Word }[] = [];
  const plain = (f: Field): boolean => f.linear === null && f.float === null;
  for (let i = 0; i < fields.length; i++)
    for (let j = i + 1; j < fields.length; j++) {
      const [a, b] = [fields[i]!, fields[j]!];
      const bs = valuesOf(base, b);
      const combinations = shuffle(
        base.random,
        valuesOf(base, a).flatMap((x) => bs.map((y) => [x, y] as const)),
      );
      const special = (f: Field, v: bigint): number => (v === 0n || f.table.has(v) ? 1 : 0);
      if (!plain(a) && !plain(b))
        combinations.sort((p, q) => special(a, q[0]) + special(b, q[1]) - special(a, p[0]) - special(b, p[1]));
      const most = plain(a) && plain(b) && a.table.size * b.table.size <= 256 ? 256 : 24;
      for (const [x, y] of combinations.slice(0, most))
        asked.push({
          pair: [i, j],
          word: wordWith(base, [
            [a, x],
            [b, y],
          ]),
        });
    }
  const texts = yield* base.ask(asked.map((q) => q.word));
  const bad = new Map<string, BadPair>();
  asked.forEach(({ pair, word }, n) => {
    const t = texts[n];
    if (t === null || t === undefined || agree(predict(model, word), t)) return;
    const entry = bad.get(pair.join());
    if (entry) entry.count++;
    else bad.set(pair.join(), { pair, count: 1 });
  });
  return bad;
}

/** Sets of fields connected by pairs. */
function components(pairs: readonly BadPair[]): number[][] {
  const of = new Map<number, number[]>();
  for (const { pair } of pairs) {
    const [a, b] = pair.map((i) => of.get(i) ?? [i]) as [number[], number[]];
    if (a === b) continue;
    const all = [...new Set([...a, ...b])].sort((x, y) => x - y);
    for (const i of all) of.set(i, all);
  }
  return [...new Set(of.values())];
}

/** Templates of addresses: one text per combination of special values, and where the numbers go. */
function* templates(base: Base, { fields, groups }: Dependent, pairs: readonly BadPair[]): Probe<Group[]> {
  const out: Group[] = [];
  for (const component of components(pairs)) {
    const fs = component.map((i) => fields[i]!);
    const same = fs.map((f) => f.bits.join()).join(";");
    if (groups.some((g) => g.fields.map((b) => b.join()).join(";") === same)) continue;
    if (!fs.some((f) => f.linear !== null && f.bits.length > 4) || fs.some((f) => f.float !== null)) continue;
    let combinations: (bigint | null)[][] = [[]];
    for (const f of fs) {
      const known = [...f.table.keys()];
      if (f.linear?.prefix === "hex" && !known.includes(0n)) known.push(0n);
      known.sort((a, b) => (a < b ? -1 : 1));
      const domain: (bigint | null)[] = f.linear !== null ? [...known, null] : known;
      combinations = combinations.flatMap((c) => domain.map((v) => [...c, v]));
      if (combinations.length > MOST_CASES) break;
    }
    if (combinations.length > MOST_CASES) continue;
    const asked: Word[] = [];
    for (const c of combinations) {
      const w = wordWith(
        base,
        fs.map((f, i) => [f, c[i]!]),
      );
      asked.push(w);
      fs.forEach((f, i) => {
        if (c[i] === null) for (const b of f.bits) asked.push(flipped(w, b));
      });
    }
    const texts = yield* base.ask(asked);
    let at = 0;
    const cases: GroupCase[] = [];
    for (const c of combinations) {
      const word = asked[at]!;
      const tokens = texts[at++]!;
      const show: { field: number; linear: Linear }[] = [];
      let known = tokens !== null;
      fs.forEach((f, i) => {
        if (c[i] !== null) return;
        const flips = texts.slice(at, at + f.bits.length);
        at += f.bits.length;
        if (!known) return;
        const shown = shownIn(word, tokens!, f.bits, flips);
        if (shown === "unknown") known = false;
        else if (shown !== "hidden") show.push({ field: i, linear: shown });
      });
      if (known) cases.push({ when: c, tokens: tokens!, show });
    }
    out.push({ fields: fs.map((f) => f.bits), cases });
  }
  return out;
}

/** How a field's bits show in a text: as a number, not at all, or in a way that is not understood. */
function shownIn(
  word: Word,
  tokens: Tokens,
  bits: readonly number[],
  flips: readonly (Tokens | null)[],
): Linear | "hidden" | "unknown" {
  const weights: (bigint | null)[] = [];
  let token = -1;
  let hidden = true;
  for (let i = 0; i < bits.length; i++) {
    const t = flips[i];
    if (t === null || t === undefined) return "unknown";
    const edits = difference(tokens, t);
    const e = edits[0];
    if (e === undefined) {
      weights.push(0n);
      continue;
    }
    hidden = false;
    const one = edits.length === 1 && e.to - e.from === 1 && e.text.length === 1 && (token < 0 || e.from === token);
    const a = one ? numeric(tokens[e.from]!) : null;
    const b = one ? numeric(e.text[0]!) : null;
    if (one) token = e.from;
    if (a === null || b === null || a.prefix !== b.prefix) weights.push(null);
    else weights.push(bitOf(word, bits[i]!) ? a.value - b.value : b.value - a.value);
  }
  if (hidden) return "hidden";
  if (token < 0) return "unknown";
  // A flip that happens to hit a special value: its weight follows from its neighbours'.
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] !== null) continue;
    const [before, after] = [weights[i - 1], weights[i + 1]];
    if (before) weights[i] = before * 2n;
    else if (after) weights[i] = after / 2n;
    else return "unknown";
  }
  const here = numeric(tokens[token]!);
  if (here === null) return "unknown";
  let bias = here.value;
  bits.forEach((b, i) => {
    if (bitOf(word, b)) bias -= weights[i]!;
  });
  return { token, prefix: here.prefix, weights: weights as bigint[], bias };
}

/** Merges small dependent fields into tables over all their bits; null where none can be merged. */
function* joined(base: Base, fields: readonly Field[], pairs: readonly BadPair[]): Probe<Field[] | null> {
  const set = fields.map((_, i) => new Set([i]));
  for (const { pair } of [...pairs].sort((a, b) => b.count - a.count)) {
    const all = new Set([...set[pair[0]]!, ...set[pair[1]]!]);
    const list = [...all].map((i) => fields[i]!);
    if (list.reduce((n, f) => n + f.bits.length, 0) > JOINT_BITS) continue;
    if (list.some((f) => f.float !== null || (f.linear !== null && f.bits.length > 4))) continue;
    for (const i of all) set[i] = all;
  }
  const out: Field[] = [];
  const done = new Set<Set<number>>();
  for (const s of set) {
    if (done.has(s)) continue;
    done.add(s);
    const list = [...s].sort((a, b) => a - b).map((i) => fields[i]!);
    if (list.length === 1) {
      out.push(list[0]!);
      continue;
    }
    const bits = list.flatMap((f) => f.bits).sort((a, b) => a - b);
    const f = yield* learnField(base, bits, new Map());
    f.kind = `joint(${list.map((x) => x.kind).join("+")})`;
    out.push(f);
  }
  return out.length < fields.length ? out : null;
}
