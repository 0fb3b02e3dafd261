/**
 * ptxas's code of every `mma`, `ldmatrix`, `stmatrix` and `movmatrix` in the simulator, on all SMs: `node tools/run-ts.cjs tools/matrix-figures.ts
 * [SM…] [-O 0,1,3]`.
 */
import { matrixFindings } from "../test/oracle/mma-run.js";

const args = process.argv.slice(2);
const at = args.indexOf("-O");
const levels = at < 0 ? [0, 1, 3] : args.splice(at, 2)[1]!.split(",").map(Number);
const sms = args.length > 0 ? args.map(Number) : [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121];
let failed = false;
for (const sm of sms)
  for (const level of levels) {
    const { kernels, wrong } = matrixFindings(sm, level);
    console.log(`sm_${sm} -O${level}: ${kernels - wrong.length} of ${kernels} right`);
    for (const text of wrong) console.log(`  ${text}`);
    if (wrong.length > 0) failed = true;
  }
process.exitCode = failed ? 1 : 0;
