/**
 * The text form of code that can be assembled again: one instruction per line after its control column, labels on
 * lines of their own.
 *
 *     .L_x_0:
 *         B01---- R1 W0 Y S15   @P0 BRA `(.L_x_0) ;
 *
 * Text and words stand for each other: what is written is read back and encoded on the spot, and a word that the text
 * does not give (bits that no text shows, words that the table does not know) is written as `.word 0x…`. A column may
 * end with the reuse bits (`U5`) where the operands' `.reuse` does not say them.
 */
import { type Diagnostic, diagnostic, type Span } from "../diagnostics.js";
import { type Control, Kind, type MachineInst, makeOperand, type Operand } from "../isa/operand.js";
import { parseInst } from "../isa/parse.js";
import { renderInst } from "../isa/text.js";
import { File } from "../isa/types.js";
import { fail, ok, type Result } from "../result.js";
import type { Target } from "../target/types.js";
import { decodeCode } from "./decode.js";
import { encodeInst, isEncodable } from "./encode.js";
import { controlText } from "./print.js";

/** Code to be written as assembly text. */
export interface AssemblySource {
  /** Name of the function. */
  readonly name: string;
  /** Its code: four u32 per instruction. */
  readonly words: Uint32Array;
  /** The SM that the words are for. */
  readonly target: Target;
  /** Names of places, by byte address. */
  readonly symbols?: ReadonlyMap<number, string>;
}

/** A line of text with its place, comments taken off. */
export interface AssemblyLine {
  /** The line without its end. */
  readonly text: string;
  /** Where it stands. */
  readonly span: Span;
}

// ---------------------------------------------------------------------------------------------- writing

/** The code as lines of text, which the assembler reads back. */
export function assemblyLines(source: AssemblySource): string[] {
  const { words, target } = source;
  const insts = decodeCode(words, target);
  const labels = labelsOf(insts, source);
  const byName = new Map([...labels].map(([address, name]) => [name, address]));
  const out: string[] = [];
  insts.forEach((inst, i) => {
    const label = labels.get(16 * i);
    if (label !== undefined) out.push(`${label}:`);
    out.push(`    ${instructionText(inst, words, i, target, labels, byName)} ;`);
  });
  return out;
}

/** Targets inside the code, numbered in order of address; names that were given come first. */
function labelsOf(insts: readonly (MachineInst | null)[], source: AssemblySource): Map<number, string> {
  const inside = (a: number): boolean => a >= 0 && a % 16 === 0 && a < 16 * insts.length;
  const addresses = new Set<number>();
  for (const inst of insts) for (const o of inst?.srcs ?? []) if (o.kind === Kind.Label) addresses.add(o.value);
  const labels = new Map<number, string>();
  const used = new Set<string>();
  for (const [address, name] of source.symbols ?? [])
    if (inside(address) && isLabelName(name) && !used.has(name)) {
      labels.set(address, name);
      used.add(name);
    }
  let next = 0;
  for (const address of [...addresses].filter(inside).sort((a, b) => a - b)) {
    if (labels.has(address)) continue;
    while (used.has(`.L_x_${next}`)) next++;
    labels.set(address, `.L_x_${next++}`);
  }
  return labels;
}

const isLabelName = (name: string): boolean => /^[.$\w]*[.$A-Za-z_][.$\w]*$/.test(name);

function instructionText(
  inst: MachineInst | null,
  words: Uint32Array,
  i: number,
  target: Target,
  labels: ReadonlyMap<number, string>,
  byName: ReadonlyMap<string, number>,
): string {
  const raw = `.word 0x${[3, 2, 1, 0].map((k) => words[4 * i + k]!.toString(16).padStart(8, "0")).join("")}`;
  if (inst === null) return raw;
  const { control } = inst;
  const label = (o: Operand): string => `\`(${labels.get(o.value) ?? `0x${o.value.toString(16)}`})`;
  const text = renderInst(inst, { isa: target.isa, label, exact: true });
  const column = controlText(control!);
  for (const reuse of ["", ` U${control!.reuse.toString(16)}`]) {
    const whole = `${column}${reuse.padEnd(3)}  ${text}`;
    const again = readInstruction(whole, target, 16 * i, byName);
    if (again.ok && again.words.every((w, k) => w === words[4 * i + k])) return whole;
  }
  return `${raw} // ${text.replaceAll("\n", " ")}`;
}

