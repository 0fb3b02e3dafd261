/**
 * The descriptor of an instruction of products in tensor memory (PTX ISA 9.7.16.4.2; its bits as CUTLASS has them,
 * include/cute/arch/mma_sm100_desc.hpp, BSD-3-Clause).
 */
import { type Element, elementOf } from "../number/elements.js";

const formats: Readonly<Record<string, readonly (string | undefined)[]>> = {
  UTCHMMA: ["F16", "BF16", "TF32"],
  UTCQMMA: ["E4M3", "E5M2", undefined, "E2M3", "E3M2", "E2M1"],
  UTCIMMA: ["U8", "S8"],
  UTCOMMA: [undefined, "E2M1.PACKED"],
};

/** What an instruction's descriptor says (9.7.16.4.2). */
export interface Described {
  readonly rows: number;
  readonly columns: number;
  readonly a: Element;
  readonly b: Element;
  readonly signA: number;
  readonly signB: number;
  readonly turnA: boolean;
  readonly turnB: boolean;
  readonly sums: "f16" | "f32" | "s32";
  readonly saturates: boolean;
  readonly sparse: boolean;
  readonly selector: number;
  /** Of scaled products. */
  readonly scaleA: number;
  readonly scaleB: number;
  readonly powers: boolean;
}

const sumTypes = ["f16", "f32", "s32"] as const;

/** Of a word of an instruction with this opcode, `scaled` by blocks. Null: no such product, or one that is not built here (k = 96). */
export function describe(op: string, scaled: boolean, word: number): Described | null {
  const field = (at: number, bits: number): number => (word >>> at) & (2 ** bits - 1);
  const names = formats[op] ?? [];
  const packed = op === "UTCOMMA";
  const [a, b] = [names[field(7, 3)], names[field(10, packed ? 2 : 3)]];
  if (a === undefined || b === undefined || (scaled && field(31, 1) !== 0)) return null;
  const sums = scaled ? "f32" : sumTypes[field(4, 2)];
  if (sums === undefined || (sums === "s32") !== (op === "UTCIMMA")) return null;
  return {
    rows: scaled ? field(27, 2) * 128 : field(24, 5) * 16,
    columns: field(17, 6) * 8,
    a: elementOf(a)!,
    b: elementOf(b)!,
    signA: field(13, 1) ? -1 : 1,
    signB: field(14, 1) ? -1 : 1,
    turnA: field(15, 1) !== 0,
    turnB: field(16, 1) !== 0,
    sums,
    saturates: !scaled && field(3, 1) !== 0,
    sparse: field(2, 1) !== 0,
    selector: scaled ? 0 : field(0, 2),
    scaleA: field(29, 2),
    scaleB: field(4, 2),
    powers: field(23, 1) !== 0,
  };
}
