/**
 * Compile time per stage on the corpus, beside ptxas's own time for the same files in the same run, and how the stages
 * grow with the length of one kernel.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Compilation, compile, type Stage } from "../../lib/compile.js";
import type { TargetName } from "../../lib/target/index.js";
import { corpus, corpusPtx } from "../corpus/cases.js";
import { median, row } from "./measure.js";

const stages: readonly Stage[] = ["parse", "check", "lower", "phases", "encode", "link"];
const ptxas = resolve(__dirname, "../../.oracle/bin/ptxas");

function ours(
  text: string,
  target: TargetName,
  runs: number,
): { total: number; times: Record<Stage, number>; last: Compilation } {
  const all: Compilation[] = [];
  for (let i = 0; i < runs; i++) all.push(compile(text, { target, opt: 0 }));
  const times = Object.fromEntries(stages.map((s) => [s, median(all.map((c) => c.times[s]))])) as Record<Stage, number>;
  return { total: stages.reduce((sum, s) => sum + times[s], 0), times, last: all[0]! };
}

/** ptxas's own figure, milliseconds: the sum of the `Compile time` lines of -v. */
function theirs(text: string, target: string, runs: number): number | null {
  if (!existsSync(ptxas)) return null;
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-bench-"));
  writeFileSync(join(dir, "k.ptx"), text);
  const once = (): number => {
    const r = spawnSync(ptxas, [`-arch=${target}`, "-O0", "-v", "k.ptx", "-o", "k.cubin"], {
      cwd: dir,
      encoding: "utf8",
    });
    return [...r.stderr.matchAll(/Compile time = ([\d.]+) ms/g)].reduce((sum, m) => sum + Number(m[1]), 0);
  };
  return median(Array.from({ length: runs }, once));
}

/** Straight-line code of n steps over 16 registers, the shape of unrolled kernels. */
export function longKernel(n: number): string {
  const body = Array.from({ length: n }, (_, i) => {
    const [a, b, c] = [i % 16, (i * 5 + 3) % 16, (i * 7 + 1) % 16];
    return `fma.rn.f32 %f${a}, %f${b}, %f${c}, %f${a}; add.s32 %r${a}, %r${b}, ${i};`;
  }).join("\n");
  const load = Array.from(
    { length: 16 },
    (_, i) => `ld.global.f32 %f${i}, [%rd1+${4 * i}]; ld.global.u32 %r${i}, [%rd1+${64 + 4 * i}];`,
  );
  const store = Array.from(
    { length: 16 },
    (_, i) => `st.global.f32 [%rd1+${4 * i}], %f${i}; st.global.u32 [%rd1+${64 + 4 * i}], %r${i};`,
  );
  return `.version 9.0\n.target sm_75\n.address_size 64\n.visible .entry long_kernel(.param .u64 p)\n{\n.reg .f32 %f<16>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n${load.join("\n")}\n${body}\n${store.join("\n")}\nret;\n}\n`;
}

export function benchCompile(): void {
  // The whole compiler is compiled first: what is measured is a warm process, as in a notebook.
  for (let i = 0; i < 10; i++)
    for (const { name } of corpus) compile(corpusPtx(name, "sm_90"), { target: "sm_90", opt: 0 });
  for (const target of ["sm_75", "sm_90", "sm_100"] as const) {
    console.log(`\ncompile, corpus, ${target} -O0: milliseconds (median of 9 after warm-up)`);
    row(["kernel", ...stages, "total", "ptxas", "ratio"]);
    const ratios: number[] = [];
    for (const { name } of corpus) {
      const text = corpusPtx(name, target);
      ours(text, target, 5);
      const mine = ours(text, target, 9);
      const real = theirs(text, target, 5);
      if (real) ratios.push(mine.total / real);
      row([
        name,
        ...stages.map((s) => mine.times[s].toFixed(2)),
        mine.total.toFixed(2),
        real?.toFixed(2) ?? "-",
        real ? (mine.total / real).toFixed(2) : "-",
      ]);
    }
    const mean = Math.exp(ratios.reduce((sum, r) => sum + Math.log(r), 0) / ratios.length);
    if (ratios.length > 0) console.log(`geometric mean of the ratios: ${mean.toFixed(2)}`);
  }
  console.log("\ngrowth, sm_90 -O0: microseconds per PTX instruction of one straight-line kernel");
  row(["instructions", ...stages, "total", "ptxas"]);
  for (const n of [250, 500, 1000, 2000, 4000, 8000, 16000]) {
    const text = longKernel(n);
    const mine = ours(text, "sm_90", 3);
    if (!mine.last.ok) throw new Error(mine.last.diagnostics.map((d) => d.message).join("\n"));
    const real = theirs(text, "sm_90", 1);
    const per = (ms: number): string => ((ms * 1000) / (2 * n)).toFixed(2);
    row([String(2 * n), ...stages.map((s) => per(mine.times[s])), per(mine.total), real === null ? "-" : per(real)]);
  }
}
