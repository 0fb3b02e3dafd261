/** Kernels of one matrix instruction each, in ptxas's code or ours, run in the simulator. */
import { compile } from "../../lib/compile";
import { Device } from "../../lib/sim/index";
import type { TargetName } from "../../lib/target/index";
import { byteData, byteMoves } from "./byte-moves";
import { matrixData, matrixKernel, matrixMoves } from "./matrix-moves";
import { mmaCases, mmaData, mmaKernel } from "./mma-kernels";
import { mma884Cases, mma884Data, mma884Kernel } from "./mma884";
import { ptxas } from "./ptxas";

/** A kernel, its buffer before the launch, and what stands at the end of the buffer afterwards. */
interface Asked {
  readonly ptx: string;
  readonly text: (name: string) => string;
  readonly data: { readonly input: Uint32Array; readonly expected: Uint32Array };
}

const asked = (sm: number): Asked[] => [
  ...mmaCases
    .filter((c) => c.sms.includes(sm))
    .map((c, i) => ({ ptx: c.ptx, text: (n: string) => mmaKernel(n, c), data: mmaData(c, 77 + i) })),
  ...mma884Cases.map((c, i) => ({ ptx: c.ptx, text: (n: string) => mma884Kernel(n, c), data: mma884Data(c, 5 + i) })),
  ...matrixMoves
    .filter((c) => sm >= c.from)
    .map((c, i) => ({ ptx: c.ptx, text: (n: string) => matrixKernel(n, c), data: matrixData(c, 9 + i) })),
  ...byteMoves
    .filter((c) => sm >= c.from)
    .map((c, i) => ({ ptx: c.ptx, text: (n: string) => matrixKernel(n, c), data: byteData(c, 3 + i) })),
];

/** The target with all that the SM has. */
const archOf = (sm: number): string => `sm_${sm}${sm >= 90 ? "a" : ""}`;

const headOf = (sm: number): string => `.version 9.0\n.target ${archOf(sm)}\n.address_size 64\n`;

function check(device: Device, module: Parameters<Device["launch"]>[0], name: string, { data }: Asked): string {
  const { input, expected } = data;
  const run = device.launch(module, { kernel: name, grid: 1, block: 32, params: [input] });
  if (!run.ok) return run.diagnostics.map((d) => d.message).join("; ");
  if (run.value.fault !== null) return `${run.value.fault.message} (${run.value.fault.instruction})`;
  const got = input.subarray(input.length - expected.length);
  const at = got.findIndex((x, i) => x !== expected[i]);
  return at < 0 ? "" : `word ${at}: 0x${got[at]!.toString(16)}, expected 0x${expected[at]!.toString(16)}`;
}

export interface Findings {
  readonly kernels: number;
  /** What does not compute what it should, one text each. */
  readonly wrong: readonly string[];
}

/** All matrix instructions that an SM takes, in ptxas's code at a level. */
export function matrixFindings(sm: number, level: number): Findings {
  const cases = asked(sm);
  const head = headOf(sm);
  const device = new Device();
  const module = device.load(ptxas(head + cases.map((c, i) => c.text(`k${i}`)).join(""), archOf(sm), level));
  if (!module.ok) throw new Error(module.diagnostics.map((d) => d.message).join("\n"));
  const wrong = cases.flatMap((c, i) => {
    const problem = check(device, module.value, `k${i}`, c);
    return problem === "" ? [] : [`${c.ptx}: ${problem}`];
  });
  return { kernels: cases.length, wrong };
}

/** The same in our code: one file per kernel, since what is refused stops its file alone. */
export function ownFindings(sm: number, level: number): Findings & { readonly refused: readonly string[] } {
  const cases = asked(sm);
  const device = new Device();
  const wrong: string[] = [];
  const refused: string[] = [];
  for (const c of cases) {
    const made = compile(headOf(sm) + c.text("k"), { target: archOf(sm) as TargetName, opt: level, verify: true });
    if (made.cubin === null) {
      refused.push(`${c.ptx}: ${made.diagnostics.map((d) => d.message).join("; ")}`);
      continue;
    }
    const module = device.load(made.cubin);
    if (!module.ok) throw new Error(module.diagnostics.map((d) => d.message).join("\n"));
    const problem = check(device, module.value, "k", c);
    if (problem !== "") wrong.push(`${c.ptx}: ${problem}`);
  }
  return { kernels: cases.length, wrong, refused };
}
