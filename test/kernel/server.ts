/**
 * A real Jupyter server from the project's environment (`.venv`, made by `npm start`), for tests that drive the kernel
 * as JupyterLab does. Without it they are reported as skipped; with PTXLAB_JUPYTER=required a missing one fails.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import net from "node:net";
import { KernelAPI, KernelConnection, ServerConnection } from "@jupyterlab/services";

const { bin, root, installKernelspec, installLabextension, serverOptions } = require("../../kernel/environment.cjs");

export const jupyter = (name: string): string => bin(name);
export const available: boolean = existsSync(jupyter("jupyter-server"));

export function describeJupyter(name: string, body: () => void): void {
  if (available) describe(name, body);
  else if (process.env.PTXLAB_JUPYTER === "required")
    describe(name, () => {
      test("the project's Jupyter is installed", () => {
        throw new Error("PTXLAB_JUPYTER=required, but there is no Jupyter in .venv: npm run lab -- --setup-only");
      });
    });
  else describe.skip(name, body);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as net.AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

export interface Message {
  readonly type: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** What became of one cell: its reply, and what was published for it, in order. */
export interface Cell {
  readonly reply: Readonly<Record<string, unknown>>;
  readonly messages: readonly Message[];
  /** All text printed. */
  readonly printed: string;
}

export class JupyterServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly settings: ServerConnection.ISettings,
  ) {}

  /** Without pages of its own, or JupyterLab. */
  static async start(
    program: "jupyter-server" | "jupyter-lab" = "jupyter-server",
    folder = `${root}/notebooks`,
    more: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<JupyterServer> {
    installKernelspec();
    installLabextension();
    const port = await freePort();
    const token = "ptxlab-test";
    const options = [
      `--port=${port}`,
      "--ip=127.0.0.1",
      "--no-browser",
      ...serverOptions,
      `--ServerApp.root_dir=${folder}`,
      ...more,
    ];
    const child = spawn(jupyter(program), [...options, `--IdentityProvider.token=${token}`], {
      stdio: "ignore",
      env: { ...process.env, ...env },
    });
    const baseUrl = `http://127.0.0.1:${port}`;
    const wsUrl = `ws://127.0.0.1:${port}`;
    const server = new JupyterServer(
      child,
      ServerConnection.makeSettings({ baseUrl, wsUrl, token, appendToken: true }),
    );
    for (;;) {
      if (child.exitCode !== null) throw new Error(`the Jupyter server ended with status ${child.exitCode}`);
      const answer = await fetch(`${baseUrl}/api/status?token=${token}`).catch(() => null);
      if (answer?.ok) return server;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async kernel(): Promise<KernelConnection> {
    const model = await KernelAPI.startNew({ name: "ptxlab" }, this.settings);
    const kernel = new KernelConnection({ model, serverSettings: this.settings });
    await kernel.info;
    return kernel;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.child.once("exit", () => resolve());
      this.child.kill("SIGTERM");
    });
  }
}

/** Sends a cell; resolves when the kernel has replied and is idle again. */
export async function execute(kernel: KernelConnection, code: string, options: object = {}): Promise<Cell> {
  const messages: Message[] = [];
  const future = kernel.requestExecute({ code, stop_on_error: true, ...options });
  future.onIOPub = ({ header, content }) => {
    messages.push({ type: header.msg_type, content: content as Message["content"] });
  };
  const reply = (await future.done).content as unknown as Cell["reply"];
  const shown = messages.filter((m) => m.type !== "status");
  const printed = shown.map((m) => (m.type === "stream" ? String(m.content.text) : "")).join("");
  return { reply, messages: shown, printed };
}
