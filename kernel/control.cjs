// The control channel and the heartbeat, on a thread of their own: they answer while a cell keeps the main thread busy.
//
// What arrives on the control channel goes to the main thread, which answers through here. An interrupt is more: SIGINT
// ends a cell's synchronous part (node:vm listens for it), and the main thread's event loop, when it turns, ends one
// that waits. A loop after an `await` is neither; then the main thread stays silent, and after a moment its running
// JavaScript is terminated through the inspector, if it is the cell's (`state` in cells.cjs) and not the kernel's own.
"use strict";
const { Session } = require("node:inspector");
const { isMainThread, parentPort, Worker, workerData } = require("node:worker_threads");
const { State } = require("./state.cjs");
const wire = require("./wire.cjs");

/** How long the main thread may take to answer an interrupt (ms). */
const PATIENCE = 150;

const address = ({ transport, ip }, port) => `${transport}://${ip}${transport === "tcp" ? ":" : "-"}${port}`;

/**
 * The main thread's end: `send(frames)` answers what `onMessage(frames)` brought; `close()` resolves when all is sent and
 * the thread has ended. Resolves when both sockets are bound.
 */
function startControl(connection, state, onMessage) {
  const worker = new Worker(__filename, { workerData: { connection, state } });
  const channel = {
    send: (frames) => worker.postMessage({ send: frames }),
    close: () =>
      new Promise((resolve) => {
        worker.once("exit", resolve);
        worker.postMessage({ close: true });
      }),
  };
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.on("message", ({ bound, frames }) => {
      worker.postMessage({ heard: true });
      if (bound) resolve(channel);
      else onMessage(frames.map((f) => Buffer.from(f)));
    });
  });
}

/** Terminates what the main thread runs, unless it has answered or runs something that must not be cut off. */
function terminateUnlessHeard(state, heard) {
  if (heard() || Atomics.load(state, 0) !== State.waiting) return;
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.terminateExecution", () => session.disconnect());
}

async function serve({ connection, state }) {
  const zmq = require("zeromq");
  const control = new zmq.Router({ linger: 500 });
  const heartbeat = new zmq.Reply();
  await control.bind(address(connection, connection.control_port));
  await heartbeat.bind(address(connection, connection.hb_port));
  let sending = Promise.resolve();
  let unheard = 0;
  const close = async () => {
    await sending;
    control.close();
    heartbeat.close();
    parentPort.close();
  };
  parentPort.on("message", (message) => {
    if (message.heard) unheard = 0;
    else if (message.close) close();
    else sending = sending.then(() => control.send(message.send)).catch(() => {});
  });
  (async () => {
    for await (const frames of heartbeat) await heartbeat.send(frames);
  })();
  parentPort.postMessage({ bound: true });
  for await (const frames of control) {
    if (isInterrupt(connection.key, frames)) {
      Atomics.add(state, 1, 1);
      process.kill(process.pid, "SIGINT");
      setTimeout(terminateUnlessHeard, PATIENCE, state, () => unheard === 0);
    }
    unheard++;
    parentPort.postMessage({ frames });
  }
}

function isInterrupt(key, frames) {
  try {
    return wire.decode(key, frames).header.msg_type === "interrupt_request";
  } catch {
    return false;
  }
}

if (!isMainThread && workerData?.connection) serve(workerData);
module.exports = { address, startControl };
