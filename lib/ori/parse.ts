/**
 * Reads the text form of functions that print.ts writes. What the printer writes reads back to the same function.
 *
 * Hand-written text, as in tests, may leave out everything that can be filled in: ids of instructions are then given in
 * order; edges, when no block has any, follow from the code; values that are used without a declaration are declared
 * as they first appear, as wide as their slots say. `//` starts a comment.
 */
import { type Diagnostic, diagnostic, type Span } from "../diagnostics.js";
import { parseInst } from "../isa/parse.js";
import { fail, ok, type Result } from "../result.js";
import { isTargetName, target as targetOf } from "../target/index.js";
import { blocksById, connect } from "./flow.js";
import { newFunc } from "./func.js";
import { label as labelOf, register } from "./operand.js";
import {
  type Block,
  type Control,
  File,
  type Func,
  type Inst,
  Kind,
  type LaunchBounds,
  type Milestone,
  milestones,
  type Operand,
  type Param,
  type PassedPhase,
  type ReferenceWord,
  saids,
} from "./types.js";

/** One function from its text. Diagnostics carry the line. */
export function parseFunc(text: string): Result<Func> {
  return new Reader(text).read();
}

/** A problem of the text; caught in `read`. */
class Problem extends Error {}

const files: Readonly<Record<string, File>> = { R: File.R, UR: File.UR, P: File.P, UP: File.UP, B: File.B };

/** Word list of a line: strings in quotes are one word. */
function words(line: string): string[] {
  return line.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
}

/** Ids above this are mistakes: tables are as long as the highest id. */
const maxId = 1_000_000;

function idOf(word: string | undefined): number {
  const id = integer(word);
  if (id < 0 || id > maxId) throw new Problem(`id ${id} is out of range`);
  return id;
}

function integer(word: string | undefined): number {
  if (word === undefined || !/^-?\d+$/.test(word)) throw new Problem(`expected a number, found '${word ?? "the end"}'`);
  return Number(word);
}

function quoted(word: string | undefined): string {
  if (word === undefined || !word.startsWith('"'))
    throw new Problem(`expected a name in quotes, found '${word ?? "the end"}'`);
  try {
    return JSON.parse(word) as string;
  } catch {
    throw new Problem(`bad string ${word}`);
  }
}

function blockId(word: string | undefined): number {
  const m = /^b(\d+)$/.exec(word ?? "");
  if (m === null) throw new Problem(`expected a block, found '${word ?? "the end"}'`);
  return idOf(m[1]);
}

interface Edges {
  readonly preds: number[];
  readonly succs: number[];
}

class Reader {
  private readonly lines: readonly string[];
  private func: Func | null = null;
  private block: Block | null = null;
  private readonly edges: Map<Block, Edges> = new Map();
  private hasEdges = false;
  private next: readonly [number, number] | null = null;
  private readonly declared: Set<number> = new Set();
  /** Values seen without a declaration: file, and width as far as known. */
  private readonly seen: Map<number, { file: File; width: number }> = new Map();

  constructor(text: string) {
    this.lines = text.split("\n");
  }

  read(): Result<Func> {
    let offset = 0;
    for (let i = 0; i < this.lines.length; i++) {
      const line = this.lines[i] as string;
      const span: Span = { start: offset, end: offset + line.length, line: i + 1, column: 1 };
      const problem = this.guarded(() => this.line(line.replace(/\/\/.*$/, "").trim()));
      if (problem !== null) return fail([{ ...problem, span }]);
      offset += line.length + 1;
    }
    const problem = this.guarded(() => this.finish());
    return problem === null ? ok(this.func as Func) : fail([problem]);
  }

  private guarded(body: () => void): Diagnostic | null {
    try {
      body();
      return null;
    } catch (cause) {
      if (!(cause instanceof Problem)) throw cause;
      return diagnostic("error", cause.message);
    }
  }

  private line(text: string): void {
    if (text === "") return;
    const first = words(text)[0] as string;
    if (first === "func") this.func = headline(words(text), this.func);
    else if (this.func === null) throw new Problem("expected 'func'");
    else if (/^b\d+$/.test(first)) this.blockLine(words(text));
    else if (this.block === null) this.headerLine(this.func, words(text));
    else this.inst(this.func, this.block, text);
  }

  // -------------------------------------------------------------------------------------------- header

