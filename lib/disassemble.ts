/** The code of a cubin as a listing: functions, labels, instructions in nvdisasm's syntax, control bits beside them. */

import { branchTargets, type Cubin, type CubinFunction, type CubinReloc, relocationName } from "./elf/index.js";
import { counted } from "./inspect.js";
import type { Control } from "./isa/operand.js";
import {
  type CodeReloc,
  controlText,
  type FlowFacts,
  type LabelNumbers,
  type Listed,
  listingLines,
} from "./sass/index.js";
import { type Target, targetOfSm } from "./target/index.js";

/** An instruction of a listing. */
export interface ListedInstruction {
  /** Byte offset in the function. */
  readonly offset: number;
  /** `.word 0x…` when the instruction table does not know the word. */
  readonly text: string;
  /** The instruction table knows the word. */
  readonly known: boolean;
  /** Its scheduling bits; null where the word is not known. */
  readonly control: Control | null;
  /** Four u32, low first. */
  readonly words: readonly number[];
  /** Symbol and addend of a relocation that applies here. */
  readonly relocation: string | null;
  /** Line of the PTX text, null when not recorded. */
  readonly line: number | null;
  /** Line of the source that the PTX was made of, null when not recorded. */
  readonly source: {
    /** The file as the line table names it. */
    readonly path: string;
    /** Line in it, from 1. */
    readonly line: number;
  } | null;
}

/** A function of a listing. */
export interface ListedFunction {
  /** Name of its symbol. */
  readonly name: string;
  /** A kernel, or a function that others call. */
  readonly kind: "entry" | "func";
  /** Registers per thread. */
  readonly registers: number;
  /** Bytes of static shared memory per CTA. */
  readonly sharedBytes: number;
  /** Bytes of its own stack frame. */
  readonly frameBytes: number;
  /** Its instructions in order of address. */
  readonly instructions: readonly ListedInstruction[];
  /** Byte offset → label, numbered as nvdisasm does. */
  readonly labels: ReadonlyMap<number, string>;
  /** Words that are not in the instruction table. */
  readonly unknown: number;
}

/**
 * Every function of a cubin (`readCubin` gives it), ours or ptxas's, in the order of the file. Words that the instruction
 * table does not know are listed as words. Empty for an SM that ptxas 13 does not make code for.
 */
export function disassemble(cubin: Cubin): readonly ListedFunction[] {
  const target = targetOfSm(cubin.sm);
  if (target === null) return [];
  const numbers: LabelNumbers = { next: 0 };
  return cubin.functions.map((f) => listFunction(f, target, numbers));
}

function listFunction(f: CubinFunction, target: Target, numbers: LabelNumbers): ListedFunction {
  const lines = listingLines(listed(f, target), numbers);
  const relocs = new Map(
    f.relocs.map((r) => [r.offset, r.addend === 0 ? r.symbol.name : `${r.symbol.name}+${r.addend}`]),
  );
  const ptxLines = new Map(f.ptxLines.map((l) => [l.offset, l.line]));
  const sourceLines = new Map(f.sourceLines.map((l) => [l.offset, { path: l.path, line: l.line }]));
  let line: number | null = null;
  let source: ListedInstruction["source"] = null;
  const instructions = lines.map((l, i): ListedInstruction => {
    line = ptxLines.get(l.address) ?? line;
    source = sourceLines.get(l.address) ?? source;
    return {
      offset: l.address,
      text: l.text,
      known: l.known,
      control: l.control,
      words: [f.words[4 * i]!, f.words[4 * i + 1]!, f.words[4 * i + 2]!, f.words[4 * i + 3]!],
      relocation: relocs.get(l.address) ?? null,
      line,
      source,
    };
  });
  return {
    name: f.name,
    kind: f.kind,
    registers: f.registers,
    sharedBytes: f.sharedBytes - f.sharedReserved,
    frameBytes: f.frameBytes,
    instructions,
    labels: new Map(lines.filter((l) => l.label !== "").map((l) => [l.address, l.label])),
    unknown: instructions.reduce((n, i) => n + (i.known ? 0 : 1), 0),
  };
}

/** What a cubin tells of a function's control flow besides its words, for `codeFlow` and `liveCounts`. */
export function flowFacts(f: CubinFunction): FlowFacts {
  return { entries: f.ranges.map((r) => r.offset), targets: branchTargets(f) };
}

function listed(f: CubinFunction, target: Target): Listed {
  return {
    name: f.name,
    words: f.words,
    target,
    relocs: f.relocs.map(codeReloc).filter((r) => r !== null),
    symbols: new Map(f.ranges.filter((r) => r.offset > 0).map((r) => [r.offset, r.name])),
    targets: branchTargets(f),
  };
}

/** Address halves are printed in place of the number; other kinds stand in the `relocation` column alone. */
function codeReloc(r: CubinReloc): CodeReloc | null {
  const half = /_(LO|HI)_32$/.exec(relocationName(r.type))?.[1];
  if (half === undefined) return null;
  return { offset: r.offset, symbol: r.symbol.name, addend: r.addend, what: half === "LO" ? "32@lo" : "32@hi" };
}

/** What a listing shows beside the instructions. */
export interface ListingOptions {
  /** A column with the control bits: scoreboards waited for, set by operands and result, yield, stall. Default false. */
  readonly control?: boolean;
  /** Lines of the source and of the PTX text before the instructions made of them. Default false. */
  readonly source?: boolean;
}

/** The listing as text, one line per instruction. */
export function listingText(cubin: Cubin, functions: readonly ListedFunction[], options: ListingOptions = {}): string {
  const out = [`\t.target ${cubin.target}`];
  for (const f of functions) {
    const shared = f.sharedBytes > 0 ? `, ${counted(f.sharedBytes, "byte")} shared memory` : "";
    out.push("", `${f.name}:  // ${counted(f.registers, "register")}, ${counted(f.frameBytes, "byte")} stack${shared}`);
    let before: ListedInstruction | null = null;
    for (const i of f.instructions) {
      const label = f.labels.get(i.offset);
      if (label !== undefined && label !== f.name) out.push(`${label}:`);
      if (options.source) out.push(...originText(cubin, i, before));
      out.push(instructionText(i, options));
      before = i;
    }
  }
  return `${out.join("\n")}\n`;
}

/** `// k.cu, line 8` and `// PTX line 30: ret;` where they are others than those of the instruction before. */
function originText(cubin: Cubin, i: ListedInstruction, before: ListedInstruction | null): string[] {
  const lines: string[] = [];
  const { source, line } = i;
  if (source !== null && (source.line !== before?.source?.line || source.path !== before.source.path))
    lines.push(`        // ${source.path || "source"}, line ${source.line}`);
  if (line !== null && line !== before?.line) {
    const text = cubin.ptxText[line - 1]?.trim() ?? "";
    lines.push(`        // PTX line ${line}${text === "" ? "" : `: ${text}`}`);
  }
  return lines;
}

function instructionText(i: ListedInstruction, options: ListingOptions): string {
  const offset = `/*${i.offset.toString(16).padStart(4, "0")}*/`;
  const control = options.control ? `${i.control === null ? "" : controlText(i.control)}`.padEnd(21) : "";
  const note = i.relocation === null || i.text.includes("32@") ? "" : `  // ${i.relocation}`;
  return `        ${offset}  ${control}${i.text} ;${note}`;
}
