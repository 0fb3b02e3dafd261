/** How sure a comparison of two runs over the same inputs is. */
import { hash32 } from "./random.js";
import { quantile } from "./statistics.js";

export interface BootstrapOptions {
  /** Of the random draws. Default 1. */
  readonly seed?: number;
  /** Draws. Default 10,000. */
  readonly samples?: number;
  /** Share of the draws between the ends of the interval. Default 0.95. */
  readonly confidence?: number;
}

export interface Interval {
  /** Geometric mean of after over before. */
  readonly ratio: number;
  /** Ends of the interval (percentiles of the draws). */
  readonly low: number;
  /** Upper end of the interval. */
  readonly high: number;
  /** Pairs that it is made of. */
  readonly pairs: number;
}

/**
 * The geometric mean of `after / before` over pairs, with its interval by drawing pairs again with replacement: what an input does to both runs stays
 * together. Throws for no pairs and for figures that are not above 0.
 */
export function pairedBootstrap(
  pairs: readonly {
    /** The figure as it was, in any unit. */
    readonly before: number;
    /** The figure of the same case now, in the same unit. */
    readonly after: number;
  }[],
  options: BootstrapOptions = {},
): Interval {
  const { seed = 1, samples = 10_000, confidence = 0.95 } = options;
  if (pairs.length === 0) throw new Error("no pairs");
  const logs = pairs.map(({ before, after }) => {
    if (!(before > 0 && after > 0)) throw new Error("figures of pairs must be above 0");
    return Math.log(after / before);
  });
  const n = logs.length;
  const means = Array.from({ length: samples }, (_, s) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += logs[hash32(seed, s, i) % n]!;
    return sum / n;
  });
  const tail = (1 - confidence) / 2;
  return {
    ratio: Math.exp(logs.reduce((a, b) => a + b, 0) / n),
    low: Math.exp(quantile(means, tail)),
    high: Math.exp(quantile(means, 1 - tail)),
    pairs: n,
  };
}
