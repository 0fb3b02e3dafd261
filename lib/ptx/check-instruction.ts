import type { Severity, Span } from "../diagnostics.js";
import type { Instruction, Operand, Unfinished } from "./ast.js";
import { OperandChecker } from "./check-operands.js";
import { isTensorMemory, tensorArguments, tensorModifiers, tensorRest } from "./check-tensor-memory.js";
import { OperandPlaces } from "./locate.js";
import { holdsPredicate, illegalElement, mixesTypes } from "./match-arguments.js";
import { classify, mayBeUnknown, type OperandClass, sizeOf } from "./operand-types.js";
import { type Complaint, type GateContext, type Resolved, resolve } from "./resolve.js";
import type { Scope } from "./scope.js";
import { SPECIAL_REGISTERS, type SpecialRegister } from "./spec/sregs.js";

/**
 * One instruction against the specification, in ptxas's order: unknown modifiers and name, types, arguments, then whether the modifiers belong, are
 * complete, and exist on the target. ptxas leaves an instruction after a mismatch of types or arguments, so does this.
 *
 * All that depends on the mnemonic alone is worked out once per spelling (`resolve`), so that a clean instruction costs a walk over its operands.
 */
export interface InstructionContext extends GateContext {
  /** The module's text: operands have no position of their own. */
  readonly text: string;
  readonly report: (severity: Severity, message: string, at: Span | null) => void;
  /** A name that means nothing (yet). */
  readonly unknown: (name: string, at: Span) => void;
  /** An address of 32 bits where 64 are needed, in this line. */
  readonly shortAddress: (line: number) => void;
  /** What the function at hand has by that name, whatever an inner block declares by it. */
  readonly parameter: (name: string) => "input" | "return" | null;
}

export class InstructionChecker {
  private readonly context: InstructionContext;
  private readonly operands: OperandChecker;
  private readonly cache: Map<readonly string[], Map<string, Resolved>> = new Map();

  constructor(context: InstructionContext) {
    this.context = context;
    this.operands = new OperandChecker({
      sm: context.target.sm,
      report: context.report,
      place: (i, ...path) => this.place(i, ...path),
      shortAddress: context.shortAddress,
      parameter: context.parameter,
    });
  }

  check(i: Instruction, scope: Scope): void {
    const r = this.resolved(i);
    this.guard(i, scope);
    this.body(i, r, scope);
    this.complain(i, r.closing);
  }

  private body(i: Instruction, r: Resolved, scope: Scope): void {
    const classes = i.operands.map((o) => classify(o, scope));
    this.complain(i, r.read);
    this.complain(i, r.early);
    i.operands.forEach((o, k) => {
      this.sign(i, o, classes[k] as OperandClass, k === 0);
    });
    // Braces are judged where ptxas reads them: after the modifiers, before name and types.
    const braces = i.operands.map((o, k) => this.braces(i, r.name, o, classes[k] as OperandClass, scope));
    this.complain(i, r.unnamed);
    if (classes.some(mayBeUnknown)) this.names(i, i.operands, [], scope);
    if (r.stop || braces.includes("unequal")) return;
    const open = r.forms.some((f) => f.open);
    if (braces.includes("untyped") || (open && r.name !== "call" && i.operands.some((o) => this.nameless(o, scope)))) {
      this.context.report("error", `Arguments mismatch for instruction '${r.name}'`, i.span);
      return;
    }
    const mixed = r.name === "mma" && classes.some((c) => c.kind === "vector" && mixesTypes(c.elements));
    if (mixed)
      this.context.report(
        "error",
        "Vector with elements of different types are not allowed in mma instruction",
        i.span,
      );
    else if (open && isTensorMemory(r.name)) this.tensorMemory(i, r, classes);
    else if (open) this.complain(i, [...r.gated, ...r.refused, ...r.demanded]);
    else if (
      (r.name === "ld" || r.name === "st") &&
      classes.some((c) => c.kind === "vector" && holdsPredicate(c.elements))
    )
      // ptxas takes them and moves what a register held before, or zeros and ones for all; PTX gives them no meaning.
      this.context.report("error", `not supported yet: a predicate in a vector of '${r.name}'`, i.span);
    else this.operands.check(r, i, classes, scope);
  }

