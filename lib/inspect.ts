/**
 * How the big results show themselves: as their text, where console.log and notebooks would otherwise list hundreds of
 * fields. Both ask a value for a method under a well-known symbol; nothing is imported for it.
 */
const inspectSymbol: symbol = Symbol.for("nodejs.util.inspect.custom");
const displaySymbol: symbol = Symbol.for("Jupyter.display");

/** The depth that console.log starts at; further in there is room for one line only. */
const OUTERMOST = 2;

/** MIME type → content. */
type Bundle = Readonly<Record<string, unknown>>;

/**
 * Gives `value` its own looks: `whole` where it stands alone, `brief` inside of other values, `rich` (given the value and
 * its `whole` text) in notebooks. The methods are not enumerable, so that copies, comparisons and JSON do not see them.
 * Returns `value`.
 */
export function shownAs<T extends object>(
  value: T,
  whole: (value: T) => string,
  brief: (value: T) => string,
  rich: (value: T, text: string) => Bundle | Promise<Bundle> = (_, text) => ({ "text/plain": text }),
): T {
  return Object.defineProperties(value, {
    [inspectSymbol]: {
      value(this: T, depth: number): string {
        return depth === OUTERMOST || depth === Number.POSITIVE_INFINITY ? whole(this) : brief(this);
      },
    },
    [displaySymbol]: {
      value(this: T): Bundle | Promise<Bundle> {
        return rich(this, whole(this));
      },
    },
  });
}

/** Gives `value` a method under a well-known symbol, which copies and JSON do not see. Returns `value`. */
export function answers<T extends object, O, A>(value: T, symbol: string, answer: (value: T, options: O) => A): T {
  return Object.defineProperty(value, Symbol.for(symbol), {
    value(this: T, options: O): A {
      return answer(this, options);
    },
  });
}

/** Charts and the like that notebooks show below a value, live where the front end can: a bundle of its own each. Returns `value`. */
export function showsBelow<T extends object>(value: T, below: (value: T) => Promise<readonly object[]>): T {
  return answers<T, undefined, Promise<readonly object[]>>(value, "ptxlab.display.below", (v) => below(v));
}

/** `1 block`, `2 blocks`; `of` is the word for one. */
export function counted(n: number, of: string): string {
  return `${n} ${of}${n === 1 ? "" : "s"}`;
}
