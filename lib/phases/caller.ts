/**
 * What a function of the caller threw (a body, a hook, a policy, an observer), told with its place in the caller's source. Which frames of a
 * stack are the caller's: those that stand above the frames of the manager and in no file of this library.
 */

/** Folder of this library, as stacks name it; "" in a page, which has none: then no place is told. */
const library = typeof __dirname === "undefined" ? "" : __dirname.replace(/[\\/]phases$/, "");

/** Where the kernel of notebooks says what a line of a stack is in lines of a cell; null: one of its machinery. */
const placeSymbol: unique symbol = Symbol.for("ptxlab.place") as never;

/** Name and message of what was thrown, and the innermost place in its stack that is the caller's. */
export function thrown(cause: unknown): string {
  if (!(cause instanceof Error) && !isError(cause)) return String(cause);
  const place = callersPlace(cause);
  return `${cause.name}: ${cause.message}${place === null ? "" : `, at ${place}`}`;
}

/**
 * Whether something was thrown within a function of the caller that a phase of ours called: one of its frames stands above those of the manager
 * (named by the end of its file's name).
 */
export function isCallers(cause: unknown, manager: RegExp): boolean {
  return isError(cause) && callersPlace(cause, manager) !== null;
}

/** Errors of a notebook's cells are of another realm than ours. */
function isError(cause: unknown): cause is Error {
  return Object.prototype.toString.call(cause) === "[object Error]" || cause instanceof Error;
}

/** The innermost frame that is the caller's, above the first that `until` matches. */
function callersPlace(cause: Error, until?: RegExp): string | null {
  const tell = (globalThis as { readonly [placeSymbol]?: (line: string) => string | null })[placeSymbol];
  for (const line of (cause.stack ?? "").split("\n")) {
    if (!/^\s+at /.test(line)) continue;
    if (until?.test(line)) return null;
    if (line.includes(library) || /\(<anonymous>\)|\bnode:/.test(line)) continue;
    const told = tell === undefined ? line : tell(line);
    if (told !== null) return told.replace(/^\s+at /, "").trim();
  }
  return null;
}
