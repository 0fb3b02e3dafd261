// node tools/make-matrix.cjs [NAME…]: nvcc's PTX of test/corpus/matrix/*.cu and test/corpus/textures/*.cu for the targets that a line `// targets: …` names (needs oracle:setup).
"use strict";
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const root = path.resolve(__dirname, "..");
const corpus = path.join(root, "test", "corpus");
const nvcc = path.join(root, ".oracle", "bin", "nvcc");
const wanted = process.argv.slice(2);
const sources = ["matrix", "textures"].flatMap((folder) =>
  fs
    .readdirSync(path.join(corpus, folder))
    .sort()
    .map((file) => ({ dir: path.join(corpus, folder), file })),
);
for (const { dir, file } of sources) {
  const name = file.replace(/\.cu$/, "");
  if (name === file || (wanted.length > 0 && !wanted.includes(name))) continue;
  const source = path.join(dir, file);
  const targets = /^\/\/ targets: (.*)$/m.exec(fs.readFileSync(source, "utf8"))?.[1].trim().split(/\s+/);
  if (targets === undefined) throw new Error(`${file} names no targets`);
  for (const target of targets) {
    const out = path.join(dir, `${name}.${target}.ptx`);
    const r = spawnSync(nvcc, [`-arch=${target}`, "-std=c++17", "-ptx", source, "-o", out], { encoding: "utf8" });
    if (r.status !== 0) {
      console.error(`${file} for ${target}: ${r.stderr}`);
      process.exitCode = 1;
    }
  }
}
