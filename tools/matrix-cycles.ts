/**
 * Estimated cycles of the kernels of `test/corpus/matrix`, our -O2 over ptxas -O3 (needs the real tools): `node tools/run-ts.cjs tools/matrix-cycles.ts [FILE…]
 * [--stalls]`. FILE is the beginning of names (`gemm_wgmma`); --stalls prints where warps of both codes spend their cycles, by instruction.
 */
import { compile } from "../lib/compile.js";
import { readCubin } from "../lib/elf/index.js";
import { unwrap } from "../lib/result.js";
import type { TargetName } from "../lib/target/index.js";
import { type Estimate, estimate } from "../lib/timing/index.js";
import { launchOf, type MatrixKernel, matrixKernels, matrixText } from "../test/corpus/matrix/cases.js";
import { ptxas } from "../test/oracle/ptxas.js";
import { readArguments } from "./arguments.js";

const { values: options, positionals } = readArguments({ stalls: { type: "boolean", default: false } });

interface Facts {
  readonly estimate: Estimate;
  readonly registers: number;
}

function facts(cubin: Uint8Array, k: MatrixKernel): Facts {
  const { params, check } = k.prepare();
  const made = unwrap(estimate(cubin, { ...launchOf(k), params }));
  const wrong = made.run.fault?.message ?? check();
  if (wrong !== "") throw new Error(`${k.file}: ${wrong}`);
  return {
    estimate: made,
    registers: unwrap(readCubin(cubin)).functions.find((f) => f.name === k.kernel)?.registers ?? 0,
  };
}

/** Instructions at which warps spend a hundredth of all cycles or more. */
function stalls(title: string, e: Estimate): void {
  const all = e.instructions.reduce((sum, i) => sum + i.cycles, 0);
  console.log(`${title}: ${e.simulatedCycles} cycles, ${e.issued} issued`);
  for (const i of e.instructions) {
    if (i.cycles < all / 600) continue;
    const reasons = Object.entries(i.reasons)
      .sort((a, b) => b[1] - a[1])
      .slice(0, 3)
      .map(([name, cycles]) => `${name} ${cycles}`);
    console.log(
      `  ${i.address.toString(16).padStart(5)} ${i.instruction.slice(0, 60).padEnd(60)} ${i.issues} × ${i.cycles}: ${reasons.join(", ")}`,
    );
  }
}

const ratios: number[] = [];
for (const k of matrixKernels) {
  if (positionals.length > 0 && !positionals.some((p) => k.file.startsWith(p))) continue;
  const text = matrixText(k);
  for (const target of k.targets) {
    const made = compile(text, { target: target as TargetName, opt: 2 });
    if (made.cubin === null) throw new Error(made.diagnostics[0]?.message);
    const [ours, theirs] = [facts(made.cubin, k), facts(ptxas(text, target, 3), k)];
    const ratio = (of: (f: Facts) => number): string => (of(ours) / of(theirs)).toFixed(2);
    ratios.push(ours.estimate.simulatedCycles / theirs.estimate.simulatedCycles);
    console.log(
      `${k.file.replace(/\..*/, "")} ${k.kernel} ${target}: cycles ${ratio((f) => f.estimate.simulatedCycles)}, ` +
        `issued ${ratio((f) => f.estimate.issued)}, registers ${ours.registers} of ${theirs.registers}`,
    );
    if (options.stalls) {
      stalls("ours", ours.estimate);
      stalls("ptxas", theirs.estimate);
    }
  }
}
const mean = Math.exp(ratios.reduce((sum, r) => sum + Math.log(r), 0) / ratios.length);
console.log(`geometric mean of cycles over ${ratios.length} codes: ${mean.toFixed(3)}`);
