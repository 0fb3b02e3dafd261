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
 * object) is written with everything else that is in the file after the functions, from `.container` on
 * (`elf/cubin/container-text.ts`); its functions have only `.code`. Of functions chosen out of such a cubin `.needs WHAT` tells
 * what the text does not hold: they can only be put into the cubin that they came from.
 */

import { type AssembledFunction, type AssembledModule, assemble } from "./assemble-read.js";
import { type Diagnostic, diagnostic, notSupported } from "./diagnostics.js";
import {
  branchTargets,
  buildContainer,
  type ContainerModel,
  type Cubin,
  type CubinFunction,
  containerLines,
  containerModel,
  link,
  readCubin,
} from "./elf/index.js";
import { counted } from "./inspect.js";
import type { Func, MachineInst, ModuleSymbol } from "./ori/types.js";
import { fail, ok, type Result } from "./result.js";
import { assemblyLines, type Code, decodeCode, form } from "./sass/index.js";
import { type Target, targetOfSm } from "./target/index.js";

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
      const message = `${f.name} has ${counted(f.words.length / 4, "instruction")}, in the cubin ${old.words.length / 4}`;
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
  // The branch to itself and the NOPs after it are no part of the body.
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
    tables: [],
    registers: f.registers,
    frameBytes: f.stackBytes,
    spillStores: 0,
    spillLoads: 0,
    barriers: f.barriers,
    params: f.params,
    paramBytes: f.params.reduce((n, p) => Math.max(n, p.offset + p.size), 0),
    limits: f.limits,
    routines: [],
    stackBytes: 0,
  };
}
