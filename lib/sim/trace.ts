/**
 * What warps did, in the order in which they did it: the instructions of chosen blocks with what their memory accesses
 * touched. The functional simulator records it; the timing model plays it back.
 */
import { File, Kind, type MachineInst } from "../isa/operand.js";
import { type Address, addressOf, shortAddress, wideAddress } from "./access.js";
import { GLOBAL_BASE, LOCAL_WINDOW, SHARED_WINDOW } from "./memory.js";
import { reachOf } from "./ops/tensor-copy.js";
import { firstLane, PhaseNames } from "./phase-names.js";
import { functionAt, type Program } from "./program.js";
import { Site, Unsupported } from "./site.js";
import { LANES, type Warp } from "./state.js";

/** Where an access went. Constants have no work: they come through caches of their own (lib/timing/front.ts). */
export const Where = { Global: 1, Shared: 2, Local: 3, Constant: 4, Bulk: 5 } as const;

/** Bytes of a cache line and of a sector. */
export const LINE = 128;
export const SECTOR = 32;

/** Constants come in lines of 64 bytes; a bank has 64 KiB. */
export const CONSTANT_SHIFT = 6;
export const BANK_LINES: number = 1 << (16 - CONSTANT_SHIFT);
/** Banks are numbered to 31; what is bindless counts as one bank of its own. */
const BINDLESS = 32;

/** Line of an address in a constant bank. */
export function constantLine(bank: number, at: number): number {
  return (bank < 0 ? BINDLESS : bank) * BANK_LINES + ((at & 0xffff) >> CONSTANT_SHIFT);
}

/** A growing column of numbers. */
export class Column {
  data: Int32Array = new Int32Array(256);
  length: number = 0;

  push(value: number): void {
    if (this.length === this.data.length) {
      const more = new Int32Array(2 * this.length);
      more.set(this.data);
      this.data = more;
    }
    this.data[this.length++] = value;
  }
}

/** The instructions of one warp. */
export class WarpTrace {
  /** Index of the instruction in the program. */
  readonly pcs: Column = new Column();
  /** Index of its access, −1 when it touched no memory (or no thread executed it). */
  readonly accesses: Column = new Column();
  constructor(
    readonly block: number,
    readonly index: number,
  ) {}
}

/** Memory accesses of all recorded warps, a column per property. */
export class Accesses {
  /** Where. */
  readonly where: Column = new Column();
  /** Shared memory: passes that bank conflicts ask for. Elsewhere: sectors. */
  readonly work: Column = new Column();
  /** Lines touched: first index into `lines`, and how many. */
  readonly firstLine: Column = new Column();
  readonly lineCount: Column = new Column();
  /** Line numbers (address over LINE, from the start of the space), and the sectors touched in each, bit n = sector n. */
  readonly lines: Column = new Column();
  readonly sectors: Column = new Column();
  /** Number of the phase of an mbarrier that it works on or waits for, −1 none; and whether there are such. */
  readonly phase: Column = new Column();
  phases: boolean = false;
}

/** Bytes of what a recorder keeps, unless told otherwise: some twenty million instructions. */
const MOST_BYTES = 256 << 20;

type Reader = (warp: Warp, mask: number) => number;
const SILENT: Reader = () => -1;

export class TraceRecorder {
  /** One trace per warp, in the order in which they began. */
  readonly warps: WarpTrace[] = [];
  /** What memory instructions touched. */
  readonly accesses: Accesses = new Accesses();
  /** The program that runs; null before the first launch. */
  program: Program | null = null;
  private readonly names = new PhaseNames();
  private readers: (Reader | undefined)[] = [];
  private readonly words = new Float64Array(2 * LANES);
  private readonly seen = new Float64Array(2 * LANES);

  /** Instructions recorded. */
  private issues = 0;

  /** `wanted`: numbers of the blocks to record, x fastest; `most`: bytes that may be kept. */
  constructor(
    private readonly wanted: ReadonlySet<number>,
    private readonly most: number = MOST_BYTES,
  ) {}

  /** Bytes of what is recorded. */
  get bytes(): number {
    const { where, work, firstLine, lineCount, lines, sectors, phase } = this.accesses;
    const columns = [where, work, firstLine, lineCount, lines, sectors, phase];
    return 8 * this.issues + columns.reduce((n, c) => n + 4 * c.length, 0);
  }

  /** As much is recorded as may be: the launch ends with a `budget` fault. */
  get full(): boolean {
    return this.bytes > this.most;
  }

