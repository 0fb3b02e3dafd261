/**
 * Documentation of the instruction set, made from the table: one Markdown page per mnemonic with every encoding as a bit
 * diagram, its fields, modifiers with their codes, and the SMs where it holds; an index by mnemonic and one by opcode.
 */

import { tableFor } from "../isa/compiled.js";
import { type CodeLine, Do, type Step } from "../isa/lines.js";
import type { Group, Loc } from "../isa/syntax.js";
import { mnemonics, type ParsedRow, rowsOf } from "../isa/table.js";
import { File } from "../isa/types.js";
import { target, targetNames } from "../target/index.js";

/** A file of the documentation. */
export interface DocPage {
  /** File name of the page. */
  readonly name: string;
  /** The page in Markdown. */
  readonly text: string;
}

/** All pages: `README.md` (index), `opcodes.md`, and one for each mnemonic that an SM has. */
export function isaPages(): readonly DocPage[] {
  const ops = mnemonics.filter((op) => rowsOf(op).some((r) => r.lines.some((l) => l.encodings.length > 0)));
  const sorted = [...ops].sort();
  return [
    { name: "README.md", text: mnemonicIndex(sorted) },
    { name: "opcodes.md", text: opcodeIndex() },
    ...sorted.map((op) => ({ name: `${op}.md`, text: isaPage(op) })),
  ];
}

const isas: readonly number[] = [...new Set(targetNames.map((n) => target(n).isa))].sort((a, b) => a - b);

/** The page of a mnemonic; only its title when no SM has it. */
export function isaPage(op: string): string {
  const out = [`# ${op}`, ""];
  for (const row of rowsOf(op)) {
    const encodings = encodingsOf(row);
    if (encodings.length === 0) continue;
    out.push(`## ${row.row.op}`, "", `${cell(row.row.does)}.`, "", `Operands: \`${row.row.slots}\``, "");
    if (row.row.time !== undefined) out.push(`Timing: ${row.row.time}. Flow: ${row.row.flow ?? "next"}.`, "");
    for (const e of encodings) out.push(...encodingText(e.code, e.isas));
    out.push(...modifierText(encodings.map((e) => e.code)));
  }
  return `${out.join("\n").trimEnd()}\n`;
}

interface Encoded {
  readonly code: CodeLine;
  readonly isas: number[];
}

/** Encodings of a row, those that look the same on several SMs once. */
function encodingsOf(row: ParsedRow): readonly Encoded[] {
  const found = new Map<string, Encoded>();
  for (const isa of isas)
    for (const code of tableFor(isa).linesOfRow(row.index)) {
      const key = `${code.line.index} ${code.opcode} ${diagram(code).join("")}`;
      const known = found.get(key);
      if (known) known.isas.push(isa);
      else found.set(key, { code, isas: [isa] });
    }
  return [...found.values()];
}

const opcodeText = (opcode: number): string =>
  `0x${(opcode & 0xfff).toString(16)}${opcode >> 12 ? " (bit 91 set)" : ""}`;
const cell = (text: string): string => text.replace(/[|<>*_]/g, "\\$&");

function encodingText(code: CodeLine, sms: readonly number[]): string[] {
  const { row, index } = code.line;
  const rows = fieldsOf(code).map((f) => `| ${f.letter} | ${placeText(f.loc)} | ${cell(f.what)} |`);
  return [
    `### Opcode ${opcodeText(code.opcode)}`,
    "",
    `\`${row.row.lines[index]!.text}\` on ${sms.map((s) => `sm_${s}`).join(", ")}`,
    "",
    "```text",
    ...diagram(code),
    "```",
    "",
    "| | bits | |",
    "|---|---|---|",
    ...rows,
    "",
  ];
}

/** `79:78`, pieces from the lowest up. */
export function placeText(loc: Loc): string {
  return [...loc].map((p) => (p.width === 1 ? `${p.lo}` : `${p.lo + p.width - 1}:${p.lo}`)).join(", ");
}

