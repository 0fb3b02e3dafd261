import { type Diagnostic, diagnostic, isFailure, type Severity, type Span } from "../diagnostics.js";
import type {
  AliasDirective,
  Block,
  Declaration,
  FunctionItem,
  Instruction,
  Module,
  NameOperand,
  Operand,
  Parameter,
  Statement,
  StatementList,
  Unfinished,
  Variable,
} from "./ast.js";
import {
  checkDeclaration,
  checkDirectiveSet,
  checkFunctionDirectives,
  checkParameter,
  directiveGate,
} from "./check-declarations.js";
import { checkEnd } from "./check-end.js";
import { InstructionChecker } from "./check-instruction.js";
import { sizeOf } from "./operand-types.js";
import { type PtxSymbol, Scope, symbolOf, type UnknownName } from "./scope.js";
import { CURRENT_VERSION, smNumber, TARGET_OPTIONS, TARGET_VERSIONS, VERSIONS } from "./versions.js";

/**
 * The checks of a module in ptxas's order: header, then item by item; inside a function statement by statement, names without meaning at its end.
 * A fatal finding ends the walk, as it ends ptxas.
 */
export interface CheckOptions {
  readonly target: string;
  readonly file?: string;
  /** `-c`: what is missing may come from elsewhere. */
  readonly relocatable?: boolean;
}

const STOP: unique symbol = Symbol("fatal");

/** `parsed`: what the parser has to tell already; `unfinished`: the instruction in which it stopped. */
export function checkModule(
  module: Module,
  options: CheckOptions,
  parsed: readonly Diagnostic[] = [],
  unfinished: Unfinished | null = null,
): readonly Diagnostic[] {
  const c = new Checker(module, options, parsed);
  try {
    c.run(unfinished);
  } catch (e) {
    if (e !== STOP) throw e;
  }
  return c.diagnostics;
}

class Checker {
  readonly diagnostics: Diagnostic[] = [];
  private readonly module: Module;
  private readonly options: CheckOptions;
  private readonly globals: Scope = new Scope(null);
  private readonly instructions: InstructionChecker;
  private readonly version: number;
  private readonly faulty: boolean;
  private readonly broken: boolean;
  /** Targets that the module's version does not know, told when all else was. */
  private readonly tooOld: (readonly [string, Span])[] = [];
  /** The module's target. */
  private readonly own: string;
  private readonly aliased: Set<string> = new Set();
  private readonly externs: { name: string; open: boolean }[] = [];
  private readonly shortAddresses: number[] = [];
  private unknown: UnknownName[] = [];
  /** Those of the function at hand. */
  private parameters: ReadonlyMap<string, "input" | "return"> = new Map();

  constructor(module: Module, options: CheckOptions, parsed: readonly Diagnostic[]) {
    this.module = module;
    this.faulty = parsed.some(isFailure);
    this.broken = parsed.some((d) => d.severity === "fatal");
    this.options = options;
    this.version = module.version === null ? 0 : module.version.major * 10 + module.version.minor;
    // Gates go by the module's own .target where it is older than the one compiled for.
    const own = module.target?.names.find((n) => TARGET_VERSIONS.has(n)) ?? options.target;
    this.own = own;
    this.instructions = new InstructionChecker({
      text: module.text,
      report: this.report,
      unknown: (name, span) => this.unknown.push({ name, span }),
      shortAddress: (line) => this.shortAddresses.push(line),
      parameter: (name) => this.parameters.get(name) ?? null,
      target: { name: own, sm: smNumber(own) },
      version: this.version,
    });
  }

  private readonly report = (severity: Severity, message: string, at: Span | null): void => {
    this.diagnostics.push(diagnostic(severity, message, at));
    if (severity === "fatal") throw STOP;
  };

  run(unfinished: Unfinished | null): void {
    this.header();
    const files = new Set<number>();
    for (const i of this.module.items) {
      if (i.kind === "declaration") this.declaration(i, this.globals, true);
      else if (i.kind === "function") this.functionItem(i);
      else if (i.kind === "alias") this.alias(i);
      else if (i.kind === "file") {
        if (files.has(i.index)) this.report("error", `Duplicate file index #${i.index}`, i.span);
        files.add(i.index);
      } else if (i.kind === "pragma")
        for (const p of i.strings) this.report("error", `Pragma '${p}' not supported`, null);
    }
    if (unfinished !== null) this.instructions.unfinished(unfinished);
    this.finish();
  }

  // ------------------------------------------------------------------------------------------------------------------- header

