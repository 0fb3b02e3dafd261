// The project-local Python environment: `.venv` with JupyterLab from requirements.txt, our kernelspec and extension in it, so
// that nothing outside the project is touched. PYTHON= names the interpreter, PTXLAB_VENV= another environment.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { spawnSync } = require("node:child_process");

const root = path.resolve(__dirname, "..");
const venv = path.resolve(process.env.PTXLAB_VENV ?? path.join(root, ".venv"));
const windows = process.platform === "win32";

/** Path of a program of the environment. */
const bin = (name) => path.join(venv, windows ? "Scripts" : "bin", windows ? `${name}.exe` : name);

/** Runs a program in the project's folder with our terminal; ends this process when it fails. */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: "inherit", cwd: root });
  if (!error && status === 0) return;
  console.error(error ? `${command}: ${error.message}` : `failed: ${[command, ...args].join(" ")}`);
  process.exit(status || 1);
}

const WANTED = "Python >= 3.10 with venv (Debian: apt install python3-venv), or: conda env create -f environment.yml";

/** Ends this process with a message where there is no usable Python. One that PYTHON= names is taken or refused. */
function findPython() {
  const probe = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
  const usable = (c) => spawnSync(c, ["-c", probe], { stdio: "ignore" }).status === 0;
  const named = process.env.PYTHON;
  const python = (named ? [named] : ["python3", "python"]).find(usable);
  if (python) return python;
  console.error(named ? `PYTHON=${named} is not ${WANTED}` : `needs ${WANTED}`);
  process.exit(1);
}

function installJupyter() {
  if (!fs.existsSync(bin("python"))) {
    const python = findPython();
    console.log(`making ${path.relative(root, venv) || venv} with JupyterLab (about a minute, once)`);
    run(python, ["-m", "venv", venv]);
  }
  run(bin("python"), ["-m", "pip", "install", "--disable-pip-version-check", "-q", "-r", "requirements.txt"]);
  fs.copyFileSync(path.join(root, "requirements.txt"), installed);
}

/** What was installed last, to be done again when the list has changed. An environment that was named is its owner's. */
const installed = path.join(venv, "ptxlab-requirements.txt");
function outdated() {
  if (process.env.PTXLAB_VENV) return false;
  const wanted = fs.readFileSync(path.join(root, "requirements.txt"), "utf8");
  return !fs.existsSync(installed) || fs.readFileSync(installed, "utf8") !== wanted;
}

/** Written at each start, since it names this Node and this folder. */
function installKernelspec() {
  const dir = path.join(venv, "share", "jupyter", "kernels", "ptxlab");
  fs.mkdirSync(dir, { recursive: true });
  const spec = {
    argv: [process.execPath, path.join(__dirname, "kernel.cjs"), "--config-path", "{connection_file}"],
    display_name: "ptxlab (TypeScript)",
    language: "typescript",
    interrupt_mode: "message",
  };
  fs.writeFileSync(path.join(dir, "kernel.json"), `${JSON.stringify(spec, null, 1)}\n`);
}

/** Colours for cells of other languages; the build makes it. */
function installLabextension() {
  const made = path.join(root, "dist", "labextension");
  if (fs.existsSync(made))
    fs.cpSync(made, path.join(venv, "share", "jupyter", "labextensions", "ptxlab"), { recursive: true });
  else console.log("%%ptx, %%sass and %%cuda cells have no colours until `npm run build` has run");
}

/** JupyterLab's question whether to fetch news does not appear over a first notebook. */
function installOverrides() {
  const dir = path.join(venv, "share", "jupyter", "lab", "settings");
  fs.mkdirSync(dir, { recursive: true });
  const file = path.join(dir, "overrides.json");
  const overrides = { "@jupyterlab/apputils-extension:notification": { fetchNews: "false" } };
  if (!fs.existsSync(file)) fs.writeFileSync(file, `${JSON.stringify(overrides, null, 1)}\n`);
}

/** Jupyter drops output beyond 1 MB or 1,000 messages a second by default; a notebook of charts may send that at once. */
const serverOptions = [
  "--ZMQChannelsWebsocketConnection.iopub_msg_rate_limit=1e6",
  "--ZMQChannelsWebsocketConnection.iopub_data_rate_limit=1e9",
  // Root (a container) has to say so.
  ...(process.getuid?.() === 0 ? ["--allow-root"] : []),
];

/** Everything JupyterLab needs; quick when it is there already. */
function setUp() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`needs Node >= 20.19; this is ${process.version}`);
    process.exit(1);
  }
  const missing = ["jupyter-lab", "jupyter-nbconvert"].some((name) => !fs.existsSync(bin(name)));
  if (missing || outdated()) installJupyter();
  installKernelspec();
  installLabextension();
  installOverrides();
}

module.exports = { root, venv, bin, run, setUp, installKernelspec, installLabextension, serverOptions };
