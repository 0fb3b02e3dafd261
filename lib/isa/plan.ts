/**
 * How a form is printed on an SM, worked out once: the lines of its row that take its modifiers, what each asks of the
 * operands, and its operands with what may be left out.
 */
import { matchMods, rowOf } from "./form.js";
import { hiddenRow } from "./rows/hidden.js";
import { type ConstRef, holdsFor, type OperandRef, type Slot, type Token } from "./syntax.js";
import type { ParsedLine } from "./table.js";
import type { Form, SlotInfo } from "./types.js";

/** What a line asks of the operand of a slot. */
export interface SlotCheck {
  readonly isDst: boolean;
  readonly index: number;
  readonly optional: SlotInfo["optional"];
  /** How the line shows the slot; both null: it does not, and the operand must be the default. */
  readonly ref: OperandRef | null;
  readonly constRef: ConstRef | null;
  /** The line shows a number there; `either`: others of the row show a register. */
  readonly number: boolean;
  readonly either: boolean;
  /** Registers that the text says (`.U32`: 1, `.64`: 2), 0 when it does not. */
  readonly width: number;
  /** A number there has 64 bits. */
  readonly wide: boolean;
}

export interface OperandPlan {
  readonly tokens: readonly Token[];
  /** The operand is left out when this holds its default. */
  readonly omit: OperandRef | null;
  /** The last two tokens are left out when this holds its default. */
  readonly tail: OperandRef | null;
}

export interface LinePlan {
  readonly line: ParsedLine;
  readonly checks: readonly SlotCheck[];
  readonly operands: readonly OperandPlan[];
}

export interface FormPlan {
  /** Printed as nothing. */
  readonly hidden: boolean;
  /** In table order; none for forms with any number of operands. */
  readonly lines: readonly LinePlan[];
  readonly aliases: readonly AliasPlan[];
}

/** A name that is printed when all conditions hold. */
export interface AliasPlan {
  readonly name: string;
  readonly conditions: readonly { readonly slot: Slot; readonly value: string }[];
}

/** By SM (0: any), then by form. */
const plans: (FormPlan | undefined)[][] = [];

/** `isa`: the SM whose syntax is used; all lines when left out. */
export function planOf(form: Form, isa: number | undefined): FormPlan {
  const at = isa ?? 0;
  plans[at] ??= [];
  const byForm = plans[at]!;
  let plan = byForm[form.id];
  if (plan === undefined) {
    plan = makePlan(form, isa);
    byForm[form.id] = plan;
  }
  return plan;
}

function makePlan(form: Form, isa: number | undefined): FormPlan {
  const row = rowOf(form);
  const lines = row.lines.filter(
    (l) => (isa === undefined || holdsFor(l.sm, isa)) && matchMods(l.template, form.mods) !== null,
  );
  return {
    hidden: row.row === hiddenRow,
    lines: form.variadic ? [] : lines.map(linePlan),
    aliases: row.aliases.map((a) => ({
      name: [form.op, a.mod, ...form.mods].join("."),
      conditions: a.conditions.map((c) => ({ slot: row.slots.find((s) => s.name === c.slot)!, value: c.value })),
    })),
  };
}

function linePlan(line: ParsedLine): LinePlan {
  return {
    line,
    checks: line.row.slots.map((slot, i) => checkOf(slot, line.refs[i]!)),
    operands: line.template.operands.map(operandPlan),
  };
}

function checkOf(slot: Slot, shown: OperandRef | ConstRef | null): SlotCheck {
  const ref = shown !== null && "number" in shown ? shown : null;
  const constRef = shown !== null && !("number" in shown) ? shown : null;
  return {
    isDst: slot.isDst,
    index: slot.index,
    optional: slot.optional,
    ref,
    constRef,
    number: ref?.number ?? false,
    either: ref !== null && slot.holds === "reg" && ref.loc !== null,
    width: ref?.suffix === ".U32" ? 1 : ref?.suffix === ".64" ? 2 : 0,
    wide: slot.width === 2,
  };
}

function operandPlan(tokens: readonly Token[]): OperandPlan {
  const first = tokens[0]!;
  const last = tokens[tokens.length - 1]!;
  return {
    tokens,
    omit: first.kind === "ref" && first.ref.omit ? first.ref : null,
    tail: tokens.length >= 3 && last.kind === "ref" && last.ref.omit ? last.ref : null,
  };
}
