// `npm run lab [-- options of jupyter lab]`: JupyterLab on the notebooks folder. `--setup-only` stops before starting it.
"use strict";
const { spawn } = require("node:child_process");
const { bin, root, serverOptions, setUp } = require("./environment.cjs");
const { answerUsage } = require("./usage.cjs");

/** JupyterLab in the foreground: it takes the terminal, and Ctrl-C, which it asks about, is its own. */
function startLab(options) {
  const args = ["--ServerApp.root_dir=notebooks", ...serverOptions, ...options];
  const lab = spawn(bin("jupyter-lab"), args, { cwd: root, stdio: "inherit" });
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => lab.kill("SIGTERM"));
  lab.on("exit", (code) => process.exit(code ?? 1));
}

if (require.main === module) {
  answerUsage("usage: npm run lab [-- [--setup-only] [options of jupyter lab]]");
  setUp();
  const options = process.argv.slice(2);
  if (!options.includes("--setup-only")) startLab(options);
}
module.exports = { startLab };
