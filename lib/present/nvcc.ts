/** nvcc as a black box: where it is, what it says about a cell, and which line of the cell each line of its PTX is from. */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { type Diagnostic, diagnostic, isFailure, type Severity, type Span } from "../diagnostics.js";

export interface NvccResult {
  /** Null when nvcc refused the text; then there is an error among the diagnostics. */
  readonly ptx: string | null;
  /** Spans count in the text. */
  readonly diagnostics: readonly Diagnostic[];
  /** Line and column of the text for each line of the PTX; null where it comes from nothing in the text. */
  readonly places: readonly (Span | null)[];
}

export interface NvccOptions {
  readonly nvcc: string;
  /** Folder for the files of this run. */
  readonly folder: string;
  readonly args: readonly string[];
  /** Leave the line information in the PTX. */
  readonly lineInfo: boolean;
}

/** `PTXLAB_NVCC`, the one of the project that `folder` lies in, or the one on the path; null where there is none. */
export function findNvcc(folder: string): string | null {
  const { PTXLAB_NVCC, PATH = "" } = process.env;
  if (PTXLAB_NVCC !== undefined && PTXLAB_NVCC !== "") return PTXLAB_NVCC;
  const places: string[] = [];
  for (let dir = path.resolve(folder); ; dir = path.dirname(dir)) {
    places.push(path.join(dir, ".oracle", "bin"));
    if (dir === path.dirname(dir)) break;
  }
  const found = [...places, ...PATH.split(path.delimiter)].find((p) => fs.existsSync(path.join(p, "nvcc")));
  return found === undefined ? null : path.join(found, "nvcc");
}

/**
 * CUDA C++ to PTX. nvcc always gets `-lineinfo`, which does not change its instructions (measured on the corpus); what
 * it adds is taken out again unless it is wanted.
 */
export function runNvcc(text: string, options: NvccOptions): NvccResult {
  const input = path.join(options.folder, "cell.cu");
  const output = path.join(options.folder, "cell.ptx");
  fs.writeFileSync(input, text);
  const args = ["-ptx", "-lineinfo", ...options.args, input, "-o", output];
  const ran = spawnSync(options.nvcc, args, { encoding: "utf8", maxBuffer: 1 << 26 });
  const said = ran.error
    ? `cannot run ${options.nvcc} (${ran.error.message.replace(/^.* /, "")})`
    : `${ran.stdout}${ran.stderr}`;
  const diagnostics = nvccDiagnostics(said, input, text);
  if (ran.status === 0) {
    const { ptx, places } = withPlaces(fs.readFileSync(output, "utf8"), input, options.lineInfo);
    return { ptx, diagnostics, places };
  }
  const errors = diagnostics.some(isFailure) ? diagnostics : [diagnostic("error", said.trim())];
  return { ptx: null, diagnostics: errors, places: [] };
}

// `cell.cu(3): error: …`, `cell.cu:2:10: fatal error: …` (the host's preprocessor), `At end of source: error: …`.
const MESSAGE =
  /^(?:(?<file>[^\s(:][^(:]*)(?:\((?<line>\d+)\)|:(?<row>\d+):(?<column>\d+))|At end of source): (?:fatal )?(?<severity>error|warning)(?: #[\w-]+)?: (?<what>.*)$/;

/**
 * Messages of nvcc: the first line, details below it, the source line and a caret. What is said about other files keeps
 * their name in its words and has no span.
 */
export function nvccDiagnostics(output: string, input: string, text: string): Diagnostic[] {
  const source = text.split("\n");
  const lines = output.split(input).join("the cell").split("\n");
  const found: Diagnostic[] = [];
  for (let i = 0; i < lines.length; i++) {
    const m = MESSAGE.exec(lines[i]!)?.groups;
    if (m === undefined) continue;
    const details: string[] = [];
    let caret = i + 1;
    while (caret < lines.length && lines[caret]!.startsWith(" ") && !/^\s*\^\s*$/.test(lines[caret]!)) caret++;
    const pointed = /^\s*\^\s*$/.test(lines[caret] ?? "");
    // The preprocessor shows the source between bars.
    for (let k = i + 1; k < caret - (pointed ? 1 : 0); k++)
      if (!/^\s*\d*\s*\|/.test(lines[k]!)) details.push(lines[k]!.trim());
    const message = [m.what!, ...details].join("; ");
    const severity: Severity = m.severity === "warning" ? "warning" : "error";
    if (m.file !== undefined && m.file !== "the cell") {
      found.push(diagnostic(severity, `${m.file}(${m.line ?? m.row}): ${message}`));
      continue;
    }
    const line = Number(m.line ?? m.row ?? source.length);
    const shown = pointed ? columnOf(source[line - 1] ?? "", lines[caret - 1]!, lines[caret]!) : 1;
    found.push(diagnostic(severity, message, spanAt(line, Number(m.column ?? shown))));
  }
  return found;
}

const spanAt = (line: number, column: number): Span => ({ start: 0, end: 0, line, column });
/** Line 0 is nvcc's name for code that comes from no line of the source. */
const placeAt = (line: string, column: string): Span | null =>
  line === "0" ? null : spanAt(Number(line), Math.max(1, Number(column)));

/** nvcc shows a line with its macros expanded; after the caret it mostly still reads as in the source. */
function columnOf(source: string, shown: string, caret: string): number {
  const rest = shown.slice(caret.indexOf("^")).trimEnd();
  const at = source.replaceAll("\t", " ").trimEnd().lastIndexOf(rest);
  return rest === "" || at < 0 ? 1 : at + 1;
}

const LOCATION = /^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*\binlined_at\s+(\d+)\s+(\d+)\s+(\d+))?/;
const ADDED = /^\s*\.(loc|file)\s/;

/** The places that `.loc` tells, and the PTX with or without such directives and the debug sections at its end. */
function withPlaces(ptx: string, input: string, keep: boolean): { ptx: string; places: (Span | null)[] } {
  const lines = ptx.split("\n");
  const cell = /^\s*\.file\s+(\d+)\s+"([^"]*)"/;
  const numbers = new Set(
    lines.flatMap((l) => {
      const m = cell.exec(l);
      return m !== null && path.resolve(m[2]!) === input ? [m[1]!] : [];
    }),
  );
  const kept: string[] = [];
  const places: (Span | null)[] = [];
  let place: Span | null = null;
  /** Where code of other files came into the cell's: a header's function may itself be inlined into a header's. */
  const inlined = new Map<string, Span | null>();
  for (const line of lines) {
    const m = LOCATION.exec(line);
    if (m !== null) {
      const [, file, row, column, into, intoRow, intoColumn] = m as unknown as string[];
      if (numbers.has(file!)) place = placeAt(row!, column!);
      else if (into === undefined) place = null;
      else
        place = numbers.has(into)
          ? placeAt(intoRow!, intoColumn!)
          : (inlined.get(`${into} ${intoRow} ${intoColumn}`) ?? null);
      inlined.set(`${file} ${row} ${column}`, place);
    } else if (line.startsWith("{") || line.startsWith("}")) place = null;
    if (!keep && /^\s*\.section\s+\.debug/.test(line)) break;
    if (!keep && ADDED.test(line)) continue;
    kept.push(line);
    places.push(line.trim() === "" || line.trimStart().startsWith("//") ? null : place);
  }
  return { ptx: kept.join("\n"), places };
}
