// Part of `npm run build`: what TypeScript wrote, as V8 runs it faster. A compilation spends its time in many functions of many modules, so that what a
// name costs counts where code is not optimized, too, and in how much is inlined where it is:
//
// - What a module imports from another of ours is a variable: `(0, editor_js_1.touch)(func)` becomes `editor_js_1$touch(func)`. Imports have no
//   cycles (`npm run lint`), so that what is imported is there.
// - Variables of a module are declared by `var`: reading a `const` or `let` of the module asks whether it has been set.
// - What is exported is written once. TypeScript first sets all names to undefined; to V8 a property that is written twice is a variable, where one that
//   is written once is a constant of compiled code. Modules with `export *` keep it: it tells which names are not taken from there.
//
// Lines and columns stay, so that source maps hold.
"use strict";
const { existsSync, readdirSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const undefinedFirst = /^(?:exports\.\w+ = )+void 0;$/gm;
const imported = /^const (\w+_js_\d+) = require\("(\.[^"]+)"\);$/gm;

/** Of a module, not of a block: those stand further to the right. */
const declared = /^(const|let)(?= \w+(?: =|;)| [{[])/gm;

/** The text of a CommonJS module as TypeScript wrote it, with plain variables. */
function plain(text) {
  let module = text.includes("__exportStar(") ? text : text.replace(undefinedFirst, "");
  for (const [line, name, from] of module.matchAll(imported)) {
    const names = new Set();
    const uses = new RegExp(`(?<![\\w$)\\]])\\(0, ${name}\\.(\\w+)\\)(?=[(\`])|\\b${name}\\.(\\w+)`, "g");
    const others = module.replace(uses, (_, called, read) => {
      names.add(called ?? read);
      // As long as it was.
      return called === undefined ? `${name}$${read}` : `    ${name}$${called} `;
    });
    const taken = [...names].map((n) => `${n}: ${name}$${n}`);
    const taking = `var { ${taken.join(", ")} } = require("${from}");`;
    if (taken.length > 0) module = others.replace(line, () => taking);
  }
  return module.replace(declared, (_, word) => "var".padEnd(word.length));
}

module.exports = { plain };

if (require.main === module) {
  const dist = join(__dirname, "../dist");
  for (const name of readdirSync(dist, { recursive: true })) {
    if (!name.endsWith(".js") || !existsSync(join(__dirname, "../lib", name.replace(/js$/, "ts")))) continue;
    const file = join(dist, name);
    const text = readFileSync(file, "utf8");
    const module = plain(text);
    if (module !== text) writeFileSync(file, module);
  }
}
