import type { Diagnostic } from "../diagnostics.js";
import { InternalError } from "../errors.js";
import type { LaunchBounds } from "../ori/types.js";
import type { Target } from "../target/types.js";

export interface RegisterLimitOptions {
  /** `-maxrregcount`. */
  readonly maxrregcount?: number;
  /** `-override-directive-values`: the option wins over .maxnreg and .maxntid with .minnctapersm. */
  readonly overrideDirectives?: boolean;
}

export interface RegisterLimit {
  /** Limit as ptxas counts registers (highest index + 1 + 2). */
  readonly registers: number;
  readonly source: "target" | "maxnreg" | "thread count" | "option";
  readonly diagnostics: readonly Diagnostic[];
}

/** The register limit of an entry from its directives and the command line, with ptxas's warnings (digest A §2.5). */
export function registerLimit(
  _name: string,
  _target: Target,
  _bounds: LaunchBounds,
  _options: RegisterLimitOptions = {},
): RegisterLimit {
  throw new InternalError("not built");
}
