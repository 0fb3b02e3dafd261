/**
 * Thrown inside one instruction's lowering when it cannot be lowered, caught where instructions are dispatched and told as a
 * diagnostic. It never leaves this component.
 */
export class Refusal extends Error {
  /** What to name instead of the instruction, null for the instruction as written. */
  readonly what: string | null;

  constructor(what: string | null = null) {
    super(what ?? "not lowered");
    this.what = what;
  }
}
