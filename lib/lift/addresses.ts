/**
 * Code addresses that are data: they must follow when code moves.
 *
 * ptxas 13 makes them as follows (all SMs, -O0 … -O3, whole programs and -c):
 *   - a return address before `CALL.REL.NOINC`: `MOV Rx, 0x90`, a byte offset in the section
 *   - on sm_75 … 89 before `CALL.ABS.NOINC Rx`: `LEPC`, a MOV of the LEPC's own offset, a MOV of the return offset,
 *     and their sum; from sm_90 on LEPC names a label, and needs nothing
 *   - relocations of a MOV against the function's own symbol, with the offset as addend (-c, -G)
 *   - tables in constant bank 2: for `BRX` words of four bytes, in the order of EIATTR_INDIRECT_BRANCH_TARGETS; for
 *     `CALL.REL.NOINC Rx` words of eight bytes with the offsets of helper functions. In objects for linking (-c) the words
 *     are the same, but a relocation (R_CUDA_CONST_FIELD…) names the place that is read, 0x8000 before the table, and the
 *     index is 0x8000 too high; nvlink writes `c[0x2][Rx-0x8000]`
 * On sm_75 to 89 a `CALL.REL.NOINC` without any return address leaves a loop: no path from its target comes to a return, it
 * is a branch (measured: -O3 of the histogram of CUB's radix sort).
 *
 * What looks like none of these is not guessed: the function is pinned, and only words of the same length and place may
 * replace it.
 */
import { type Diagnostic, diagnostic } from "../diagnostics.js";
import { relocationName } from "../elf/cubin/relocations.js";
import type { CubinFunction } from "../elf/index.js";
import { endsBlock, fallsThrough } from "../ori/flow.js";
import { File, type Inst, Kind, type MachineInst, type Operand, ZERO_REG } from "../ori/types.js";
import type { CodeAddress, CodeTable } from "./types.js";

export interface AddressFacts {
  readonly addresses: ReadonlyMap<number, CodeAddress>;
  readonly pinned: readonly Diagnostic[];
}

/**
 * Immediates that hold code addresses. `relocated`: instructions whose immediate a relocation fills; `branches`: byte
 * offsets of indirect branches and of where they go.
 */
export function findAddresses(
  f: CubinFunction,
  insts: readonly MachineInst[],
  end: number,
  relocated: ReadonlySet<number>,
  branches: ReadonlyMap<number, readonly number[]>,
): AddressFacts {
  const addresses = new Map<number, CodeAddress>();
  const pinned: Diagnostic[] = [];
  for (let i = 0; i < end; i++) {
    const inst = insts[i]!;
    if (inst.form.flow !== "call" || !inst.form.mods.includes("NOINC")) continue;
    if (returnAddress(insts, i, relocated, addresses) || isBranch(insts, i, end, branches)) continue;
    pinned.push(
      diagnostic("error", `${f.name}+0x${(16 * i).toString(16)}: where ${inst.form.name} returns is not known`),
    );
  }
  return { addresses, pinned };
}

/** Whether the code that a call enters never comes to a return. */
function isBranch(
  insts: readonly MachineInst[],
  call: number,
  end: number,
  branches: ReadonlyMap<number, readonly number[]>,
): boolean {
  if (throughRegister(insts[call]!)) return false;
  const seen = new Set<number>();
  const go = (address: number): boolean => {
    if (address < 0 || address % 16 !== 0 || address >= 16 * end) return false;
    seen.add(address >> 4);
    return true;
  };
  if (!go(labelOf(insts[call]!))) return false;
  for (const i of seen) {
    const inst = insts[i]!;
    const { flow } = inst.form;
    if (flow === "return" || (flow === "call" && throughRegister(inst))) return false;
    const targets =
      flow === "indirect" ? branches.get(16 * i) : flow === "branch" || flow === "call" ? labels(inst) : [];
    if (targets === undefined || !targets.every(go)) return false;
    if (fallsThrough(inst as Inst) && !go(16 * (i + 1))) return false;
  }
  return true;
}

