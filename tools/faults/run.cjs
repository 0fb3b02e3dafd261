/**
 * A child of tools/plant-faults.ts: runs tests of the repository in this process on sources in which all chosen faults are planted at
 * once, each behind a switch of its own, so that a fault costs no process. What it needs of jest is small: `describe`, `test` with
 * `each`, hooks, and jest's own `expect`. Transformed sources are kept by content in the system's folder for temporary files.
 *
 * First message: `{ root, faults }`. Then `{ suites }`: what each of their tests takes and which faults it reaches; or
 * `{ script }`: what that source answers, with the switch in its hand; or
 * `{ fault, tests, fresh }`: the first of the tests that fails with the fault switched on. `fresh`: the fault is on while the sources
 * load, too, and this process has run nothing before.
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
/** Faults of each file, by number. */
const planted = new Map();
let root = "";
let on = -1;
let reached = new Set();
globalThis.__fault = (n) => {
  if (on === -1) reached.add(n);
  return on === n;
};

/** The text from `from` to `to` with switches in place of what faults replace; those that stand within others come after them. */
function woven(text, from, to, faults) {
  let made = "";
  let at = from;
  for (let i = 0; i < faults.length; ) {
    const f = faults[i++];
    const within = [];
    while (i < faults.length && faults[i].end <= f.end) within.push(faults[i++]);
    made += `${text.slice(at, f.start)}(__fault(${f.n}) ? ${f.with} : ${woven(text, f.start, f.end, within)})`;
    at = f.end;
  }
  return made + text.slice(at, to);
}

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
  text = woven(text, 0, text.length, planted.get(path.relative(root, filename)) ?? []);
  const kept = path.join(cache, createHash("sha1").update(text).digest("hex"));
  let code = fs.existsSync(kept) ? fs.readFileSync(kept, "utf8") : null;
  if (code === null) {
    code = transformSync(text, {
      filename,
      jsc: { target: "es2022", parser: { syntax: "typescript" } },
      module: { type: "commonjs" },
    }).code;
    fs.writeFileSync(kept, code);
  }
  module._compile(code, filename);
};

class Skipped extends Error {}
const suites = new Map();

/** The tests of a file, in order, its hooks, and whether those before all have run. */
function collect(suite) {
  const known = suites.get(suite);
  if (known !== undefined) return known;
  const tests = [];
  const hooks = { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] };
  const rows = (table, body) => (name, fn) => {
    for (const row of table) body(String(name), () => fn(...(Array.isArray(row) ? row : [row])));
  };
  const test = (name, fn) => tests.push({ name, fn });
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
  require(path.join(root, suite));
  const found = { tests, hooks, begun: false };
  suites.set(suite, found);
  return found;
}

/** "" where the test passes, else how it fails. */
async function failure({ suite, index }, fresh = true) {
  const fault = on;
  try {
    if (!fresh) on = -2;
    const { tests, hooks, begun } = collect(suite);
    const now = suites.get(suite);
    if (!begun) for (const h of hooks.beforeAll) await h();
    now.begun = true;
    on = fault;
    for (const h of hooks.beforeEach) await h();
    await tests[index].fn();
    for (const h of hooks.afterEach) await h();
    return "";
  } catch (e) {
    return `${e instanceof Error ? e.message : e}`.split("\n")[0] || "failed";
  } finally {
    on = fault;
  }
}

function forget() {
  for (const name of Object.keys(require.cache))
    if (name.startsWith(root) && !name.includes("node_modules")) delete require.cache[name];
  loaded.clear();
  suites.clear();
}

/** The processor's time in milliseconds: other work on the machine does not count. */
function processor() {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1000);
}

/** What each test takes, which faults it reaches, and how it fails here. */
async function baseline(names) {
  const found = [];
  for (const suite of names) {
    forget();
    reached = new Set();
    let start = processor();
    let tests = [];
    let why = "";
    try {
      ({ tests } = collect(suite));
    } catch (e) {
      why = `${e}`.split("\n")[0];
    }
    const row = {
      suite,
      why,
      loading: [...reached],
      ms: processor() - start,
      files: [...loaded].map((f) => path.relative(root, f)),
      tests: [],
    };
    for (let index = 0; index < tests.length; index++) {
      reached = new Set();
      start = processor();
      const fails = await failure({ suite, index });
      row.tests.push({ index, why: fails, ms: processor() - start, reaches: [...reached] });
    }
    found.push(row);
  }
  return found;
}

async function tried(fault, tests, fresh) {
  for (const t of tests) {
    on = fault;
    const why = await failure(t, fresh);
    on = -2;
    if (why === "") continue;
    const by = `${t.suite} ${t.index + 1}: ${why.slice(0, 100)}`;
    // What fails without the fault, too, is what the fault, or one before it, left behind: a fresh process decides.
    return { outcome: fresh || (await failure(t, fresh)) === "" ? "killed" : "unsure", by };
  }
  return { outcome: "survived", by: "" };
}

process.on("message", async (m) => {
  if (m.faults !== undefined) {
    root = m.root;
    m.faults.forEach((f, n) => {
      planted.set(f.file, [...(planted.get(f.file) ?? []), { ...f, n }]);
    });
    for (const list of planted.values()) list.sort((a, b) => a.start - b.start || b.end - a.end || a.n - b.n);
    return;
  }
  if (m.script !== undefined) {
    on = -2;
    const { answer } = require(path.join(root, m.script));
    process.send(
      answer(m, {
        on: (n) => {
          on = n;
          if (n === -1) reached = new Set();
        },
        reached: () => reached,
      }),
    );
    return;
  }
  if (m.suites !== undefined) {
    process.send(await baseline(m.suites));
    return;
  }
  if (m.fresh) on = m.fault;
  process.send(await tried(m.fault, m.tests, m.fresh));
});