// ---------------------------------------------------------------------------------------------- fields

/** A place in the word and what stands there. */
export interface Field {
  readonly letter: string;
  readonly loc: Loc;
  readonly what: string;
}

const letters = "abcdefhijklmnopqrstuvwxyzABDEFGHIJKLMNOPQRSTUVWXYZ";

/** Everything with a place in the word, from the lowest bit up; letters are those of the diagram. */
export function fieldsOf(code: CodeLine): readonly Field[] {
  const found: { loc: Loc; what: string }[] = [];
  const add = (loc: Loc, what: string): void => {
    if (loc.length > 0) found.push({ loc, what });
  };
  for (const g of code.groups) add(g.loc, `modifier ${groupName(g)}`);
  for (const s of code.steps) stepFields(s, add);
  found.sort((a, b) => a.loc[0]!.lo - b.loc[0]!.lo || (a.what < b.what ? -1 : 1));
  const named = found.map((f, i) => ({ ...f, letter: letters[i % letters.length]! }));
  return [
    { letter: "g", loc: [{ lo: 12, width: 4 }], what: code.guardFile === File.UP ? "guard UP" : "guard P" },
    ...named,
    { letter: "C", loc: [{ lo: 105, width: 21 }], what: "stall, yield, scoreboards, reuse" },
  ];
}

function stepFields(s: Step, add: (loc: Loc, what: string) => void): void {
  if (s.what === Do.Default) return;
  const bit = (lo: number, what: string): void => {
    if (lo >= 0) add([{ lo, width: 1 }], `${s.slot.name}: ${what}`);
  };
  const scale = s.scale === 1 ? "" : `, times ${s.scale}`;
  add(
    s.loc,
    `${s.slot.name}: ${contentOf(s)}${s.signed ? ", signed" : ""}${scale}${s.complement ? ", complement" : ""}`,
  );
  add(s.bank, `${s.slot.name}: ${s.indirect ? "uniform register" : "bank"}`);
  if (s.index) add(s.index, `${s.slot.name}: index register`);
  bit(s.neg, "negated");
  bit(s.abs, "absolute value");
  bit(s.not, "inverted");
  bit(s.reuse, "kept for reuse");
  bit(s.shown, "descriptor shown");
  if (s.part) add(s.part.loc, `${s.slot.name}: part ${groupName(s.part)}`);
}

const fileNames: Readonly<Record<number, string>> = {
  [File.R]: "register R",
  [File.UR]: "register UR",
  [File.P]: "predicate P",
  [File.UP]: "predicate UP",
  [File.B]: "barrier B",
};

function contentOf(s: Step): string {
  switch (s.what) {
    case Do.Reg:
      return fileNames[s.file] ?? "register";
    case Do.Imm:
      return `number (${s.format})`;
    case Do.Const:
      return "offset in the constant bank";
    case Do.Label:
      return s.relative ? "distance from the next instruction" : "address";
    default:
      return "special register";
  }
}

/** Four rows of 32 bits, highest first: `0` and `1` fixed, `-` of no meaning here, letters for fields. */
function diagram(code: CodeLine): string[] {
  const bits: string[] = new Array(128).fill("-");
  for (let i = 0; i < 128; i++) {
    const fixed = (code.mask[i >> 5]! >>> (i & 31)) & 1;
    if (fixed) bits[i] = String((code.value[i >> 5]! >>> (i & 31)) & 1);
    else if ((code.base[i >> 5]! >>> (i & 31)) & 1) bits[i] = "1";
  }
  for (const f of [...fieldsOf(code)].reverse())
    for (const p of f.loc) for (let i = p.lo; i < Math.min(128, p.lo + p.width); i++) bits[i] = f.letter;
  return [3, 2, 1, 0].map((w) => {
    const row = bits.slice(32 * w, 32 * w + 32).reverse();
    const bytes = [0, 8, 16, 24].map((k) => row.slice(k, k + 8).join(""));
    return `${String(32 * w + 31).padStart(3)}  ${bytes.join(" ")}  ${32 * w}`;
  });
}

