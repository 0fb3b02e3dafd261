/** npm run bench [-- parse|compile|growth|sass|dis|sim|simulate ...]: the speed figures of docs/status.md, ratios against ptxas in the same run. */
import { cpus } from "node:os";
import { benchCompile } from "./compile.js";
import { benchDis } from "./dis.js";
import { benchGrowth } from "./growth.js";
import { benchParse } from "./parse.js";
import { benchSass } from "./sass.js";
import { benchSim } from "./sim.js";
import { benchSimulate } from "./simulate.js";

const benches: Record<string, () => void | Promise<void>> = {
  parse: benchParse,
  compile: benchCompile,
  growth: benchGrowth,
  sass: benchSass,
  dis: benchDis,
  sim: benchSim,
  simulate: benchSimulate,
};

async function main(names: readonly string[]): Promise<void> {
  console.log(`Node ${process.version}, ${cpus()[0]?.model ?? "unknown processor"}`);
  for (const name of names.length > 0 ? names : Object.keys(benches)) {
    const bench = benches[name];
    if (bench === undefined) throw new Error(`no bench "${name}"; there are ${Object.keys(benches).join(", ")}`);
    await bench();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
