/**
 * The instruction table: all rows, found by mnemonic. Rows are read (syntax.ts) when their mnemonic is first asked for.
 */
import { InternalError } from "../errors.js";
import { type Condition, parseConditions } from "./conditions.js";
import type { ImmFormat, Row } from "./row.js";
import { asyncRows } from "./rows/async.js";
import { atomicRows } from "./rows/atomic.js";
import { controlRows } from "./rows/control.js";
import { conversionRows } from "./rows/conversion.js";
import { floatRows } from "./rows/float.js";
import { float8Rows } from "./rows/float8.js";
import { globalRows } from "./rows/global.js";
import { graphicsRows } from "./rows/graphics.js";
import { halfRows } from "./rows/half.js";
import { namelessRows } from "./rows/hidden.js";
import { integerRows } from "./rows/integer.js";
import { memoryRows } from "./rows/memory.js";
import { moveRows } from "./rows/move.js";
import { packedRows } from "./rows/packed.js";
import { predicateRows } from "./rows/predicate.js";
import { pseudoRows } from "./rows/pseudo.js";
import { surfaceRows } from "./rows/surface.js";
import { systemRows } from "./rows/system.js";
import { tensorRows } from "./rows/tensor.js";
import { textureRows } from "./rows/texture.js";
import { tmemRows } from "./rows/tmem.js";
import { uniformRows } from "./rows/uniform.js";
import { uniformFloatRows } from "./rows/uniform-float.js";
import { warpgroupRows } from "./rows/warpgroup.js";
import {
  type ConstRef,
  type Fixed,
  holdsFor,
  type OperandRef,
  parseFixed,
  parseSlots,
  parseTemplate,
  type Slot,
  type Template,
} from "./syntax.js";
import { parseWidths, type Widths } from "./widths.js";

export const rows: readonly Row[] = [
  ...moveRows,
  ...integerRows,
  ...floatRows,
  ...halfRows,
  ...conversionRows,
  ...memoryRows,
  ...atomicRows,
  ...controlRows,
  ...uniformRows,
  ...uniformFloatRows,
  ...tensorRows,
  ...warpgroupRows,
  ...asyncRows,
  ...tmemRows,
  ...textureRows,
  ...surfaceRows,
  ...graphicsRows,
  ...packedRows,
  ...systemRows,
  ...predicateRows,
  ...globalRows,
  ...float8Rows,
  ...namelessRows,
  ...pseudoRows,
];

/** One opcode of a line: which kinds the operands a, b, c have in it. */
export interface Encoding {
  /** Letters for the slots named a, b, c that the row has; "" when the row names all bits itself. */
  readonly shape: string;
  /** Bits 11:0, and bit 91 as bit 12. */
  readonly opcode: number;
}

export interface ParsedLine {
  readonly row: ParsedRow;
  readonly index: number;
  readonly sm: string;
  readonly template: Template;
  readonly encodings: readonly Encoding[];
  readonly is: readonly Fixed[];
  readonly fill: readonly Fixed[];
  readonly imm: ImmFormat;
  /** Words that are refused, and words that are taken and printed as nothing. */
  readonly not: readonly Condition[];
  readonly hidden: readonly Condition[];
  /** Per slot: how the text shows it, null when it does not. */
  readonly refs: readonly (OperandRef | ConstRef | null)[];
}

export interface ParsedRow {
  readonly row: Row;
  readonly index: number;
  /** Mnemonic alone. */
  readonly op: string;
  readonly slots: readonly Slot[];
  readonly widths: Widths;
  readonly lines: readonly ParsedLine[];
  readonly aliases: readonly Alias[];
}

/** A printed name that depends on operands. */
export interface Alias {
  readonly mod: string;
  readonly conditions: readonly { readonly slot: string; readonly value: string }[];
}

const parsed = new Map<string, ParsedRow[]>();
const byOp = new Map<string, number[]>();
rows.forEach((row, i) => {
  const op = row.op.split(".")[0]!;
  const list = byOp.get(op);
  if (list) list.push(i);
  else byOp.set(op, [i]);
});

/** All mnemonics, in table order. */
export const mnemonics: readonly string[] = [...byOp.keys()];

/** Rows of a mnemonic, in table order; empty for an unknown one. */
export function rowsOf(op: string): readonly ParsedRow[] {
  let list = parsed.get(op);
  if (!list) {
    list = (byOp.get(op) ?? []).map((i) => parseRow(rows[i]!, i));
    if (list.length > 0) parsed.set(op, list);
  }
  return list;
}

/** The row at this position in `rows`. */
export function rowAt(index: number): ParsedRow {
  return rowsOf(rows[index]!.op.split(".")[0]!).find((r) => r.index === index)!;
}

function parseRow(row: Row, index: number): ParsedRow {
  const slots = parseSlots(row.slots);
  const out = {
    row,
    index,
    op: row.op.split(".")[0]!,
    slots,
    widths: parseWidths(row.widths, slots),
    lines: [] as ParsedLine[],
    aliases: (row.alias ?? []).map(parseAlias),
  };
  row.lines.forEach((line, i) => {
    const template = parseTemplate(line.text, slots);
    out.lines.push({
      row: out,
      index: i,
      sm: line.sm ?? "",
      template,
      refs: slots.map((slot) => refOf(template, slot)),
      encodings: parseEncodings(line.as),
      is: parseFixed(line.is),
      fill: parseFixed(line.fill),
      imm: line.imm ?? row.imm ?? "u32",
      not: [...parseConditions(row.not), ...parseConditions(line.not)],
      hidden: [...parseConditions(row.hidden), ...parseConditions(line.hidden)],
    });
  });
  return out;
}

/** Where a template shows a slot. */
function refOf(template: Template, slot: Slot): OperandRef | ConstRef | null {
  for (const tokens of template.operands)
    for (const t of tokens) {
      if (t.kind === "text" || t.kind === "part" || t.kind === "echo") continue;
      const ref = t.kind === "sum" ? t.terms.find((r) => r.slot === slot) : t.ref.slot === slot ? t.ref : undefined;
      if (ref) return ref;
    }
  return null;
}

/** `R=210 I=810 C=a10`: the opcodes of a line, of which `u` after the digits is bit 91. */
export function parseEncodings(text: string): Encoding[] {
  if (text === "") return [];
  return text.split(" ").map((item) => {
    const m = /^(?:([RICXUqr]+)=)?([0-9a-f]{3})(u?)$/.exec(item);
    if (!m) throw new InternalError(`instruction table: bad encoding "${item}"`);
    return { shape: m[1] ?? "", opcode: parseInt(m[2]!, 16) | (m[3] ? 0x1000 : 0) };
  });
}

function parseAlias(text: string): Alias {
  const [mod, rest] = text.split(": ");
  const conditions = rest!.split(" ").map((c) => {
    const [slot, value] = c.split("=");
    return { slot: slot!, value: value! };
  });
  return { mod: mod!, conditions };
}

/** Lines of a row that hold on an SM, in table order. */
export function linesFor(row: ParsedRow, isa: number): readonly ParsedLine[] {
  return row.lines.filter((l) => holdsFor(l.sm, isa));
}
