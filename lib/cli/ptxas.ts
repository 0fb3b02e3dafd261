/**
 * The drop-in ptxas command: same options, same output names, same wording on stderr, same exit codes (0, or 255 after
 * an error). The output file is written whole or not at all.
 */
import { type Compilation, type CompileOptions, compile } from "../compile.js";
import { type Diagnostic, diagnostic, isFailure, notSupported } from "../diagnostics.js";
import { readCubin } from "../elf/index.js";
import { InternalError } from "../errors.js";
import { adjustRegisterOption } from "../regalloc/index.js";
import { isTargetName, type Target, type TargetName, target as targetOf } from "../target/index.js";
import { type Arguments, parseArguments } from "./arguments.js";
import { helpText } from "./help.js";
import type { Host } from "./host.js";
import { type OptionSpec, ptxasOptions, ptxVersions, unrecorded } from "./ptxas-options.js";
import { reportLines } from "./report.js";
import { join, type Located, misread, type Source } from "./sources.js";
import { UsageError } from "./usage.js";

const FAILED = 255;
/** `-maxrregcount archmin` (wiki page 62, corrected by measurements). */
const ARCHMIN = 32;

/** Clients look for `release (\d+\.\d+)`, from which they choose the `.version` of their PTX. */
const banner = `ptxas: ptxlab, a PTX assembler that stands in for ptxas
Cuda compilation tools, release 13.0, V13.0.88
`;

/** Runs the command and returns its exit code. */
export function ptxas(args: readonly string[], host: Host): number {
  try {
    return answer(args, host);
  } catch (e) {
    if (!(e instanceof UsageError)) throw e;
    host.err(`ptxas fatal   : ${e.message}\n`);
    return FAILED;
  }
}

function answer(args: readonly string[], host: Host): number {
  const parsed = parseArguments(args, ptxasOptions, (path) => textOf(host.read(path)));
  if (!parsed.ok) {
    host.err(`ptxas fatal   : ${parsed.message}\n`);
    return FAILED;
  }
  const { values, inputs } = parsed.value;
  if (values.has("V")) return said(host, banner);
  if (values.has("version-ls")) return said(host, `${ptxVersions.join("\n")}\n`);
  if (values.has("h") || inputs.length === 0) return said(host, helpText(ptxasOptions));
  return new Command(parsed.value, host).run();
}

function said(host: Host, text: string): number {
  host.out(text);
  return 0;
}

/** PTX is ASCII; other bytes stay single characters, so that positions are right. */
function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

class Command {
  private readonly values: ReadonlyMap<string, string>;
  private readonly args: Arguments;
  private readonly host: Host;
  private failed = false;

  constructor(args: Arguments, host: Host) {
    this.args = args;
    this.values = args.values;
    this.host = host;
  }

  run(): number {
    for (const w of this.args.warnings) this.report(diagnostic("warning", w), null);
    const arch = this.values.get("arch") ?? "sm_75";
    const name = arch.replace(/^(compute|lto)_/, "sm_");
    if (!isTargetName(name)) throw new InternalError(`-arch took ${arch}`);
    const refusal = this.refusal();
    if (refusal !== null) {
      this.report(diagnostic("fatal", refusal), null);
      return FAILED;
    }
    const registers = this.registers(targetOf(name));
    this.checkOptions();
    if (this.failed) return this.abort();
    const sources = this.sources();
    if (sources === null) return this.abort();
    const wrong = misread(sources, name);
    for (const { diagnostics, located } of wrong) for (const d of diagnostics) this.report(d, located);
    if (wrong.length > 0) return this.abort();
    const joined = join(sources);
    this.host.expect?.(joined.text.length);
    const c = compile(joined.text, this.compileOptions(name, sources[0]!.name, registers));
    // What concerns kernels comes in the order in which ptxas compiles them: last first.
    const info = c.diagnostics.filter((d) => d.severity === "info").reverse();
    for (const d of c.diagnostics) if (d.severity !== "info") this.report(d, joined);
    for (const d of info) this.report(d, joined);
    // ptxas leaves at once where something is fatal that stands in no line, or where the checks let pass what does not fit; so it
    // does not tell that it aborts.
    const leaves = (d: Diagnostic): boolean => d.severity === "fatal" || (c.program !== null && isFailure(d));
    if (c.module !== null && c.diagnostics.some((d) => d.span === null && leaves(d))) return FAILED;
    if (this.failed || c.cubin === null) return this.abort();
    this.warnOptions(c);
    this.warnUse(c);
    if (this.failed) return this.abort();
    if (this.values.has("v")) this.verbose(c, arch);
    if (!arch.startsWith("sm_")) return 0;
    return this.write(c.cubin);
  }

