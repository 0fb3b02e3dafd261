/**
 * Translated instructions against the closures: random field values of every opcode, each run on the same state by both, which must
 * leave the same registers, predicates and memory. Where the closure faults, translated code must have stopped before it.
 */
import type { CubinFunction } from "../../../lib/elf/index.js";
import { tableFor } from "../../../lib/isa/compiled.js";
import { File, Kind, type MachineInst } from "../../../lib/isa/operand.js";
import { decodeInst, parseInst, renderInst } from "../../../lib/sass/index.js";
import { freshBarrier } from "../../../lib/sim/barrier.js";
import { GLOBAL_BASE, GlobalMemory, LOCAL_TOP, SharedMemory } from "../../../lib/sim/memory.js";
import { programOf } from "../../../lib/sim/prepare.js";
import { Random as Words } from "../../../lib/sim/random.js";
import { type Cta, LANES, type Machine, Step, Warp } from "../../../lib/sim/state.js";
import { Engine, Entry, Variant } from "../../../lib/sim/wasm/engine.js";
import { Exchange } from "../../../lib/sim/wasm/layout.js";
import { translatedMnemonics } from "../../../lib/sim/wasm/table.js";
import { type Target, target } from "../../../lib/target/index.js";

class Random extends Words {
  below(n: number): number {
    return this.word() % n;
  }
}

const SHARED = 4096;
const BYTES = 8192;

/** f32, halves of f64 and integers at the edges. */
const special = [
  0, 0x80000000, 1, -1, 0x7fffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345,
  0x00000001, 0x807fffff, 0x00800000, 0x00800001, 0x7f7fffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x4effffff,
  0x34000000, 0x33800000, 0x3f7fffff, 0x3ff00000, 0x7ff00000, 0xfff80000, 0x000fffff, 0x43e00000, 31, 32, 33, 63, 64,
  65, 0xffff,
];

interface State {
  readonly cta: Cta;
  readonly warp: Warp;
  readonly global: GlobalMemory;
  faulted: boolean;
}

function state(banks: readonly Int32Array[]): State {
  const global = new GlobalMemory();
  global.allocate(BYTES);
  const machine: Machine = {
    global,
    banks,
    objects: 0,
    grid: [1, 1, 1],
    block: [32, 1, 1],
    clusterShape: [1, 1, 1],
    dynamicShared: 0,
    sharedReserved: 0,
    registers: 255,
    issued: 0,
    fault: null,
    watch: null,
    inFlight: null,
    products: null,
    phases: 0,
    cancelCluster: () => null,
    noteFault: () => {
      made.faulted = true;
    },
  };
  const cta: Cta = {
    index: [0, 0, 0],
    shared: new SharedMemory(SHARED),
    warps: [],
    barriers: Array.from({ length: 16 }, freshBarrier),
    cluster: { ctas: [], arrived: 0, phase: 0 },
    rank: 0,
    liveThreads: 32,
    turn: 0,
  };
  cta.cluster.ctas.push(cta);
  const zeros = new Int32Array(32);
  const warp = new Warp(machine, cta, 0, -1, [zeros, zeros, zeros]);
  cta.warps.push(warp);
  const made: State = { cta, warp, global, faulted: false };
  return made;
}

/** The first byte of the allocation, and a number of it that fits most accesses. */
const START = 512;
/** Bytes of local memory that addresses lead to. */
const LOCAL_BYTES = 1024;
const LOCAL_WORDS = (LOCAL_BYTES / 4) * LANES;

