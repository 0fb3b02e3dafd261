/**
 * The attributes of one function (`.nv.info.NAME`), derived from its code, parameters and launch bounds, in ptxas's
 * order (measured on ptxas 13.0.88; compared with ptxas's own cubins in test/oracle/elf-attributes.test.ts).
 */
import { InternalError } from "../../errors.js";
import type { MachineInst, Operand } from "../../isa/operand.js";
import type { Param, ReferenceWord } from "../../ori/types.js";
import { File, Kind } from "../../ori/types.js";
import type { Code } from "../../sass/code.js";
import { registerCap } from "../../target/index.js";
import { EIATTR } from "./attributes.js";
import type { Container } from "./container.js";
import { CUDA_API } from "./fixed.js";
import { byteRecord, flagRecord, halfRecord, type InfoRecord, wordsRecord } from "./info.js";
import { referenceRecords } from "./references.js";
import { ENTRY_FRAGMENT, tensorMemoryUse, VRC_COUNT } from "./tensor-memory.js";

/** An indirect branch with the byte offsets that it may go to. */
export interface IndirectBranch {
  readonly offset: number;
  readonly targets: readonly number[];
}

export interface DeriveInput {
  readonly code: Code;
  readonly container: Container;
  /** Symbol index of the section `.nv.constant0.NAME`. */
  readonly constant0: number;
  /** Symbol indices of functions that the code names and others define. */
  readonly externs: readonly number[];
  /** Offsets of calls of what the driver brings along, in executables. */
  readonly syscalls: readonly number[];
  readonly branches: readonly IndirectBranch[];
  /** Words of bank 0 for textures, samplers and surfaces. */
  readonly references: readonly ReferenceWord[];
  /** `-maxrregcount`, 0 for none. */
  readonly maxRegisters: number;
}

/** Above this many parameter bytes KPARAM_INFO_V2 replaces KPARAM_INFO. */
const V1_PARAM_BYTES = 4352;
/** %ctaid.z in S2R and S2UR. */
const SR_CTAID_Z = 0x27;

export function functionInfo(input: DeriveInput): InfoRecord[] {
  const { code, container } = input;
  const records: InfoRecord[] = [
    wordsRecord(EIATTR.CUDA_API_VERSION, [CUDA_API]),
    ...(code.kind === "entry" ? [halfRecord(EIATTR.MAXREG_COUNT, registerBound(code, input.maxRegisters))] : []),
    halfRecord(EIATTR.MERCURY_ISA_VERSION, container.mercuryIsa),
    ...parameterRecords(code, input.constant0),
    ...instructionRecords(code, container),
    ...boundRecords(code),
    ...referenceRecords(input.references, container.modern),
  ];
  if (container.swWar !== null) records.push(wordsRecord(EIATTR.SW_WAR, [container.swWar]));
  if (container.sw2861232) records.push(flagRecord(EIATTR.SW2861232_WAR));
  if (container.modern) records.push(halfRecord(EIATTR.SPARSE_MMA_MASK, 0));
  const tensor = tensorMemoryUse(code.insts);
  if (container.vrc) records.push(byteRecord(EIATTR.VRC_CTA_INIT_COUNT, tensor.columns ? VRC_COUNT : 0));
  if (tensor.allocates) records.push(wordsRecord(EIATTR.AT_ENTRY_FRAGMENTS, [ENTRY_FRAGMENT]));
  if (tensor.alone) records.push(flagRecord(EIATTR.TCGEN05_1CTA_USED));
  if (tensor.paired) records.push(flagRecord(EIATTR.TCGEN05_2CTA_USED));
  if (container.reservedUsed || tensor.allocates) records.push(flagRecord(EIATTR.RESERVED_SMEM_USED));
  if (code.barriers > 0) records.push(byteRecord(EIATTR.NUM_BARRIERS, code.barriers));
  if (input.externs.length > 0) records.push(wordsRecord(EIATTR.EXTERNS, input.externs));
  if (input.syscalls.length > 0) records.push(wordsRecord(EIATTR.SYSCALL_OFFSETS, input.syscalls));
  if (input.branches.length > 0) records.push(branchTargetsRecord(input.branches));
  return inOrder(records, container.order);
}

