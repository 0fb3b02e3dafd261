/** `ldmatrix` and `stmatrix` on matrices of bytes, and of 4 and 6 bits that become bytes (PTX ISA 9.7.14.5.15 and .16). */
import { type Moving, matrixInput } from "./matrix-moves";

type Shape = "m8n16" | "m16n16" | "m16n8";

export interface ByteMove extends Moving {
  readonly shape: Shape;
  readonly count: number;
  /** Bits of an element in memory. */
  readonly bits: number;
}

const named = { 8: "b8", 6: "b8x16.b6x16_p32", 4: "b8x16.b4x16_p64" } as const;

const load = (shape: Shape, count: number, bits: 4 | 6 | 8): ByteMove => ({
  ptx: `ldmatrix.sync.aligned.${shape}.x${count}${shape === "m16n16" ? ".trans" : ""}.shared.${named[bits]}`,
  op: "load",
  registers: shape === "m16n16" ? 2 * count : count,
  from: 100,
  shape,
  count,
  bits,
});

export const byteMoves: readonly ByteMove[] = [
  ...[1, 2, 4].flatMap((count) => [load("m8n16", count, 6), load("m8n16", count, 4)]),
  ...[1, 2].flatMap((count) => ([8, 6, 4] as const).map((bits) => load("m16n16", count, bits))),
  ...[1, 2, 4].map(
    (count): ByteMove => ({
      ptx: `stmatrix.sync.aligned.m16n8.x${count}.trans.shared.b8`,
      op: "store",
      registers: count,
      from: 100,
      shape: "m16n8",
      count,
      bits: 8,
    }),
  ),
];

/** Where element (r, c) of the matrix as the fragments have it lies in memory: row of all rows that lanes name, and its place there. */
const inMemory: Readonly<Record<Shape, (i: number, r: number, c: number) => readonly [row: number, place: number]>> = {
  m8n16: (i, r, c) => [8 * i + r, c],
  m16n16: (i, r, c) => [16 * i + c, r],
  m16n8: (i, r, c) => [8 * i + c, r],
};

/** Its byte in the fragments: four columns of a row for each lane, or two columns of rows r and r + 8. */
const inFragment: Readonly<Record<Shape, (i: number, r: number, c: number) => number>> = {
  m8n16: (i, r, c) => 4 * (32 * i + 4 * r + (c >> 2)) + (c & 3),
  m16n16: (i, r, c) => 4 * (32 * (2 * i + (r >> 3)) + 4 * (r & 7) + (c >> 2)) + (c & 3),
  m16n8: (i, r, c) => 4 * (32 * i + 4 * (r & 7) + (c >> 1)) + 2 * (r >> 3) + (c & 1),
};

const sizes: Readonly<Record<Shape, readonly [rows: number, columns: number]>> = {
  m8n16: [8, 16],
  m16n16: [16, 16],
  m16n8: [16, 8],
};

/** The buffer before the launch and what stands at its end afterwards; see matrixKernel. */
export function byteData(m: ByteMove, seed: number): { input: Uint32Array; expected: Uint32Array } {
  const { input, rows } = matrixInput(seed);
  const memory = new Uint8Array(input.slice(0, 128).buffer);
  const fragments = new Uint8Array(input.slice(5 * 32, 9 * 32).buffer);
  const element = (row: number, place: number): number => {
    let x = 0;
    for (let b = 0; b < m.bits; b++) {
      const bit = place * m.bits + b;
      x |= ((memory[16 * row + (bit >> 3)]! >> (bit & 7)) & 1) << b;
    }
    return x;
  };
  const [height, width] = sizes[m.shape];
  for (let i = 0; i < m.count; i++)
    for (let r = 0; r < height; r++)
      for (let c = 0; c < width; c++) {
        const [lane, place] = inMemory[m.shape](i, r, c);
        const row = rows[lane]!;
        const at = inFragment[m.shape](i, r, c);
        if (m.op === "load") fragments[at] = element(row, place);
        else memory[16 * row + place] = fragments[at]!;
      }
  return { input, expected: new Uint32Array((m.op === "store" ? memory : fragments).buffer) };
}
