import type { Span } from "../../diagnostics.js";
import type { FaultKind } from "../types.js";
import { BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, F64, type Format } from "./exact.js";

/** The bits of a register or constant, unsigned; 0 and 1 for predicates. */
export type Value = bigint;

/** A fundamental or packed type. Of a packed one: `lanes` elements of `element` bits. */
export interface Type {
  readonly name: string;
  readonly bits: number;
  readonly kind: "u" | "s" | "f" | "b" | "pred";
  readonly lanes: number;
  readonly element: number;
  /** Of floats. */
  readonly format: Format | null;
}

const list = (names: string, kind: Type["kind"], bits: number, format: Format | null = null, lanes = 1): Type[] =>
  names.split(" ").map((name) => ({ name, bits: bits * lanes, kind, lanes, element: bits, format }));

const TYPES: ReadonlyMap<string, Type> = new Map(
  [
    ...(["u", "s", "b"] as const).flatMap((k) => [8, 16, 32, 64].flatMap((n) => list(`${k}${n}`, k, n))),
    ...list("b128", "b", 128),
    ...list("u16x2", "u", 16, null, 2),
    ...list("s16x2", "s", 16, null, 2),
    ...list("f16", "f", 16, F16),
    ...list("bf16", "f", 16, BF16),
    ...list("f32 tf32", "f", 32, F32),
    ...list("f64", "f", 64, F64),
    ...list("f16x2", "f", 16, F16, 2),
    ...list("bf16x2", "f", 16, BF16, 2),
    ...list("f32x2", "f", 32, F32, 2),
    ...list("e4m3x2", "f", 8, E4M3, 2),
    ...list("e5m2x2", "f", 8, E5M2, 2),
    ...list("e2m3x2", "f", 8, E2M3, 2),
    ...list("e3m2x2", "f", 8, E3M2, 2),
    ...list("e2m1x2", "f", 4, E2M1, 2),
    ...list("ue8m0x2", "u", 8, null, 2),
    ...list("pred", "pred", 1),
  ].map((t) => [t.name, t]),
);

export function typeNamed(name: string): Type | null {
  return TYPES.get(name) ?? null;
}

/** The type's number of these bits: signed where the type is. */
export function integerOf(v: Value, t: Type): bigint {
  return t.kind === "s" ? BigInt.asIntN(t.bits, v) : v;
}

export function maskOf(bits: number): bigint {
  return (1n << BigInt(bits)) - 1n;
}

/** What this interpreter does not know. */
export class Refusal extends Error {
  readonly span: Span | null;
  constructor(what: string, span: Span | null) {
    super(what);
    this.span = span;
  }
}

/** A thread did what it must not. */
export class Faulted extends Error {
  readonly kind: FaultKind;
  readonly address: bigint | null;
  constructor(kind: FaultKind, message: string, address: bigint | null = null) {
    super(message);
    this.kind = kind;
    this.address = address;
  }
}