function inOrder(records: readonly InfoRecord[], order: readonly number[]): InfoRecord[] {
  const rank = (r: InfoRecord): number => {
    const at = order.indexOf(r.code);
    if (at < 0) throw new InternalError(`attribute ${r.name} has no place in the order`);
    return at;
  };
  return records
    .map((record, i) => ({ record, rank: rank(record), i }))
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
    .map((x) => x.record);
}

/** MAXREG_COUNT: .maxnreg, else what .maxntid with .minnctapersm allows, else the option (measured on ptxas 13.0.88). */
function registerBound(code: Code, option: number): number {
  const { limits } = code;
  if (limits.maxnreg > 0) return limits.maxnreg;
  const threads = limits.reqntid ?? limits.maxntid;
  if (limits.minnctapersm > 0 && threads !== null) {
    const cap = registerCap(code.target, threads[0] * threads[1] * threads[2], limits.minnctapersm);
    if (cap !== null) return cap;
  }
  return option > 0 ? option : 0xff;
}

function parameterRecords(code: Code, constant0: number): InfoRecord[] {
  if (code.params.length === 0) return [];
  const base = code.target.constants.paramBase;
  const wide = code.paramBytes > V1_PARAM_BYTES;
  const records = code.params.map((p, i) => parameterRecord(code, p, i, wide)).reverse();
  records.push(halfRecord(EIATTR.CBANK_PARAM_SIZE, code.paramBytes));
  records.push(wordsRecord(EIATTR.PARAM_CBANK, [constant0, (code.paramBytes << 16) | base]));
  return records;
}

/** Numbers of the space of a pointer parameter; `const` is 4 from sm_90 on, 3 before. */
const pointerSpace: Readonly<Record<string, number>> = { local: 1, shared: 2, const: 3, global: 4, generic: 5 };

function parameterRecord(code: Code, p: Param, ordinal: number, wide: boolean): InfoRecord {
  const place = (p.offset << 16) | ordinal;
  if (wide) return wordsRecord(EIATTR.KPARAM_INFO_V2, [0, place, p.size]);
  const pointer = p.pointer ?? null;
  const modernConst = pointer?.space === "const" && code.target.has("rela");
  const space = pointer === null ? 0 : modernConst ? 4 : (pointerSpace[pointer.space] ?? 0);
  const align = pointer === null ? 0 : 31 - Math.clz32(Math.max(1, pointer.align));
  return wordsRecord(EIATTR.KPARAM_INFO, [0, place, (p.size << 18) | (0x1f << 12) | (space << 8) | align]);
}

const collective: ReadonlySet<string> = new Set(["SHFL", "VOTE", "MATCH", "REDUX", "ELECT"]);
/** A WARPSYNC before these is no operation of its own. */
const belongsTo: ReadonlySet<string> = new Set([...collective, "BAR"]);

