// node tools/run-ts.cjs FILE.ts [ARGS]: runs a TypeScript file of this repository without a build (swc, types unchecked). With --help it prints
// what the file says of itself at its top; what is wrong with options is told in a line.
"use strict";
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { transformSync } = require("@swc/core");

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const from = parent?.filename;
  if (from?.endsWith(".ts") && /^\.{1,2}\//.test(request) && request.endsWith(".js")) {
    const source = path.resolve(path.dirname(from), `${request.slice(0, -3)}.ts`);
    if (fs.existsSync(source)) return source;
  }
  return resolve.call(this, request, parent, ...rest);
};
require.extensions[".ts"] = (module, filename) => {
  const { code } = transformSync(fs.readFileSync(filename, "utf8"), {
    filename,
    jsc: { target: "es2022", parser: { syntax: "typescript" } },
    module: { type: "commonjs" },
    sourceMaps: "inline",
  });
  module._compile(code, filename);
};
process.setSourceMapsEnabled(true);
const [file, ...args] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: node tools/run-ts.cjs FILE.ts [ARGS]");
  process.exit(2);
}
if (args.includes("--help")) {
  const head = /^\/\*\*([\s\S]*?)\*\//.exec(fs.readFileSync(file, "utf8"))?.[1] ?? `${file} says nothing of itself`;
  console.log(head.replace(/^ \* ?/gm, "").trim());
  process.exit(0);
}
process.on("uncaughtException", (e) => {
  console.error(/^ERR_PARSE_ARGS/.test(e?.code ?? "") ? e.message : e);
  process.exit(/^ERR_PARSE_ARGS/.test(e?.code ?? "") ? 2 : 1);
});
process.argv = [process.argv[0], path.resolve(file), ...args];
require(path.resolve(file));
