/** Options of ptxas after the name of a notebook cell. */
import type { CompileOptions } from "../compile.js";
import type { Diagnostic } from "../diagnostics.js";
import { adjustRegisterOption } from "../regalloc/index.js";
import { isTargetName, target as targetOf } from "../target/index.js";
import { parseArguments } from "./arguments.js";
import { ptxasOptions } from "./ptxas-options.js";

/** Those that say something about one compilation; where its result goes and what is printed is the notebook's matter. */
const TAKEN = ["arch", "O", "maxrregcount", "lineinfo", "c", "e", "override-directive-values", "fmad"];

export type CellOptionsRead =
  | { readonly ok: true; readonly value: CompileOptions; readonly warnings: readonly Diagnostic[] }
  | { readonly ok: false; readonly message: string };

/**
 * `-arch sm_90 -O2 -maxrregcount 32 …` as options of `compile`. Without `-arch` the `.target` of the text counts, without
 * `-O` level 3, as for ptxas.
 */
export function ptxOptions(args: readonly string[], text: string): CellOptionsRead {
  const parsed = parseArguments(args, ptxasOptions, () => null);
  const taken = TAKEN.map((t) => `-${t}`).join(" ");
  if (!parsed.ok) {
    const unknown = parsed.message.startsWith("Unknown option");
    return { ok: false, message: unknown ? `${parsed.message}; a cell takes ${taken}` : parsed.message };
  }
  const { values, inputs } = parsed.value;
  if (inputs.length > 0) return { ok: false, message: `unknown argument '${inputs[0]!.path}'` };
  const other = [...values.keys()].find((k) => !TAKEN.includes(k));
  if (other !== undefined)
    return {
      ok: false,
      message: `option '-${other}' has no meaning in a cell: ${taken}`,
    };
  const target = values.get("arch") ?? /^\s*\.target\s+(sm_\w+)/m.exec(text)?.[1] ?? "sm_75";
  if (!isTargetName(target)) return { ok: false, message: `no such target: ${target}` };
  const registers = values.get("maxrregcount");
  if (registers !== undefined && !/^\d+$/.test(registers))
    return { ok: false, message: `Invalid value '${registers}' for option 'maxrregcount'` };
  const limit = registers === undefined ? null : adjustRegisterOption(targetOf(target), Number(registers));
  const entries = values.get("e")?.split(",");
  const value: CompileOptions = {
    target,
    ...(values.has("O") && { opt: Number(values.get("O")) }),
    ...(values.has("lineinfo") && { lineInfo: true }),
    relocatable: values.has("c"),
    ...(values.get("fmad") === "false" && { fmad: false }),
    ...(limit !== null && { maxRegisters: limit.value }),
    ...(values.has("override-directive-values") && { overrideDirectives: true }),
    ...(entries && { entries }),
  };
  return { ok: true, value, warnings: limit?.diagnostics ?? [] };
}
