import type { Severity, Span } from "../diagnostics.js";
import type { Declaration, Expr, FunctionItem, Initializer, Parameter, Variable, VariableType } from "./ast.js";
import { evaluate } from "./expressions.js";
import { isFloat, sizeOf } from "./operand-types.js";
import type { Scope } from "./scope.js";

/** Rules of declarations, parameters and function directives; wording measured on ptxas 13.0.88. */

export type Report = (severity: Severity, message: string, at: Span | null) => void;

const INITIALIZED: ReadonlySet<string> = new Set(["global", "const"]);

export function checkDeclaration(
  d: Declaration,
  v: Variable,
  moduleScope: boolean,
  globals: Scope,
  scope: Scope,
  report: Report,
): void {
  if (moduleScope && (d.space === "local" || d.space === "reg")) {
    report("error", `Module-scoped variables in .${d.space} state space are not allowed with ABI`, v.span);
    return;
  }
  if (moduleScope && d.space === "param")
    report("error", "Parameter variables may not be declared at module scope", v.span);
  if (d.space === "tex") report("error", "Deprecated feature: '.tex' not supported as of PTX version 1.5", v.span);
  if (d.linkage === "common" && d.space !== "global")
    report("error", ".common variables must be declared in .global space", v.span);
  checkType(d, v, report);
  checkShape(d, v, report);
  if (v.init !== null) checkInitializer(d, v, globals, scope, report);
}

function checkType(d: VariableType, v: { readonly name: string; readonly span: Span }, report: Report): void {
  if (d.type === "pred" && d.space !== "reg" && d.space !== "sreg")
    report("error", `Predicate variable '${v.name}' must be in register state space`, v.span);
  if (/^e\d/.test(d.type)) report("error", `Type .${d.type} may only be used as an instruction type`, v.span);
  if (d.type.endsWith("ref") && d.space !== "global" && d.space !== "param")
    report("error", "Texture and surface variables must be declared in .global space", v.span);
  if (d.align !== null && (d.align === 0 || (d.align & (d.align - 1)) !== 0))
    report("error", "Alignment must be a power of two", v.span);
  if (d.vector !== null && d.vector * sizeOf(d.type) > 128)
    report("error", "Vector type too large, exceeds 128 bit limit", v.span);
}

function checkShape(d: Declaration, v: Variable, report: Report): void {
  if (v.dims.length === 0) return;
  if (d.space === "reg") {
    report("error", `Variable '${v.name}' cannot be allocated into a register`, v.span);
    return;
  }
  const open = v.dims[0] === null || v.dims.includes(0);
  if (open && d.linkage !== "extern" && v.init === null)
    report("error", `Non-external variable '${v.name}' has incomplete type`, v.span);
}

function checkInitializer(d: Declaration, v: Variable, globals: Scope, scope: Scope, report: Report): void {
  if (d.linkage === "extern") report("error", `No initial value is allowed for external symbol '${v.name}'`, v.span);
  else if (!INITIALIZED.has(d.space))
    report("error", `No initial value is allowed for '${v.name}' in this state space`, v.span);
  else if (!d.type.endsWith("ref")) {
    const extents = d.vector === null ? v.dims : [...v.dims, d.vector];
    checkValues(v.init as Initializer, extents, d.type, globals, scope, report);
  }
}

function checkValues(
  init: Initializer,
  dims: readonly (number | null)[],
  type: string,
  globals: Scope,
  scope: Scope,
  report: Report,
): void {
  if (init.kind === "list") {
    if (dims.length === 0) report("fatal", "Initial value type mismatch", init.span);
    const extent = dims[0];
    if (extent !== null && extent !== undefined && init.elements.length > extent && dims.length === 1)
      report("fatal", "Greater number of elements in array initializer", init.span);
    for (const e of init.elements) checkValues(e, dims.slice(1), type, globals, scope, report);
    return;
  }
  const value = evaluate(init);
  if (value === "symbol") checkSymbols(init, globals, scope, report);
  else if (typeof value === "string") report("error", value, init.span);
  else if (type.startsWith("b")) return;
  else if ((value.kind === "float") !== isFloat(type)) report("fatal", "Initial value type mismatch", init.span);
}

function checkSymbols(e: Expr, globals: Scope, scope: Scope, report: Report): void {
  switch (e.kind) {
    case "symbol":
      if (globals.lookup(e.name) === null && scope.lookup(e.name) === null)
        report("fatal", `Invalid initial value symbol '${e.name}'`, e.span);
      return;
    case "apply":
    case "unary":
    case "cast":
      checkSymbols(e.arg, globals, scope, report);
      return;
    case "binary":
      checkSymbols(e.left, globals, scope, report);
      checkSymbols(e.right, globals, scope, report);
      return;
    default:
  }
}

