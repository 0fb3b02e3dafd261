/**
 * node tools/run-ts.cjs tools/queue-figures.ts killed|overhead|scale [--points N] [--workers N] [--kill SECONDS] [--folder DIR] [--seconds N], each on a
 * real server (redis-server or valkey-server on the path). Needs the built library.
 *   killed    a sweep with a worker killed every so many seconds, the coordinator killed once and the server restarted once; then the
 *             same on threads here: whether rows are complete, none doubled, the tables equal; the most memory of the coordinator
 *   overhead  what a queue costs per point, in processor time of coordinator, worker and server: that of the same points on one
 *             thread here is taken off. Processor time does not tell how busy the machine is, a clock does.
 *   scale     100,000 points on threads, in 8 shards that are merged, and on a queue; among them a kernel that does not end, one that
 *             takes more memory than its worker has, and a damaged text: outcomes, the most memory, whether the tables are equal.
 *             With --folder the rows stay there, and with --seconds it stops after so many: the same command again goes on
 */
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compile } from "../lib/compile.js";
import { readJournal, type SweepSpec } from "../lib/experiment/index.js";
import { corpusPtx } from "../test/corpus/cases.js";
import { journalRows, Processes, taken } from "../test/experiment/processes.js";
import { ended, type Server, startServer } from "../test/experiment/server.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    points: { type: "string" },
    workers: { type: "string", default: "4" },
    kill: { type: "string", default: "20" },
    folder: { type: "string" },
    seconds: { type: "string" },
  },
});
const what = positionals[0] ?? "killed";
const points = Number(values.points ?? { killed: 20_000, overhead: 5_000, scale: 100_000 }[what]);
const folder = values.folder ?? mkdtempSync(join(tmpdir(), "ptxlab-figures-"));
mkdirSync(folder, { recursive: true });
const until = values.seconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + 1000 * Number(values.seconds);
const file = join(folder, "s.json");
const processes = new Processes();
const wait = (ms: number): Promise<void> => new Promise((r) => setTimeout(r, ms));
const out = (name: string): string[] => ["--out", join(folder, name)];
const rowsIn = (name: string): number => journalRows(join(folder, `${name}.jsonl`));
const table = (name: string): Buffer => readFileSync(join(folder, `${name}.parquet`));
const equal = (...names: readonly string[]): string =>
  names.every((n) => table(n).equals(table(names[0]!))) ? "equal" : "DIFFERENT";

interface Run {
  readonly seconds: number;
  /** MiB that it had at most, and seconds of its processor time. */
  readonly memory: number;
  readonly cpu: number;
}

/** Runs a command to its end and looks at what it takes. */
const watched = (...args: readonly string[]): Promise<Run> => watchedChild(processes.start(...args));

async function watchedChild(child: ChildProcess): Promise<Run> {
  const from = Date.now();
  let last = taken(child);
  const look = setInterval(() => {
    const now = taken(child);
    if (now.memory > 0) last = now;
  }, 50);
  await ended(child);
  clearInterval(look);
  return { seconds: (Date.now() - from) / 1000, ...last };
}

