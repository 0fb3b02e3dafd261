// Part of `npm run build`: commands as one file each. The ptxas command, for bin/ptxas, in two forms: a start-up snapshot, which is the heap of a Node in
// which the command is loaded and has compiled; and the bundle with V8's compiled code for it, where the snapshot does not fit. The ptxlab command, for
// bin/ptxlab where it compiles, as a bundle with compiled code.
"use strict";
const { spawnSync } = require("node:child_process");
const { dirname, join, relative } = require("node:path");
const { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { build } = require("esbuild");

const root = join(__dirname, "..");
const dist = join(root, "dist/cli");
const bundled = join(root, "bin/bundled.cjs");

/** Files that a module finds beside itself are looked for where it stands in `dist`, not beside the bundle. */
const folders = {
  name: "folders",
  setup(build) {
    build.onLoad({ filter: /[\\/]lib[\\/].*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!/\b__dirname\b/.test(text)) return undefined;
      const beside = relative(join(root, "lib"), dirname(path)).replaceAll("\\", "/");
      return {
        contents: text.replace(/\b__dirname\b/g, `__dirname.replace(/cli$/, ${JSON.stringify(beside)})`),
        loader: "ts",
      };
    });
  },
};

/** From the sources: modules of the standard become one scope, in which nothing is looked up through a module's exports. */
async function bundle(contents, outfile, options = {}) {
  await build({
    stdin: { contents, resolveDir: join(root, "lib/cli") },
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    packages: "external",
    format: "cjs",
    charset: "ascii",
    // A script that was compiled beforehand cannot import; what it asks for late it takes from the bundle.
    supported: { "dynamic-import": false },
    plugins: [folders],
    logLevel: "error",
    ...options,
  });
}

// What has run when code and heap are kept is kept compiled: a kernel with loops, shared memory and barriers through both ends of the level scale.
const input = join(root, "test/corpus/ptx/sm_75/sgemm.ptx");
/** Options under which ptxas has run when heap and code are kept. */
const warm = [["-O0"], ["-arch=sm_90"], ["-arch=sm_120"]];
// What only notebooks show; ptxas asks for none of it.
const unasked = { external: ["./present/*"] };

const folder = mkdtempSync(join(tmpdir(), "ptxlab-"));

async function main() {
  try {
    await keepPtxas();
    await keepHeap();
    await keepPtxlab();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

main();

/** In a Node with the options that bin/ptxas gives: V8 refuses code that was compiled under others. */
async function keepPtxas() {
  const exports = 'export { ptxas } from "./ptxas.js"; export { commandHost } from "./engine.js";';
  await bundle(exports, join(dist, "ptxas.bundle.js"), unasked);
  const lines = warm.map((options) => [...options, input, "-o", join(folder, "k.cubin")]);
  keepCode("ptxas", "commandHost", lines, engine(), "");
}

/** Under the options that bin/ptxlab sets before it compiles. */
async function keepPtxlab() {
  const exports = 'export { ptxlab } from "./ptxlab.js"; export { processHost } from "./host.js";';
  await bundle(exports, join(dist, "ptxlab.bundle.js"));
  const command = readFileSync(join(root, "bin/ptxlab"), "utf8");
  const flags = [...command.matchAll(/^ +(setFlagsFromString\(.*\);)$/gm)].map((m) => m[1]);
  const lines = [
    ["compile", input, "-o", join(folder, "k.cubin")],
    ["view", input, "-o", join(folder, "k.html")],
  ];
  keepCode("ptxlab", "processHost", lines, [], `const { setFlagsFromString } = require("node:v8"); ${flags.join(" ")}`);
}

/** V8's compiled code of what these command lines run. */
function keepCode(name, host, lines, options, first) {
  const script = join(folder, `${name}.cjs`);
  writeFileSync(
    script,
    `${first}
     const { script, exports: command } = require(${JSON.stringify(bundled)}).load(${JSON.stringify(name)}, null);
     (async () => {
       for (const line of ${JSON.stringify(lines)}) {
         const status = await command.${name}(line, command.${host});
         if (status !== 0) throw new Error("status " + status);
       }
       require("node:fs").writeFileSync(${JSON.stringify(join(dist, `${name}.bundle.cache`))}, script.createCachedData());
     })();`,
  );
  inNode([...options, script], `the compiled code of ${name}`);
}

/** The snapshot, and beside it for whom it is (bin/ptxas reads it): the Node that made it and the processor's features. */
async function keepHeap() {
  const script = join(folder, "snapshot.js");
  await bundle(
    `import { startupSnapshot } from "node:v8";
     import { ptxas } from "./ptxas.js";
     import { commandHost } from "./engine.js";
     for (const options of ${JSON.stringify(warm)}) {
       const status = ptxas([...options, ${JSON.stringify(input)}, "-o", ${JSON.stringify(join(folder, "k.cubin"))}], commandHost);
       if (status !== 0) throw new Error("status " + status);
     }
     startupSnapshot.setDeserializeMainFunction(() => {
       process.exit(ptxas(process.argv.slice(2), commandHost));
     });`,
    script,
    unasked,
  );
  const blob = join(dist, "ptxas.snapshot");
  rmSync(blob, { force: true });
  const made = join(folder, "snapshot");
  inNode([...engine(), "--snapshot-blob", made, "--build-snapshot", script], "the start-up snapshot of ptxas");
  writeFileSync(`${blob}.for`, `${realpathSync(process.execPath)}\n${processor()}\n`);
  writeFileSync(blob, readFileSync(made));
}

/** A Node of its own. */
function inNode(args, what) {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
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
