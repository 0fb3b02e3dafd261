#!/usr/bin/env node
// Asks ptxas about every file of test/ptx/bad and records its messages in test/ptx/bad/expected.json.
//     node tools/ptx-bad-expected.cjs            (after npm run oracle:setup)
// The first line of each file names the target: `// -arch sm_90`.
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const root = path.dirname(__dirname);
const folder = path.join(root, "test", "ptx", "bad");
const ptxas = path.join(root, ".oracle", "bin", "ptxas");
const out = path.join(os.tmpdir(), `bad-${process.pid}.cubin`);
const expected = {};
for (const name of fs
  .readdirSync(folder)
  .filter((f) => f.endsWith(".ptx"))
  .sort()) {
  const arch = /^\/\/ -arch (\S+)/.exec(fs.readFileSync(path.join(folder, name), "latin1"))[1];
  const run = spawnSync(ptxas, ["-arch", arch, name, "-o", out], { cwd: folder, encoding: "utf8" });
  expected[name] = {
    arch,
    accepted: run.status === 0,
    messages: run.stderr.split("\n").filter((l) => l.trim() !== ""),
  };
  fs.rmSync(out, { force: true });
}
fs.writeFileSync(path.join(folder, "expected.json"), `${JSON.stringify(expected, null, 1)}\n`);