  /** What ends the run before anything is read. */
  private refusal(): string | null {
    const registers = this.values.get("maxrregcount");
    if (registers !== undefined && !/^(\d+|archmin|archmax)$/.test(registers))
      return `Invalid value '${registers}' for option 'maxrregcount'`;
    if (this.values.has("g") && Number(this.values.get("O") ?? 0) > 0) return "Optimized debugging not supported";
    return null;
  }

  /** `-maxrregcount` brought into range, null when it says nothing. */
  private registers(target: Target): number | null {
    const text = this.values.get("maxrregcount");
    if (text === undefined || text === "archmax") return null;
    if (text === "archmin") return ARCHMIN;
    const adjusted = adjustRegisterOption(target, Number(text));
    for (const d of adjusted.diagnostics) this.report(d, null);
    return adjusted.value;
  }

  private checkOptions(): void {
    const { values } = this;
    if (values.has("suppress-debug-info") && !values.has("g") && !values.has("lineinfo"))
      this.report(
        diagnostic(
          "warning",
          "Option suppress-debug-info requires option device-debug or lineinfo; ignoring since latter is not specified",
        ),
        null,
      );
    if (values.has("legacy-bar-warp-wide-behavior")) {
      const name = "--legacy-bar-warp-wide-behavior";
      const old = `'${name}' is a deprecated option, It will be removed in future release and is not recommended`;
      this.report(diagnostic("warning", old), null);
      // ptxas says sm_70 whatever the target is.
      const late = `Command line option '${name}' not supported for '.target sm_70', will be ignored`;
      this.report(diagnostic("warning", late), null);
    }
    for (const spec of ptxasOptions) {
      const value = values.get(spec.short);
      if (spec.effect === "refused" && value !== undefined && value !== "false")
        this.report(notSupported(`option '--${spec.long}'`, null), null);
    }
  }

  private sources(): Source[] | null {
    const sources: Source[] = [];
    for (const input of this.args.inputs) {
      if (input.path === null) {
        sources.push({ name: "application ptx input", text: input.text });
        continue;
      }
      const { path } = input;
      // To ptxas a directory is a file without text (measured).
      const text = textOf(this.host.read(path)) ?? (this.host.isDirectory(path) ? "" : null);
      if (text === null) {
        this.report(diagnostic("fatal", `Input file '${input.path}' could not be opened`), null);
        return null;
      }
      sources.push({ name: input.path, text });
    }
    return sources;
  }

  private compileOptions(target: TargetName, file: string, maxRegisters: number | null): CompileOptions {
    const { values } = this;
    const lines = values.has("lineinfo") || values.has("g");
    const entries = values.get("e")?.split(",");
    return {
      target,
      file,
      ...(values.has("O") && { opt: Number(values.get("O")) }),
      relocatable: values.has("c"),
      ...(values.get("fmad") === "false" && { fmad: false }),
      ...(values.has("suppress-debug-info") ? { lineInfo: false } : lines && { lineInfo: true }),
      commandLine: this.recorded(),
      ...(maxRegisters !== null && { maxRegisters }),
      ...(values.has("override-directive-values") && { overrideDirectives: true }),
      ...(entries && { entries }),
      lean: true,
    };
  }

