import type { Operand } from "./ast.js";
import { classify, constantFits, isBits, isFloat, type OperandClass, registerFits, sizeOf } from "./operand-types.js";
import type { Resolved } from "./resolve.js";
import type { Scope } from "./scope.js";
import type { Arg, Form } from "./spec/instructions.js";

/**
 * Whether operands fit an instruction form, as ptxas asks first: by their types alone. `[%r1]` has the type of `%r1`, a constant may be a result, a
 * vector of the wrong length fits by its elements, a variable fits in any width. What of this is wrong all the same is said later, in better words
 * (check-operands.ts). Measured.
 */

export function formFits(
  f: Form,
  r: Resolved,
  operands: readonly Operand[],
  classes: readonly OperandClass[],
  scope: Scope,
): boolean {
  if (classes.length < f.required || classes.length > f.args.length) return false;
  for (let k = 0; k < classes.length; k++)
    if (!argFits(f.args[k] as Arg, r, operands[k] as Operand, classes[k] as OperandClass, scope)) return false;
  return true;
}

export function argFits(a: Arg, r: Resolved, o: Operand, c: OperandClass, scope: Scope): boolean {
  // What stands after `!` is a predicate, whatever was said of it.
  if (o.kind === "not" && c.kind !== "int")
    return a.role.endsWith("Pred") || (a.role === "use" && typeOf(a, r) === "pred");
  switch (a.role) {
    case "any":
      return true;
    case "address":
      return addressFits(c) || c.kind === "element" || c.kind === "sink";
    case "int":
      return c.kind === "int" || (c.kind === "sink" && r.name.startsWith("pmevent"));
    case "label":
      return c.kind === "label" || c.kind === "unknown";
    case "vector":
      return c.kind === "vector" || (c.kind === "register" && c.vector !== null);
    case "sink":
      return c.kind === "sink" || c.kind === "int" || (c.kind === "register" && registerFits("b64", c.type, 64, false));
    case "usePred":
    case "defPred":
      return predFits(c) || (c.kind === "sink" && a.role === "defPred");
    case "texture":
      return opaqueFits(o, c, "b32", scope);
    case "surface":
      return opaqueFits(o, c, "u32", scope);
    case "query":
      return queryFits(c);
    case "extra":
      return extraFits(c);
    case "def":
    case "use":
      return valueFits(a, r, c);
    default:
      return a.role satisfies never;
  }
}

function typeOf(a: Arg, r: Resolved): string {
  return typeof a.type === "number" ? (r.types[a.type] ?? "") : a.type;
}

function addressFits(c: OperandClass): boolean {
  if (c.kind !== "address") return false;
  if (c.base === null) return !c.named;
  return c.base.kind === "variable" || (c.base.kind === "register" && addressType(c.base.type));
}

function predFits(c: OperandClass): boolean {
  switch (c.kind) {
    case "register":
    case "special":
      return c.type === "pred";
    case "address":
      return c.base?.kind === "register" && c.base.type === "pred";
    default:
      return c.kind === "int";
  }
}

function wide(c: { readonly kind: string; readonly type?: string }): boolean {
  return c.kind === "register" && c.type !== undefined && addressType(c.type) && sizeOf(c.type) === 64;
}

/** `[texture, {x, y}]`, a sampler between them, a single coordinate without braces. */
function opaqueFits(o: Operand, c: OperandClass, coordinate: string, scope: Scope): boolean {
  if (o.kind !== "address" || c.kind !== "address" || c.base === null || o.rest.length === 0) return false;
  if (c.base.kind !== "variable" && !wide(c.base)) return false;
  const last = classify(o.rest[o.rest.length - 1] as Operand, scope);
  const elements = last.kind === "vector" ? last.elements : [last];
  return elements.every((e) => {
    if (e.kind === "register") return e.vector === null && registerFits(coordinate, e.type, 32, false);
    return e.kind !== "special";
  });
}

function queryFits(c: OperandClass): boolean {
  if (c.kind === "address")
    return c.simple && (c.base === null ? !c.named : c.base.kind === "variable" || wide(c.base));
  return wide(c) || c.kind === "int" || c.kind === "variable";
}

function extraFits(c: OperandClass): boolean {
  if (c.kind === "vector") return c.elements.every(extraFits);
  if (c.kind === "register") return registerFits("b32", c.type, 32, false);
  return c.kind === "int" || c.kind === "float" || c.kind === "sink";
}

function valueFits(a: Arg, r: Resolved, c: OperandClass): boolean {
  const type = typeOf(a, r);
  const bits = sizeOf(type) * (a.double ? 2 : 1);
  switch (c.kind) {
    case "register":
      if (c.vector !== null && r.vector === 1) return wholeFits(a, r, type, c.type, c.vector);
      return registerFits(type, c.type, bits, a.relaxed);
    case "special":
      return specialFits(type, c, bits, a.relaxed);
    case "int":
    case "float":
      return !a.variable && (constantFits(type, c) || brainConstant(type, c, r));
    case "sink":
      return r.name !== "cvt" || typeof a.type === "number";
    case "vector":
      return (
        (typeof a.type === "number" || NAMED.test(r.name) || UNSPREAD.test(r.name)) &&
        !a.double &&
        elementsFit(a, r, type, c.elements)
      );
    case "address":
      return (
        (typeof a.type === "number" || (a.role === "def") !== NAMED.test(r.name)) &&
        addressAsValue(type, c, bits, a.relaxed)
      );
    case "variable":
      if (!ADDRESSES.has(r.name)) return variableFits(type, c.type);
      return a.role !== "def" && !isFloat(type) && bits >= 16;
    case "element":
    case "function":
      return a.role === "use" && bits >= 32 && (r.name === "mov" || r.name.startsWith("cvta"));
    default:
      return false;
  }
}

