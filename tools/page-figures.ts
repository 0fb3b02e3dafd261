/**
 * node tools/run-ts.cjs tools/page-figures.ts [INSTRUCTIONS]: the page of phases of a kernel of so many instructions (default 5,000): seconds to
 * compile with all moments kept, to make the page, and until Chromium has laid it out from disk (the median of five, network off); its size.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { pipeline } from "../lib/view/index.js";
import { shapes } from "../test/bench/growth.js";
import { launch, open } from "../test/view/browser.js";

const count = Number(process.argv[2] ?? 5000);
const seconds = (from: number): string => ((performance.now() - from) / 1000).toFixed(2);

async function main(): Promise<void> {
  let from = performance.now();
  const c = compile(shapes.values!(count - 10), { target: "sm_90" });
  const compiled = seconds(from);
  from = performance.now();
  const { html, data } = await pipeline(c);
  const made = seconds(from);
  const folder = mkdtempSync(join(tmpdir(), "ptxlab-page-"));
  const file = join(folder, "page.html");
  writeFileSync(file, html);
  const browser = await launch();
  try {
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      from = performance.now();
      const { page } = await open(browser, file);
      await page.evaluate(() => document.body.getBoundingClientRect().height);
      times.push((performance.now() - from) / 1000);
      await page.context().close();
    }
    const instructions = data.functions[0]!.moments.at(-1)!.figures.instructions;
    const opened = times.sort((a, b) => a - b)[2]!.toFixed(2);
    console.log(
      `${instructions} instructions: compiled in ${compiled} s, page made in ${made} s, ${(html.length / 1e6).toFixed(2)} MB, open in ${opened} s`,
    );
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

void main();
