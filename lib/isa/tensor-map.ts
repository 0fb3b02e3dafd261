/**
 * The words of a tensor map that `tensormap.replace` writes: 128 bytes that describe a tensor to bulk copies. Read off ptxas's code of each field on
 * sm_90a and 100a (`test/oracle/tensor-maps.test.ts`); what the other words hold is not known, and nothing here touches them.
 */

/** A field: bits of a word that stands at so many bytes. */
export interface MapField {
  readonly byte: number;
  readonly shift: number;
  readonly bits: number;
}

/** Bytes of a map. */
export const MAP_BYTES = 128;
export const MOST_DIMENSIONS = 5;

const field = (byte: number, shift: number, bits: number): MapField => ({ byte, shift, bits });

type WholeField = "rank" | "elemtype" | "interleave_layout" | "swizzle_mode" | "fill_mode" | "swizzle_atomicity";

/** Fields of the map as a whole. Its address takes the first 64 bits; the rank is held less one. */
export const mapFields: Readonly<Record<WholeField, MapField>> = {
  rank: field(0x08, 4, 3),
  elemtype: field(0x08, 7, 4),
  interleave_layout: field(0x08, 11, 2),
  swizzle_mode: field(0x08, 13, 2),
  fill_mode: field(0x08, 15, 1),
  swizzle_atomicity: field(0x08, 19, 3),
};

/** Beside the type of elements: those of tf32 are f32 that are rounded. */
export const roundedField: MapField = field(0x08, 16, 1);
/** Cleared with each new swizzle. */
export const swizzleExtra: MapField = field(0x08, 22, 1);

/** Bits of `elemtype` by the number that PTX gives it, and whether the rounded bit is set; null: the bit stays. */
export function elementCode(type: number): { readonly code: number; readonly rounded: boolean } {
  if (type === 11 || type === 12) return { code: type - 4, rounded: true };
  return { code: type > 12 ? type - 2 : type, rounded: false };
}

/** Size of a dimension less one: a whole word. */
export const dimensionField = (i: number): MapField => field(0x20 + 4 * i, 0, 32);
/** Step in elements less one. */
export const elementStrideField = (i: number): MapField => field(0x34, 3 * i, 3);
/** Size of the box less one. */
export const boxField = (i: number): MapField => (i === 0 ? field(0x34, 24, 8) : field(0x38, 8 * (i - 1), 8));
/** Sixteenths of the bytes between neighbours of dimension i + 1: 32 bits, and the four above. */
export const strideFields = (i: number): readonly [MapField, MapField] => [
  field(0x0c + 4 * i, 0, 32),
  field(0x1c, 4 * i, 4),
];