function fill(s: State, random: Random, kind: "numbers" | "addresses" | "rows", start: number): void {
  const places = start > START + 1024 ? 32 : 192;
  const { I, P, U, B } = s.warp;
  const value = (): number => (random.below(3) === 0 ? special[random.below(special.length)]! : random.word());
  // Doubles of few bits: their products are exact.
  const short = random.below(3) === 0;
  for (let r = 0; r < 256; r++) {
    const first = start + 16 * random.below(places);
    const stride = [0, 4, 8, 16][random.below(4)]!;
    for (let l = 0; l < LANES; l++) {
      let x = value();
      if (short && kind === "numbers") x = r & 1 ? (x & 0x800fffff) | ((1000 + random.below(46)) << 20) : x << 27;
      if (short && random.below(64) === 0) x = 0;
      if (kind === "addresses") x = start + 16 * random.below(places);
      if (kind === "rows") x = first + stride * l;
      if (kind !== "numbers" && (r & 1) === 1) x = Math.floor(GLOBAL_BASE / 2 ** 32);
      I[r * LANES + l] = r === 255 ? 0 : x;
    }
  }
  for (let p = 0; p < 7; p++) {
    P[p] = random.word();
    P[8 + p] = -random.below(2);
  }
  for (let u = 0; u < 63; u++) U[u] = kind === "numbers" ? value() : (u & 1) === 0 ? 16 * random.below(16) : 0;
  B.fill(0);
  for (let i = 0; i < s.cta.shared.words.length; i++) s.cta.shared.words[i] = random.word();
  for (let i = 0; i < (START + BYTES) >> 2; i++) s.global.words[i] = random.word();
  // The deepest word makes it as large as it will be.
  s.warp.local.index(LOCAL_TOP - LOCAL_BYTES, 0);
  for (let i = 0; i < LOCAL_WORDS; i++) s.warp.local.words[i] = random.word();
}

function copy(from: State, to: State): void {
  for (const key of ["I", "P", "U", "B"] as const) to.warp[key].set(from.warp[key]);
  to.cta.shared.bytes.set(from.cta.shared.bytes);
  to.warp.local.index(LOCAL_TOP - LOCAL_BYTES, 0);
  to.warp.local.words.set(from.warp.local.words.subarray(0, LOCAL_WORDS));
  to.global.words.set(from.global.words.subarray(0, (START + BYTES) >> 2));
  to.faulted = false;
}

/** The first difference of two states, "" for none. What lies beyond the registers that exist does not count. */
function difference(a: State, b: State): string {
  const compare = (name: string, x: Int32Array, y: Int32Array, n: number): string => {
    for (let i = 0; i < n; i++)
      if (x[i] !== y[i]) return `${name}[${i >> 5}][${i & 31}]: ${hex(x[i]!)} in closures, ${hex(y[i]!)} translated`;
    return "";
  };
  return (
    compare("R", a.warp.I, b.warp.I, 255 * LANES) ||
    compare("P", a.warp.P, b.warp.P, 16) ||
    compare("UR", a.warp.U, b.warp.U, 255) ||
    compare("B", a.warp.B, b.warp.B, 16 * LANES) ||
    compare("local", a.warp.local.words, b.warp.local.words, LOCAL_WORDS) ||
    compare("shared", a.cta.shared.words, b.cta.shared.words, SHARED >> 2) ||
    compare("global", a.global.words, b.global.words, (START + BYTES) >> 2)
  );
}

const hex = (x: number): string => (x >>> 0).toString(16);

class Tester {
  readonly ran: Map<string, number> = new Map();
  private readonly bank = new Int32Array(1024);
  private readonly mine = state([this.bank]);
  private readonly theirs = state([this.bank]);

  constructor(
    private readonly sm: Target,
    private readonly random: Random,
  ) {
    for (let i = 0; i < this.bank.length; i++)
      this.bank[i] = i & 1 ? random.word() : special[random.below(special.length)]!;
  }

