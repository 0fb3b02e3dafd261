/** `ptxlab dis`: the code and data of cubins, in one of several views. */
import { assemblyText } from "../assemble.js";
import { disassemble, type ListedFunction, listingText } from "../disassemble.js";
import { htmlText } from "./code-html.js";
import { graphText, infoText, linesText, liveText } from "./code-views.js";
import { readCommandLine } from "./command-line.js";
import { cubinsOf } from "./cubins.js";
import { dataText } from "./data-view.js";
import type { Host } from "./host.js";
import { UNUSABLE, UsageError } from "./usage.js";

function chosen(functions: readonly ListedFunction[], names: readonly string[] | undefined): readonly ListedFunction[] {
  if (names === undefined) return functions;
  for (const n of names) if (!functions.some((f) => f.name === n)) throw new UsageError(`no function '${n}'`);
  return functions.filter((f) => names.includes(f.name));
}

/** Runs the command; exit status 0, or 2 when the input cannot be used. */
export function dis(args: readonly string[], host: Host): number {
  const { file: path, values } = readCommandLine("dis", args);
  const views = ["asm", "lines", "live", "cfg", "data", "html", "info", "json"] as const;
  const view = views.filter((v) => values[v]);
  if (view.length > 1) throw new UsageError(`--${view[0]} and --${view[1]} exclude each other`);
  const files = cubinsOf(path, values.arch, host);
  if (files === null) return UNUSABLE;
  if (files.length > 1 && (values.asm || values.lines || values.cfg || values.html || values.json))
    throw new UsageError(
      `${files.length} cubins in '${path}', choose by --arch: ${files.map((f) => f.cubin.target).join(", ")}`,
    );
  let unknown = 0;
  files.forEach((file, i) => {
    const { cubin } = file;
    if (files.length > 1) host.out(`${i > 0 ? "\n" : ""}// cubin ${i + 1} of ${files.length}: ${cubin.target}\n`);
    const functions = values.info ? [] : chosen(disassemble(cubin), values.kernel);
    unknown += functions.reduce((n, f) => n + f.unknown, 0);
    if (values.info) host.out(`${infoText(file).join("\n")}\n`);
    else if (values.asm) {
      const names = new Set(functions.map((f) => f.name));
      host.out(
        assemblyText(
          cubin,
          cubin.functions.filter((f) => names.has(f.name)),
        ),
      );
    } else if (values.json) {
      const plain = functions.map((f) => ({ ...f, labels: Object.fromEntries(f.labels) }));
      host.out(`${JSON.stringify({ target: cubin.target, functions: plain }, null, 1)}\n`);
    } else if (values.lines) host.out(linesText(functions));
    else if (values.live) host.out(liveText(cubin, functions));
    else if (values.html) host.out(htmlText(cubin, functions));
    else if (values.data) host.out(dataText(cubin, new Set(functions.map((f) => f.name))));
    else if (values.cfg) host.out(graphText(cubin, functions));
    else host.out(listingText(cubin, functions, { control: values.control, source: values.source }));
  });
  if (unknown > 0)
    host.err(
      `ptxlab: ${unknown === 1 ? "1 instruction is" : `${unknown} instructions are`} not in the instruction table\n`,
    );
  return 0;
}