  private headerLine(func: Func, w: readonly string[]): void {
    const numbers = (): number[] => w.slice(1).map(integer);
    switch (w[0]) {
      case "next":
        this.next = [idOf(w[1]), idOf(w[2])];
        break;
      case "passed":
        func.passed = passed(w);
        break;
      case "param":
        func.params.push(param(w));
        break;
      case "parambytes":
        func.paramBytes = integer(w[1]);
        break;
      case "reference":
        func.references = [...(func.references ?? []), reference(w)];
        break;
      case "shared":
        func.sharedBytes = integer(w[1]);
        break;
      case "aligned":
        func.alignments = new Map(func.alignments).set(quoted(w[1] ?? ""), integer(w[2]));
        break;
      case "barriers":
        func.barriers = integer(w[1]);
        break;
      case "frame": {
        const [localBytes = 0, spillBytes = 0, spillStores = 0, spillLoads = 0] = numbers();
        func.frame = { localBytes, spillBytes, spillStores, spillLoads };
        break;
      }
      case "used": {
        const [R = 0, UR = 0, P = 0, UP = 0, B = 0] = numbers();
        func.used = { R, UR, P, UP, B };
        break;
      }
      case "limits":
        func.limits = limits(w);
        break;
      case "value":
        this.value(func, w);
        break;
      default:
        throw new Problem(`unknown header line '${w[0]}'`);
    }
  }

  private value(func: Func, w: readonly string[]): void {
    const m = /^%(UR|UP|R|P|B)(\d+)$/.exec(w[1] ?? "");
    if (m === null) throw new Problem(`expected a value, found '${w[1] ?? "the end"}'`);
    let width = 1;
    let fixed = -1;
    let name = "";
    for (let i = 2; i < w.length; i++) {
      if (w[i] === "width") width = integer(w[++i]);
      else if (w[i] === "fixed") fixed = integer(w[++i]);
      else name = quoted(w[i]);
    }
    if (Number(m[2]) !== func.values.count) throw new Problem(`value ${m[2]} is declared out of order`);
    this.declared.add(func.values.add(files[m[1] as string] as File, width, name, fixed));
  }

  // -------------------------------------------------------------------------------------------- blocks

  private blockLine(w: readonly string[]): void {
    const func = this.func as Func;
    const block: Block = { id: blockId(w[0]), label: "", insts: [], succs: [], preds: [], freq: 1 };
    const edges: Edges = { preds: [], succs: [] };
    let list: number[] | null = null;
    for (let i = 1; i < w.length; i++) {
      const word = w[i] as string;
      if (word === "freq") {
        block.freq = Number(w[++i]);
        if (!Number.isFinite(block.freq)) throw new Problem(`bad frequency '${w[i] ?? ""}'`);
      } else if (word === "<-" || word === "->") {
        list = word === "<-" ? edges.preds : edges.succs;
        this.hasEdges = true;
      } else if (list !== null) list.push(blockId(word));
      else if (word === "nounroll") block.nounroll = true;
      else if (word === "skip") block.skip = true;
      else block.label = quoted(word);
    }
    if (func.blocks.some((b) => b.id === block.id)) throw new Problem(`block b${block.id} stands twice`);
    func.blocks.push(block);
    this.edges.set(block, edges);
    this.block = block;
  }

  // -------------------------------------------------------------------------------------------- instructions

  private inst(func: Func, block: Block, line: string): void {
    const at = line.indexOf(";");
    const whole = (at < 0 ? line : line.slice(0, at)).trim();
    const said = saids.find((s) => whole.endsWith(` {${s}}`));
    const text = said === undefined ? whole : whole.slice(0, -said.length - 3);
    const names = {
      label: (name: string) => (/^b\d+$/.test(name) ? labelOf(blockId(name)) : null),
      isa: func.target.isa,
    };
    const read = parseInst(
      text.trim(),
      func.virtual ? { ...names, register: (name) => this.register(func, name) } : names,
    );
    if (!read.ok) throw new Problem(read.message);
    const { form, dsts, srcs, guard } = read.inst;
    if (func.virtual) {
      if (!form.variadic) {
        for (let i = 0; i < dsts.length; i++) this.settle(dsts[i] as Operand, form.dsts[i]?.width ?? 1);
        for (let i = 0; i < srcs.length; i++) this.settle(srcs[i] as Operand, form.srcs[i]?.width ?? 1);
      } else for (const o of [...dsts, ...srcs]) this.settle(o, 1);
    }
    const inst: Inst = { id: -1, form, dsts, srcs, guard, control: null, loc: null, origin: -1 };
    if (said !== undefined) inst.said = said;
    if (at >= 0) annotate(inst, tableOf(inst, this.passed(func, inst, line.slice(at + 1))).trim());
    if (inst.id < 0) inst.id = func.nextInst;
    func.nextInst = Math.max(func.nextInst, inst.id + 1);
    block.insts.push(inst);
  }

