/** What an atomic is, and how the machine writes its type and scope. */
import type { Operand } from "../ori/types.js";
import type { Context } from "./context.js";
import type { Scope } from "./fence.js";
import type { PtxType } from "./types.js";

export const names = ["add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"] as const;

export interface Atomic {
  readonly op: (typeof names)[number];
  /** Type of an element. */
  readonly type: PtxType;
  /** Elements. */
  readonly vector: number;
  readonly space: "global" | "shared" | "shared::cluster" | "generic";
  readonly scope: Scope;
  readonly order: "relaxed" | "acquire" | "release" | "acq_rel";
  /** The last operand is a cache policy. */
  readonly hint: boolean;
  /** The generic address is one of the cluster's window. */
  readonly cluster: boolean;
  /** The value where it is a literal. */
  readonly literal: Operand | null;
}

/** The operand, or the comparison and the new value. */
export type Values = readonly [Operand, ...Operand[]];

export function bytesOfAtomic(a: Atomic): number {
  return (a.type.bits * a.type.lanes * a.vector) / 8;
}

/** `.S32`, `.64`, `.F32.FTZ.RN`, `.F16x8.RN`: the type as atomics write it. */
export function machineType(a: Atomic): string {
  const { type, op } = a;
  const count = type.lanes * a.vector;
  if (type.cls === "f" || type.cls === "bf") {
    const times = count === 1 ? "" : `x${count}`;
    const base = `.${type.cls === "bf" ? "BF" : "F"}${type.bits}${times}`;
    return `${base}${type.bits === 32 ? ".FTZ" : ""}.RN`;
  }
  const ordered = op === "min" || op === "max";
  if (type.bits === 128) return ".128";
  if (type.bits === 64) return ordered && type.cls === "s" ? ".S64" : ".64";
  return type.cls === "s" ? ".S32" : "";
}

/** Done at once in global memory only: what is wider than a word or a float. 128 bits are done everywhere. */
export function onlyGlobal(a: Atomic): boolean {
  return a.type.bits === 64 || a.type.cls === "f" || a.type.cls === "bf";
}

/** `.STRONG.GPU`. */
export function scopeName(c: Context, scope: Scope): string {
  const cta = c.target.has("memoryDescriptor") ? "SM" : "CTA";
  return `.STRONG.${{ cta, cluster: "GPU", gpu: "GPU", sys: "SYS" }[scope]}`;
}
