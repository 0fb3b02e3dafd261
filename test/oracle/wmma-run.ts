/** Whole products by `wmma` in ptxas's code or ours, run in the simulator. */
import { compile } from "../../lib/compile";
import { Device } from "../../lib/sim/index";
import type { TargetName } from "../../lib/target/index";
import { ptxas } from "./ptxas";
import { type WmmaCase, wmmaCases, wmmaData, wmmaKernel } from "./wmma-kernels";

export interface WmmaFindings {
  readonly kernels: number;
  readonly wrong: readonly string[];
  readonly refused: readonly string[];
}

const KERNELS_PER_FILE = 24;

function check(
  device: Device,
  module: Parameters<Device["launch"]>[0],
  name: string,
  c: WmmaCase,
  seed: number,
): string {
  const { input, strides, expected } = wmmaData(c, seed);
  const params = [input, ...strides.map((u32) => ({ u32 }))];
  const run = device.launch(module, { kernel: name, grid: 1, block: 32, params });
  if (!run.ok) return run.diagnostics.map((d) => d.message).join("; ");
  if (run.value.fault !== null) return `${run.value.fault.message} (${run.value.fault.instruction})`;
  const at = input.findIndex((x, i) => x !== expected[i]);
  return at < 0 ? "" : `word ${at}: 0x${input[at]!.toString(16)}, expected 0x${expected[at]!.toString(16)}`;
}

/** Each `each`-th kernel; `own`: our code, else ptxas's. */
export function wmmaFindings(sm: number, level: number, own: boolean, each = 1): WmmaFindings {
  const cases = wmmaCases(sm).filter((_, i) => i % each === 0);
  const arch = `sm_${sm}`;
  const head = `.version 9.0\n.target ${arch}\n.address_size 64\n`;
  const [wrong, refused]: [string[], string[]] = [[], []];
  for (let i = 0; i < cases.length; i += KERNELS_PER_FILE) {
    const part = cases.slice(i, i + KERNELS_PER_FILE);
    const text = head + part.map((c, k) => wmmaKernel(`k${k}`, c)).join("");
    const made = own ? compile(text, { target: arch as TargetName, opt: level, verify: true }) : null;
    const cubin = made === null ? ptxas(text, arch, level) : made.cubin;
    if (cubin === null) {
      refused.push(`${part[0]!.ptx} …: ${made?.diagnostics.map((d) => d.message).join("; ")}`);
      continue;
    }
    const device = new Device();
    const module = device.load(cubin);
    if (!module.ok) throw new Error(module.diagnostics.map((d) => d.message).join("\n"));
    part.forEach((c, k) => {
      const problem = check(device, module.value, `k${k}`, c, 31 + i + k);
      if (problem !== "") wrong.push(`${c.ptx} ${c.layouts.join(".")}${c.space} ${c.stride}: ${problem}`);
    });
  }
  return { kernels: cases.length, wrong, refused };
}
