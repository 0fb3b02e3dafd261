/** Commands of ptxlab as processes of a test or a tool: started, killed, all ended with it, and what they took. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { ended } from "./server.js";

const command = resolve(__dirname, "../../bin/ptxlab");

/** What a process took so far, by /proc; zeros where there is none. */
export interface Taken {
  /** MiB that it had at most. */
  readonly memory: number;
  /** Seconds of processor time of its threads. */
  readonly cpu: number;
}

/** Ticks of the processor time in /proc in a second (sysconf(_SC_CLK_TCK) is 100 on every Linux). */
const TICKS = 100;

export function taken({ pid }: Pick<ChildProcess, "pid">): Taken {
  try {
    const kib = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    // After the name in parentheses: state is the first field, processor time of user and system the 12th and 13th.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return { memory: Math.round(Number(kib ?? 0) / 1024), cpu: (Number(fields[11]) + Number(fields[12])) / TICKS };
  } catch {
    return { memory: 0, cpu: 0 };
  }
}

export class Processes {
  private readonly running = new Set<ChildProcess>();

  /** `ptxlab ARGS`; its messages go to the pipe. */
  start(...args: readonly string[]): ChildProcess {
    return this.startIn({}, ...args);
  }

  /** The same with variables of the environment. */
  startIn(env: Readonly<Record<string, string>>, ...args: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, [command, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...env },
    });
    child.stderr!.resume();
    this.running.add(child);
    return child;
  }

  async kill(child: ChildProcess): Promise<void> {
    child.kill("SIGKILL");
    await ended(child);
    this.running.delete(child);
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.running].map((c) => this.kill(c)));
  }
}

/** Lines of a journal; 0 where there is none yet. */
export function journalRows(path: string): number {
  if (!existsSync(path) || statSync(path).size === 0) return 0;
  let rows = 0;
  for (const byte of readFileSync(path)) if (byte === 10) rows++;
  return rows;
}
