/**
 * Reads a command line by a table of options, the way ptxas does (measured): `-short`, `--long`, the value after `=` or
 * as the next argument; `-O3` and `-m64` attached. The first mistake ends the reading.
 */
import type { OptionSpec } from "./ptxas-options.js";

export interface Input {
  /** Null for text given on the command line. */
  readonly path: string | null;
  readonly text: string;
}

export interface Arguments {
  /** By short name; flags hold "". */
  readonly values: ReadonlyMap<string, string>;
  /** Files (their text is not read yet) and texts, in order. */
  readonly inputs: readonly Input[];
  /** Complaints that do not stop anything. */
  readonly warnings: readonly string[];
}

export type Parsed =
  | { readonly ok: true; readonly value: Arguments }
  | { readonly ok: false; readonly message: string };

class Mistake extends Error {}

/** `readOptions` gives the text of an options file, null when it cannot be read. */
export function parseArguments(
  args: readonly string[],
  options: readonly OptionSpec[],
  readOptions: (path: string) => string | null,
): Parsed {
  const values = new Map<string, string>();
  const inputs: Input[] = [];
  const warnings: string[] = [];
  try {
    read(args, { options, values, inputs, warnings, readOptions, depth: 0 });
  } catch (e) {
    if (e instanceof Mistake) return { ok: false, message: e.message };
    throw e;
  }
  return { ok: true, value: { values, inputs, warnings } };
}

interface State {
  readonly options: readonly OptionSpec[];
  readonly values: Map<string, string>;
  readonly inputs: Input[];
  readonly warnings: string[];
  readonly readOptions: (path: string) => string | null;
  readonly depth: number;
}

function read(args: readonly string[], state: State): void {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (!arg.startsWith("-") || arg === "-") {
      state.inputs.push({ path: arg, text: "" });
      continue;
    }
    const { spec, value, name } = match(arg, state.options);
    let given = value;
    if (spec.kind === "flag") {
      if (given !== null) throw new Mistake(`no argument expected after '${name}'`);
      given = "";
    } else if (given === null && spec.kind === "level" && !arg.startsWith("--")) given = "0";
    else if (given === null) {
      i++;
      if (i >= args.length) throw new Mistake(`argument expected after '${name}'`);
      given = args[i]!;
    }
    if (spec.short === "optf") readFile(given, state);
    else if (spec.short === "ias") state.inputs.push({ path: null, text: given });
    else take(spec, given, state);
  }
}

function match(arg: string, options: readonly OptionSpec[]): { spec: OptionSpec; value: string | null; name: string } {
  const eq = arg.indexOf("=");
  const name = eq < 0 ? arg : arg.slice(0, eq);
  const value = eq < 0 ? null : arg.slice(eq + 1);
  const exact = options.find((o) => name === `--${o.long}` || name === `-${o.short}`);
  if (exact !== undefined) return { spec: exact, value, name };
  for (const short of ["O", "m"]) {
    const attached = options.find((o) => o.short === short);
    if (attached === undefined || !arg.startsWith(`-${short}`)) continue;
    const rest = arg.slice(2);
    if (!/^[+-]?\d+$/.test(rest)) throw new Mistake(`'${rest}': expected a number`);
    return { spec: attached, value: rest, name: `-${short}` };
  }
  throw new Mistake(`Unknown option '${name.slice(1)}'`);
}

function take(spec: OptionSpec, value: string, state: State): void {
  if (spec.kind === "bool" && value !== "true" && value !== "false")
    throw new Mistake(`'${value}': expected true or false`);
  if ((spec.kind === "number" || spec.kind === "level") && !/^[+-]?\d+$/.test(value))
    throw new Mistake(`'${value}': expected a number`);
  if (spec.choices !== null && !spec.choices.includes(value))
    throw new Mistake(`Value '${value}' is not defined for option '${spec.long}'`);
  const before = state.values.get(spec.short);
  if (spec.kind === "list" && before !== undefined) state.values.set(spec.short, `${before},${value}`);
  else {
    if (before !== undefined && before !== value)
      state.warnings.push(
        `incompatible redefinition for option '${spec.long}', the last value of this option was used`,
      );
    state.values.set(spec.short, value);
  }
}

function readFile(paths: string, state: State): void {
  for (const path of paths.split(",")) {
    const text = state.depth < 8 ? state.readOptions(path) : null;
    if (text === null) throw new Mistake(`Could not open options file '${path}'`);
    const words = text.split(/\s+/).filter((w) => w.length > 0);
    read(words, { ...state, depth: state.depth + 1 });
  }
}
