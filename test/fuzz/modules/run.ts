/** A random module (generate.ts) in the PTX interpreter and, compiled, in the simulator: both must leave the same bytes. */
import { compile } from "../../../lib/compile.js";
import { Device } from "../../../lib/sim/index.js";
import { PtxDevice } from "../../../lib/sim/ptx/index.js";
import type { TargetName } from "../../../lib/target/index.js";
import { inputsOf, THREADS } from "./text.js";

/** What is left in the buffers, or why nothing is: refused with a message of the compiler, or a fault. */
export type Left =
  | { readonly kind: "words"; readonly words: Uint32Array }
  | { readonly kind: "refused" | "fault"; readonly why: string };

const BUDGET = 400_000;
const none = (kind: "refused" | "fault", why: string): Left => ({ kind, why });

function launched(device: Device | PtxDevice, loaded: ReturnType<Device["load"]>, seed: number): Left {
  if (!loaded.ok) return none("refused", loaded.diagnostics[0]?.message ?? "");
  const { cells, out, sums, flags, turns } = inputsOf(seed);
  const run = device.launch(loaded.value, {
    kernel: "k",
    block: THREADS,
    params: [cells, out, sums, { u32: flags }, { u32: turns }],
    maxInstructions: BUDGET * (device instanceof PtxDevice ? 1 : 20),
  });
  if (!run.ok) return none("refused", run.diagnostics[0]?.message ?? "");
  if (run.value.fault !== null) return none("fault", run.value.fault.message);
  return { kind: "words", words: Uint32Array.of(...out, ...cells, ...sums) };
}

export function interpreted(text: string, seed: number): Left {
  const device = new PtxDevice();
  return launched(device, device.load(text), seed);
}

export function ofCubin(cubin: Uint8Array, seed: number): Left {
  const device = new Device();
  return launched(device, device.load(cubin), seed);
}

/** `verify`: the IR is looked at after every phase, which takes longer than compiling. */
export function compiled(text: string, seed: number, target: TargetName, opt: number, verify = true): Left {
  const { cubin, diagnostics } = compile(text, { target, opt, verify });
  if (cubin !== null) return ofCubin(cubin, seed);
  const first = diagnostics.find((d) => d.severity === "error") ?? diagnostics[0];
  return none("refused", first?.message ?? "");
}

/** "" when both left the same; else what differs first. */
export function difference(got: Left, wanted: Left): string {
  if (got.kind !== "words") return `${got.kind}: ${got.why}`;
  if (wanted.kind !== "words") return `does not end in a ${wanted.kind}: ${wanted.why}`;
  const i = got.words.findIndex((v, k) => v !== wanted.words[k]);
  return i < 0 ? "" : `word ${i}: 0x${got.words[i]!.toString(16)}, not 0x${wanted.words[i]!.toString(16)}`;
}
