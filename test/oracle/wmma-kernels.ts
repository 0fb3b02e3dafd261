/**
 * Kernels of whole matrix products by `wmma`: load A, B and C, multiply, store D; and what they should compute, by plain products on matrices that
 * lie in memory as the PTX ISA says (9.7.14.4.2): rows or columns one after the other, `stride` elements apart.
 */
import { random, types } from "./mma-kernels";

type Layout = "row" | "col";

export interface WmmaCase {
  readonly ptx: string;
  readonly shape: string;
  /** Type of the factors. */
  readonly a: string;
  readonly c: string;
  readonly d: string;
  readonly layouts: readonly [a: Layout, b: Layout, c: Layout, d: Layout];
  readonly space: "" | ".global" | ".shared";
  /** Elements beyond the least stride; none: no stride is given. */
  readonly stride: "none" | "register" | "number";
  readonly saturates: boolean;
  readonly xor: boolean;
}

const sizes: Readonly<Record<string, readonly [number, number, number]>> = {
  m16n16k16: [16, 16, 16],
  m8n32k16: [8, 32, 16],
  m32n8k16: [32, 8, 16],
  m16n16k8: [16, 16, 8],
  m8n8k4: [8, 8, 4],
  m8n8k32: [8, 8, 32],
  m8n8k128: [8, 8, 128],
};

/** Byte places of A, B, C, D in the buffer. */
const PLACES = [0, 6144, 12288, 18432] as const;
export const BYTES = 24576;
const MORE = 32;

const layouts: readonly Layout[] = ["row", "col"];
const spaces = [".global", ".shared", ""] as const;
const strides = ["register", "none", "number"] as const;

/** Every pair of layouts of the factors; those of C and D, spaces and strides in turn. */
function cases(shape: string, d: string, a: string, c: string, fixed: boolean, more = ""): WmmaCase[] {
  const out: WmmaCase[] = [];
  const pairs = fixed ? [["row", "col"] as const] : layouts.flatMap((x) => layouts.map((y) => [x, y] as const));
  pairs.forEach(([la, lb], i) => {
    for (let j = 0; j < 6; j++) {
      const [lc, ld] = [layouts[(i + j) & 1]!, layouts[(j >> 1) & 1]!];
      const bits = a === "b1" ? more : "";
      const named = a === "f16" ? `${d}.${c}` : `${d}.${a}.${a}.${c}`;
      const rounding = a === "f64" ? more : "";
      const saturates = more === ".satfinite";
      const ptx = `wmma.mma${bits}.sync.aligned.${la}.${lb}.${shape}${rounding}.${named}${saturates ? more : ""}`;
      const space = spaces[j % 3]!;
      const stride = strides[(j + i) % 3]!;
      out.push({
        ptx,
        shape,
        a,
        c,
        d,
        layouts: [la, lb, lc, ld],
        space,
        stride,
        saturates,
        xor: more.startsWith(".xor"),
      });
    }
  });
  return out;
}

const wide = ["m16n16k16", "m8n32k16", "m32n8k16"];

export function wmmaCases(sm: number): WmmaCase[] {
  const out = wide.flatMap((s) =>
    ["f16", "f32"].flatMap((d) => ["f16", "f32"].flatMap((c) => cases(s, d, "f16", c, false))),
  );
  for (const s of wide)
    for (const t of ["s8", "u8"])
      out.push(...cases(s, "s32", t, "s32", false), ...cases(s, "s32", t, "s32", false, ".satfinite"));
  for (const t of ["s4", "u4"])
    out.push(...cases("m8n8k32", "s32", t, "s32", true), ...cases("m8n8k32", "s32", t, "s32", true, ".satfinite"));
  out.push(...cases("m8n8k128", "s32", "b1", "s32", true, ".xor.popc"));
  if (sm < 80) return out;
  out.push(...cases("m8n8k128", "s32", "b1", "s32", true, ".and.popc"));
  for (const s of wide) out.push(...cases(s, "f32", "bf16", "f32", false));
  out.push(...cases("m16n16k8", "f32", "tf32", "f32", false));
  for (const r of ["", ".rn", ".rz", ".rm", ".rp"]) out.push(...cases("m8n8k4", "f64", "f64", "f64", false, r));
  return out;
}

// ------------------------------------------------------------------------------------------------ kernels

/** Registers of a fragment (PTX ISA 9.7.14.4.1). */
function elements(c: WmmaCase, matrix: number): number {
  const [m, n, k] = sizes[c.shape]!;
  const type = [c.a, c.a, c.c, c.d][matrix]!;
  const count = ([m * k, n * k, m * n, m * n] as const)[matrix]! / 32;
  if (matrix < 2 && c.a === "f16") return 8;
  return type === "f64" ? count : (count * types[type]!.bits) / 32;
}

function rowsAndColumns(c: WmmaCase, matrix: number): readonly [number, number] {
  const [m, n, k] = sizes[c.shape]!;
  return (
    [
      [m, k],
      [k, n],
      [m, n],
      [m, n],
    ] as const
  )[matrix]!;
}

/** Elements from one line to the next. */
function strideOf(c: WmmaCase, matrix: number): number {
  const [rows, columns] = rowsAndColumns(c, matrix);
  const least = c.layouts[matrix] === "row" ? columns : rows;
  return c.stride === "none" ? least : least + (matrix < 2 && c.a === "b1" ? 128 : MORE);
}

const classOf = (type: string): string => (type === "f64" || type === "f32" ? type : "b32");

