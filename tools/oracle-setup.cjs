// npm run oracle:setup: the real CUDA tools, as black boxes to compare with, in a project-local environment `.oracle/`.
// They are never needed by ptxlab itself. Versions are pinned; a second run is a no-op.
"use strict";
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const packages = [
  "nvidia-cuda-nvcc==13.0.88",
  "nvidia-nvvm==13.0.88",
  "nvidia-cuda-crt==13.0.88",
  "nvidia-cuda-cccl==13.0.85",
  "nvidia-cuda-runtime==13.0.88",
  "nvidia-cuda-nvdisasm==13.2.51",
  "nvidia-cuda-cuobjdump==13.2.51",
];
const tools = ["ptxas", "nvcc", "nvlink", "fatbinary", "cudafe++", "nvdisasm", "cuobjdump", "cicc"];

const root = path.resolve(__dirname, "..");
const home = path.join(root, ".oracle");
const stamp = path.join(home, "installed.json");
const wanted = JSON.stringify(packages);

function run(command, args) {
  const r = spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"], cwd: root });
  if (r.error || r.status !== 0) {
    console.error(`oracle setup failed: ${command} ${args.join(" ")}${r.error ? `: ${r.error.message}` : ""}`);
    process.exit(r.status || 1);
  }
}

function python() {
  const usable = (c) =>
    spawnSync(c, ["-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"]).status === 0;
  const found = [process.env.PYTHON, "python3", "python"].find((c) => c && usable(c));
  if (!found) {
    console.error("oracle setup needs Python >= 3.10 with venv (Debian: apt install python3-venv)");
    process.exit(1);
  }
  return found;
}

/** Every file below `dir` whose base name is one of `tools` and which can be executed. */
function executables(dir) {
  const found = new Map();
  for (const entry of fs.readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !tools.includes(entry.name)) continue;
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    if (fs.statSync(file).mode & 0o111) found.set(entry.name, file);
  }
  return found;
}

if (!fs.existsSync(stamp) || fs.readFileSync(stamp, "utf8") !== wanted) {
  run(python(), ["-m", "venv", home]);
  run(path.join(home, "bin", "python"), ["-m", "pip", "install", "--disable-pip-version-check", "-q", ...packages]);
}
const found = executables(path.join(home, "lib"));
for (const name of tools) {
  const file = found.get(name);
  if (!file) {
    console.error(`oracle setup failed: ${name} was not installed`);
    process.exit(1);
  }
  const link = path.join(home, "bin", name);
  fs.rmSync(link, { force: true });
  // A script, not a link: nvcc finds its headers from the path that it was started by.
  fs.writeFileSync(
    link,
    `#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/${path.relative(path.dirname(link), file)}" "$@"\n`,
    { mode: 0o755 },
  );
}
fs.writeFileSync(stamp, wanted);
console.log(`oracles ready: ${tools.join(", ")} in .oracle/bin`);
