/** Runs the blocks of launches that it is told of, in a thread of its own: global memory is shared, all else is its own. */
import { type MessagePort, workerData } from "node:worker_threads";
import { targetOfSm } from "../../target/index.js";
import type { Share } from "../launched.js";
import { GridMachine } from "../machine.js";
import { GlobalMemory } from "../memory.js";
import { makeProgram } from "../prepare.js";
import type { Program } from "../program.js";
import type { Run } from "../types.js";
import { shareArena } from "../wasm/arena.js";
import { SHARED_GLOBAL } from "../wasm/layout.js";
import { type Answer, Control, MOST_PROGRAMS, type SentProgram, type Task } from "./messages.js";

/** Memories that a thread remembers. */
const MOST_DEVICES = 2;
const programs = new Map<number, Program>();
const devices = new Map<number, GlobalMemory>();

function remember<T>(map: Map<number, T>, most: number, key: number, value: T): T {
  if (map.size >= most) map.delete(map.keys().next().value!);
  map.set(key, value);
  return value;
}

function programOf(sent: SentProgram): Program {
  return makeProgram(targetOfSm(sent.sm)!, sent.functions, sent.outside);
}

function globalOf(task: Task): GlobalMemory {
  let global = devices.get(task.device);
  if (global === undefined) {
    global = remember(devices, MOST_DEVICES, task.device, new GlobalMemory());
    global.attach(task.memory.buffer, SHARED_GLOBAL, task.globalBytes, task.allocations);
    shareArena(global, task.memory);
  }
  global.attach(task.memory.buffer, SHARED_GLOBAL, task.globalBytes, task.allocations);
  return global;
}

/** The part of a thread in a launch; `mine`: what it has claimed last. */
class Part implements Share {
  private readonly issued: BigInt64Array;
  private told = 0;
  private mine = 0;

  constructor(
    private readonly control: Int32Array,
    private readonly budget: number,
  ) {
    this.issued = new BigInt64Array(control.buffer, control.byteOffset + 4 * Control.issued, 1);
  }

  claim(): number {
    if (Atomics.load(this.control, Control.stop) !== 0 || Atomics.load(this.control, Control.fault) !== 0)
      return Number.MAX_SAFE_INTEGER;
    this.mine = Atomics.add(this.control, Control.next, 1);
    return this.mine;
  }

  ended(n: number): "budget" | "stop" | null {
    const more = BigInt(n - this.told);
    this.told = n;
    if (Atomics.add(this.issued, 0, more) + more > BigInt(this.budget)) return "budget";
    const fault = Atomics.load(this.control, Control.fault);
    return Atomics.load(this.control, Control.stop) !== 0 || (fault !== 0 && fault <= this.mine) ? "stop" : null;
  }

  /** A block of this thread has faulted: those after it need not run. */
  fail(): void {
    for (;;) {
      const known = Atomics.load(this.control, Control.fault);
      if (known !== 0 && known <= this.mine + 1) return;
      if (Atomics.compareExchange(this.control, Control.fault, known, this.mine + 1) === known) return;
    }
  }
}

function runTask(task: Task): Run {
  const program =
    task.sent === null
      ? programs.get(task.program)!
      : remember(programs, MOST_PROGRAMS, task.program, programOf(task.sent));
  const { launch, control } = task;
  const share = new Part(control, launch.budget);
  const run = new GridMachine({ ...launch, program, global: globalOf(task), profile: false, share }).run();
  if (run.fault !== null) share.fail();
  return run;
}

const port = (workerData as { port: MessagePort }).port;
port.on("message", (task: Task) => {
  let answer: Answer;
  try {
    answer = { run: runTask(task) };
  } catch (e) {
    Atomics.store(task.control, Control.stop, 1);
    answer = { error: e instanceof Error ? (e.stack ?? e.message) : String(e) };
  }
  port.postMessage(answer);
  Atomics.add(task.control, Control.done, 1);
  Atomics.notify(task.control, Control.done);
});
