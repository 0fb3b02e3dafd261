/**
 * Walks one random path through a function before and after allocation at once, with made-up values: a result is a hash
 * of the instruction and of what it read. Reports whether any instruction of the program read something else after than
 * before. Values that depend on undefined ones are not compared. It shares nothing with the checker.
 */
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../../lib/ori/types.js";
import { random } from "./random.js";

const UNDEFINED = -1;

function mix(...xs: readonly (number | string)[]): number {
  let h = 0x811c9dc5;
  for (const x of xs) {
    for (const c of String(x)) h = Math.imul(h ^ c.charCodeAt(0), 0x01000193);
    h = Math.imul(h ^ 0x5f, 0x01000193);
  }
  return h >>> 1;
}

/** Registers by name; stack words by offset; the stack pointer as an ordinary number. */
type Memory = Map<string, number>;

const key = (virtual: boolean, file: number, id: number, sub: number): string =>
  virtual ? `v${id}.${sub}` : `${file}:${id + sub}`;

function reads(o: Operand, virtual: boolean, m: Memory): number[] {
  const at = (file: number, id: number, sub: number): number => m.get(key(virtual, file, id, sub)) ?? UNDEFINED;
  if (o.kind === Kind.Reg && o.id !== ZERO_REG) {
    return Array.from({ length: o.width }, (_, k) => at(o.file, o.id, o.sub + k));
  }
  if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) return [at(File.R, o.index, 0)];
  return [];
}

function allReads(inst: Inst, virtual: boolean, m: Memory): number[] {
  const g = inst.guard;
  const guard = g !== null && g.id !== ZERO_REG ? [m.get(key(virtual, g.file, g.id, 0)) ?? UNDEFINED] : [];
  return [...guard, ...inst.srcs.flatMap((o) => reads(o, virtual, m))];
}

function isCopy(inst: Inst): boolean {
  return inst.form.name === "MOV" && inst.srcs[0]?.kind === Kind.Reg && inst.srcs[0].file === inst.dsts[0]?.file;
}

function results(inst: Inst, got: readonly number[], virtual: boolean, m: Memory): void {
  inst.dsts.forEach((o, d) => {
    if (o.kind !== Kind.Reg || o.id === ZERO_REG) return;
    for (let k = 0; k < o.width; k++) {
      const value = got.includes(UNDEFINED)
        ? UNDEFINED
        : isCopy(inst)
          ? (got[got.length - 1] as number)
          : mix(inst.form.name, inst.id, d, k, ...got);
      m.set(key(virtual, o.file, o.id, o.sub + k), value);
    }
  });
}

/** What the allocator's own instructions do. */
function inserted(inst: Inst, m: Memory): void {
  const off = inst.srcs.find((o) => o.kind === Kind.Imm)?.value ?? 0;
  const regs = inst.srcs.filter((o) => o.kind === Kind.Reg && o.id !== ZERO_REG);
  const d = inst.dsts.find((o) => o.kind === Kind.Reg && o.id !== ZERO_REG);
  const words = inst.form.memory === null ? 1 : inst.form.memory.bytes / 4;
  for (let k = 0; k < words; k++) {
    if (inst.form.op === "STL")
      m.set(`s${off + 4 * k}`, m.get(key(false, File.R, (regs[1] as Operand).id, k)) ?? UNDEFINED);
    else if (inst.form.op === "LDL")
      m.set(key(false, File.R, (d as Operand).id, k), m.get(`s${off + 4 * k}`) ?? UNDEFINED);
    else if (d !== undefined && regs[0] !== undefined && inst.form.op !== "IADD3" && inst.form.op !== "LDC") {
      m.set(key(false, d.file, d.id, 0), m.get(key(false, regs[0].file, regs[0].id, 0)) ?? UNDEFINED);
    }
  }
}

/** True when some instruction reads something else after allocation on this path. */
export function differs(before: Func, after: Func, seed: number, steps = 400): boolean {
  const pick = random(seed);
  const old: Memory = new Map();
  const now: Memory = new Map();
  const known = new Set(before.blocks.flatMap((b) => b.insts.map((i) => i.id)));
  const twin = new Map(after.blocks.map((b) => [b.id, b]));
  let block: Block | undefined = before.blocks[0];
  for (let left = steps; block !== undefined && left > 0; ) {
    const theirs = (twin.get(block.id) as Block).insts;
    let t = 0;
    const skip = (): void => {
      while (t < theirs.length && !known.has((theirs[t] as Inst).id)) inserted(theirs[t++] as Inst, now);
    };
    for (const inst of block.insts) {
      left--;
      skip();
      const other = theirs[t];
      const got = allReads(inst, true, old);
      const run = inst.guard === null || pick(2) === 1;
      if (other !== undefined && other.id === inst.id) {
        t++;
        const have = allReads(other, false, now);
        if (have.length !== got.length || got.some((v, k) => v !== UNDEFINED && v !== have[k])) return true;
        if (run) results(other, got, false, now);
      } else if (!isCopy(inst)) return true;
      if (run) results(inst, got, true, old);
    }
    skip();
    block = block.succs[pick(Math.max(1, block.succs.length))];
  }
  return false;
}
