/** The code of a cubin as a listing: functions, labels, instructions in nvdisasm's syntax, control bits beside them. */
import type { Cubin, CubinFunction } from "../elf/index.js";
import { decodeInst } from "../sass/decode.js";
import { type Control, Kind, type MachineInst, type Operand } from "../sass/isa/operand.js";
import { renderInst } from "../sass/isa/text.js";
import { type Target, targetOfSm } from "../target/index.js";

export interface ListedInstruction {
  /** Byte offset in the function. */
  readonly offset: number;
  /** Null when the instruction table does not know the word. */
  readonly text: string | null;
  readonly control: Control | null;
  /** Four u32, low first. */
  readonly words: readonly number[];
  /** Symbol and addend of a relocation that applies here. */
  readonly relocation: string | null;
  /** Line of the PTX text, null when not recorded. */
  readonly line: number | null;
}

export interface ListedFunction {
  readonly name: string;
  readonly kind: "entry" | "func";
  readonly registers: number;
  readonly sharedBytes: number;
  readonly frameBytes: number;
  readonly instructions: readonly ListedInstruction[];
  /** Byte offset → label. */
  readonly labels: ReadonlyMap<number, string>;
  /** Words that are not in the instruction table. */
  readonly unknown: number;
}

export function disassemble(cubin: Cubin): readonly ListedFunction[] {
  const target = targetOfSm(cubin.sm);
  return cubin.functions.map((f) => listFunction(f, target));
}

function listFunction(f: CubinFunction, target: Target | null): ListedFunction {
  const insts: (MachineInst | null)[] = [];
  for (let at = 0; at < f.words.length; at += 4)
    insts.push(target === null ? null : decodeInst(f.words, at, target, at * 4));
  const labels = labelsOf(f, insts);
  const relocs = new Map(
    f.relocs.map((r) => [r.offset, r.addend === 0 ? r.symbol.name : `${r.symbol.name}+${r.addend}`]),
  );
  const lines = new Map(f.ptxLines.map((l) => [l.offset, l.line]));
  const name = (o: Operand): string => `\`(${labels.get(o.value) ?? `0x${o.value.toString(16)}`})`;
  let line: number | null = null;
  const instructions = insts.map((inst, i) => {
    const offset = i * 16;
    line = lines.get(offset) ?? line;
    return {
      offset,
      text: inst === null ? null : renderInst(inst, { label: name, ...(target && { isa: target.isa }) }),
      control: inst?.control ?? null,
      words: [...f.words.subarray(i * 4, i * 4 + 4)],
      relocation: relocs.get(offset) ?? null,
      line,
    };
  });
  const unknown = insts.reduce((n, inst) => n + (inst === null ? 1 : 0), 0);
  const { kind, registers, frameBytes } = f;
  const sharedBytes = f.sharedBytes - f.sharedReserved;
  return { name: f.name, kind, registers, sharedBytes, frameBytes, instructions, labels, unknown };
}

/** Helpers by their symbol, branch targets as `.L_n` in order of address. */
function labelsOf(f: CubinFunction, insts: readonly (MachineInst | null)[]): Map<number, string> {
  const labels = new Map<number, string>();
  for (const r of f.ranges) if (r.offset > 0) labels.set(r.offset, r.name);
  const targets = new Set<number>();
  for (const inst of insts)
    for (const o of inst?.srcs ?? []) if (o.kind === Kind.Label && o.value < f.words.length * 4) targets.add(o.value);
  let n = 0;
  for (const t of [...targets].sort((a, b) => a - b)) if (t >= 0 && !labels.has(t)) labels.set(t, `.L_${n++}`);
  return labels;
}

export interface ListingOptions {
  readonly control?: boolean;
}

/** The listing as text, one line per instruction. */
export function listingText(cubin: Cubin, functions: readonly ListedFunction[], options: ListingOptions = {}): string {
  const out = [`\t.target ${cubin.target}`];
  for (const f of functions) {
    const shared = f.sharedBytes > 0 ? `, ${f.sharedBytes} bytes shared memory` : "";
    out.push("", `${f.name}:  // ${f.registers} registers, ${f.frameBytes} bytes stack${shared}`);
    for (const i of f.instructions) {
      const label = f.labels.get(i.offset);
      if (label !== undefined) out.push(`${label}:`);
      out.push(instructionText(i, options));
    }
  }
  return `${out.join("\n")}\n`;
}

/** `wait:read:write:yield:stall`: `01----:R1:W0:Y:S15`; `Y` lets the scheduler switch to another warp. */
export function controlText(c: Control): string {
  let wait = "";
  for (let n = 0; n < 6; n++) wait += (c.wait >> n) & 1 ? n : "-";
  const board = (letter: string, n: number): string => (n === 7 ? "--" : `${letter}${n}`);
  return `${wait}:${board("R", c.readSb)}:${board("W", c.writeSb)}:${c.yield === 0 ? "Y" : "-"}:S${c.stall}`;
}

function instructionText(i: ListedInstruction, options: ListingOptions): string {
  const offset = `/*${i.offset.toString(16).padStart(4, "0")}*/`;
  const control = options.control ? `${i.control === null ? "" : controlText(i.control)}`.padEnd(22) : "";
  const text = i.text ?? `.word ${i.words.map((w) => `0x${w.toString(16).padStart(8, "0")}`).join(", ")}`;
  const note = i.relocation === null ? "" : `  // ${i.relocation}`;
  return `        ${offset}  ${control}${text} ;${note}`;
}
