/** Fields of 64 bits with positions and lengths that no byte holds: what ptxas makes of them, worked out with BigInt. */
const NUMBERS = [0, 1, 31, 33, 63, 64, 65, 128, 200, 255, 256, 257, 0x120, 0x140, 0x80000000, 0xffffffff];
const A = 0x8123456789abcdefn;
const B = 0xfedcba9876543210n;
export const FIELDS: readonly (readonly [position: number, length: number])[] = NUMBERS.flatMap((p) =>
  NUMBERS.map((l) => [p, l] as const),
);

export const bitFields = (target: string): string => `.version 9.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
  .reg .b32 %r<9>; .reg .b64 %d<19>;
  ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %d3, %r1, 8; add.u64 %d4, %d2, %d3; ld.global.u32 %r2, [%d4]; ld.global.u32 %r3, [%d4+4];
  mul.wide.u32 %d3, %r1, 24; add.u64 %d4, %d1, %d3;
  mov.u64 %d5, 0x${A.toString(16)}; mov.u64 %d6, 0x${B.toString(16)};
  bfe.u64 %d7, %d5, %r2, %r3; st.global.u64 [%d4], %d7;
  bfe.s64 %d8, %d5, %r2, %r3; st.global.u64 [%d4+8], %d8;
  bfi.b64 %d9, %d5, %d6, %r2, %r3; st.global.u64 [%d4+16], %d9;
  ret;
}
`;

/** bfe.u64, bfe.s64, bfi.b64 of each field. */
export const expectedFields: readonly string[] = FIELDS.flatMap(([position, length]) => {
  const mask = (1n << BigInt(Math.min(length, 64))) - 1n;
  const shift = BigInt(position);
  const unsigned = position < 64 ? (A >> shift) & mask : 0n;
  const signed =
    length === 0 ? 0n : BigInt.asUintN(64, BigInt.asIntN(Math.min(length, 64), BigInt.asIntN(64, A) >> shift));
  const inserted = position < 64 ? BigInt.asUintN(64, (B & ~(mask << shift)) | ((A & mask) << shift)) : B;
  return [unsigned, signed, inserted].map((n) => n.toString(16));
});