/** A vector register where no vector is asked for: bits by the width of the whole, others by the elements. */
function wholeFits(a: Arg, r: Resolved, type: string, element: string, length: number): boolean {
  if (!isBits(type)) return registerFits(type, element, sizeOf(type), a.relaxed);
  const size = sizeOf(element) * length;
  return r.vector === 1 && element !== "pred" && (size === sizeOf(type) || (a.relaxed && size > sizeOf(type)));
}

function elementsFit(a: Arg, r: Resolved, type: string, elements: readonly OperandClass[]): boolean {
  const sized = elements.filter((e) => e.kind === "register" || e.kind === "special");
  const first = sized[0];
  if (isBits(type) && r.vector === 1 && first !== undefined && (first.kind === "register" || first.kind === "special"))
    return wholeFits(a, r, type, first.type, elements.length);
  return elements.every((e) => {
    if (e.kind === "register") return e.vector !== null || registerFits(type, e.type, sizeOf(type), a.relaxed);
    if (e.kind === "special") return e.vector > 1 || registerFits(type, e.type, sizeOf(type), a.relaxed);
    return illegalElement(e) || e.kind === "sink" || constantFits(type, e);
  });
}

/** Whether float constants and registers stand beside integers; bits go with either (measured). */
export function mixesTypes(elements: readonly OperandClass[]): boolean {
  const types = elements.map((e) => {
    if (e.kind === "register" || e.kind === "special")
      return isBits(e.type) ? "bits" : isFloat(e.type) ? "float" : "int";
    return e.kind === "int" || e.kind === "float" ? e.kind : "none";
  });
  return types.includes("float") && types.includes("int");
}

/** Whether predicates stand beside registers of 32 bits that are no floats. */
export function holdsPredicate(elements: readonly OperandClass[]): boolean {
  const types = elements.map((e) => (e.kind === "register" ? e.type : ""));
  const words = types.filter((t) => t !== "pred");
  return words.length < types.length && words.length > 0 && words.every((t) => ["b32", "u32", "s32"].includes(t));
}

/** Sources whose type does not stand among the modifiers, and yet are looked at as if it did (measured). */
const NAMED: RegExp = /^(?:dp[24]a|fns$|shfl$)/;

export function addressType(type: string): boolean {
  return !type.startsWith("f") && type !== "pred";
}

/** Special registers are bits; those with components may be narrowed to 16 of them. */
function specialFits(type: string, c: OperandClass & { kind: "special" }, bits: number, relaxed: boolean): boolean {
  if (c.type === "pred" || type === "pred") return type === c.type;
  if (c.vector > 1 && isBits(type)) {
    const size = sizeOf(c.type) * c.vector;
    return size === bits || (relaxed && size > bits);
  }
  const width = sizeOf(c.type);
  if (type === "bf16") return false;
  return width === bits || (relaxed && width > bits) || (c.narrow && bits === 16);
}

/** The name of a variable stands for its address, and is looked at as if it were a value of its type of any width. */
function variableFits(type: string, of: string): boolean {
  if (type.startsWith("bf16")) return false;
  if (isBits(type) || isBits(of) || type === "pred") return true;
  if (type.endsWith("x2")) return false;
  return type.startsWith("f") === of.startsWith("f");
}

function addressAsValue(type: string, c: OperandClass & { kind: "address" }, bits: number, relaxed: boolean): boolean {
  if (c.base === null) return !c.named && registerFits(type, "u64", bits, relaxed);
  if (c.base.kind === "variable") return registerFits(type, "u32", bits, relaxed);
  return c.base.kind === "register" && c.base.vector === null && registerFits(type, c.base.type, bits, relaxed);
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

/**
 * Constants where bf16 belongs fit as bits do, and are refused when all else is right, but for those beside another type (`add.f32.bf16`) and
 * those of multimem: integers for bf16, floats of 32 bits for bf16x2 (measured on ptxas 13.0.88).
 */
export function brainConstant(type: string, c: OperandClass, { name, types }: Resolved): boolean {
  if (name === "cvt" && types.join(".") === "bf16.bf16") return false;
  if (name.startsWith("multimem")) return type === "bf16x2" && (c.kind === "int" || c.kind === "float");
  return type === "bf16" ? c.kind === "int" : type === "bf16x2" && c.kind === "float" && c.width === 32;
}

/** Results that may be vectors of one element before their length is looked at. */
const UNSPREAD: RegExp = /^(?:txq|suq|wmma)/;

/** Instructions that take the name of a variable for its address. */
export const ADDRESSES: ReadonlySet<string> = new Set(["mov", "cvta", "mapa", "getctarank"]);

/** Instructions that take `{%r1}` where they take `%r1`; measured. */
export const SCALAR_VECTORS: ReadonlySet<string> = new Set(["ld", "ldu", "st", "mov", "suld.b", "sust.b", "sust.p"]);
