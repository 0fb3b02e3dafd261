import type { Severity, Span } from "../diagnostics.js";
import type { Instruction, Operand } from "./ast.js";
import { OperandPlaces } from "./locate.js";
import { addressType, argFits, formFits, illegalElement, SCALAR_VECTORS } from "./match-arguments.js";
import { classify, constantFits, mayBeUnknown, type OperandClass, registerFits, sizeOf } from "./operand-types.js";
import { type GateContext, type Resolved, resolve } from "./resolve.js";
import type { Scope } from "./scope.js";
import type { Arg, Form } from "./spec/instructions.js";
import { OPERAND_GATES } from "./spec/rules.js";
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
}

export class InstructionChecker {
  private readonly context: InstructionContext;
  private readonly cache: Map<readonly string[], Map<string, Resolved>> = new Map();

  constructor(context: InstructionContext) {
    this.context = context;
  }

  check(i: Instruction, scope: Scope): void {
    const r = this.resolved(i);
    const { report } = this.context;
    this.guard(i, scope);
    const classes = i.operands.map((o) => classify(o, scope));
    // Braces are judged where ptxas reads them: behind the modifiers, before name and types.
    const last = r.stop ? r.early.length - 1 : r.early.length;
    for (const c of r.early.slice(0, last)) report(c.severity, c.message, i.span);
    const untyped = classes.filter((c, k) => this.untyped(i, k, c)).length > 0;
    for (const c of r.early.slice(last)) report(c.severity, c.message, i.span);
    if (classes.some(mayBeUnknown)) this.names(i, i.operands, [], scope);
    if (r.stop) return;
    if (untyped) {
      report("error", `Arguments mismatch for instruction '${r.name}'`, i.span);
      return;
    }
    const fault = this.arguments(r, i, classes, scope);
    if (fault) return;
    for (const c of r.late) report(c.severity, c.message, i.span);
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

  /** Reports what may not stand within the braces of operand `k`; true where nothing in them has a type. */
  private untyped(i: Instruction, k: number, c: OperandClass): boolean {
    const o = i.operands[k];
    if (c.kind !== "vector" || o?.kind !== "vector") return false;
    c.elements.forEach((e, n) => {
      const element = o.elements[n];
      if (illegalElement(e) && element?.kind === "name")
        this.context.report("error", `Illegal expression '${element.name}'`, i.span);
    });
    const untyped = c.elements.every((e) => e.kind === "sink" || illegalElement(e));
    if (untyped) this.context.report("error", "Unable to infer type of vector elements (assuming .b8)", i.span);
    return untyped;
  }

  private guard(i: Instruction, scope: Scope): void {
    if (i.guard === null) return;
    const s = scope.lookup(i.guard.name);
    if (s?.kind === "register" && s.type === "pred") return;
    this.context.report("error", "Predicate expression expected", i.span);
    if (s === null && !SPECIAL_REGISTERS.has(i.guard.name)) this.context.unknown(i.guard.name, i.span);
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

  // --------------------------------------------------------------------------------------------------------------- arguments

  /** True if something was reported that ends the checks of the instruction. */
  private arguments(r: Resolved, i: Instruction, classes: readonly OperandClass[], scope: Scope): boolean {
    if (r.forms.some((f) => f.open)) return this.selectors(r, i, classes);
    const { report } = this.context;
    const operands = i.operands;
    if (r.name === "mov" && operands.length === 2) {
      const whole = classes.map(spread);
      if (whole.some((c) => c.kind === "vector")) return this.movVector(r, i, whole);
    }
    if (this.selectors(r, i, classes)) return true;
    if (r.name === "atom" && !atomCount(r, operands.length)) {
      report("error", "Arguments mismatch for instruction 'atom'", i.span);
      return true;
    }
    const fits = r.forms.some((f) => formFits(f, r, operands, classes));
    if (!fits) {
      const space = r.late.find((c) => c.message.startsWith("No state space"));
      const counted = r.forms.some((f) => classes.length >= f.required && classes.length <= f.args.length);
      if (space !== undefined && counted && classes.some((c) => c.kind === "address"))
        report(space.severity, space.message, i.span);
      report("error", this.mismatch(r, i, classes, scope), i.span);
      return true;
    }
    return this.afterMatch(r, i, classes, scope);
  }

  private mismatch(r: Resolved, i: Instruction, classes: readonly OperandClass[], scope: Scope): string {
    if (r.name === "mov" && r.vector > 1) return "Result vector expected";
    const vectors = classes.some(
      (c) =>
        (c.kind === "vector" && (r.vector > 1 || VECTOR_NAMES.has(r.name))) ||
        (c.kind === "special" && c.vector > 1 && r.vector === 1),
    );
    const form = r.forms[0] as Form;
    if (r.name === "bra" && classes.length === 1 && classes[0]?.kind !== "variable")
      return "Label expected for argument 0 of instruction 'bra'";
    if (
      r.vector > 1 &&
      VECTOR_NAMES.has(r.name) &&
      !classes.some((c) => c.kind === "vector" || (c.kind === "register" && c.vector !== null))
    )
      return r.name.startsWith("st") ? "Vector expected for argument 1" : "Result vector expected";
    if (vectors && (r.vector > 1 || (classes.length >= form.required && classes.length <= form.args.length)))
      return `Argument vector size mismatch for instruction '${r.name}'`;
    const bad = this.badAddress(r, i, classes, scope);
    return bad ?? `Arguments mismatch for instruction '${r.name}'`;
  }

  /** Wording for an address that is none. */
  private badAddress(r: Resolved, i: Instruction, classes: readonly OperandClass[], scope: Scope): string | null {
    const form = r.forms.find((f) => classes.length >= f.required && classes.length <= f.args.length);
    if (form === undefined) return null;
    for (let k = 0; k < classes.length; k++) {
      const o = i.operands[k] as Operand;
      if (form.args[k]?.role !== "address" || o.kind !== "address" || o.base === null) continue;
      const others = i.operands.every(
        (p, n) => n === k || argFits(form.args[n] as Arg, r, p, classes[n] as OperandClass),
      );
      if (!others) return null;
      const s = scope.lookup(o.base);
      if (s === null) return `Illegal operand type to instruction '${r.name}'`;
      if (s.kind === "register" && !addressType(s.type))
        return `Illegal to use symbol '${o.base}' of type .${s.type} as address operand. Use integer or bit only.`;
      if (s.kind !== "register" && s.kind !== "variable") return `Illegal operand type to instruction '${r.name}'`;
    }
    return null;
  }

  /** `r.x` on what has no components; `!` and `-` where they mean nothing. */
  private selectors(r: Resolved, i: Instruction, classes: readonly OperandClass[]): boolean {
    // The video instructions take all of it.
    if (r.name.startsWith("v")) return false;
    let bad = false;
    for (let k = 0; k < classes.length; k++) bad = this.selector(r, i, classes[k] as OperandClass, k) || bad;
    return bad;
  }

  private selector(r: Resolved, i: Instruction, c: OperandClass, position: number): boolean {
    const { report } = this.context;
    const o = i.operands[position] as Operand;
    if (o.kind === "name" && o.component !== null && c.kind === "register" && !c.element && c.vector === null) {
      if (!VIDEO_SELECTOR.test(o.component))
        report("error", `Unknown video selector: '.${o.component}'`, this.place(i, position));
      const place = position === 0 ? "destination" : "source";
      report(
        "error",
        `Video selector is not allowed on ${place} operand for instruction '${r.name}'`,
        this.place(i, position),
      );
      return true;
    }
    if (o.kind === "name" && o.component !== null && c.kind === "unknown") {
      report("error", `Unknown field '.${o.component}'`, this.place(i, position));
      return true;
    }
    if (c.kind === "notArray") {
      report("error", "Array indexing on non-array", this.place(i, position));
      return true;
    }
    if (o.kind === "neg") {
      report("error", `Operand negation not allowed for instruction '${r.name}'`, this.place(i, position));
      return true;
    }
    if (o.kind === "not" && (c.kind !== "register" || c.type !== "pred") && c.kind !== "unknown")
      report("error", "Illegal argument to predicate negation", this.place(i, position));
    return false;
  }

  /** `mov.b64 {a, b}, d` and its like. */
  private movVector(r: Resolved, i: Instruction, classes: readonly OperandClass[]): boolean {
    const { report } = this.context;
    const type = r.types[0] as string;
    const to = classes[0];
    if (to?.kind === "vector" && to.elements.some(constant)) {
      report("error", `Result register required for instruction '${r.name}'`, i.span);
      return true;
    }
    for (const c of classes) {
      if (c.kind !== "vector") continue;
      const n = c.elements.length;
      if (n !== 1 && n !== 2 && n !== 4 && n !== 8) {
        report("error", `Illegal vector size: ${n}`, i.span);
        report("error", `Arguments mismatch for instruction '${r.name}'`, i.span);
        return true;
      }
      const sizes = c.elements.filter((e) => e.kind === "register").map((e) => sizeOf((e as { type: string }).type));
      if (sizes.some((s) => s !== sizes[0])) {
        report("error", "Incompatible elements of vector expression", i.span);
        return true;
      }
      if (r.vector > 1) {
        if (n === r.vector) continue;
        report("error", `Argument vector size mismatch for instruction '${r.name}'`, i.span);
        return true;
      }
      if (n === 1 && !type.startsWith("b")) {
        report("error", this.movElement(r, type, c.elements[0] as OperandClass), i.span);
        return true;
      }
      const width = sizes[0] === undefined ? sizeOf(type) : sizes[0] * n;
      if (!type.startsWith("b") || width !== sizeOf(type)) {
        report("error", `Arguments mismatch for instruction '${r.name}'`, i.span);
        return true;
      }
    }
    if (r.vector === 1 && classes.every((c) => c.kind === "vector")) {
      report("error", "Illegal vector-vector operands for vector-scalar or scalar-vector mov instruction", i.span);
      return true;
    }
    const whole = classes.find((c) => c.kind === "register");
    if (whole?.kind === "register" && r.vector === 1 && !registerFits(type, whole.type, sizeOf(type), false)) {
      report("error", `Arguments mismatch for instruction '${r.name}'`, i.span);
      return true;
    }
    return classes.some((c) => c.kind === "unknown");
  }

  /** Why `{a}` may not be moved as another type than bits. */
  private movElement(r: Resolved, type: string, e: OperandClass): string {
    const fits =
      e.kind === "register" || e.kind === "special"
        ? registerFits(type, e.type, sizeOf(type), false)
        : constantFits(type, e);
    if (!fits) return `Arguments mismatch for instruction '${r.name}'`;
    if (type === "pred") return `Vector operand is not allowed for instruction '${r.name}'`;
    return `Argument vector size mismatch for instruction '${r.name}'`;
  }

  private afterMatch(r: Resolved, i: Instruction, classes: readonly OperandClass[], scope: Scope): boolean {
    const { report } = this.context;
    const f = r.forms.find((x) => classes.length >= x.required && classes.length <= x.args.length) as Form;
    let bad = false;
    classes.forEach((c, k) => {
      const a = f.args[k] as Arg;
      const o = i.operands[k] as Operand;
      if (a.role === "def" && (c.kind === "int" || (c.kind === "vector" && c.elements.some(constant))))
        report("error", `Result register required for instruction '${r.name}'`, i.span);
      else if (a.role === "def" && c.kind === "special" && SPECIAL_ALLOWED.has(r.name))
        report("error", "Read-only special register cannot be destination argument", i.span);
      else if ((a.role === "def" || a.role === "defPred") && c.kind === "sink" && !discards(r, o)) {
        report("fatal", `Result discard mode is not allowed for instruction '${r.name}'`, i.span);
        bad = true;
      } else if (o.kind === "pair" && !a.pair) {
        report("error", `Predicate output not allowed for instruction '${r.name}'`, i.span);
        bad = true;
      } else if (c.kind === "special" && !SPECIAL_ALLOWED.has(r.name)) {
        report("error", `Special register argument not allowed for instruction '${r.name}'`, i.span);
      } else if (c.kind === "variable" && !ADDRESS_ALLOWED.has(r.name) && a.role === "use") {
        report("error", `Argument ${k} of instruction '${r.name}': must be register`, i.span);
      }
    });
    bad = this.vectors(r, f, i, classes) || bad;
    if (r.name === "setp" && classes.length === 4 && !r.words.some((w) => w === "and" || w === "or" || w === "xor"))
      report("error", "Boolean operation is required for instruction 'setp'", i.span);
    const gate = OPERAND_GATES.get(r.name);
    if (gate !== undefined && classes.length === gate[0] && this.context.target.sm < gate[2])
      report("error", `Feature '${gate[1]}' requires .target sm_${gate[2]} or higher`, i.span);
    return bad || this.ranges(r, i) || this.spaces(r, i, scope);
  }

  /** Braces around what is no vector. */
  private vectors(r: Resolved, f: Form, i: Instruction, classes: readonly OperandClass[]): boolean {
    if (r.vector > 1 || SCALAR_VECTORS.has(r.name)) return false;
    if (!classes.some((c, k) => c.kind === "vector" && ["def", "use"].includes((f.args[k] as Arg).role))) return false;
    const { report } = this.context;
    // atom and red count their arguments in this order.
    if (r.name === "atom" || r.name === "red")
      for (const k of [2, 1, 0])
        if (classes[k]?.kind === "vector")
          report("error", `Vector is not expected for argument ${k} of instruction '${r.name}'`, i.span);
    report("error", `Vector operand is not allowed for instruction '${r.name}'`, i.span);
    return true;
  }

  /** Constants with a range of their own. */
  private ranges(r: Resolved, i: Instruction): boolean {
    for (const [name, index, least, greatest] of RANGES) {
      const o = i.operands[index];
      if (r.name !== name || o === undefined || o.kind !== "int") continue;
      const v = BARRIERS.test(name) ? o.lo : o.hi * 0x100000000 + o.lo;
      if (v >= least && v <= greatest) continue;
      this.context.report(
        "error",
        BARRIERS.test(name) && index === 0
          ? `Barrier number '${(BigInt(o.hi) << 32n) | BigInt(o.lo)}' out of range, expected to be in range [${least}..${greatest}]`
          : `Argument ${index} of instruction '${name}': value '${v}' out of range, expected to be in range [${least}..${greatest}]`,
        i.span,
      );
    }
    return false;
  }

  /** State spaces of ld, st and friends against the variable in the address. */
  private spaces(r: Resolved, i: Instruction, scope: Scope): boolean {
    const { report } = this.context;
    const written = r.words.filter((w) => SPACE_WORDS.has(w));
    if (written.length > 1 && MEMORY.has(r.name)) {
      report("error", `Unexpected number of state spaces specified in instruction '${r.name}'`, i.span);
      return true;
    }
    const refused = WRONG_SPACES.get(r.name);
    if (refused !== undefined && written.some((w) => refused.has(w)))
      report("error", `State space incorrect for instruction '${r.name}'`, i.span);
    if (!MEMORY.has(r.name)) return false;
    const address = i.operands.find((o) => o.kind === "address");
    if (address === undefined || address.kind !== "address") return false;
    const space = (written[0] ?? "").split("::")[0] as string;
    if (address.base === null) {
      if (space !== "local" && space !== "")
        report("error", "Immediate addresses allowed only for .local state space", i.span);
      return false;
    }
    const s = scope.lookup(address.base);
    if (s?.kind === "register" && (space === "" || space === "global") && sizeOf(s.type) === 32)
      this.context.shortAddress(i.span.line);
    if (s?.kind === "variable" && s.space === "param" && space === "") {
      report("error", `State space mismatch between instruction and address in instruction '${r.name}'`, i.span);
      return false;
    }
    if (s?.kind !== "variable" || space === "" || s.space === space || (space === "param" && s.space === "reg"))
      return false;
    report("error", `State space mismatch between instruction and address in instruction '${r.name}'`, i.span);
    return false;
  }
}

/** A vector register as the vector of its elements. */
function spread(c: OperandClass): OperandClass {
  if (c.kind !== "register" || c.vector === null) return c;
  const element: OperandClass = { kind: "register", type: c.type, vector: null, element: true };
  return { kind: "vector", elements: Array.from({ length: c.vector }, () => element) };
}

function constant(c: OperandClass): boolean {
  return c.kind === "int" || c.kind === "float";
}

/** Whether the instruction takes `_` for its result; measured. */
function discards(r: Resolved, o: Operand): boolean {
  if (r.name === "atom" || r.name === "setp" || r.name === "lop3") return true;
  return r.name === "match" && o.kind === "pair";
}

const VIDEO_SELECTOR: RegExp = /^(?:b[0-3]{1,4}|h[0-3]{1,2})$/;
const SPECIAL_ALLOWED: ReadonlySet<string> = new Set(["mov", "cvt"]);
const ADDRESS_ALLOWED: ReadonlySet<string> = new Set(["mov", "cvta", "cvta.to", "isspacep", "mapa", "getctarank"]);
const VECTOR_NAMES: ReadonlySet<string> = new Set(["ld", "st", "ldu", "atom", "red"]);
const MEMORY: ReadonlySet<string> = new Set(["ld", "st", "ldu"]);
const WRONG_SPACES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["st", new Set(["const", "tex"])],
  ["atom", new Set(["const", "local", "param", "tex", "param::func", "param::entry"])],
  ["red", new Set(["const", "local", "param", "tex", "param::func", "param::entry"])],
]);
const SPACE_WORDS: ReadonlySet<string> = new Set([
  ..."const global local shared param shared::cta shared::cluster param::entry param::func tex".split(" "),
]);
const BARRIERS: RegExp = /^bar(?:rier)?(?:\.|$)/;
/** name, operand, least, greatest; measured. */
const RANGES: readonly (readonly [string, number, number, number])[] = [
  ["bar", 0, 0, 15],
  ["barrier", 0, 0, 15],
  ["bar.arrive", 0, 0, 15],
  ["bar.red", 1, 0, 15],
  ["bfe", 2, 0, 255],
  ["bfe", 3, 0, 255],
  ["bfi", 3, 0, 255],
  ["bfi", 4, 0, 255],
];

/** atom takes two values for cas, one otherwise, and a cache policy where the modifier says so. */
function atomCount(r: Resolved, n: number): boolean {
  return n === 3 + (r.words.includes("cas") ? 1 : 0) + (r.words.includes("L2::cache_hint") ? 1 : 0);
}
