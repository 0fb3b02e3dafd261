/** Runs one-instruction kernels in the simulator on random and edge values. */
import { type Argument, Device, type EngineChoice, type Module } from "../../lib/sim/index.js";
import type { Single } from "./kernel.js";
import { objectOf } from "./objects.js";

const THREADS = 64;
/** What lies before and after the rows: offsets of the kernels reach from −16 to 0x12340. */
const BEFORE = 4096;
const BYTES = 0x1a000;
/** Texels of an object, from there to the end. */
const TEXELS_AT = 0xa000;

function stream(seed: number): () => number {
  let x = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x >>> 0;
  };
}

const edges16: readonly number[] = [
  0, 1, 2, 0x7f, 0x80, 0xff, 0x3c00, 0x3f80, 0x7bff, 0x7c00, 0x7e00, 0x7f7f, 0x7f80, 0x7fc0, 0x7fff, 0x8000, 0x8001,
  0xbc00, 0xbf80, 0xfc00, 0xff80, 0xffff, 0x0400, 0x03ff, 0x3800, 0x4248,
];
const edges32: readonly number[] = [
  0, 1, 2, 3, 7, 31, 32, 33, 64, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000,
  0xbf800000, 0x00800000, 0x007fffff, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x40490fdb, 0x3f000000,
  0x4b800000, 0x33800000, 0x477fe000, 0x387fc000, 0x43e00000, 0x47600000, 0x3c800000,
];

/** Cells of 64 bits, of which each kernel reads what it needs: random, edges of 16 and 32 bits, small and near-one numbers. */
export function inputs(seed: number): Uint8Array {
  const next = stream(seed);
  const words = new Uint32Array(BYTES / 4);
  const of = (list: readonly number[]): number => list[next() % list.length] as number;
  const word = (): number => {
    switch (next() % 6) {
      case 0:
        return next();
      case 1:
        return of(edges32);
      case 2:
        return (of(edges16) << 16) | of(edges16);
      case 3:
        return next() % 256;
      case 4:
        // Floats of moderate size.
        return ((next() & 0x807fffff) | ((0x78 + (next() % 16)) << 23)) >>> 0;
      default:
        return ((next() & 0x83ff83ff) | 0x38003800 | (next() & 0x04000400)) >>> 0;
    }
  };
  for (let i = 0; i < words.length; i++) words[i] = word();
  // Doubles: an upper word of moderate exponent in some cells.
  for (let i = 1; i < words.length; i += 2) {
    if (next() % 3 === 0) words[i] = ((next() & 0x800fffff) | ((0x3f8 + (next() % 16)) << 20)) >>> 0;
  }
  return new Uint8Array(words.buffer);
}

export interface Outcome {
  readonly fault: string | null;
  readonly memory: Uint8Array;
}

function argument(type: string, k: number): Argument {
  if (type === "f32") return { f32: 1.5 + k };
  if (type === "f64") return { f64: 1.5 + k };
  const bits = Number(type.slice(1));
  return { bytes: new Uint8Array(bits / 8).fill(0).map((_, i) => (i === 0 ? 5 + k : 0)) };
}

/** Arguments of the parameters after `out`; `th` is the handle of an object with its texels at the address. */
function argumentsOf(k: Single, texels: number): Argument[] {
  return k.parameters.map(([name, type], i) => (name === "th" ? objectOf(k.line, texels) : null) ?? argument(type, i));
}

/** Loads a cubin; a text says why not. */
export function loaded(cubin: Uint8Array): { device: Device; module: Module } | string {
  const device = new Device();
  const module = device.load(cubin);
  return module.ok ? { device, module: module.value } : module.diagnostics.map((d) => d.message).join("; ");
}

/** Loads and runs: the simulator, or the PTX interpreter. */
export interface Runs {
  readonly device: Pick<Device, "read" | "write" | "launch">;
  readonly module: Module;
}

export function runSingle(
  where: Runs,
  k: Single,
  data: Uint8Array,
  at: number,
  engine: EngineChoice = "auto",
): Outcome {
  const { device, module } = where;
  device.write(at, data);
  const run = device.launch(module, {
    kernel: k.name,
    grid: 1,
    block: THREADS,
    params: [{ address: at + BEFORE }, ...argumentsOf(k, at + TEXELS_AT)],
    maxInstructions: 200_000,
    engine,
  });
  if (!run.ok) return { fault: run.diagnostics.map((d) => d.message).join("; "), memory: new Uint8Array() };
  const { fault } = run.value;
  return { fault: fault === null ? null : `${fault.kind}: ${fault.message}`, memory: device.read(at, BYTES) };
}

/** Room for the rows on a device. */
export function room(device: Pick<Device, "alloc">): number {
  return device.alloc(BYTES);
}
