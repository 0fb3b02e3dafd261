/** Products of a warp in ptxas's code, run in the simulator, against plain matrix products. */
import { Device } from "../../lib/sim/index";
import { matrixData, matrixKernel, matrixMoves } from "./matrix-moves";
import { mmaCases, mmaData, mmaKernel } from "./mma-kernels";
import { mma884Cases, mma884Data, mma884Kernel } from "./mma884";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";

const header = (arch: string): string => `.version 9.0\n.target ${arch}\n.address_size 64\n`;

/** The target with all that the SM has. */
const archOf = (sm: number): string => `sm_${sm}${sm >= 90 ? "a" : ""}`;

/** A kernel, its buffer before the launch, and what stands at the end of the buffer afterwards. */
interface Asked {
  readonly ptx: string;
  readonly text: (name: string) => string;
  readonly data: { readonly input: Uint32Array; readonly expected: Uint32Array };
}

function check(device: Device, module: Parameters<Device["launch"]>[0], name: string, { data }: Asked): string {
  const { input, expected } = data;
  const run = device.launch(module, { kernel: name, grid: 1, block: 32, params: [input] });
  if (!run.ok) return run.diagnostics.map((d) => d.message).join("; ");
  if (run.value.fault !== null) return `${run.value.fault.message} (${run.value.fault.instruction})`;
  const got = input.subarray(input.length - expected.length);
  const at = got.findIndex((x, i) => x !== expected[i]);
  return at < 0 ? "" : `word ${at}: 0x${got[at]!.toString(16)}, expected 0x${expected[at]!.toString(16)}`;
}

const asked = (sm: number): Asked[] => [
  ...mmaCases
    .filter((c) => c.sms.includes(sm))
    .map((c, i) => ({ ptx: c.ptx, text: (n: string) => mmaKernel(n, c), data: mmaData(c, 77 + i) })),
  ...mma884Cases.map((c, i) => ({ ptx: c.ptx, text: (n: string) => mma884Kernel(n, c), data: mma884Data(c, 5 + i) })),
  ...matrixMoves
    .filter((c) => sm >= c.from)
    .map((c, i) => ({ ptx: c.ptx, text: (n: string) => matrixKernel(n, c), data: matrixData(c, 9 + i) })),
];

describeOracle("products of a warp, and matrices to and from shared memory", () => {
  const most = [75, 80, 89, 90, 100, 120].map((sm) => [sm, 3] as const);
  test.each([...most, [80, 0], [90, 0]] as const)("sm_%i -O%i", (sm, level) => {
    const cases = asked(sm);
    const text = header(archOf(sm)) + cases.map((c, i) => c.text(`k${i}`)).join("");
    const device = new Device();
    const module = device.load(ptxas(text, archOf(sm), level));
    if (!module.ok) throw new Error(module.diagnostics.map((d) => d.message).join("\n"));
    const wrong = cases.flatMap((c, i) => {
      const problem = check(device, module.value, `k${i}`, c);
      return problem === "" ? [] : [`${c.ptx}: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });
});
