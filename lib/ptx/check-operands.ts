import type { Severity, Span } from "../diagnostics.js";
import type { Instruction, Operand } from "./ast.js";
import { constantFaults } from "./check-constants.js";
import { fragmentArguments, fragmentFaults, isFragment } from "./check-fragments.js";
import { commitMask } from "./check-tensor-memory.js";
import {
  ADDRESSES,
  addressType,
  argFits,
  brainConstant,
  formFits,
  mixesTypes,
  SCALAR_VECTORS,
} from "./match-arguments.js";
import { classify, constantFits, isFloat, type OperandClass, registerFits, sizeOf } from "./operand-types.js";
import { type Complaint, type Resolved, STATE_SPACES } from "./resolve.js";
import type { Scope } from "./scope.js";
import type { Arg, Form } from "./spec/instructions.js";
import { OPERAND_GATES } from "./spec/rules.js";

/**
 * The operands of one instruction: whether they fit a form, and when they do, all that is wrong with them all the same, in ptxas's order: what the
 * target lacks, single arguments, modifiers that do not belong, vectors, modifiers that are missing, what must be a register. Wording and order
 * measured on ptxas 13.0.88.
 */
export interface OperandContext {
  readonly sm: number;
  readonly report: (severity: Severity, message: string, at: Span | null) => void;
  /** Where an operand stands. */
  readonly place: (i: Instruction, ...path: readonly number[]) => Span;
  /** An address of 32 bits where 64 are needed, in this line. */
  readonly shortAddress: (line: number) => void;
  /** What the function at hand has by that name, whatever an inner block declares by it. */
  readonly parameter: (name: string) => "input" | "return" | null;
}

export class OperandChecker {
  private readonly context: OperandContext;

  constructor(context: OperandContext) {
    this.context = context;
  }

  check(r: Resolved, i: Instruction, classes: readonly OperandClass[], scope: Scope): void {
    const fits = this.matches(r, i, classes, scope);
    if (fits) this.afterMatch(r, i, classes, scope);
  }

  private say(i: Instruction, ...messages: readonly string[]): void {
    for (const m of messages) this.context.report("error", m, i.span);
  }

  private complain(i: Instruction, complaints: readonly Complaint[]): void {
    for (const c of complaints) this.context.report(c.severity, c.message, i.span);
  }

  /** False where something was said that ends the checks of the instruction. */
  private matches(r: Resolved, i: Instruction, classes: readonly OperandClass[], scope: Scope): boolean {
    const { operands } = i;
    if (r.name === "mov" && operands.length === 2) {
      const whole = classes.map(spread);
      if (whole.some((c) => c.kind === "vector")) {
        const fault = this.movVector(r, i, whole);
        if (!fault) this.complain(i, [...r.gated, ...r.refused, ...r.demanded]);
        return false;
      }
    }
    if (this.selectors(r, i, classes)) return false;
    const fits = r.forms.some((f) => formFits(f, r, operands, classes, scope) && atomFits(f, r));
    const combines =
      (COMPARES.has(r.name) && r.words.some((w) => BOOLEANS.has(w))) ||
      (VIDEO.test(r.name) && r.words.some((w) => SECONDARY.has(w)));
    // What a seed rounds by is there with .rs alone.
    const seedless =
      r.name === "cvt" && PACKS.test(r.types.join(".")) && r.words.includes("rs") !== (operands.length === 4);
    const fragment = !isFragment(r.name) || fragmentArguments(r.name, classes);
    if (!fits || !fragment || !commitMask(r, classes, false) || seedless || (combines && operands.length < 4)) {
      this.say(i, this.mismatch(r, i, classes, scope));
      return false;
    }
    return true;
  }

  /** One operand more than usual is a cache policy, for which a modifier must ask. */
  private policyFits(r: Resolved, i: Instruction): boolean {
    const usual = POLICY_AT.get(r.name);
    if (usual === undefined) return true;
    const n = i.operands.length - (r.name === "atom" && r.words.includes("cas") ? 1 : 0) - usual;
    const asked = r.words.includes("L2::cache_hint");
    if (n === (asked ? 1 : 0)) return true;
    if (n === 1)
      this.say(i, `.L2::cache_hint modifier required for instruction '${r.name}' with ${i.operands.length} arguments`);
    this.say(i, `Arguments mismatch for instruction '${r.name}'`);
    return false;
  }

