// node tools/make-programs.cjs [NAME…]: of each test/programs/NAME.cu nvcc's PTX and the launch file that its host half prints
// (needs oracle:setup and a C++ compiler). The first line `// sm_XX OPTIONS` names the lowest SM and nvcc's options.
"use strict";
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const root = path.resolve(__dirname, "..");
const dir = path.join(root, "test/programs");
const nvcc = path.join(root, ".oracle/bin/nvcc");
const asked = process.argv.slice(2);
const work = fs.mkdtempSync(path.join(os.tmpdir(), "ptxlab-programs-"));

function run(command, args) {
  const r = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (r.status !== 0) throw new Error(`${path.basename(command)}: ${r.stderr || r.error || r.signal}`);
  return r.stdout;
}

for (const out of ["ptx", "launch"]) fs.mkdirSync(path.join(dir, out), { recursive: true });
for (const file of fs
  .readdirSync(dir)
  .filter((f) => f.endsWith(".cu"))
  .sort()) {
  const name = file.slice(0, -3);
  if (asked.length > 0 && !asked.includes(name)) continue;
  const source = path.join(dir, file);
  try {
    const first = /^\/\/ (sm_\d+a?)(.*)/.exec(fs.readFileSync(source, "utf8"));
    if (first === null) throw new Error("the first line names no SM");
    const options = first[2].trim().split(/\s+/).filter(Boolean);
    run(nvcc, [`-arch=${first[1]}`, ...options, "-ptx", source, "-o", path.join(dir, "ptx", `${name}.ptx`)]);
    const twin = path.join(work, name);
    // No contraction: the host's sums and products are rounded one by one.
    run("g++", ["-x", "c++", "-std=c++17", "-O1", "-ffp-contract=off", "-w", source, "-o", twin]);
    fs.writeFileSync(path.join(dir, "launch", `${name}.json`), run(twin, []));
  } catch (e) {
    console.error(`${file}: ${e.message}`);
    process.exitCode = 1;
  }
}
fs.rmSync(work, { recursive: true });
