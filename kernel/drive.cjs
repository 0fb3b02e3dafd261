#!/usr/bin/env node
// Runs cells on any Jupyter server: `node drive.cjs BASE-URL TOKEN KERNEL FILE`, where FILE is a notebook or a text split
// at lines that begin with "// %%". Prints one line per cell; ends with status 1 at the first that fails.
"use strict";
const fs = require("node:fs");
const { answerUsage, misused } = require("./usage.cjs");
// No manager class of the services: their poll timers outlive dispose() and would keep the process.
const { KernelAPI, KernelConnection, ServerConnection } = require("@jupyterlab/services");

/** Starts a kernel on the server. Its user ends it with `kernel.shutdown()` and `kernel.dispose()`. */
async function connect(baseUrl, token, name) {
  const wsUrl = baseUrl.replace(/^http/, "ws");
  const serverSettings = ServerConnection.makeSettings({ baseUrl, wsUrl, token, appendToken: true });
  const model = await KernelAPI.startNew({ name }, serverSettings);
  const kernel = new KernelConnection({ model, serverSettings });
  await kernel.info;
  return kernel;
}

/** Executes one cell: its reply, and the messages it published as `{ type, content }` in order. */
async function execute(kernel, code, options = {}) {
  const messages = [];
  const future = kernel.requestExecute({ code, stop_on_error: true, ...options });
  future.onIOPub = ({ header, content }) => messages.push({ type: header.msg_type, content });
  const reply = (await future.done).content;
  return { reply, messages };
}

function cellsOf(file) {
  const text = fs.readFileSync(file, "utf8");
  if (!file.endsWith(".ipynb")) return text.split(/^\/\/ %%.*\n/m).filter((s) => s.trim());
  const { cells } = JSON.parse(text);
  return cells.filter((c) => c.cell_type === "code").map((c) => [c.source].flat().join(""));
}

function brief({ type, content }) {
  if (type === "stream") return content.text;
  if (type === "error") return `${content.ename}: ${content.evalue}`;
  return content.data?.["text/plain"] ?? "";
}

async function main([baseUrl, token, name, file]) {
  const kernel = await connect(baseUrl, token, name);
  for (const code of cellsOf(file)) {
    const start = performance.now();
    const { reply, messages } = await execute(kernel, code);
    const took = `${(performance.now() - start).toFixed(0)} ms`;
    console.log(`[${reply.status}] ${took}`, JSON.stringify(messages.map(brief).filter(Boolean)).slice(0, 300));
    if (reply.status === "ok") continue;
    process.exitCode = 1;
    break;
  }
  await kernel.shutdown();
  kernel.dispose();
}

if (require.main === module) {
  const usage = "usage: node kernel/drive.cjs BASE-URL TOKEN KERNEL FILE";
  answerUsage(usage);
  if (process.argv.length !== 6) misused(usage);
  main(process.argv.slice(2)).catch((e) => {
    console.error(e.message);
    process.exitCode = 2;
  });
}
module.exports = { connect, execute };
