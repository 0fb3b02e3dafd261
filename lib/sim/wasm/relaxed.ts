/** Whether the host has the fused multiply-add of relaxed SIMD, and whether it is exact on this processor. */
import { fma32 } from "../number/f32.js";
import { fma64 } from "../number/f64.js";
import { Rounding } from "../number/rounding.js";
import { Random } from "../random.js";
import { encodeModule, Fn } from "./encoder.js";
import { wasm } from "./host.js";
import { Op } from "./opcodes.js";

/** A function that applies an operation to vectors at addresses 0, 16, 32 and stores the result at 48. */
function module(op: number): Uint8Array {
  const fn = new Fn([], []);
  fn.code.i32(48);
  for (const at of [0, 16, 32]) fn.code.i32(at).memory(Op.load, 0);
  fn.code.op(op).memory(Op.store, 0);
  return encodeModule([], [fn]);
}

let known: boolean | null = null;

/** Tested once, on operands where a product rounded on its own would show. */
export function relaxedFmaIsExact(): boolean {
  known ??= test();
  return known;
}

function test(): boolean {
  if (wasm === null) return false;
  const bytes = [module(Op.f32x4RelaxedMadd), module(Op.f64x2RelaxedMadd)];
  if (!bytes.every((b) => wasm!.validate(b))) return false;
  const memory = new wasm.Memory({ initial: 1, maximum: 1 });
  const [single, double] = bytes.map(
    (b) => new wasm!.Instance(new wasm!.Module(b), { env: { memory } }).exports.run as () => void,
  ) as [() => void, () => void];
  const words = new Int32Array(memory.buffer);
  const f32 = new Float32Array(memory.buffer);
  const f64 = new Float64Array(memory.buffer);
  const random = new Random(1);
  for (let n = 0; n < 500; n++) {
    for (let i = 0; i < 12; i++) words[i] = random.word();
    // Every other time the addend is near the product, so that its low bits decide.
    if (n & 1) for (let i = 0; i < 4; i++) f32[8 + i] = -f32[i]! * f32[4 + i]!;
    single();
    for (let i = 0; i < 4; i++) if (!same(f32[12 + i]!, fma32(f32[i]!, f32[4 + i]!, f32[8 + i]!))) return false;
    for (let i = 0; i < 12; i++) words[i] = random.word();
    if (n & 1) for (let i = 0; i < 2; i++) f64[4 + i] = -f64[i]! * f64[2 + i]!;
    double();
    for (let i = 0; i < 2; i++)
      if (!same(f64[6 + i]!, fma64(f64[i]!, f64[2 + i]!, f64[4 + i]!, Rounding.RN))) return false;
  }
  return true;
}

function same(a: number, b: number): boolean {
  return Object.is(a, b) || (Number.isNaN(a) && Number.isNaN(b));
}
