/** `mma.m8n8k4` on f16: four products at once (PTX ISA 9.7.14.5.1). */
import { random, types } from "./mma-kernels";

export interface Mma884 {
  readonly ptx: string;
  readonly aRow: boolean;
  readonly bRow: boolean;
  readonly d: "f16" | "f32";
  readonly c: "f16" | "f32";
}

export const mma884Cases: readonly Mma884[] = (["row", "col"] as const).flatMap((a) =>
  (["row", "col"] as const).flatMap((b) =>
    (
      [
        ["f16", "f16"],
        ["f32", "f32"],
        ["f32", "f16"],
      ] as const
    ).map(([d, c]) => ({
      ptx: `mma.sync.aligned.m8n8k4.${a}.${b}.${d}.f16.f16.${c}`,
      aRow: a === "row",
      bRow: b === "row",
      d,
      c,
    })),
  ),
);

const words = (type: string): number => (type === "f16" ? 4 : 8);

export function mma884Kernel(name: string, k: Mma884): string {
  const list = (p: string, n: number): string[] => Array.from({ length: n }, (_, i) => `%${p}${i}`);
  const [a, b, c, d] = [list("a", 2), list("b", 2), list("c", words(k.c)), list("d", words(k.d))];
  const load = (names: string[], type: string, first: number): string =>
    names.map((r, i) => `  ld.global.${type} ${r}, [%q+${(first + i) * 128}];`).join("\n");
  const cls = (t: string): string => (t === "f32" ? "f32" : "b32");
  return `.visible .entry ${name}(.param .u64 p)
{
  .reg .b64 %q; .reg .b32 %l; .reg .b32 %a<2>; .reg .b32 %b<2>; .reg .${cls(k.c)} %c<8>; .reg .${cls(k.d)} %d<8>;
  ld.param.u64 %q, [p]; mov.u32 %l, %tid.x; mad.wide.u32 %q, %l, 4, %q;
${load(a, "b32", 0)}
${load(b, "b32", 2)}
${load(c, cls(k.c), 4)}
  ${k.ptx} {${d.join(",")}}, {${a.join(",")}}, {${b.join(",")}}, {${c.join(",")}};
${d.map((r, i) => `  st.global.${cls(k.d)} [%q+${(4 + words(k.c) + i) * 128}], ${r};`).join("\n")}
  ret;
}
`;
}

/** Row and column of element i of an accumulator in lane l. */
function accumulator(type: string, l: number, i: number): [number, number] {
  if (type === "f16") return [(l % 4) + (l < 16 ? 0 : 4), i];
  return [(l & 1) + (i & 2) + (l < 16 ? 0 : 4), (i & 4) + (l & 2) + (i & 1)];
}

export function mma884Data(k: Mma884, seed: number): { input: Uint32Array; expected: Uint32Array } {
  const next = random(seed);
  const matrix = (n: number): number[] => Array.from({ length: n }, () => types.f16!.pick(next()));
  const [A, B, C] = [matrix(4 * 32), matrix(4 * 32), matrix(4 * 64)];
  const input = new Uint32Array((4 + words(k.c) + words(k.d)) * 32);
  const expected = new Uint32Array(words(k.d) * 32);
  const put = (into: Uint32Array, type: string, first: number, l: number, i: number, x: number): void => {
    const { bits, bitsOf } = types[type]!;
    const per = 32 / bits;
    into[(first + Math.floor(i / per)) * 32 + l]! |= bitsOf(x) << (bits * (i % per));
  };
  for (let l = 0; l < 32; l++) {
    const q = (l % 16) >> 2;
    const high = l < 16 ? 0 : 4;
    for (let i = 0; i < 4; i++) {
      const [ar, ac] = k.aRow ? [(l % 4) + high, i] : [i + high, l % 4];
      put(input, "f16", 0, l, i, A[q * 32 + ar * 4 + ac]!);
      const [br, bc] = k.bRow ? [l % 4, i + high] : [i, (l % 4) + high];
      put(input, "f16", 2, l, i, B[q * 32 + br * 8 + bc]!);
    }
    for (let i = 0; i < 8; i++) {
      const [cr, cc] = accumulator(k.c, l, i);
      put(input, k.c, 4, l, i, C[q * 64 + cr * 8 + cc]!);
      const [dr, dc] = accumulator(k.d, l, i);
      let sum = C[q * 64 + dr * 8 + dc]!;
      for (let j = 0; j < 4; j++) sum += A[q * 32 + dr * 4 + j]! * B[q * 32 + j * 8 + dc]!;
      put(expected, k.d, 0, l, i, sum);
    }
  }
  return { input, expected };
}