  /** Runs an instruction both ways on `times` states. */
  check(inst: MachineInst, times: number): void {
    // Where control goes is not known, so that all registers are needed.
    const last = parseInst("RET.REL.NODEC R8 0x0", { isa: this.sm.isa });
    if (!last.ok) throw new Error(last.message);
    const insts = [inst, last.inst];
    const cubin = { name: "k", ranges: [], ptxLines: [] } as unknown as CubinFunction;
    const program = programOf(this.sm, [{ cubin, first: 0, count: insts.length }], insts);
    const { mine, theirs, random } = this;
    const engine = new Engine(program, theirs.global, true, Variant.Plain);
    engine.begin([this.bank], 1, SHARED, { observe: () => {} });
    for (const flavour of [engine.full, engine.masked]) {
      engine.visit(flavour, 0, () => (theirs.warp.base === 0 ? [theirs.cta] : []));
      const entry = flavour.entry[0]!;
      if (entry < Entry.First) return;
      for (let n = 0; n < times; n++) {
        const space = inst.form.memory?.space ?? "const";
        const kind = space === "const" ? "numbers" : n & 1 ? "addresses" : "rows";
        const starts = { local: LOCAL_TOP - LOCAL_BYTES + 256, shared: 256 } as Readonly<Record<string, number>>;
        fill(mine, random, kind, starts[space] ?? START + 1024);
        copy(mine, theirs);
        const active = flavour.full ? -1 : random.word() | 1;
        const guard = program.guard[0]!;
        const m = active & (mine.warp.P[guard]! ^ program.invert[0]!);
        for (const s of [mine, theirs]) {
          s.warp.active = active;
          s.warp.live = -1;
          s.warp.pc = 0;
        }
        const step = m === 0 ? Step.Next : program.exec[0]!(mine.warp, m);
        flavour.run!(theirs.warp.base, entry - Entry.First, active, -1, 100);
        const done = theirs.warp.exchange[Exchange.issued]! > 0;
        const text = `${renderInst(inst)}, lanes ${hex(active)}`;
        if (step === Step.Fault && done) throw new Error(`${text}: a fault in closures, none translated`);
        if (!done) continue;
        const wrong = difference(mine, theirs);
        if (wrong !== "") throw new Error(`${text}: ${wrong}`);
        const { exchange } = theirs.warp;
        if (exchange[Exchange.pc] !== 1 || exchange[Exchange.threads] !== ones(m)) throw new Error(`${text}: counts`);
        this.ran.set(inst.form.op, (this.ran.get(inst.form.op) ?? 0) + 1);
      }
    }
  }
}

const ones = (x: number): number => (x >>> 0).toString(2).replaceAll("0", "").length;

/** Offsets and constants that exist; no register beyond those that do. */
function tame(inst: MachineInst, random: Random): void {
  inst.form.srcs.forEach((slot, i) => {
    const o = inst.srcs[i]!;
    if (slot.name === "off") o.value = 4 * random.below(64) - 128;
    if (o.kind === Kind.Const) {
      o.id = 0;
      o.value = ((o.value >>> 0) % 4000) & ~7;
    }
  });
  for (const o of [...inst.srcs, ...inst.dsts]) {
    if (o.kind !== Kind.Reg || o.id < 0) continue;
    if (o.file === File.R && o.id > 248) o.id = 240;
    if (o.file === File.UR && o.id > 58) o.id = 58;
  }
}

test.each(["sm_75", "sm_90", "sm_100", "sm_120"] as const)(
  "random instructions of %s do the same translated",
  (name) => {
    const sm = target(name);
    const random = new Random(sm.sm);
    const tester = new Tester(sm, random);
    const wanted = new Set(translatedMnemonics);
    for (const opcode of tableFor(sm.isa).opcodes)
      for (let i = 0; i < 2; i++) {
        const words = Uint32Array.from({ length: 4 }, () => random.word());
        // One of them without a guard.
        const guard = i & 1 ? 0x7000 : words[0]! & 0xf000;
        words[0] = ((words[0]! & ~0xffff) | (opcode & 0xfff) | guard) >>> 0;
        words[2] = ((words[2]! & ~(1 << 27)) | ((opcode >> 12) << 27)) >>> 0;
        const inst = decodeInst(words, 0, sm);
        if (inst === null) continue;
        const { op } = inst.form;
        if (!wanted.has(op) && !(op.startsWith("U") && wanted.has(op.slice(1)))) continue;
        tame(inst, random);
        tester.check(inst, 2);
      }
    // Instructions that random modifiers nearly never make complete.
    expect([...tester.ran.keys()].length).toBeGreaterThan(20);
  },
);

