/**
 * Random programs cut into units (tools/random-cuda/units.ts), each made by us or by ptxas, linked by nvlink: every mixture leaves what ptxas's
 * code alone does. `tools/link-units.ts` runs many more, in every combination, beside a host twin.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { compile } from "../../lib/compile";
import { simulate } from "../../lib/sim/index";
import type { TargetName } from "../../lib/target/index";
import { generateCuda, THREADS } from "../../tools/random-cuda/generate";
import { cutIntoUnits, virtualResults } from "../../tools/random-cuda/units";
import { describeOracle, inScratch, type Tool, tool } from "./tools";

const programs = resolve(__dirname, "../programs");

function ran(name: Tool, args: readonly string[]): void {
  const made = tool(name, args);
  if (made.status !== 0) throw new Error(made.stderr + made.stdout);
}

/** What the linked program leaves, all results of its threads. */
function results(cubin: Uint8Array, id: string): string {
  const cells = Uint32Array.from({ length: THREADS * 8 }, (_, i) => Math.imul(i + 1, 2654435761) >>> (i % 19));
  const [sums, out, virtuals] = [new BigUint64Array(3), new BigUint64Array(THREADS * 64), new Uint32Array(THREADS)];
  const run = simulate(cubin, { kernel: `k${id}`, grid: 1, block: THREADS, params: [cells, sums, out, virtuals] });
  if (!run.ok) throw new Error(run.diagnostics.map((d) => d.message).join("\n"));
  expect(run.value.fault).toBeNull();
  expect([...virtuals]).toEqual(virtualResults(THREADS));
  return [cells, sums, out].map((a) => a.join(" ")).join("\n");
}

describeOracle("units of random programs linked", () => {
  // Seed 9: a function of ours keeps quads on a stack that ptxas's caller left at an odd multiple of 8.
  test.each([
    [9, 75, 3, 3, [[2], [0, 2], [0, 1, 2]]],
    [4, 90, 0, 2, [[0], [1]]],
  ] as const)("seed %d on sm_%d at -O%d in %d units", (seed, sm, opt, units, mixtures) => {
    inScratch((dir) => {
      const program = generateCuda(seed, `${seed}`);
      const objects = cutIntoUnits(program, `${seed}`, seed, units).map((text, u) => {
        const [source, ptx, ours, theirs] = ["cu", "ptx", "ours.cubin", "theirs.cubin"].map((e) =>
          join(dir, `${u}.${e}`),
        ) as [string, string, string, string];
        writeFileSync(source, text);
        ran("nvcc", ["-arch=sm_75", "-rdc=true", "-fmad=false", "-w", "-I", programs, "-ptx", source, "-o", ptx]);
        ran("ptxas", [`-arch=sm_${sm}`, `-O${opt}`, "-c", ptx, "-o", theirs]);
        const target = `sm_${sm}` as TargetName;
        const made = compile(readFileSync(ptx, "utf8"), { target, opt, relocatable: true, verify: true });
        expect(made.diagnostics.map((d) => d.message)).toEqual([]);
        writeFileSync(ours, made.cubin as Uint8Array);
        return [ours, theirs] as const;
      });
      const linked = (mine: readonly number[]): string => {
        const out = join(dir, "linked.cubin");
        ran("nvlink", [`-arch=sm_${sm}`, "-o", out, ...objects.map((o, u) => o[mine.includes(u) ? 0 : 1])]);
        return results(new Uint8Array(readFileSync(out)), `${seed}`);
      };
      const expected = linked([]);
      for (const mine of mixtures) expect([mine, linked(mine)]).toEqual([mine, expected]);
    });
  });
});
