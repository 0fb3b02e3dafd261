/** Random words of every line of the instruction table, and what nvdisasm says that they read and write. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hash32 } from "../../lib/experiment/random.js";
import { setBits, setField } from "../../lib/isa/bits.js";
import { tableFor } from "../../lib/isa/compiled.js";
import { type CodeLine, Do } from "../../lib/isa/lines.js";
import { Kind, type MachineInst, type Operand, ZERO_REG } from "../../lib/isa/operand.js";
import { renderInst } from "../../lib/isa/text.js";
import { File, type Flow } from "../../lib/isa/types.js";
import { decodeCode, decodeInst } from "../../lib/sass/decode.js";
import { type Convention, columnsOf, lifeRanges } from "../../lib/sass/live.js";
import { Random } from "../../lib/sim/random.js";
import { type Target, type TargetName, target } from "../../lib/target/index.js";
import { askWords } from "../../test/oracle/nvdisasm.js";
import { inScratch } from "../../test/oracle/tools.js";
import { functionsOf, type Template, templateOf } from "../harvest/cubin.js";
import { hexWord, keyName, type Word } from "../harvest/word.js";
import { askRanges, marksText } from "./ranges.js";

export interface SweepOptions {
  /** Words per line of the table. */
  readonly count: number;
  readonly seed: number;
  readonly opcodes?: readonly string[];
  /** Words with undefined modifier values instead of those without. */
  readonly undefined?: boolean;
}

export interface SweepDifference {
  readonly opcode: string;
  readonly op: string;
  readonly rule: string;
  readonly count: number;
  readonly examples: readonly string[];
}

export interface SweepFigures {
  readonly lines: number;
  readonly words: number;
  readonly agree: number;
  /** What nvdisasm counts otherwise for a known reason: reason → words. */
  readonly explained: ReadonlyMap<string, number>;
  /** nvdisasm prints no life ranges for them. */
  readonly unanswered: number;
  /** Lines of which no random word was legal. */
  readonly without: readonly string[];
  readonly differences: readonly SweepDifference[];
}

interface Question {
  readonly code: CodeLine;
  readonly word: Word;
}

/** Instructions of the function of one word, and how its life ranges are counted. */
interface Asked {
  readonly insts: readonly (MachineInst | null)[];
  readonly target: Target;
  readonly convention: Convention;
}

const marksOf = ({ insts, target: t, convention }: Asked): string =>
  marksText(lifeRanges(insts, t, { asNvdisasm: convention })[0]!);

/** Registers per thread that functions with control flow say: as many as nvdisasm takes; the last one is out of reach. */
const registers = 254;

/** Functions per file: fewer where one bad branch makes the tool refuse them all. */
const partOf = (flow: Flow): number => (flow === "next" ? 1000 : 100);
/** Words per line of control flow. */
const FLOW_COUNT = 3;

export function sweepWords(sm: number, { count, seed, opcodes, undefined: odd }: SweepOptions): SweepFigures {
  const t = target(`sm_${sm}` as TargetName);
  const lines = linesOf(sm).filter((c) => opcodes === undefined || opcodes.includes(keyName(c.opcode)));
  const questions = lines.flatMap((code) =>
    wordsOf(code, sm, flowOf(code) === "next" ? count : Math.min(count, FLOW_COUNT), hash32(seed, sm), odd ?? false),
  );
  const asked = taken(sm, questions);
  const found = new Map<string, { opcode: string; op: string; rule: string; count: number; examples: string[] }>();
  const template = templateOf(String(sm));
  const explained = new Map<string, number>();
  let [words, agree, unanswered] = [0, 0, 0];
  for (const part of partsOf(asked)) {
    const ranges = rangesOf(template, t, part);
    part.forEach(({ code, word }, j) => {
      const answer = ranges[j]!;
      if (answer === null) {
        unanswered++;
        return;
      }
      words++;
      const { marks: theirs, asked } = answer;
      const { insts } = asked;
      const ours = marksOf(asked);
      if (ours === theirs) {
        agree++;
        return;
      }
      const inst = insts[0]!;
      const reason = explanation(asked, theirs, ours);
      if (reason !== null) {
        explained.set(reason, (explained.get(reason) ?? 0) + 1);
        return;
      }
      const rule = ruleOf(inst, theirs, ours);
      const key = `${code.opcode} ${rule}`;
      const d = found.get(key) ?? { opcode: keyName(code.opcode), op: inst.form.op, rule, count: 0, examples: [] };
      found.set(key, d);
      d.count++;
      d.examples.push(`${hexWord(word)} ${renderInst(inst, { isa: sm })}  // ${theirs} | ${ours}`);
    });
  }
  const known = new Set(asked.map((q) => q.code));
  return {
    lines: lines.length,
    words,
    agree,
    explained,
    unanswered,
    without: lines.filter((c) => !known.has(c)).map((c) => keyName(c.opcode)),
    differences: [...found.values()].sort((a, b) => b.count - a.count),
  };
}

