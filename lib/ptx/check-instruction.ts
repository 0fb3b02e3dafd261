import type { Severity, Span } from "../diagnostics.js";
import type { Instruction, Operand } from "./ast.js";
import { classify, constantFits, isVectorComponent, type OperandClass, registerFits, sizeOf } from "./operand-types.js";
import type { Scope } from "./scope.js";
import { type Arg, type Form, type Gate, instructions, TYPE_WORDS, type Words } from "./spec/instructions.js";
import { ATOMIC_OPERATIONS, CAS_TYPES } from "./spec/rules.js";
import { SPECIAL_REGISTERS } from "./spec/sregs.js";

/**
 * One instruction against the specification, in ptxas's order: unknown modifiers and name, types, arguments, then whether the modifiers belong, are
 * complete, and exist on the target. ptxas leaves an instruction after a mismatch of types or arguments, so does this.
 *
 * All that depends on the mnemonic alone is worked out once per spelling (`resolve`), so that a clean instruction costs a walk over its operands.
 */
export interface InstructionContext {
  readonly report: (severity: Severity, message: string, at: Span | null) => void;
  /** A name that means nothing (yet). */
  readonly unknown: (name: string, at: Span) => void;
  readonly target: { readonly name: string; readonly sm: number };
  /** PTX version times ten: 78 for 7.8. */
  readonly version: number;
}

interface Complaint {
  readonly severity: Severity;
  readonly message: string;
}

/** What is known from the mnemonic. */
interface Resolved {
  readonly name: string;
  readonly types: readonly string[];
  /** Length of vectors, 1 without a vector modifier. */
  readonly vector: number;
  readonly forms: readonly Form[];
  /** Found while reading the mnemonic. */
  readonly early: readonly Complaint[];
  /** Nothing more can be said. */
  readonly stop: boolean;
  /** Found when the arguments are right. */
  readonly late: readonly Complaint[];
  readonly words: readonly string[];
}

const ROUNDING: string = "Illegal rounding modifier for instruction '@'";
const COMPARISON: string = "Comparison qualifier is not allowed for instruction '@'";
const LATE: ReadonlySet<string> = new Set([
  ROUNDING,
  COMPARISON,
  "No state space qualifier expected for instruction '@'",
  "Vector qualifier is not allowed for instruction '@'",
]);
const LATE_WORDS: ReadonlySet<string> = new Set(["ftz", "sat", "cc"]);

export class InstructionChecker {
  private readonly context: InstructionContext;
  private readonly cache: Map<readonly string[], Map<string, Resolved>> = new Map();

  constructor(context: InstructionContext) {
    this.context = context;
  }

