/** `ptxlab compile`: PTX to a cubin, or to the code after a stage. */
import { type Compilation, compile } from "../compile.js";
import { disassemble, listingText } from "../disassemble.js";
import { readCubin } from "../elf/index.js";
import { suggestion } from "../knobs/index.js";
import { printFunc } from "../ori/print.js";
import { type PhaseName, phaseNames, phaseRow } from "../phases/index.js";
import { adjustRegisterOption } from "../regalloc/index.js";
import { isTargetName, target, targetNames } from "../target/index.js";
import { readCommandLine } from "./command-line.js";
import { printAll } from "./cubins.js";
import type { Host } from "./host.js";
import { bytesOf, save, UNUSABLE, UsageError } from "./usage.js";

/** Exit status 0, 1 when the PTX has mistakes, 2 when a file or an option cannot be used. */
export function compileCommand(args: readonly string[], host: Host): number {
  const { file, values } = readCommandLine("compile", args);
  const { arch = "sm_90", emit = values.after === undefined ? "cubin" : "ori" } = values;
  if (!isTargetName(arch)) throw new UsageError(`unknown target '${arch}' (one of ${targetNames.join(", ")})`);
  const after = values.after === undefined ? null : phaseNamed(values.after);
  if (after !== null && emit !== "ori") throw new UsageError(`--after prints ori, not ${emit}`);
  const { maxrregcount } = values;
  const limit = maxrregcount === undefined ? null : adjustRegisterOption(target(arch), maxrregcount);
  printAll(limit?.diagnostics ?? [], file, host);
  const stages: string[] = [];
  const c = compile(Buffer.from(bytesOf(file, host)).toString("latin1"), {
    target: arch,
    file,
    ...(values["opt-level"] && { opt: Number(values["opt-level"]) }),
    ...(limit !== null && limit.value !== null && { maxRegisters: limit.value }),
    ...(values.knob && { knobs: Object.fromEntries(values.knob.map(knobSetting)) }),
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
  if (values.output === undefined) host.out(text);
  else if (save(values.output, Buffer.from(text, "utf8"), host) !== 0) return UNUSABLE;
  return c.ok ? 0 : 1;
}

/** `NAME=VALUE`; what names and values there are the compiler says. */
function knobSetting(text: string): [string, string] {
  const eq = text.indexOf("=");
  if (eq < 1) throw new UsageError(`--knob takes NAME=VALUE, not '${text}'`);
  return [text.slice(0, eq), text.slice(eq + 1)];
}

function phaseNamed(name: string): PhaseName {
  const row = phaseRow(name);
  if (row === undefined) throw new UsageError(`unknown phase '${name}'${suggestion(name, phaseNames)}`);
  return row.name;
}

function whyNot(c: Compilation, phase: PhaseName): string {
  return c.functions[0]?.phases.find((p) => p.phase === phase)?.why ?? "there is no function";
}

function oriText(c: Compilation, emit: "ori" | "lowered"): string {
  const funcs = c.functions.map((f) => (emit === "lowered" ? f.lowered : f.func)).filter((f) => f !== null);
  return funcs.map((f) => printFunc(f)).join("\n");
}

function sassText(c: Compilation): string {
  const cubin = c.cubin === null ? null : readCubin(c.cubin);
  return cubin?.ok ? listingText(cubin.value, disassemble(cubin.value), { control: true }) : "";
}
