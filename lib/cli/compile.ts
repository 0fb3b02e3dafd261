/** `ptxlab compile`: PTX to a cubin, or to the code after a stage. */
import type { Compilation } from "../compile.js";
import { disassemble, listingText } from "../disassemble.js";
import { readCubin } from "../elf/index.js";
import { suggestion } from "../knobs/index.js";
import { readersOf, shownValue } from "../knobs/reads.js";
import { printFunc } from "../ori/print.js";
import { type PhaseName, phaseNames, phaseRow } from "../phases/index.js";
import { alignColumns } from "../view/html.js";
import { readCommandLine } from "./command-line.js";
import { compiledFile } from "./compiled.js";
import type { Host } from "./host.js";
import { save, UNUSABLE, UsageError } from "./usage.js";

/** Exit status 0, 1 when the PTX has mistakes, 2 when a file or an option cannot be used. */
export function compileCommand(args: readonly string[], host: Host): number {
  const { file, values } = readCommandLine("compile", args);
  const { emit = values.after === undefined ? "cubin" : "ori" } = values;
  const after = values.after === undefined ? null : phaseNamed(values.after);
  if (after !== null && emit !== "ori") throw new UsageError(`--after prints ori, not ${emit}`);
  const stages: string[] = [];
  const c = compiledFile(file, values, host, {
    ...(after !== null && {
      observe: (e) => {
        if (e.kind === "after" && e.phase === after) stages.push(e.text());
      },
    }),
  });
  if (emit === "cubin") return c.cubin === null ? 1 : save(values.output ?? "a.cubin", c.cubin, host);
  const text =
    emit === "sass"
      ? sassText(c)
      : emit === "knobs"
        ? knobsText(c)
        : after !== null
          ? stages.join("\n")
          : oriText(c, emit);
  if (after !== null && stages.length === 0 && c.ok)
    throw new UsageError(`phase ${after} did not run: ${whyNot(c, after)}`);
  if (values.output === undefined) host.out(text);
  else if (save(values.output, Buffer.from(text, "utf8"), host) !== 0) return UNUSABLE;
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

function oriText(c: Compilation, emit: "ori" | "lowered"): string {
  const funcs = c.functions.map((f) => (emit === "lowered" ? f.lowered : f.func)).filter((f) => f !== null);
  return funcs.map((f) => printFunc(f)).join("\n");
}

function knobsText({ knobs }: Compilation): string {
  const rows = knobs.map((k) => [k.knob, shownValue(k.value), k.set ? "set" : "default", readersOf(k)]);
  return `${alignColumns([["knob", "value", "", "read by"], ...rows], [false, true, false, false])}\n`;
}

function sassText(c: Compilation): string {
  const cubin = c.cubin === null ? null : readCubin(c.cubin);
  return cubin?.ok ? listingText(cubin.value, disassemble(cubin.value), { control: true }) : "";
}
