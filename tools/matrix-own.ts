/** Our code of the same kernels as `matrix-figures`: `node tools/run-ts.cjs tools/matrix-own.ts [SM…] [-O 0,2]`. */
import { ownFindings } from "../test/oracle/mma-run.js";
import { numberOf, readArguments, smsOf } from "./arguments.js";

const { values: options, positionals } = readArguments({
  levels: { type: "string", short: "O", default: "0,1,2" },
});
let failed = false;
for (const sm of smsOf(positionals))
  for (const level of options.levels.split(",").map(numberOf)) {
    const { kernels, wrong, refused } = ownFindings(sm, level);
    const right = kernels - wrong.length - refused.length;
    console.log(`sm_${sm} -O${level}: ${right} of ${kernels} right, ${refused.length} refused`);
    for (const text of [...wrong, ...refused]) console.log(`  ${text.slice(0, 300)}`);
    if (wrong.length > 0) failed = true;
  }
process.exitCode = failed ? 1 : 0;