export function checkParameter(f: FunctionItem, p: Parameter, report: Report): void {
  if (f.entry && p.space !== "param")
    report("error", `Entry parameter '${p.name}' must have .param state space`, p.span);
  if (p.vector !== null && p.space === "param")
    report("error", `Variable '${p.name}' cannot be allocated in .param state space`, p.span);
  if (p.dims.includes(null)) {
    const params = f.params ?? [];
    if (params[params.length - 1] !== p)
      report("error", "Only the last input parameter can be an incomplete array.", p.span);
    if (f.entry) report("error", "Parameter to entry function cannot be an incomplete array.", p.span);
  }
  if (p.pointer !== null && !f.entry) report("error", "Illegal placement of kernel parameter attribute", p.span);
  checkType(p, p, report);
}

export function checkFunctionDirectives(f: FunctionItem, version: number, sm: number, report: Report): void {
  if (f.entry) parameterSpace(f, version, report);
  if (f.linkage === "extern" && f.body !== null)
    report("error", `Function definition conflicts with '.extern' declaration for function '${f.name}'`, f.nameSpan);
  for (const d of f.directives) {
    directiveGate(d.name, d.span, version, sm, report);
    if (POSITIVE.has(d.name) && d.values.some((v) => v === 0))
      report("error", `Positive non-zero value expected for ${d.name}`, d.span);
    if (d.name === "maxnctapersm")
      report("error", "Deprecated feature: '.maxnctapersm directive' not supported as of PTX version 2.1", d.span);
    if (d.name === "noreturn" && (f.returns ?? []).length > 0)
      report("error", `'.noreturn' directive is not allowed on function '${f.name}' with return value`, f.nameSpan);
  }
}

/** How the directives go together; ptxas looks when the body is closed, and names that line. */
export function checkDirectiveSet(f: FunctionItem, report: Report): void {
  const at = f.body?.endSpan ?? f.nameSpan;
  const seen = new Set(f.directives.map((d) => d.name));
  for (const [a, b] of CONFLICTS)
    if (seen.has(a) && seen.has(b))
      report("error", `Conflicting directives: .${a} and .${b} cannot both be specified`, at);
  if (seen.has("minnctapersm") && !seen.has("maxntid") && !seen.has("reqntid"))
    report("warning", ".minnctapersm is ignored when neither .maxntid nor .reqntid is specified.", at);
  if (seen.has("blocksareclusters") && (!seen.has("reqntid") || !seen.has("reqnctapercluster")))
    report("error", ".reqntid and .reqnctapercluster directive(s) required for directive '.blocksareclusters'", at);
}

const POSITIVE: ReadonlySet<string> = new Set(["maxntid", "reqntid"]);
const CONFLICTS: readonly (readonly [string, string])[] = [
  ["maxntid", "reqntid"],
  ["reqnctapercluster", "maxclusterrank"],
];

/** Directive or attribute → least PTX version times ten, least SM. */
const DIRECTIVE_GATES: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["unified", [80, 90]],
  ["noreturn", [64, 0]],
  ["reqnctapercluster", [78, 90]],
  ["explicitcluster", [78, 90]],
  ["maxclusterrank", [78, 90]],
  ["blocksareclusters", [90, 90]],
  ["abi_preserve", [90, 0]],
  ["abi_preserve_control", [90, 0]],
]);

/** What a directive or an attribute asks of version and target. */
export function directiveGate(name: string, at: Span, version: number, sm: number, report: Report): void {
  const gate = DIRECTIVE_GATES.get(name);
  if (gate === undefined) return;
  if (version < gate[0])
    report(
      "error",
      `Feature '.${name}' requires PTX ISA .version ${Math.floor(gate[0] / 10)}.${gate[0] % 10} or later`,
      at,
    );
  if (sm < gate[1]) report("error", `Feature '.${name}' requires .target sm_${gate[1]} or higher`, at);
}

/** Bytes of parameters: 256 before PTX 1.5, 4352 before 8.1, 32764 since (wiki page 7, measured). */
function parameterSpace(f: FunctionItem, version: number, report: Report): void {
  const max = version < 15 ? 256 : version < 81 ? 4352 : 32764;
  let bytes = 0;
  for (const p of f.params ?? []) {
    const element = (Math.max(8, p.type.endsWith("ref") ? 64 : sizeOf(p.type)) / 8) * (p.vector ?? 1);
    const align = p.align ?? element;
    bytes = Math.ceil(bytes / align) * align + p.dims.reduce<number>((n, d) => n * (d ?? 0), element);
  }
  if (bytes > max)
    report(
      "error",
      `Entry function '${f.name}' uses too much parameter space (0x${bytes.toString(16)} bytes, 0x${max.toString(16)} max).`,
      f.nameSpan,
    );
}
