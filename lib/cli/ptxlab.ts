/** The ptxlab command: look into cubins, run them in the simulator, watch a compilation. */
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { assembleCubin } from "../assemble.js";
import { type Compilation, compile } from "../compile.js";
import { disassemble, listingText } from "../disassemble.js";
import { describeCubin, readCubin } from "../elf/index.js";
import { suggestion } from "../knobs/index.js";
import { printFunc } from "../ori/print.js";
import { type PhaseName, phaseNames, phaseRow } from "../phases/index.js";
import { reschedule } from "../reschedule.js";
import { policyNamed, postSchedule, schedulePolicies } from "../sched/index.js";
import { findingText } from "../sched/verify/index.js";
import { runLaunchFile } from "../sim/index.js";
import { isTargetName, targetNames } from "../target/index.js";
import { verifyCubin } from "../verify.js";
import { cubinsOf, printAll } from "./cubins.js";
import { dis } from "./dis.js";
import { estimateCommand } from "./estimate.js";
import type { Host } from "./host.js";
import { sweepCommand } from "./sweep.js";
import { bytesOf, jsonOf, oneFile, UNUSABLE, UsageError } from "./usage.js";

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

/** Runs the command and returns its exit code. */
export function ptxlab(args: readonly string[], host: Host): number | Promise<number> {
  const [command, ...rest] = args;
  try {
    switch (command) {
      case "dis":
        return dis(rest, host);
      case "asm":
        return asm(rest, host);
      case "run":
        return run(rest, host);
      case "estimate":
        return estimateCommand(rest, host);
      case "sweep":
        return sweepCommand(rest, host).catch((e) => unusable(e, host));
      case "verify":
        return verify(rest, host);
      case "reschedule":
        return rescheduleCommand(rest, host);
      case "compile":
        return compileCommand(rest, host);
      case "elf":
        return elf(rest, host);
      case "help":
      case "--help":
      case "-h":
        host.out(usage);
        return 0;
      default:
        host.err(command === undefined ? usage : `ptxlab: unknown command '${command}'\n${usage}`);
        return UNUSABLE;
    }
  } catch (e) {
    return unusable(e, host);
  }
}

function unusable(e: unknown, host: Host): number {
  if (!isUsageError(e)) throw e;
  host.err(`ptxlab: ${e.message}\n`);
  return UNUSABLE;
}

/** Ours, and those of node:util's parseArgs, known by their code. */
function isUsageError(e: unknown): e is Error {
  if (e instanceof UsageError) return true;
  const code = typeof e === "object" && e !== null && "code" in e ? e.code : null;
  return typeof code === "string" && code.startsWith("ERR_PARSE_ARGS");
}

function asm(args: readonly string[], host: Host): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { like: { type: "string" }, output: { type: "string", short: "o", default: "a.cubin" } },
  });
  const path = oneFile(positionals);
  const text = Buffer.from(bytesOf(path, host)).toString("latin1");
  const cubin = assembleCubin(text, values.like === undefined ? null : bytesOf(values.like, host));
  if (cubin.ok) return save(values.output, cubin.value, host);
  printAll(cubin.diagnostics, path, host);
  return 1;
}

function run(args: readonly string[], host: Host): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { launch: { type: "string" }, json: { type: "boolean" } },
  });
  const path = oneFile(positionals);
  if (values.launch === undefined) throw new UsageError("run needs --launch FILE");
  const launchPath = values.launch;
  const result = runLaunchFile(bytesOf(path, host), jsonOf(launchPath, host), {
    readFile: (p) => host.read(resolve(dirname(launchPath), p)),
  });
  if (values.json) host.out(`${JSON.stringify(result.json, null, 1)}\n`);
  else if (result.lines.length > 0) (result.status === UNUSABLE ? host.err : host.out)(`${result.lines.join("\n")}\n`);
  return result.status;
}

function verify(args: readonly string[], host: Host): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { arch: { type: "string" }, json: { type: "boolean" } },
  });
  const path = oneFile(positionals);
  const files = cubinsOf(path, values.arch, host);
  if (files === null) return UNUSABLE;
  const outcomes = files.map(({ cubin }) => ({ target: cubin.target, findings: verifyCubin(cubin) }));
  const unknown = outcomes.find((o) => o.findings === null);
  if (unknown !== undefined) {
    host.err(`ptxlab: ${unknown.target} is not a target of the hazard checker\n`);
    return UNUSABLE;
  }
  const count = outcomes.reduce((n, o) => n + o.findings!.length, 0);
  if (values.json) host.out(`${JSON.stringify({ clean: count === 0, cubins: outcomes }, null, 1)}\n`);
  else {
    for (const o of outcomes) for (const f of o.findings!) host.out(`${findingText(f)}\n`);
    if (count === 0) host.out("clean\n");
  }
  return count === 0 ? 0 : 1;
}

