/**
 * The GPU of a host program that is linked with runtime.cpp: what it asks for on descriptor 3 is done in the simulator, in order, and answered on 4.
 *
 *     parameters KERNEL                                  → offset and size of each, in bytes
 *     allocate BYTES                                     → the address
 *     write ADDRESS BYTES, then the bytes                → ok
 *     read ADDRESS BYTES                                 → ok, then the bytes
 *     copy TO FROM BYTES; fill ADDRESS VALUE BYTES       → ok
 *     launch KERNEL grid×3 block×3 SHARED BYTES, then the parameters  → ok, or failed
 */
import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { readCubin } from "../../lib/elf/index.js";
import type { RunOutcome } from "../../lib/experiment/validation.js";
import { unwrap } from "../../lib/result.js";
import { Device, type Module } from "../../lib/sim/index.js";

export interface Served {
  /** Exit status of the host program. */
  readonly status: number;
  /** Kernels in the order of their launches. */
  readonly launches: readonly string[];
  readonly stderr: string;
  /** All that was asked for: `replay` does it again without the host. */
  readonly requests: readonly Request[];
}

export interface Request {
  readonly line: string;
  readonly data: Uint8Array;
}

/** What a list of requests leaves behind: all that was read, or why it did not run. */
export function replay(cubin: Uint8Array, requests: readonly Request[]): RunOutcome {
  const server = new Server(cubin);
  const read = requests.flatMap(({ line, data }) => server.answer(line, data)[1] ?? []);
  const text = server.fault || read.map((bytes) => Buffer.from(bytes).toString("hex")).join("\n");
  return { ran: server.fault === "", expected: [], text };
}

class Server {
  readonly launches: string[] = [];
  fault = "";
  private readonly device = new Device();
  private readonly module: Module;
  private readonly parameters: ReadonlyMap<string, string>;

  constructor(cubin: Uint8Array) {
    this.module = unwrap(this.device.load(cubin));
    const { functions } = unwrap(readCubin(cubin));
    this.parameters = new Map(functions.map((f) => [f.name, f.params.map((p) => `${p.offset} ${p.size}`).join(" ")]));
  }

  /** Bytes that follow a line. */
  static following(line: string): number {
    return /^(?:write|launch) /.test(line) ? Number(line.slice(line.lastIndexOf(" ") + 1)) : 0;
  }

  /** The answer to a line, and the bytes after it. */
  answer(line: string, data: Uint8Array): readonly [string, Uint8Array?] {
    const [what, first = "", ...rest] = line.split(" ");
    const [at, n] = [Number(first), rest.map(Number)];
    switch (what) {
      case "parameters":
        return [this.parameters.get(first) ?? ""];
      case "allocate":
        return [`${this.device.alloc(at)}`];
      case "write":
        this.device.write(at, data);
        return ["ok"];
      case "read":
        return ["ok", this.device.read(at, n[0]!)];
      case "copy":
        this.device.write(at, this.device.read(n[0]!, n[1]!));
        return ["ok"];
      case "fill":
        this.device.write(at, new Uint8Array(n[1]!).fill(n[0]!));
        return ["ok"];
      case "launch":
        return [this.launch(first, n, data)];
      default:
        throw new Error(`no such request: ${line}`);
    }
  }

  private launch(kernel: string, n: readonly number[], data: Uint8Array): string {
    const own = (this.parameters.get(kernel) ?? "").split(" ").map(Number);
    const params = Array.from({ length: own.length >> 1 }, (_, i) => ({
      bytes: data.slice(own[2 * i]!, own[2 * i]! + own[2 * i + 1]!),
    }));
    const [gx, gy, gz, bx, by, bz, sharedBytes] = n as [number, number, number, number, number, number, number];
    const ran = this.device.launch(this.module, {
      kernel,
      grid: [gx, gy, gz],
      block: [bx, by, bz],
      sharedBytes,
      params,
    });
    this.launches.push(kernel);
    const fault = ran.ok ? ran.value.fault?.message : ran.diagnostics.map((d) => d.message).join("; ");
    if (fault === undefined) return "ok";
    this.fault ||= `${kernel}: ${fault}`;
    return "failed";
  }
}

/** Runs a host program whose kernels are in the cubin, made for `sm`. */
export async function serve(program: string, cubin: Uint8Array, sm: number): Promise<Served> {
  const server = new Server(cubin);
  const env = { ...process.env, PTXLAB_SM: `${sm}` };
  const child = spawn(program, [], { stdio: ["ignore", "inherit", "pipe", "pipe", "pipe"], env });
  const [, , stderr, requests, answers] = child.stdio as unknown as [null, null, Readable, Readable, Writable];
  let told = "";
  stderr.on("data", (text: Buffer) => {
    told += text.toString();
  });
  const requested: Request[] = [];
  let held = Buffer.alloc(0);
  requests.on("data", (more: Buffer) => {
    held = Buffer.concat([held, more]);
    for (;;) {
      const end = held.indexOf(10);
      if (end < 0) return;
      const line = held.toString("latin1", 0, end);
      const after = end + 1 + Server.following(line);
      if (held.length < after) return;
      const data = Uint8Array.from(held.subarray(end + 1, after));
      requested.push({ line, data });
      const [text, bytes] = server.answer(line, data);
      held = held.subarray(after);
      answers.write(`${text}\n`);
      if (bytes !== undefined) answers.write(bytes);
    }
  });
  const status = await new Promise<number>((done) => {
    child.on("close", (code) => {
      done(code ?? 255);
    });
  });
  return {
    status: server.fault === "" ? status : 255,
    launches: server.launches,
    stderr: server.fault || told,
    requests: requested,
  };
}
