/** A process that runs tests with faults (run.cjs), and its end where it does not come to one. */
import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "./sites.js";

/** Milliseconds of the processor that a process has taken (Linux), null where that cannot be told. */
function processorTime(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // utime and stime (proc(5)) in ticks of 10 ms.
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return null;
  }
}

/** A child that is asked one thing after another. */
export class Child {
  private readonly process: ChildProcess;

  constructor(root: string, faults: readonly Fault[]) {
    this.process = fork(join(root, "tools/faults/run.cjs"), [], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      execArgv: ["--max-old-space-size=1500"],
    });
    this.process.send({ root, faults });
  }

  /** Its answer; null where it ends without one or takes more milliseconds of the processor. */
  ask<T>(message: object, ms: number): Promise<T | null> {
    const child = this.process;
    return new Promise((done) => {
      const started = Date.now();
      const before = processorTime(child.pid ?? 0);
      const watch = setInterval(() => {
        const now = processorTime(child.pid ?? 0);
        if ((now === null || before === null ? Date.now() - started : now - before) > ms) child.kill("SIGKILL");
      }, 500);
      const ended = (said: T | null): void => {
        clearInterval(watch);
        child.removeAllListeners();
        done(said);
      };
      child.once("message", (m) => ended(m as T));
      child.once("exit", () => ended(null));
      child.send(message);
    });
  }

  kill(): void {
    this.process.kill("SIGKILL");
  }
}
