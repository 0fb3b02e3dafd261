/** The ptxlab command: look into cubins, run them in the simulator, watch a compilation. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suggestion } from "../knobs/index.js";
import { allHelp, commandHelp } from "./command-line.js";
import type { CommandName } from "./command-table.js";
import type { Host } from "./host.js";
import { UNUSABLE, UsageError } from "./usage.js";

/** A command: its arguments and a host in, an exit status out. */
type Command = (args: readonly string[], host: Host) => number | Promise<number>;

/** Loaded when they are asked for: most of the start-up time of a command would be other commands. */
const commands: Readonly<Record<CommandName, () => Promise<Command>>> = {
  dis: async () => (await import("./dis.js")).dis,
  asm: async () => (await import("./asm.js")).asm,
  run: async () => (await import("./run.js")).run,
  verify: async () => (await import("./verify.js")).verify,
  estimate: async () => (await import("./estimate.js")).estimateCommand,
  reschedule: async () => (await import("./reschedule.js")).rescheduleCommand,
  sweep: async () => (await import("./sweep.js")).sweepCommand,
  worker: async () => (await import("./worker.js")).workerCommand,
  merge: async () => (await import("./merge.js")).mergeCommand,
  query: async () => (await import("./query.js")).queryCommand,
  repeat: async () => (await import("./repeat.js")).repeatCommand,
  knobs: async () => (await import("./knobs.js")).knobsCommand,
  compile: async () => (await import("./compile.js")).compileCommand,
  validate: async () => (await import("./validate.js")).validateCommand,
  bisect: async () => (await import("./validate.js")).bisectCommand,
  view: async () => (await import("./view.js")).viewCommand,
  elf: async () => (await import("./elf.js")).elf,
};

/** Runs the command; its exit status. */
export async function ptxlab(args: readonly string[], host: Host): Promise<number> {
  const [name, ...rest] = args;
  try {
    return await answer(name, rest, host);
  } catch (e) {
    if (!(e instanceof UsageError)) throw e;
    host.err(`ptxlab: ${e.message}\n`);
    return UNUSABLE;
  }
}

async function answer(name: string | undefined, rest: readonly string[], host: Host): Promise<number> {
  const version = name === "--version" || rest.includes("--version");
  const wanted = name === "help" || name === "--help" || name === "-h";
  if (wanted && !version)
    return help(
      rest.find((a) => !a.startsWith("-")),
      host,
    );
  if (name === undefined) {
    host.err(allHelp());
    return UNUSABLE;
  }
  if (name !== "--version" && !wanted && !isCommand(name)) throw unknown(name);
  if (version) {
    host.out(`ptxlab ${packageVersion()}\n`);
    return 0;
  }
  if (rest.some((a) => a === "--help" || a === "-h")) return help(name, host);
  const command = await commands[name as CommandName]();
  return command(rest, host);
}

function packageVersion(): string {
  const file = readFileSync(join(__dirname, "../../package.json"), "utf8");
  return (JSON.parse(file) as { version: string }).version;
}

function help(name: string | undefined, host: Host): number {
  if (name !== undefined && !isCommand(name)) {
    host.err(`ptxlab: ${unknown(name).message}\n`);
    return UNUSABLE;
  }
  host.out(name === undefined ? allHelp() : commandHelp(name));
  return 0;
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);

function unknown(name: string): UsageError {
  return new UsageError(`unknown command '${name}'${suggestion(name, Object.keys(commands))}; ptxlab help lists them`);
}
