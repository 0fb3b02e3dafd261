/**
 * Listings of machine code: every instruction in nvdisasm's syntax with its address, labels `.L_x_N` numbered in the
 * order in which instructions first name them, symbols from relocations, and the control word in a column of its own:
 *
 *     B01---- R1 W0 Y S15   wait for scoreboards 0 and 1, operands guarded by 1, result by 0, may yield, stall 15
 */

import { type Names, renderInst } from "../isa/text.js";
import { clone } from "../ori/operand.js";
import { type Control, Kind, type MachineInst } from "../ori/types.js";
import type { Target } from "../target/types.js";
import type { CodeReloc } from "./code.js";
import { controlOf, decodeInst } from "./decode.js";
import { wordPrinter } from "./word-text.js";

/** What is listed: a `Code`, or words of a cubin with what is known of them. */
export interface Listed {
  /** Name of the function. */
  readonly name: string;
  /** Its code: four u32 per instruction. */
  readonly words: Uint32Array;
  /** The SM that the words are for. */
  readonly target: Target;
  /** Relocations of the words, whose symbols are printed. */
  readonly relocs?: readonly CodeReloc[];
  /** Names of places, by byte address (functions inside the section). */
  readonly symbols?: ReadonlyMap<number, string>;
  /** Targets of indirect branches: byte address of the branch → those of its targets. */
  readonly targets?: ReadonlyMap<number, readonly number[]>;
}

/** An instruction of a listing with its address and label. */
export interface ListingLine {
  /** Byte address. */
  readonly address: number;
  /** Label at this address, "" when nothing refers to it. */
  readonly label: string;
  /** nvdisasm's text without the `;`; `.dword …` when the word is not known. */
  readonly text: string;
  /** Its scheduling bits; null where the word is not known. */
  readonly control: Control | null;
  /** False when the instruction table does not know the word. */
  readonly known: boolean;
}

/** Numbers of the labels given out so far; pass one along to number through several functions as nvdisasm does. */
export interface LabelNumbers {
  /** Number of the next label. */
  next: number;
}

/** The lines of a listing as nvdisasm prints them. */
export function listingLines(code: Listed, numbers: LabelNumbers = { next: 0 }): ListingLine[] {
  const { words, target } = code;
  const labels = new Map<number, string>(code.symbols ?? []);
  const nameOf = (address: number): string => {
    let name = labels.get(address);
    if (name === undefined) {
      // Distance 0 from the start of the function is the function itself (RET.REL.NODEC).
      name = address === 0 ? code.name : `.L_x_${numbers.next++}`;
      labels.set(address, name);
    }
    return name;
  };
  const names: Names = { isa: target.isa, label: (o) => `\`(${nameOf(o.value)})` };
  const relocs = new Map<number, CodeReloc>((code.relocs ?? []).map((r) => [r.offset, r]));
  const print = wordPrinter(target, names);
  const texts: (string | null)[] = [];
  for (let at = 0; at + 3 < words.length; at += 4) {
    const reloc = relocs.get(4 * at);
    const text = reloc === undefined ? print(words, at) : relocatedText(code, at, reloc, names);
    const targets = text === null ? undefined : code.targets?.get(4 * at);
    texts.push(targets === undefined ? text : `${text}${targetsNote(targets.map(nameOf))}`);
  }
  return texts.map((text, i) => ({
    address: 16 * i,
    label: labels.get(16 * i) ?? "",
    text: text ?? rawText(words, i),
    control: text === null ? null : controlOf(words[4 * i + 3]!),
    known: text !== null,
  }));
}

function relocatedText(code: Listed, at: number, r: CodeReloc, names: Names): string | null {
  const inst = decodeInst(code.words, at, code.target);
  if (inst === null) return null;
  applyReloc(inst, r);
  return renderInst(inst, names);
}

/** The operand that the relocation fills becomes its symbol: the 32-bit immediate stands before small ones (masks, LUTs). */
function applyReloc(inst: MachineInst, r: CodeReloc): void {
  const i = inst.srcs.findIndex((o) => o.kind === Kind.Imm || o.kind === Kind.Label);
  if (i < 0) return;
  const o = clone(inst.srcs[i]!);
  o.kind = Kind.Sym;
  o.sym = r.symbol;
  o.value = r.addend;
  o.part = r.what;
  inst.srcs[i] = o;
}

/** As nvdisasm notes the table of an indirect branch, with one space in front. */
function targetsNote(targets: readonly string[]): string {
  return ` (*"BRANCH_TARGETS ${targets.join(",")}"*)`;
}

function rawText(words: Uint32Array, i: number): string {
  const hex = [3, 2, 1, 0].map((k) => words[4 * i + k]!.toString(16).padStart(8, "0")).join("");
  return `.word 0x${hex}`;
}

/** `B01---- R1 W0 Y S15` */
export function controlText(c: Control): string {
  let wait = "";
  for (let i = 0; i < 6; i++) wait += (c.wait >> i) & 1 ? i : "-";
  const sb = (n: number): string => (n === 7 ? "-" : String(n));
  const stall = String(c.stall).padStart(2, "0");
  return `B${wait} R${sb(c.readSb)} W${sb(c.writeSb)} ${c.yield ? "-" : "Y"} S${stall}`;
}

/** A function as text. */
export function listing(
  code: Listed,
  options: {
    /** Control words stand beside the instructions. Default false. */
    readonly control?: boolean;
    /** The branch to itself and the NOPs at the end are shown. Default true. */
    readonly tail?: boolean;
  } = {},
): string {
  const { control = true, tail = false } = options;
  const out = [`.text.${code.name}:`];
  const lines = listingLines(code);
  const last = tail ? lines.length : lastOfBody(lines);
  for (const l of lines.slice(0, last)) {
    if (l.label && l.label !== code.name) out.push(`${l.label}:`);
    const column = control && l.control ? `${controlText(l.control)}  ` : "";
    const guard = /^@\S+ /.exec(l.text)?.[0] ?? "";
    const address = `/*${l.address.toString(16).padStart(4, "0")}*/`;
    out.push(`        ${address}  ${column}${guard.padStart(6)} ${l.text.slice(guard.length)} ;`);
  }
  return `${out.join("\n")}\n`;
}

/** Number of lines before the NOPs at the end. */
function lastOfBody(lines: readonly ListingLine[]): number {
  let n = lines.length;
  while (n > 0 && lines[n - 1]!.text === "NOP") n--;
  return n;
}
