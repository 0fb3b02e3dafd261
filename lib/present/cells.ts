/**
 * Notebook cells in the field's languages. A cell that begins with `%%ptx`, `%%cuda` or `%%sass` is compiled or assembled;
 * what it makes is the value of a variable that following TypeScript cells use.
 *
 *     %%ptx saxpy -arch sm_90 -O2          PTX text; options of ptxas
 *     %%cuda saxpy -arch sm_90 -lineinfo   CUDA C++ through an installed nvcc; `-I`, `-D`, `-std` go to nvcc
 *     %%sass saxpy                         the text of `ptxlab asm`
 *
 * Lines in messages count from the `%%` line, which is line 1 of the cell.
 */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { assembleCubin } from "../assemble.js";
import { ptxOptions } from "../cli/ptxas-cell.js";
import { type Compilation, compile } from "../compile.js";
import { type Diagnostic, diagnostic, isFailure } from "../diagnostics.js";
import { type Cubin, readCubin } from "../elf/index.js";
import { presentCubin } from "./cubin.js";

export type CellLanguage = "ptx" | "cuda" | "sass";

/** The first line of a cell in another language. */
export interface CellHead {
  readonly language: CellLanguage;
  /** Variable that the cell defines. */
  readonly name: string;
  /** Options behind the name. */
  readonly args: readonly string[];
}

/** What a `%%cuda` cell defines: the compilation of the PTX that nvcc made. */
export interface CudaCompilation extends Compilation {
  /** The CUDA C++ text. */
  readonly cuda: string;
}

/** What a `%%sass` cell defines. */
export interface Assembled {
  /** The text, without the `%%` line. */
  readonly text: string;
  readonly bytes: Uint8Array;
  /** The same, read: functions, attributes, sections. */
  readonly cubin: Cubin;
}

