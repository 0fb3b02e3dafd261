// `npm run lab [-- options of jupyter lab]`: JupyterLab on the notebooks folder. `--setup-only` stops before starting it.
"use strict";
const { bin, run, serverOptions, setUp } = require("./environment.cjs");

function startLab(options) {
  run(bin("jupyter-lab"), ["--ServerApp.root_dir=notebooks", ...serverOptions, ...options]);
}

if (require.main === module) {
  setUp();
  const options = process.argv.slice(2);
  if (!options.includes("--setup-only")) startLab(options);
}
module.exports = { startLab };
