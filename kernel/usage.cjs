// `--help` and `--version` of the scripts of this folder.
"use strict";

/** Prints and ends the process where one of them is asked for. */
function answerUsage(text) {
  const args = process.argv.slice(2);
  const help = args.includes("--help") || args.includes("-h");
  if (!help && !args.includes("--version")) return;
  console.log(help ? text : `ptxlab ${require("../package.json").version}`);
  process.exit(0);
}

/** Tells what is missing, and ends the process. */
function misused(text) {
  console.error(text);
  process.exit(2);
}

module.exports = { answerUsage, misused };