  private mismatch(r: Resolved, i: Instruction, classes: readonly OperandClass[], scope: Scope): string {
    if (r.name === "bra" && classes.length === 1 && classes[0]?.kind !== "variable")
      return "Label expected for argument 0 of instruction 'bra'";
    if (SCALAR_VECTORS.has(r.name) && classes.some((c) => c.kind === "vector" && mixesTypes(c.elements)))
      return `Vector with elements of different types are not allowed in ${r.name} instruction`;
    // Brackets left out around a texture or surface and its coordinates.
    const at = r.forms[0]?.args.findIndex((a) => a.role === "texture" || a.role === "surface") ?? -1;
    const apart = at >= 0 && r.forms.some((f) => classes.length > f.required && classes.length <= f.args.length + 1);
    const c = classes[at];
    if (apart && c !== undefined && unbracketed(c)) return `Illegal Addressing Mode in instruction '${r.name}'`;
    return this.badAddress(r, i, classes, scope) ?? `Arguments mismatch for instruction '${r.name}'`;
  }

  /** Wording for an address that is none. */
  private badAddress(r: Resolved, i: Instruction, classes: readonly OperandClass[], scope: Scope): string | null {
    const form = r.forms.find((f) => classes.length >= f.required && classes.length <= f.args.length);
    if (form === undefined) return null;
    for (let k = 0; k < classes.length; k++) {
      const o = i.operands[k] as Operand;
      if (form.args[k]?.role !== "address" || o.kind !== "address" || o.base === null) continue;
      const others = i.operands.every(
        (p, n) => n === k || argFits(form.args[n] as Arg, r, p, classes[n] as OperandClass, scope),
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

  /** `r.x` on what has no components. */
  private selectors(r: Resolved, i: Instruction, classes: readonly OperandClass[]): boolean {
    // The video instructions take all of it.
    if (VIDEO.test(r.name)) return false;
    let bad = false;
    for (let k = 0; k < classes.length; k++) bad = this.selector(r, i, classes[k] as OperandClass, k) || bad;
    return bad;
  }

  private selector(r: Resolved, i: Instruction, c: OperandClass, position: number): boolean {
    const { report, place } = this.context;
    const o = i.operands[position] as Operand;
    if (o.kind === "name" && o.component !== null && c.kind === "register" && !c.element && c.vector === null) {
      if (!VIDEO_SELECTOR.test(o.component))
        report("error", `Unknown video selector: '.${o.component}'`, place(i, position));
      const where = position === 0 ? "destination" : "source";
      report(
        "error",
        `Video selector is not allowed on ${where} operand for instruction '${r.name}'`,
        place(i, position),
      );
      return true;
    }
    if (o.kind === "name" && o.component !== null && c.kind === "unknown") {
      report("error", `Unknown field '.${o.component}'`, place(i, position));
      return true;
    }
    if (c.kind !== "notArray") return false;
    report("error", "Array indexing on non-array", place(i, position));
    return true;
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
        report("error", `Arguments mismatch for instruction '${r.name}'`, i.span);
        return true;
      }
      const sizes = c.elements.filter((e) => e.kind === "register").map((e) => sizeOf((e as { type: string }).type));
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

  private afterMatch(r: Resolved, i: Instruction, classes: readonly OperandClass[], scope: Scope): void {
    const counts = (x: Form): boolean => classes.length >= x.required && classes.length <= x.args.length;
    const f = r.forms.find((x) => formFits(x, r, i.operands, classes, scope)) ?? (r.forms.find(counts) as Form);
    const gate = OPERAND_GATES.get(r.name);
    if (gate !== undefined && classes.length === gate[0] && this.context.sm < gate[2])
      this.say(i, `Feature '${gate[1]}' requires .target sm_${gate[2]} or higher`);
    this.complain(i, r.gated);
    if (!this.policyFits(r, i)) return;
    if (!commitMask(r, classes, true)) {
      this.say(i, `Arguments mismatch for instruction '${r.name}'`);
      return;
    }
    const ftz = r.name === "ex2" && r.types[0]?.startsWith("bf16");
    if (ftz) this.complain(i, r.demanded);
    if (this.singles(r, f, i, classes, scope)) return;
    this.complain(i, r.refused);
    this.direction(r, i);
    if (isFragment(r.name)) {
      this.say(i, ...fragmentFaults(r, classes));
      this.registers(r, f, i, classes);
      this.spaces(r, i, scope);
      return;
    }
    if (this.vectors(r, f, i, classes)) return;
    if (!ftz) this.complain(i, r.demanded);
    const alone = r.types.length < 2 || COMPARES.has(r.name) || r.name === "cvt";
    const brain = classes.some((c, k) => brainConstant(typeOf(f.args[k] as Arg, r), c, r));
    if (alone && brain && !r.name.startsWith("multimem")) this.say(i, `Arguments mismatch for instruction '${r.name}'`);
    if (COMPARES.has(r.name) && classes.length === 4 && !r.words.some((w) => BOOLEANS.has(w)))
      this.say(i, `Boolean operation is required for instruction '${r.name}'`);
    const signs = (r.name === "min" || r.name === "max") && r.words.includes("abs") && classes.length === 3;
    if (signs && !r.words.includes("xorsign")) this.say(i, "Modifier '.abs' requires modifier '.xorsign'");
    this.registers(r, f, i, classes);
    this.say(i, ...constantFaults(r.name, i.operands));
    this.spaces(r, i, scope);
  }

  /** What is wrong with one argument by itself; true where that ends the checks. */
  private singles(r: Resolved, f: Form, i: Instruction, classes: readonly OperandClass[], scope: Scope): boolean {
    let bad = false;
    classes.forEach((c, k) => {
      const a = f.args[k] as Arg;
      const o = i.operands[k] as Operand;
      const result = a.role === "def" || a.role === "defPred";
      const selected = PACKED_VIDEO.test(r.name);
      if (r.name === "elect" && k === 0 && !electsInto(o, scope)) {
        this.say(i, "Predicate output expected for instruction 'elect'");
        bad = true;
      }
      if (a.role === "sink" && c.kind !== "sink" && r.words.includes("shared::cluster"))
        this.say(
          i,
          `Sink '_' is expected as a destination operand for instruction '${r.name}' with '.shared::cluster'`,
        );
      else if (a.role === "sink" && c.kind === "int")
        this.say(i, `Result register required for instruction '${r.name}'`);
      else if (
        result &&
        !selected &&
        !brainConstant(typeOf(a, r), c, r) &&
        (constant(c) || o.kind === "not" || (c.kind === "vector" && c.elements.some(constant)))
      )
        this.say(i, `Result register required for instruction '${r.name}'`);
      else if (c.kind === "special" && !(SPECIAL_ALLOWED.has(r.name) && !r.types.some(isFloat)))
        this.say(i, `Special register argument not allowed for instruction '${r.name}'`);
      else if (result && c.kind === "special") this.say(i, "Read-only special register cannot be destination argument");
      else if (c.kind === "sink" && a.role !== "sink" && a.role !== "any" && !discards(r, o)) {
        this.context.report("fatal", `Result discard mode is not allowed for instruction '${r.name}'`, i.span);
        bad = true;
      } else if (o.kind === "pair" && !a.pair) {
        this.say(i, `Predicate output not allowed for instruction '${r.name}'`);
        bad = true;
      }
      if (PACKED_VIDEO.test(r.name) && ["int", "special", "address"].includes(c.kind))
        this.say(i, `Incorrect video selector for operand ${k}`);
    });
    return bad;
  }

  /** Vectors where none belong, none where one belongs, and of the wrong length. */
  private vectors(r: Resolved, f: Form, i: Instruction, classes: readonly OperandClass[]): boolean {
    const valued = (k: number): boolean => ["def", "use"].includes((f.args[k] as Arg).role);
    const places = classes.map((_, k) => k).filter(valued);
    if (r.vector === 1 && !SCALAR_VECTORS.has(r.name)) {
      const none = (k: number): boolean => ATOMIC.has(r.name) || !isBrain(r, f.args[k] as Arg);
      if (!places.some((k) => classes[k]?.kind === "vector" && none(k))) return false;
      // atom and red count their arguments in this order.
      if (r.name === "atom" || r.name === "red")
        for (const k of [2, 1, 0])
          if (classes[k]?.kind === "vector")
            this.say(i, `Vector is not expected for argument ${k} of instruction '${r.name}'`);
      this.say(i, `Vector operand is not allowed for instruction '${r.name}'`);
      return true;
    }
    let bad = false;
    for (const k of places) {
      const a = f.args[k] as Arg;
      // A cache policy is no vector.
      if (typeof a.type !== "number" || (DISCARDING_VECTORS.has(r.name) && classes[k]?.kind === "sink")) continue;
      const length = lengthOf(classes[k] as OperandClass);
      if (length === (r.vector === 1 && length === 0 ? 0 : r.vector) || (r.vector === 1 && length === 1)) continue;
      if (r.vector > 1 && r.name.startsWith("multimem"))
        this.say(i, `Vector of size ${r.vector} is expected for argument ${k} of instruction '${r.name}'`);
      if (r.vector > 1 && length === 0) {
        if (ATOMIC.has(r.name)) this.say(i, `Vector expected for argument ${k}`);
        else if (a.role === "def") this.say(i, "Result vector expected");
      }
      if (!ATOMIC.has(r.name) || length > 0) this.say(i, `Argument vector size mismatch for instruction '${r.name}'`);
      bad = true;
    }
    return bad && r.name === "mov";
  }

  /** Where nothing but a register will do. */
  private registers(r: Resolved, f: Form, i: Instruction, classes: readonly OperandClass[]): void {
    // The addends of vmad may have either sign.
    if (r.name !== "vmad")
      i.operands.forEach((o, k) => {
        if (o.kind === "neg")
          this.context.report(
            "error",
            `Operand negation not allowed for instruction '${r.name}'`,
            this.context.place(i, k),
          );
      });
    classes.forEach((c, k) => {
      const { role } = f.args[k] as Arg;
      if (role === "query" && c.kind !== "address")
        this.say(i, `Address expected for argument ${k} of instruction '${r.name}'`);
      if (!VALUES.has(role)) return;
      const address = c.kind === "address" || (c.kind === "variable" && (role === "def" || !ADDRESSES.has(r.name)));
      // ptxas counts the coordinates of surfaces.
      const at = f.args.slice(0, k).some((a) => a.role === "surface") ? k + 1 : k;
      if (address) this.say(i, `Argument ${at} of instruction '${r.name}': must be register`);
    });
  }

  /** Parameters of a function are read, what it returns is written. */
  private direction(r: Resolved, i: Instruction): void {
    const [role, text] = DIRECTIONS.get(r.name) ?? [];
    if (role === undefined || !r.words.some((w) => w.split("::")[0] === "param")) return;
    const address = i.operands.find((o) => o.kind === "address");
    if (address?.kind !== "address" || address.base === null || this.context.parameter(address.base) !== role) return;
    this.say(i, `Illegal to ${text} parameter '${address.base}'`);
  }

  /** State spaces of ld, st and friends against the variable in the address. */
  private spaces(r: Resolved, i: Instruction, scope: Scope): void {
    const { report } = this.context;
    const written = r.words.filter((w) => STATE_SPACES.has(w));
    const refused = WRONG_SPACES.get(r.name);
    if (refused !== undefined && written.some((w) => refused.has(w)))
      report("error", `State space incorrect for instruction '${r.name}'`, i.span);
    if (ADDRESSES.has(r.name)) this.ofVariable(r, i, written[0], scope);
    const address = i.operands.find((o) => o.kind === "address");
    if (address === undefined || address.kind !== "address") return;
    const space = (written[0] ?? "").split("::")[0] as string;
    const base = address.base === null ? null : scope.lookup(address.base);
    if (base?.kind === "register" && (space === "" || space === "global") && sizeOf(base.type) === 32)
      if (MEMORY.has(r.name) || GENERIC.test(r.name)) this.context.shortAddress(i.span.line);
    if (!MEMORY.has(r.name) && !isFragment(r.name)) return;
    if (address.base === null) {
      if (space !== "local" && space !== "")
        report("error", "Immediate addresses allowed only for .local state space", i.span);
      return;
    }
    const s = scope.lookup(address.base);
    if (s?.kind === "variable" && s.space === "param" && space === "") {
      report("error", `State space mismatch between instruction and address in instruction '${r.name}'`, i.span);
      return;
    }
    if (s?.kind !== "variable" || space === "" || s.space === space || (space === "param" && s.space === "reg")) return;
    report("error", `State space mismatch between instruction and address in instruction '${r.name}'`, i.span);
  }

  /** The state space that an instruction names against the variable whose address it takes; addresses of 32 bits (measured). */
  private ofVariable(r: Resolved, i: Instruction, space: string | undefined, scope: Scope): void {
    const o = i.operands[1];
    const s = o?.kind === "name" ? scope.lookup(o.name) : null;
    if (s?.kind !== "variable") return;
    const narrow = sizeOf(r.types[0] ?? "u64") === 32;
    if (narrow && (r.name === "cvta" || (r.name === "mov" && s.space === "global")))
      this.context.shortAddress(i.span.line);
    if (space === undefined || s.space === space.split("::")[0]) return;
    this.context.report(
      "error",
      `State space mismatch between instruction and address in instruction '${r.name}'`,
      i.span,
    );
  }
}

/** What may be a texture or surface before its coordinates. */
function unbracketed(c: OperandClass): boolean {
  if (c.kind === "register") return sizeOf(c.type) === 64 && !isFloat(c.type);
  if (c.kind === "variable") return !/^(?:tex|sampler|surf)ref$/.test(c.type);
  return c.kind === "int" || (c.kind === "address" && c.simple);
}

/** A vector register as the vector of its elements. */
function spread(c: OperandClass): OperandClass {
  if (c.kind !== "register" || c.vector === null) return c;
  const element: OperandClass = { kind: "register", type: c.type, vector: null, element: true };
  return { kind: "vector", elements: Array.from({ length: c.vector }, () => element) };
}

/** `r|p`: both are written. */
function electsInto(o: Operand, scope: Scope): boolean {
  const second = o.kind === "pair" ? classify(o.second, scope) : null;
  return second?.kind === "register" && second.type === "pred";
}

function constant(c: OperandClass): boolean {
  return c.kind === "int" || c.kind === "float";
}

/** Whether the instruction takes `_` for its result; measured. What becomes of red's address nobody knows: nothing is made of it here. */
function discards(r: Resolved, o: Operand): boolean {
  if (DISCARDING.has(r.name) || (r.name === "multimem.ld_reduce" && r.vector > 1)) return true;
  if ((r.name === "cvt" || r.name === "mul") && r.types.some((t) => t.startsWith("bf16")))
    return !r.types.includes("ue8m0x2");
  return r.name === "match" && o.kind === "pair";
}

const VALUES: ReadonlySet<Arg["role"]> = new Set(["def", "use", "defPred", "usePred", "int"]);
const COMPARES: ReadonlySet<string> = new Set(["set", "setp"]);
const BOOLEANS: ReadonlySet<string> = new Set(["and", "or", "xor"]);
const DISCARDING: ReadonlySet<string> = new Set(["atom", "red", "setp", "lop3", "elect"]);
const PACKS: RegExp = /^b?f16x2\.f32$/;
const VIDEO: RegExp = /^v(?:add|sub|absdiff|min|max|shl|shr|mad|set|avrg)[24]?$/;
const PACKED_VIDEO: RegExp = /^v\w+[24]$/;
const SECONDARY: ReadonlySet<string> = new Set(["add", "min", "max"]);
const VIDEO_SELECTOR: RegExp = /^(?:b[0-3]{1,4}|h[0-3]{1,2})$/;
const SPECIAL_ALLOWED: ReadonlySet<string> = new Set(["mov", "cvt"]);
const ATOMIC: ReadonlySet<string> = new Set(["atom", "red"]);
/** `_` in place of a vector. */
const DISCARDING_VECTORS: ReadonlySet<string> = new Set([...ATOMIC, "multimem.ld_reduce"]);
const MEMORY: ReadonlySet<string> = new Set(["ld", "st", "ldu"]);
/** What else takes generic addresses, of 64 bits. */
const GENERIC: RegExp = /^(?:atom|red|prefetchu?|applypriority|discard|mbarrier\.\w+(?:\.\w+)?)$/;
const DIRECTIONS: ReadonlyMap<string, readonly [role: "input" | "return", text: string]> = new Map([
  ["st", ["input", "write to function input"]],
  ["ld", ["return", "read function return"]],
]);
const WRONG_SPACES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["atom", new Set(["const", "local", "param", "tex", "param::func", "param::entry"])],
  ["red", new Set(["const", "local", "param", "tex", "param::func", "param::entry"])],
]);
/** Name → number of operands without a cache policy; one more asks for its modifier. */
const POLICY_AT: ReadonlyMap<string, number> = new Map([
  ["ld", 2],
  ["st", 2],
  ["red", 2],
  ["atom", 3],
]);

/** Elements; 0 for what is no vector. */
function lengthOf(c: OperandClass): number {
  if (c.kind === "vector") return c.elements.length;
  if (c.kind === "register" && c.vector !== null) return c.vector;
  return c.kind === "special" && c.vector > 1 ? c.vector : 0;
}

function typeOf(a: Arg, r: Resolved): string {
  return typeof a.type === "number" ? (r.types[a.type] ?? "") : a.type;
}

/** Compare-and-swap has one value more. */
function atomFits(f: Form, r: Resolved): boolean {
  return r.name !== "atom" || f.required === (r.words.includes("cas") ? 4 : 3);
}

/** ptxas takes a vector for a value of these types, and its first element: so 13.0.88 on every instruction that was asked (tanh.approx.bf16x2 alone refuses). */
function isBrain(r: Resolved, a: Arg): boolean {
  const type = typeOf(a, r);
  return type === "bf16" || (type === "bf16x2" && r.name !== "tanh");
}
