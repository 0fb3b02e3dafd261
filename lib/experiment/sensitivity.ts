/**
 * Which factors (knobs, levels, limits) a figure depends on. Morris (1991) with the mean of absolute effects of Campolongo et al. (2007) screens many
 * factors with few runs; Sobol's indices, by the designs and estimators of Saltelli et al. (2010), share the variance out among few
 * factors. A design is a list of points to run; the figures of the runs, in the same order, give the answer.
 */
import { hash32, unit } from "./random.js";

/** A value that a factor may have. */
export type FactorValue = string | number | boolean;

/** What can be turned, and the values it may have, in their order. */
export interface Factor {
  /** Name of what is turned. */
  readonly name: string;
  /** Its values in their order; at least two. */
  readonly values: readonly FactorValue[];
}

/** A value for each factor, by name. */
export type Setting = Readonly<Record<string, FactorValue>>;

/** Points to run; `groups` holds for each group of them the indices that the answer needs. */
export interface MorrisDesign {
  /** What is turned. */
  readonly factors: readonly Factor[];
  /** The settings to run, in order. */
  readonly points: readonly Setting[];
  /** Steps: point before, point after, factor that changed, by which share of its range. */
  readonly steps: readonly {
    /** Index of the point before the step. */
    readonly from: number;
    /** Index of the point after it. */
    readonly to: number;
    /** Index of the factor that changed. */
    readonly factor: number;
    /** By which share of the factor's range, signed. */
    readonly by: number;
  }[];
}

/** What a factor does to a figure, by Morris. */
export interface MorrisEffect {
  /** Name of the factor. */
  readonly name: string;
  /** Mean effect of the whole range of the factor, in units of the figure. */
  readonly mean: number;
  /** Mean of the sizes of effects: effects that cancel count. */
  readonly meanSize: number;
  /** Standard deviation of effects: interactions and curvature. */
  readonly deviation: number;
}

const pointOf = (factors: readonly Factor[], at: readonly number[]): Setting =>
  Object.fromEntries(factors.map((f, k) => [f.name, f.values[at[k]!]!]));

/** Random numbers in [0, n), each once. */
function permutation(n: number, ...seed: readonly number[]): number[] {
  const order = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = hash32(...seed, i) % (i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/** Trajectories through the space, each of which changes every factor once, by about half of its range. Factors have at least two values. */
export function morrisDesign(
  factors: readonly Factor[],
  options: {
    /** Trajectories, each of `factors + 1` points. Default 10. */
    readonly trajectories?: number;
    /** Seed of the random choices. Default 1. */
    readonly seed?: number;
  } = {},
): MorrisDesign {
  const { trajectories = 10, seed = 1 } = options;
  const flat = factors.find((f) => f.values.length < 2);
  if (flat !== undefined) throw new Error(`${flat.name}: a factor has at least two values`);
  const points: Setting[] = [];
  const steps: { from: number; to: number; factor: number; by: number }[] = [];
  for (let t = 0; t < trajectories; t++) {
    const at = factors.map((f, k) => hash32(seed, t, 1, k) % f.values.length);
    points.push(pointOf(factors, at));
    for (const k of permutation(factors.length, seed, t, 2)) {
      const n = factors[k]!.values.length;
      const half = Math.max(1, Math.floor(n / 2));
      const [up, down] = [at[k]! + half < n, at[k]! - half >= 0];
      const step = up && (!down || unit(seed, t, 3, k) < 0.5) ? half : -half;
      at[k] = at[k]! + step;
      steps.push({ from: points.length - 1, to: points.length, factor: k, by: step / (n - 1) });
      points.push(pointOf(factors, at));
    }
  }
  return { factors, points, steps };
}

/** Effects of a Morris design from the figures of its points; the strongest first. Steps with a figure of null are left out. */
export function morris(design: MorrisDesign, figures: readonly (number | null)[]): MorrisEffect[] {
  const effects: number[][] = design.factors.map(() => []);
  for (const { from, to, factor, by } of design.steps) {
    const [a, b] = [figures[from] ?? null, figures[to] ?? null];
    if (a !== null && b !== null) effects[factor]!.push((b - a) / by);
  }
  const mean = (list: readonly number[]): number => list.reduce((x, y) => x + y, 0) / Math.max(1, list.length);
  return design.factors
    .map(({ name }, k) => {
      const all = effects[k]!;
      const middle = mean(all);
      const squares = all.reduce((sum, e) => sum + (e - middle) ** 2, 0);
      const deviation = Math.sqrt(squares / Math.max(1, all.length - 1));
      return { name, mean: middle, meanSize: mean(all.map(Math.abs)), deviation };
    })
    .sort((a, b) => b.meanSize - a.meanSize || (a.name < b.name ? -1 : 1));
}

/** Points of a Sobol design: `samples` of A, as many of B, and for each factor those of A with the factor's column of B. */
export interface SobolDesign {
  /** What is turned. */
  readonly factors: readonly Factor[];
  /** Rows of the matrices A and B. */
  readonly samples: number;
  /** The settings to run, in order. */
  readonly points: readonly Setting[];
}

/** How much of a figure's variance a factor explains. */
export interface SobolIndex {
  /** Name of the factor. */
  readonly name: string;
  /** Share of the variance that the factor explains alone. */
  readonly first: number;
  /** With all of its interactions. */
  readonly total: number;
}

/** `samples * (factors + 2)` points, drawn at random. */
export function sobolDesign(
  factors: readonly Factor[],
  options: {
    /** Rows of the matrices A and B. Default 64. */
    readonly samples?: number;
    /** Seed of the random draws. Default 1. */
    readonly seed?: number;
  } = {},
): SobolDesign {
  const { samples = 64, seed = 1 } = options;
  const draw = (matrix: number): number[][] =>
    Array.from({ length: samples }, (_, i) =>
      factors.map((f, k) => Math.floor(unit(seed, matrix, i, k) * f.values.length)),
    );
  const [a, b] = [draw(1), draw(2)];
  const mixed = factors.flatMap((_, k) => a.map((row, i) => row.map((x, j) => (j === k ? b[i]![k]! : x))));
  return { factors, samples, points: [...a, ...b, ...mixed].map((at) => pointOf(factors, at)) };
}

/**
 * Sobol indices from the figures of a design's points; the strongest first. Samples of which one figure is null are left out. Where all figures are
 * the same there is nothing to explain: indices are 0.
 */
export function sobol(design: SobolDesign, figures: readonly (number | null)[]): SobolIndex[] {
  const { samples: n, factors } = design;
  const there = Array.from({ length: n }, (_, i) => i).filter((i) =>
    Array.from({ length: factors.length + 2 }, (_, m) => figures[m * n + i] ?? null).every((x) => x !== null),
  );
  const at = (matrix: number, i: number): number => figures[matrix * n + i] as number;
  const both = there.flatMap((i) => [at(0, i), at(1, i)]);
  const middle = both.reduce((x, y) => x + y, 0) / Math.max(1, both.length);
  const variance = both.reduce((sum, x) => sum + (x - middle) ** 2, 0) / Math.max(1, both.length);
  const mean = (of: (i: number) => number): number =>
    variance === 0 ? 0 : there.reduce((sum, i) => sum + of(i), 0) / there.length / variance;
  return factors
    .map(({ name }, k) => ({
      name,
      // Of figures around their mean: what all have in common would only add the noise of the draws.
      first: mean((i) => (at(1, i) - middle) * (at(k + 2, i) - at(0, i))),
      total: mean((i) => (at(0, i) - at(k + 2, i)) ** 2 / 2),
    }))
    .sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
}
