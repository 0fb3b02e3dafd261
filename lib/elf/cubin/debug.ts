/** Sections for debuggers: unwind information, and the lines of the PTX text. */
import { File, Kind, type Operand } from "../../ori/types.js";
import type { Code } from "../../sass/code.js";
import type { Form } from "../../sass/isa/form.js";
import { SHT } from "../elf64.js";
import { asciiBytes, type SectionDraft, section } from "../elf64-write.js";
import type { DraftReloc, DraftSymbol, Symbols } from "./draft.js";
import { type FrameEntry, frameBytes } from "./fixed.js";
import { lineProgram } from "./line-program.js";
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

/** Line information: the PTX text and which of its lines the code comes from. */
export function debugLines(parts: readonly CodePart[], text: string, output: DebugOutput): SectionDraft[] {
  const program = lineProgram(parts.map((p) => ({ locs: p.code.locs, size: p.text.data!.length })));
  const none = section({ name: ".debug_line", type: SHT.Progbits, data: lineProgram([]).bytes });
  const lines = section({ name: ".nv_debug_line_sass", type: SHT.Progbits, data: program.bytes });
  parts.forEach((p, i) => {
    output.relocate(lines, { offset: program.places[i]!, type: R_CUDA.ABS64, symbol: p.symbol, addend: 0 });
  });
  const source = section({ name: ".nv_debug_ptx_txt", type: SHT.Progbits, data: ptxLines(text) });
  const made = [none, lines, source];
  for (const s of made) output.symbols.section(s);
  return made;
}

/** One NUL-terminated string per line of the PTX text, without indentation; positions of the source are left out. */
function ptxLines(text: string): Uint8Array {
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  const lines = body.split("\n").map((l) => l.trim());
  return asciiBytes(`${lines.map((l) => (/^\.(loc|file)\b/.test(l) ? "" : l)).join("\0")}\0`);
}

/** Behind the first instruction that writes R1 from itself; without a frame, behind the first block. */
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
