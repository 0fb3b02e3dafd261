// Part of `npm run build`: the ptxas command as one file beside V8's compiled code for it, so that a small kernel's
// process is not spent on loading four hundred modules. bin/ptxas takes them where they fit and the modules otherwise.
"use strict";
const { join } = require("node:path");
const { mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { buildSync } = require("esbuild");
const { load } = require("../bin/bundled.cjs");

const dist = join(__dirname, "../dist");
// From the sources: modules of the standard become one scope, in which nothing is looked up through a module's exports.
buildSync({
  stdin: {
    contents: 'export { ptxas } from "./ptxas.js"; export { processHost } from "./host.js";',
    resolveDir: join(__dirname, "../lib/cli"),
  },
  outfile: join(dist, "cli/ptxas.bundle.js"),
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  packages: "external",
  format: "cjs",
  charset: "ascii",
  // What only notebooks show; the command asks for none of it.
  external: ["./present/*"],
  logLevel: "error",
});

// What has run when the code is kept is kept compiled: one kernel through both ends of the level scale.
const kernel = `.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 to, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [n];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra END;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3];
  add.s32 %r3, %r3, %r1;
  st.global.u32 [%rd3], %r3;
END:
  ret;
}
`;
const folder = mkdtempSync(join(tmpdir(), "ptxlab-"));
try {
  const input = join(folder, "k.ptx");
  writeFileSync(input, kernel);
  const { script, exports } = load(null);
  for (const options of [["-O0"], ["-arch=sm_90"], ["-arch=sm_120"]]) {
    const status = exports.ptxas([...options, input, "-o", join(folder, "k.cubin")], exports.processHost);
    if (status !== 0)
      throw new Error(`ptxas ${options.join(" ")} of the kernel that warms the bundle: status ${status}`);
  }
  writeFileSync(join(dist, "cli/ptxas.bundle.cache"), script.createCachedData());
} finally {
  rmSync(folder, { recursive: true });
}
