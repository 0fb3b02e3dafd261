import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulate } from "../../lib/sim/index.js";
import { corpusPtx, corpusTargets } from "../corpus/cases.js";
import { available, tool } from "../oracle/tools.js";
import { median, row } from "./measure.js";

/** A tiled matrix product of n × n in the simulator, compiled by the real ptxas: thread-instructions per second. */
export function benchSim(): void {
  console.log("\nsimulator: tiled matrix product, 256 × 256, one core");
  if (!available) {
    console.log("  (needs the oracle tools: npm run oracle:setup)");
    return;
  }
  row(["", "M/s", "seconds", "M thread-inst"]);
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-bench-"));
  for (const target of corpusTargets)
    for (const level of [0, 3]) {
      const source = join(dir, "k.ptx");
      const out = join(dir, "k.cubin");
      writeFileSync(source, corpusPtx("sgemm", target));
      const made = tool("ptxas", [`-arch=${target}`, `-O${level}`, "-o", out, source]);
      if (made.status !== 0) throw new Error(made.stderr);
      const cubin = new Uint8Array(readFileSync(out));
      const seconds: number[] = [];
      let instructions = 0;
      for (let i = 0; i < 4; i++) {
        const start = process.hrtime.bigint();
        instructions = run(cubin);
        seconds.push(Number(process.hrtime.bigint() - start) / 1e9);
      }
      const s = median(seconds.slice(1));
      row([`${target} -O${level}`, (instructions / s / 1e6).toFixed(1), s.toFixed(2), (instructions / 1e6).toFixed(1)]);
    }
  rmSync(dir, { recursive: true, force: true });
}

function run(cubin: Uint8Array): number {
  const n = 256;
  const a = new Float32Array(n * n).fill(1);
  const b = new Float32Array(n * n).fill(2);
  const c = new Float32Array(n * n);
  const s32 = { s32: n };
  const result = simulate(cubin, { grid: [n / 16, n / 16], block: [16, 16], params: [s32, s32, s32, a, b, c] });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("; "));
  if (result.value.fault !== null) throw new Error(result.value.fault.message);
  if (!c.every((x) => x === 2 * n)) throw new Error("wrong product");
  return result.value.threadInstructions;
}
