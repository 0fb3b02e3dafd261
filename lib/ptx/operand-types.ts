import type { Operand } from "./ast.js";
import type { PtxSymbol, Scope } from "./scope.js";
import { SPECIAL_REGISTERS } from "./spec/sregs.js";

/**
 * What an operand is, and whether it fits a place of a given type.
 *
 * The rules are ptxas's own (measured): registers of .b types fit every type of their width, .u and .s mix, floats only fit floats and bits. In
 * ld, st and cvt integer and bit registers may be wider than the type. Integer constants fit everything but floats, the others .f32 and .f64, `0f`
 * constants also .b32, doubles also .b64.
 */
export type OperandClass =
  /** `element` is one component of a vector register. */
  | { readonly kind: "register"; readonly type: string; readonly vector: number | null; readonly element: boolean }
  /** `narrow` ones have components. */
  | { readonly kind: "special"; readonly type: string; readonly vector: number; readonly narrow: boolean }
  | { readonly kind: "int" }
  | { readonly kind: "float"; readonly width: 32 | 64 }
  /** What the base stands for; null for a number or an unknown name, told apart by `named`. */
  | { readonly kind: "address"; readonly base: PtxSymbol | null; readonly named: boolean; readonly simple: boolean }
  | { readonly kind: "variable"; readonly space: string; readonly type: string }
  | { readonly kind: "function" }
  | { readonly kind: "label" }
  | { readonly kind: "vector"; readonly elements: readonly OperandClass[] }
  | { readonly kind: "list" }
  | { readonly kind: "sink" }
  | { readonly kind: "element" }
  /** `r[2]` of what is no array. */
  | { readonly kind: "notArray" }
  | { readonly kind: "unknown" };

/** Whether the operand holds a name that has to be looked at again: unknown ones are reported, special registers have gates. */
export function mayBeUnknown(c: OperandClass): boolean {
  switch (c.kind) {
    case "unknown":
    case "special":
    case "list":
      return true;
    case "address":
      return !c.simple || (c.named && c.base === null);
    case "vector":
      return c.elements.some(mayBeUnknown);
    default:
      return false;
  }
}

const VECTOR_COMPONENTS: ReadonlySet<string> = new Set(["x", "y", "z", "w", "r", "g", "b", "a"]);

function isVectorComponent(c: string): boolean {
  return VECTOR_COMPONENTS.has(c);
}

export function classify(o: Operand, scope: Scope): OperandClass {
  switch (o.kind) {
    case "name":
      return classifyName(o, scope);
    case "int":
      return { kind: "int" };
    case "float":
      return { kind: "float", width: o.width };
    case "address":
      return {
        kind: "address",
        base: o.base === null ? null : scope.lookup(o.base),
        named: o.base !== null,
        simple: o.rest.length === 0,
      };
    case "vector":
      return { kind: "vector", elements: o.elements.map((e) => classify(e, scope)) };
    case "list":
      return { kind: "list" };
    case "pair": {
      const second = classify(o.second, scope);
      return second.kind === "unknown" ? second : classify(o.first, scope);
    }
    case "not":
    case "neg":
      return classify(o.operand, scope);
    case "sink":
      return { kind: "sink" };
    default:
      return o satisfies never;
  }
}

function classifyName(o: Operand & { kind: "name" }, scope: Scope): OperandClass {
  const symbol = scope.lookup(o.name);
  if (symbol === null) return special(o);
  const c = ofSymbol(symbol);
  if (o.index !== null) return { kind: symbol.kind === "variable" && symbol.dims.length > 0 ? "element" : "notArray" };
  if (c.kind === "register" && c.vector !== null && o.component !== null && isVectorComponent(o.component))
    return { kind: "register", type: c.type, vector: null, element: true };
  return c;
}

function special(o: Operand & { kind: "name" }): OperandClass {
  const s = SPECIAL_REGISTERS.get(o.name);
  if (s === undefined) return { kind: "unknown" };
  return { kind: "special", type: s.type, vector: o.component === null ? s.vector : 1, narrow: s.vector > 1 };
}

export function ofSymbol(s: PtxSymbol): OperandClass {
  switch (s.kind) {
    case "register":
      return { kind: "register", type: s.type, vector: s.vector, element: false };
    case "variable":
      return { kind: "variable", space: s.space, type: s.type };
    case "function":
      return { kind: "function" };
    default:
      return { kind: "label" };
  }
}

const SIZE: ReadonlyMap<string, number> = new Map(
  (
    [
      [1, "pred b1"],
      [8, "b8 u8 s8 e4m3 e5m2 e2m3 e3m2 e2m1 e2m1x2 ue8m0 ue4m3"],
      [16, "b16 u16 s16 f16 bf16 e4m3x2 e5m2x2 e2m3x2 e3m2x2 ue8m0x2 e2m1x4"],
      [32, "b32 u32 s32 f32 f16x2 bf16x2 tf32 u16x2 s16x2 e4m3x4 e5m2x4 e2m3x4 e3m2x4"],
      [64, "b64 u64 s64 f64 f32x2"],
      [128, "b128"],
    ] as const
  ).flatMap(([bits, names]) => names.split(" ").map((n) => [n, bits] as const)),
);

/** Bits; predicates count as one. */
export function sizeOf(type: string): number {
  return SIZE.get(type) ?? 32;
}

type Family = "bits" | "int" | "float" | "pred";

function family(type: string): Family {
  if (type === "pred") return "pred";
  const c = type.charCodeAt(0);
  if (c === 98 && type.charCodeAt(1) !== 102) return "bits";
  return c === 117 || c === 115 ? (type.startsWith("ue") ? "float" : "int") : "float";
}

/** Types that only registers of .b types of their width hold, in arithmetic (measured). */
const PACKED: RegExp = /^(?:[fb]f?\d+x2|[us]16x2|tf32)$/;

/** Whether a register of type `reg` fits a place of type `type` that is `bits` wide. */
export function registerFits(type: string, reg: string, bits: number, relaxed: boolean): boolean {
  const place = family(type);
  const given = family(reg);
  if (place === "pred" || given === "pred") return place === given;
  const size = sizeOf(reg);
  if (PACKED.test(type) && reg !== type) return size === bits && given === "bits";
  if (size === bits) return place === given || place === "bits" || given === "bits";
  if (!relaxed || size < bits) return false;
  return place === "bits" || given === "bits" || (place === "int" && given === "int");
}

/** Whether a constant fits a place of type `type`. */
export function constantFits(type: string, c: OperandClass): boolean {
  const place = family(type);
  if (c.kind === "int") return place !== "float" && !type.endsWith("x2");
  if (c.kind !== "float") return false;
  if (place === "float") return type === "f32" || type === "f64";
  return place === "bits" && ((type === "b32" && c.width === 32) || (type === "b64" && c.width === 64));
}

export function isBits(type: string): boolean {
  return family(type) === "bits";
}

export function isFloat(type: string): boolean {
  return family(type) === "float";
}
