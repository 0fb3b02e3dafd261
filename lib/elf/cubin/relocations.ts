/**
 * The R_CUDA relocation types: names by number (wiki page 61; 17 of them confirmed on ptxas's objects)
 * and the bits that the ones used here fill.
 */

/** Index = type; the names without `R_CUDA_`. */
export const relocationNames: readonly string[] = [
  "NONE",
  "32",
  "64",
  "G32",
  "G64",
  "ABS32_26",
  "TEX_HEADER_INDEX",
  "SAMP_HEADER_INDEX",
  "SURF_HW_DESC",
  "SURF_HW_SW_DESC",
  "ABS32_LO_26",
  "ABS32_HI_26",
  "ABS32_23",
  "ABS32_LO_23",
  "ABS32_HI_23",
  "ABS24_26",
  "ABS24_23",
  "ABS16_26",
  "ABS16_23",
  "TEX_SLOT",
  "SAMP_SLOT",
  "SURF_SLOT",
  "TEX_BINDLESSOFF13_32",
  "TEX_BINDLESSOFF13_47",
  "CONST_FIELD19_28",
  "CONST_FIELD19_23",
  "TEX_SLOT9_49",
  "6_31",
  "2_47",
  "TEX_BINDLESSOFF13_41",
  "TEX_BINDLESSOFF13_45",
  "FUNC_DESC32_23",
  "FUNC_DESC32_LO_23",
  "FUNC_DESC32_HI_23",
  "FUNC_DESC_32",
  "FUNC_DESC_64",
  "CONST_FIELD21_26",
  "QUERY_DESC21_37",
  "CONST_FIELD19_26",
  "CONST_FIELD21_23",
  "PCREL_IMM24_26",
  "PCREL_IMM24_23",
  "ABS32_20",
  "ABS32_LO_20",
  "ABS32_HI_20",
  "ABS24_20",
  "ABS16_20",
  "FUNC_DESC32_20",
  "FUNC_DESC32_LO_20",
  "FUNC_DESC32_HI_20",
  "CONST_FIELD19_20",
  "BINDLESSOFF13_36",
  "SURF_HEADER_INDEX",
  "INSTRUCTION64",
  "CONST_FIELD21_20",
  "ABS32_32",
  "ABS32_LO_32",
  "ABS32_HI_32",
  "ABS47_34",
  "ABS16_32",
  "ABS24_32",
  "FUNC_DESC32_32",
  "FUNC_DESC32_LO_32",
  "FUNC_DESC32_HI_32",
  "CONST_FIELD19_40",
  "BINDLESSOFF14_40",
  "CONST_FIELD21_38",
  "INSTRUCTION128",
  "YIELD_OPCODE9_0",
  "YIELD_CLEAR_PRED4_87",
  "32_LO",
  "32_HI",
  "UNUSED_CLEAR32",
  "UNUSED_CLEAR64",
  "ABS24_40",
  "ABS55_16_34",
  "8_0",
  "8_8",
  "8_16",
  "8_24",
  "8_32",
  "8_40",
  "8_48",
  "8_56",
  "G8_0",
  "G8_8",
  "G8_16",
  "G8_24",
  "G8_32",
  "G8_40",
  "G8_48",
  "G8_56",
  "FUNC_DESC_8_0",
  "FUNC_DESC_8_8",
  "FUNC_DESC_8_16",
  "FUNC_DESC_8_24",
  "FUNC_DESC_8_32",
  "FUNC_DESC_8_40",
  "FUNC_DESC_8_48",
  "FUNC_DESC_8_56",
  "ABS20_44",
  "SAMP_HEADER_INDEX_0",
  "UNIFIED",
  "UNIFIED_32",
  "UNIFIED_8_0",
  "UNIFIED_8_8",
  "UNIFIED_8_16",
  "UNIFIED_8_24",
  "UNIFIED_8_32",
  "UNIFIED_8_40",
  "UNIFIED_8_48",
  "UNIFIED_8_56",
  "UNIFIED32_LO_32",
  "UNIFIED32_HI_32",
  "ABS56_16_34",
  "CONST_FIELD22_37",
  "NONE_LAST",
];