test.each([
  "HMMA.16816.F32 R4, R8, R12, R16",
  "HMMA.16816.F32 R8, R8, R12, R8",
  "HMMA.16816.F32 R12, R8, R14, RZ",
  "HMMA.16816.F32.BF16 R4, R8, R12, R4",
  "HMMA.1688.F32 R4, R8, R12, R4",
  "HMMA.1688.F32.BF16 R4, R8, R12, R16",
  "HMMA.1688.F32.TF32 R4, R8, R12, R16",
  "HMMA.1684.F32.TF32 R8, R8, R12, R8",
  "IMMA.16816.S8.S8 R4, R8.ROW, R12.COL, R16",
  "IMMA.16832.U8.S8 R4, R8.ROW, R12.COL, R4",
  "IMMA.16832.S8.U8.SAT R8, R8.ROW, R12.COL, R16",
  "IMMA.16816.U8.U8.SAT R8, R8.ROW, R12.COL, RZ",
  "BMMA.88128.AND.POPC R8, R8.ROW, R12.COL, RZ",
  "DMMA.8x8x4 R4, R8, R10, R4",
  "DMMA.8x8x4 R8, R8, R10, RZ",
  "DMMA.16x8x4 R8, R8, R12, R16",
  "DMMA.16x8x8 R8, R8, R16, R8",
  "HMMA.884.F32.F32.STEP0 R4, R8.ROW, R10.COL, R12",
  "HMMA.884.F32.F32.STEP1 R8, R8.ROW, R10.ROW, R8",
  "HMMA.884.F32.F16.STEP2 R4, R8.COL, R10.COL, R4",
  "HMMA.884.F32.F16.STEP3 R10, R8.COL, R10.ROW, R12",
  "HMMA.884.F16.F16.STEP0 R4, R8.COL, R10.ROW, R4",
  "HMMA.884.F16.F16.STEP1 R8, R8.ROW, R8.COL, RZ",
  "QMMA.SP.16864.F32.E4M3.E5M2 R4, R8, R12, R16, R20, 0x0",
  "QMMA.SP.16832.F16.E5M2.E3M2 R4, R8, R12, R4, R20, 0x1",
  "QMMA.SF.16832.F32.E4M3.E2M3.E8 R4, R8, R12, R4, R16, R17, UR4",
  "QMMA.SF.SP.16864.F32.E5M2.E2M1.E8 R4, R8, R12, R4, R20, R17, URZ, 0x0",
  "OMMA.SF.16864.F32.E2M1.E2M1.E8 R4, R8, R12, R16, R18, R19, UR4",
  "OMMA.SF.16864.F32.E2M1.E2M1.E8.4X R4, R8, R12, RZ, R16, R17, UR5",
  "OMMA.SF.16864.F32.E2M1.E2M1.UE4M3 R8, R8, R12, R8, R16, R16, UR4",
  "OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X R4, R8, R12, R16, RZ, R17, UR4",
  "OMMA.SF.SP.168128.F32.E2M1.E2M1.E8 R4, R8, R12, R4, R20, R17, UR4, 0x0",
  "OMMA.SF.SP.168128.F32.E2M1.E2M1.UE4M3.4X R4, R8, R12, R4, R20, R17, UR4, 0x0",
])("%s does the same translated", (text) => {
  expect(ranOf(text, 40)).toBeGreaterThanOrEqual(40);
});