  /** A new launch runs this program. */
  begin(program: Program): void {
    this.program = program;
    this.readers = new Array(program.insts.length);
  }

  /** The trace of a warp that starts; null when its block is not wanted. */
  warp(block: number, index: number): WarpTrace | null {
    if (!this.wanted.has(block)) return null;
    const trace = new WarpTrace(block, index);
    this.warps.push(trace);
    return trace;
  }

  /** The warp is about to execute an instruction for the lanes of `mask` (0: for none). */
  issue(warp: Warp, trace: WarpTrace, pc: number, mask: number): void {
    trace.pcs.push(pc);
    this.issues++;
    trace.accesses.push(mask === 0 ? -1 : this.readerOf(pc)(warp, mask));
  }

  /** What an access touches, which is not kept; null: the instruction touches no memory. */
  measure(
    warp: Warp,
    pc: number,
    mask: number,
  ): {
    /** Which kind of memory it touches. */
    readonly where: number;
    /** How much work that is: sectors or conflicts. */
    readonly work: number;
  } | null {
    const access = this.readerOf(pc)(warp, mask);
    if (access < 0) return null;
    const a = this.accesses;
    const touched = { where: a.where.data[access]!, work: a.work.data[access]! };
    for (const column of [a.where, a.work, a.firstLine, a.lineCount, a.lines, a.sectors, a.phase]) column.length = 0;
    return touched;
  }

  private readerOf(pc: number): Reader {
    let reader = this.readers[pc];
    if (reader === undefined) {
      reader = this.reader(pc);
      this.readers[pc] = reader;
    }
    return reader;
  }

  private reader(pc: number): Reader {
    const program = this.program!;
    const inst = program.insts[pc];
    const memory = inst?.form.memory;
    if (!inst) return SILENT;
    const site = new Site(program, pc, functionAt(program, pc).first, inst);
    let address: Address;
    try {
      const own = this.special(site);
      if (own !== null) return own;
      if (!memory || memory.space === "param" || memory.access === "fence") return SILENT;
      if (memory.space === "const") return this.constants(inst);
      address = addressOf(site);
    } catch (e) {
      if (e instanceof Unsupported) return SILENT;
      throw e;
    }
    const { space, access, bytes } = memory;
    const atomic = access === "atomic" || access === "reduce";
    if (space === "shared") return (w, m) => this.shared(w, m, address, 0, bytes, atomic);
    if (space === "local") return (w, m) => this.local(w, m, address, 0, bytes);
    const uniform = uniformBase(inst);
    return (w, m) => {
      const add = address.add(w);
      const lane = uniform ? 0 : 31 - Math.clz32(m & -m);
      const window = Math.floor(wideAddress(w, address, add, lane) / 2 ** 32);
      if (space === "generic" && window === SHARED_WINDOW)
        return this.shared(w, m, address, SHARED_WINDOW * 2 ** 32, bytes, atomic);
      if (space === "generic" && window === LOCAL_WINDOW)
        return this.local(w, m, address, LOCAL_WINDOW * 2 ** 32, bytes);
      return this.global(w, m, address, bytes);
    };
  }

  /** Instructions whose operands say more, or other things, than an access of each lane; null for all others. */
  private special(s: Site): Reader | null {
    const { op, mods } = s.inst.form;
    if (op === "LDSM" || op === "STSM") {
      // The lanes that have addresses, of 16 bytes each.
      const lanes = mods.includes("4") ? -1 : mods.includes("2") ? 0xffff : 0xff;
      const address = addressOf(s);
      return (w, m) => this.shared(w, m & lanes, address, 0, 16, false);
    }
    if (op === "LDGSTS") {
      const o = s.operand("addr");
      const off = s.imm("goff");
      const from: Address = { low: s.row(o), high: s.row(o, 1), shift: 0, add: () => off };
      return (w, m) => this.global(w, m, from, s.inst.form.memory!.bytes);
    }
    if (op === "UBLKCP") return this.bulk(s);
    if (op === "UTMALDG" || op === "UTMASTG") return this.box(s);
    if (op === "UTCBAR") {
      const address = s.scalar(s.operand("a"))!;
      return (w) => this.phase(Where.Shared, 1, this.names.current(w, address(w) >>> 0));
    }
    const phased = op === "ARRIVES" || (op === "SYNCS" && (mods.includes("ARRIVE") || mods.includes("PHASECHK")));
    if (!phased) return null;
    const address = addressOf(s);
    const o = mods.includes("PHASECHK") ? s.operand("data") : null;
    const parity = o === null ? null : (s.scalar(o) ?? ((w: Warp, l: number): number => w.I[s.row(o) + l]!));
    return (w, m) => {
      const lane = firstLane(m);
      const at = shortAddress(w, address, address.add(w), lane);
      const id = parity === null ? this.names.current(w, at) : this.names.waited(w, at, parity(w, lane) >>> 31);
      return this.phase(Where.Shared, 1, id);
    };
  }

