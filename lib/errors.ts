/**
 * A mistake of ptxlab, never of its user: an inconsistency found while compiling. Thrown, not returned; `compile`
 * catches it per kernel, so one broken kernel does not stop the others.
 */
export class InternalError extends Error {
  /** Phase in which it happened, null outside of phases. */
  readonly phase: string | null;
  /** Function that was compiled, null where there was none. */
  readonly func: string | null;
  /** The instruction or the IR at fault, as text. */
  readonly detail: string | null;

  constructor(
    message: string,
    where: {
      /** Phase in which it happened. */
      phase?: string;
      /** Function that was compiled. */
      func?: string;
      /** What helps to understand it: IR, numbers. */
      detail?: string;
    } = {},
  ) {
    const at = [where.phase && `phase ${where.phase}`, where.func && `function ${where.func}`]
      .filter(Boolean)
      .join(", ");
    super((at ? `${message} (${at})` : message) + (where.detail ? `\n${where.detail}` : ""));
    this.name = "InternalError";
    this.phase = where.phase ?? null;
    this.func = where.func ?? null;
    this.detail = where.detail ?? null;
  }
}