function instructionRecords(code: Code, container: Container): InfoRecord[] {
  const exits: number[] = [];
  const cooperative: number[] = [];
  const masks: number[] = [];
  let ctaidz = false;
  let regions = false;
  const subroutines = firstSubroutine(code);
  code.insts.forEach((inst, i) => {
    const { op } = inst.form;
    if (op === "EXIT") exits.push(i * 16);
    else if (op === "BSSY") regions = true;
    else if (op === "CALL" && isAbiCall(code, inst)) regions ||= code.routines.length > 0;
    else if (op === "CALL") {
      // A call of gathered code; the code itself is not listed.
      regions = true;
      cooperative.push(i * 16);
      masks.push(0xffffffff);
    } else if (i * 16 >= subroutines) return;
    else if (collective.has(op)) {
      cooperative.push(i * 16);
      masks.push(maskOf(code.insts[i - 1]));
    } else if (
      op === "WARPSYNC" &&
      !belongsTo.has(code.insts[i + 1]?.form.op ?? "") &&
      !inst.form.mods.includes("ALL")
    ) {
      // Gathering lanes for nothing else counts where that ends.
      cooperative.push((inst.form.mods.includes("COLLECTIVE") ? i + 1 : i) * 16);
      masks.push(maskOf(inst));
    } else if (readsSreg(inst, SR_CTAID_Z)) ctaidz = true;
  });
  const records: InfoRecord[] = [];
  if (exits.length > 0) records.push(wordsRecord(EIATTR.EXIT_INSTR_OFFSETS, exits));
  if (cooperative.length > 0) {
    records.push(wordsRecord(EIATTR.COOP_GROUP_MASK_REGIDS, masks));
    records.push(wordsRecord(EIATTR.COOP_GROUP_INSTR_OFFSETS, cooperative));
  }
  if (ctaidz && container.ctaidz) records.push(flagRecord(EIATTR.CTAIDZ_USED));
  if (regions) records.push(wordsRecord(EIATTR.CRS_STACK_SIZE, [0]));
  return records;
}

/** A call of a function, not of code that gathers lanes. */
function isAbiCall(code: Code, inst: MachineInst): boolean {
  const to = inst.srcs.find((o) => o.kind === Kind.Label);
  if (inst.form.mods.includes("ABS") || to === undefined) return true;
  if (inst.srcs.some((o) => o.kind === Kind.Reg && o.id >= 0 && o.width === 2)) return true;
  const target = code.labels.get(to.id);
  return code.routines.some((r) => r.offset === target) || (code.kind === "func" && target === 0);
}

/** Offset of the first instruction that is called; all of those stand after everything else. */
function firstSubroutine(code: Code): number {
  let first = Number.POSITIVE_INFINITY;
  for (const inst of code.insts) {
    if (inst.form.op !== "CALL" || isAbiCall(code, inst)) continue;
    for (const o of inst.srcs) if (o.kind === Kind.Label) first = Math.min(first, code.labels.get(o.id) ?? first);
  }
  return first;
}

/** The register that holds the mask of a WARPSYNC; all ones when it is a constant. */
function maskOf(inst: MachineInst | undefined): number {
  if (inst === undefined || inst.form.op !== "WARPSYNC") return 0xffffffff;
  const register = inst.srcs.find((o: Operand) => o.kind === Kind.Reg && o.file === File.R && o.id >= 0);
  return register === undefined ? 0xffffffff : 0x05000000 | register.id;
}

function readsSreg(inst: MachineInst, index: number): boolean {
  return inst.srcs.some((o) => o.kind === Kind.Sreg && o.id === index);
}

function boundRecords(code: Code): InfoRecord[] {
  const { limits } = code;
  const records: InfoRecord[] = [];
  if (limits.maxntid !== null) records.push(wordsRecord(EIATTR.MAX_THREADS, limits.maxntid));
  if (limits.reqntid !== null) records.push(wordsRecord(EIATTR.REQNTID, limits.reqntid));
  if (limits.maxclusterrank > 0) records.push(wordsRecord(EIATTR.MAX_CLUSTER_RANK, [limits.maxclusterrank]));
  if (limits.explicitcluster) records.push(flagRecord(EIATTR.EXPLICIT_CLUSTER));
  if (limits.reqnctapercluster !== null) records.push(wordsRecord(EIATTR.CTA_PER_CLUSTER, limits.reqnctapercluster));
  return records;
}

/** Per branch: its offset, 0, the number of targets, the targets. */
export function branchTargetsRecord(branches: readonly IndirectBranch[]): InfoRecord {
  return wordsRecord(
    EIATTR.INDIRECT_BRANCH_TARGETS,
    branches.flatMap((b) => [b.offset, 0, b.targets.length, ...b.targets]),
  );
}