/** Of random states as many let an instruction that may fault run. */
test.each([
  "PRMT R4, R8, 0x9e3b, R9",
  "PRMT R4, R8, R10, R9",
  "BREV R4, R8",
  "BMSK R4, R8, R9",
  "BMSK.W R4, R8, R9",
  "VIADDMNMX R4, R8, R9, R10, PT",
  "VIADDMNMX.U32 R4, R8, R9, R10, !P3",
  "VIMNMX3 R4, R8, R9, R10, !PT",
  "DFMA R4, R8, R10, R12",
  "DFMA R4, -R8, R10, R4",
  "@P3 DFMA R8, R8, R8, -R10",
  "LDL R4, [R8]",
  "LDL.64 R4, [R8+0x20]",
  "LDL.128 R4, [R8+-0x10]",
  "LDL.U8 R4, [R8+0x3]",
  "@P2 LDL.S16 R4, [R8+0x6]",
  "STL [R8], R4",
  "@!P1 STL.64 [R8+0x8], R4",
  "STL.128 [R8+-0x20], R4",
  "@P1 STL.U8 [R8+0x7], R4",
  "STL.U16 [R8+0x2], R4",
  "ATOMG.E.ADD.STRONG.GPU PT, R4, desc[UR4][R8.64], R10",
  "ATOMG.E.INC.STRONG.GPU PT, R4, desc[UR4][R8.64+0x10], R10",
  "@P1 ATOMG.E.DEC.STRONG.GPU PT, R4, desc[UR4][R8.64], R10",
  "ATOMG.E.MIN.S32.STRONG.GPU PT, R4, desc[UR4][R8.64], R10",
  "ATOMG.E.ADD.64.STRONG.GPU PT, R4, desc[UR4][R8.64], R10",
  "ATOMG.E.MAX.S64.STRONG.GPU PT, R4, desc[UR4][R8.64], R10",
  "ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU PT, R4, desc[UR4][R8.64], R10",
  "ATOMG.E.ADD.F64.RN.STRONG.GPU PT, R4, desc[UR4][R8.64], R10",
  "ATOMG.E.EXCH.STRONG.GPU PT, R4, desc[UR4][R8.64], R10",
  "ATOMG.E.CAS.STRONG.GPU PT, R4, [R8], R10, R11",
  "ATOMG.E.CAS.64.STRONG.GPU PT, R4, [R8], R10, R12",
  "ATOMS.ADD R4, [R8], R10",
  "@!P2 ATOMS.AND R4, [R8+0x4], R10",
  "ATOMS.POPC.INC.32 RZ, [R8+URZ]",
  "ATOMS.CAS R4, [R8], R10, R11",
  "ATOMS.CAST.SPIN R4, [R8], R10, R11",
  "ATOMS.CAST.SPIN.64 R4, [R8], R10, R12",
  "LDSM.16.M88.4 R4, [R8]",
  "LDSM.16.MT88.4 R8, [R8+0x20]",
  "LDSM.16.M88 R4, [R8]",
  "LDSM.16.MT88.2 R4, [R8]",
  "STSM.16.M88.4 [R8], R4",
  "STSM.16.MT88.2 [R8], R4",
  "MOVM.16.MT88 R4, R8",
])("%s does the same translated", (text) => {
  expect(ranOf(text, 20)).toBeGreaterThanOrEqual(10);
});

/** How often an instruction ran translated. */
function ranOf(text: string, times: number): number {
  const sm = target(
    text.startsWith("HMMA.884")
      ? "sm_75"
      : /^[QO]MMA/.test(text)
        ? "sm_120"
        : text.startsWith("VIMNMX3")
          ? "sm_100"
          : "sm_90",
  );
  const tester = new Tester(sm, new Random(5));
  const parsed = parseInst(text, { isa: sm.isa });
  if (!parsed.ok) throw new Error(`${text}: ${parsed.message}`);
  tester.check(parsed.inst, times);
  return tester.ran.get(parsed.inst.form.op) ?? 0;
}
