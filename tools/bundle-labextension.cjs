// Part of `npm run build`: dist/labextension, the extension of JupyterLab that colours %%ptx, %%sass and %%cuda cells
// (lib/present/labextension), with the words of the tables in it. `kernel/environment.cjs` copies it beside the kernelspec.
"use strict";
const { mkdirSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { buildSync } = require("esbuild");
const { description, license, version } = require("../package.json");

const dist = join(__dirname, "../dist");
const { wordLists } = require(join(dist, "present/highlight.js"));
const folder = join(dist, "labextension");

mkdirSync(join(folder, "static"), { recursive: true });
buildSync({
  stdin: {
    contents: `import { container } from "./container.js";
      const { init, get } = container(${JSON.stringify(wordLists())});
      export { init, get };`,
    resolveDir: join(__dirname, "../lib/present/labextension"),
  },
  outfile: join(folder, "static", "remoteEntry.js"),
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "_JUPYTERLAB.ptxlab",
  target: "es2022",
  charset: "ascii",
  logLevel: "error",
});
const manifest = {
  name: "ptxlab",
  version,
  description,
  license,
  jupyterlab: { extension: true, _build: { load: "static/remoteEntry.js", extension: "./extension" } },
};
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 1)}\n`);