  private header(): void {
    const { version, target, addressSize } = this.module;
    if (version === null) return;
    const text = `${version.major}.${version.minor}`;
    if (!VERSIONS.has(text))
      this.report("fatal", `Unsupported .version ${text}; current version is '${CURRENT_VERSION}'`, version.span);
    if (target === null) return;
    this.targetNames(target.names, target.span, text);
    if (addressSize !== null && addressSize.bits !== 64 && addressSize.bits !== 32)
      this.report("error", "Illegal value for .address_size directive (must be 32 or 64)", addressSize.span);
  }

  private targetNames(names: readonly string[], at: Span, version: string): void {
    const first = names[0] as string;
    if (!first.startsWith("sm_")) {
      this.report(
        "fatal",
        `Target architecture not defined at start of file '${this.options.file ?? this.module.file ?? ""}'`,
        at,
      );
    }
    const seen = new Set<string>();
    for (const n of names) {
      const least = TARGET_VERSIONS.get(n);
      if (least === undefined && !TARGET_OPTIONS.has(n)) this.report("fatal", `Unsupported .target '${n}'`, at);
      if (least !== undefined && this.version < least)
        this.tooOld.push([`PTX .version ${version} does not support .target ${n}`, at]);
      if (
        (n === "texmode_independent" && seen.has("texmode_unified")) ||
        (n === "texmode_unified" && seen.has("texmode_independent"))
      )
        this.report("error", `Conflicting .target option '${n}'`, at);
      seen.add(n);
    }
    if (seen.has("debug") && !this.module.items.some((i) => i.kind === "section"))
      this.report("error", "Debug information not found in presence of .target debug", null);
  }

  /** What ptxas says after the last line, when all else is well. */
  private finish(): void {
    if (this.broken) return;
    for (const [message, at] of this.tooOld) this.report("error", message, at);
    if (this.faulty || this.diagnostics.some((d) => d.severity === "error")) return;
    const { module, globals, aliased, externs, shortAddresses, report } = this;
    const { target, relocatable = false } = this.options;
    checkEnd({ module, target, relocatable, globals, aliased, externs, shortAddresses, report });
  }

  // ----------------------------------------------------------------------------------------------------------------- variables

  private declaration(d: Declaration, scope: Scope, moduleScope: boolean): void {
    for (const a of d.attributes) directiveGate(a.name, a.span, this.version, smNumber(this.own), this.report);
    for (const v of d.variables) {
      checkDeclaration(d, v, moduleScope, this.globals, scope, this.report);
      this.declare(scope, d, v, moduleScope);
    }
  }

  private declare(scope: Scope, d: Declaration | Parameter, v: Variable | Parameter, moduleScope: boolean): void {
    const symbol = symbolOf(d, v);
    if (v.count !== null) {
      if (!scope.declareRange(v.name, v.count, symbol))
        this.report("error", `Duplicate definition of variable '${v.name}<'`, v.span);
      return;
    }
    const old = scope.own(v.name);
    if (moduleScope && "linkage" in d && d.linkage === "extern" && old === null) this.externVariable(d, v);
    if (moduleScope && old?.kind === "variable" && "linkage" in d && redeclares(d, old)) {
      scope.redeclare(v.name, symbol);
      return;
    }
    if (scope.declare(v.name, symbol)) return;
    const other = moduleScope && old?.kind === "variable" && !sameShape(d, v, old);
    this.report(
      "error",
      `${other ? "Inconsistent redefinition" : "Duplicate definition"} of variable '${v.name}'`,
      v.span,
    );
  }

  /** Shared arrays without extent are the launch's. */
  private externVariable(d: Declaration, v: Variable | Parameter): void {
    const open = v.dims.includes(null);
    if (!open || d.space !== "shared") this.externs.push({ name: v.name, open });
  }

  private alias(a: AliasDirective): void {
    if (this.globals.own(a.name)?.kind !== "function") this.report("error", `Unknown symbol '${a.name}'`, a.span);
    else if (this.globals.own(a.aliasee)?.kind !== "function")
      this.report("error", `Unknown symbol '${a.aliasee}'`, a.span);
    else if (a.name === a.aliasee) this.report("error", "Cannot alias a function to itself", a.span);
    this.aliased.add(a.name);
  }

  // ----------------------------------------------------------------------------------------------------------------- functions

  private functionItem(f: FunctionItem): void {
    this.declareFunction(f, this.globals);
    const params = new Scope(this.globals);
    for (const p of f.returns ?? []) this.parameter(f, p, params);
    for (const p of f.params ?? []) this.parameter(f, p, params);
    if (f.returns !== null && f.returns.length > 1 && f.returns.some((p) => p.space !== "reg"))
      this.report("error", "Multiple return parameters require .register state space", f.nameSpan);
    for (const a of f.attributes) directiveGate(a.name, a.span, this.version, smNumber(this.own), this.report);
    checkFunctionDirectives(f, this.version, smNumber(this.options.target), this.report);
    if (f.body === null) return;
    this.unknown = [];
    this.parameters = new Map([
      ...(f.returns ?? []).map((p) => [p.name, "return"] as const),
      ...(f.params ?? []).map((p) => [p.name, "input"] as const),
    ]);
    this.block(f.body, new Scope(params), true);
    for (const u of this.unknown) this.report("error", `Unknown symbol '${u.name}'`, u.span);
    checkDirectiveSet(f, this.report);
  }

