/**
 * node tools/run-ts.cjs tools/page-figures.ts [--instructions N] [SHAPE …]: the page of phases of kernels of about so many instructions (default 5,000), one of each
 * shape of test/bench/growth.ts that is named (default all that are one function): seconds of processor time to compile with all moments kept and to make the page
 * (the median of three, in a warm process), and seconds until Chromium has laid it out from disk (the median of five, network off); its size.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Compilation, compile } from "../lib/compile.js";
import { pipeline } from "../lib/view/index.js";
import { shapes } from "../test/bench/growth.js";
import { median } from "../test/bench/measure.js";
import { launch, open } from "../test/view/browser.js";

const words = process.argv.slice(2);
const option = words.indexOf("--instructions");
const count = option < 0 ? 5000 : Number(words.splice(option, 2)[1]);
const names = words.length > 0 ? words : Object.keys(shapes).filter((name) => name !== "calls");

/** Seconds of processor time, which do not tell how busy the machine is. */
async function seconds(work: () => unknown): Promise<number> {
  const from = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1e6;
}

const compiled = (make: (n: number) => string, n: number): Compilation => compile(make(n), { target: "sm_90" });

/** Instructions after the last phase. */
const length = (c: Compilation): number => c.functions[0]?.func?.blocks.reduce((n, b) => n + b.insts.length, 0) ?? 0;

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ptxlab-page-"));
  const file = join(folder, "page.html");
  const browser = await launch();
  try {
    for (const name of names) {
      const make = shapes[name];
      if (make === undefined) throw new Error(`no shape ${name}: ${Object.keys(shapes).join(", ")}`);
      // Steps of the shape for so many instructions, by what two small kernels have.
      const [small, large] = [length(compiled(make, 100)), length(compiled(make, 300))];
      const steps = Math.max(1, Math.round(100 + ((count - small) * 200) / (large - small)));
      const [compiling, making]: [number[], number[]] = [[], []];
      let c = compiled(make, steps);
      let page = await pipeline(c);
      for (let i = 0; i < 3; i++) {
        compiling.push(await seconds(() => (c = compiled(make, steps))));
        making.push(await seconds(async () => (page = await pipeline(c))));
      }
      writeFileSync(file, page.html);
      const opening: number[] = [];
      for (let i = 0; i < 5; i++) {
        const began = performance.now();
        const opened = await open(browser, file);
        await opened.page.evaluate(() => document.body.getBoundingClientRect().height);
        opening.push((performance.now() - began) / 1000);
        await opened.page.context().close();
      }
      const [moments, blocks] = [page.data.functions[0]?.moments ?? [], c.functions[0]?.func?.blocks.length ?? 0];
      console.log(
        `${name}: ${length(c)} instructions in ${blocks} blocks, ${moments.length} moments: compiled in ${median(compiling).toFixed(2)} s and page made in ${median(making).toFixed(2)} s of processor time, ${(page.html.length / 1e6).toFixed(2)} MB, open in ${median(opening).toFixed(2)} s`,
      );
    }
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

void main();
