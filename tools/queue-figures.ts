/**
 * node tools/run-ts.cjs tools/queue-figures.ts [--points N] [--workers N] [--kill SECONDS]: a sweep through a real server (redis-server or
 * valkey-server on the path) with a worker killed every so many seconds, the coordinator killed once and the server restarted once; then
 * the same on threads here. Says whether rows are complete, none doubled and the tables equal, the most memory of the coordinator,
 * and, of a run in which nobody is killed, what the queue costs per point. Needs the built library.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { compile } from "../lib/compile.js";
import { corpusPtx } from "../test/corpus/cases.js";
import { ended, startServer } from "../test/experiment/server.js";

const { values } = parseArgs({
  options: {
    points: { type: "string", default: "20000" },
    workers: { type: "string", default: "4" },
    kill: { type: "string", default: "20" },
  },
});
const [points, workers, seconds] = [Number(values.points), Number(values.workers), Number(values.kill)];
const command = resolve(__dirname, "../bin/ptxlab");
const folder = mkdtempSync(join(tmpdir(), "ptxlab-figures-"));
const file = join(folder, "s.json");
const running = new Set<ChildProcess>();
const wait = (ms: number): Promise<void> => new Promise((r) => setTimeout(r, ms));

function start(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [command, ...args], { stdio: ["ignore", "ignore", "inherit"] });
  running.add(child);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await ended(child);
  running.delete(child);
}

/** MiB that a process had at most. */
function most(child: ChildProcess): number {
  const status = `/proc/${child.pid}/status`;
  const kib = existsSync(status) ? /VmHWM:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1] : undefined;
  return Math.round(Number(kib ?? 0) / 1024);
}

const rowsIn = (name: string): number => {
  const path = join(folder, `${name}.jsonl`);
  return existsSync(path) && statSync(path).size > 0 ? readFileSync(path).filter((b) => b === 10).length : 0;
};

/** Runs a sweep to its end; its seconds and the most MiB it had. */
async function timed(...args: string[]): Promise<{ readonly wall: number; readonly memory: number }> {
  const from = Date.now();
  const child = start("sweep", file, ...args);
  let memory = 0;
  const look = setInterval(() => {
    memory = Math.max(memory, most(child));
  }, 100);
  await ended(child);
  clearInterval(look);
  return { wall: (Date.now() - from) / 1000, memory };
}

async function main(): Promise<void> {
  writeFileSync(join(folder, "k.cubin"), compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90" }).cubin as Uint8Array);
  writeFileSync(join(folder, "bad.cubin"), "no cubin");
  const seeds = Array.from({ length: points / 2 }, (_, i) => i + 1);
  const spec = {
    name: "queued",
    inputs: [{ cubin: "k.cubin" }, { cubin: "bad.cubin" }],
    shuffles: { seeds, reach: 8 },
  };
  writeFileSync(file, JSON.stringify(spec));
  const server = await startServer(folder, true);
  const worker = (): ChildProcess => start("worker", "--queue", server.url, "--threads", "1", "--quiet");
  const queue = ["--queue", server.url];
  const alive = Array.from({ length: workers }, worker);
  const out = (name: string): string[] => ["--out", join(folder, name)];

  const from = Date.now();
  let killed = 0;
  const killer = setInterval(() => {
    void kill(alive.shift()!).then(() => alive.push(worker()));
    killed++;
  }, 1000 * seconds);
  let coordinator = start("sweep", file, ...queue, ...out("queued"));
  let memory = 0;
  const look = setInterval(() => {
    memory = Math.max(memory, most(coordinator));
  }, 200);
  while (rowsIn("queued") < points / 3) await wait(200);
  await kill(coordinator);
  coordinator = start("sweep", file, ...queue, ...out("queued"));
  while (rowsIn("queued") < (2 * points) / 3) await wait(200);
  await server.restart();
  await ended(coordinator);
  clearInterval(killer);
  clearInterval(look);
  const wall = (Date.now() - from) / 1000;
  const rows = rowsIn("queued");
  console.log(
    `${points} points, ${workers} workers, ${killed} of them killed, coordinator killed, server restarted: ${wall.toFixed(0)} s`,
  );
  console.log(`rows ${rows}; most memory of the coordinator ${memory} MiB`);

  for (const child of alive.splice(1)) await kill(child);
  const calm = await timed(...queue, ...out("calm"));
  const here = await timed("--threads", "1", ...out("here"));
  const table = (name: string): Buffer => readFileSync(join(folder, `${name}.parquet`));
  console.log(`tables ${["queued", "calm"].every((n) => table(n).equals(table("here"))) ? "equal" : "DIFFERENT"}`);
  const over = (1000 * (calm.wall - here.wall)) / points;
  console.log(
    `one worker of one thread ${calm.wall.toFixed(1)} s, one thread here ${here.wall.toFixed(1)} s: ${over.toFixed(2)} ms per point; ${here.memory} MiB here`,
  );
  await server.stop();
}

main().finally(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