  /** The command line as ptxas keeps it in the cubin: in the order of its table, each option with a blank after it. */
  private recorded(): string {
    let text = "";
    for (const spec of ptxasOptions) {
      const value = this.values.get(spec.short);
      if (value !== undefined && spec.help !== null && !unrecorded.has(spec.short)) text += recordedOption(spec, value);
    }
    return text;
  }

  /** Options that the text gives nothing to do for. */
  private warnOptions(c: Compilation): void {
    const sections = new Set(c.module?.items.map((i) => (i.kind === "section" ? i.name.replace(/^\./, "") : "")));
    if (this.values.has("g"))
      for (const name of ["debug_abbrev", "debug_info"])
        if (!sections.has(name)) this.report(diagnostic("warning", ` .${name} section not found`), null);
    const own = c.module?.target?.names[0] ?? "";
    const asked = this.values.has("g-tmem-access-check") || this.values.has("gno-tmem-access-check");
    if (!asked || Number(/\d+/.exec(own)?.[0]) >= 100) return;
    const both = "--g-tensor-memory-access-check / --gno-tensor-memory-access-check";
    // ptxas tells this without -v, too.
    this.host.err(
      `ptxas info    : Command line option '${both}' not supported for '.target ${own}', will be ignored\n`,
    );
  }

  private warnUse(c: Compilation): void {
    for (const f of [...c.functions].reverse()) {
      if (f.code === null) continue;
      const { frameBytes, spillStores, spillLoads } = f.code;
      if (this.values.has("warn-spills") && spillStores + spillLoads > 0)
        this.report(
          diagnostic(
            "warning",
            `Registers are spilled to local memory in function '${f.name}', ${spillStores} bytes spill stores, ${spillLoads} bytes spill loads`,
          ),
          null,
        );
      if (this.values.has("warn-lmem-usage") && frameBytes > 0)
        this.report(
          diagnostic("warning", `Local memory used for function '${f.name}', size of stack frame: ${frameBytes} bytes`),
          null,
        );
    }
  }

  private verbose(c: Compilation, arch: string): void {
    const cubin = readCubin(c.cubin!);
    if (!cubin.ok) return;
    const share = (c.times.phases + c.times.encode) / Math.max(1, c.functions.length);
    const lines = reportLines(cubin.value, arch, (name) => {
      const code = c.functions.find((f) => f.name === name)?.code;
      const { spillStores = 0, spillLoads = 0, routines = [] } = code ?? {};
      return { spillStores, spillLoads, time: share, routines };
    });
    this.host.err(`${lines.join("\n")}\n`);
  }

  private write(cubin: Uint8Array): number {
    const path = this.values.get("o") ?? "elf.o";
    if (this.host.write(path, cubin)) return 0;
    this.host.err(`ptxas fatal   : Output file '${path}' could not be opened\n`);
    return FAILED;
  }

  /** Prints what the user is to see: information only with -v where it has no number, warnings unless -w, as errors with -Werror. */
  private report(d: Diagnostic, where: Located | null): void {
    const { values } = this;
    if (d.severity === "info" && !/^\(C\d+\)/.test(d.message) && !values.has("v")) return;
    const severity = d.severity === "warning" && values.has("Werror") ? "error" : d.severity;
    if (severity === "warning" && values.has("w")) return;
    if (isFailure({ ...d, severity })) this.failed = true;
    const at = d.span === null || where === null ? null : where.locate(d.span);
    const place = at === null ? "" : `${at.name}, line ${at.line}; `;
    this.host.err(`ptxas ${place}${severity.padEnd(8)}: ${d.message}\n`);
  }

  private abort(): number {
    this.host.err("ptxas fatal   : Ptx assembly aborted due to errors\n");
    return FAILED;
  }
}

/** `-v ` and a blank, `-arch sm_90 `. */
function recordedOption(spec: OptionSpec, value: string): string {
  return `-${spec.short} ${value} `;
}
