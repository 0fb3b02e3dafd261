/**
 * Whether the result of a launch can depend on the order in which its blocks run, as far as the code tells: results of atomics, sums of
 * floats, flags between blocks, clocks, calls of the host. Such launches run on one thread, block after block. That blocks leave each
 * other's plain loads and stores alone is for the program to see to (`races: true` tells).
 */
import { File, Kind, type MachineInst, type Operand } from "../../isa/operand.js";
import { renderInst as print } from "../../isa/text.js";
import { functionAt, type Program } from "../program.js";

/** Special registers that tell how far the simulator is. */
const clocks = /SR_(CLOCK|GLOBALTIMER)/;
/** Reductions of integers that give the same in every order. */
const commuting: ReadonlySet<string> = new Set(["ADD", "MIN", "MAX", "AND", "OR", "XOR"]);
const operations: ReadonlySet<string> = new Set([...commuting, "INC", "DEC", "EXCH", "CAS"]);
/** Of one register or a pair: what the closures do as one step on all threads (ops/atomic.ts). */
const plainTypes = /^(S32|U32|64|S64|32)$/;
const typed = /^(S|U|BF?|F)?\d+(x\d|_V\d)?$/;

export function dependsOnOrder(program: Program, kernel: string): boolean {
  if (program.outside.length > 0) return true;
  return program.functions.some(
    ({ cubin, first, count }) =>
      (cubin.kind !== "entry" || cubin.name === kernel) &&
      program.insts.slice(first, first + count).some((inst, i) => inst !== null && ordered(inst, program, first + i)),
  );
}

function ordered(inst: MachineInst, program: Program, index: number): boolean {
  const { op, mods, memory } = inst.form;
  if (/^C?S2U?R$/.test(op)) return clocks.test(print(inst, { isa: program.target.isa }));
  if (memory?.space !== "global" && memory?.space !== "generic") return op.startsWith("UTMARED") || op === "UBLKRED";
  if (memory.access === "load" || memory.access === "store") return mods.includes("STRONG") || mods.includes("MMIO");
  if (memory.access === "atomic" && inst.dsts.some((o, k) => isUsed(program, index, o, inst.form.dsts[k]!.width)))
    return true;
  if (memory.access !== "atomic" && memory.access !== "reduce") return false;
  const operation = mods.find((m) => operations.has(m)) ?? "ADD";
  return !commuting.has(operation) || mods.some((m) => typed.test(m) && !plainTypes.test(m));
}

/** May what the instruction writes to `d` be read? Looked for along all paths until it is overwritten; calls and jumps to registers may read all. */
function isUsed(program: Program, index: number, d: Operand, slotWidth: number): boolean {
  if (d.kind !== Kind.Reg || d.id < 0) return false;
  if (d.file !== File.R) return true;
  const end = d.id + Math.max(slotWidth, d.width, 1);
  const { first } = functionAt(program, index);
  const seen = new Set<number>();
  const ahead = [index + 1];
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    const inst = program.insts[at];
    if (seen.has(at)) continue;
    seen.add(at);
    if (!inst) return true;
    const { form, srcs, dsts, guard } = inst;
    const touches = (o: Operand, width: number): boolean =>
      o.kind === Kind.Reg && o.file === File.R && o.id >= 0 && o.id < end && o.id + Math.max(width, o.width, 1) > d.id;
    if (
      srcs.some((o, k) => touches(o, form.srcs[k]?.width ?? 1)) ||
      srcs.some((o) => o.kind === Kind.Const && o.index >= 0)
    )
      return true;
    const over = dsts.some(
      (o, k) => o.kind === Kind.Reg && o.file === File.R && o.id <= d.id && o.id + (form.dsts[k]?.width ?? 1) >= end,
    );
    if (over && guard === null) continue;
    if (form.flow === "call" || form.flow === "indirect" || form.flow === "return") return true;
    const conditional =
      guard !== null || srcs.some((o) => o.kind === Kind.Reg && (o.file === File.P || o.file === File.UP) && o.id >= 0);
    for (const o of srcs) if (o.kind === Kind.Label) ahead.push(first + o.value / 16);
    if (form.flow === "exit" && !conditional) continue;
    ahead.push(at + 1);
  }
  return false;
}

/** The `k`-th of `n` in an order that the seed chooses: k ↦ (a·k + b) mod n with a prime to n. */
export function shuffled(n: number, seed: number): (k: number) => number {
  const mix = (x: number): number => {
    let v = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
    v = Math.imul(v ^ (v >>> 16), 0x45d9f3b);
    return (v ^ (v >>> 16)) >>> 0;
  };
  let a = 1 + (mix(seed + 1) % Math.max(1, n - 1));
  while (divisor(a, n) !== 1) a++;
  const b = mix(seed + 0x9e3779b9) % n;
  return (k) => Number((BigInt(a) * BigInt(k) + BigInt(b)) % BigInt(n));
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
