/**
 * Words to text without the instruction between them. The text of an operand follows from a few bits of the word, so it
 * is worked out once for each of their values, by the printer of instructions (`isa/text.ts`) from the operands of the
 * decoder, and kept: there is one truth about how an operand reads. Tables are shared by all lines whose operands read
 * alike. Labels and operands of more bits (addresses, 32-bit immediates) are printed anew each time.
 */
import { InternalError } from "../errors.js";
import type { LineCase } from "../isa/cases.js";
import { tableFor } from "../isa/compiled.js";
import { planOf } from "../isa/plan.js";
import { headText, type Names } from "../isa/text.js";
import type { Target } from "../target/types.js";
import { decodeAs, findCase } from "./decode.js";
import { PrintedOperand, SlotConditions } from "./printed-operand.js";

/** The text of the word at words[at … at+3] of code that begins at words[0]; null when the table does not know it. */
export type WordPrinter = (words: Uint32Array, at: number) => string | null;

/** Prints words of an SM as `renderInst` prints what `decodeInst` makes of them; `names.label` names code addresses. */
export function wordPrinter(target: Target, names: Pick<Names, "label"> = {}): WordPrinter {
  const { isa } = target;
  const table = tableFor(isa);
  const all: Names = { ...names, isa };
  return (words, at) => {
    const found = findCase(table, words, at);
    return found === null ? null : caseText(found, isa, words, at, at * 4, all);
  };
}

/** Text of every word. */
export function codeTexts(words: Uint32Array, target: Target, names: Pick<Names, "label"> = {}): (string | null)[] {
  const print = wordPrinter(target, names);
  const out: (string | null)[] = new Array(words.length >> 2);
  for (let at = 0; at + 3 < words.length; at += 4) out[at >> 2] = print(words, at);
  return out;
}

/** How the words of a line are printed on an SM. */
interface Printer {
  /** As nothing. */
  readonly hidden: boolean;
  readonly operands: readonly PrintedOperand[];
  /** Slots that the row's other names ask about. */
  readonly conditions: readonly SlotConditions[];
  /** A number may be last, and have a space after it. */
  readonly trims: boolean;
}

/** By SM, then by line. */
const printers: (Printer | undefined)[][] = [];

function printerOf(found: LineCase, isa: number): Printer {
  printers[isa] ??= [];
  const byLine = printers[isa]!;
  const { id } = found.code;
  byLine[id] ??= makePrinter(found, isa);
  return byLine[id]!;
}

/** As `renderInst` prints what `decodeInst` makes of the word. */
function caseText(found: LineCase, isa: number, words: Uint32Array, at: number, pc: number, names: Names): string {
  const { hidden, operands, conditions, trims } = printerOf(found, isa);
  if (hidden) return "";
  let head = (words[at]! >>> 12) & 15;
  for (let i = 0; i < conditions.length; i++) head |= conditions[i]!.holding(words, at);
  let out = found.heads[head] ?? addHead(found, head, words, at, pc, isa);
  let first = true;
  for (let i = 0; i < operands.length; i++) {
    const text = operands[i]!.text(words, at, pc, names, first);
    if (text === "") continue;
    out += text;
    first = false;
  }
  return trims ? out.trimEnd() : out;
}

/** The guard and which conditions hold say what stands before the operands. */
function addHead(found: LineCase, head: number, words: Uint32Array, at: number, pc: number, isa: number): string {
  const inst = decodeAs(found, words, at, pc);
  const text = headText(planOf(inst.form, isa), inst, { isa });
  found.heads[head] = text;
  return text;
}

/** Immediate formats of which some values have a space after them (`+INF `). */
const spaced: ReadonlySet<string> = new Set(["f32", "f64", "h1", "h2", "b1", "bf2"]);

function makePrinter(found: LineCase, isa: number): Printer {
  const { code } = found;
  const form = found.form!;
  const plan = planOf(form, isa);
  const line = plan.lines.find((l) => l.line === code.line);
  if (line === undefined) throw new InternalError(`${form.name}: the line of a word does not print it`);
  const slots = code.line.row.slots.map((slot, i) => ({ slot, step: code.coded[i]! }));
  // Bits of a head above those of the guard.
  let shift = 4;
  const asked = plan.aliases.flatMap((a) => a.conditions);
  const conditions = [...new Set(asked.map((c) => c.slot))].map((slot) => {
    const values = [...new Set(asked.filter((c) => c.slot === slot).map((c) => c.value))];
    const made = new SlotConditions(slots.find((s) => s.slot === slot)!.step, values, shift);
    shift += values.length;
    return made;
  });
  return {
    hidden: plan.hidden,
    operands: line.operands.map((_, i) => new PrintedOperand(line, i, form, slots, isa)),
    conditions,
    trims: spaced.has(code.line.imm),
  };
}
