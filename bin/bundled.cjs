// The bundle of the ptxas command that `npm run build` makes, with V8's compiled code for it where that fits this Node.
"use strict";
const { existsSync, readFileSync, statSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");

const folder = join(__dirname, "../dist/cli");
const bundle = join(folder, "ptxas.bundle.js");
const compiled = join(folder, "ptxas.bundle.cache");

/** Whether a bundle stands that is not older than the last run of the TypeScript compiler. */
function isBuilt() {
  return existsSync(compiled) && statSync(bundle).mtimeMs >= statSync(join(folder, "../.tsbuildinfo")).mtimeMs;
}

/** The bundle's exports; V8 itself refuses compiled code of another version or machine, and compiles then. */
function load(cachedData) {
  // The bundle is ASCII.
  const text = readFileSync(bundle, "latin1");
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
    filename: bundle,
    ...(cachedData === null ? {} : { cachedData }),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, bundle, dirname(bundle));
  return { script, exports: module.exports };
}

module.exports = { isBuilt, load, compiledCode: () => readFileSync(compiled) };
