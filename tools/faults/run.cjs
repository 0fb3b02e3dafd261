/**
 * A child of tools/plant-faults.ts: runs test files of the repository in this process, with one source file other than it is on
 * disk. What it needs of jest is small: `describe`, `test` with `each`, hooks, and jest's own `expect`. Transformed sources
 * are kept by content in the system's folder for temporary files, so that a child starts in a second.
 */
"use strict";
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { transformSync } = require("@swc/core");

const cache = path.join(os.tmpdir(), `ptxlab-faults-${process.getuid?.() ?? 0}`);
fs.mkdirSync(cache, { recursive: true });
const loaded = new Set();
let planted = null;

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  if (parent?.filename?.endsWith(".ts") && /^\.{1,2}\//.test(request)) {
    const at = path.resolve(path.dirname(parent.filename), request);
    for (const source of [at.replace(/\.js$/, ".ts"), `${at}.ts`, path.join(at, "index.ts")])
      if (source.endsWith(".ts") && fs.existsSync(source)) return source;
  }
  return resolve.call(this, request, parent, ...rest);
};
require.extensions[".ts"] = (module, filename) => {
  loaded.add(filename);
  let text = fs.readFileSync(filename, "utf8");
  const wrong = planted !== null && planted.file === filename;
  if (wrong) text = text.slice(0, planted.start) + planted.with + text.slice(planted.end);
  const kept = path.join(cache, createHash("sha1").update(text).digest("hex"));
  let code = !wrong && fs.existsSync(kept) ? fs.readFileSync(kept, "utf8") : null;
  if (code === null) {
    code = transformSync(text, {
      filename,
      jsc: { target: "es2022", parser: { syntax: "typescript" } },
      module: { type: "commonjs" },
    }).code;
    if (!wrong) fs.writeFileSync(kept, code);
  }
  module._compile(code, filename);
};

class Skipped extends Error {}

/** The tests of a file, in order. */
function collect(file) {
  const tests = [];
  const hooks = { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] };
  const rows = (table, body) => (name, fn) => {
    for (const row of table) body(String(name), () => fn(...(Array.isArray(row) ? row : [row])));
  };
  const test = (_name, fn) => tests.push(fn);
  test.each = (table) => rows(table, test);
  test.failing = () => {};
  const skip = () => {};
  skip.each = () => skip;
  test.skip = skip;
  test.skipIf = (is) => (is ? skip : test);
  const describe = (_name, fn) => fn();
  describe.each = (table) => rows(table, (name, fn) => describe(name, fn));
  describe.skip = skip;
  Object.assign(globalThis, { test, it: test, describe, expect: require("expect").expect });
  globalThis.jest = {
    setTimeout: () => {},
    fn: () => {
      throw new Skipped("jest.fn");
    },
    spyOn: () => {
      throw new Skipped("jest.spyOn");
    },
  };
  for (const name of Object.keys(hooks)) globalThis[name] = (fn) => hooks[name].push(fn);
  require(file);
  return { tests, hooks };
}

/** "" where all tests of the file pass, else the first failure. */
async function failure(file, until) {
  try {
    const { tests, hooks } = collect(file);
    for (const h of hooks.beforeAll) await h();
    for (const t of tests) {
      if (Date.now() > until) return "";
      for (const h of hooks.beforeEach) await h();
      await t();
      for (const h of hooks.afterEach) await h();
    }
    for (const h of hooks.afterAll) await h();
    return "";
  } catch (e) {
    return `${e instanceof Error ? e.message : e}`.split("\n")[0] || "failed";
  }
}

function forget(root) {
  for (const name of Object.keys(require.cache))
    if (name.startsWith(root) && !name.includes("node_modules")) delete require.cache[name];
  loaded.clear();
}

/** What each suite loads, how long it takes, and whether it passes here. */
async function baseline(root, suites) {
  const found = [];
  for (const suite of suites) {
    forget(root);
    // The processor's time: other work on the machine does not count.
    const start = process.cpuUsage();
    const why = await failure(suite, Date.now() + 600_000);
    const { user, system } = process.cpuUsage(start);
    found.push({ suite, why, ms: Math.round((user + system) / 1000), files: [...loaded] });
  }
  return found;
}

process.on("message", async ({ root, fault, suites }) => {
  if (fault === null) {
    process.send(await baseline(root, suites), () => process.exit(0));
    return;
  }
  planted = fault;
  let said = { outcome: suites.length === 0 ? "untouched" : "survived", by: "" };
  for (const suite of suites) {
    if ((await failure(suite, Number.POSITIVE_INFINITY)) === "") continue;
    said = { outcome: "killed", by: path.relative(root, suite) };
    break;
  }
  process.send(said, () => process.exit(0));
});
