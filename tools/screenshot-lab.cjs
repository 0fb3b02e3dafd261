// node tools/screenshot-lab.cjs NOTEBOOK OUTDIR: opens a notebook of `notebooks/` in JupyterLab in headless Chromium, runs
// all cells and takes screenshots from top to bottom. Needs a Chromium on the machine (Debian: apt install chromium;
// CHROMIUM= names another) and the project's JupyterLab (npm run lab -- --setup-only). Ends with status 1 when
// a cell failed or wrote to stderr.
"use strict";
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { chromium } = require("playwright-core");
const { bin, root, serverOptions, setUp } = require("../kernel/environment.cjs");

const PORT = 8931;
const TOKEN = "screenshot";
const VIEWPORT = { width: 1280, height: 1400 };
/** Pixels that two neighbouring screenshots share. */
const OVERLAP = 120;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** All cells stay in the document, also those out of sight. */
function labSettings(dir) {
  const folder = path.join(dir, "@jupyterlab", "notebook-extension");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(
    path.join(folder, "tracker.jupyterlab-settings"),
    JSON.stringify({ windowingMode: "none", scrollPastEnd: false }),
  );
  return dir;
}

async function startLab(scratch) {
  const options = [
    `--port=${PORT}`,
    "--no-browser",
    `--IdentityProvider.token=${TOKEN}`,
    "--ServerApp.root_dir=notebooks",
  ];
  const env = { ...process.env, JUPYTERLAB_SETTINGS_DIR: labSettings(path.join(scratch, "settings")) };
  const lab = spawn(bin("jupyter-lab"), [...options, ...serverOptions], { cwd: root, env, stdio: "ignore" });
  for (;;) {
    if (lab.exitCode !== null) throw new Error(`JupyterLab ended with status ${lab.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${PORT}/api/status?token=${TOKEN}`).catch(() => null);
    if (answer?.ok) return lab;
    await pause(200);
  }
}

async function runAllCells(page, name) {
  await page.goto(`http://127.0.0.1:${PORT}/lab/tree/${name}?reset&token=${TOKEN}`);
  await page.waitForSelector(".jp-Notebook .jp-CodeCell");
  await page.waitForFunction(() => /ptxlab/.test(document.querySelector(".jp-KernelName")?.textContent ?? ""));
  // Cells attach and the kernel connects a little after the page is there.
  await pause(2500);
  // The file browser takes room.
  await page.click('.jp-SideBar [data-id="filebrowser"]');
  await page.click('.lm-MenuBar-itemLabel:text-is("Run")');
  await page.click('.lm-Menu-itemLabel:text-is("Run All Cells")');
  await pause(1500);
  // Done when no cell waits for its number: `[*]`.
  await page.waitForFunction(
    () => ![...document.querySelectorAll(".jp-InputPrompt")].some((p) => p.textContent?.includes("[*]")),
    null,
    { timeout: 300_000 },
  );
  await pause(1500);
}

async function shoot(page, outDir) {
  const scroller = await page.evaluateHandle(() => document.querySelector(".jp-WindowedPanel-outer"));
  const measure = () => page.evaluate((e) => [e.scrollTop + e.clientHeight, e.scrollHeight, e.clientHeight], scroller);
  let count = 0;
  for (let top = 0; ; ) {
    await page.evaluate(([e, y]) => e.scrollTo(0, y), [scroller, top]);
    await pause(600);
    await page.screenshot({ path: path.join(outDir, `${++count}.png`) });
    const [bottom, height, visible] = await measure();
    if (bottom >= height - 2) return count;
    top += visible - OVERLAP;
  }
}

async function main(name, outDir) {
  setUp();
  fs.mkdirSync(outDir, { recursive: true });
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "ptxlab-lab-"));
  const lab = await startLab(scratch);
  try {
    const browser = await chromium.launchPersistentContext(path.join(scratch, "profile"), {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      headless: true,
      viewport: VIEWPORT,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
    });
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await runAllCells(page, name);
    // JupyterLab shows exceptions as text of stderr.
    const errors = await page.locator('[data-mime-type="application/vnd.jupyter.stderr"]').count();
    console.log(`${await shoot(page, outDir)} screenshots in ${outDir}; ${errors} outputs on stderr`);
    await browser.close();
    process.exitCode = errors === 0 ? 0 : 1;
  } finally {
    // Lab asks nothing on SIGTERM and ends its kernels.
    lab.kill("SIGTERM");
    await new Promise((resolve) => lab.once("exit", resolve));
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

const [notebook, outDir] = process.argv.slice(2);
if (!notebook || !outDir) {
  console.error("usage: screenshot-lab.cjs NOTEBOOK OUTDIR");
  process.exit(2);
}
main(path.basename(notebook), path.resolve(outDir)).catch((e) => {
  console.error(e);
  process.exit(2);
});
