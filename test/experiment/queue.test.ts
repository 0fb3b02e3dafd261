/** Sweeps on a queue: a real server, workers and coordinators as processes, which are killed. */
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SweepSpec, sweep } from "../../lib/experiment/index.js";
import { corpus, corpusPtx } from "../corpus/cases.js";
import { journalRows, Processes } from "./processes.js";
import { describeServer, ended, type Server, startServer } from "./server.js";

jest.setTimeout(180_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ptxlab-queue-"));
  const { launch } = corpus.find((k) => k.name === "saxpy")!;
  const ptx = corpusPtx("saxpy", "sm_90");
  const x = { type: "f32", file: "x.bin" } as const;
  const y = { type: "f32", file: "none.bin" } as const;
  const files: Record<string, string | Uint8Array> = {
    "k.ptx": ptx,
    "damaged.ptx": ptx.replace("ret;", "rot;"),
    "k.json": JSON.stringify(launch),
    "x.bin": new Uint8Array(4000),
    // A buffer from a file of its own, and one whose file there is none of.
    "file.json": JSON.stringify({ ...launch, buffers: { ...launch.buffers, x } }),
    "missing.json": JSON.stringify({ ...launch, buffers: { ...launch.buffers, y } }),
    "s.json": JSON.stringify(spec),
  };
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const spec: SweepSpec = {
  name: "queued",
  inputs: [
    { ptx: "k.ptx", launch: "k.json" },
    { name: "again", ptx: "k.ptx", launch: "k.json" },
    { ptx: "damaged.ptx", launch: "k.json" },
    { ptx: "k.ptx", launch: "file.json" },
    { ptx: "k.ptx", launch: "missing.json" },
  ],
  levels: [0, 1, 2],
  maxRegisters: Array.from({ length: 20 }, (_, i) => 16 + 8 * i),
};
const POINTS = 5 * 3 * 20;

const processes = new Processes();
afterEach(() => processes.killAll());

const journal = (): string => join(folder, "queued.jsonl");
const lines = (): string[] =>
  existsSync(journal())
    ? readFileSync(journal(), "utf8")
        .split("\n")
        .filter((l) => l !== "")
    : [];

async function rows(count: number): Promise<void> {
  while (journalRows(journal()) < count) await new Promise((r) => setTimeout(r, 50));
}

describeServer("a queue", () => {
  let server: Server;
  afterEach(() => server.stop());

  test.each([
    ["that keeps what it was given", true],
    ["that forgets all when it is restarted", false],
  ])(
    "on a server %s: killed workers, coordinator and server lose nothing and double nothing",
    async (_, persistent) => {
      server = await startServer(folder, persistent);
      const worker = (): ChildProcess => processes.start("worker", "--queue", server.url, "--threads", "1", "--quiet");
      const run = (): ChildProcess =>
        processes.start("sweep", join(folder, "s.json"), "--out", join(folder, "queued"), "--queue", server.url);
      const workers = [worker(), worker()];
      const first = run();
      await rows(20);
      await processes.kill(workers[0]!);
      worker();
      await rows(60);
      await processes.kill(first);
      const second = run();
      await rows(120);
      await server.restart();
      await ended(second);
      // 1: there are rows that failed.
      expect(second.exitCode).toBe(1);
      const ids = lines().map((l) => (JSON.parse(l) as { readonly id: string }).id);
      expect([ids.length, new Set(ids).size]).toEqual([POINTS - 60, POINTS - 60]);
      await sweep(spec, { folder, threads: 0, out: join(folder, "here") });
      const [there, here] = ["queued", "here"].map((n) => readFileSync(join(folder, `${n}.parquet`)));
      expect(there!.equals(here!)).toBe(true);
    },
  );

  test("points with needs wait for a worker that has them, the others do not", async () => {
    server = await startServer(folder, false);
    const needy: SweepSpec = {
      name: "needy",
      inputs: [
        { ptx: "k.ptx", launch: "k.json" },
        { name: "needy", ptx: "k.ptx", needs: { cores: 2 } },
      ],
      levels: [0, 1],
    };
    writeFileSync(join(folder, "s.json"), JSON.stringify(needy));
    const worker = (threads: string) =>
      processes.start("worker", "--queue", server.url, "--threads", threads, "--quiet");
    worker("1");
    const run = processes.start(
      "sweep",
      join(folder, "s.json"),
      "--out",
      join(folder, "queued"),
      "--queue",
      server.url,
    );
    let said = "";
    run.stderr!.on("data", (d) => {
      said += d;
    });
    while (!said.includes("points wait: no worker has 2 cores")) await new Promise((r) => setTimeout(r, 50));
    await rows(2);
    expect(lines().map((l) => (JSON.parse(l) as { readonly input: string }).input)).toEqual(["k.ptx", "k.ptx"]);
    worker("2");
    await ended(run);
    expect([run.exitCode, lines().length]).toEqual([0, 4]);
  });

  test("what cannot work is told", async () => {
    server = await startServer(folder, false);
    const said = async (...args: string[]): Promise<[number | null, string]> => {
      const child = processes.start(...args);
      let text = "";
      child.stderr!.on("data", (d) => {
        text += d;
      });
      await ended(child);
      return [child.exitCode, text];
    };
    expect(await said("worker", "--queue", "http://localhost")).toEqual([
      2,
      "ptxlab: a queue is redis://HOST[:PORT] or rediss://…, not 'http://localhost'\n",
    ]);
    const [code, text] = await said("sweep", join(folder, "s.json"), "--queue", "redis://me:secret@127.0.0.1:1");
    expect([code, text.includes("secret")]).toEqual([2, false]);
    expect(text).toMatch(/^ptxlab: no queue at redis:\/\/127.0.0.1:1: .*ECONNREFUSED/);
  });
});
