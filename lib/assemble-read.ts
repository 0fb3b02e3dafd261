/** The text form of cubins read: functions with their directives and words, and the container (`assemble.ts` describes it). */
import { type Diagnostic, diagnostic, type Span } from "./diagnostics.js";
import { type ContainerModel, readContainer } from "./elf/index.js";
import { noBounds } from "./ori/func.js";
import type { LaunchBounds, Param } from "./ori/types.js";
import { fail, ok, type Result } from "./result.js";
import { type AssemblyLine, assembleLines } from "./sass/index.js";
import { isTargetName, type Target, target as targetNamed } from "./target/index.js";

/** A function read from assembly text. */
export interface AssembledFunction {
  /** Name of its symbol. */
  readonly name: string;
  /** A kernel, or a function that others call. */
  readonly kind: "entry" | "func";
  /** Its code: four u32 per instruction. */
  readonly words: Uint32Array;
  /** Registers per thread. */
  readonly registers: number;
  /** Bytes of stack per thread. */
  readonly stackBytes: number;
  /** CTA barriers used, 0 to 16. */
  readonly barriers: number;
  /** Bytes of static shared memory per CTA. */
  readonly sharedBytes: number;
  /** Parameters with their places. */
  readonly params: readonly Param[];
  /** What the text says of launches. */
  readonly limits: LaunchBounds;
  /** Names of the functions that it calls. */
  readonly needs: readonly string[];
  /** Number of lines between its name and `.code`. */
  readonly directives: number;
  /** Where the function stands in the text. */
  readonly span: Span;
}

/** All that an assembly text holds. */
export interface AssembledModule {
  /** The SM that its words are for. */
  readonly target: Target;
  /** In source order. */
  readonly functions: readonly AssembledFunction[];
  /** Everything else of the file, null when it is to be made. */
  readonly container: ContainerModel | null;
}

/** Reads the text; every bad line is told with its place. */
export function assemble(text: string): Result<AssembledModule> {
  return new Reader(linesOf(text)).read();
}

/** Lines with something on them, comments taken off. */
function linesOf(text: string): AssemblyLine[] {
  const out: AssemblyLine[] = [];
  let start = 0;
  text.split("\n").forEach((whole, i) => {
    const bare = whole.replace(/\/\/.*$/, "");
    const clean = bare.trim();
    const column = bare.length - bare.trimStart().length;
    if (clean !== "") {
      const span = { start: start + column, end: start + column + clean.length, line: i + 1, column: column + 1 };
      out.push({ text: clean, span });
    }
    start += whole.length + 1;
  });
  return out;
}

interface Draft {
  name: string;
  kind: "entry" | "func";
  registers: number;
  stackBytes: number;
  barriers: number;
  sharedBytes: number;
  params: Param[];
  limits: LaunchBounds;
  needs: string[];
  directives: number;
  span: Span;
}

class Reader {
  private at = 0;
  private readonly diagnostics: Diagnostic[] = [];
  private target: Target | null = null;
  private readonly functions: AssembledFunction[] = [];
  private container: ContainerModel | null = null;

  constructor(private readonly lines: readonly AssemblyLine[]) {}

  read(): Result<AssembledModule> {
    while (this.at < this.lines.length) this.topLine(this.lines[this.at++]!);
    if (this.diagnostics.length > 0) return fail(this.diagnostics);
    if (this.target === null) return fail([diagnostic("error", "no .target")]);
    if (this.functions.length === 0) return fail([diagnostic("error", "no function")]);
    return ok({ target: this.target, functions: this.functions, container: this.container });
  }

  private error(message: string, span: Span): void {
    this.diagnostics.push(diagnostic("error", message, span));
  }

