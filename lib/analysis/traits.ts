/**
 * What instructions are to optimizations, by opcode: one list in place of many.
 *
 * A lanewise instruction computes its results from its lane's own operands and nothing else: it may be left out, repeated,
 * done early or by lanes that need it not, and equal operands give equal results. Operations not named here are taken for
 * the worst.
 */
import { type Inst, Kind } from "../ori/types.js";

const lanewiseOps: ReadonlySet<string> = new Set(
  (
    "MOV SEL IADD3 IADD LEA LOP3 SHF PRMT IABS IMNMX VIMNMX VIMNMX3 VIADDMNMX VABSDIFF VIADD ISETP BMSK SGXT PLOP3 FMNMX FSEL " +
    "FSET FSETP FMNMX3 I2I I2FP F2FP F2IP VHMNMX IMAD IMUL IDP FADD FMUL FFMA HADD2 HMUL2 HFMA2 HMNMX2 HSETP2 HSET2 DADD DMUL " +
    "DFMA DSETP DMNMX MUFU I2F F2I F2F FRND POPC FLO BREV FCHK"
  ).split(" "),
);

/** Uniform datapath: as lanewise, for the warp. */
const uniformOps: ReadonlySet<string> = new Set(
  "UMOV UIADD3 UIMAD ULOP3 USHF ULEA USEL UISETP UPLOP3 UPRMT USGXT UBMSK UFLO UPOPC UBREV".split(" "),
);

/** By form. */
const lanewise: (boolean | undefined)[] = [];

/** The mask of a MOV that copies all bytes of a register. */
const ALL_BYTES = 15;

/** A MOV of whole registers, guarded or not. */
export function isWholeMove({ form, srcs }: Inst): boolean {
  return form.name === "MOV" && srcs[1]?.value === ALL_BYTES;
}

/** The instruction's results depend on the operands it shows, lane by lane, and on nothing else. Phis do not count. */
export function isLanewise({ form }: Inst): boolean {
  const known = lanewise[form.id];
  if (known !== undefined) return known;
  const is = lanewiseOps.has(form.op) && !form.pseudo && !form.sideEffect && form.flow === "next";
  lanewise[form.id] = is;
  return is;
}

/** As `isLanewise`, of instructions that work on uniform registers. */
export function isUniformOperation(inst: Inst): boolean {
  return uniformOps.has(inst.form.op) && !inst.form.sideEffect;
}

/** Reads a constant bank, where nothing is ever written while the kernel runs. */
export function readsConstants(inst: Inst): boolean {
  return inst.form.op === "LDC" || inst.form.op === "ULDC" || inst.form.op === "LDCU";
}

/** A load that other threads have no part in, as far as the program says: neither volatile nor of a scope. */
export function isPlainLoad(inst: Inst): boolean {
  const { form } = inst;
  if (inst.said === "volatile") return false;
  return (
    form.memory?.access === "load" && !form.sideEffect && !form.mods.includes("STRONG") && !form.mods.includes("MMIO")
  );
}

/** Loads from global memory, perhaps. */
export function loadsFar({ form }: Inst): boolean {
  const { memory } = form;
  return memory?.access === "load" && (memory.space === "global" || memory.space === "generic");
}

/** Reads a special register whose value all threads of a block have in common and that never changes. */
export function readsBlockConstant(inst: Inst): boolean {
  for (const o of inst.srcs) if (o.kind === Kind.Sreg) return blockConstants.has(o.id);
  return false;
}

/** SR_CTAID.X, .Y, .Z, SR_CgaCtaId. */
const blockConstants: ReadonlySet<number> = new Set([37, 38, 39, 136]);
