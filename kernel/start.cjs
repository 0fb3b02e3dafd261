// `npm start`: the first notebook in JupyterLab. `npm start -- --headless` executes it without a browser instead and
// writes `out/NAME.ipynb` and, with the pictures in it, `out/NAME.html`. Another notebook's path may follow.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { bin, root, run, setUp } = require("./environment.cjs");
const { startLab } = require("./lab.cjs");
const { answerUsage } = require("./usage.cjs");

const USAGE = `usage: npm start [-- [--headless] [notebooks/NAME.ipynb] [options of jupyter lab]]

Opens a notebook in JupyterLab; with --headless executes it without a browser and writes out/NAME.ipynb and out/NAME.html.`;
answerUsage(USAGE);

function executeHeadless(notebook) {
  const name = path.basename(notebook, ".ipynb");
  const convert = (...args) => run(bin("python"), ["-m", "nbconvert", ...args, "--output-dir", "out"]);
  // Under our kernel whatever the file says; an error in a cell ends this with status 1.
  convert("--to", "notebook", "--execute", "--ExecutePreprocessor.kernel_name=ptxlab", notebook, "--output", name);
  convert("--to", "html", path.join("out", `${name}.ipynb`), "--output", name);
  console.log(path.join("out", `${name}.html`));
}

const args = process.argv.slice(2);
const headless = args.includes("--headless");
const given = args.find((a) => a.endsWith(".ipynb"));
const notebook = path.relative(root, path.resolve(given ?? path.join(root, "notebooks", "01-from-ptx-to-cubin.ipynb")));
if (!fs.existsSync(path.join(root, notebook))) {
  const there = fs.readdirSync(path.join(root, "notebooks")).filter((f) => f.endsWith(".ipynb"));
  console.error(`no notebook ${given}; there are:\n${there.map((f) => `  notebooks/${f}`).join("\n")}`);
  process.exit(1);
}
if (headless) {
  setUp();
  executeHeadless(notebook);
} else {
  const options = args.filter((a) => a !== given);
  const inFolder = path.relative("notebooks", notebook).split(path.sep);
  if (inFolder[0] === "..") {
    console.error(`${given} is not below notebooks/, the folder that JupyterLab serves; --headless takes any`);
    process.exit(1);
  }
  setUp();
  startLab([`--LabApp.default_url=/lab/tree/${inFolder.map(encodeURIComponent).join("/")}`, ...options]);
}