/** Types that ptxas 13 writes and that the cubin writer uses. */
export const R_CUDA = {
  ABS32: 1,
  ABS64: 2,
  G64: 4,
  TEX_HEADER_INDEX: 6,
  SAMP_HEADER_INDEX: 7,
  SURF_HEADER_INDEX: 52,
  ABS32_32: 55,
  ABS32_LO_32: 56,
  ABS32_HI_32: 57,
  ABS47_34: 58,
  ABS16_32: 59,
  CONST_FIELD19_40: 64,
  CONST_FIELD21_38: 66,
  UNUSED_CLEAR64: 73,
  /** The lowest byte of a generic address; the seven that follow are the others. */
  G8_0: 84,
  ABS24_40: 74,
  ABS55_16_34: 75,
  SAMP_HEADER_INDEX_0: 101,
  UNIFIED: 102,
  UNIFIED32_LO_32: 112,
  UNIFIED32_HI_32: 113,
  ABS56_16_34: 114,
  CONST_FIELD22_37: 115,
} as const;

/** `R_CUDA_…` of a relocation's number; the number itself for unknown ones. */
export function relocationName(type: number): string {
  const name = relocationNames[type];
  return name === undefined ? `R_CUDA_${type}` : `R_CUDA_${name}`;
}

/** Where a value goes: `width` bits from bit `at` of the place, taken from the value shifted right by `shift`. */
export interface RelocField {
  readonly at: number;
  readonly width: number;
  /** 32 for the upper half of an address, 2 where units of four bytes are stored. */
  readonly shift: number;
}

/** Bits of the types that store parts of an address; null for the rest (whole instructions, indices). */
export function relocationFields(type: number): readonly RelocField[] | null {
  const name = relocationNames[type] ?? "";
  if (type === R_CUDA.ABS32) return [{ at: 0, width: 32, shift: 0 }];
  if (name === "64" || name === "G64" || name === "UNIFIED") return [{ at: 0, width: 64, shift: 0 }];
  if (name === "32_LO" || name === "G32" || name === "UNIFIED_32") return [{ at: 0, width: 32, shift: 0 }];
  if (name === "32_HI") return [{ at: 0, width: 32, shift: 32 }];
  // The target of CALL.ABS counts units of four bytes (the words of CALL.ABS, as nvdisasm reads them).
  if (name === "ABS47_34") return [{ at: 34, width: 47, shift: 2 }];
  if (name === "ABS55_16_34")
    return [
      { at: 16, width: 8, shift: 2 },
      { at: 34, width: 47, shift: 10 },
    ];
  const byte = /^G8_(\d+)$/.exec(name);
  if (byte !== null) return [{ at: 0, width: 8, shift: Number(byte[1]) }];
  const m = /^(?:ABS|UNIFIED)(\d+)_(LO_|HI_)?(\d+)$/.exec(name);
  return m === null ? null : [{ at: Number(m[3]), width: Number(m[1]), shift: m[2] === "HI_" ? 32 : 0 }];
}

/**
 * The addend that lies in the relocated bytes (SHT_REL). Zero for types whose field is not one run of at most 53 bits,
 * and outside the section.
 */
export function inPlaceAddend(type: number, bytes: Uint8Array, offset: number): number {
  const [field, more] = relocationFields(type) ?? [];
  if (field === undefined || more !== undefined || field.at % 8 !== 0 || field.width % 8 !== 0 || field.shift !== 0)
    return 0;
  const first = offset + field.at / 8;
  if (first + field.width / 8 > bytes.length) return 0;
  let value = 0;
  for (let i = Math.min(field.width / 8, 6) - 1; i >= 0; i--) value = value * 256 + bytes[first + i]!;
  return value;
}

/** Puts a 32-bit value into bits 63:32 of the instruction at `offset` (the place of a 32-bit immediate). */
export function patchWord(v: DataView, offset: number, value: number): void {
  v.setUint32(offset + 4, value >>> 0, true);
}