  private topLine(line: AssemblyLine): void {
    const [word, name, ...rest] = line.text.split(/\s+/);
    if (word === ".target" && name !== undefined && rest.length === 0) {
      if (!isTargetName(name)) this.error(`unknown target '${name}'`, line.span);
      else if (this.target !== null) this.error("second .target", line.span);
      else this.target = targetNamed(name);
    } else if ((word === ".entry" || word === ".func") && name !== undefined && rest.length === 0) {
      this.function(word === ".entry" ? "entry" : "func", name, line.span);
    } else if (word === ".container" && this.target !== null) {
      const read = readContainer([line, ...this.lines.slice(this.at)], this.target.sm);
      this.at = this.lines.length;
      if (read.ok) this.container = read.value;
      else this.diagnostics.push(...read.diagnostics);
    } else this.error(`expected .target, .entry or .func: "${line.text}"`, line.span);
  }

  private function(kind: "entry" | "func", name: string, span: Span): void {
    const draft: Draft = {
      name,
      kind,
      registers: 0,
      stackBytes: 0,
      barriers: 0,
      sharedBytes: 0,
      params: [],
      limits: noBounds(),
      needs: [],
      directives: 0,
      span,
    };
    if (this.functions.some((f) => f.name === name)) this.error(`function ${name} stands twice`, span);
    while (this.at < this.lines.length && this.lines[this.at]!.text !== ".code")
      this.directive(draft, this.lines[this.at++]!);
    const first = ++this.at;
    while (this.at < this.lines.length && this.lines[this.at]!.text !== ".end") this.at++;
    if (this.at >= this.lines.length) this.error(`${name} has no .code … .end`, span);
    const body = this.lines.slice(first, this.at++);
    if (this.target === null) {
      this.error(".target must come first", span);
      return;
    }
    const words = assembleLines(body, this.target);
    if (!words.ok) this.diagnostics.push(...words.diagnostics);
    else if (words.value.length === 0) this.error(`${name} has no instructions`, span);
    else this.functions.push({ ...draft, words: words.value });
  }

  private directive(draft: Draft, line: AssemblyLine): void {
    const [word, ...rest] = line.text.split(/\s+/);
    draft.directives++;
    if (word === ".needs" && rest.length === 1) {
      draft.needs.push(rest[0]!);
      return;
    }
    const n = rest.map((t) => (/^\d{1,9}$/.test(t) ? Number(t) : -1));
    const shape = Object.hasOwn(shapes, word!) ? shapes[word!] : undefined;
    if (shape === undefined || n.length !== shape.count || n.some((v) => v < 0 || v > shape.max)) {
      this.error(`bad directive: "${line.text}"`, line.span);
      return;
    }
    shape.take(draft, n);
  }
}

interface Shape {
  readonly count: number;
  /** Largest value of each number. */
  readonly max: number;
  readonly take: (d: Draft, n: readonly number[]) => void;
}

const triple = (n: readonly number[]): readonly [number, number, number] => [n[0]!, n[1]!, n[2]!];

const shapes: Readonly<Record<string, Shape>> = {
  ".registers": {
    count: 1,
    max: 255,
    take: (d, [n]) => {
      d.registers = n!;
    },
  },
  ".stack": {
    count: 1,
    max: 1 << 20,
    take: (d, [n]) => {
      d.stackBytes = n!;
    },
  },
  ".barriers": {
    count: 1,
    max: 16,
    take: (d, [n]) => {
      d.barriers = n!;
    },
  },
  ".shared": {
    count: 1,
    max: 1 << 20,
    take: (d, [n]) => {
      d.sharedBytes = n!;
    },
  },
  ".param": {
    count: 2,
    max: 0x7fff,
    take: (d, [offset, size]) => {
      d.params.push(paramOf(offset!, size!));
    },
  },
  ".maxntid": {
    count: 3,
    max: 0xffff,
    take: (d, n) => {
      d.limits.maxntid = triple(n);
    },
  },
  ".reqntid": {
    count: 3,
    max: 0xffff,
    take: (d, n) => {
      d.limits.reqntid = triple(n);
    },
  },
  ".cluster": {
    count: 3,
    max: 0xffff,
    take: (d, n) => {
      d.limits.reqnctapercluster = triple(n);
    },
  },
};

function paramOf(offset: number, size: number): Param {
  return { name: `param_${offset}`, offset, size, align: 1, pointer: null };
}
