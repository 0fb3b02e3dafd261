/** The kernels of two cubins of one text, run in the simulator on the same random buffers. */
import { readCubin } from "../../lib/elf/index.js";
import { unwrap } from "../../lib/result.js";
import { type Argument, Device } from "../../lib/sim/index.js";

/** Bytes of the buffer after each parameter of eight bytes. */
const BUFFER = 0x10000;
/** What stands in parameters of four bytes, turn by turn: sizes, strides. */
const SMALL = [64, 32, 128, 96];

function fill(seed: number): Uint8Array {
  let x = Math.imul(seed + 1, 0x9e3779b1) | 1;
  const words = new Uint32Array(BUFFER / 4);
  for (let i = 0; i < words.length; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    // Numbers near one as f32, as pairs of halves and as upper words of f64; small integers in every fourth buffer.
    words[i] = seed % 4 === 3 ? (x >>> 0) % 48 : ((x & 0x03ff03ff) | 0x3c003c00) >>> 0;
  }
  return new Uint8Array(words.buffer);
}

interface Kernel {
  readonly name: string;
  readonly params: readonly { readonly offset: number; readonly size: number }[];
  readonly block: readonly [number, number, number];
}

/** Memory afterwards, or why the kernel did not run to its end. */
function memoryAfter(cubin: Uint8Array, k: Kernel, budget: number): { memory: Uint8Array[] } | { fault: string } {
  const device = new Device();
  // Buffers lie at the same addresses for both: before the module, whose variables take room of their own.
  const addresses = k.params.map((p) => (p.size === 8 ? device.alloc(BUFFER) : 0));
  const module = device.load(cubin);
  if (!module.ok) return { fault: `does not load: ${module.diagnostics[0]?.message}` };
  const params = k.params.map((p, i): Argument => {
    if (p.size === 8) {
      device.write(addresses[i] as number, fill(i));
      return { address: addresses[i] as number };
    }
    const bytes = new Uint8Array(p.size);
    for (let at = 0; at + 4 <= p.size; at += 4)
      new DataView(bytes.buffer).setUint32(at, SMALL[(i + at / 4) % SMALL.length] as number, true);
    return { bytes };
  });
  const run = device.launch(module.value, {
    kernel: k.name,
    grid: 2,
    block: k.block,
    params,
    sharedBytes: 0x8000,
    maxInstructions: budget,
  });
  if (!run.ok) return { fault: run.diagnostics[0]?.message ?? "refused" };
  const { fault } = run.value;
  if (fault !== null) return { fault: `${fault.kind}: ${fault.message}` };
  return { memory: addresses.filter((a) => a !== 0).map((a) => device.read(a, BUFFER)) };
}

export type Verdict = "equal" | "not run to an end" | `different: ${string}`;

function compare(a: readonly Uint8Array[], b: readonly Uint8Array[]): Verdict {
  for (const [i, bytes] of a.entries()) {
    const at = bytes.findIndex((x, k) => x !== (b[i] as Uint8Array)[k]);
    if (at >= 0) return `different: buffer ${i} at byte ${at}`;
  }
  return "equal";
}

/**
 * Runs each kernel of ptxas's cubin and, where it ends, of ours. Two blocks, as many threads as the kernel asks for (128 where it does not
 * say), buffers of 64 KiB; `budget`: warp-instructions per launch of ptxas's code, ten times as many for ours.
 */
export function replay(ours: Uint8Array, theirs: Uint8Array, budget: number): { kernel: string; verdict: Verdict }[] {
  const entries = unwrap(readCubin(theirs)).functions.filter((f) => f.kind === "entry");
  return entries.map((f) => {
    const block = f.reqThreads ?? ([Math.min(128, f.maxThreads?.[0] ?? 128), 1, 1] as const);
    const params = [...f.params].sort((a, b) => a.ordinal - b.ordinal);
    const kernel: Kernel = { name: f.name, params, block };
    const expected = memoryAfter(theirs, kernel, budget);
    if ("fault" in expected) return { kernel: f.name, verdict: "not run to an end" };
    const got = memoryAfter(ours, kernel, 10 * budget);
    const verdict: Verdict =
      "fault" in got ? `different: ${got.fault.slice(0, 160)}` : compare(got.memory, expected.memory);
    return { kernel: f.name, verdict };
  });
}
