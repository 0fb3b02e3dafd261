import type { Severity, Span } from "../diagnostics.js";
import type { Block, Expr, Initializer, Instruction, Module } from "./ast.js";
import type { PtxSymbol, Scope } from "./scope.js";
import { sameFamily, smNumber, TARGET_VERSIONS } from "./versions.js";

/**
 * What ptxas says after the last line of a module in which all else is well: whether it may be compiled for the target, what is missing in it
 * without a linker, and the width of addresses. Order and wording measured on ptxas 13.0.88.
 */
export interface ModuleEnd {
  readonly module: Module;
  readonly target: string;
  /** `-c`. */
  readonly relocatable: boolean;
  readonly globals: Scope;
  /** Names that `.alias` defines. */
  readonly aliased: ReadonlySet<string>;
  /** Variables declared `.extern` where nothing defined them yet. */
  readonly externs: readonly { readonly name: string; readonly open: boolean }[];
  /** Lines that use 32-bit registers as addresses of 64 bits. */
  readonly shortAddresses: readonly number[];
  readonly report: (severity: Severity, message: string, at: Span | null) => void;
}

export function checkEnd(e: ModuleEnd): void {
  const { report } = e;
  const unified = !e.relocatable && attributes(e.module).some((a) => a === "unified");
  if (unified) report("error", "Feature 'unified Functions' requires command line option '--compile-only'.", null);
  const own = e.module.target?.names.find((n) => TARGET_VERSIONS.has(n));
  if (own !== undefined) compatible(own, e);
  if (unified) return;
  if (!e.relocatable) externVariables(e);
  addresses(e);
  if (!e.relocatable) externFunctions(e);
}

function attributes(module: Module): string[] {
  return module.items.flatMap((i) =>
    i.kind === "function" || i.kind === "declaration" ? i.attributes.map((a) => a.name) : [],
  );
}

function compatible(own: string, { target, report }: ModuleEnd): void {
  const from = smNumber(own);
  const to = smNumber(target);
  if (from > to) report("fatal", "SM version specified by .target is higher than default SM version assumed", null);
  if (own.endsWith("a") && own !== target && !(own === "sm_101a" && target === "sm_110a"))
    report("fatal", `Program with .target '${own}' cannot be compiled to future architecture`, null);
  if (own.endsWith("f") && !sameFamily(from, to) && from !== 101)
    report("fatal", `Program with .target '${own}' cannot be compiled to different SM-family architecture`, null);
}

function externVariables(e: ModuleEnd): void {
  for (const { name, open } of e.externs) {
    if (open) e.report("fatal", `Unresolved extern variable '${name}'`, null);
    e.report(
      "warning",
      `Unresolved extern variable '${name}' in whole program compilation, ignoring extern qualifier`,
      null,
    );
  }
}

/** The last SM before the one that never had addresses of 32 bits; its elders had them once. */
const SHORT_UNTIL = 89;

function addresses(e: ModuleEnd): void {
  const short = e.module.addressSize?.bits === 32;
  if (short)
    e.report(
      "warning",
      " 64 Bit host architecture (--machine) being used mismatches with .address_size of 32 bits",
      null,
    );
  for (const line of short ? [] : e.shortAddresses)
    e.report(
      "warning",
      `Program uses 32-bit address on line '${line}' which is conflicting with .address_size 64`,
      null,
    );
  if (!short && e.shortAddresses.length === 0) return;
  const message =
    smNumber(e.target) > SHORT_UNTIL
      ? " 32-Bit ABI (--machine 32 or 32-Bit addressing) is not supported on sm_90 or higher architectures."
      : " 32-Bit compilation is no longer supported";
  e.report("fatal", message, null);
}

/** Functions that the system supplies. */
const BUILT_IN: ReadonlySet<string> = new Set([
  "vprintf",
  "malloc",
  "free",
  "__assertfail",
  "cudaLaunchDevice",
  "cudaGetParameterBuffer",
]);

/** The machine's operations that PTX may call (lib/lower/builtins/ocg.ts) begin so. */
const OPERATION = "__nv_ptx_builtin_ocg_";

const isBuiltIn = (name: string): boolean => BUILT_IN.has(name) || name.startsWith(OPERATION);

/** Declared, not defined, and used. */
function externFunctions(e: ModuleEnd): void {
  const missing = new Set<string>();
  for (const i of e.module.items) {
    if (i.kind !== "function" || i.body !== null || e.aliased.has(i.name) || isBuiltIn(i.name)) continue;
    const s: PtxSymbol | null = e.globals.own(i.name);
    if (s?.kind === "function" && s.item === i) missing.add(i.name);
  }
  if (missing.size === 0) return;
  const uses = usesOf(e.module, missing);
  for (const name of uses.taken) e.report("fatal", `Cannot take address of function '${name}' `, null);
  for (const name of missing)
    if (uses.called.has(name)) e.report("fatal", `Unresolved extern function '${name}'`, null);
}

interface Uses {
  readonly called: Set<string>;
  readonly taken: Set<string>;
}

function usesOf(module: Module, names: ReadonlySet<string>): Uses {
  const uses: Uses = { called: new Set(), taken: new Set() };
  for (const i of module.items) {
    if (i.kind === "function" && i.body !== null) inBlock(i.body, names, uses);
    else if (i.kind === "declaration")
      for (const v of i.variables) if (v.init !== null) inInitializer(v.init, names, uses);
  }
  return uses;
}

function inBlock(b: Block, names: ReadonlySet<string>, uses: Uses): void {
  for (const s of b.statements) {
    if (s.kind === "block") inBlock(s, names, uses);
    else if (s.kind === "instruction") inInstruction(s, names, uses);
  }
}

function inInstruction(i: Instruction, names: ReadonlySet<string>, uses: Uses): void {
  const to = i.opcode === "call" ? uses.called : uses.taken;
  for (const o of i.operands) if (o.kind === "name" && names.has(o.name)) to.add(o.name);
}

function inInitializer(e: Initializer | Expr, names: ReadonlySet<string>, uses: Uses): void {
  switch (e.kind) {
    case "list":
      for (const x of e.elements) inInitializer(x, names, uses);
      return;
    case "symbol":
      if (names.has(e.name)) uses.taken.add(e.name);
      return;
    case "apply":
    case "unary":
    case "cast":
      inInitializer(e.arg, names, uses);
      return;
    case "binary":
      inInitializer(e.left, names, uses);
      inInitializer(e.right, names, uses);
      return;
    default:
  }
}
