// Sockets, queue and answers of the Jupyter kernel (protocol 5.3).
"use strict";
const { randomUUID } = require("node:crypto");
const zmq = require("zeromq");
const { typescriptVersion } = require("./cells.cjs");
const { address, startControl } = require("./control.cjs");
const { bundleOf, bundlesBelow, captureOutput } = require("./outputs.cjs");
const wire = require("./wire.cjs");
const { version } = require("../package.json");

/** Text of a stream is sent when it reaches this length … */
const STREAM_CHARS = 1 << 16;
/** … or when the last was sent this long ago (ms), else on the next turn of the event loop. */
const STREAM_PAUSE = 100;
/** How long cells sent together with a failing one may take to arrive (ms), to be aborted with it. */
const ABORT_WINDOW = 50;

/** The output of one execute request. It may outlive the run: timers print into the cell they belong to last. */
class CellOutput {
  constructor(publish, quiet) {
    this.publish = publish;
    this.quiet = quiet;
    this.name = "stdout";
    this.text = "";
    this.sent = 0;
    this.scheduled = false;
  }

  stream(name, text) {
    if (name !== this.name) this.flush();
    this.name = name;
    this.text += text;
    if (this.text.length > STREAM_CHARS || Date.now() - this.sent > STREAM_PAUSE) return this.flush();
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.flush();
    });
  }

  flush() {
    if (this.text && !this.quiet) this.publish("stream", { name: this.name, text: this.text });
    this.text = "";
    this.sent = Date.now();
  }

  /** Anything but a stream, after what was printed before it. */
  send(type, content) {
    this.flush();
    if (!this.quiet) this.publish(type, content);
  }
}

/** How long nothing may be asked before the kernel prepares for a first cell (ms), and between the steps of that. */
const IDLE = 300;

class Server {
  constructor(session, connection) {
    this.session = session;
    this.connection = connection;
    this.id = randomUUID();
    this.count = 0;
    this.queue = [];
    this.running = null;
    this.output = null;
    // By default zeromq hands over at most 512 messages per turn of the event loop and then fails: output would be lost.
    this.iopub = new zmq.Publisher({ sendTimeout: 0, sendHighWaterMark: 0, linger: 500 });
    this.shell = new zmq.Router({ linger: 500 });
    this.stdin = new zmq.Router();
    this.control = null;
    this.preparations = [...session.prepare];
    this.sending = Promise.resolve();
  }

  async start() {
    const { connection } = this;
    await Promise.all([
      this.iopub.bind(address(connection, connection.iopub_port)),
      this.shell.bind(address(connection, connection.shell_port)),
      this.stdin.bind(address(connection, connection.stdin_port)),
    ]);
    captureOutput({
      stream: (name, text) => this.output?.stream(name, text),
      display: () => {
        const output = this.output;
        return (content, update) => output?.send(update ? "update_display_data" : "display_data", content);
      },
    });
    this.publish("status", { execution_state: "starting" }, null);
    this.control = await startControl(connection, this.session.state, (frames) => this.receive(this.control, frames));
    for await (const frames of this.shell) this.receive(this.shell, frames);
  }

  receive(socket, frames) {
    let message;
    try {
      message = wire.decode(this.connection.key, frames);
    } catch (e) {
      console.error(`message ignored: ${e.message}`);
      return;
    }
    message.socket = socket;
    if (message.header.msg_type === "execute_request") this.enqueue(message);
    else this.session.shielded(() => this.answer(message));
  }

  publish(type, content, request) {
    this.iopub.send(wire.encode(this.connection.key, [type], this.id, type, request, content));
  }

  status(state, request) {
    this.publish("status", { execution_state: state }, request);
  }

  reply(request, content) {
    const type = request.header.msg_type.replace("_request", "_reply");
    const frames = wire.encode(this.connection.key, request.identities, this.id, type, request, content);
    this.sending = this.sending.then(() => request.socket.send(frames)).catch(() => {});
    return this.sending;
  }

  // Execution

  enqueue(request) {
    this.queue.push(request);
    if (!this.running) this.drain();
  }

  async drain() {
    while (this.queue.length > 0) {
      this.running = this.queue.shift();
      this.status("busy", this.running);
      const failed = await this.execute(this.running);
      this.status("idle", this.running);
      if (failed) this.abortQueued();
      this.running = null;
    }
  }

