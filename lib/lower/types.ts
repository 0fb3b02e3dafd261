/** PTX scalar types as lowering sees them: how a value is read and how many registers hold it. */

/** u unsigned, s signed, b untyped bits, f IEEE float, bf bfloat16, p predicate. */
export type TypeClass = "u" | "s" | "b" | "f" | "bf" | "p";

export interface PtxType {
  readonly name: string;
  readonly cls: TypeClass;
  /** Bits of one element. */
  readonly bits: number;
  /** 2 for packed pairs (`f16x2`). */
  readonly lanes: number;
}

const made = new Map<string, PtxType>();
for (const bits of [8, 16, 32, 64]) {
  for (const cls of ["u", "s", "b"] as const) made.set(`${cls}${bits}`, { name: `${cls}${bits}`, cls, bits, lanes: 1 });
}
for (const bits of [16, 32, 64]) made.set(`f${bits}`, { name: `f${bits}`, cls: "f", bits, lanes: 1 });
made.set("b128", { name: "b128", cls: "b", bits: 128, lanes: 1 });
made.set("pred", { name: "pred", cls: "p", bits: 1, lanes: 1 });
made.set("bf16", { name: "bf16", cls: "bf", bits: 16, lanes: 1 });
made.set("f16x2", { name: "f16x2", cls: "f", bits: 16, lanes: 2 });
for (const [name, cls, bits] of [
  ["f32x2", "f", 32],
  ["u16x2", "u", 16],
  ["s16x2", "s", 16],
] as const)
  made.set(name, { name, cls, bits, lanes: 2 });
made.set("bf16x2", { name: "bf16x2", cls: "bf", bits: 16, lanes: 2 });

/** The type of this name (without its dot), null when lowering does not know it. */
export function typeNamed(name: string): PtxType | null {
  return made.get(name) ?? null;
}

export function isInteger(t: PtxType): boolean {
  return (t.cls === "u" || t.cls === "s" || t.cls === "b") && t.lanes === 1;
}

export function isSigned(t: PtxType): boolean {
  return t.cls === "s";
}

/** Bits of the whole value, both lanes of a pair. */
export function totalBits(t: PtxType): number {
  return t.bits * t.lanes;
}

/** 32-bit registers that hold a value of this type. */
export function registersOf(t: PtxType): number {
  return Math.max(1, totalBits(t) >>> 5);
}

/** Bytes in memory. */
export function bytesOf(t: PtxType): number {
  return totalBits(t) >>> 3;
}

export const U8: PtxType = made.get("u8")!;
export const U16: PtxType = made.get("u16")!;
export const U32: PtxType = made.get("u32")!;
export const S32: PtxType = made.get("s32")!;
export const U64: PtxType = made.get("u64")!;
export const B64: PtxType = made.get("b64")!;
export const F32: PtxType = made.get("f32")!;
export const F64: PtxType = made.get("f64")!;
export const PRED: PtxType = made.get("pred")!;