  /** Takes `passes (%R4,%R20) -> (%R4)` out of an annotation. */
  private passed(func: Func, inst: Inst, text: string): string {
    const m = / passes \(([^)]*)\) -> \(([^)]*)\)/.exec(text);
    if (m === null) return text;
    const list = (names: string | undefined): Operand[] =>
      (names ?? "").split(",").flatMap((name) => (name === "" ? [] : [this.passedRegister(func, name)]));
    inst.passed = { uses: list(m[1]), defs: list(m[2]) };
    return text.replace(m[0], "");
  }

  private passedRegister(func: Func, name: string): Operand {
    const o = func.virtual ? this.register(func, name) : physicalRegister(name);
    if (o === null || o.width === 0) throw new Problem(`expected a register, found '${name}'`);
    return o;
  }

  /** `%R4`, `%R4:1`, `%R4:2-3`. An operand without a part is as wide as its value; width 0 = not known yet. */
  private register(func: Func, name: string): Operand | null {
    const m = /^%(UR|UP|R|P|B)(\d+)(?::(\d+)(?:-(\d+))?)?$/.exec(name);
    if (m === null) return null;
    const file = files[m[1] as string] as File;
    const id = idOf(m[2]);
    const known = this.declared.has(id) ? func.values.width(id) : 0;
    if (m[3] === undefined) {
      if (known === 0) this.note(id, file, 1);
      return register(file, id, known);
    }
    const first = Number(m[3]);
    const last = m[4] === undefined ? first : Number(m[4]);
    if (last < first || last > 255) throw new Problem(`bad part of a value: '${name}'`);
    if (known === 0) this.note(id, file, last + 1);
    return register(file, id, last - first + 1, first);
  }

  private note(id: number, file: File, width: number): void {
    const old = this.seen.get(id);
    if (old !== undefined && old.file !== file) throw new Problem(`value ${id} stands in two register files`);
    this.seen.set(id, { file, width: Math.max(width, old?.width ?? 1) });
  }

  /** Gives an operand of an undeclared value the width of its slot. */
  private settle(o: Operand, width: number): void {
    if (o.kind !== Kind.Reg || o.id < 0 || o.width > 0) return;
    o.width = width;
    this.note(o.id, o.file, width);
  }

  // -------------------------------------------------------------------------------------------- the end

  private finish(): void {
    const { func } = this;
    if (func === null) throw new Problem("expected 'func'");
    this.declare(func);
    for (const b of func.blocks) func.nextBlock = Math.max(func.nextBlock, b.id + 1);
    if (this.next !== null) [func.nextInst, func.nextBlock] = this.next;
    if (!this.hasEdges) {
      connect(func);
      return;
    }
    const byId = blocksById(func);
    const find = (id: number): Block => {
      const b = byId[id];
      if (b === undefined) throw new Problem(`there is no block b${id}`);
      return b;
    };
    for (const [block, { preds, succs }] of this.edges) {
      block.preds = preds.map(find);
      block.succs = succs.map(find);
    }
  }

  /** Declares the values that were only used; numbers left out between them become R registers that nobody uses. */
  private declare(func: Func): void {
    const last = Math.max(-1, ...this.seen.keys());
    for (let id = func.values.count; id <= last; id++) {
      const { file, width } = this.seen.get(id) ?? { file: File.R, width: 1 };
      func.values.add(file, width);
    }
  }
}

function headline(w: readonly string[], before: Func | null): Func {
  if (before !== null) throw new Problem("a second function");
  const [, name, kind, target, registers, milestone, linkage] = w;
  if (kind !== "entry" && kind !== "func")
    throw new Problem(`expected 'entry' or 'func', found '${kind ?? "the end"}'`);
  if (target === undefined || !isTargetName(target)) throw new Problem(`unknown target '${target ?? ""}'`);
  if (registers !== "virtual" && registers !== "physical") {
    throw new Problem(`expected 'virtual' or 'physical', found '${registers ?? "the end"}'`);
  }
  if (milestone !== undefined && !milestones.includes(milestone as Milestone)) {
    throw new Problem(`unknown milestone '${milestone}'`);
  }
  const func = newFunc(quoted(name), targetOf(target), kind);
  func.virtual = registers === "virtual";
  func.milestone = (milestone ?? "initial") as Milestone;
  if (linkage !== undefined) func.linkage = linkageOf(linkage);
  return func;
}

