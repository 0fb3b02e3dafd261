// node tools/make-corpus.cjs: nvcc's PTX of test/corpus/kernels/*.cu for every target of the corpus (needs oracle:setup).
"use strict";
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const root = path.resolve(__dirname, "..");
const dir = path.join(root, "test", "corpus");
const targets = ["sm_75", "sm_90", "sm_100"];
const nvcc = path.join(root, ".oracle", "bin", "nvcc");
for (const target of targets) {
  fs.mkdirSync(path.join(dir, "ptx", target), { recursive: true });
  for (const file of fs.readdirSync(path.join(dir, "kernels")).sort()) {
    const out = path.join(dir, "ptx", target, file.replace(/\.cu$/, ".ptx"));
    const source = path.join(dir, "kernels", file);
    // A first line `// nvcc: OPTIONS` asks for more.
    const more = /^\/\/ nvcc: (.*)/.exec(fs.readFileSync(source, "utf8"))?.[1].split(/\s+/) ?? [];
    const r = spawnSync(nvcc, [`-arch=${target}`, ...more, "-ptx", source, "-o", out], { encoding: "utf8" });
    if (r.status !== 0) {
      console.error(`${file} for ${target}: ${r.stderr}`);
      process.exitCode = 1;
    }
  }
}