  /** UBLKCP: the lines of global memory that it reads or writes, and the phase that its bytes are counted on. */
  private bulk(s: Site): Reader {
    const [to, from] = s.inst.form.mods.filter((m) => m === "G" || m === "S");
    const [d, n] = [s.operand("d"), s.scalar(s.operand("n"))!];
    const global = to === "G" ? d : from === "G" ? s.operand("s") : null;
    const [lo, hi] = global === null ? [() => 0, () => 0] : [s.scalar(global)!, s.scalar(global, 1)!];
    const barrier = to === "S" ? s.scalar(d, 1)! : null;
    return (w) => {
      const id = barrier === null ? -1 : this.names.current(w, barrier(w) >>> 0);
      this.open(Where.Bulk);
      if (global !== null) this.run(hi(w) * 2 ** 32 + (lo(w) >>> 0), (n(w) & 0xffff) * 16);
      return this.named(this.close(1), id);
    };
  }

  /** The lines of so many bytes of global memory. */
  private run(address: number, bytes: number): void {
    const first = address - GLOBAL_BASE;
    const last = first + Math.max(1, bytes) - 1;
    const sector = Math.floor(first / SECTOR);
    // Counted: far above 2^53, where only a faulting access lies, a number and the next one are the same.
    for (let k = 0; k <= Math.floor(last / SECTOR) - sector; k++) {
      const x = sector + k;
      const line = Math.floor((x * SECTOR) / LINE);
      this.line(line, 1 << (x - (line * LINE) / SECTOR));
    }
  }

  /** UTMALDG, UTMASTG: the lines of the rows of its box. Of several blocks that get it the one that issues it counts the bytes. */
  private box(s: Site): Reader {
    const reach = reachOf(s);
    return (w) => {
      const found = reach(w);
      const barrier = found?.barrier ?? null;
      const id = barrier === null ? -1 : this.names.current(w, barrier >>> 0);
      this.open(Where.Bulk);
      for (const [first, bytes] of found?.runs ?? []) this.run(first, bytes);
      return this.named(this.close(1), id);
    };
  }

  private phase(where: number, work: number, id: number): number {
    this.open(where);
    return this.named(this.close(work), id);
  }

  private named(access: number, id: number): number {
    this.accesses.phase.data[access] = id;
    if (id >= 0) this.accesses.phases = true;
    return access;
  }

  /** Constants at an address in a register; of the others the instruction itself says the line. */
  private constants(inst: MachineInst): Reader {
    const c = inst.srcs.find((o) => o.kind === Kind.Const);
    if (c === undefined || c.id < 0 || c.index < 0) return SILENT;
    const lane = (w: Warp, l: number): void => {
      const index = c.file === File.R ? w.I[c.index * LANES + l]! : w.U[c.index]!;
      this.line(constantLine(c.id, index + c.value), 1);
    };
    return (w, m) => {
      this.open(Where.Constant);
      if (c.file !== File.R) lane(w, 0);
      else for (let l = 0; l < LANES; l++) if ((m >>> l) & 1) lane(w, l);
      return this.close(0);
    };
  }

  private open(where: number): void {
    const a = this.accesses;
    a.where.push(where);
    a.phase.push(-1);
    a.firstLine.push(a.lines.length);
  }

  private close(work: number): number {
    const a = this.accesses;
    a.work.push(work);
    a.lineCount.push(a.lines.length - a.firstLine.data[a.firstLine.length - 1]!);
    return a.where.length - 1;
  }