  private parameter(f: FunctionItem, p: Parameter, scope: Scope): void {
    checkParameter(f, p, this.report);
    if (p.name === "_") {
      this.report("error", "Illegal parameter name '_'", p.span);
      return;
    }
    this.declare(scope, p, p, false);
  }

  private declareFunction(f: FunctionItem, scope: Scope): void {
    const old = scope.own(f.name);
    const symbol: PtxSymbol = { kind: "function", item: f };
    if (old === null) {
      scope.declare(f.name, symbol);
      return;
    }
    if (old.kind !== "function") {
      this.report("error", `Inconsistent redefinition of variable '${f.name}'`, f.nameSpan);
      this.report("error", `Duplicate definition of function '${f.name}'`, f.nameSpan);
      this.report("fatal", `Inconsistent redefinition of symbol '${f.name}'`, f.nameSpan);
      return;
    }
    if (old.item.body !== null) this.report("error", `Duplicate definition of function '${f.name}'`, f.nameSpan);
    this.prototypes(old.item, f);
    if (old.item.body === null) scope.redeclare(f.name, symbol);
  }

  private prototypes(a: FunctionItem, b: FunctionItem): void {
    const x = [...(a.returns ?? []), ...(a.params ?? [])];
    const y = [...(b.returns ?? []), ...(b.params ?? [])];
    if (x.length !== y.length)
      this.report("error", `Inconsistent prototypes of '${b.name}', number of parameters differ`, b.nameSpan);
    if (x.some((p, k) => y[k] !== undefined && (p.type !== y[k].type || p.dims.join() !== y[k].dims.join())))
      this.report("error", `Inconsistent prototypes of '${b.name}', parameter types differ`, b.nameSpan);
  }

  private block(b: Block, scope: Scope, outermost: boolean): void {
    this.labels(b.statements, scope);
    const labels = new Set<string>();
    for (const s of b.statements) this.statement(s, scope, labels, outermost);
  }

  /** Labels may be used before they stand. */
  private labels(statements: StatementList, scope: Scope): void {
    for (const s of statements.others()) {
      if (s.kind === "label") scope.declare(s.name, { kind: "label" });
      else if (s.kind === "branchtargets" || s.kind === "calltargets") scope.declare(s.label, { kind: s.kind });
      else if (s.kind === "callprototype") scope.declare(s.label, { kind: "prototype", prototype: s });
    }
  }

  private statement(s: Statement, scope: Scope, labels: Set<string>, outermost: boolean): void {
    switch (s.kind) {
      case "instruction":
        this.instructions.check(s, scope);
        if (s.opcode === "call") this.call(s, scope);
        return;
      case "label":
        this.label(s.name, s.span, scope, labels, outermost);
        return;
      case "declaration":
        this.local(s, scope, labels, outermost);
        return;
      case "block":
        this.block(s, new Scope(scope), false);
        return;
      case "function":
        this.declareFunction(s, this.globals);
        return;
      case "pragma":
        for (const p of s.strings) if (!PRAGMAS.test(p)) this.report("warning", `Pragma '${p}' unsupported`, null);
        return;
      case "branchtargets":
      case "calltargets":
        this.label(s.label, s.span, scope, labels, outermost);
        s.targets.forEach((t, k) => {
          const found = scope.lookup(t);
          if (found === null) this.unknown.push({ name: t, span: s.targetSpans[k] as Span });
          else if (s.kind === "branchtargets" && found.kind !== "label")
            this.report("error", "Illegal branch target, label expected", s.targetSpans[k] as Span);
        });
        return;
      case "callprototype":
        this.label(s.label, s.span, scope, labels, outermost);
        return;
      case "loc":
        return;
      default:
        s satisfies never;
    }
  }

  /** A label of the outermost block collides with the parameters too. */
  private label(name: string, at: Span, scope: Scope, labels: Set<string>, outermost: boolean): void {
    const own = (outermost ? scope.parent?.named(name) : null) ?? scope.named(name);
    const taken = own !== null && (own.kind === "register" || own.kind === "variable" || own.kind === "function");
    if (labels.has(name) || taken) this.report("error", `Duplicate definition of label '${name}'`, at);
    labels.add(name);
  }

