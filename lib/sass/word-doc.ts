/** What the instruction table says about one machine word: for documentation beside a listing. */

import { getField } from "../isa/bits.js";
import { tableFor } from "../isa/compiled.js";
import type { CodeLine } from "../isa/lines.js";
import type { Group } from "../isa/syntax.js";
import type { Target } from "../target/types.js";
import { findLine } from "./decode.js";
import { fieldsOf, groupName, placeText } from "./docs.js";
import { modifierWords } from "./modifier-words.js";

/** A group of modifiers that exclude each other, and the one that the word has. */
export interface ModifierDoc {
  /** Of the group; its place when it has no name. */
  readonly name: string;
  /** What the group decides; null where its values say it. */
  readonly means: string | null;
  /** `79:78` */
  readonly bits: string;
  /** The operand that it stands after, null when it belongs to the name of the instruction. */
  readonly operand: string | null;
  /** As printed; "" prints nothing. */
  readonly text: string;
  /** All texts of the group in the order of their codes. */
  readonly values: readonly string[];
}

/** A piece of an instruction's name as it is printed. */
export interface NamePart {
  /** The piece as printed. */
  readonly text: string;
  /** Null for pieces that are fixed. */
  readonly modifier: ModifierDoc | null;
}

/** What the table says of one instruction word. */
export interface WordDoc {
  /** The opcode without modifiers. */
  readonly op: string;
  /** What it computes. */
  readonly does: string;
  /** Slots in the table's notation: results `<-` sources. */
  readonly slots: string;
  /** Operands and where they stand: `d: register R (bits 23:16)`. */
  readonly operands: readonly string[];
  /** Modifiers that the instruction may have. */
  readonly modifiers: readonly ModifierDoc[];
  /** The name in pieces; joined it is the printed one, unless an alias is printed. */
  readonly name: readonly NamePart[];
}

/** The documentation of the instruction in words[at … at+3], null when the table does not know it. */
export function wordDoc(words: Uint32Array, at: number, target: Target): WordDoc | null {
  const code = findLine(tableFor(target.isa), words, at);
  if (code === null) return null;
  const { row, template } = code.line;
  const modifiers: ModifierDoc[] = [];
  const modifier = (group: Group, operand: string | null): ModifierDoc => {
    const m = modifierDoc(group, operand, words, at);
    modifiers.push(m);
    return m;
  };
  const name: NamePart[] = [{ text: template.op, modifier: null }];
  for (const p of template.head) {
    if (p.kind === "fixed") name.push({ text: `.${p.mod}`, modifier: null });
    else {
      const m = modifier(p.group, null);
      name.push({ text: m.text, modifier: m });
    }
  }
  for (const s of code.steps) if (s.part !== null && s.part.loc.length > 0) modifier(s.part, s.slot.name);
  return { op: row.op, does: row.row.does, slots: row.row.slots, operands: operandsOf(code), modifiers, name };
}

function modifierDoc(group: Group, operand: string | null, words: Uint32Array, at: number): ModifierDoc {
  return {
    name: groupName(group),
    means: modifierWords[group.name] ?? null,
    bits: placeText(group.loc),
    operand,
    text: group.byCode[getField(words, at, group.loc)]?.text ?? "",
    values: group.values.filter((v) => !/\.(INVALID|\?\?\?)\d*$/.test(v.text)).map((v) => v.text),
  };
}

const operandTexts = new WeakMap<CodeLine, readonly string[]>();

function operandsOf(code: CodeLine): readonly string[] {
  const known = operandTexts.get(code);
  if (known !== undefined) return known;
  const texts = fieldsOf(code)
    .filter((f) => /^\w+: (?!part )/.test(f.what))
    .map((f) => `${f.what} (bits ${placeText(f.loc)})`);
  operandTexts.set(code, texts);
  return texts;
}
