/** Places in a program as people read them: function, offset, instruction, PTX line, the loop around it. */
import { Kind } from "../isa/operand.js";
import { renderInst as print } from "../isa/text.js";
import { lowest } from "./groups.js";
import type { Launch } from "./launched.js";
import { functionAt, type Program } from "./program.js";
import type { Warp } from "./state.js";
import type { Fault, FaultKind } from "./types.js";

/** An instruction of a program. */
export interface CodePlace {
  /** The function (kernel or device function) that holds it. */
  readonly function: string;
  /** Byte offset in the function. */
  readonly address: number;
  /** As text; "" for a word that is no instruction. */
  readonly instruction: string;
  /** Line of the PTX it comes from; null without line information. */
  readonly ptxLine: number | null;
}

/** Where instruction `index` is. */
export function placeOf(program: Program, index: number): CodePlace {
  const placed = functionAt(program, index);
  const address = (index - placed.first) * 16;
  const inst = program.insts[index];
  return {
    function: rangeName(placed.cubin, address),
    address,
    instruction: inst ? print(inst, { isa: program.target.isa }) : "",
    ptxLine: lineAt(placed.cubin.ptxLines, address),
  };
}

/** `k+0x40`, with the PTX line where it is known. */
export function placeText(p: CodePlace): string {
  return `${p.function}+0x${p.address.toString(16)}${p.ptxLine === null ? "" : ` (PTX line ${p.ptxLine})`}`;
}

/**
 * The smallest stretch of code around instruction `index` at whose end a jump goes back to its start: first and last instruction.
 * Null: there is none, the instruction is in no loop.
 */
export function loopAround(program: Program, index: number): readonly [from: number, to: number] | null {
  const { first, count } = functionAt(program, index);
  let found: readonly [number, number] | null = null;
  for (let i = index; i < first + count; i++) {
    for (const o of program.insts[i]?.srcs ?? []) {
      if (o.kind !== Kind.Label) continue;
      const to = first + o.value / 16;
      if (to <= index && (found === null || i - to < found[1] - found[0])) found = [to, i];
    }
  }
  return found;
}

/** What an instruction that does not end goes round in: ", in the loop from … to …", or "". */
export function loopText(program: Program, index: number): string {
  const loop = loopAround(program, index);
  if (loop === null) return "";
  const [from, to] = loop.map((i) => placeOf(program, i));
  return `, in the loop from ${placeText(from!)} to ${placeText(to!)}`;
}

function rangeName(
  f: { readonly name: string; readonly ranges: readonly { name: string; offset: number; size: number }[] },
  address: number,
): string {
  for (const r of f.ranges) if (address >= r.offset && address < r.offset + r.size) return r.name;
  return f.name;
}

function lineAt(lines: readonly { readonly offset: number; readonly line: number }[], address: number): number | null {
  let line: number | null = null;
  for (const l of lines) {
    if (l.offset > address) break;
    line = l.line;
  }
  return line;
}

/** A fault of the lanes in `mask` at the instruction where the warp is. */
export function faultOf(
  { program, kernel }: Launch,
  warp: Warp,
  kind: FaultKind,
  mask: number,
  message: string,
  memoryAddress: bigint | null,
): Fault {
  const lane = lowest(mask) & 31;
  const known = warp.pc >= 0 && warp.pc < program.insts.length;
  const { address, ...place } = placeOf(program, warp.pc);
  return {
    kind,
    message,
    kernel,
    block: warp.cta.index,
    thread: [warp.tid[0][lane]!, warp.tid[1][lane]!, warp.tid[2][lane]!],
    lanes: mask >>> 0,
    ...place,
    address: known ? address : -1,
    instruction: known ? place.instruction : "",
    ptxLine: known ? place.ptxLine : null,
    memoryAddress,
  };
}