// ---------------------------------------------------------------------------------------------- reading

/** The words of a function's lines (labels and instructions); every bad line is told. */
export function assembleLines(lines: readonly AssemblyLine[], target: Target): Result<Uint32Array> {
  const diagnostics: Diagnostic[] = [];
  const labels = new Map<string, number>();
  const body: AssemblyLine[] = [];
  for (const line of lines) {
    const m = /^([.$\w]+):\s*(.*)$/.exec(line.text);
    if (!m) {
      body.push(line);
      continue;
    }
    if (labels.has(m[1]!)) diagnostics.push(diagnostic("error", `label ${m[1]} stands twice`, line.span));
    labels.set(m[1]!, 16 * body.length);
    if (m[2] !== "") body.push({ text: m[2]!, span: line.span });
  }
  const words = new Uint32Array(4 * body.length);
  body.forEach((line, i) => {
    const read = readInstruction(line.text, target, 16 * i, labels);
    if (read.ok) words.set(read.words, 4 * i);
    else diagnostics.push(diagnostic("error", read.message, line.span));
  });
  return diagnostics.length > 0 ? fail(diagnostics) : ok(words);
}

type Read = { readonly ok: true; readonly words: Uint32Array } | { readonly ok: false; readonly message: string };

const bad = (message: string): Read => ({ ok: false, message });

function readInstruction(text: string, target: Target, pc: number, labels: ReadonlyMap<string, number>): Read {
  const clean = text.replace(/;\s*$/, "").trim();
  const raw = /^\.word 0x([0-9a-f]{32})$/.exec(clean);
  const words = new Uint32Array(4);
  if (raw) {
    for (let k = 0; k < 4; k++) words[3 - k] = Number.parseInt(raw[1]!.slice(8 * k, 8 * k + 8), 16);
    return { ok: true, words };
  }
  const m = /^B([-0-5]{6}) R([-0-6]) W([-0-6]) ([-Y]) S(\d\d)(?: U([0-9a-f]))?\s+(.*)$/.exec(clean);
  if (!m) return bad(`expected a control column such as "B------ R- W- Y S01" and an instruction: "${clean}"`);
  const control = controlFrom(m);
  if (control === null) return bad(`bad control column: "${clean.slice(0, 23).trim()}"`);
  const parsed = parseInst(m[7]!, { isa: target.isa, label: (t) => labelFrom(t, labels) });
  if (!parsed.ok) return bad(parsed.message);
  const { inst } = parsed;
  const operands = [...inst.dsts, ...inst.srcs];
  if (operands.some((o) => o.kind === Kind.Sym || (o.kind === Kind.Label && o.id >= 0)))
    return bad(`unknown label in "${m[7]}"`);
  if (!isEncodable(inst, target)) return bad(`${target.name} has no encoding of "${m[7]}"`);
  encodeInst({ ...inst, control }, target, words, 0, pc);
  return { ok: true, words };
}

function controlFrom(m: RegExpExecArray): Control | null {
  const scoreboard = (s: string): number => (s === "-" ? 7 : Number(s));
  let wait = 0;
  for (let i = 0; i < 6; i++) {
    const c = m[1]![i]!;
    if (c === "-") continue;
    if (c !== String(i)) return null;
    wait |= 1 << i;
  }
  const stall = Number(m[5]);
  if (stall > 15) return null;
  return {
    stall,
    yield: m[4] === "Y" ? 0 : 1,
    writeSb: scoreboard(m[3]!),
    readSb: scoreboard(m[2]!),
    wait,
    reuse: Number.parseInt(m[6] ?? "0", 16),
  };
}

/** `` `(name) `` or `` `(0x120) ``. */
function labelFrom(text: string, labels: ReadonlyMap<string, number>): Operand | null {
  const m = /^`\(([^()]+)\)$/.exec(text);
  if (!m) return null;
  const address = /^-?0x[0-9a-f]{1,12}$/.test(m[1]!) ? Number(m[1]) : labels.get(m[1]!);
  return address === undefined || address % 4 !== 0 ? null : makeOperand(Kind.Label, File.None, 1, -1, address);
}
