/**
 * The register limit of an entry. Rules and texts as measured on ptxas 13.0.88 (
 * test/oracle/register-limits.test.ts compares used registers and messages):
 *
 * 1. `.maxnreg`, raised to 24 and cut to 255; where `.minnctapersm` asks for less, that.
 * 2. `.maxntid`/`.reqntid` with `.minnctapersm`: what still lets that many CTAs run on an SM. Without `.minnctapersm`,
 *    what lets one run (silently).
 * 3. `-maxrregcount`, only when none of these applies or `-override-directive-values` says so.
 */
import { type Diagnostic, diagnostic } from "../diagnostics.js";
import type { LaunchBounds } from "../ori/types.js";
import { registerCap, type Target } from "../target/index.js";

/** What limits registers beside the target. */
export interface RegisterLimitOptions {
  /** `-maxrregcount`, as returned by `adjustRegisterOption`. */
  readonly maxrregcount?: number;
  /** `-override-directive-values`: the option wins over all directives. */
  readonly overrideDirectives?: boolean;
}

/** How many registers a function may have, and why. */
export interface RegisterLimit {
  /** Limit as ptxas counts registers (highest index + 1 + 2). */
  readonly registers: number;
  /** What the limit comes from. */
  readonly source: "target" | "maxnreg" | "thread count" | "option";
  /** Warnings, and the lines that `-v` shows (severity info). */
  readonly diagnostics: readonly Diagnostic[];
}

/** No limit goes below this, on any target. */
export const LOWEST_LIMIT = 24;
/** What the messages call the limit of an entry without directives. */
const UNLIMITED = 256;

/** Brings the value of `-maxrregcount` into range, once per run. */
export function adjustRegisterOption(
  target: Target,
  value: number,
): {
  /** The limit that counts, in registers per thread. */
  readonly value: number;
  /** What is said of the one given. */
  readonly diagnostics: readonly Diagnostic[];
} {
  const most = target.limits.maxRegistersPerThread;
  if (value < LOWEST_LIMIT) {
    const text = `For profile ${target.name} adjusting per thread register count of ${value} to lower bound of ${LOWEST_LIMIT}`;
    return { value: LOWEST_LIMIT, diagnostics: [diagnostic("warning", text)] };
  }
  if (value > most) {
    return {
      value: most,
      diagnostics: [diagnostic("warning", `Too big maxrregcount value specified ${value}, will be ignored`)],
    };
  }
  return { value, diagnostics: [] };
}

/** The register limit of an entry from its directives and the command line, with ptxas's warnings (measured on ptxas 13.0.88). */
export function registerLimit(
  name: string,
  target: Target,
  bounds: LaunchBounds,
  options: RegisterLimitOptions = {},
): RegisterLimit {
  const said: Diagnostic[] = [];
  const warn = (text: string): void => {
    said.push(diagnostic("warning", text));
  };
  const info = (text: string): void => {
    said.push(diagnostic("info", text));
  };
  const launch = checkLaunch(name, target, bounds, warn);
  const named = checkMaxnreg(name, target, bounds.maxnreg, warn);
  const { maxrregcount: option, overrideDirectives = false } = options;
  const computed = launch.ctas > 0 ? registersFor(target, launch.threads, launch.ctas) : 0;
  const own = named > 0 && computed > 0 ? Math.min(named, computed) : named || computed;
  const byThreads = own === computed && own !== named;
  if (option !== undefined) {
    if (own > 0 && own !== option && (byThreads || !overrideDirectives)) {
      const why = byThreads ? "computed using thread count" : "of .maxnreg";
      info(`Overriding global maxrregcount ${option} with entry-specific value ${own} ${why}`);
    }
    if (overrideDirectives || (own === 0 && launch.threads === 0)) {
      info(
        `Overriding maximum register limit ${named || UNLIMITED} for '${name}' with  ${option} of maxrregcount option`,
      );
      return { registers: option, source: "option", diagnostics: said };
    }
  }
  if (own > 0) return { registers: own, source: byThreads ? "thread count" : "maxnreg", diagnostics: said };
  if (launch.threads > 0) {
    return { registers: registersFor(target, launch.threads, 1), source: "thread count", diagnostics: said };
  }
  return { registers: target.limits.maxRegistersPerThread, source: "target", diagnostics: said };
}

/** Threads per CTA and CTAs per SM that count; 0 for what is not given or out of range. */
function checkLaunch(
  name: string,
  target: Target,
  bounds: LaunchBounds,
  warn: (text: string) => void,
): { readonly threads: number; readonly ctas: number } {
  const { limits } = target;
  const shape = bounds.reqntid ?? bounds.maxntid;
  if (shape === null) return { threads: 0, ctas: 0 };
  const threads = shape[0] * shape[1] * shape[2];
  const warps = Math.ceil(threads / limits.warpSize);
  const ctas = bounds.minnctapersm;
  if (warps > limits.maxWarpsPerSm) {
    const what = ctas > 0 ? `Value of maxntid, for entry ${name}` : `Value of threads per SM for entry ${name}`;
    warn(`${what} is out of range. .minnctapersm and .maxntid will be ignored`);
    return { threads: 0, ctas: 0 };
  }
  if (ctas > limits.maxCtasPerSm) {
    warn(`Value of minnctapersm for entry ${name} is out of range. minnctapersm will be ignored`);
    return { threads, ctas: 0 };
  }
  if (ctas * warps > limits.maxWarpsPerSm) {
    warn(`Value of threads per SM for entry ${name} is out of range. .minnctapersm will be ignored`);
    return { threads, ctas: 0 };
  }
  return { threads, ctas };
}

function checkMaxnreg(name: string, target: Target, value: number, warn: (text: string) => void): number {
  if (value === 0) return 0;
  if (value < LOWEST_LIMIT) {
    warn(`For entry ${name} adjusting per thread register count of ${value} to lower bound of ${LOWEST_LIMIT}`);
    return LOWEST_LIMIT;
  }
  if (value > target.limits.maxRegistersPerThread) {
    warn(`Too many maxnreg specified for entry ${name}, will be ignored`);
    return target.limits.maxRegistersPerThread;
  }
  return value;
}

/** Threads and CTAs are in range here. */
function registersFor(target: Target, threads: number, ctas: number): number {
  return registerCap(target, threads, ctas) ?? target.limits.maxRegistersPerThread;
}