function rescheduleCommand(args: readonly string[], host: Host): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      arch: { type: "string" },
      order: { type: "string", default: "new" },
      controls: { type: "string" },
      policy: { type: "string", default: postSchedule.name },
      kernel: { type: "string", multiple: true },
      output: { type: "string", short: "o", default: "a.cubin" },
      json: { type: "boolean" },
    },
  });
  const path = oneFile(positionals);
  const order = keepOrNew("order", values.order);
  const controls = values.controls === undefined ? null : keepOrNew("controls", values.controls);
  const policy = policyNamed(values.policy);
  if (policy === undefined)
    throw new UsageError(
      `unknown policy '${values.policy}' (one of ${schedulePolicies.map((p) => p.name).join(", ")})`,
    );
  const files = cubinsOf(path, values.arch, host);
  if (files === null) return UNUSABLE;
  if (files.length > 1)
    throw new UsageError(
      `'${path}' holds several cubins (${files.map((f) => f.cubin.target).join(", ")}): choose with --arch`,
    );
  const done = reschedule(files[0]!.bytes, {
    order,
    policy,
    ...(controls !== null && { controls }),
    ...(values.kernel && { functions: values.kernel }),
  });
  if (!done.ok) {
    printAll(done.diagnostics, path, host);
    return 1;
  }
  const { bytes, target, functions } = done.value;
  if (values.json) host.out(`${JSON.stringify({ target, order, policy: policy.name, functions }, null, 1)}\n`);
  else
    for (const f of functions) {
      const s = f.schedule;
      const cycles =
        s === null ? "" : `, estimated cycles ${Math.round(s.before)} -> ${Math.round(s.after)}, ${s.moved} moved`;
      host.out(`${f.name}: ${f.instructions} instructions, ${f.changed} words changed${cycles}\n`);
    }
  return save(values.output, bytes, host);
}

function keepOrNew(option: string, value: string): "keep" | "new" {
  if (value === "keep" || value === "new") return value;
  throw new UsageError(`--${option} takes keep or new, not '${value}'`);
}

const kinds = ["cubin", "sass", "ori", "lowered"] as const;

function compileCommand(args: readonly string[], host: Host): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      arch: { type: "string", default: "sm_90" },
      emit: { type: "string", default: "cubin" },
      after: { type: "string" },
      kernel: { type: "string", multiple: true },
      output: { type: "string", short: "o" },
    },
  });
  const file = oneFile(positionals);
  const { arch } = values;
  const emit = kinds.find((k) => k === values.emit);
  if (!isTargetName(arch)) throw new UsageError(`unknown target '${arch}' (one of ${targetNames.join(", ")})`);
  if (emit === undefined) throw new UsageError(`unknown kind '${values.emit}' (one of ${kinds.join(", ")})`);
  const after = values.after === undefined ? null : phaseNamed(values.after);
  const stages: string[] = [];
  const c = compile(Buffer.from(bytesOf(file, host)).toString("latin1"), {
    target: arch,
    file,
    ...(values.kernel && { entries: values.kernel }),
    ...(after !== null && {
      observe: (e) => {
        if (e.kind === "after" && e.phase === after) stages.push(e.text());
      },
    }),
  });
  printAll(c.diagnostics, file, host);
  if (emit === "cubin") return c.cubin === null ? 1 : save(values.output ?? "a.cubin", c.cubin, host);
  const text = emit === "sass" ? sassText(c) : after !== null ? stages.join("\n") : oriText(c, emit);
  if (after !== null && stages.length === 0 && c.ok)
    throw new UsageError(`phase ${after} did not run: ${whyNot(c, after)}`);
  if (values.output !== undefined) save(values.output, Buffer.from(text, "utf8"), host);
  else host.out(text);
  return c.ok ? 0 : 1;
}

function phaseNamed(name: string): PhaseName {
  const row = phaseRow(name);
  if (row === undefined) throw new UsageError(`unknown phase '${name}'${suggestion(name, phaseNames)}`);
  return row.name;
}

function whyNot(c: Compilation, phase: PhaseName): string {
  return c.functions[0]?.phases.find((p) => p.phase === phase)?.why ?? "there is no function";
}

function save(path: string, bytes: Uint8Array, host: Host): number {
  if (host.write(path, bytes)) return 0;
  host.err(`ptxlab: cannot write '${path}'\n`);
  return UNUSABLE;
}

function oriText(c: Compilation, emit: "ori" | "lowered"): string {
  const funcs = c.functions.map((f) => (emit === "lowered" ? f.lowered : f.func)).filter((f) => f !== null);
  return funcs.map((f) => printFunc(f)).join("\n");
}

function sassText(c: Compilation): string {
  const cubin = c.cubin === null ? null : readCubin(c.cubin);
  return cubin?.ok ? listingText(cubin.value, disassemble(cubin.value), { control: true }) : "";
}

function elf(args: readonly string[], host: Host): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { arch: { type: "string" }, contents: { type: "boolean" } },
  });
  const path = oneFile(positionals);
  const files = cubinsOf(path, values.arch, host);
  if (files === null) return UNUSABLE;
  files.forEach((file, i) => {
    const lines = describeCubin(file.bytes, { contents: values.contents ?? false });
    if (i > 0) host.out("\n");
    if (lines.ok) host.out(`${lines.value.join("\n")}\n`);
    else printAll(lines.diagnostics, path, host);
  });
  return 0;
}
