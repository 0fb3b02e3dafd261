// A command's code in one file that `npm run build` makes, with V8's compiled code for it where that fits this Node: `ptxas` (all of that command) or
// `ptxlab` (its commands that compile).
"use strict";
const { existsSync, readFileSync, statSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");

const folder = join(__dirname, "../dist/cli");
const bundleOf = (name) => join(folder, `${name}.bundle.js`);
const compiledOf = (name) => join(folder, `${name}.bundle.cache`);

/** Whether a bundle stands that is not older than the last run of the TypeScript compiler. */
function isBuilt(name) {
  return (
    existsSync(compiledOf(name)) &&
    statSync(bundleOf(name)).mtimeMs >= statSync(join(folder, "../.tsbuildinfo")).mtimeMs
  );
}

/** The bundle's exports; V8 itself refuses compiled code of another version or machine, and compiles then. */
function load(name, cachedData) {
  const bundle = bundleOf(name);
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

module.exports = { isBuilt, load, compiledCode: (name) => readFileSync(compiledOf(name)) };
