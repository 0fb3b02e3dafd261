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
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { assembleCubin } from "../assemble.js";
import { ptxOptions } from "../cli/ptxas-cell.js";
import { compile, type FinishedCompilation, summary } from "../compile.js";
import { type Diagnostic, diagnostic, type Span } from "../diagnostics.js";
import { type Cubin, readCubin } from "../elf/index.js";
import { answers, shownAs, showsBelow } from "../inspect.js";
import { targetNames } from "../target/index.js";
import { inNotebook, type PipelineOptions } from "../view/index.js";
import { presentCompilation } from "./compilation.js";
import { chartsOfCubin, presentCubin } from "./cubin.js";
import { findNvcc, runNvcc } from "./nvcc.js";
import { pipelineData } from "./pipeline.js";

/** Languages of cells beside TypeScript. */
export type CellLanguage = "ptx" | "cuda" | "sass";

/** The first line of a cell in another language. */
export interface CellHead {
  /** Where it stands in the cell, from 1. Empty lines may precede it. */
  readonly line: number;
  /** Language of the cell. */
  readonly language: CellLanguage;
  /** Variable that the cell defines. */
  readonly name: string;
  /** Options after the name. */
  readonly args: readonly string[];
}

/** What a `%%cuda` cell defines: the compilation of the PTX that nvcc made. */
export interface CudaCompilation extends FinishedCompilation {
  /** The CUDA C++ text. */
  readonly cuda: string;
  /** Where in the CUDA C++ text each line of the PTX comes from (index 0 is its first line); null: from nowhere there. */
  readonly cudaPlaces: readonly (Span | null)[];
}

/** What a `%%sass` cell defines. */
export interface Assembled {
  /** The text, without the `%%` line. */
  readonly text: string;
  /** The assembled file. */
  readonly bytes: Uint8Array;
  /** The same, read: functions, attributes, sections. */
  readonly cubin: Cubin;
}

/** What came of a cell in another language. */
export type CellResult =
  | {
      readonly ok: true;
      /** What the cell defines. */
      readonly value: FinishedCompilation | CudaCompilation | Assembled;
      /** Messages that stop nothing. */
      readonly warnings: readonly Diagnostic[];
    }
  | {
      readonly ok: false;
      /** Why nothing came of it. */
      readonly diagnostics: readonly Diagnostic[];
    };

/** Where a cell stands. */
export interface CellOptions {
  /** What the cell is called in messages: `In[3]`. */
  readonly file: string;
  /** Folder of the notebook. */
  readonly folder: string;
}

const LANGUAGES: readonly string[] = ["ptx", "cuda", "sass"] satisfies readonly CellLanguage[];
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** What `const NAME` cannot declare in a cell: words of the language, and names that every module has. */
const RESERVED = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export exports extends false " +
    "finally for function globalThis if implements import in Infinity instanceof interface let module NaN new null package private " +
    "protected public require return static super switch this throw true try typeof undefined var void while with yield"
  ).split(" "),
);

/** True for a cell whose first line that is not empty begins with `%%`. */
export function isForeignCell(source: string): boolean {
  return source.trimStart().startsWith("%%");
}

/** Reads the `%%` line of a cell; a diagnostic says what is wrong with it. */
export function cellHead(source: string): CellHead | Diagnostic {
  const start = source.indexOf("%%");
  const line = source.slice(0, start).split("\n").length;
  const text = source.slice(start).split("\n", 1)[0]!;
  const [magic = "", name, ...args] = text.trim().split(/\s+/);
  const wrong = (message: string): Diagnostic => diagnostic("error", message, spanOf(line));
  const language = magic.slice(2);
  if (!LANGUAGES.includes(language))
    return wrong(`unknown cell language ${magic}: ptxlab knows %%${LANGUAGES.join(", %%")}`);
  if (name === undefined || !IDENTIFIER.test(name))
    return wrong(`${magic} wants the name of a variable: ${magic} NAME [options]`);
  if (RESERVED.has(name)) return wrong(`'${name}' cannot be the name of a variable`);
  return { line, language: language as CellLanguage, name, args };
}

/** Compiles or assembles the cell. Never throws for bad input. */
export function runCell(source: string, head: CellHead, options: CellOptions): CellResult {
  // An empty line in place of the first keeps the numbers of the others.
  const lines = source.split("\n");
  const body = lines.map((l, i) => (i < head.line ? "" : l)).join("\n");
  switch (head.language) {
    case "ptx":
      return compiled(body, head, options.file);
    case "cuda":
      return fromCuda(body, head, options);
    case "sass":
      return assembled(body, head, options.file);
  }
}