/** Every line once for each of its opcodes. */
function linesOf(sm: number): CodeLine[] {
  return tableFor(sm).allLines();
}

const isUndefined = (text: string): boolean => /INVALID\d|\?\?\?\d/.test(text);

/** Random words of a line that the table takes; labels lead to the next instruction, and uniform
 * registers are among those that nvdisasm shows. `odd`: with undefined values. */
function wordsOf(code: CodeLine, sm: number, count: number, seed: number, odd: boolean): Question[] {
  const t = target(`sm_${sm}` as TargetName);
  const random = new Random(hash32(seed, code.id));
  const out: Question[] = [];
  for (let tries = 0; out.length < count && tries < 60 * count; tries++) {
    const word = Uint32Array.from({ length: 4 }, () => random.word());
    setBits(word, 0, 105, 21, 0x7f1);
    setBits(word, 0, 126, 2, 0);
    for (let k = 0; k < 4; k++) word[k] = ((word[k]! & ~code.mask[k]!) | code.value[k]!) >>> 0;
    for (const s of code.line.row.row.flow === undefined ? [] : code.coded)
      if (s.what === Do.Label || s.what === Do.Imm)
        s.field.set(word, 0, s.relative || s.step.slot.name === "off" ? 0 : Math.floor(16 / s.scale));
    for (const s of code.coded) {
      if (s.what === Do.Reg && s.file === File.R && flowOf(code) !== "next")
        s.field.set(word, 0, Math.min(s.field.get(word, 0), registers - 4));
      if (s.what === Do.Reg && s.file === File.UR) s.field.set(word, 0, 4 + (random.word() % 59));
      if (s.what !== Do.Const) continue;
      if (s.indirect) s.bank.set(word, 0, 4 + (random.word() % 59));
      if (s.index !== null && s.indexFile === File.UR) s.index.set(word, 0, 4 + (random.word() % 59));
    }
    for (const g of odd ? [] : code.groups) {
      const defined = g.values.filter((v) => !isUndefined(v.text));
      if (defined.length > 0) setField(word, 0, g.loc, defined[random.word() % defined.length]!.code);
    }
    const inst = decodeInst(word, 0, t, 0);
    if (inst !== null && isUndefined(renderInst(inst, { isa: sm })) === odd) out.push({ code, word });
  }
  return out;
}

/** Without the words that nvdisasm refuses or prints as nothing. */
function taken(sm: number, questions: readonly Question[]): Question[] {
  const words = new Uint32Array(questions.flatMap((q) => [...q.word]));
  const { text } = askWords(sm, words);
  return questions.filter((_, i) => text[i] !== null);
}

const flowOf = (code: CodeLine): Flow => code.line.row.row.flow ?? "next";

