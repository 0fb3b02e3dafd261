/**
 * Whole cubins as text and back: `assemblyText` writes every function of a cubin with its control words and what the
 * driver must know of it, `assembleCubin` makes a cubin of such a text, or puts its code into an existing cubin.
 *
 *     .target sm_90
 *     .entry k                  (.func f)
 *     .registers 10             per thread
 *     .stack 16                 bytes of the frame (0 when left out, as are the following)
 *     .barriers 1
 *     .shared 1024              bytes of static shared memory
 *     .param 0 8                offset and size, one line per parameter
 *     .maxntid 256 1 1          also .reqntid, .cluster
 *     .code
 *     k:
 *         B------ R- W- Y S15   EXIT ;
 *     .end
 *
 * `//` begins a comment. What a function is to the driver follows from these lines, and `link` makes the cubin. A cubin that
 * they do not describe (relocations, variables, tables, several functions in a section, debug information, a relocatable
 * object) is written with everything else that is in the file behind the functions, from `.container` on
 * (`elf/cubin/container-text.ts`); its functions have only `.code`. Of functions chosen out of such a cubin `.needs WHAT` tells
 * what the text does not hold: they can only be put into the cubin that they came from.
 */
import { type Diagnostic, diagnostic, notSupported, type Span } from "./diagnostics.js";
import {
  branchTargets,
  buildContainer,
  type ContainerModel,
  type Cubin,
  type CubinFunction,
  containerLines,
  containerModel,
  link,
  readContainer,
  readCubin,
} from "./elf/index.js";
import { noBounds } from "./ori/func.js";
import type { Func, LaunchBounds, MachineInst, ModuleSymbol, Param } from "./ori/types.js";
import { fail, ok, type Result } from "./result.js";
import { type AssemblyLine, assembleLines, assemblyLines, type Code, decodeCode, form } from "./sass/index.js";
import { isTargetName, type Target, target as targetNamed, targetOfSm } from "./target/index.js";

// ---------------------------------------------------------------------------------------------- writing

/** Functions of the cubin as text, all of them by default; empty for an SM without an instruction table. */
export function assemblyText(cubin: Cubin, functions: readonly CubinFunction[] = cubin.functions): string {
  const target = targetOfSm(cubin.sm);
  if (target === null) return "";
  const whole = functions.length === cubin.functions.length && !isPlain(cubin);
  const container = whole ? containerModel(cubin) : null;
  const out = [`.target ${cubin.target}`];
  // A cubin holds its last function first.
  for (const f of [...functions].reverse())
    out.push("", ...(container === null ? functionLines(cubin, f, target) : codeLines(f, target)));
  if (container !== null) out.push("", ...containerLines(container));
  return `${out.join("\n")}\n`;
}

/** Do the lines of its functions say all of the cubin? */
function isPlain(cubin: Cubin): boolean {
  if (cubin.kind !== "executable" || cubin.globals.length > 0) return false;
  if (cubin.elf.sections.some((s) => /^\.(nv_)?debug_(line|info|ptx)/.test(s.name))) return false;
  return cubin.functions.every((f) => needsOf(cubin, f).length === 0);
}

function codeLines(f: CubinFunction, target: Target): string[] {
  const symbols = new Map(f.ranges.map((r) => [r.offset, r.name]));
  return [`.${f.kind} ${f.name}`, ".code", ...assemblyLines({ name: f.name, words: f.words, target, symbols }), ".end"];
}

function functionLines(cubin: Cubin, f: CubinFunction, target: Target): string[] {
  const out = [`.registers ${f.registers}`];
  const number = (name: string, n: number): void => {
    if (n !== 0) out.push(`.${name} ${n}`);
  };
  number("stack", f.frameBytes);
  number("barriers", f.barriers);
  number("shared", f.sharedBytes - f.sharedReserved);
  for (const p of f.params) out.push(`.param ${p.offset} ${p.size}`);
  for (const [name, size] of [
    ["maxntid", f.maxThreads],
    ["reqntid", f.reqThreads],
    ["cluster", f.cluster],
  ] as const)
    if (size !== null) out.push(`.${name} ${size.join(" ")}`);
  for (const what of needsOf(cubin, f)) out.push(`.needs ${what}`);
  const [head, ...code] = codeLines(f, target);
  return [head!, ...out, ...code];
}

/** What a function uses that the text does not hold. */
function needsOf(cubin: Cubin, f: CubinFunction): string[] {
  const needs: string[] = [];
  if (f.relocs.length > 0) needs.push("relocations");
  if (f.constant2 !== null) needs.push("constant2");
  if (branchTargets(f).size > 0) needs.push("branch-targets");
  if (f.ranges.length > 1) needs.push("helpers");
  if (cubin.banks.length > 0) needs.push("constants");
  return needs;
}

// ---------------------------------------------------------------------------------------------- reading

