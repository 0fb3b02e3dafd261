/** What tells two sets of words apart, as conditions on single bits: a small decision tree, for reading. */

export interface Part {
  /** Conditions such as `78=1 79=0`, with how pure the part is. */
  readonly label: string;
  /** Words of the first set that are in it. */
  readonly of: readonly number[];
}

const bitOf = (words: Uint32Array, i: number, bit: number): number => (words[4 * i + (bit >> 5)]! >>> (bit & 31)) & 1;

/** Splits until no word of `others` is left beside those of `these`, at most `depth` bits deep. */
export function explainSplit(
  words: Uint32Array,
  these: readonly number[],
  others: readonly number[],
  depth = 6,
  label = "",
): Part[] {
  if (these.length === 0) return [];
  if (others.length === 0 || depth === 0) {
    const total = these.length + others.length;
    const pure = others.length === 0 ? "" : ` (${these.length} of ${total})`;
    return [{ label: (label || "always") + pure, of: these }];
  }
  let best = -1;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let bit = 12; bit < 128; bit++) {
    if (bit === 91) continue;
    const a = these.reduce((n, i) => n + bitOf(words, i, bit), 0);
    const b = others.reduce((n, i) => n + bitOf(words, i, bit), 0);
    const cost = entropy(a, b) + entropy(these.length - a, others.length - b);
    if (cost < bestCost - 1e-9) {
      best = bit;
      bestCost = cost;
    }
  }
  // No bit says anything worth a condition.
  const gain = entropy(these.length, others.length) - bestCost;
  if (gain < 4) {
    return [{ label: `${label || "?"} (${these.length} of ${these.length + others.length})`, of: these }];
  }
  return [1, 0].flatMap((v) =>
    explainSplit(
      words,
      these.filter((i) => bitOf(words, i, best) === v),
      others.filter((i) => bitOf(words, i, best) === v),
      depth - 1,
      `${label}${label ? " " : ""}${best}=${v}`,
    ),
  );
}

/** Bits needed to say which of n words are in which set. */
function entropy(a: number, b: number): number {
  const n = a + b;
  const part = (k: number): number => (k === 0 ? 0 : -k * Math.log2(k / n));
  return part(a) + part(b);
}