export function wmmaKernel(name: string, c: WmmaCase): string {
  const list = (prefix: string, matrix: number): string =>
    `{${Array.from({ length: elements(c, matrix) }, (_, i) => `%${prefix}${i}`).join(",")}}`;
  const base = c.space === ".shared" ? "%s" : "%p";
  const stride = (matrix: number): string => {
    if (c.stride === "none") return "";
    return c.stride === "number" ? `, ${strideOf(c, matrix)}` : `, %n${matrix}`;
  };
  const given = c.stride === "register" ? [0, 1, 2, 3].map((i) => `ld.param.u32 %n${i}, [n${i}];`).join(" ") : "";
  const copy = (to: string, from: string, label: string): string =>
    `  mov.u32 %i, %tid.x; shl.b32 %i, %i, 2;
${label}: cvt.u64.u32 %w, %i; add.s64 %w, %w, %p; add.u32 %v, %i, %s;
  ld.${from} %x, [${from === "global.b32" ? "%w" : "%v"}]; st.${to} [${to === "global.b32" ? "%w" : "%v"}], %x;
  add.u32 %i, %i, 128; setp.lt.u32 %q, %i, ${BYTES}; @%q bra ${label};
  bar.warp.sync -1;`;
  const load = (matrix: number, letter: string, type: string): string =>
    `  wmma.load.${letter}.sync.aligned.${c.layouts[matrix]}.${c.shape}${c.space}.${type} ${list(letter, matrix)}, [${base}+${PLACES[matrix]}]${stride(matrix)};`;
  return `.visible .entry ${name}(.param .u64 p, ${[0, 1, 2, 3].map((i) => `.param .u32 n${i}`).join(", ")})
{
  .shared .align 128 .b8 sh[${BYTES}];
  .reg .b64 %p, %w; .reg .b32 %s, %i, %v, %x, %n<4>; .reg .pred %q;
  .reg .${c.a === "f64" ? "f64" : "b32"} %a<8>, %b<8>; .reg .${classOf(c.c)} %c<8>; .reg .${classOf(c.d)} %d<8>;
  ld.param.u64 %p, [p]; mov.u32 %s, sh; ${given}
${c.space === ".shared" ? copy("shared.b32", "global.b32", "L1") : ""}
${load(0, "a", c.a)}
${load(1, "b", c.a)}
${load(2, "c", c.c)}
  ${c.ptx} ${list("d", 3)}, ${list("a", 0)}, ${list("b", 1)}, ${list("c", 2)};
  wmma.store.d.sync.aligned.${c.layouts[3]}.${c.shape}${c.space}.${c.d} [${base}+${PLACES[3]}], ${list("d", 3)}${stride(3)};
  bar.warp.sync -1;
${c.space === ".shared" ? copy("global.b32", "shared.b32", "L2") : ""}
  ret;
}
`;
}

// ------------------------------------------------------------------------------------------------ data

export interface WmmaData {
  readonly input: Uint32Array;
  readonly strides: readonly number[];
  /** The buffer afterwards. */
  readonly expected: Uint32Array;
}

function place(buffer: Uint32Array, type: string, base: number, index: number, value: number): void {
  const { bits, bitsOf } = types[type]!;
  if (type === "f64") {
    new Float64Array(buffer.buffer)[base / 8 + index] = value;
    return;
  }
  const at = base * 8 + index * bits;
  const [word, shift] = [at >>> 5, at & 31];
  const mask = bits === 32 ? 0xffffffff : 2 ** bits - 1;
  buffer[word] = ((buffer[word]! & ~(mask << shift)) | ((bitsOf(value) & mask) << shift)) >>> 0;
}

/** Exact sums that are rounded down: what cancels gives −0. */
function sumDown(x: number, y: number): number {
  return x + y === 0 && !(Object.is(x, 0) && Object.is(y, 0)) ? -0 : x + y;
}

export function wmmaData(c: WmmaCase, seed: number): WmmaData {
  const next = random(seed);
  const [m, n, k] = sizes[c.shape]!;
  const kinds = [c.a, c.a, c.c];
  const matrices = [m * k, k * n, m * n].map((count, i) =>
    Array.from({ length: count }, () => types[kinds[i]!]!.pick(next())),
  );
  const [A, B, C] = matrices as [number[], number[], number[]];
  const index = (matrix: number, row: number, column: number): number =>
    c.layouts[matrix] === "row" ? row * strideOf(c, matrix) + column : column * strideOf(c, matrix) + row;
  const input = new Uint32Array(BYTES / 4);
  matrices.forEach((values, i) => {
    const [, columns] = rowsAndColumns(c, i);
    values.forEach((v, x) => {
      place(input, kinds[i]!, PLACES[i]!, index(i, Math.floor(x / columns), x % columns), v);
    });
  });
  const expected = input.slice();
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      let sum = C[i * n + j]!;
      for (let x = 0; x < k; x++) {
        const [a, b] = [A[i * k + x]!, B[x * n + j]!];
        const product = c.a === "b1" ? (c.xor ? a ^ b : a & b) : a * b;
        sum = c.ptx.includes(".rm.") ? sumDown(sum, product) : sum + product;
      }
      if (c.d === "s32") sum = c.saturates ? Math.min(Math.max(sum, -(2 ** 31)), 2 ** 31 - 1) : sum | 0;
      place(expected, c.d, PLACES[3], index(3, i, j), sum);
    }
  return { input, strides: [0, 1, 2, 3].map((i) => strideOf(c, i)), expected };
}
