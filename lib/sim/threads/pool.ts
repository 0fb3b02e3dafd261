/**
 * Runs the blocks of a grid on worker threads of Node that share the global memory. The thread that launches waits for them.
 * Node is asked for its threads at run time: a page has none of this kind and runs everything on its own.
 */
import type * as FileSystem from "node:fs";
import type * as Threads from "node:worker_threads";
import { InternalError } from "../../errors.js";
import type { Launch } from "../launched.js";
import type { GlobalMemory } from "../memory.js";
import type { Program } from "../program.js";
import type { Fault, Run } from "../types.js";
import { type HostMemory, MOST_PAGES, wasm } from "../wasm/host.js";
import { MOST_THREADS, SHARED_GLOBAL } from "../wasm/layout.js";
import { type Answer, Control, MOST_PROGRAMS, type Task } from "./messages.js";
import { dependsOnOrder } from "./order.js";

const PAGE = 0x10000;
/** Milliseconds for a thread to load the library and answer nothing yet is fine; without any word after so many it has died. */
const LOST = 120_000;

interface Node {
  readonly threads: typeof Threads;
  readonly file: string;
}

/** Node's threads, and the built file that they run; null: not there. */
function nodeOf(): Node | null {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  if (typeof process?.getBuiltinModule !== "function" || typeof __dirname === "undefined") return null;
  const threads = process.getBuiltinModule("node:worker_threads") as typeof Threads | undefined;
  const files = process.getBuiltinModule("node:fs") as typeof FileSystem | undefined;
  const file = `${__dirname}/../../../dist/sim/threads/worker.js`;
  return threads !== undefined && files?.existsSync(file) ? { threads, file } : null;
}

interface Runner {
  readonly port: Threads.MessagePort;
  /** Programs that it has. */
  readonly programs: Set<number>;
}

const runners: Runner[] = [];
const memories = new WeakMap<GlobalMemory, { readonly memory: HostMemory; readonly device: number }>();
const programNumbers = new WeakMap<Program, number>();
let numbers = 0;

function runnersOf(node: Node, count: number): readonly Runner[] {
  while (runners.length < count) {
    const { port1, port2 } = new node.threads.MessageChannel();
    const data = { thread: runners.length, port: port2 };
    const worker = new node.threads.Worker(node.file, { workerData: data, transferList: [port2] });
    worker.unref();
    port1.unref();
    runners.push({ port: port1, programs: new Set() });
  }
  return runners.slice(0, count);
}

/** Moves the global memory to one that threads can share; null: the host has none. */
function shareMemory(global: GlobalMemory): { readonly memory: HostMemory; readonly device: number } | null {
  const known = memories.get(global);
  if (known !== undefined || wasm === null) return known ?? null;
  try {
    const initial = Math.ceil((SHARED_GLOBAL + global.bytes.length) / PAGE) + 256;
    const memory = new wasm.Memory({ initial, maximum: MOST_PAGES, shared: true });
    const room = (bytes: number): { readonly buffer: ArrayBufferLike; readonly at: number } | null => {
      const missing = SHARED_GLOBAL + bytes - memory.buffer.byteLength;
      try {
        if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
      } catch {
        return null;
      }
      return { buffer: memory.buffer, at: SHARED_GLOBAL };
    };
    if (!global.move(room)) return null;
    const made = { memory, device: ++numbers };
    memories.set(global, made);
    return made;
  } catch {
    return null;
  }
}

/** A launch on threads that has begun. */
export interface Threaded {
  /** Waits, at most so many milliseconds; true: all are done. */
  wait(milliseconds: number): boolean;
  /** Ends it: blocks that run stop when they next look. */
  stop(): void;
  run(): Run;
}

