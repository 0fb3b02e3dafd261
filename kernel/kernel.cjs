#!/usr/bin/env node
// The Jupyter kernel: `node kernel.cjs --config-path connection.json`, as its kernelspec says.
//
// Cells run one at a time in the order of arrival, and everything that belongs to a cell (its number, where its output
// goes) is set when its turn comes, since JupyterLab's "Run All" sends all cells at once. Other requests are answered
// at once, also while a cell waits. The sockets and the protocol live in server.cjs.
"use strict";
let session = null;
// First of all: a SIGINT that arrives while modules load would otherwise end the process.
process.on("SIGINT", () => session?.interrupt());

const fs = require("node:fs");
const path = require("node:path");
const { answerUsage, misused } = require("./usage.cjs");

const USAGE =
  "usage: node kernel/kernel.cjs --config-path CONNECTION.json (as Jupyter starts it; npm start opens Jupyter)";

/** With PTXLAB_ROOT=1 cells run at the project's root, where TypeScript of the library can be imported live. */
function goToRoot() {
  for (let dir = process.cwd(); dir !== path.dirname(dir); dir = path.dirname(dir)) {
    if (fs.existsSync(path.join(dir, "package.json"))) return process.chdir(dir);
  }
}

/** A kernel whose server died without a word must not stay. */
function exitWithParent() {
  const parent = process.ppid;
  if (!process.env.JPY_PARENT_PID) return;
  setInterval(() => process.ppid === parent || process.exit(1), 1000).unref();
}

function readConnection() {
  answerUsage(USAGE);
  const at = process.argv.indexOf("--config-path");
  const file = at < 0 ? undefined : process.argv[at + 1];
  if (file === undefined || !fs.existsSync(file)) misused(file === undefined ? USAGE : `cannot read '${file}'`);
  return JSON.parse(fs.readFileSync(file, "utf8"));
}

async function main() {
  if (process.env.PTXLAB_ROOT) goToRoot();
  exitWithParent();
  const connection = readConnection();
  const { createSession } = require("./cells.cjs");
  const { Server } = require("./server.cjs");
  session = createSession(process.cwd());
  const late = (what) => (thrown) => console.error(`${what}: ${session.describe(thrown).traceback.join("\n")}`);
  process.on("uncaughtException", late("Uncaught exception"));
  process.on("unhandledRejection", late("Unhandled rejection"));
  await new Server(session, connection).start();
}

main();
