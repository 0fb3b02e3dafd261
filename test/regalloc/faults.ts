/** Seeded mistakes in an allocated function, of the kinds an allocator makes. */

import { form } from "../../lib/isa/form.js";
import { insertAt, newInst, operand } from "../../lib/ori/index.js";
import { type Block, File, type Func, type Inst, Kind, type Operand, ZERO_REG } from "../../lib/ori/types.js";

export const faultKinds = [
  "wrong source",
  "wrong result",
  "swapped sources",
  "missing spill",
  "missing reload",
  "wrong slot",
  "wrong data",
  "clobber",
  "wrong guard",
  "lost instruction",
] as const;
export type FaultKind = (typeof faultKinds)[number];

type Pick = (n: number) => number;

const count: Readonly<Record<number, number>> = { [File.R]: 24, [File.UR]: 8, [File.P]: 7, [File.UP]: 7, [File.B]: 16 };

function choose<T>(list: readonly T[], pick: Pick): T | null {
  return list.length === 0 ? null : (list[pick(list.length)] as T);
}

const real = (o: Operand): boolean => o.kind === Kind.Reg && o.id !== ZERO_REG && !(o.file === File.R && o.id === 1);

function otherRegister(o: Operand, pick: Pick): boolean {
  const step = o.width > 2 ? 4 : o.width;
  const id = step * pick(Math.floor((count[o.file] as number) / step));
  if (id === o.id || (o.file === File.R && id === 1)) return false;
  o.id = id;
  return true;
}

/** Puts one fault of the kind into `func`; false when there is no place for it. `known` are the program's instructions. */
export function plant(func: Func, kind: FaultKind, known: ReadonlySet<number>, pick: Pick): boolean {
  const all = func.blocks.flatMap((block) => block.insts.map((inst) => ({ block, inst })));
  const program = all.filter((x) => known.has(x.inst.id));
  const added = all.filter((x) => !known.has(x.inst.id));
  const remove = (at: { block: Block; inst: Inst } | null): boolean => {
    if (at === null) return false;
    at.block.insts = at.block.insts.filter((i) => i !== at.inst);
    return true;
  };
  switch (kind) {
    case "wrong source": {
      const o = choose(
        program.flatMap((x) => x.inst.srcs.filter(real)),
        pick,
      );
      return o !== null && otherRegister(o, pick);
    }
    case "wrong result": {
      const o = choose(
        program.flatMap((x) => x.inst.dsts.filter(real)),
        pick,
      );
      return o !== null && otherRegister(o, pick);
    }
    case "swapped sources": {
      const x = choose(
        program.filter((y) => y.inst.srcs.filter((o) => real(o) && o.file === File.R && o.width === 1).length > 1),
        pick,
      );
      if (x === null) return false;
      const [a, b] = x.inst.srcs.filter((o) => real(o) && o.file === File.R && o.width === 1) as [Operand, Operand];
      if (a.id === b.id) return false;
      [a.id, b.id] = [b.id, a.id];
      return true;
    }
    case "missing spill":
      return remove(
        choose(
          added.filter((x) => x.inst.form.op === "STL" || x.inst.form.op === "SEL"),
          pick,
        ),
      );
    case "missing reload":
      return remove(
        choose(
          added.filter((x) => ["LDL", "ISETP", "R2UR"].includes(x.inst.form.op)),
          pick,
        ),
      );
    case "wrong slot": {
      const x = choose(
        added.filter((y) => y.inst.form.op === "LDL" || y.inst.form.op === "STL"),
        pick,
      );
      const off = x?.inst.srcs.find((o) => o.kind === Kind.Imm);
      if (x === null || off === undefined || x.inst.form.memory === null) return false;
      const bytes = x.inst.form.memory.bytes;
      const slots = Math.floor((func.frame.localBytes + func.frame.spillBytes) / bytes);
      const to = bytes * pick(slots);
      if (to === off.value) return false;
      off.value = to;
      return true;
    }
    case "wrong data": {
      const x = choose(
        added.filter((y) => ["LDL", "STL", "MOV", "SEL", "ISETP", "R2UR"].includes(y.inst.form.op)),
        pick,
      );
      const o = choose([...(x?.inst.dsts ?? []), ...(x?.inst.srcs ?? [])].filter(real), pick);
      return o !== null && otherRegister(o, pick);
    }
    case "clobber": {
      const block = choose(func.blocks, pick);
      if (block === null) return false;
      const f = form("MOV");
      const mov = newInst(func, f, [operand.reg(2 + pick(20))], [operand.reg(2 + pick(20)), operand.imm(15)]);
      insertAt(func, block, pick(Math.max(1, block.insts.length)), mov);
      return true;
    }
    case "wrong guard": {
      const x = choose(
        program.filter((y) => y.inst.guard !== null && y.inst.guard.id !== ZERO_REG),
        pick,
      );
      if (x === null || x.inst.guard === null) return false;
      const id = pick(7);
      if (id === x.inst.guard.id) return false;
      x.inst.guard = { ...x.inst.guard, id };
      return true;
    }
    case "lost instruction":
      return remove(
        choose(
          program.filter((x) => x.inst.form.op !== "MOV" && x.inst.form.flow === "next"),
          pick,
        ),
      );
  }
}