const labels = (inst: MachineInst): number[] => inst.srcs.flatMap((o) => (o.kind === Kind.Label ? [o.value] : []));

/** Finds what gives call `call` its return address; false when nothing does. */
function returnAddress(
  insts: readonly MachineInst[],
  call: number,
  relocated: ReadonlySet<number>,
  out: Map<number, CodeAddress>,
): boolean {
  const back = 16 * (call + 1);
  let move = -1;
  for (let i = call - 1; i >= 0; i--) {
    const inst = insts[i]!;
    if (endsBlock(inst as Inst) && !fallsThrough(inst as Inst)) return false;
    if (inst.form.flow === "call") return false;
    if (inst.form.op === "LEPC") {
      if (inst.srcs.some((o) => o.kind === Kind.Label)) return labelOf(inst) === back;
      return move >= 0 && own(insts, i, call, out) && note(out, move, insts, { inst: call, after: true });
    }
    if (inst.form.op !== "MOV" || inst.guard !== null) continue;
    if (relocated.has(i)) return true;
    const value = number(inst);
    if (value !== back || move >= 0) continue;
    move = i;
    if (!inst.form.mods.includes("ABS") && insts[call]!.form.mods.includes("REL"))
      return note(out, i, insts, { inst: call, after: true });
  }
  return false;
}

/** The MOV between a LEPC without operand and its call that holds the LEPC's own offset. */
function own(insts: readonly MachineInst[], lepc: number, call: number, out: Map<number, CodeAddress>): boolean {
  for (let i = lepc + 1; i < call; i++) {
    const inst = insts[i]!;
    if (inst.form.op === "MOV" && number(inst) === 16 * lepc) return note(out, i, insts, { inst: lepc, after: false });
  }
  return false;
}

function note(
  out: Map<number, CodeAddress>,
  index: number,
  insts: readonly MachineInst[],
  target: CodeAddress["target"],
): boolean {
  out.set(index, { slot: insts[index]!.srcs.findIndex((o) => o.kind === Kind.Imm), target });
  return true;
}

function labelOf(inst: MachineInst): number {
  return inst.srcs.find((o) => o.kind === Kind.Label)?.value ?? -1;
}

/** The first immediate of an instruction, −1 without one. */
function number(inst: MachineInst): number {
  return inst.srcs.find((o) => o.kind === Kind.Imm)?.value ?? -1;
}

// ---------------------------------------------------------------------------------------------- tables

export interface TableFacts {
  readonly tables: readonly CodeTable[];
  readonly pinned: readonly Diagnostic[];
}

/** Tables of code offsets in constant bank 2. `blockAt` gives the id of the block that begins at a byte offset. */
export function findTables(
  f: CubinFunction,
  insts: readonly MachineInst[],
  end: number,
  branches: ReadonlyMap<number, readonly number[]>,
  blockAt: (offset: number) => number,
): TableFacts {
  const bank = f.constant2 ?? new Uint8Array(0);
  const words = new DataView(bank.buffer, bank.byteOffset, bank.byteLength);
  const tables: CodeTable[] = [];
  const pinned: Diagnostic[] = [];
  let functions = false;
  for (let i = 0; i < end; i++) {
    const { form } = insts[i]!;
    if (form.flow === "indirect") {
      const targets = branches.get(16 * i) ?? [];
      const offset = tableOf(f, insts, i, words, targets);
      if (offset !== null) tables.push({ offset, stride: 4, blocks: targets.map((t) => blockAt(t)) });
      else
        pinned.push(
          diagnostic("error", `${f.name}+0x${(16 * i).toString(16)}: the table of ${form.name} is not known`),
        );
    } else if (form.flow === "call" && form.mods.includes("REL") && throughRegister(insts[i]!)) functions = true;
  }
  if (functions) tables.push(...functionOffsets(f, words, tables, blockAt));
  return { tables, pinned };
}

export function throughRegister(inst: MachineInst): boolean {
  return inst.srcs.some((o) => o.kind === Kind.Reg && (o.file === File.R || o.file === File.UR) && o.id !== ZERO_REG);
}

