/** Damaged or unsupported Zstandard data; caught where the data is unpacked. */
export class Malformed extends Error {}

export function need(condition: boolean): asserts condition {
  if (!condition) throw new Malformed();
}
