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
const { ptxas, processHost } = isBuilt("ptxas")
  ? load("ptxas", compiledCode("ptxas")).exports
  : { ptxas: require(main).ptxas, processHost: require("../dist/cli/host.js").processHost };
process.exitCode = ptxas(process.argv.slice(2), processHost);
