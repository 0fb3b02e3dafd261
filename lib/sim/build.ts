/** From a decoded instruction to what runs it: the tables of all families by mnemonic. */
import type { MachineInst } from "../isa/operand.js";
import { renderInst as print } from "../isa/text.js";
import { barrier } from "./ops/barrier.js";
import { bits } from "./ops/bits.js";
import { bulk } from "./ops/bulk.js";
import { control } from "./ops/control.js";
import { conversion } from "./ops/conversion.js";
import { copies } from "./ops/copies.js";
import { double } from "./ops/double.js";
import { float } from "./ops/float.js";
import { floatPairs } from "./ops/float-pairs.js";
import { half } from "./ops/half.js";
import { integer } from "./ops/integer.js";
import { matrices } from "./ops/matrix.js";
import { mbarrier } from "./ops/mbarrier.js";
import { memory } from "./ops/memory.js";
import { move } from "./ops/move.js";
import { packing } from "./ops/packing.js";
import { surface } from "./ops/surface.js";
import { tensor } from "./ops/tensor.js";
import { tensorCopy } from "./ops/tensor-copy.js";
import { tensorMemory } from "./ops/tensor-memory.js";
import { texture } from "./ops/texture.js";
import { warp } from "./ops/warp.js";
import { warpgroup } from "./ops/warpgroup.js";
import { functionAt, type Program } from "./program.js";
import { type Maker, type Makers, Site, Unsupported } from "./site.js";
import { type Exec, Step } from "./state.js";

const families: readonly Makers[] = [
  integer,
  bits,
  float,
  double,
  floatPairs,
  half,
  conversion,
  packing,
  move,
  memory,
  warp,
  control,
  barrier,
  tensor,
  matrices,
  mbarrier,
  bulk,
  copies,
  tensorCopy,
  tensorMemory,
  warpgroup,
  texture,
  surface,
];
const makers = new Map<string, Maker>();
for (const family of families) for (const [op, maker] of Object.entries(family)) makers.set(op, maker);

/** Mnemonics that have a meaning here. Those of the uniform datapath share the meaning of the name without U. */
export const supportedMnemonics: readonly string[] = [...makers.keys()].sort();

function makerOf(op: string): Maker | undefined {
  return makers.get(op) ?? (op.startsWith("U") ? makers.get(op.slice(1)) : undefined);
}

/** What runs instruction `index`; for one without meaning, a fault. */
export function build(program: Program, index: number): Exec {
  const inst = program.insts[index];
  if (!inst) return (w, mask) => w.fault("illegal-instruction", mask, "the word is no instruction");
  const exec = meaningOf(program, index, inst);
  program.supported[index] = typeof exec === "string" ? -1 : 1;
  return typeof exec === "string" ? refuse(`not supported by the simulator: ${exec}`) : exec;
}

/** Has the instruction a meaning here? */
export function isSupported(program: Program, index: number): boolean {
  if (program.supported[index] === 0) build(program, index);
  return program.supported[index] === 1;
}

/** What runs the instruction, or what is not supported. */
function meaningOf(program: Program, index: number, inst: MachineInst): Exec | string {
  const maker = makerOf(inst.form.op);
  if (maker === undefined) return inst.form.op;
  const site = new Site(program, index, functionAt(program, index).first, inst);
  try {
    const exec = maker(site);
    const left = site.leftover();
    return left.length === 0 ? exec : `${inst.form.op} with ${left.join(", ")}`;
  } catch (e) {
    if (!(e instanceof Unsupported)) throw e;
    return `${print(inst, { isa: program.target.isa })} (${e.message})`;
  }
}

function refuse(message: string): Exec {
  return (w, mask) => {
    w.fault("not-supported", mask, message);
    return Step.Fault;
  };
}
