/** A module in a few words: how it shows itself. */
import { counted } from "../inspect.js";
import type { FunctionItem, Module, Statement } from "./ast.js";

/** `PTX 8.0 for sm_90: 1 function, 2 variables`. */
export function headOf(m: Module): string {
  const functions = m.items.filter((i) => i.kind === "function").length;
  const variables = m.items.filter((i) => i.kind === "declaration").length;
  const version = m.version === null ? "PTX" : `PTX ${m.version.major}.${m.version.minor}`;
  const target = m.target === null ? "" : ` for ${m.target.names.join(", ")}`;
  return `${version}${target}: ${counted(functions, "function")}, ${counted(variables, "variable")}`;
}

/** The head, and a line for each function. */
export function describeModule(m: Module): string {
  const functions = m.items.filter((i): i is FunctionItem => i.kind === "function");
  const name = m.file === null ? "" : ` ${m.file}`;
  return [`Module${name}, ${headOf(m)}`, ...functions.map((f) => `  ${functionLine(f)}`)].join("\n");
}

function functionLine(f: FunctionItem): string {
  const kind = `${f.linkage === null ? "" : `.${f.linkage} `}${f.entry ? ".entry" : ".func"}`;
  const body = f.body === null ? "declared only" : counted(instructionsIn([...f.body.statements]), "instruction");
  return `${kind} ${f.name}: ${counted(f.params?.length ?? 0, "parameter")}, ${body}`;
}

/** Instructions, those of inner blocks included. */
function instructionsIn(statements: readonly Statement[]): number {
  let n = 0;
  for (const s of statements)
    n += s.kind === "block" ? instructionsIn([...s.statements]) : s.kind === "instruction" ? 1 : 0;
  return n;
}
