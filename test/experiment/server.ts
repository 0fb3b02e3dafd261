/**
 * A Redis or Valkey server of a test's own. Without one (Debian: apt install redis-server; REDIS_SERVER= names another) the tests are reported
 * as skipped; with PTXLAB_REDIS=required a missing one fails.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { delimiter, join } from "node:path";

const found = (process.env.PATH ?? "")
  .split(delimiter)
  .flatMap((dir) => ["redis-server", "valkey-server"].map((n) => join(dir, n)))
  .find((f) => existsSync(f));
const program = process.env.REDIS_SERVER ?? found;

export const describeServer = (name: string, body: () => void): void => {
  if (program !== undefined || process.env.PTXLAB_REDIS === "required") describe(name, body);
  else describe.skip(name, body);
};

export interface Server {
  readonly url: string;
  /** Kills the server and starts it again in the same folder, with what it wrote down (`persistent`) or with nothing. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Number of its process. */
  pid(): number | undefined;
}

const freePort = (): Promise<number> =>
  new Promise((yes) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => yes(port));
    });
  });

const answers = (port: number): Promise<boolean> =>
  new Promise((yes) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => yes(true)).on("error", () => yes(false));
    socket.on("connect", () => socket.destroy());
  });

export const ended = (child: ChildProcess): Promise<void> =>
  new Promise((yes) => {
    if (child.exitCode !== null || child.signalCode !== null) yes();
    else child.once("exit", () => yes());
  });

export async function startServer(folder: string, persistent: boolean): Promise<Server> {
  if (program === undefined) throw new Error("no server: apt install redis-server");
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(program, [...args, "--appendonly", persistent ? "yes" : "no"], { stdio: "ignore" });
    while (!(await answers(port))) await new Promise((r) => setTimeout(r, 20));
    return child;
  };
  let child = await start();
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended(child);
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    stop,
    pid: () => child.pid,
    restart: async () => {
      await stop();
      child = await start();
    },
  };
}
