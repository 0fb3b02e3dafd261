/** How well the timing model agrees with measured times. */

/** Ranks from 1; equal values share the mean of theirs. */
function ranks(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const out = new Array<number>(values.length);
  for (let i = 0; i < order.length; ) {
    let j = i;
    while (j < order.length && values[order[j]!] === values[order[i]!]) j++;
    for (let k = i; k < j; k++) out[order[k]!] = (i + j + 1) / 2;
    i = j;
  }
  return out;
}

export const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;

/** Rank correlation after Spearman; NaN where one side does not vary. */
export function spearman(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [ranks(a), ranks(b)];
  const [mx, my] = [mean(x), mean(y)];
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    xy += (x[i]! - mx) * (y[i]! - my);
    xx += (x[i]! - mx) ** 2;
    yy += (y[i]! - my) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

/** Factor that fits b = factor · a best. */
export const slope = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((n, v, i) => n + v * b[i]!, 0) / a.reduce((n, v) => n + v * v, 0);

export interface Pair {
  readonly kernel: string;
  readonly name: string;
  readonly measured: number;
  readonly model: number;
}

export interface Agreement {
  readonly points: number;
  /** Over all points, and the mean over kernels of the correlation over their codes. */
  readonly all: number;
  readonly within: number;
  /** Of pairs of codes of one kernel that differ by more than 3 % on the GPU: share that the model puts in the same order. */
  readonly ordered: number;
  readonly pairs: number;
  /** Geometric mean of model over measured, and mean absolute error in percent, per kernel. */
  readonly kernels: readonly {
    readonly kernel: string;
    readonly ratio: number;
    readonly error: number;
    readonly rank: number;
    /** Slowest over fastest code on the GPU. */
    readonly spread: number;
  }[];
  /** Mean over kernels of the error. */
  readonly error: number;
  /** Geometric mean over kernels of the ratio. */
  readonly ratio: number;
}

export function agreement(points: readonly Pair[]): Agreement {
  let [same, pairs] = [0, 0];
  const kernels = [...new Set(points.map((p) => p.kernel))].map((kernel) => {
    const own = points.filter((p) => p.kernel === kernel);
    const logs = own.map((p) => Math.log(p.model / p.measured));
    for (const [i, a] of own.entries())
      for (const b of own.slice(i + 1)) {
        if (Math.abs(Math.log(a.measured / b.measured)) < Math.log(1.03)) continue;
        pairs++;
        if (Math.sign(a.measured - b.measured) === Math.sign(a.model - b.model)) same++;
      }
    const times = own.map((p) => p.measured);
    return {
      kernel,
      ratio: Math.exp(mean(logs)),
      error: 100 * mean(own.map((p) => Math.abs(p.model / p.measured - 1))),
      rank: spearman(
        times,
        own.map((p) => p.model),
      ),
      spread: Math.max(...times) / Math.min(...times),
    };
  });
  const known = kernels.filter((k) => !Number.isNaN(k.rank));
  return {
    points: points.length,
    all: spearman(
      points.map((p) => p.measured),
      points.map((p) => p.model),
    ),
    within: mean(known.map((k) => k.rank)),
    ordered: same / pairs,
    pairs,
    kernels,
    error: mean(kernels.map((k) => k.error)),
    ratio: Math.exp(mean(kernels.map((k) => Math.log(k.ratio)))),
  };
}
