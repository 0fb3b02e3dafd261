/**
 * The driver's routine for gradients of three coordinates (lib/lower/graphics/gradient-routine.ts tells where ptxas puts its arguments, which is all that is
 * known of it: it does what PTX ISA says of `tex.grad`).
 */
import { RETURN_ADDRESS, STACK_REGISTER } from "../../isa/abi.js";
import { locate, place } from "../access.js";
import { F16, shortBits } from "../number/half.js";
import { Rounding } from "../number/rounding.js";
import { codeIndex } from "../ops/control.js";
import { LANES, type Warp } from "../state.js";
import { LaneMemory, objectAt } from "./lane.js";
import { lodOf, sample } from "./sample.js";
import { floatOf } from "./texel.js";

const NAME = /^__cuda_syscall_tex_grad_(?:pred_)?(3d|cube|acube)_v4_(f32|s32|u32|f16)_f32(_offset)?(_depth_compare)?$/;

export const isGradient = (name: string): boolean => NAME.test(name);

const shapes: Readonly<Record<string, string>> = { "3d": "3d", cube: "cube", acube: "cube-layered" };
const words: Uint32Array = new Uint32Array(4);
const memory: LaneMemory = new LaneMemory();

/** Words on the stack; null: a fault is noted. */
function stackWords(w: Warp, lane: number, count: number): number[] | null {
  const out: number[] = [];
  for (let i = 0; i < count; i++) {
    if (!locate(w, "local", (w.I[STACK_REGISTER * LANES + lane]! >>> 0) + 4 * i, 4, lane)) return null;
    out.push(place.words[place.at >> 2]!);
  }
  return out;
}

/** Runs the routine for a lane; faults are told of the call. */
export function gradient(name: string, w: Warp, lane: number): void {
  const { pc } = w;
  w.pc = codeIndex(w.I[RETURN_ADDRESS * LANES + lane]! >>> 0) - 1;
  fetch(name, w, lane);
  w.pc = pc;
}

function fetch(name: string, w: Warp, lane: number): void {
  const [, geometry, type, shifted, compared] = NAME.exec(name) as unknown as string[];
  const float = (n: number): number => w.F[n * LANES + lane]!;
  const stack = stackWords(w, lane, shifted === undefined ? 3 : 7);
  const t = stack === null ? null : objectAt(w, w.I[4 * LANES + lane]! >>> 0, lane, "texture");
  if (stack === null || t === null) return;
  if (t.shape !== shapes[geometry!]) {
    w.fault("illegal-instruction", 1 << lane, `the texture is ${t.shape}, the instruction reads ${geometry}`);
    return;
  }
  const layered = geometry === "acube";
  const first = layered ? 9 : 8;
  const at = [first, first + 1, first + 2].map(float);
  const dy = stack.slice(0, 3).map((v) => floatOf(v >>> 0));
  memory.of(w, lane);
  sample(
    t,
    {
      at,
      offsets: shifted === undefined ? null : stack.slice(4).map((v) => (v << 28) >> 28),
      layer: layered ? Math.min(0xffff, w.I[8 * LANES + lane]! >>> 0) : 0,
      level: lodOf(t, [12, 13, 14].map(float), dy),
      reference: compared === undefined ? null : float(6),
    },
    memory.read,
    words,
  );
  if (memory.failed) return;
  const put = (n: number, value: number): void => {
    w.I[n * LANES + lane] = value | 0;
  };
  put(4, 1);
  const half = (k: number): number => shortBits(floatOf(words[k]!), 0, F16, Rounding.RN);
  if (type === "f16") for (const k of [0, 1]) put(5 + k, half(2 * k) | (half(2 * k + 1) << 16));
  else for (let k = 0; k < 4; k++) put(5 + k, words[k]!);
}
