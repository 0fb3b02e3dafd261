// Modules that were rebuilt while a session runs. Node loads a file once; so that a cell which imports again gets what is
// there now, everything of the project is forgotten as soon as one of its loaded files has changed. Packages and the
// kernel itself stay. Values made by the old modules live on beside those of the new ones.
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const KEPT = [`${path.sep}node_modules${path.sep}`, __dirname + path.sep];

/** Returns a function to be called around each cell; it tells whether modules were forgotten. */
function watchModules() {
  const seen = new Map();
  return function forgetChanged() {
    const files = Object.keys(require.cache).filter((f) => !KEPT.some((k) => f.includes(k)));
    let changed = false;
    for (const file of files) {
      const time = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (seen.has(file) && seen.get(file) !== time) changed = true;
      seen.set(file, time);
    }
    if (changed) for (const file of files) delete require.cache[file];
    return changed;
  };
}

module.exports = { watchModules };
