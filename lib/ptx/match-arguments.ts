import type { Operand } from "./ast.js";
import { constantFits, type OperandClass, registerFits, sizeOf } from "./operand-types.js";
import type { Resolved } from "./resolve.js";
import type { Arg, Form } from "./spec/instructions.js";

/** Whether operands fit an instruction form. */

export function formFits(
  f: Form,
  r: Resolved,
  operands: readonly Operand[],
  classes: readonly OperandClass[],
): boolean {
  if (classes.length < f.required || classes.length > f.args.length) return false;
  for (let k = 0; k < classes.length; k++)
    if (!argFits(f.args[k] as Arg, r, operands[k] as Operand, classes[k] as OperandClass)) return false;
  return true;
}

export function argFits(a: Arg, r: Resolved, o: Operand, c: OperandClass): boolean {
  switch (a.role) {
    case "any":
      return true;
    case "address":
      return addressFits(c) || c.kind === "element";
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
        (c.kind === "register" && c.type === "pred") || c.kind === "int" || (c.kind === "special" && c.type === "pred")
      );
    case "defPred":
      return (c.kind === "register" && c.type === "pred") || c.kind === "sink";
    case "def":
    case "use":
      return valueFits(a, r, o, c);
    default:
      return a.role satisfies never;
  }
}

function addressFits(c: OperandClass): boolean {
  if (c.kind !== "address") return false;
  if (c.base === null) return !c.named;
  return c.base.kind === "variable" || (c.base.kind === "register" && addressType(c.base.type));
}

function valueFits(a: Arg, r: Resolved, o: Operand, c: OperandClass): boolean {
  const type = typeof a.type === "number" ? (r.types[a.type] ?? "") : a.type;
  if (o.kind === "neg") return false;
  if (c.kind === "sink" && r.name === "atom") return a.role === "def";
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
      // Elsewhere ptxas looks at the type of the elements alone (measured).
      if (c.vector !== null && SCALAR_VECTORS.has(r.name)) return false;
      return registerFits(type, c.type, bits, a.relaxed);
    case "special":
      return c.vector === 1 && specialFits(type, c.type, bits, r.name);
    case "int":
    case "float":
      return a.role === "def" ? c.kind === "int" && r.vector === 1 : constantFits(type, c);
    case "sink":
      return a.role === "def";
    case "vector":
      // Only the instructions of SCALAR_VECTORS mean it; of the others it is said once the types fit.
      return (
        typeof a.type === "number" &&
        !a.double &&
        (!SCALAR_VECTORS.has(r.name) || c.elements.length === 1) &&
        elementsFit(c, type, a.relaxed)
      );
    case "variable":
      return a.role === "use" && !type.startsWith("f") && bits >= 32 && r.name !== "istypep";
    case "element":
    case "function":
      return a.role === "use" && bits >= 32 && (r.name === "mov" || r.name.startsWith("cvta"));
    default:
      return false;
  }
}

export function addressType(type: string): boolean {
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
  return c.kind === "vector" && c.elements.length === length && elementsFit(c, type, relaxed);
}

function elementsFit(c: OperandClass & { kind: "vector" }, type: string, relaxed: boolean): boolean {
  return c.elements.every((e) => {
    if (e.kind === "register") return e.vector !== null || registerFits(type, e.type, sizeOf(type), relaxed);
    if (e.kind === "special") return e.vector > 1 || registerFits(type, e.type, sizeOf(type), relaxed);
    return illegalElement(e) || e.kind === "sink" || constantFits(type, e);
  });
}

/** What ptxas calls an illegal expression within braces; it goes on as if that fitted. */
export function illegalElement(e: OperandClass): boolean {
  switch (e.kind) {
    case "register":
      return e.vector !== null;
    case "special":
      return e.vector > 1;
    case "int":
    case "float":
    case "sink":
      return false;
    default:
      return true;
  }
}

/** Instructions that take `{%r1}` where they take `%r1`; measured. */
export const SCALAR_VECTORS: ReadonlySet<string> = new Set(["ld", "ldu", "st", "mov"]);

const ATOMICS: ReadonlySet<string> = new Set(["atom", "red"]);
