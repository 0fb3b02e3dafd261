/**
 * Sums and shifts on the pipe that has less to do (LateArchOptimizeSecond). What the ALU does beyond what the FMA pipe does in a block goes
 * over as long as that evens them out, in the order of the text; products with 2^n ± 1 go the other way.
 *
 *     IADD3 %R1, %R2, %R3, RZ                        IMAD %R1, %R2, 0x1, %R3          (IMAD.IADD)
 *     IADD3 %R1, %R2, 0x10, RZ                       VIADD %R1, %R2, 0x10
 *     IADD3 %R1, -%R2, RZ, RZ                        IMAD %R1, RZ, RZ, -%R2           (IMAD.MOV)
 *     SHF.L.U32 %R1, %R2, 0x4, RZ              →     IMAD.U32 %R1, %R2, 0x10, RZ      (IMAD.SHL.U32)
 *     LEA %R1, %R2, %R3, 0x4                         IMAD %R1, %R2, 0x10, %R3
 *     IADD3.X %R1, %R2, %R3, RZ, %P0, !PT            IMAD.X %R1, %R2, 0x1, %R3, %P0
 *
 * The counts at which ptxas 13.0.88 does so were read off 12,000 bodies. From sm_90 on: an ALU that has three more, copies of literals among them.
 * Before: one that has four more, and then half of the difference; copies go first (they count, but stay as they are: the allocator knows them),
 * the others from the last to the first, and of three in all the last before the second. It foretells 96 % of its choices.
 */
import { type Form, form, tryForm } from "../isa/form.js";
import { touch } from "../ori/editor.js";
import { clone, imm, isReg, isZeroReg, neg, PT, RZ } from "../ori/operand.js";
import { slotDefault } from "../ori/slots.js";
import { type Block, File, type Func, type Inst, Kind, Mod, type Operand, ZERO_REG } from "../ori/types.js";
import { encodes } from "../rules/encodable.js";
import { barrierOperands } from "./barrier-operands.js";
import { saying } from "./notes.js";

type Pipe = "alu" | "fma";

