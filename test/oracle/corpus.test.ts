/**
 * The starter corpus against the real tools: our cubins are accepted and read as we print them; ptxas's cubins of the
 * same PTX are decoded to nvdisasm's text and run in the simulator to the expected results.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile.js";
import { disassemble } from "../../lib/disassemble.js";
import { readCubin } from "../../lib/elf/index.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import { type CorpusTarget, corpus, corpusPtx, corpusTargets } from "../corpus/cases.js";
import { nvdisasm, withOffsets } from "./listing.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const host = { readFile: () => null };

/** Our text of every instruction, by function, labels as offsets. */
function ourText(cubin: Uint8Array): Map<string, (string | null)[]> {
  const read = readCubin(cubin);
  if (!read.ok) throw new Error(read.diagnostics[0]!.message);
  return new Map(
    disassemble(read.value).map((f) => {
      const labels = new Map([...f.labels].map(([offset, name]) => [name, offset]));
      return [f.name, f.instructions.map((i) => (i.known ? withOffsets(i.text, labels) : null))];
    }),
  );
}

interface Difference {
  readonly where: string;
  readonly real: string;
  readonly ours: string | null;
}

function compareText(cubin: Uint8Array): { total: number; differences: Difference[] } {
  const real = nvdisasm(cubin);
  expect(real.ran.stderr).toBe("");
  expect(real.ran.status).toBe(0);
  const ours = ourText(cubin);
  const differences: Difference[] = [];
  let total = 0;
  expect([...ours.keys()].sort()).toEqual([...real.functions.keys()].sort());
  for (const [name, texts] of real.functions) {
    total += texts.length;
    texts.forEach((text, i) => {
      const mine = ours.get(name)![i] ?? null;
      if (mine !== text) differences.push({ where: `${name}+0x${(16 * i).toString(16)}`, real: text, ours: mine });
    });
  }
  return { total, differences };
}

function ptxas(name: string, target: CorpusTarget, options: readonly string[]): Uint8Array {
  return inScratch((dir) => {
    writeFileSync(join(dir, "k.ptx"), corpusPtx(name, target));
    const made = tool("ptxas", [`-arch=${target}`, ...options, "k.ptx", "-o", "k.cubin"], { cwd: dir });
    if (made.status !== 0) throw new Error(made.stderr);
    return new Uint8Array(readFileSync(join(dir, "k.cubin")));
  });
}

describeOracle("the corpus against the real tools", () => {
  describe.each(corpusTargets)("%s", (target) => {
    test.each(corpus.map((c) => c.name))("%s: nvdisasm and cuobjdump take our cubin, the text is ours", (name) => {
      const made = compile(corpusPtx(name, target), { target, opt: 0 });
      const { total, differences } = compareText(made.cubin!);
      expect(total).toBeGreaterThan(8);
      expect(differences).toEqual([]);
      const dump = inScratch((dir) => {
        writeFileSync(join(dir, "k.cubin"), made.cubin!);
        return tool("cuobjdump", ["-res-usage", "-elf", "k.cubin"], { cwd: dir });
      });
      expect(dump.stderr).toBe("");
      expect(dump.status).toBe(0);
    });

    test.each([0, 3])("ptxas -O%i: decoded to nvdisasm's text, and run", (level) => {
      let total = 0;
      const unknown = new Map<string, number>();
      const wrong: string[] = [];
      let ran = 0;
      for (const c of corpus) {
        const cubin = ptxas(c.name, target, [`-O${level}`]);
        const text = compareText(cubin);
        total += text.total;
        for (const d of text.differences) {
          const key = `${d.real.replace(/^@\S+ /, "").split(" ")[0]} (ours: ${d.ours ?? "unknown word"})`;
          unknown.set(key, (unknown.get(key) ?? 0) + 1);
        }
        if (text.differences.some((d) => d.ours === null)) continue;
        ran++;
        const run = runLaunchFile(cubin, c.launch, host);
        if (run.status !== 0) wrong.push(`${c.name}: ${run.lines.join("; ")}`);
      }
      const bad = [...unknown.values()].reduce((sum, n) => sum + n, 0);
      console.log(
        `${target} -O${level}: ${total - bad} of ${total} instructions equal, ${ran} of ${corpus.length} kernels run`,
        ...[...unknown].map(([k, n]) => `\n  ${n} × ${k}`),
      );
      expect(wrong).toEqual([]);
      expect(bad).toBeLessThanOrEqual(total * 0.1);
      expect(ran).toBeGreaterThan(corpus.length * 0.9);
    });
  });
});
