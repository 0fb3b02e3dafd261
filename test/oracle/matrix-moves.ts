/** `ldmatrix`, `stmatrix`, `movmatrix` on 8 × 8 matrices of 16 bits (PTX ISA 9.7.14.5.15 to .17). */
import { random } from "./mma-kernels";

/** An instruction under test. */
export interface Moving {
  readonly ptx: string;
  readonly op: "load" | "store" | "move";
  /** Registers of a fragment, at most four. */
  readonly registers: number;
  /** The first SM that has it. */
  readonly from: number;
}

export interface MatrixMove extends Moving {
  readonly transposed: boolean;
}

const counts = [1, 2, 4];
const both = [false, true];

export const matrixMoves: readonly MatrixMove[] = [
  ...counts.flatMap((count) =>
    both.flatMap((transposed): MatrixMove[] => {
      const more = `sync.aligned.m8n8.x${count}${transposed ? ".trans" : ""}.shared.b16`;
      return [
        { ptx: `ldmatrix.${more}`, op: "load", registers: count, transposed, from: 75 },
        { ptx: `stmatrix.${more}`, op: "store", registers: count, transposed, from: 90 },
      ];
    }),
  ),
  { ptx: "movmatrix.sync.aligned.m8n8.trans.b16", op: "move", registers: 1, transposed: true, from: 75 },
];

/** Words of shared memory that a kernel uses: 32 rows of 16 bytes. */
const SHARED = 128;

/**
 * The buffer: 128 words that shared memory holds at first, the byte offset of each lane's row, fragments of 4 registers by 32 lanes. At the end
 * what shared memory holds (stores) or the fragments.
 */
export function matrixKernel(name: string, m: Moving): string {
  const registers = Array.from({ length: m.registers }, (_, i) => `%r${i}`).join(",");
  const act =
    m.op === "load"
      ? `${m.ptx} {${registers}}, [%o];`
      : m.op === "store"
        ? `${m.ptx} [%o], {${registers}};`
        : `${m.ptx} %r0, %r0;`;
  const copy = (i: number): string => `ld.global.b32 %t, [%q+${i * 128}]; st.shared.b32 [%s+${i * 128}], %t;`;
  const back = (i: number): string => `ld.shared.b32 %t, [%s+${i * 128}]; st.global.b32 [%q+${(9 + i) * 128}], %t;`;
  const four = [0, 1, 2, 3];
  return `.visible .entry ${name}(.param .u64 p)
{
  .shared .align 16 .b8 m_${name}[${4 * SHARED}];
  .reg .b64 %q; .reg .b32 %l, %o, %s, %t; .reg .b32 %r<4>;
  ld.param.u64 %q, [p]; mov.u32 %l, %tid.x; mad.wide.u32 %q, %l, 4, %q;
  mov.u32 %s, m_${name}; ld.global.b32 %o, [%q+512]; add.u32 %o, %o, %s; mad.lo.u32 %s, %l, 4, %s;
  ${four.map(copy).join(" ")}
  ${four.map((i) => `ld.global.b32 %r${i}, [%q+${(5 + i) * 128}];`).join(" ")}
  bar.sync 0;
  ${act}
  bar.sync 0;
  ${m.op === "store" ? four.map(back).join(" ") : four.map((i) => `st.global.b32 [%q+${(9 + i) * 128}], %r${i};`).join(" ")}
  ret;
}
`;
}

/** The buffer before the launch, and which row in memory each lane names. */
export function matrixInput(seed: number): { input: Uint32Array; rows: readonly number[] } {
  const next = random(seed);
  const input = new Uint32Array(13 * 32);
  for (let i = 0; i < 9 * 32; i++) input[i] = next();
  const rows = Array.from({ length: 32 }, (_, i) => i).sort(() => (next() & 2) - 1);
  rows.forEach((row, l) => {
    input[SHARED + l] = 16 * row;
  });
  return { input, rows };
}

export function matrixData(m: MatrixMove, seed: number): { input: Uint32Array; expected: Uint32Array } {
  const { input, rows } = matrixInput(seed);
  const memory = new Uint16Array(input.slice(0, SHARED).buffer);
  const fragments = new Uint16Array(input.slice(5 * 32, 9 * 32).buffer);
  /** Where element (r, c) of matrix i is in shared memory, and in the fragments. */
  const inMemory = (i: number, r: number, c: number): number => 8 * rows[8 * i + r]! + c;
  const inFragment = (i: number, r: number, c: number): number => 2 * (32 * i + 4 * r + (c >> 1)) + (c & 1);
  const before = fragments.slice();
  for (let i = 0; i < m.registers; i++)
    for (let r = 0; r < 8; r++)
      for (let c = 0; c < 8; c++) {
        const [x, y] = m.transposed ? [c, r] : [r, c];
        if (m.op === "load") fragments[inFragment(i, r, c)] = memory[inMemory(i, x, y)]!;
        else if (m.op === "store") memory[inMemory(i, x, y)] = fragments[inFragment(i, r, c)]!;
        else fragments[inFragment(i, r, c)] = before[inFragment(i, x, y)]!;
      }
  return { input, expected: new Uint32Array((m.op === "store" ? memory : fragments).buffer) };
}
