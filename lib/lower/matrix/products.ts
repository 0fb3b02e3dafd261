/**
 * `mma.sync` to the machine's products of a warp: PTX shape | types of the factors | types of the accumulators | machine instruction | what
 * the target must have. `{a}` and `{b}` stand for the factors' types, `{d}` for the accumulator's, in capitals. Registers go over as
 * they are: fragments of PTX and of the machine are the same (facts/ptx-to-sass on sm_75, 80, 90a, 100a, 120a; sm_89 asked).
 */
import type { Feature } from "../../target/types.js";

/** One line of the table. */
export interface Product {
  readonly shape: string;
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly d: readonly string[];
  readonly form: string;
  readonly needs: Feature | null;
}

const TABLE = `
m16n8k8   | f16       | f16       | f16 f32 | HMMA.1688.{d}           | -
m16n8k16  | f16       | f16       | f16 f32 | HMMA.16816.{d}          | mma80
m16n8k8   | bf16      | bf16      | f32     | HMMA.1688.F32.BF16      | mma80
m16n8k16  | bf16      | bf16      | f32     | HMMA.16816.F32.BF16     | mma80
m16n8k4   | tf32      | tf32      | f32     | HMMA.1684.F32.TF32      | mma80
m16n8k8   | tf32      | tf32      | f32     | HMMA.1688.F32.TF32      | mma80
m8n8k4    | f64       | f64       | f64     | DMMA.8x8x4              | mmaDouble8x8x4
m8n8k4    | f64       | f64       | f64     | DMMA.884                | mmaDouble884
m16n8k4   | f64       | f64       | f64     | DMMA.16x8x4             | mmaDouble16
m16n8k8   | f64       | f64       | f64     | DMMA.16x8x8             | mmaDouble16
m16n8k16  | f64       | f64       | f64     | DMMA.16x8x16            | mmaDouble16
m8n8k16   | s8 u8     | s8 u8     | s32     | IMMA.8816.{a}.{b}       | mmaInteger8
m16n8k16  | s8 u8     | s8 u8     | s32     | IMMA.16816.{a}.{b}      | mma80
m16n8k32  | s8 u8     | s8 u8     | s32     | IMMA.16832.{a}.{b}      | mma80
m8n8k32   | s4 u4     | s4 u4     | s32     | IMMA.8832.{a}.{b}       | mmaNibble
m16n8k32  | s4 u4     | s4 u4     | s32     | IMMA.16832.{a}.{b}      | mmaNibble80
m16n8k64  | s4 u4     | s4 u4     | s32     | IMMA.16864.{a}.{b}      | mmaNibble80
m8n8k128  | b1        | b1        | s32.xor | BMMA.88128.XOR.POPC     | mmaNibble
m16n8k128 | b1        | b1        | s32.xor | BMMA.168128.XOR.POPC    | mmaNibble80
m16n8k256 | b1        | b1        | s32.xor | BMMA.168256.XOR.POPC    | mmaNibble80
m8n8k128  | b1        | b1        | s32.and | BMMA.88128.AND.POPC     | mmaBitAnd
m16n8k128 | b1        | b1        | s32.and | BMMA.168128.AND.POPC    | mmaBitAnd
m16n8k256 | b1        | b1        | s32.and | BMMA.168256.AND.POPC    | mmaBitAnd
m16n8k16  | e4m3 e5m2 | e4m3 e5m2 | f16 f32 | QMMA.16816.{d}.{a}.{b}  | mmaByteFloat
m16n8k32  | e4m3 e5m2 | e4m3 e5m2 | f16 f32 | QMMA.16832.{d}.{a}.{b}  | mmaByteFloat
m16n8k32  | e4m3 e5m2 e3m2 e2m3 e2m1 | e4m3 e5m2 e3m2 e2m3 e2m1 | f16 f32 | QMMA.16832.{d}.{a}.{b} | mmaSmallFloat
`;

export const products: readonly Product[] = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [shape, a, b, d, form, needs] = line.split("|").map((x) => x.trim()) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const words = (text: string): string[] => text.split(/\s+/);
    return {
      shape,
      a: words(a),
      b: words(b),
      d: words(d),
      form,
      needs: needs === "-" ? null : (needs as Feature),
    };
  });

/** The rows of a product of these types; `d` ends in `.xor` or `.and` for single bits. */
export function productsOf(shape: string, d: string, a: string, b: string): readonly Product[] {
  return products.filter((p) => p.shape === shape && p.d.includes(d) && p.a.includes(a) && p.b.includes(b));
}

/** The machine instruction's name. */
export function formOf(p: Product, d: string, a: string, b: string): string {
  return p.form.replace("{d}", d.toUpperCase()).replace("{a}", a.toUpperCase()).replace("{b}", b.toUpperCase());
}
