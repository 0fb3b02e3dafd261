// The ptxas command where the start-up snapshot (bin/ptxas) does not fit: the bundle, or the modules while it is older than they are.
"use strict";
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { compiledCode, isBuilt, load } = require("./bundled.cjs");
const main = join(__dirname, "../dist/cli/ptxas.js");
if (!existsSync(main)) {
  process.stderr.write("ptxas is not built yet: npm ci && npm run build\n");
  process.exit(255);
}
const { ptxas, commandHost } = isBuilt("ptxas")
  ? load("ptxas", compiledCode("ptxas")).exports
  : { ptxas: require(main).ptxas, commandHost: require("../dist/cli/engine.js").commandHost };
// At once: all that it says is written, and a heap that is taken down object by object is time.
process.exit(ptxas(process.argv.slice(2), commandHost));
