/** Text to tree on a file of over 1 MB: the corpus many times over, every entry renamed. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Diagnostic } from "../../lib/diagnostics.js";
import { analyze, parse } from "../../lib/ptx/index.js";
import { corpus, corpusPtx } from "../corpus/cases.js";
import { median } from "./measure.js";

const ptxas = resolve(__dirname, "../../.oracle/bin/ptxas");

/** At least `bytes` of PTX that nvcc made. */
export function bigPtx(bytes: number): string {
  const head = corpusPtx("saxpy", "sm_90").split("\n\t// .globl")[0]!;
  const bodies = corpus.map((c) => {
    const text = corpusPtx(c.name, "sm_90");
    return text.slice(text.indexOf(".address_size 64") + ".address_size 64".length);
  });
  const parts = [head];
  let length = head.length;
  for (let copy = 0; length < bytes; copy++) {
    for (const body of bodies) {
      // Every module-scope name gets the copy's number, so that the module stays legal.
      const names = [
        ...body.matchAll(/^(?:\.visible |\.weak )?\.(?:entry|global|const|extern).*?(\w+)(?:\(|\[| =|;)/gm),
      ].map((m) => m[1]!);
      let part = body;
      for (const name of names) part = part.replace(new RegExp(`\\b${name}`, "g"), `c${copy}_${name}`);
      parts.push(part);
      length += part.length;
    }
  }
  return parts.join("\n");
}

/**
 * ptxas's time for the same, milliseconds (least of 5 runs); null without the real tools. A syntax error at the end lets it read and check the whole
 * text, as it does in one go, and do nothing more.
 */
function theirs(text: string): number | null {
  if (!existsSync(ptxas)) return null;
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-bench-"));
  writeFileSync(join(dir, "k.ptx"), `${text}\n.visible .entry unfinished( {\n`);
  const runs = Array.from({ length: 5 }, () => {
    const start = performance.now();
    const r = spawnSync(ptxas, ["-arch=sm_90", "-O0", "k.ptx", "-o", "k.cubin"], { cwd: dir, encoding: "utf8" });
    if (!/fatal +: Parsing error near '\{': syntax error/.test(r.stdout + r.stderr))
      throw new Error(r.stdout + r.stderr);
    return performance.now() - start;
  });
  return Math.min(...runs);
}

/** Milliseconds of each run: on the clock, and of processor time on all threads, which counts the work alone on a machine that others use too. */
interface Times {
  readonly clock: readonly number[];
  readonly processor: readonly number[];
}

function times(runs: number, warmUp: number, body: () => void): Times {
  const clock: number[] = [];
  const processor: number[] = [];
  for (let run = 0; run < runs + warmUp; run++) {
    const start = performance.now();
    const before = process.cpuUsage();
    body();
    const { user, system } = process.cpuUsage(before);
    clock.push(performance.now() - start);
    processor.push((user + system) / 1000);
  }
  return { clock: clock.slice(warmUp), processor: processor.slice(warmUp) };
}

export function benchParse(): void {
  const text = bigPtx(3 << 20);
  const megabytes = Buffer.byteLength(text) / 1e6;
  const must = (r: { ok: boolean; diagnostics: readonly Diagnostic[] }): void => {
    if (!r.ok) throw new Error(r.diagnostics[0]?.message);
  };
  const parsed = times(20, 5, () => must(parse(text)));
  const rate = (ms: number): string => `${((megabytes / ms) * 1000).toFixed(1)} MB/s`;
  const { clock, processor } = parsed;
  console.log(
    `\nparse: ${megabytes.toFixed(2)} MB of nvcc's PTX to a tree in ${median(clock).toFixed(1)} ms (median of 20 after warm-up): ${rate(median(clock))}; best ${rate(Math.min(...clock))}; by processor time ${rate(median(processor))}, best ${rate(Math.min(...processor))}`,
  );
  const checked = times(10, 5, () => must(analyze(text, { target: "sm_90" })));
  const real = theirs(text);
  if (real !== null)
    console.log(
      `ptxas reads and checks the same text in ${real.toFixed(0)} ms (least of 5): our tree is there in ${(median(clock) / real).toFixed(2)} of that time, tree and checks in ${(median(checked.clock) / real).toFixed(2)}`,
    );
}