  /** What ptxas says of name and modifiers while it reads them, where a syntax error ends the operands. */
  unfinished(i: Unfinished): void {
    const { read, early } = resolve(i.opcode, i.modifiers, this.context);
    this.complain(i, read);
    this.complain(i, early);
  }

  /** `tcgen05` with arguments that depend on modifiers. */
  private tensorMemory(i: Instruction, r: Resolved, classes: readonly OperandClass[]): void {
    const said = (messages: readonly string[]): readonly Complaint[] =>
      messages.map((message) => ({ severity: "error", message }));
    const lacking = r.gated.filter((c) => INSTRUCTION_GATE.test(c.message));
    if (lacking.length === 0) this.complain(i, said(tensorModifiers(r, classes)));
    if (!tensorArguments(r, classes)) this.complain(i, said([`Arguments mismatch for instruction '${r.name}'`]));
    else {
      const others = r.gated.filter((c) => !lacking.includes(c));
      this.complain(i, [...lacking, ...said(tensorRest(r, classes)), ...r.refused, ...r.demanded, ...others]);
    }
  }

  private complain(i: { readonly span: Span }, complaints: readonly Complaint[]): void {
    for (const c of complaints) this.context.report(c.severity, c.message, i.span);
  }

  /** `-` and `!` where they mean nothing: ptxas looks at what is after them while it reads the operand. */
  private sign(i: Instruction, o: Operand, c: OperandClass, first: boolean): void {
    const { report } = this.context;
    if (o.kind === "neg" && !((c.kind === "register" || c.kind === "special") && NEGATED.has(c.type)))
      report("error", "Illegal argument to unary minus", i.span);
    if (o.kind === "neg" && first)
      report("error", "Operand negation limited to either (source A xor source B) or source C", i.span);
    if (o.kind === "not" && c.kind !== "int" && !(c.kind === "register" && c.type === "pred"))
      report("error", "Illegal argument to predicate negation", i.span);
  }

  private resolved(i: Instruction): Resolved {
    let byOpcode = this.cache.get(i.modifiers);
    if (byOpcode === undefined) {
      byOpcode = new Map();
      this.cache.set(i.modifiers, byOpcode);
    }
    let r = byOpcode.get(i.opcode);
    if (r === undefined) {
      r = resolve(i.opcode, i.modifiers, this.context);
      byOpcode.set(i.opcode, r);
    }
    return r;
  }

  /** Reports what may not stand within the braces of an operand, or of its coordinates: in the order in which ptxas reads them. */
  private braces(i: Instruction, name: string, o: Operand, c: OperandClass, scope: Scope): Braces {
    if (o.kind === "address") {
      const inside = o.rest.map((p) => this.braces(i, name, p, classify(p, scope), scope));
      return inside.find((b) => b !== "fine") ?? "fine";
    }
    if (c.kind !== "vector" || o.kind !== "vector") return "fine";
    let [found, first]: [Braces, number | null] = ["fine", null];
    c.elements.forEach((e, n) => {
      const element = o.elements[n];
      if (illegalElement(e)) {
        if (element?.kind === "name") this.context.report("error", `Illegal expression '${element.name}'`, i.span);
      } else if (e.kind !== "sink") {
        const size = elementSize(e);
        first ??= size;
        if (first === 0 || size === 0 || size === first) return;
        this.context.report("error", "Incompatible elements of vector expression", i.span);
        found = "unequal";
      }
    });
    if (!VECTOR_SIZES.has(o.elements.length) && !ANY_SIZE.test(name))
      this.context.report("error", `Illegal vector size: ${o.elements.length}`, i.span);
    if (first !== null) return found;
    this.context.report("error", "Unable to infer type of vector elements (assuming .b8)", i.span);
    return "untyped";
  }