  /** A variable of the body collides with the parameters too. */
  private local(d: Declaration, scope: Scope, labels: ReadonlySet<string>, outermost: boolean): void {
    for (const v of d.variables) {
      // A label further down is the one in the wrong.
      if (v.count === null && scope.named(v.name)?.kind === "label" && !labels.has(v.name)) scope.forget(v.name);
      checkDeclaration(d, v, false, this.globals, scope, this.report);
      const params = outermost ? scope.parent : null;
      if (v.count === null && params !== null && params.own(v.name) !== null)
        this.report("error", `Duplicate definition of variable '${v.name}'`, v.span);
      else this.declare(scope, d, v, false);
    }
  }

  // --------------------------------------------------------------------------------------------------------------------- calls

  private call(i: Instruction, scope: Scope): void {
    const lists = i.operands.filter((o) => o.kind === "list");
    const at = i.operands.findIndex((o) => o.kind === "name");
    const target = i.operands[at] as NameOperand | undefined;
    if (target === undefined) return;
    const args = i.operands[at + 1]?.kind === "list" ? i.operands[at + 1] : undefined;
    const results = at > 0 ? lists[0] : undefined;
    const symbol = scope.lookup(target.name);
    const proto = i.operands.find((o, k) => k > at && o.kind === "name") as NameOperand | undefined;
    const signature = this.signature(symbol, proto, scope, target, i);
    if (signature === null) return;
    const given = [...elements(results), ...elements(args)];
    const wanted = [...(signature.returns ?? []), ...(signature.params ?? [])];
    const variadic = wanted.length > 0 && wanted[wanted.length - 1]?.dims[0] === null;
    const sameCounts = elements(results).length === (signature.returns ?? []).length && given.length === wanted.length;
    if (!sameCounts && !(variadic && given.length >= wanted.length - 1)) {
      this.report("error", "Call has wrong number of parameters", i.span);
      return;
    }
    given.forEach((o, k) => {
      const p = wanted[k];
      if (p !== undefined) this.argument(o, p, scope, i.span);
    });
  }

  private signature(
    symbol: PtxSymbol | null,
    proto: NameOperand | undefined,
    scope: Scope,
    target: NameOperand,
    i: Instruction,
  ): { returns: readonly Parameter[] | null; params: readonly Parameter[] | null } | null {
    if (symbol?.kind === "function") return symbol.item;
    if (proto === undefined) {
      if (symbol?.kind === "register")
        this.report("error", "Label expected for argument 0 of instruction 'call'", i.span);
      else if (symbol?.kind === "variable") this.report("error", "Arguments mismatch for instruction 'call'", i.span);
      else this.report("error", `Call to '${target.name}' requires call prototype`, i.span);
      return null;
    }
    const p = scope.lookup(proto.name);
    return p?.kind === "prototype" ? p.prototype : null;
  }

  private argument(o: Operand, p: Parameter, scope: Scope, at: Span): void {
    if (o.kind !== "name") return;
    const s = scope.lookup(o.name);
    if (s === null || s.kind === "function" || (s.kind !== "register" && s.kind !== "variable")) return;
    const bytes = paramBytes(p.type, p.vector, p.dims);
    const given = s.kind === "register" ? paramBytes(s.type, s.vector, []) : paramBytes(s.type, s.vector, s.dims);
    const types = bytes === given && compatible(p.type, s.type);
    if (!types && p.dims[0] !== null)
      this.report("error", `Type of argument does not match formal parameter '${p.name}'`, at);
  }
}

const PRAGMAS: RegExp = /^(?:nounroll|used_bytes_mask\b|enable_smem_spilling|frequency\b|next knob)/;

function elements(o: Operand | undefined): readonly Operand[] {
  return o?.kind === "list" ? o.elements : [];
}

function paramBytes(type: string, vector: number | null, dims: readonly (number | null)[]): number {
  return dims.reduce<number>((n, d) => n * (d ?? 1), (Math.max(8, sizeOf(type)) / 8) * (vector ?? 1));
}

function compatible(formal: string, given: string): boolean {
  if (formal === given || formal.startsWith("b") || given.startsWith("b")) return true;
  return !formal.startsWith("f") && !given.startsWith("f") && formal !== "pred" && given !== "pred";
}

function sameShape(
  d: Declaration | Parameter,
  v: Variable | Parameter,
  old: PtxSymbol & { kind: "variable" },
): boolean {
  return d.space === old.space && d.type === old.type && d.vector === old.vector && v.dims.join() === old.dims.join();
}

/** A definition may follow its .extern declaration, and the other way round. */
function redeclares(d: Declaration, old: PtxSymbol & { kind: "variable" }): boolean {
  const was = old.declaration as Declaration;
  return (
    d.space === old.space &&
    d.type === old.type &&
    (d.linkage === "extern" || was.linkage === "extern" || d.linkage === "common")
  );
}