/** `R4`, `R20-21`. */
function physicalRegister(name: string): Operand | null {
  const m = /^(UR|UP|R|P|B)(\d+)(?:-(\d+))?$/.exec(name);
  if (m === null) return null;
  const first = idOf(m[2]);
  return register(files[m[1] as string] as File, first, m[3] === undefined ? 1 : idOf(m[3]) - first + 1);
}

const linkages = ["extern", "visible", "weak", "common", "internal"] as const;

function linkageOf(word: string): (typeof linkages)[number] {
  const found = linkages.find((l) => l === word);
  if (found === undefined) throw new Problem(`unknown linkage '${word}'`);
  return found;
}

/** `passed GeneralOptimize level 2` */
function passed(w: readonly string[]): PassedPhase {
  const level = ([0, 1, 2] as const).find((l) => String(l) === w[3]);
  if (w[1] === undefined || w[2] !== "level" || level === undefined)
    throw new Problem("expected 'passed PHASE level 0…2'");
  return { phase: w[1], level };
}

const references = ["texture", "sampler", "surface"] as const;

/** `reference texture "t" offset 536` */
function reference(w: readonly string[]): ReferenceWord {
  const kind = references.find((k) => k === w[1]);
  if (kind === undefined || w[3] !== "offset") throw new Problem("expected 'reference KIND NAME offset BYTES'");
  return { kind, name: quoted(w[2]), offset: integer(w[4]) };
}

const spaces = ["generic", "global", "shared", "const", "local"] as const;

function param(w: readonly string[]): Param {
  const number = (key: string): number => integer(w[w.indexOf(key) + 1]);
  const plain = { name: quoted(w[1]), offset: number("offset"), size: number("size"), align: number("align") };
  if (w.includes("plain")) return { ...plain, pointer: null };
  const at = w.indexOf("pointer");
  if (at < 0) return plain;
  const space = spaces.find((s) => s === w[at + 1]);
  if (space === undefined) throw new Problem(`unknown space '${w[at + 1] ?? ""}'`);
  return { ...plain, pointer: { space, align: integer(w[at + 2]) } };
}

function limits(w: readonly string[]): LaunchBounds {
  const triple = (key: string): readonly [number, number, number] | null => {
    const at = w.indexOf(key);
    if (at < 0) return null;
    const [x, y, z] = (w[at + 1] ?? "").split(",");
    return [integer(x), integer(y), integer(z)];
  };
  const one = (key: string): number => (w.includes(key) ? integer(w[w.indexOf(key) + 1]) : 0);
  return {
    maxntid: triple("maxntid"),
    reqntid: triple("reqntid"),
    minnctapersm: one("minnctapersm"),
    maxnreg: one("maxnreg"),
    maxclusterrank: one("maxclusterrank"),
    explicitcluster: w.includes("explicitcluster"),
    reqnctapercluster: triple("reqnctapercluster"),
  };
}

/** `12 line 3:5 @100-120 from 4 {stall …}` */
/** Takes `table at 16 (b1,b2,b1)` out of an annotation. */
function tableOf(inst: Inst, text: string): string {
  const m = / table(?: at (\d+))? \(([^)]*)\)/.exec(text);
  if (m === null) return text;
  const targets = (m[2] as string).split(",").map((name) => blockId(name));
  inst.table = { targets, offset: m[1] === undefined ? -1 : Number(m[1]) };
  return text.replace(m[0], "");
}

function annotate(inst: Inst, text: string): void {
  const brace = text.indexOf("{");
  const plain = brace < 0 ? text : text.slice(0, brace);
  if (brace >= 0) inst.control = control(text.slice(brace));
  const m = /^(\d+)(?: line (\d+):(\d+) @(\d+)-(\d+))?(?: from (\d+))?\s*$/.exec(plain);
  if (m === null) throw new Problem(`bad annotation '${plain}'`);
  inst.id = idOf(m[1]);
  if (m[2] !== undefined) {
    inst.loc = { start: Number(m[4]), end: Number(m[5]), line: Number(m[2]), column: Number(m[3]) };
  }
  if (m[6] !== undefined) inst.origin = Number(m[6]);
}

function control(text: string): Control {
  const m = /^\{stall (\d+) yield (\d+) sb (\d+) (\d+) wait (\d+) reuse (\d+)\}$/.exec(text.trim());
  if (m === null) throw new Problem(`bad control word '${text}'`);
  const [stall, yields, writeSb, readSb, wait, reuse] = m.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return { stall, yield: yields, writeSb, readSb, wait, reuse };
}
