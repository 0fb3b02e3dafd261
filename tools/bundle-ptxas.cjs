// Part of `npm run build`: the ptxas command as one file, for bin/ptxas, in two forms. A start-up snapshot: the heap of a Node in
// which the command is loaded and has compiled; and the bundle with V8's compiled code for it, where the snapshot does not fit.
"use strict";
const { spawnSync } = require("node:child_process");
const { join } = require("node:path");
const { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { buildSync } = require("esbuild");

const dist = join(__dirname, "../dist/cli");

/** From the sources: modules of the standard become one scope, in which nothing is looked up through a module's exports. */
function bundle(contents, outfile) {
  buildSync({
    stdin: { contents, resolveDir: join(__dirname, "../lib/cli") },
    outfile,
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
}

// What has run when code and heap are kept is kept compiled: one kernel through both ends of the level scale.
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
const warm = [["-O0"], ["-arch=sm_90"], ["-arch=sm_120"]];

const folder = mkdtempSync(join(tmpdir(), "ptxlab-"));
const input = join(folder, "k.ptx");
try {
  writeFileSync(input, kernel);
  keepCode();
  keepHeap();
} finally {
  rmSync(folder, { recursive: true });
}

/** In a Node with the options that bin/ptxas gives: V8 refuses code that was compiled under others. */
function keepCode() {
  bundle('export { ptxas } from "./ptxas.js"; export { processHost } from "./host.js";', join(dist, "ptxas.bundle.js"));
  const script = join(folder, "code.cjs");
  writeFileSync(
    script,
    `const { script, exports: command } = require(${JSON.stringify(join(__dirname, "../bin/bundled.cjs"))}).load(null);
     for (const options of ${JSON.stringify(warm)}) {
       const status = command.ptxas([...options, ${JSON.stringify(input)}, "-o", ${JSON.stringify(join(folder, "k.cubin"))}], command.processHost);
       if (status !== 0) throw new Error("status " + status);
     }
     require("node:fs").writeFileSync(${JSON.stringify(join(dist, "ptxas.bundle.cache"))}, script.createCachedData());`,
  );
  inNode([script], "the compiled code of ptxas");
}

/** The snapshot, and beside it for whom it is (bin/ptxas reads it): the Node that made it and the processor's features. */
function keepHeap() {
  const script = join(folder, "snapshot.js");
  bundle(
    `import { startupSnapshot } from "node:v8";
     import { ptxas } from "./ptxas.js";
     import { processHost } from "./host.js";
     for (const options of ${JSON.stringify(warm)}) {
       const status = ptxas([...options, ${JSON.stringify(input)}, "-o", ${JSON.stringify(join(folder, "k.cubin"))}], processHost);
       if (status !== 0) throw new Error("status " + status);
     }
     startupSnapshot.setDeserializeMainFunction(() => {
       process.exitCode = ptxas(process.argv.slice(2), processHost);
     });`,
    script,
  );
  const blob = join(dist, "ptxas.snapshot");
  rmSync(blob, { force: true });
  const made = join(folder, "snapshot");
  inNode(["--snapshot-blob", made, "--build-snapshot", script], "the start-up snapshot of ptxas");
  writeFileSync(`${blob}.for`, `${realpathSync(process.execPath)}\n${processor()}\n`);
  writeFileSync(blob, readFileSync(made));
}

/** A Node as bin/ptxas starts it. */
function inNode(args, what) {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [...engine(), ...args], { encoding: "utf8", env });
  if (status !== 0) throw new Error(`${what}: ${stderr}`);
}

/** The options of V8 that bin/ptxas gives: neither a snapshot nor compiled code fits others. */
function engine() {
  const command = readFileSync(join(__dirname, "../bin/ptxas"), "utf8").replaceAll("\\\n", "");
  return /^engine="(.*)"$/m.exec(command)[1].split(" ");
}

/** As bin/ptxas reads it. */
function processor() {
  const file = "/proc/cpuinfo";
  if (!existsSync(file)) return "";
  return (
    readFileSync(file, "latin1")
      .split("\n")
      .find((line) => /^(flags|Features)/.test(line)) ?? ""
  );
}