export type CellResult =
  | {
      readonly ok: true;
      readonly value: Compilation | CudaCompilation | Assembled;
      readonly warnings: readonly Diagnostic[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export interface CellOptions {
  /** What the cell is called in messages: `In[3]`. */
  readonly file: string;
  /** Folder of the notebook. */
  readonly folder: string;
}

const LANGUAGES: readonly string[] = ["ptx", "cuda", "sass"] satisfies readonly CellLanguage[];
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** True for a cell whose first line begins with `%%`. */
export function isForeignCell(source: string): boolean {
  return source.startsWith("%%");
}

/** Reads the first line of a cell that begins with `%%`; a text says what is wrong with it. */
export function cellHead(source: string): CellHead | string {
  const [magic = "", name, ...args] = source.split("\n", 1)[0]!.trim().split(/\s+/);
  const language = magic.slice(2);
  if (!LANGUAGES.includes(language)) return `unknown cell language ${magic}: ptxlab knows %%${LANGUAGES.join(", %%")}`;
  if (name === undefined || !IDENTIFIER.test(name))
    return `${magic} wants the name of a variable: ${magic} NAME [options]`;
  return { language: language as CellLanguage, name, args };
}

/** Compiles or assembles the cell. Never throws for bad input. */
export function runCell(source: string, head: CellHead, options: CellOptions): CellResult {
  // An empty line in place of the first keeps the numbers of the others.
  const body = source.slice(source.indexOf("\n") < 0 ? source.length : source.indexOf("\n"));
  switch (head.language) {
    case "ptx":
      return compiled(body, head.args, options.file);
    case "cuda":
      return fromCuda(body, head.args, options);
    case "sass":
      return assembled(body, head, options.file);
  }
}

const isWarning = (d: Diagnostic): boolean => d.severity === "warning";

function mistake(message: string): CellResult {
  return { ok: false, diagnostics: [diagnostic("error", message, { start: 0, end: 0, line: 1, column: 1 })] };
}

function compiled(text: string, args: readonly string[], file: string): CellResult {
  const options = ptxOptions(args, text);
  if (!options.ok) return mistake(options.message);
  const c = compile(text, { ...options.value, file });
  return c.ok
    ? { ok: true, value: c, warnings: c.diagnostics.filter(isWarning) }
    : { ok: false, diagnostics: c.diagnostics };
}

function assembled(text: string, head: CellHead, file: string): CellResult {
  if (head.args.length > 0)
    return mistake(`%%sass takes no options: the target stands in the text, not in ${head.args.join(" ")}`);
  const made = assembleCubin(text);
  if (!made.ok) return { ok: false, diagnostics: made.diagnostics };
  const cubin = readCubin(made.value);
  if (!cubin.ok) return { ok: false, diagnostics: cubin.diagnostics };
  const value: Assembled = { text, bytes: made.value, cubin: cubin.value };
  const title = `Cubin for ${cubin.value.target}: ${made.value.length} bytes`;
  const notes = { title, name: head.name, file, diagnostics: made.diagnostics, source: null };
  Object.defineProperty(value, Symbol.for("Jupyter.display"), { value: () => presentCubin(made.value, notes, title) });
  return { ok: true, value, warnings: made.diagnostics };
}

// ---------------------------------------------------------------------------------------------- CUDA C++

/** Options that nvcc gets; the others are ptxas's. */
const FOR_NVCC = /^(-I|-D|-U|-std=|--std=|-include|--expt-|-diag-|--use_fast_math|-use_fast_math|-lineinfo)/;

function fromCuda(text: string, args: readonly string[], options: CellOptions): CellResult {
  const nvcc = findNvcc(options.folder);
  if (nvcc === null) return mistake("%%cuda wants nvcc: npm run oracle:setup installs one, or set PTXLAB_NVCC");
  const mine = args.filter((a) => FOR_NVCC.test(a));
  const rest = args.filter((a) => !FOR_NVCC.test(a) || a === "-lineinfo");
  const read = ptxOptions(rest, "");
  if (!read.ok) return mistake(read.message);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ptxlab-"));
  try {
    const input = path.join(folder, "cell.cu");
    fs.writeFileSync(input, text);
    const ran = runNvcc(nvcc, [
      "-ptx",
      `-arch=${read.value.target}`,
      `-I${options.folder}`,
      ...mine,
      input,
      "-o",
      path.join(folder, "cell.ptx"),
    ]);
    const messages = cudaDiagnostics(ran.output, input);
    if (!ran.ok) {
      const errors = messages.some(isFailure) ? messages : [diagnostic("error", ran.output.trim())];
      return { ok: false, diagnostics: errors };
    }
    const ptx = fs.readFileSync(path.join(folder, "cell.ptx"), "utf8");
    const c = compile(ptx, { ...read.value, file: `${options.file} (PTX of nvcc)` });
    // Places in the PTX that nvcc made are no places of the cell.
    const told = c.diagnostics.map((d) =>
      d.span === null ? d : { ...d, message: `PTX line ${d.span.line}: ${d.message}`, span: null },
    );
    if (!c.ok) return { ok: false, diagnostics: told };
    const value: CudaCompilation = Object.defineProperty(c as CudaCompilation, "cuda", {
      value: text,
      enumerable: true,
    });
    return { ok: true, value, warnings: [...messages, ...told].filter(isWarning) };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** `PTXLAB_NVCC`, the project's own, or the one on the path. */
function findNvcc(folder: string): string | null {
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

function runNvcc(nvcc: string, args: readonly string[]): { readonly ok: boolean; readonly output: string } {
  try {
    return { ok: true, output: execFileSync(nvcc, [...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }) };
  } catch (e) {
    const { stdout = "", stderr = "", message } = e as { stdout?: string; stderr?: string; message: string };
    return { ok: false, output: `${stdout}${stderr}` || message };
  }
}

/** `cell.cu(3): error: identifier "x" is undefined`, with its severity and line. */
function cudaDiagnostics(output: string, input: string): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const line of output.split("\n")) {
    if (!line.startsWith(input)) continue;
    const m = /^[(:](\d+)\)?(?::\d+)?: (?:fatal )?(error|warning)(?: #[\w-]+)?: (.*)$/.exec(line.slice(input.length));
    if (m === null) continue;
    const span = { start: 0, end: 0, line: Number(m[1]), column: 1 };
    found.push(diagnostic(m[2] === "warning" ? "warning" : "error", m[3]!, span));
  }
  return found;
}