/** Questions that may stand in one file; control flow by itself. */
function partsOf(asked: readonly Question[]): Question[][] {
  const sorted = [asked.filter((q) => flowOf(q.code) === "next"), asked.filter((q) => flowOf(q.code) !== "next")];
  return sorted.flatMap((list) => {
    const parts: Question[][] = [];
    for (let i = 0; i < list.length; ) {
      const size = partOf(flowOf(list[i]!.code));
      parts.push(list.slice(i, i + size));
      i += size;
    }
    return parts;
  });
}

interface Answer {
  readonly marks: string;
  readonly asked: Asked;
}

/** What is said of each word's instruction; null where the tool refuses its function, which it names or halving finds. */
function rangesOf(template: Template, t: Target, part: readonly Question[]): (Answer | null)[] {
  if (part.length === 0) return [];
  const words = part.map((q) => q.word);
  const said = flowOf(part[0]!.code) === "next" ? 0 : registers;
  const answer = inScratch((dir) => {
    const file = join(dir, "f.cubin");
    writeFileSync(file, functionsOf(template, words, said));
    return askRanges(file);
  });
  if (typeof answer !== "string") {
    const functions = words.map((word) => ({
      insts: decodeCode(new Uint32Array([word, ...template.tail].flatMap((w) => [...w])), t),
      registers: said,
    }));
    const convention = { registers: said, columns: columnsOf(functions) };
    return functions.map(({ insts }, i) => {
      const marks = answer.get(`f${i}`)?.get(0);
      return marks === undefined ? null : { marks, asked: { insts, target: t, convention } };
    });
  }
  if (part.length === 1) return [null];
  const named = new Set([...answer.matchAll(/Section '\.text\.f(\d+)'/g)].map((m) => Number(m[1])));
  if (named.size > 0) {
    const rest = rangesOf(
      template,
      t,
      part.filter((_, i) => !named.has(i)),
    ).values();
    return part.map((_, i) => (named.has(i) ? null : rest.next().value!));
  }
  const half = part.length >> 1;
  return [...rangesOf(template, t, part.slice(0, half)), ...rangesOf(template, t, part.slice(half))];
}

interface Exception {
  readonly why: string;
  readonly holds: (inst: MachineInst) => boolean;
  /** Source that nvdisasm counts otherwise, and how. */
  readonly slot: string;
  readonly counted: (o: Operand) => Operand;
}

const wider = (o: Operand): Operand => ({ ...o, width: o.width + 1 });
const narrower = (o: Operand): Operand => ({ ...o, width: o.width - 1 });

const exceptions: readonly Exception[] = [
  {
    why: "LDL and STL through a descriptor: their address has two registers (ptxas makes none; local addresses have 32 bits)",
    holds: (i) =>
      /^(LDL|STL)$/.test(i.form.op) && i.srcs.some((o, k) => i.form.srcs[k]!.name === "desc" && o.kind === Kind.Reg),
    slot: "base",
    counted: wider,
  },
  {
    why: "LDGSTS from [R.U32+UR]: R has two registers (LDG's has one)",
    holds: (i) => i.form.op === "LDGSTS" && i.srcs.some((o, k) => i.form.srcs[k]!.name === "addr" && o.width === 1),
    slot: "addr",
    counted: wider,
  },
  {
    why: "LDGSTS with [R+UR] and desc[UR+1]: the descriptor has one register (everywhere else two)",
    holds: (i) => i.form.op === "LDGSTS" && i.srcs.some((o, k) => i.form.srcs[k]!.name === "ur" && o.width === 3),
    slot: "ur",
    counted: narrower,
  },
  {
    why: "SYNCS.CAS of URZ (sm_90): nvdisasm shows and counts the last registers",
    holds: (i) =>
      i.form.op === "SYNCS" && i.srcs.some((o, k) => i.form.srcs[k]!.name === "cmp" && o.kind === Kind.None),
    slot: "cmp",
    counted: (o) => ({ ...o, kind: Kind.Reg, file: File.UR, id: 60, width: 4 }),
  },
];