  /** Distinct lines and sectors of the lanes. */
  private global(w: Warp, mask: number, address: Address, bytes: number): number {
    this.open(Where.Global);
    const add = address.add(w);
    let sectors = 0;
    let highest = Number.NEGATIVE_INFINITY;
    const { seen } = this;
    for (let l = 0; l < LANES; l++) {
      if (((mask >>> l) & 1) === 0) continue;
      const at = wideAddress(w, address, add, l) - GLOBAL_BASE;
      const sector = Math.floor(at / SECTOR);
      const count = Math.floor((at + Math.max(1, bytes) - 1) / SECTOR) - sector;
      for (let k = 0; k <= count; k++) {
        const s = sector + k;
        // Most often the next lane is in the same sector or in a later one.
        if (s === highest || (s < highest && among(seen, sectors, s))) continue;
        if (s > highest) highest = s;
        seen[sectors++] = s;
        const line = Math.floor((s * SECTOR) / LINE);
        this.line(line, 1 << (s - (line * LINE) / SECTOR));
      }
    }
    return this.close(sectors);
  }

  /** Local memory is interleaved by lanes: one word of all lanes is one line, of eight lanes a sector. */
  private local(w: Warp, mask: number, address: Address, base: number, bytes: number): number {
    this.open(Where.Local);
    const add = address.add(w);
    let sectors = 0;
    for (let l = 0; l < LANES; l++) {
      if (((mask >>> l) & 1) === 0) continue;
      const at = base === 0 ? shortAddress(w, address, add, l) : wideAddress(w, address, add, l) - base;
      for (let word = at >> 2; word <= (at + Math.max(1, bytes) - 1) >> 2; word++)
        if (this.line(word, 1 << Math.floor((4 * l) / SECTOR))) sectors++;
    }
    return this.close(sectors);
  }

  /** Adds a sector of a line to the open access; false when it is there already. */
  private line(line: number, sector: number): boolean {
    const a = this.accesses;
    const { data, length } = a.lines;
    for (let i = a.firstLine.data[a.firstLine.length - 1]!; i < length; i++) {
      if (data[i] !== line) continue;
      const known = a.sectors.data[i]!;
      a.sectors.data[i] = known | sector;
      return (known & sector) === 0;
    }
    a.lines.push(line);
    a.sectors.push(sector);
    return true;
  }

  /**
   * Passes over the 32 banks of four bytes. Lanes of 8 bytes go in two halves, of 16 in four quarters; within a pass
   * lanes that read the same word share it, atomics to one word take turns.
   */
  private shared(w: Warp, mask: number, address: Address, base: number, bytes: number, atomic: boolean): number {
    this.open(Where.Shared);
    const add = address.add(w);
    const lanes = bytes >= 16 ? 8 : bytes === 8 ? 16 : 32;
    const { words } = this;
    const step = LANES / lanes;
    let passes = 0;
    for (let first = 0; first < LANES; first += lanes) {
      let n = 0;
      let last = -1;
      // Words one after the other lie in banks of their own.
      let inOrder = true;
      for (let l = first; l < first + lanes; l++) {
        if (((mask >>> l) & 1) === 0) continue;
        const word =
          base === 0
            ? shortAddress(w, address, add, l) >>> 2
            : Math.floor((wideAddress(w, address, add, l) - base) / 4);
        // Lanes beside each other that read the same word are the common case.
        if (word === last && !atomic) continue;
        if (n > 0 && word !== last + step) inOrder = false;
        last = word;
        words[n++] = word;
      }
      passes += inOrder && n > 0 ? 1 : this.passes(n, atomic);
    }
    return this.close(Math.max(1, passes));
  }

  private readonly perBank = new Int32Array(32);
  /** The first word of each bank. */
  private readonly firstIn = new Float64Array(32);

  private passes(n: number, atomic: boolean): number {
    const { words, perBank, firstIn } = this;
    perBank.fill(0);
    let most = 0;
    for (let i = 0; i < n; i++) {
      const word = words[i]!;
      const bank = word & 31;
      const known = perBank[bank]!;
      if (!atomic && known > 0 && (firstIn[bank] === word || (known > 1 && among(words, i, word)))) continue;
      if (known === 0) firstIn[bank] = word;
      perBank[bank]!++;
      if (perBank[bank]! > most) most = perBank[bank]!;
    }
    return most;
  }
}

/** Is `value` among the first `n`? */
function among(values: Float64Array, n: number, value: number): boolean {
  for (let i = 0; i < n; i++) if (values[i] === value) return true;
  return false;
}

/** All lanes have the same address. */
function uniformBase(inst: MachineInst): boolean {
  const base = inst.srcs[inst.form.srcs.findIndex((s) => s.name === "base")];
  return base === undefined || base.kind !== Kind.Reg || base.id < 0;
}