const isWarning = (d: Diagnostic): boolean => d.severity === "warning";
const spanOf = (line: number): Span => ({ start: 0, end: 0, line, column: 1 });

function mistake(head: CellHead, message: string): CellResult {
  const more = message.endsWith("for option 'gpu-name'") ? `: ${targetNames.join(" ")}` : "";
  return { ok: false, diagnostics: [diagnostic("error", `${message}${more}`, spanOf(head.line))] };
}

/** What has no place of its own concerns the options, and so the `%%` line. */
function refused(head: CellHead, diagnostics: readonly Diagnostic[]): CellResult {
  return { ok: false, diagnostics: diagnostics.map((d) => ({ ...d, span: d.span ?? spanOf(head.line) })) };
}

function compiled(text: string, head: CellHead, file: string): CellResult {
  const options = ptxOptions(head.args, text);
  if (!options.ok) return mistake(head, options.message);
  const c = compile(text, { ...options.value, file });
  return c.ok ? { ok: true, value: c, warnings: c.diagnostics.filter(isWarning) } : refused(head, c.diagnostics);
}

function assembled(text: string, head: CellHead, file: string): CellResult {
  if (head.args.length > 0)
    return mistake(head, `%%sass takes no options: the target stands in the text, not in ${head.args.join(" ")}`);
  const made = assembleCubin(text);
  if (!made.ok) return refused(head, made.diagnostics);
  const cubin = readCubin(made.value);
  if (!cubin.ok) return refused(head, cubin.diagnostics);
  const value: Assembled = { text, bytes: made.value, cubin: cubin.value };
  const title = `Cubin for ${cubin.value.target}: ${made.value.length} bytes`;
  const { diagnostics } = made;
  const notes = { title, name: head.name, file, diagnostics, source: null, pictures: !inNotebook() };
  Object.defineProperty(value, Symbol.for("Jupyter.display"), { value: () => presentCubin(made.value, notes, title) });
  showsBelow(value, async ({ bytes }) => chartsOfCubin(bytes));
  return { ok: true, value, warnings: diagnostics };
}

// ---------------------------------------------------------------------------------------------- CUDA C++

/** Options that nvcc gets; the others are ptxas's. */
const FOR_NVCC = /^(-I|-D|-U|-std=|--std=|-include|--expt-|-diag-|--use_fast_math|-use_fast_math)/;

function fromCuda(text: string, head: CellHead, options: CellOptions): CellResult {
  const nvcc = findNvcc(options.folder);
  if (nvcc === null) return mistake(head, "%%cuda wants nvcc: npm run oracle:setup installs one, or set PTXLAB_NVCC");
  const mine = head.args.filter((a) => FOR_NVCC.test(a));
  const read = ptxOptions(
    head.args.filter((a) => !FOR_NVCC.test(a)),
    "",
  );
  if (!read.ok) return mistake(head, read.message);
  const { target, lineInfo = false } = read.value;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ptxlab-"));
  try {
    const args = [`-arch=${target}`, `-I${options.folder}`, ...mine];
    const { ptx, diagnostics, places } = runNvcc(text, { nvcc, folder, args, lineInfo });
    if (ptx === null) return refused(head, diagnostics);
    const c = compile(ptx, { ...read.value, file: `${options.file} (PTX of nvcc)` });
    const told = c.diagnostics.map((d) => inCell(d, places));
    if (!c.ok) return refused(head, told);
    return {
      ok: true,
      value: withCuda(c, text, places),
      warnings: [...diagnostics, ...read.warnings, ...told].filter(isWarning),
    };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** What is said about the PTX that nvcc made, at the line of the cell it comes from. */
function inCell(d: Diagnostic, places: readonly (Span | null)[]): Diagnostic {
  if (d.span === null) return d;
  return { ...d, message: `${d.message} (PTX line ${d.span.line})`, span: places[d.span.line - 1] ?? null };
}

function withCuda(c: FinishedCompilation, cuda: string, cudaPlaces: readonly (Span | null)[]): CudaCompilation {
  const shown = shownAs(
    { ...c, cuda, cudaPlaces },
    (k) => summary(k, k.file),
    (k) => `[${summary(k).split("\n")[0]}]`,
    (k, text) => presentCompilation(k, text, { text: k.cuda, places: k.cudaPlaces }),
  );
  showsBelow(shown, async (k) => chartsOfCubin(k.cubin));
  return answers(shown, "ptxlab.pipeline", async (k, options: PipelineOptions) =>
    pipelineData(k, options, { text: k.cuda, places: k.cudaPlaces }),
  );
}
