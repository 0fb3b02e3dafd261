/** The ptxlab command: look into cubins, run them in the simulator, watch a compilation. */
import type { Host } from "./host.js";
import { UNUSABLE, UsageError } from "./usage.js";

const usage = `Usage: ptxlab <command> [options]

  dis FILE                     Print the code of a cubin, or of the cubins in a fat binary or a host object.
      --arch NAME              Of several cubins those for this target.
      --control                Control bits beside each instruction: scoreboards waited for, set when operands
                               are read, set when the result is written, Y where the warp may be switched, stall.
      --source                 Lines of the source and of the PTX (-lineinfo) in front of the instructions made of them.
      --asm                    As text that the command asm takes: registers, parameters, labels, control words.
      --lines                  One instruction per line: section, TAB, offset (hexadecimal), TAB, text.
      --live                   Numbers of live registers (R, UR, P, UP) in front of each instruction.
      --cfg                    The control flow as a DOT graph.
      --data                   Constants and data: symbols, bytes as hexadecimal digits, u32 and f32, relocations.
      --html                   As one HTML page: links from branches to labels, control words, live registers, PTX
                               lines; the instruction table's words on each instruction and modifier under the pointer.
      --info                   The attributes (EIATTR) of the module and its functions.
      --kernel NAME            Only this function (may be repeated).
      --json                   As JSON.
  asm FILE                     Make a cubin of such a text.
      --like CUBIN             Put the code into this cubin instead; all else stays as it is.
      --output FILE, -o FILE   Default: a.cubin.
  run FILE --launch FILE       Run kernels of a cubin in the simulator (launch file: JSON).
      --json                   The outcome as JSON.
                               Exit status: 0 as expected, 1 not, 2 unusable input, 3 a kernel faulted.
  verify FILE                  Check the code of a cubin (or of the cubins in a fat binary) for hazards: every register
                               ready when it is read and free when it is written, on every way through the code.
      --arch NAME              Of several cubins those for this target.
      --json                   The findings as JSON.
                               Exit status: 0 clean, 1 with findings, 2 unusable input.
  estimate FILE --launch FILE  Estimate the cycles of the launches and tell where they go (a model, not a measurement).
      --blocks N               Blocks played back per SM; the rest is extrapolated.
      --top N                  Instructions listed per launch (default 12).
      --json                   Everything as JSON.
                               Exit status as of run.
  reschedule FILE              Put the code of a cubin into another order, with control words for it, and write the new cubin.
      --arch NAME              Of several cubins (fat binary) that for this target.
      --order new|keep         Default new. With keep and without --controls the bytes stay the same.
      --controls new|keep      Control words of the control pass, or those of the file (default with --order keep).
      --policy NAME            Of the scheduler (default post-schedule); an unknown name lists them all.
      --kernel NAME            Only this function (may be repeated).
      --output FILE, -o FILE   Default: a.cubin.
      --json                   What was done, as JSON.
                               Exit status: 0 done, 1 refused (also when the hazard checker finds fault), 2 unusable input.
  sweep FILE                   Run a sweep that a JSON file describes (inputs, targets, levels, maxRegisters, knobs,
                               policies, shuffles); FILE.jsonl grows while it runs, FILE.parquet is the table.
      --out NAME, -o NAME      Another name for the results.
      --threads N              Worker threads (default: one per core; 0: none).
      --report                 How busy the threads were, on the error output.
      --json                   The rows as JSON.
                               Exit status: 0 done, 1 with rows that failed, 2 unusable input, 130 interrupted.
  compile FILE                 Compile PTX.
      --arch NAME              What for (default sm_90).
      --emit WHAT              cubin (default), sass, ori (after all phases), lowered (before the first phase).
      --after PHASE            With ori: as it is after this phase.
      --kernel NAME            Only this kernel (may be repeated).
      --output FILE            Default: standard output for text, a.cubin for a cubin.
  elf FILE                     Print sections, symbols, relocations and attributes of a cubin (or fat binary).
      --arch NAME              Of several cubins those for this target.
      --contents               With the bytes of the data sections.
  help                         Print this.
`;

/** A command: its arguments and a host in, an exit status out. */
type Command = (args: readonly string[], host: Host) => number | Promise<number>;

/** Loaded when they are asked for: most of the start-up time of a command would be other commands. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  dis: async () => (await import("./dis.js")).dis,
  asm: async () => (await import("./asm.js")).asm,
  run: async () => (await import("./run.js")).run,
  verify: async () => (await import("./verify.js")).verify,
  estimate: async () => (await import("./estimate.js")).estimateCommand,
  reschedule: async () => (await import("./reschedule.js")).rescheduleCommand,
  sweep: async () => (await import("./sweep.js")).sweepCommand,
  compile: async () => (await import("./compile.js")).compileCommand,
  elf: async () => (await import("./elf.js")).elf,
};

/** Runs the command; its exit status. */
export async function ptxlab(args: readonly string[], host: Host): Promise<number> {
  const [name, ...rest] = args;
  if (name === "help" || name === "--help" || name === "-h") {
    host.out(usage);
    return 0;
  }
  const load = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined) {
    host.err(name === undefined ? usage : `ptxlab: unknown command '${name}'\n${usage}`);
    return UNUSABLE;
  }
  try {
    const command = await load();
    return await command(rest, host);
  } catch (e) {
    if (!isUsageError(e)) throw e;
    host.err(`ptxlab: ${e.message}\n`);
    return UNUSABLE;
  }
}

/** Ours, and those of node:util's parseArgs, known by their code. */
function isUsageError(e: unknown): e is Error {
  if (e instanceof UsageError) return true;
  const code = typeof e === "object" && e !== null && "code" in e ? e.code : null;
  return typeof code === "string" && code.startsWith("ERR_PARSE_ARGS");
}