  /** True when what was sent after this request must not run. */
  async execute(request) {
    const { code, silent = false, store_history = true, stop_on_error = true } = request.content;
    if (!silent && store_history) this.count++;
    const number = silent || !store_history ? this.count + 1 : this.count;
    const output = new CellOutput((type, content) => this.publish(type, content, request), silent);
    this.output = output;
    output.send("execute_input", { code, execution_count: number });
    const { result, below = [], error } = await this.evaluate(code, number);
    if (error) output.send("error", error);
    else if (result) output.send("execute_result", { execution_count: number, ...result });
    for (const bundle of below) output.send("display_data", { ...bundle, transient: {} });
    output.flush();
    if (error && stop_on_error) await new Promise((resolve) => setTimeout(resolve, ABORT_WINDOW));
    const common = { execution_count: number, user_expressions: {}, payload: [] };
    await this.reply(request, error ? { status: "error", ...common, ...error } : { status: "ok", ...common });
    return Boolean(error && stop_on_error);
  }

  async evaluate(code, number) {
    const outcome = await this.session.run(code, number);
    if (!outcome.ok) return { error: outcome.error };
    if (outcome.value === undefined) return {};
    try {
      return { result: await bundleOf(outcome.value), below: await bundlesBelow(outcome.value) };
    } catch (thrown) {
      return { error: this.session.describe(thrown) };
    }
  }

  abortQueued() {
    for (const request of this.queue.splice(0)) {
      this.status("busy", request);
      this.reply(request, { status: "aborted" });
      this.status("idle", request);
    }
  }

  // Everything else

  answer(request) {
    this.status("busy", request);
    let content;
    try {
      content = this.answers[request.header.msg_type]?.call(this, request.content);
    } catch (e) {
      content = { status: "error", ename: e.name, evalue: e.message, traceback: [] };
    }
    if (content) this.reply(request, content);
    this.status("idle", request);
    if (this.running) this.status("busy", this.running);
    if (request.header.msg_type === "kernel_info_request") this.prepareSoon();
    if (request.header.msg_type === "shutdown_request") this.shutdown(request, content);
  }

  /** While its user reads, the kernel does what the first cell would else wait for. Once a cell runs, that is its own affair. */
  prepareSoon() {
    clearTimeout(this.preparing);
    this.preparing = setTimeout(() => {
      const step = this.count === 0 && !this.running ? this.preparations.shift() : undefined;
      if (!step) return;
      try {
        this.session.shielded(step);
        this.prepareSoon();
      } catch {
        // Without a build there is nothing to prepare; the cell that imports the library says so.
      }
    }, IDLE);
  }

  answers = {
    kernel_info_request: () => ({
      status: "ok",
      protocol_version: "5.3",
      implementation: "ptxlab",
      implementation_version: version,
      banner: `ptxlab ${version}: TypeScript ${typescriptVersion}, Node ${process.version}`,
      help_links: [],
      language_info: {
        name: "typescript",
        version: typescriptVersion,
        mimetype: "text/typescript",
        file_extension: ".ts",
        pygments_lexer: "typescript",
        codemirror_mode: { mode: "typescript", name: "javascript", typescript: true },
      },
    }),
    complete_request({ code, cursor_pos }) {
      const found = this.session.complete(code, toUnits(code, cursor_pos));
      const [cursor_start, cursor_end] = [found.start, found.end].map((n) => toPoints(code, n));
      return { status: "ok", matches: found.candidates, cursor_start, cursor_end, metadata: {} };
    },
    inspect_request({ code, cursor_pos }) {
      const text = this.session.inspect(code, toUnits(code, cursor_pos));
      return { status: "ok", found: text !== null, data: text === null ? {} : { "text/plain": text }, metadata: {} };
    },
    is_complete_request({ code }) {
      const { completed, indent = "" } = this.session.isComplete(code);
      return completed ? { status: "complete" } : { status: "incomplete", indent };
    },
    history_request: () => ({ status: "ok", history: [] }),
    comm_info_request: () => ({ status: "ok", comms: {} }),
    interrupt_request() {
      this.session.interrupt();
      return { status: "ok" };
    },
    shutdown_request: ({ restart = false }) => ({ status: "ok", restart }),
  };

  async shutdown(request, content) {
    this.publish("shutdown_reply", content, request);
    this.session.close();
    for (const socket of [this.iopub, this.shell, this.stdin]) socket.close();
    // Closed sockets hand over what they still hold. Nothing that a cell left behind may keep the process: what does
    // not end in time is ended.
    setTimeout(() => process.kill(process.pid, "SIGKILL"), 800);
    await this.sending;
    await this.control.close();
    process.exit(0);
  }
}

// Jupyter counts characters as code points, JavaScript as UTF-16 units.
const toUnits = (code, points) => [...code].slice(0, points).join("").length;
const toPoints = (code, units) => [...code.slice(0, units)].length;

module.exports = { Server };