/** Points that cost next to nothing: orders of a small cubin, every other a file that is no cubin. */
function cheap(): void {
  writeFileSync(join(folder, "k.cubin"), compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90" }).cubin as Uint8Array);
  writeFileSync(join(folder, "bad.cubin"), "no cubin");
  const seeds = Array.from({ length: points / 2 }, (_, i) => i + 1);
  const inputs = [{ cubin: "k.cubin" }, { cubin: "bad.cubin" }];
  writeFileSync(file, JSON.stringify({ name: "queued", inputs, shuffles: { seeds, reach: 8 } }));
}

async function killed(server: Server): Promise<void> {
  cheap();
  const [workers, seconds] = [Number(values.workers), Number(values.kill)];
  const worker = (): ChildProcess => processes.start("worker", "--queue", server.url, "--threads", "1", "--quiet");
  const start = (): ChildProcess => processes.start("sweep", file, "--queue", server.url, ...out("queued"));
  const alive = Array.from({ length: workers }, worker);
  const from = Date.now();
  let deaths = 0;
  const killer = setInterval(() => {
    void processes.kill(alive.shift()!).then(() => alive.push(worker()));
    deaths++;
  }, 1000 * seconds);
  let coordinator = start();
  let memory = 0;
  const look = setInterval(() => {
    memory = Math.max(memory, taken(coordinator).memory);
  }, 200);
  while (rowsIn("queued") < points / 3) await wait(200);
  await processes.kill(coordinator);
  coordinator = start();
  while (rowsIn("queued") < (2 * points) / 3) await wait(200);
  await server.restart();
  await ended(coordinator);
  clearInterval(killer);
  clearInterval(look);
  const wall = (Date.now() - from) / 1000;
  console.log(
    `${points} points, ${workers} workers, ${deaths} of them killed, coordinator killed, server restarted: ${wall.toFixed(0)} s`,
  );
  console.log(`rows ${rowsIn("queued")}; most memory of the coordinator ${memory} MiB`);
  for (const child of alive) await processes.kill(child);
  await watched("sweep", file, ...out("here"));
  console.log(`tables ${equal("queued", "here")}`);
}

async function overhead(server: Server): Promise<void> {
  cheap();
  const worker = processes.start("worker", "--queue", server.url, "--threads", "1", "--quiet");
  // One point first: that the worker loads the library is no cost of points.
  const one = join(folder, "one.json");
  writeFileSync(one, JSON.stringify({ name: "one", inputs: [{ cubin: "k.cubin" }], policies: ["control"] }));
  await watched("sweep", one, "--queue", server.url);
  const others = (): number => taken(worker).cpu + taken({ pid: server.pid() }).cpu;
  const before = others();
  const there = await watched("sweep", file, "--queue", server.url, ...out("there"));
  const ofOthers = others() - before;
  await processes.kill(worker);
  const alone = await watched("sweep", one, "--threads", "1", ...out("alone"));
  const here = await watched("sweep", file, "--threads", "1", ...out("here"));
  const [queued, plain] = [there.cpu + ofOthers, here.cpu - alone.cpu];
  const start = alone.cpu;
  const each = (seconds: number): string => `${((1000 * seconds) / points).toFixed(2)} ms`;
  console.log(
    `${points} points, tables ${equal("there", "here")}; processor time, start of a process (${start.toFixed(1)} s) taken off:`,
  );
  console.log(
    `queue ${each(queued - start)} per point (coordinator ${each(there.cpu - start)}), one thread here ${each(plain)}`,
  );
  console.log(`overhead ${each(queued - start - plain)} per point; by the clock ${each(there.seconds - here.seconds)}`);
}

const TINY = `.version 8.0
.target sm_75
.address_size 64
.visible .entry tiny(.param .u64 p) { ret; }
`;
const ENDLESS = TINY.replace(
  "{ ret; }",
  "{ .reg .b32 %r<2>; .reg .b64 %a; ld.param.u64 %a, [p];\nL: ld.volatile.global.u32 %r1, [%a]; bra.uni L; }",
);
/** MiB of a worker's heap, and so many instructions that it does not hold them. */
const HEAP = 128;
const HUGE = 60_000;

/** A kernel of one instruction, in copies that differ in a comment, at two levels under many limits; of the others one point each: cubins. */
function large(): void {
  const cubin = (name: string, text: string): void =>
    writeFileSync(join(folder, `${name}.cubin`), compile(text, { target: "sm_75", opt: 0 }).cubin as Uint8Array);
  const buffers = { p: { type: "u32", length: 4 } };
  const launches = [{ kernel: "tiny", grid: [1], block: [32], params: [{ buffer: "p" }] }];
  writeFileSync(join(folder, "l.json"), JSON.stringify({ buffers, launches }));
  cubin("endless", ENDLESS);
  const stores = "st.volatile.global.u64 [%a], %a;\n".repeat(HUGE);
  cubin("huge", TINY.replace("{ ret; }", `{ .reg .b64 %a; ld.param.u64 %a, [p];\n${stores}ret; }`));
  writeFileSync(join(folder, "damaged.cubin"), readFileSync(join(folder, "endless.cubin")).subarray(0, 700));
  const copies = Array.from({ length: Math.ceil(points / 100) }, (_, i) => `tiny${i}.ptx`);
  for (const [i, name] of copies.entries()) writeFileSync(join(folder, name), `// ${i}\n${TINY}`);
  const spec: SweepSpec = {
    name: "large",
    inputs: [
      ...copies.map((ptx) => ({ ptx })),
      { cubin: "endless.cubin", launch: "l.json" },
      { cubin: "huge.cubin" },
      { cubin: "damaged.cubin" },
    ],
    policies: ["control"],
    levels: [0, 1],
    maxRegisters: Array.from({ length: 50 }, (_, i) => 16 + i),
    budget: { instructions: 100_000, memory: HEAP },
  };
  writeFileSync(file, JSON.stringify(spec));
}

/** What the runs of a kept folder took, piece by piece, by the name of their table. */
const stateFile = join(folder, "state.json");
const state: Record<string, Run & { readonly pieces: number; readonly done: boolean }> = existsSync(stateFile)
  ? JSON.parse(readFileSync(stateFile, "utf8"))
  : {};

/** The exit status of a sweep that was interrupted: its journal is kept. */
const INTERRUPTED = 130;

/** A sweep in pieces: interrupted when the time is up, and the next call goes on. Null while it is not done. */
async function piece(name: string, ...args: readonly string[]): Promise<Run | null> {
  const before = state[name] ?? { seconds: 0, memory: 0, cpu: 0, pieces: 0, done: false };
  if (before.done) return before;
  if (Date.now() >= until) return null;
  const child = processes.start("sweep", file, ...args, ...out(name));
  const stop = Number.isFinite(until) ? setTimeout(() => child.kill("SIGINT"), until - Date.now()) : undefined;
  const run = await watchedChild(child);
  clearTimeout(stop);
  const done = child.exitCode !== INTERRUPTED;
  state[name] = {
    seconds: before.seconds + run.seconds,
    memory: Math.max(before.memory, run.memory),
    cpu: before.cpu + run.cpu,
    pieces: before.pieces + 1,
    done,
  };
  writeFileSync(stateFile, JSON.stringify(state));
  if (!done) console.log(`${name}: ${rowsIn(name)} rows so far; the same command goes on`);
  return done ? state[name] : null;
}

const SHARDS = 8;

async function scale(server: Server): Promise<void> {
  if (!existsSync(file)) large();
  const here = await piece("here");
  if (here === null) return;
  report("threads here", here, "here");
  // The rows of the run as eight shards leave them; that shards run alone leave these is tested (test/experiment/limits).
  const parts: string[] = Array.from({ length: SHARDS }, () => "");
  readFileSync(join(folder, "here.jsonl"), "utf8")
    .split("\n")
    .forEach((line, i) => {
      if (line !== "") parts[i % SHARDS] += `${line}\n`;
    });
  for (const [i, text] of parts.entries()) writeFileSync(join(folder, `parts.${i + 1}of${SHARDS}.jsonl`), text);
  const merged = await watched("merge", file, ...out("parts"));
  console.log(
    `${SHARDS} shards merged in ${merged.seconds.toFixed(0)} s, most memory ${merged.memory} MiB; tables ${equal("here", "parts")}`,
  );
  const workers = Array.from({ length: 2 }, () =>
    processes.start("worker", "--queue", server.url, "--threads", "1", "--quiet"),
  );
  const there = await piece("there", "--queue", server.url);
  for (const worker of workers) await processes.kill(worker);
  if (there === null) return;
  report("queue, two workers", there, "there");
  console.log(`tables ${equal("here", "there")}`);
}

function report(who: string, run: Run, name: string): void {
  const outcomes = new Map<string, number>();
  for (const r of readJournal(join(folder, `${name}.jsonl`)).values()) {
    const kind = r.outcome.split("\n")[0]!.slice(0, 80);
    outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
  }
  console.log(`${who}: ${rowsIn(name)} rows in ${run.seconds.toFixed(0)} s, most memory ${run.memory} MiB`);
  for (const [kind, n] of outcomes) console.log(`  ${n} ${kind}`);
}

async function main(): Promise<void> {
  const server = await startServer(folder, true);
  try {
    await { killed, overhead, scale }[what as "killed"](server);
  } finally {
    await processes.killAll();
    await server.stop();
  }
}

main().finally(() => {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
});
