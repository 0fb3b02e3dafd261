// npm run page: the example page (examples/simulator) with all that it needs, in dist/page; open index.html there. The bundle has nothing of Node.
// node tools/bundle-page.cjs --check: also opens it in headless Chromium (CHROMIUM= names one), runs the kernel, stops an
// endless one and finds a race.
"use strict";
const { copyFileSync, mkdirSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { buildSync } = require("esbuild");

const page = join(__dirname, "../examples/simulator");
const out = join(__dirname, "../dist/page");

function bundle() {
  mkdirSync(out, { recursive: true });
  buildSync({
    entryPoints: [join(page, "page.ts")],
    outfile: join(out, "page.js"),
    bundle: true,
    minify: true,
    platform: "browser",
    target: "es2022",
    format: "iife",
    // How notebooks show a compilation: asked for by notebooks only.
    external: ["./present/*"],
    logLevel: "error",
  });
  copyFileSync(join(page, "index.html"), join(out, "index.html"));
}

const endless = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\nagain: bra again;\n}";
const racy = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) { .reg .b32 %r<4>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [p]; mov.u32 %r1, %ctaid.x;
st.global.u32 [%rd1], %r1;
ret; }`;

async function check() {
  const { chromium } = require("playwright-core");
  const args = ["--no-sandbox", "--headless=new", ...(process.env.CHROMIUM_ARGS ?? "").split(" ").filter(Boolean)];
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
  const tab = await browser.newPage();
  const errors = [];
  tab.on("pageerror", (e) => errors.push(e.message));
  await tab.goto(pathToFileURL(join(out, "index.html")).href);
  const ends = async (what) => {
    const shown = (w) => document.getElementById("out").textContent.includes(w);
    try {
      await tab.waitForFunction(shown, what, { timeout: 30_000 });
    } catch {
      throw new Error(`"${what}" is not in the page: ${await tab.textContent("#out")} ${errors.join("; ")}`);
    }
    console.log(`${what}: found`);
  };
  await tab.click("#run");
  await ends("parameter 1: 2.5 5 7.5 10 12.5 15 17.5 20");
  await tab.fill("#ptx", racy);
  await tab.fill("#launch", '{"grid": 2, "params": [{"buffer": "u32", "length": 1}]}');
  await tab.check("#races");
  await tab.click("#run");
  await ends("1 races, 0 uninitialised reads");
  await tab.uncheck("#races");
  await tab.fill("#ptx", endless);
  await tab.fill("#launch", "{}");
  await tab.click("#run");
  await tab.waitForTimeout(300);
  await tab.click("#stop");
  await ends("fault: interrupted in kernel k");
  const version = browser.version();
  await browser.close();
  if (errors.length > 0) throw new Error(errors.join("\n"));
  console.log(`Chromium ${version}: no errors in the page`);
}

bundle();
if (process.argv.includes("--check"))
  check().then(undefined, (e) => {
    console.error(e);
    process.exitCode = 1;
  });