// ---------------------------------------------------------------------------------------------- modifiers

/** The group's name, or its place where it has none. */
export const groupName = (g: Group): string => (g.name === "" ? `at ${placeText(g.loc)}` : g.name);

/** Values of every modifier and part of these encodings, each group once. */
function modifierText(codes: readonly CodeLine[]): string[] {
  const groups = new Map<string, Group>();
  for (const c of codes)
    for (const g of [...c.groups, ...c.steps.flatMap((s) => (s.part ? [s.part] : []))]) {
      const key = `${groupName(g)} ${placeText(g.loc)} ${g.values.map((v) => v.text).join(" ")}`;
      if (!groups.has(key)) groups.set(key, g);
    }
  const out: string[] = [];
  for (const g of groups.values()) {
    const values = g.values.filter((v) => !/\.(INVALID|\?\?\?)\d*$/.test(v.text));
    const list = values.map((v) => `${v.code} ${v.text === "" ? "(nothing)" : `\`${v.text}\``}`);
    out.push(`- ${cell(groupName(g))} (bits ${placeText(g.loc)}): ${list.join(", ")}`);
  }
  return out.length === 0 ? [] : ["Modifiers:", "", ...out, ""];
}

/** Modifiers that some row or encoding of a mnemonic has, without the point before them; sorted. */
export function modifiersOf(op: string): readonly string[] {
  const found = new Set<string>();
  for (const row of rowsOf(op)) {
    const codes = encodingsOf(row).map((e) => e.code);
    const texts = codes.flatMap((c) =>
      [...c.groups, ...c.steps.flatMap((s) => (s.part ? [s.part] : []))].flatMap((g) => g.values.map((v) => v.text)),
    );
    for (const text of [codes.length === 0 ? "" : row.row.op, ...texts])
      for (const [, word] of text.matchAll(/\.(\w+)/g)) if (!/^INVALID/.test(word!)) found.add(word!);
  }
  return [...found].sort();
}

// ---------------------------------------------------------------------------------------------- indices

function mnemonicIndex(ops: readonly string[]): string {
  const lines = ops.map((op) => {
    const row = rowsOf(op)[0]!.row;
    const sms = isas.filter((isa) => rowsOf(op).some((r) => tableFor(isa).linesOfRow(r.index).length > 0));
    return `| [${op}](${op}.md) | ${cell(row.does)} | ${sms.join(" ")} |`;
  });
  const head = ["# Instructions", "", "By opcode: [opcodes.md](opcodes.md)", "", "| mnemonic | what it does | SMs |"];
  return `${[...head, "|---|---|---|", ...lines].join("\n")}\n`;
}

function opcodeIndex(): string {
  const byOpcode = new Map<number, Map<string, number[]>>();
  for (const isa of isas)
    for (const opcode of tableFor(isa).opcodes)
      for (const c of tableFor(isa).at(opcode).lines) {
        const names = byOpcode.get(opcode) ?? new Map<string, number[]>();
        byOpcode.set(opcode, names);
        const sms = names.get(c.line.row.op) ?? [];
        names.set(c.line.row.op, sms);
        if (sms.at(-1) !== isa) sms.push(isa);
      }
  const lines = [...byOpcode]
    .sort(([a], [b]) => (a & 0xfff) - (b & 0xfff) || a - b)
    .flatMap(([opcode, names]) =>
      [...names].map(([op, sms]) => `| ${opcodeText(opcode)} | [${op}](${op}.md) | ${sms.join(" ")} |`),
    );
  const head = ["# Opcodes", "", "Bits 11:0 of the word, and bit 91.", "", "| opcode | mnemonic | SMs |"];
  return `${[...head, "|---|---|---|", ...lines].join("\n")}\n`;
}