interface Replacement {
  readonly form: Form;
  readonly dsts: Operand[];
  readonly srcs: Operand[];
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const pipes: Readonly<Record<Pipe, ReadonlySet<string>>> = {
  alu: set(
    "IADD3 LOP3 SHF PRMT ISETP SEL FSEL VIMNMX IMNMX LEA IABS FMNMX FSETP PLOP3 SGXT BMSK VIADDMNMX VIMNMX3 VABSDIFF I2FP HMNMX2 P2R FSET HSETP2",
  ),
  fma: set("IMAD FMUL FFMA FADD IDP HFMA2 HADD2 HMUL2"),
};

/** Returns how many instructions went to the other pipe. */
export function balancePipes(func: Func): number {
  const early = func.target.has("constantOperands");
  const whole = barrierOperands(func);
  let moved = 0;
  for (const block of func.blocks) moved += early ? evenOut(func, block, whole) : balanceInOrder(func, block, whole);
  if (moved > 0) touch(func);
  return moved;
}

function balanceInOrder(func: Func, block: Block, whole: ReadonlySet<Inst>): number {
  const load = loadOf(func, block, false);
  let moved = 0;
  for (const inst of block.insts) {
    const from = pipeOf(func, inst, false);
    if (from === null || whole.has(inst)) continue;
    const to = from === "alu" ? "fma" : "alu";
    if (load[from] - load[to] < 3) continue;
    const replacement = from === "alu" ? toFma(func, inst) : toAlu(inst);
    if (replacement === null || !go(func, inst, replacement)) continue;
    load[from]--;
    load[to]++;
    moved++;
  }
  return moved;
}

/** Of SMs whose products read a constant bank. */
function evenOut(func: Func, block: Block, whole: ReadonlySet<Inst>): number {
  const load = loadOf(func, block, true);
  let left = (load.alu - load.fma) >> 1;
  if (left < 2) return 0;
  const copies: null[] = [];
  const others: { inst: Inst; replacement: Replacement }[] = [];
  for (const inst of block.insts) {
    if (isLiteralCopy(inst)) copies.push(null);
    const replacement = pipeOf(func, inst, true) !== "alu" || whole.has(inst) ? null : toFma(func, inst);
    if (replacement !== null && encodes(func, replacement.form, replacement.dsts, replacement.srcs))
      others.push({ inst, replacement });
  }
  const all = [...copies, ...others];
  const order = all.length === 3 ? [all[0]!, all[2]!, all[1]!] : [...copies, ...others.reverse()];
  let moved = 0;
  for (const one of order) {
    if (left-- === 0) break;
    if (one === null || !go(func, one.inst, one.replacement)) continue;
    moved++;
  }
  return moved;
}

function go(func: Func, inst: Inst, replacement: Replacement): boolean {
  if (!encodes(func, replacement.form, replacement.dsts, replacement.srcs)) return false;
  const to = pipes.fma.has(replacement.form.op)
    ? "FMA pipe"
    : pipes.alu.has(replacement.form.op)
      ? "ALU"
      : "other pipe";
  saying(func)?.(`to the ${to}`, inst, "the one that it was on has more to do in the block");
  inst.form = replacement.form;
  inst.dsts = replacement.dsts;
  inst.srcs = replacement.srcs;
  return true;
}

function loadOf(func: Func, block: Block, early: boolean): Record<Pipe, number> {
  const load = { alu: 0, fma: 0 };
  for (const inst of block.insts) {
    const pipe = pipeOf(func, inst, early);
    if (pipe !== null) load[pipe]++;
  }
  return load;
}

const isLiteralCopy = (inst: Inst): boolean =>
  inst.form.op === "MOV" && (inst.srcs[0]?.kind === Kind.Imm || inst.srcs[0]?.kind === Kind.Const);

function pipeOf(func: Func, inst: Inst, early: boolean): Pipe | null {
  const { op, pseudo } = inst.form;
  if (pseudo) return null;
  if (op === "MOV" && early) return isLiteralCopy(inst) ? "alu" : null;
  if (op === "MOV") return inst.dsts.some((o) => isReg(o) && func.values.fixed(o.id) >= 0) ? null : "alu";
  return pipes.alu.has(op) ? "alu" : pipes.fma.has(op) ? "fma" : null;
}

const plain = (o: Operand | undefined): o is Operand =>
  o !== undefined && o.kind === Kind.Reg && (o.file === File.R || o.file === File.UR) && o.part === "";
const zero = (o: Operand | undefined): boolean => o !== undefined && isZeroReg(o) && o.mods === 0;
const dead = (o: Operand | undefined): boolean => o === undefined || o.kind === Kind.None || o.id === ZERO_REG;

function imad(d: Operand, a: Operand, b: Operand, c: Operand): Replacement {
  return { form: form("IMAD"), dsts: [d], srcs: [clone(a), b, clone(c)] };
}

/** The same by the FMA pipe; null: it has no such instruction. */
function toFma(func: Func, inst: Inst): Replacement | null {
  const d = inst.dsts[0] as Operand;
  if (!isReg(d) || inst.dsts.slice(1).some((o) => !dead(o))) return null;
  const { name } = inst.form;
  if (name === "SHF.L.U32") return shift(inst, d);
  if (name === "LEA") return sumOfShift(inst, d);
  if (!func.target.has("fmaSums")) return null;
  if (name === "IADD3") return sum(func, inst, d);
  return name === "IADD3.X" ? carrySum(inst, d) : null;
}

function sum(func: Func, inst: Inst, d: Operand): Replacement | null {
  const terms = inst.srcs.slice(0, 3).filter((o) => !zero(o));
  const [x, y] = terms as [Operand, Operand];
  if (terms.length === 1 && plain(x) && x.file === File.R && x.mods === Mod.Neg) return imad(d, RZ(), RZ(), x);
  if (terms.length !== 2) return null;
  const literal = terms.find((o) => o.kind === Kind.Imm);
  if (literal !== undefined) {
    const other = literal === x ? y : x;
    const viadd = func.target.has("viadd") ? tryForm("VIADD") : null;
    if (viadd === null || !plain(other) || other.mods !== 0 || other.file !== File.R || literal.mods !== 0) return null;
    const rest = viadd.srcs.slice(2).map(slotDefault);
    return { form: viadd, dsts: [d], srcs: [clone(other), clone(literal), ...rest] };
  }
  if (!plain(x) || !plain(y)) return null;
  const uniform = terms.find((o) => o.file === File.UR);
  const viadd = func.target.has("viadd") ? tryForm("VIADD") : null;
  if (uniform !== undefined && viadd !== null) {
    const other = uniform === x ? y : x;
    if (other.mods !== 0 || other.file !== File.R) return null;
    return { form: viadd, dsts: [d], srcs: [clone(other), clone(uniform), ...viadd.srcs.slice(2).map(slotDefault)] };
  }
  // The addend may be negated, and a uniform register stands there.
  const turned = x.mods !== 0 || (x.file === File.UR && y.mods === 0);
  const [a, c] = turned ? [y, x] : [x, y];
  if (a.mods !== 0 || a.file !== File.R || (c.mods & ~Mod.Neg) !== 0 || isZeroReg(a)) return null;
  return imad(d, a, imm(1), c);
}

function carrySum(inst: Inst, d: Operand): Replacement | null {
  const [x, y, z, carry, second] = inst.srcs as [Operand, Operand, Operand, Operand, Operand];
  const x2 = tryForm("IMAD.X");
  if (x2 === null || !zero(z) || !isZeroReg(second) || (second.mods & Mod.Not) === 0) return null;
  if (!isReg(carry) || carry.mods !== 0 || !plain(x) || !plain(y)) return null;
  const [a, c] = x.mods !== 0 || isZeroReg(y) ? [y, x] : [x, y];
  if (a.mods !== 0 || a.file !== File.R || c.file !== File.R || (c.mods & ~Mod.Not) !== 0) return null;
  return { form: x2, dsts: [d], srcs: [clone(a), imm(1), clone(c), clone(carry)] };
}

function shift(inst: Inst, d: Operand): Replacement | null {
  const [x, n, z] = inst.srcs as [Operand, Operand, Operand];
  if (!plain(x) || x.mods !== 0 || x.file !== File.R || n.kind !== Kind.Imm || n.value > 31 || !zero(z)) return null;
  return { ...imad(d, x, imm((1 << n.value) >>> 0), RZ()), form: form("IMAD.U32") };
}

function sumOfShift(inst: Inst, d: Operand): Replacement | null {
  const [x, y, n] = inst.srcs as [Operand, Operand, Operand];
  if (!plain(x) || x.mods !== 0 || x.file !== File.R || n.kind !== Kind.Imm || n.value > 31) return null;
  if (!plain(y) || y.mods !== 0 || y.file !== File.R || (isReg(y) && y.id === x.id && y.sub === x.sub)) return null;
  return imad(d, x, imm((1 << n.value) >>> 0), y);
}

/** A product with 2^n ± 1 by the ALU; null: it is none. */
function toAlu(inst: Inst): Replacement | null {
  const [x, k, z] = inst.srcs as [Operand, Operand, Operand];
  if (inst.form.name !== "IMAD" || !plain(x) || x.mods !== 0 || x.file !== File.R || !zero(z)) return null;
  if (k.kind !== Kind.Imm || k.mods !== 0 || k.value < 3 || k.value === 0xffffffff) return null;
  const plus = isPower(k.value - 1);
  if (!plus && !isPower(k.value + 1)) return null;
  const n = 31 - Math.clz32(plus ? k.value - 1 : k.value + 1);
  const second = plus ? clone(x) : neg(clone(x));
  return { form: form("LEA"), dsts: [inst.dsts[0] as Operand, PT()], srcs: [clone(x), second, imm(n)] };
}

const isPower = (n: number): boolean => n > 0 && (n & (n - 1)) === 0;