  check(i: Instruction, scope: Scope): void {
    const r = this.resolved(i);
    const { report } = this.context;
    for (const c of r.early) report(c.severity, c.message, i.span);
    this.guard(i, scope);
    const classes = i.operands.map((o) => classify(o, scope));
    this.names(i.operands, scope);
    if (r.stop) return;
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

  private guard(i: Instruction, scope: Scope): void {
    if (i.guard === null) return;
    const s = scope.lookup(i.guard.name);
    if (s?.kind === "register" && s.type === "pred") return;
    this.context.report("error", "Predicate expression expected", i.span);
    if (s === null && !SPECIAL_REGISTERS.has(i.guard.name)) this.context.unknown(i.guard.name, i.span);
  }

  /** Collects the names without meaning. */
  private names(operands: readonly Operand[], scope: Scope): void {
    for (const o of operands) {
      switch (o.kind) {
        case "name":
          this.name(o.name, o.span, scope);
          break;
        case "address":
          if (o.base !== null) this.name(o.base, o.span, scope);
          this.names(o.rest, scope);
          break;
        case "vector":
        case "list":
          this.names(o.elements, scope);
          break;
        case "pair":
          this.names([o.first, o.second], scope);
          break;
        case "not":
        case "neg":
          this.names([o.operand], scope);
          break;
        default:
      }
    }
  }

  private name(name: string, at: Span, scope: Scope): void {
    if (scope.lookup(name) !== null) return;
    const special = SPECIAL_REGISTERS.get(name);
    if (special === undefined) this.context.unknown(name, at);
    else if (special.sm > this.context.target.sm)
      this.context.report("error", `Feature '${name}' requires .target sm_${special.sm} or higher`, at);
  }

  // --------------------------------------------------------------------------------------------------------------- arguments

  /** True if something was reported that ends the checks of the instruction. */
  private arguments(r: Resolved, i: Instruction, classes: readonly OperandClass[], scope: Scope): boolean {
    if (r.forms.some((f) => f.open)) return this.selectors(r, i, classes);
    const { report } = this.context;
    const operands = i.operands;
    if (r.name === "mov" && operands.length === 2 && (classes[0]?.kind === "vector" || classes[1]?.kind === "vector"))
      return this.movVector(r, i, classes);
    if (this.selectors(r, i, classes)) return true;
    if (r.name === "atom" && !atomCount(r, operands.length)) {
      report("error", "Arguments mismatch for instruction 'atom'", i.span);
      return true;
    }
    const fits = r.forms.some((f) => this.formFits(f, r, operands, classes, scope));
    if (!fits) {
      report("error", this.mismatch(r, i, classes, scope), i.span);
      return true;
    }
    return this.afterMatch(r, i, classes);
  }

  private mismatch(r: Resolved, i: Instruction, classes: readonly OperandClass[], scope: Scope): string {
    if (r.name === "mov" && r.vector > 1) return "Result vector expected";
    const vectors = classes.some(
      (c) => c.kind === "vector" || (c.kind === "special" && c.vector > 1 && r.vector === 1),
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
    if (vectors && (r.vector > 1 || classes.length === form.args.length))
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
        (p, n) => n === k || this.argFits(form.args[n] as Arg, r, p, classes[n] as OperandClass, scope),
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
    if (r.name.startsWith("v")) return false;
    let bad = false;
    i.operands.forEach((o, k) => {
      const c = classes[k] as OperandClass;
      if (o.kind === "name" && o.component !== null && c.kind === "register") {
        if (c.vector !== null || (isVectorComponent(o.component) && this.isVectorRegister(c))) return;
        if (!VIDEO_SELECTOR.test(o.component)) {
          if (this.componentOfVector(o, c)) return;
          this.context.report("error", `Unknown video selector: '.${o.component}'`, o.span);
        }
        this.context.report(
          "error",
          `Video selector is not allowed on ${k === 0 ? "destination" : "source"} operand for instruction '${r.name}'`,
          o.span,
        );
        bad = true;
      }
      if (o.kind === "neg") {
        this.context.report("error", `Operand negation not allowed for instruction '${r.name}'`, o.span);
        bad = true;
      }
      if (o.kind === "not" && (c.kind !== "register" || c.type !== "pred") && c.kind !== "unknown")
        this.context.report("error", "Illegal argument to predicate negation", o.span);
    });
    return bad;
  }

  private isVectorRegister(c: OperandClass & { kind: "register" }): boolean {
    return c.vector !== null;
  }

  /** `v.x` was already narrowed to an element by `classify`. */
  private componentOfVector(o: Operand & { kind: "name" }, c: OperandClass): boolean {
    return c.kind === "register" && o.component !== null && isVectorComponent(o.component) && this.currentVector(o);
  }

  private currentVector(o: Operand & { kind: "name" }): boolean {
    const s = this.scopeOf?.lookup(o.name);
    return s?.kind === "register" && s.vector !== null;
  }

  private scopeOf: Scope | null = null;

  /** Makes the scope known to the checks of components. */
  at(scope: Scope): void {
    this.scopeOf = scope;
  }

  private formFits(
    f: Form,
    r: Resolved,
    operands: readonly Operand[],
    classes: readonly OperandClass[],
    scope: Scope,
  ): boolean {
    if (classes.length < f.required || classes.length > f.args.length) return false;
    for (let k = 0; k < classes.length; k++)
      if (!this.argFits(f.args[k] as Arg, r, operands[k] as Operand, classes[k] as OperandClass, scope)) return false;
    return true;
  }

  private argFits(a: Arg, r: Resolved, o: Operand, c: OperandClass, scope: Scope): boolean {
    switch (a.role) {
      case "any":
        return true;
      case "address":
        return this.addressFits(o, scope) || c.kind === "element";
      case "int":
        return c.kind === "int";
      case "label":
        return c.kind === "label" || c.kind === "unknown";
      case "vector":
        return c.kind === "vector" || (c.kind === "register" && c.vector !== null);
      case "sink":
        return c.kind === "sink" || c.kind === "register";
      case "usePred":
        return (
          (c.kind === "register" && c.type === "pred") ||
          c.kind === "int" ||
          (c.kind === "special" && c.type === "pred")
        );
      case "defPred":
        return (c.kind === "register" && c.type === "pred") || c.kind === "sink";
      case "def":
      case "use":
        return this.valueFits(a, r, o, c);
      default:
        return a.role satisfies never;
    }
  }

  private addressFits(o: Operand, scope: Scope): boolean {
    if (o.kind !== "address") return false;
    if (o.base === null) return true;
    const s = scope.lookup(o.base);
    if (s === null) return false;
    return s.kind === "variable" || (s.kind === "register" && addressType(s.type));
  }

  private valueFits(a: Arg, r: Resolved, o: Operand, c: OperandClass): boolean {
    const type = typeof a.type === "number" ? (r.types[a.type] ?? "") : a.type;
    if (o.kind === "neg") return false;
    if (r.vector > 1 && (a.relaxed || ATOMICS.has(r.name))) return vectorFits(c, type, r.vector, a.relaxed);
    if (r.vector > 1 && r.name === "mov")
      return (
        c.kind === "vector" ||
        (c.kind === "register" && c.vector === r.vector) ||
        (c.kind === "special" && c.vector === r.vector)
      );
    const bits = sizeOf(type) * (a.double ? 2 : 1);
    switch (c.kind) {
      case "register":
        if (c.vector !== null) return false;
        return registerFits(type, c.type, bits, a.relaxed);
      case "special":
        return c.vector === 1 && specialFits(type, c.type, bits, r.name);
      case "int":
      case "float":
        return a.role === "def" ? c.kind === "int" && r.vector === 1 : constantFits(type, c);
      case "sink":
        return a.role === "def";
      case "variable":
        return a.role === "use" && !type.startsWith("f") && bits >= 32;
      case "element":
      case "function":
        return a.role === "use" && bits >= 32 && (r.name === "mov" || r.name.startsWith("cvta"));
      default:
        return false;
    }
  }

  /** `mov.b64 {a, b}, d` and its like. */
  private movVector(r: Resolved, i: Instruction, classes: readonly OperandClass[]): boolean {
    const { report } = this.context;
    const type = r.types[0] as string;
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
      if (n === 1) {
        report("error", `Argument vector size mismatch for instruction '${r.name}'`, i.span);
        return true;
      }
      const width = sizes[0] === undefined ? sizeOf(type) : sizes[0] * n;
      if (!type.startsWith("b") || width !== sizeOf(type)) {
        report("error", `Arguments mismatch for instruction '${r.name}'`, i.span);
        return true;
      }
    }
    const whole = classes.find((c) => c.kind === "register");
    if (whole?.kind === "register" && r.vector === 1 && !registerFits(type, whole.type, sizeOf(type), false)) {
      report("error", `Arguments mismatch for instruction '${r.name}'`, i.span);
      return true;
    }
    return classes.some((c) => c.kind === "unknown");
  }

  private afterMatch(r: Resolved, i: Instruction, classes: readonly OperandClass[]): boolean {
    const { report } = this.context;
    const f = r.forms.find((x) => classes.length >= x.required && classes.length <= x.args.length) as Form;
    let bad = false;
    classes.forEach((c, k) => {
      const a = f.args[k] as Arg;
      const o = i.operands[k] as Operand;
      if (a.role === "def" && c.kind === "int")
        report("error", `Result register required for instruction '${r.name}'`, i.span);
      else if (a.role === "def" && c.kind === "special" && SPECIAL_ALLOWED.has(r.name))
        report("error", "Read-only special register cannot be destination argument", i.span);
      else if (a.role === "def" && c.kind === "sink" && r.vector === 1) {
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
    if (r.name === "setp" && classes.length === 4 && !r.words.some((w) => w === "and" || w === "or" || w === "xor"))
      report("error", "Boolean operation is required for instruction 'setp'", i.span);
    return bad || this.ranges(r, i) || this.spaces(r, i);
  }

  /** Constants with a range of their own. */
  private ranges(r: Resolved, i: Instruction): boolean {
    for (const [name, index, least, greatest] of RANGES) {
      const o = i.operands[index];
      if (r.name !== name || o === undefined || o.kind !== "int") continue;
      const v = o.hi * 0x100000000 + o.lo;
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
  private spaces(r: Resolved, i: Instruction): boolean {
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
    const s = this.scopeOf?.lookup(address.base);
    if (s?.kind === "register" && (space === "" || space === "global") && sizeOf(s.type) === 32)
      report(
        "warning",
        `Program uses 32-bit address on line '${i.span.line}' which is conflicting with .address_size 64`,
        null,
      );
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

const ATOMICS: ReadonlySet<string> = new Set(["atom", "red"]);
const VIDEO_SELECTOR: RegExp = /^(?:b[0-3]{1,4}|h[0-3]{1,2})$/;
const SPECIAL_ALLOWED: ReadonlySet<string> = new Set(["mov", "cvt"]);
const ADDRESS_ALLOWED: ReadonlySet<string> = new Set([
  "mov",
  "cvta",
  "cvta.to",
  "isspacep",
  "istypep",
  "mapa",
  "getctarank",
]);
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

function addressType(type: string): boolean {
  return !type.startsWith("f") && type !== "pred";
}

function specialFits(type: string, special: string, bits: number, name: string): boolean {
  if (special === "pred") return type === "pred";
  if (type === "pred") return false;
  // A move may take the low half of a 32-bit special register, nothing else narrows or widens.
  return sizeOf(special) === bits || (name === "mov" && special === "u32" && bits === 16);
}

function vectorFits(c: OperandClass, type: string, length: number, relaxed: boolean): boolean {
  if (c.kind === "register") return c.vector === length && registerFits(type, c.type, sizeOf(type), relaxed);
  if (c.kind !== "vector" || c.elements.length !== length) return false;
  return c.elements.every((e) => {
    if (e.kind === "register") return e.vector === null && registerFits(type, e.type, sizeOf(type), relaxed);
    return e.kind === "sink" || constantFits(type, e);
  });
}

// ------------------------------------------------------------------------------------------------------------------ mnemonics

/** The longest run of words that is a name. */
function longestName(opcode: string, modifiers: readonly string[]): { name: string; used: number } | null {
  const { forms, prefixes } = instructions();
  let best: { name: string; used: number } | null = forms.has(opcode) ? { name: opcode, used: 0 } : null;
  if (!prefixes.has(opcode)) return best;
  let name = opcode;
  for (let n = 0; n < modifiers.length && n < 4; n++) {
    const word = modifiers[n] as string;
    // `tcgen05.fence::before_thread_sync` is one word to the scanner and a name with a qualifier to ptxas.
    const head = word.split("::")[0] as string;
    if (head !== word && forms.has(`${name}.${head}`)) return { name: `${name}.${head}`, used: n + 1 };
    name = `${name}.${word}`;
    if (forms.has(name)) best = { name, used: n + 1 };
  }
  return best;
}

function resolve(opcode: string, modifiers: readonly string[], context: InstructionContext): Resolved {
  const spec = instructions();
  const found = longestName(opcode, modifiers);
  const none = { types: [], vector: 1, forms: [], late: [], words: [] };
  if (found === null) {
    const message = `Not a name of any known instruction: '${opcode}'`;
    return { ...none, name: opcode, early: [{ severity: "error", message }], stop: true };
  }
  const { name, used } = found;
  const early: Complaint[] = [];
  const rest = modifiers.slice(used);
  const forms = spec.forms.get(name) as readonly Form[];
  const open = forms.some((f) => f.open);
  const words = rest.filter((w) => !TYPE_WORDS.has(w));
  const types = rest.filter((w) => TYPE_WORDS.has(w));
  for (const w of words)
    if (!spec.refusals.has(w) && !spec.inert.has(w) && !MATRIX_SHAPE.test(w) && !(open && KNOWN_IN_OPEN.has(w)))
      early.push({ severity: "error", message: `Unknown modifier '.${w}'` });
  if (words.filter((w) => spec.refusals.get(w) === COMPARISON).length > 1 && COMPARING.has(name))
    early.push({ severity: "error", message: "Multiple comparisons set" });
  if (words.filter((w) => spec.refusals.get(w) === ROUNDING && !w.startsWith("rs")).length > 1 && !open)
    early.push({ severity: "error", message: "Multiple rounding modifiers specified" });
  const typeList = types.join(".");
  for (const key of ["*", name]) gates(spec.earlyGates.get(key) ?? [], name, types, words, context, early);
  if ((name === "shfl" || name === "vote") && !words.includes("sync") && context.version >= 64)
    early.push({
      severity: "error",
      message: `Instruction '${name}' without '.sync' is not supported on .target sm_70 and higher from PTX ISA version 6.4`,
    });
  const matching = forms.filter((f) => f.types === null || f.types.has(typeList));
  const table = spec.words.get(`${name} ${typeList}`);
  const late: Complaint[] = [];
  for (const w of words) refuse(w, name, typeList, table, early, late);
  const vector = vectorLength(words);
  const base = { name, types, vector, forms: matching, words, early, late };
  if (matching.length === 0 || (name === "atom" && words.includes("cas") && !CAS_TYPES.has(typeList))) {
    early.push({ severity: "error", message: `Unexpected instruction types specified for '${name}'` });
    return { ...base, stop: true };
  }
  if (name === "ld" || name === "st") memoryOrder(name, words, late);
  if (table !== undefined && !ATOMICS.has(name)) demand(table, words, name, typeList, late);
  if ((name === "ld" || name === "st") && vector * sizeOf(typeList) === 256 && context.target.sm < 100)
    late.push({ severity: "error", message: "Feature '256 bit wide load/store' requires .target sm_100 or higher" });
  if (name === "atom" || name === "red") atomic(name, typeList, words, late);
  gates(spec.gates.get(name) ?? [], name, types, words, context, late);
  return { ...base, stop: false };
}

/** A scope needs a memory order and the other way round. */
function memoryOrder(name: string, words: readonly string[], late: Complaint[]): void {
  const scope = words.find((w) => w === "cta" || w === "cluster" || w === "gpu" || w === "sys");
  const order = words.find((w) => w === "relaxed" || w === "acquire" || w === "release");
  if (scope !== undefined && order === undefined)
    late.push({ severity: "error", message: `Modifier '.${scope}' requires memory order with '${name}' instruction` });
  if (order !== undefined && scope === undefined)
    late.push({ severity: "error", message: `Modifier '.${order}' requires scope with '${name}' instruction` });
}

/** Operation and type of atom and red. */
function atomic(name: string, type: string, words: readonly string[], late: Complaint[]): void {
  const say = (message: string): void => {
    late.push({ severity: "error", message });
  };
  const op = words.find((w) => ATOMIC_OPERATIONS.has(w));
  if (op === undefined) {
    if (words.includes("cas")) return;
    say(`Illegal operation '' for instruction '${name}'`);
    say(`Operation  requires  type for instruction '${name}'`);
    say(`Reduction operation is required for instruction '${name}'`);
    return;
  }
  if (name === "red" && op === "exch") say("Illegal operation '.exch' for instruction 'red'");
  const [types, named] = ATOMIC_OPERATIONS.get(op) as readonly [string, string];
  if (NOFTZ.has(type) && !words.includes("noftz"))
    say(`'.noftz' modifier required for instruction '${name}' with type '.${type}'`);
  if (!types.split(" ").includes(type)) say(`Operation .${op} requires ${named} type for instruction '${name}'`);
}

const COMPARING: ReadonlySet<string> = new Set(["set", "setp"]);
const NOFTZ: ReadonlySet<string> = new Set(["f16", "f16x2", "bf16", "bf16x2"]);

const MATRIX_SHAPE: RegExp = /^m\d+n\d+(?:k\d+)?$/;
const KNOWN_IN_OPEN: ReadonlySet<string> = new Set(["p", "zfill", "sp"]);

function vectorLength(words: readonly string[]): number {
  for (const w of words) if (w === "v2" || w === "v4" || w === "v8") return Number(w[1]);
  return 1;
}

/** A modifier that does not belong. */
function refuse(
  w: string,
  name: string,
  types: string,
  table: Words | undefined,
  early: Complaint[],
  late: Complaint[],
): void {
  if (table === undefined || table.accepted.has(w) || table.demands.some((d) => d.group.size === 0)) return;
  const spec = instructions();
  const usual = spec.refusals.get(w);
  if (usual === undefined || spec.inert.has(w) || ((name === "atom" || name === "red") && !LATE.has(usual))) return;
  if (table.demands.some((d) => d.group.has(w))) return;
  const exclusive = usual === ROUNDING || usual === COMPARISON;
  if (table.conditional.has(w) && !exclusive) return;
  if (table.conditional.has(w) && usual === ROUNDING && !table.demands.some((d) => sameKind(d.group, usual))) return;
  const text = fill(table.refused.get(w) ?? usual, name, types, w);
  (LATE.has(usual) || LATE_WORDS.has(w) ? late : early).push({ severity: "error", message: text });
}

function sameKind(group: ReadonlySet<string>, usual: string): boolean {
  const spec = instructions();
  for (const w of group) if (spec.refusals.get(w) === usual) return true;
  return false;
}

function fill(message: string, name: string, types: string, word: string): string {
  return message.replaceAll("@", name).replaceAll("%", word).replaceAll("&", types);
}

function demand(table: Words, words: readonly string[], name: string, types: string, late: Complaint[]): void {
  for (const d of table.demands)
    if (!words.some((w) => d.group.has(w))) late.push({ severity: "error", message: fill(d.message, name, types, "") });
}

const NEEDS_SM: RegExp = /requires \.target sm_(\d+) or higher/;
const NEEDS_VERSION: RegExp = /requires PTX ISA \.version (\d+)\.(\d+) or later/;

function gates(
  list: readonly Gate[],
  name: string,
  types: readonly string[],
  words: readonly string[],
  context: InstructionContext,
  out: Complaint[],
): void {
  for (const g of list) {
    const typed = g.types === null || (g.anyType ? types.some((t) => g.types?.has(t)) : g.types.has(types.join(".")));
    const word = g.words.has("-") ? "" : words.find((w) => g.words.has(w));
    if (!typed || word === undefined || !isClosed(g, context)) continue;
    // "Modifier '.satfinite' on 'cvt.tf32.f32.rn'": measured with that rounding, and for it alone.
    const rounding = /\.(r[nzmp])' requires/.exec(g.message);
    if (rounding !== null && !words.includes(rounding[1] as string)) continue;
    out.push({
      severity: "error",
      message: fill(g.message, name, types.join("."), word).replace("#", context.target.name),
    });
  }
}

function isClosed(g: Gate, context: InstructionContext): boolean {
  const sm = NEEDS_SM.exec(g.message);
  if (sm !== null) return context.target.sm < Number(sm[1]);
  const version = NEEDS_VERSION.exec(g.message);
  if (version !== null) return context.version < Number(version[1]) * 10 + Number(version[2]);
  return g.targets.has(context.target.name) !== g.inverted;
}