/** Begins a launch on `wanted` threads, or on one where its result may depend on the order of the blocks; null: it cannot run so. */
export function beginOnThreads(launch: Launch, wanted: number): Threaded | null {
  const { global, program, profile, races, registers, tracer, heap, signal, ...rest } = launch;
  if (profile || races || registers || tracer !== undefined || heap || signal?.aborted) return null;
  if (wanted <= 1 && !global.shared) return null;
  const [x, y, z] = launch.grid;
  if (x * y * z >= 2 ** 31 - MOST_THREADS) return null;
  const node = nodeOf();
  const shared = node === null ? null : shareMemory(global);
  if (node === null || shared === null) return null;
  const threads = dependsOnOrder(program, launch.kernel) ? 1 : Math.min(MOST_THREADS, Math.max(1, wanted), x * y * z);
  const clusters = (x * y * z) / launch.cluster.reduce((a, b) => a * b);
  const control = new Int32Array(new SharedArrayBuffer(4 * Control.words));
  let number = programNumbers.get(program);
  if (number === undefined) {
    number = ++numbers;
    programNumbers.set(program, number);
  }
  const team = runnersOf(node, threads);
  for (const r of team) {
    const sent = r.programs.has(number)
      ? null
      : { sm: program.target.sm, functions: program.functions.map((f) => f.cubin), outside: program.outside };
    r.programs.add(number);
    // The thread forgets the oldest, too.
    if (r.programs.size > MOST_PROGRAMS) r.programs.delete(r.programs.values().next().value!);
    const task: Task = {
      control,
      ...shared,
      globalBytes: global.bytes.length,
      allocations: global.allocations,
      program: number,
      sent,
      launch: rest,
    };
    r.port.postMessage(task);
  }
  return {
    wait: (milliseconds) => waitFor(control, threads, milliseconds),
    stop: () => Atomics.store(control, Control.stop, 1),
    run: () => {
      const run = together(team.map((r) => answerOf(node, r)));
      const left = Atomics.load(control, Control.stop) !== 0 && Atomics.load(control, Control.next) < clusters;
      return run.fault === null && left ? { ...run, fault: neverBegun(launch) } : run;
    },
  };
}

/** A launch that was stopped before any thread had taken its blocks. */
function neverBegun({ kernel }: Launch): Fault {
  return {
    kind: "interrupted",
    message: "interrupted before its first instruction",
    kernel,
    block: [0, 0, 0],
    thread: [0, 0, 0],
    lanes: 0,
    address: -1,
    function: kernel,
    instruction: "",
    ptxLine: null,
    memoryAddress: null,
  };
}

function waitFor(control: Int32Array, threads: number, milliseconds: number): boolean {
  const end = performance.now() + milliseconds;
  for (;;) {
    const done = Atomics.load(control, Control.done);
    if (done === threads) return true;
    const left = end - performance.now();
    if (left <= 0) return false;
    Atomics.wait(control, Control.done, done, left);
  }
}

/** Waits for the end of a launch. */
export function finish(t: Threaded): Run {
  while (!t.wait(LOST));
  return t.run();
}

function answerOf(node: Node, r: Runner): Run {
  const received = node.threads.receiveMessageOnPort(r.port) as { readonly message: Answer } | undefined;
  if (received === undefined) throw new InternalError("a thread of the simulator has not answered");
  const { message } = received;
  if ("error" in message) throw new InternalError(message.error);
  return message.run;
}

/** What all threads did; of several faults that of the first block, and one that others caused only where there is no other. */
function together(runs: readonly Run[]): Run {
  const rank = ({ kind, block }: Fault): number[] => [kind === "interrupted" ? 1 : 0, block[2], block[1], block[0]];
  const before = (a: Fault, b: Fault): boolean => {
    const [x, y] = [rank(a), rank(b)];
    const i = x.findIndex((v, k) => v !== y[k]);
    return i >= 0 && x[i]! < y[i]!;
  };
  let fault: Fault | null = null;
  for (const r of runs) if (r.fault !== null && (fault === null || before(r.fault, fault))) fault = r.fault;
  return {
    ...runs[0]!,
    fault,
    warpInstructions: runs.reduce((n, r) => n + r.warpInstructions, 0),
    threadInstructions: runs.reduce((n, r) => n + r.threadInstructions, 0),
    threadsUsed: runs.length,
    output: runs.map((r) => r.output).join(""),
  };
}
