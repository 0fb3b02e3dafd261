/** Cuts straight-line code into segments (segment.ts says what may be in one), and turns a segment into a function. */
import { File, Kind, type MachineInst } from "../../isa/operand.js";
import { isSupported } from "../build.js";
import { functionAt, type Program } from "../program.js";
import { Site, Unsupported } from "../site.js";
import { type Access, type Group, groupsOf, nextRound, testAccesses } from "./access.js";
import { Code, type Fn } from "./encoder.js";
import { BANK_BYTES } from "./layout.js";
import { Op } from "./opcodes.js";
import { BASE, type FmaMode, Segment, Untranslated } from "./segment.js";
import { type Emitter, emitterOf } from "./table.js";

/** Most instructions of a segment: bounds the time the host's compiler takes. */
const LONGEST = 96;

/** What cutting needs to know of an instruction. */
export interface Translation {
  readonly index: number;
  readonly inst: MachineInst;
  readonly emitter: Emitter;
  readonly uniform: boolean;
  readonly access: Access | null;
  /** Registers, predicates (uniform ones from 8 on) and uniform registers that must stand since before the segment. */
  readonly stands: readonly string[];
  readonly writes: readonly string[];
}

const fileName = (file: File): string =>
  file === File.R ? "R" : file === File.UR ? "U" : file === File.P ? "P" : file === File.UP ? "UP" : "?";

function writesOf(inst: MachineInst): string[] {
  const { form, dsts } = inst;
  return dsts.flatMap((o, i) => {
    if (o.kind !== Kind.Reg || o.id < 0) return [];
    const width = Math.max(o.width, form.dsts[i]!.width, 1);
    return Array.from({ length: width }, (_, k) => `${fileName(o.file)}${o.id + k}`);
  });
}

export function siteOf(program: Program, index: number): Site {
  return new Site(program, index, functionAt(program, index).first, program.insts[index]!);
}

/** How an instruction is translated; null: it is not. */
export function translationOf(program: Program, index: number): Translation | null {
  const inst = program.insts[index];
  if (!inst) return null;
  const emitter = emitterOf(inst.form.op);
  if (emitter === undefined || !isSupported(program, index)) return null;
  try {
    const site = siteOf(program, index);
    const access = emitter.access?.(site, inst) ?? null;
    const group: Group | null = access === null ? null : { first: access, accesses: [{ index, access }], id: 0 };
    for (const fma of ["quick", "exact"] as const) {
      const trial = new Segment(false, fma);
      trial.startRound(fma);
      const s = siteOf(program, index);
      emitInstruction(trial, s, emitter, index, group);
      trial.finishRound();
      if (s.leftover().length > 0) return null;
    }
    const stands = [
      ...(emitter.rows?.(siteOf(program, index), inst) ?? []).map((r) => `R${r}`),
      ...(emitter.predicates?.(siteOf(program, index)) ?? []).map((p) => `P${p}`),
    ];
    if (access !== null) {
      if (access.low >= 0) stands.push(`R${access.low}`);
      if (access.high >= 0) stands.push(`R${access.high}`);
      if (access.uniform >= 0) stands.push(`U${access.uniform}`, `U${access.uniform + 1}`);
      if (access.guard !== 7) stands.push(access.guard >= 8 ? `UP${access.guard - 8}` : `P${access.guard}`);
    }
    return { index, inst, emitter, uniform: site.uniform, access, stands, writes: writesOf(inst) };
  } catch (e) {
    if (e instanceof Untranslated || e instanceof Unsupported) return null;
    throw e;
  }
}

function emitInstruction(e: Segment, s: Site, emitter: Emitter, index: number, group: Group | null): void {
  e.startInstruction(s.inst, s.uniform);
  if (s.uniform) e.inPrologue(() => emitter.emit(e, s, index, group));
  else emitter.emit(e, s, index, group);
}

/** Cuts consecutive instructions into segments. */
export function cut(list: readonly Translation[]): Translation[][] {
  const segments: Translation[][] = [];
  let current: Translation[] = [];
  let written = new Set<string>();
  /** Spaces that are loaded from, stored to. */
  let loads = new Set<string>();
  let stores = new Set<string>();
  for (const t of list) {
    const { access } = t;
    const alias = access !== null && (stores.has(access.space) || (access.store && loads.has(access.space)));
    if (current.length > 0 && (alias || current.length >= LONGEST || t.stands.some((x) => written.has(x)))) {
      segments.push(current);
      current = [];
      written = new Set();
      loads = new Set();
      stores = new Set();
    }
    current.push(t);
    for (const w of t.writes) written.add(w);
    if (access !== null) (access.store ? stores : loads).add(access.space);
  }
  if (current.length > 0) segments.push(current);
  return segments;
}

/** The function of a segment: address of the warp's state and active lanes → threads that executed, or −1 with nothing done. */
export function segmentFunction(
  program: Program,
  list: readonly Translation[],
  full: boolean,
  relaxed: boolean,
  slot: (group: Group) => number,
): { fn: Fn; fails: boolean } {
  const groups = groupsOf(list.flatMap((t) => (t.access === null ? [] : [{ index: t.index, access: t.access }])));
  const groupOf = new Map<number, Group>();
  for (const g of groups.values()) {
    g.id = slot(g);
    for (const { index } of g.accesses) groupOf.set(index, g);
  }
  const e = new Segment(full, relaxed ? "relaxed" : "quick");
  const round = (fma: FmaMode): [Code, Code] => {
    e.startRound(fma);
    for (const t of list)
      emitInstruction(e, siteOf(program, t.index), t.emitter, t.index, groupOf.get(t.index) ?? null);
    const body = e.out;
    e.out = new Code();
    return [body, e.finishRound()];
  };
  const rounds = new Code();
  const [body, commit] = round(relaxed ? "relaxed" : "quick");
  if (e.risky) {
    rounds.words(0, 0, 0, 0).set(e.risk).append(body).get(e.risk);
    if (!full) rounds.get(e.activeLanes()).op(Op.and);
    rounds.op(Op.anyTrue).open(Op.if);
    const [again, exact] = round("exact");
    rounds.append(again).append(exact).op(Op.else).append(commit).end();
  } else rounds.append(body).append(commit);
  const test = groups.size === 0 ? new Code() : testAccesses(e, [...groups.values()]);
  const epilogue = e.epilogue();
  const { code } = e.fn;
  for (const [bank, bytes] of e.banks)
    code
      .i32(0)
      .memory(Op.i32Load, BANK_BYTES + 4 * bank)
      .i32(bytes)
      .op(Op.i32LtU)
      .open(Op.if)
      .i32(-1)
      .op(Op.return)
      .end();
  code.append(e.prologue).append(test);
  if (rounds.bytes.length > 0) {
    code.get(BASE).set(e.row).i32(0).set(e.shift).open(Op.loop).append(rounds);
    nextRound(e, code);
    code.end();
  }
  code.append(epilogue);
  return { fn: e.fn, fails: groups.size > 0 || e.banks.size > 0 };
}