/** Forms of which we count more than nvdisasm does. */
const larger: readonly (readonly [names: RegExp, why: string])[] = [
  [
    /^(TEX|TLD4?|TXD|TMML|FOOTPRINT)\./,
    "textures with packed coordinates (.SCR), and from sm_100 on with uniform operands: our a, b or handle is larger",
  ],
  [
    /^UBLK(CP|RED)\b.*\.COUNTED/,
    "UBLKCP and UBLKRED .COUNTED: a destination of four registers on sm_120, too (nvdisasm: two)",
  ],
  [/^F2FP\b.*\.RS/, "F2FP.RS: nvdisasm leaves out a or c, which it prints"],
  [/^UMEMSETS/, "UMEMSETS: nvdisasm leaves out the first operand, which it prints"],
];

/** Are all registers of the second among the first, read or written at least as much? */
function includes(ours: string, theirs: string): boolean {
  const of = new Map(ours.split(" ").map((m) => [m.slice(0, -1), m.slice(-1)]));
  return theirs.split(" ").every((m) => {
    const mark = of.get(m.slice(0, -1));
    return m.endsWith(":") || mark === m.slice(-1) || mark === "x";
  });
}

/** Why the marks differ, if they are the same once the operand of an exception is what nvdisasm has. */
function explanation(asked: Asked, theirs: string, ours: string): string | null {
  const inst = asked.insts[0]!;
  for (const [names, why] of larger) if (names.test(inst.form.name) && includes(ours, theirs)) return why;
  for (const e of exceptions) {
    if (!e.holds(inst)) continue;
    const at = inst.form.srcs.findIndex((s) => s.name === e.slot);
    const other = { ...inst, srcs: inst.srcs.map((o, k) => (k === at ? e.counted(o) : o)) };
    if (marksOf({ ...asked, insts: [other, ...asked.insts.slice(1)] }) === theirs) return e.why;
  }
  return null;
}

const prefixes: Readonly<Record<number, string>> = { [File.R]: "R", [File.UR]: "UR", [File.P]: "P", [File.UP]: "UP" };

/** Operands with another number of registers, and registers that are no operand's. */
function ruleOf(inst: MachineInst, theirs: string, ours: string): string {
  const [a, b] = [theirs, ours].map((text) => new Map(text.split(" ").map((m) => [m.slice(0, -1), m.slice(-1)])));
  const parts: string[] = [];
  const covered = new Set<string>();
  const look = (name: string, file: File, id: number, marks: string): void => {
    if (id === ZERO_REG || prefixes[file] === undefined) return;
    const run = (of: ReadonlyMap<string, string>): number => {
      let n = 0;
      for (; marks.includes(of.get(`${prefixes[file]}${id + n}`) ?? "-"); n++)
        covered.add(`${prefixes[file]}${id + n}`);
      return n;
    };
    const [x, y] = [run(a!), run(b!)];
    if (x !== y) parts.push(`${name} ${x} | ${y}`);
  };
  if (inst.guard) look("guard", inst.guard.file, inst.guard.id, "vx");
  inst.dsts.forEach((o, i) => {
    if (o.kind === Kind.Reg) look(`^${inst.form.dsts[i]!.name}`, o.file, o.id, "^x");
  });
  inst.srcs.forEach((o, i) => {
    const { name } = inst.form.srcs[i]!;
    if (o.kind === Kind.Reg) look(name, o.file, o.id, "vx");
    if (o.kind === Kind.Const && o.index >= 0) look(`${name}[]`, o.file, o.index, "vx");
  });
  const rest = (of: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string =>
    [...of]
      .filter(([r, m]) => other.get(r) !== m && !covered.has(r))
      .map(([r, m]) => r + m)
      .join(" ");
  const [x, y] = [rest(a!, b!), rest(b!, a!)];
  if (x !== "" || y !== "") parts.push(`others ${x || "none"} | ${y || "none"}`);
  return parts.join("; ") || "marks";
}