  private guard(i: Instruction, scope: Scope): void {
    if (i.guard === null) return;
    const s = scope.lookup(i.guard.name);
    if (s?.kind === "register" && s.type === "pred") return;
    this.context.report("error", "Predicate expression expected", i.span);
    if (s === null && !SPECIAL_REGISTERS.has(i.guard.name)) this.context.unknown(i.guard.name, i.span);
  }

  /** Whether a name in the operand means nothing. */
  private nameless(o: Operand, scope: Scope): boolean {
    switch (o.kind) {
      case "name":
        return scope.lookup(o.name) === null && !SPECIAL_REGISTERS.has(o.name);
      case "address":
        return (o.base !== null && scope.lookup(o.base) === null) || o.rest.some((p) => this.nameless(p, scope));
      case "vector":
      case "list":
        return o.elements.some((p) => this.nameless(p, scope));
      case "pair":
        return this.nameless(o.first, scope) || this.nameless(o.second, scope);
      case "not":
      case "neg":
        return this.nameless(o.operand, scope);
      default:
        return false;
    }
  }

  /** Collects the names without meaning; `path` leads to what holds these operands, `first` is the place of the first there (OperandPlaces). */
  private names(
    i: Instruction,
    operands: readonly Operand[],
    path: readonly number[],
    scope: Scope,
    first: number = 0,
  ): void {
    operands.forEach((o, k) => {
      const here = [...path, first + k];
      switch (o.kind) {
        case "name":
          this.name(i, o.name, here, scope);
          break;
        case "address":
          if (o.base !== null) this.name(i, o.base, here, scope);
          this.names(i, o.rest, here, scope, 1);
          break;
        case "vector":
        case "list":
          this.names(i, o.elements, here, scope);
          break;
        case "pair":
          this.names(i, [o.first, o.second], here, scope);
          break;
        case "not":
        case "neg":
          this.names(i, [o.operand], here, scope);
          break;
        default:
      }
    });
  }

  private name(i: Instruction, name: string, path: readonly number[], scope: Scope): void {
    if (scope.lookup(name) !== null) return;
    const special = SPECIAL_REGISTERS.get(name);
    if (special === undefined) this.context.unknown(name, this.place(i, ...path));
    else this.specialGate(name, special, this.place(i, ...path));
  }

  private specialGate(name: string, { sm, version }: SpecialRegister, at: Span): void {
    const { report, target } = this.context;
    if (version > this.context.version) {
      const least = `${Math.floor(version / 10)}.${version % 10}`;
      report("error", `Feature '${name}' requires PTX ISA .version ${least} or later`, at);
    }
    if (sm > target.sm) report("error", `Feature '${name}' requires .target sm_${sm} or higher`, at);
  }

  /** Where an operand stands. */
  private place(i: Instruction, ...path: readonly number[]): Span {
    return new OperandPlaces(this.context.text, i).span(...path);
  }
}

/** Gates of an instruction, not of its modifiers. */
const INSTRUCTION_GATE: RegExp = /^(?:Instruction|Feature) '[a-z]/;

/** Elements of one size, of several, or none that has a type. */
type Braces = "fine" | "unequal" | "untyped";

const VECTOR_SIZES: ReadonlySet<number> = new Set([1, 2, 4, 8]);
/** Names whose vectors have other lengths, too (measured). */
const ANY_SIZE: RegExp = /^(?:wgmma|tcgen05|cp\.(?:reduce\.)?async\.bulk)/;

/** Bits by which ptxas compares the elements of a vector: predicates count as 32; 0 for constants, which fit any. */
function elementSize(e: OperandClass): number {
  if (e.kind !== "register" && e.kind !== "special") return 0;
  return e.type === "pred" ? 32 : sizeOf(e.type);
}

const NEGATED: ReadonlySet<string> = new Set(["b32", "u32", "s32"]);