export interface AssembledFunction {
  readonly name: string;
  readonly kind: "entry" | "func";
  readonly words: Uint32Array;
  readonly registers: number;
  readonly stackBytes: number;
  readonly barriers: number;
  readonly sharedBytes: number;
  readonly params: readonly Param[];
  readonly limits: LaunchBounds;
  readonly needs: readonly string[];
  /** Number of lines between its name and `.code`. */
  readonly directives: number;
  readonly span: Span;
}

export interface AssembledModule {
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

// ---------------------------------------------------------------------------------------------- cubins

/**
 * The cubin of a text. With `like` the code takes the place of that of the functions of the same name in this cubin, and
 * everything else stays as it is: the functions must be as long as they were.
 */
export function assembleCubin(text: string, like: Uint8Array | null = null): Result<Uint8Array> {
  const read = assemble(text);
  if (!read.ok) return read;
  return like === null ? build(read.value) : replace(read.value, like);
}

function replace(m: AssembledModule, like: Uint8Array): Result<Uint8Array> {
  const read = readCubin(like);
  if (!read.ok) return read;
  const cubin = read.value;
  if (cubin.sm !== m.target.sm)
    return fail([diagnostic("error", `the text is for ${m.target.name}, the cubin for ${cubin.target}`)]);
  const out = cubin.elf.bytes.slice();
  const v = new DataView(out.buffer);
  for (const f of m.functions) {
    const old = cubin.functions.find((x) => x.name === f.name);
    if (old === undefined) return fail([diagnostic("error", `the cubin has no function ${f.name}`, f.span)]);
    if (old.words.length !== f.words.length) {
      const message = `${f.name} has ${f.words.length / 4} instructions, in the cubin ${old.words.length / 4}`;
      return fail([diagnostic("error", message, f.span)]);
    }
    const at = cubin.elf.sections[old.section]!.offset;
    f.words.forEach((w, i) => {
      v.setUint32(at + 4 * i, w, true);
    });
  }
  return ok(out);
}

/** The functions in the container that the text describes; `readCubin` must be able to read the result. */
function contain(m: AssembledModule, container: ContainerModel): Result<Uint8Array> {
  const code = new Map<string, Uint8Array>();
  for (const f of m.functions) {
    if (f.directives > 0) {
      const message = `directives of ${f.name} beside a .container: its .info lines say what they would`;
      return fail([diagnostic("error", message, f.span)]);
    }
    code.set(f.name, new Uint8Array(f.words.buffer, f.words.byteOffset, f.words.byteLength));
  }
  const made = buildContainer(container, code);
  if (!made.ok) return made;
  const again = readCubin(made.value);
  if (!again.ok)
    return fail(again.diagnostics.map((d) => ({ ...d, message: `the container makes no cubin: ${d.message}` })));
  const lost = m.functions.find((f) => again.value.functions.every((x) => x.name !== f.name));
  if (lost !== undefined) return fail([diagnostic("error", `${lost.name} is in no section`, lost.span)]);
  return made;
}

function build(m: AssembledModule): Result<Uint8Array> {
  if (m.container !== null) return contain(m, m.container);
  const diagnostics: Diagnostic[] = [];
  for (const f of m.functions) {
    for (const need of f.needs)
      diagnostics.push(notSupported(`.needs ${need} without a cubin to put the code into`, f.span));
    if (f.registers === 0) diagnostics.push(diagnostic("error", `${f.name} has no .registers`, f.span));
  }
  if (diagnostics.length > 0) return fail(diagnostics);
  const funcs = m.functions.map((f) => ({ name: f.name, linkage: "visible" }) as unknown as Func);
  const symbols = m.functions.filter((f) => f.sharedBytes > 0).map(sharedVariable);
  const program = { target: m.target, ptxVersion: [9, 0] as const, addressSize: 64, funcs, symbols };
  return link(
    m.functions.map((f) => codeOf(f, m.target)),
    program,
  );
}

/** All static shared memory of a function as one variable. */
function sharedVariable(f: AssembledFunction): ModuleSymbol {
  return {
    name: `${f.name}$shared`,
    space: "shared",
    bank: 0,
    size: f.sharedBytes,
    align: 16,
    linkage: "internal",
    init: null,
    pointers: [],
    users: [f.name],
  };
}

function codeOf(f: AssembledFunction, target: Target): Code {
  const nop: MachineInst = { form: form("NOP"), dsts: [], srcs: [], guard: null, control: null };
  const all = decodeCode(f.words, target).map((inst) => inst ?? nop);
  // The branch to itself and the NOPs behind it are no part of the body.
  const tail = all.findLastIndex((inst) => inst.form.op === "BRA");
  const insts = tail > 0 ? all.slice(0, tail) : all;
  return {
    name: f.name,
    kind: f.kind,
    target,
    words: f.words,
    insts,
    locs: insts.map(() => null),
    relocs: [],
    labels: new Map(),
    registers: f.registers,
    frameBytes: f.stackBytes,
    spillStores: 0,
    spillLoads: 0,
    barriers: f.barriers,
    params: f.params,
    paramBytes: f.params.reduce((n, p) => Math.max(n, p.offset + p.size), 0),
    limits: f.limits,
  };
}
