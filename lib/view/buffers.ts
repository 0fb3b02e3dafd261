/** Results of a kernel against what they should be. */
import { type HtmlView, htmlView } from "./display.js";
import { element } from "./html.js";
import { type Row, table } from "./table.js";

/** Elements of a buffer. */
export type Numbers = ArrayLike<number> | ArrayLike<bigint>;

/** A buffer beside what it should hold. */
export interface BufferPair {
  /** Name of the buffer. */
  readonly name: string;
  /** What it holds. */
  readonly actual: Numbers;
  /** What it should hold. */
  readonly expected: Numbers;
  /** An element differs when |actual − expected| > absolute + relative · |expected|. Both default to 0: equal bits. */
  readonly absolute?: number;
  /** Share of the expected value by which elements may differ. Default 0. */
  readonly relative?: number;
}

/** How a buffer compares with what it should hold. */
export interface BufferComparison {
  /** Name of the buffer. */
  readonly name: string;
  /** Its elements. */
  readonly length: number;
  /** Elements that differ by more than is allowed. */
  readonly differing: number;
  /** Largest difference. */
  readonly largestAbsolute: number;
  /** Largest difference over the expected value. */
  readonly largestRelative: number;
  /** The first elements that differ. */
  readonly first: readonly {
    /** Index of the element. */
    readonly index: number;
    /** What is there. */
    readonly actual: number;
    /** What should be there. */
    readonly expected: number;
  }[];
}

const FIRST_DIFFERENCES = 8;

/** Compares element by element. A different length counts every missing element as different; NaN equals NaN. */
export function compareBuffers(pair: BufferPair): BufferComparison {
  const { name, actual, expected, absolute = 0, relative = 0 } = pair;
  const length = Math.max(actual.length, expected.length);
  const first: { index: number; actual: number; expected: number }[] = [];
  let differing = 0;
  let largestAbsolute = 0;
  let largestRelative = 0;
  for (let i = 0; i < length; i++) {
    const [a, e] = [Number(actual[i] ?? Number.NaN), Number(expected[i] ?? Number.NaN)];
    const missing = i >= actual.length || i >= expected.length;
    // The elements themselves: 64-bit integers may be equal as numbers though they are not.
    if (!missing && (Object.is(a, e) || a === e) && (typeof actual[i] === "number" || actual[i] === expected[i]))
      continue;
    const gap = Math.abs(a - e);
    if (gap > largestAbsolute) largestAbsolute = gap;
    if (e !== 0 && gap / Math.abs(e) > largestRelative) largestRelative = gap / Math.abs(e);
    if (!missing && typeof actual[i] === "number" && gap <= absolute + relative * Math.abs(e)) continue;
    differing++;
    if (first.length < FIRST_DIFFERENCES) first.push({ index: i, actual: a, expected: e });
  }
  return { name, length, differing, largestAbsolute, largestRelative, first };
}

/** One line per buffer, and the first differing elements where there are any. */
export function bufferTable(pairs: readonly BufferPair[]): HtmlView & {
  /** No buffer differs. */
  readonly equal: boolean;
} {
  const results = pairs.map(compareBuffers);
  const equal = results.every((r) => r.differing === 0);
  const rows: Row[] = results.map((r) => ({
    buffer: r.name,
    elements: r.length,
    differing: r.differing,
    "largest difference": r.largestAbsolute,
    "largest relative": r.largestRelative,
    verdict: r.differing === 0 ? "✓ equal" : "✗ different",
  }));
  const summary = table(rows);
  const wrong = results.flatMap((r) =>
    r.first.map((f) => ({ buffer: r.name, ...f, difference: f.actual - f.expected })),
  );
  const details = wrong.length === 0 ? null : table(wrong, { title: "First differences", digits: 6 });
  const view = htmlView(
    summary.html + (details === null ? "" : element("div", "margin-top:8px", details.html)),
    details === null ? summary.text : `${summary.text}\n${details.text}`,
  );
  return { ...view, equal };
}
