/** Sections for debuggers: unwind information, and the lines of the PTX text. */
import type { Span } from "../../diagnostics.js";
import type { Form } from "../../isa/form.js";
import { File, Kind, type Operand } from "../../ori/types.js";
import type { Code } from "../../sass/code.js";
import { SHT } from "../elf64.js";
import { asciiBytes, type SectionDraft, section } from "../elf64-write.js";
import type { DraftReloc, DraftSymbol, Symbols } from "./draft.js";
import { type FrameEntry, frameBytes } from "./fixed.js";
import { type LineFile, type LineFunction, type LineTable, lineProgram, type Position } from "./line-program.js";
import { R_CUDA } from "./relocations.js";

export interface CodePart {
  readonly code: Code;
  readonly symbol: DraftSymbol;
  readonly text: SectionDraft;
}

export interface DebugOutput {
  readonly symbols: Symbols;
  readonly modern: boolean;
  readonly relocatable: boolean;
  relocate(where: SectionDraft, reloc: DraftReloc): void;
}

/** `.debug_frame` with its relocations. */
export function debugFrame(parts: readonly CodePart[], output: DebugOutput): SectionDraft {
  const frame = section({ name: ".debug_frame", type: SHT.Progbits, align: 1 });
  const made = frameBytes(parts.map(frameEntry), output.modern ? "modern" : "legacy", output.relocatable);
  frame.data = made.bytes;
  output.symbols.section(frame);
  const self = output.symbols.lastLocal;
  parts.forEach((p, i) => {
    const { cie, location } = made.places[i]!;
    const reloc = { symbol: p.symbol, addend: 0 };
    if (output.relocatable)
      output.relocate(frame, { offset: location - 8, type: R_CUDA.ABS64, symbol: self, addend: cie });
    output.relocate(frame, { ...reloc, offset: location, type: R_CUDA.ABS64 });
    if (output.relocatable) output.relocate(frame, { ...reloc, offset: location + 8, type: R_CUDA.UNUSED_CLEAR64 });
  });
  return frame;
}

export function frameEntry(p: CodePart): FrameEntry {
  return {
    size: p.text.data!.length,
    frameBytes: p.code.frameBytes,
    prologue: prologueEnd(p.code),
    end: lastExit(p.code),
  };
}

/** Positions of a module in its source, from `.file` and `.loc`. */
export interface SourceLines {
  /** The PTX text. */
  readonly text: string;
  /** Files that positions name by index, from 1. */
  readonly files: readonly LineFile[];
  /** Names of inlined functions (`.debug_str`); null when there are none. */
  readonly strings: Uint8Array | null;
  /** By ascending byte of the text: the position holds from there on. */
  readonly places: readonly {
    /** Byte offset of the first instruction. */
    readonly start: number;
    /** Where it comes from; null for nowhere. */
    readonly position: Position | null;
  }[];
}

/** The sections of line information, in the order of the file. */
export interface DebugSections {
  readonly sections: readonly SectionDraft[];
  /** Those of the sections that are tables of lines. */
  readonly tables: readonly { readonly section: SectionDraft; readonly lines: LineTable }[];
  /** The section of strings, with its symbol; null when there is none. */
  readonly strings: DraftSymbol | null;
  /** The module says which source it comes from. */
  readonly hasSource: boolean;
}

/** Line information: the PTX text, which of its lines the code comes from, and which line of the source that is. */
export function debugLines(parts: readonly CodePart[], source: SourceLines, output: DebugOutput): DebugSections {
  const hasSource = source.places.some((p) => p.position !== null);
  // nvlink puts objects together: each has a text of its own.
  const textName = `.nv_debug_ptx_txt${output.relocatable ? `.${adler32(asciiBytes(source.text))}` : ""}`;
  const strings = source.strings !== null;
  const functions = (position: (span: Span) => Position | null): LineFunction[] =>
    parts.map((p) => ({
      positions: p.code.locs.map((l) => (l === null ? null : position(l))),
      size: p.text.data!.length,
    }));
  const ptxFile = output.relocatable ? 1 : 0;
  const tables = [
    {
      name: ".debug_line",
      lines: { files: source.files, functions: hasSource ? functions((s) => placeOf(source, s)) : [], strings },
    },
    {
      name: ".nv_debug_line_sass",
      lines: {
        files: output.relocatable ? [{ path: textName, time: 0, size: 0 }] : [],
        functions: functions((s) => ({ file: ptxFile, line: s.line, inlined: null })),
        strings: false,
      },
    },
  ].map(({ name, lines }) => {
    const program = lineProgram(lines);
    const made = section({ name, type: SHT.Progbits, data: program.bytes });
    lines.functions.forEach((_, i) => {
      const at = { offset: program.places[i]!, symbol: parts[i]!.symbol };
      output.relocate(made, { ...at, type: R_CUDA.ABS64, addend: 0 });
    });
    return { section: made, lines };
  });
  const names = source.strings && section({ name: ".debug_str", type: SHT.Progbits, data: source.strings });
  const text = section({ name: textName, type: SHT.Progbits, data: ptxLines(source.text) });
  const sections = [tables[0]!.section, ...(names === null ? [] : [names]), tables[1]!.section, text];
  for (const s of sections) output.symbols.section(s);
  return { sections, tables, strings: names && output.symbols.sectionSymbol(names), hasSource };
}

/** The last place at or before the span. */
function placeOf(source: SourceLines, span: Span): Position | null {
  const { places } = source;
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]!.start <= span.start) low = middle + 1;
    else high = middle;
  }
  return places[low - 1]?.position ?? null;
}

/** The number with which ptxas tells texts apart. */
function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return b * 65536 + a;
}

/** Lines that are left empty: comments, positions in the source, bytes of debug sections. */
const LEFT_OUT = /^(\/\/|\.(loc|file|b8|b16|b32|b64)\b)/;

/** One NUL-terminated string per line of the PTX text, without indentation. */
function ptxLines(text: string): Uint8Array {
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  const lines = body.split("\n").map((l) => l.trim());
  return asciiBytes(`${lines.map((l) => (LEFT_OUT.test(l) ? "" : l)).join("\0")}\0`);
}

/** After the first instruction that writes R1 from itself; without a frame, after the first block. */
function prologueEnd(code: Code): number {
  const { insts } = code;
  for (let i = 0; i < insts.length; i++) {
    const { form, dsts, srcs } = insts[i]!;
    if (code.frameBytes > 0 ? dsts.some(isStack) && srcs.some(isStack) : endsBlock(form)) return (i + 1) * 16;
  }
  return 16;
}

function endsBlock(form: Form): boolean {
  return form.op === "BAR" || (form.flow !== "next" && form.flow !== "region" && form.flow !== "sync");
}

function isStack(o: Operand): boolean {
  return o.kind === Kind.Reg && o.file === File.R && o.id === 1;
}

function lastExit(code: Code): number {
  for (let i = code.insts.length - 1; i >= 0; i--) if (code.insts[i]!.form.op === "EXIT") return i * 16;
  return 0;
}