/** Offset in bank 2 that the register of an indirect branch is loaded from, when exactly its targets stand there. */
function tableOf(
  f: CubinFunction,
  insts: readonly MachineInst[],
  branch: number,
  words: DataView,
  targets: readonly number[],
): number | null {
  const wanted = insts[branch]!.srcs.find((o) => o.kind === Kind.Reg && o.id !== ZERO_REG && o.file !== File.P);
  if (wanted === undefined || targets.length === 0) return null;
  let register: Operand = wanted;
  for (;;) {
    const i = definition(insts, branch, register);
    if (i < 0) return null;
    const { form, srcs } = insts[i]!;
    const source = srcs.find((o) => o.kind === Kind.Const);
    if (source !== undefined) {
      const base = inBank2(f, i, source);
      if (base === null) return null;
      const places = new Set([base, base + added(insts, i, source.index)]);
      const found = [...places].filter((at) => matches(words, at, targets));
      return found.length === 1 ? found[0]! : null;
    }
    const copied: Operand | undefined = srcs.find((o) => o.kind === Kind.Reg && o.id !== ZERO_REG);
    if (copied === undefined || !copies.includes(form.op)) return null;
    register = copied;
    branch = i;
  }
}

/** Index of the instruction that last writes a register on the straight path to `before`; −1 when there is none. */
function definition(insts: readonly MachineInst[], before: number, register: Pick<Operand, "file" | "id">): number {
  for (let i = before - 1; i >= 0; i--) {
    const inst = insts[i]!;
    if (endsBlock(inst as Inst) && !fallsThrough(inst as Inst)) return -1;
    if (inst.dsts.some((o) => covers(o, register))) return i;
  }
  return -1;
}

/** Offset of a constant operand in bank 2: a relocation says it in objects for linking, the operand itself else. */
function inBank2(f: CubinFunction, index: number, o: Operand): number | null {
  const field = f.relocs.find((r) => r.offset >> 4 === index && relocationName(r.type).includes("_CONST_FIELD"));
  if (field === undefined) return o.id === 2 ? o.value : null;
  return field.symbol.sectionName === `.nv.constant2.${f.name}` ? field.symbol.value + field.addend : null;
}

/** What is added to the index of a table before it is read: -c takes the same 0x8000 from the operand's offset. */
function added(insts: readonly MachineInst[], load: number, index: number): number {
  const { op } = insts[load]!.form;
  const inst = insts[definition(insts, load, { file: op.startsWith("U") ? File.UR : File.R, id: index })];
  return inst !== undefined && inst.guard === null && sums.includes(inst.form.op) ? Math.max(0, number(inst)) : 0;
}

const sums: readonly string[] = ["IADD3", "UIADD3", "VIADD", "IADD"];
const copies: readonly string[] = ["MOV", "UMOV", "R2UR", "IMAD"];

function covers(o: Operand, register: Pick<Operand, "file" | "id">): boolean {
  return o.kind === Kind.Reg && o.file === register.file && o.id <= register.id && register.id < o.id + o.width;
}

function matches(words: DataView, offset: number, targets: readonly number[]): boolean {
  if (offset < 0 || offset + 4 * targets.length > words.byteLength) return false;
  return targets.every((t, k) => words.getUint32(offset + 4 * k, true) === t);
}

/** Words of eight bytes outside the branch tables that are the offset of a helper function. */
function functionOffsets(
  f: CubinFunction,
  words: DataView,
  branchTables: readonly CodeTable[],
  blockAt: (offset: number) => number,
): CodeTable[] {
  const helpers = new Set(f.ranges.map((r) => r.offset).filter((offset) => offset > 0));
  const taken = (at: number): boolean =>
    branchTables.some((t) => at < t.offset + t.stride * t.blocks.length && at + 8 > t.offset);
  const found: CodeTable[] = [];
  for (let at = 0; at + 8 <= words.byteLength; at += 8) {
    const value = words.getUint32(at, true);
    if (words.getUint32(at + 4, true) !== 0 || !helpers.has(value) || taken(at)) continue;
    found.push({ offset: at, stride: 8, blocks: [blockAt(value)] });
  }
  return found;
}
