/**
 * node tools/run-ts.cjs tools/page-figures.ts [INSTRUCTIONS]: the page of phases of a kernel of so many instructions (default 5,000): seconds of
 * processor time to compile with all moments kept and to make the page, and seconds until Chromium has laid it out from disk (the median of five, network off); its size.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { pipeline } from "../lib/view/index.js";
import { shapes } from "../test/bench/growth.js";
import { launch, open } from "../test/view/browser.js";

const count = Number(process.argv[2] ?? 5000);
/** Processor time, which does not tell how busy the machine is. */
const seconds = (from: NodeJS.CpuUsage): string => {
  const { user, system } = process.cpuUsage(from);
  return ((user + system) / 1e6).toFixed(2);
};

async function main(): Promise<void> {
  let from = process.cpuUsage();
  const c = compile(shapes.values!(count - 10), { target: "sm_90" });
  const compiled = seconds(from);
  from = process.cpuUsage();
  const { html, data } = await pipeline(c);
  const made = seconds(from);
  const folder = mkdtempSync(join(tmpdir(), "ptxlab-page-"));
  const file = join(folder, "page.html");
  writeFileSync(file, html);
  const browser = await launch();
  try {
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const began = performance.now();
      const { page } = await open(browser, file);
      await page.evaluate(() => document.body.getBoundingClientRect().height);
      times.push((performance.now() - began) / 1000);
      await page.context().close();
    }
    const instructions = data.functions[0]!.moments.at(-1)!.figures.instructions;
    const opened = times.sort((a, b) => a - b)[2]!.toFixed(2);
    console.log(
      `${instructions} instructions: compiled in ${compiled} s and page made in ${made} s of processor time, ${(html.length / 1e6).toFixed(2)} MB, open in ${opened} s`,
    );
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

void main();
