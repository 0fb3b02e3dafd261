/** A sweep on a queue that is judged by the clock of a GPU: a real server, workers as processes, a stand-in for the GPU of one of them. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { compile } from "../../lib/compile.js";
import { clock, type Row, type SweepSpec, sweep } from "../../lib/experiment/index.js";
import { corpusPtx } from "../corpus/cases.js";
import { describePython, saxpy, stubEnvironment } from "../gpu/stub.js";
import { Processes } from "./processes.js";
import { describeServer, ended, type Server, startServer } from "./server.js";

jest.setTimeout(120_000);

const processes = new Processes();
let folder: string;
let server: Server;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ptxlab-queue-clock-"));
  const ptx = corpusPtx("saxpy", "sm_90");
  writeFileSync(join(folder, "k.ptx"), ptx);
  writeFileSync(join(folder, "k.cubin"), compile(ptx, { target: "sm_90", opt: 0 }).cubin!);
  writeFileSync(join(folder, "k.json"), JSON.stringify(saxpy.launch));
  server = await startServer(folder, false);
});
afterEach(async () => {
  await processes.killAll();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Variables under which a process finds one GPU: nvidia-smi names it, the driver is the stand-in. */
function withGpu(): Readonly<Record<string, string>> {
  const smi = join(folder, "nvidia-smi");
  writeFileSync(smi, "#!/bin/sh\necho Stub GPU\n");
  chmodSync(smi, 0o755);
  return { ...stubEnvironment(folder, {}), PATH: `${folder}${delimiter}${process.env.PATH}` };
}

describeServer("a GPU on a queue", () => {
  describePython("with the stand-in", () => {
    test("points wait for a worker with a GPU, which measures them; what is known is not asked again", async () => {
      const spec: SweepSpec = {
        name: "measured",
        inputs: [
          { ptx: "k.ptx", launch: "k.json" },
          { cubin: "k.cubin", launch: "k.json" },
        ],
        levels: [0, 3],
        objective: { clock: { repetitions: 5, inARow: 4 } },
      };
      const file = join(folder, "s.json");
      writeFileSync(file, JSON.stringify(spec));
      const worker = ["worker", "--queue", server.url, "--threads", "1", "--quiet"];
      processes.start(...worker);
      const run = processes.start("sweep", file, "--out", join(folder, "out"), "--queue", server.url);
      let said = "";
      run.stderr!.on("data", (d) => {
        said += d;
      });
      while (!said.includes("points wait: no worker has a GPU")) await new Promise((r) => setTimeout(r, 50));
      processes.startIn(withGpu(), ...worker);
      await ended(run);
      expect(run.exitCode).toBe(0);
      const rows = readFileSync(join(folder, "out.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map((l) => JSON.parse(l) as Row);
      expect(rows.map((r) => [r.objective, r.outcome, r.results, r.repetitions, r.inARow])).toEqual(
        rows.map(() => ["clock", "ok", "as expected", 5, 4]),
      );
      expect(rows).toHaveLength(3);
      for (const r of rows) {
        expect(r.median).toBeGreaterThan(0);
        expect(r.card).toBe(rows[0]!.card);
        expect(r.cycles).toBeNull();
      }
      const again = await sweep(spec, { folder, out: join(folder, "out"), queue: { url: server.url } });
      expect([again.resumed, again.complete]).toEqual([3, true]);
    });

    test("a worker whose GPU cannot be opened leaves its points to one whose GPU can", async () => {
      const spec: SweepSpec = {
        name: "measured",
        inputs: [{ cubin: "k.cubin", launch: "k.json" }],
        objective: { clock: { repetitions: 5, inARow: 4 } },
      };
      const file = join(folder, "s.json");
      writeFileSync(file, JSON.stringify(spec));
      const worker = ["worker", "--queue", server.url, "--threads", "1", "--quiet"];
      // nvidia-smi names a GPU; the driver has none.
      const blind = processes.startIn({ ...withGpu(), ...stubEnvironment(folder, { missing: true }) }, ...worker);
      const heard = { blind: "", run: "" };
      blind.stderr!.on("data", (d) => {
        heard.blind += d;
      });
      const run = processes.start("sweep", file, "--out", join(folder, "out"), "--queue", server.url);
      run.stderr!.on("data", (d) => {
        heard.run += d;
      });
      while (!heard.run.includes("points wait: no worker has a GPU")) await new Promise((r) => setTimeout(r, 50));
      expect(heard.blind.split("\n")).toEqual([
        expect.stringMatching(/^points that need a GPU are left to other workers: ./),
        "",
      ]);
      processes.startIn(withGpu(), ...worker);
      await ended(run);
      const rows = readFileSync(join(folder, "out.jsonl"), "utf8").trim().split("\n");
      expect(rows.map((l) => (JSON.parse(l) as Row).outcome)).toEqual(["ok"]);
    });

    test("an objective of this process cannot judge on workers", async () => {
      const spec: SweepSpec = { name: "s", inputs: [{ ptx: "k.ptx" }] };
      const made = clock();
      await expect(sweep(spec, { folder, objective: made, queue: { url: server.url } })).rejects.toThrow(
        "points of a queue are judged as the sweep says",
      );
    });
  });
});
