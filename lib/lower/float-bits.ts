/** Bits of float literals in another width. */

const scratch = new DataView(new ArrayBuffer(8));

/** Bits of the f32 nearest to an f64 given by its halves. */
export function f32Bits(low: number, high: number): number {
  scratch.setUint32(0, low, true);
  scratch.setUint32(4, high, true);
  scratch.setFloat32(0, scratch.getFloat64(0, true), true);
  return scratch.getUint32(0, true);
}

/** Halves [low, high] of an f64 equal to the f32 with these bits. */
export function f64Bits(bits: number): [number, number] {
  scratch.setUint32(0, bits, true);
  scratch.setFloat64(0, scratch.getFloat32(0, true), true);
  return [scratch.getUint32(0, true), scratch.getUint32(4, true)];
}
