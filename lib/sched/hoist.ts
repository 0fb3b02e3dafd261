/**
 * Motion between blocks: instructions go up to the end of a block that dominates theirs. Only such as may be executed
 * where they were not before: they compute from registers, special registers and constants, and their results are read by
 * nobody else on the paths that they are now executed on.
 *
 * ```
 * b0: @P0 EXIT                    b0: LDC.64 R2, c[0x0][0x210]
 * b1: LDC.64 R2, c[0x0][0x210]        @P0 EXIT
 *     IMAD.WIDE R4, R0, 4, R2     b1: IMAD.WIDE R4, R0, 4, R2
 * ```
 *
 * An instruction I may go from block B to the end of its dominator D when, X being the blocks on paths from D to B:
 * - none of X, nor what stands before I in B, touches what I writes or writes what it reads; if B lies on a cycle that
 *   does not meet D, nothing after I in B writes either, and I does not read what it writes;
 * - where a path leaves D or X without coming to B, what I writes is not live;
 * - the transfer of control at the end of D does not touch what I writes.
 *
 * Registers of the warp (UR, UP) could be changed by lanes that are elsewhere at that moment. They move only past a
 * conditional EXIT, where no lane takes another path, and past no instruction at which lanes wait for each other. Nothing
 * moves past or after `WARPSYNC.COLLECTIVE`: lanes that it gathers go on at its label, from wherever they were.
 */
import { clearBit, hasBit, setBit, setRange, wordsFor } from "../analysis/bits.js";
import { analysis } from "../analysis/cache.js";
import type { Cfg } from "../analysis/cfg.js";
import { type DominatorTree, dominates } from "../analysis/dominators.js";
import type { Flat } from "../analysis/flat.js";
import type { Loops } from "../analysis/loops.js";
import { Order, orderOf } from "../analysis/memory.js";
import { guardsOf } from "../isa/timing.js";
import { touch } from "../ori/editor.js";
import { terminator } from "../ori/flow.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, ZERO_REG } from "../ori/types.js";

/** What may move up. */
export interface HoistOptions {
  /** `loads`: only what a scoreboard guards (constants, special registers, conversions); default `all`. */
  readonly what?: "loads" | "all";
  /** Only instructions for which it says yes. Default all. */
  readonly select?: (inst: Inst) => boolean;
}

/**
 * Moves what may go up as far as it may, in place; returns how many instructions moved. Blocks from the last to the first,
 * so that what came up goes on from there. Functions with calls are left alone: what is live across a call is not known.
 */
export function hoist(func: Func, options: HoistOptions = {}): number {
  for (const b of func.blocks)
    for (const { form } of b.insts) if (form.flow === "call" || form.flow === "return") return 0;
  return new Hoister(func, options).run();
}

/** Mnemonics that compute a result for each lane from its operands, and nothing else: executed in vain they do no harm. */
const lanewise: ReadonlySet<string> = new Set(
  (
    "BMSK BREV FLO IABS IADD IADD3 IMAD IMNMX ISETP LEA LOP3 PLOP3 POPC PRMT SGXT SHF VIADD VIADDMNMX VIMNMX VIMNMX3 " +
    "DADD DFMA DMUL DSETP FADD FCHK FFMA FMNMX FMUL FSEL FSET FSETP MUFU HADD2 HFMA2 HMNMX2 HMUL2 HSET2 HSETP2 " +
    "F2F F2FP F2I FRND I2F I2FP I2I MOV SEL CS2R S2R LDC P2R"
  ).split(" "),
);
/** The same for the warp. */
const warpwise: ReadonlySet<string> = new Set(
  "S2UR UBMSK UBREV UFLO UIADD3 UIMAD UISETP ULDC LDCU ULEA ULOP3 UMOV UPLOP3 UPOPC UPRMT USEL USGXT USHF".split(" "),
);

/** Whether executing it where it would not have been executed changes nothing but its results. */
export function isSpeculable(inst: Inst): boolean {
  const { form } = inst;
  if (form.sideEffect || form.flow !== "next" || form.pseudo || orderOf(inst) !== Order.Free) return false;
  if (!lanewise.has(form.op) && !warpwise.has(form.op)) return false;
  if (form.memory !== null && form.memory.space !== "const") return false;
  let writes = false;
  for (const o of inst.dsts) if (o.kind === Kind.Reg && o.id !== ZERO_REG) writes = true;
  // An index may lie outside of the bank where the code would not have come.
  for (const o of inst.srcs) if (o.kind === Kind.Const && (o.id === -1 || !plainIndex(o.index))) return false;
  return writes;
}

const plainIndex = (index: number): boolean => index === NO_INDEX || index === ZERO_REG;

const warpFile = (file: number | undefined): boolean => file === File.UR || file === File.UP;

/** Lanes wait for each other there, or memory is ordered. */
function meets(inst: Inst): boolean {
  return inst.form.flow !== "next" || orderOf(inst) >= Order.Fence;
}

/** Begins or ends what gathered lanes execute together. */
const isCollective = (inst: Inst): boolean => inst.form.op === "ENDCOLLECTIVE" || inst.form.mods.includes("COLLECTIVE");

class Hoister {
  private readonly cfg: Cfg;
  private readonly flat: Flat;
  private readonly dom: DominatorTree;
  private readonly loops: Loops;
  private readonly words: number;
  /** Entry of `flat` by instruction id. */
  private readonly at: Int32Array;
  /** Live units before each block; what moves is added on the paths that it crosses. */
  private readonly live: Uint32Array;
  /** Units that a block touches and writes. */
  private readonly touched: Uint32Array;
  private readonly written: Uint32Array;
  /** Blocks with collective instructions. */
  private readonly collective: Uint8Array;

  constructor(
    private readonly func: Func,
    private readonly options: HoistOptions,
  ) {
    this.cfg = analysis(func, "cfg");
    this.flat = analysis(func, "flat");
    this.dom = analysis(func, "dominators");
    this.loops = analysis(func, "loops");
    this.words = wordsFor(this.flat.units.count);
    this.live = new Uint32Array(this.cfg.count * this.words);
    const { liveIn } = analysis(func, "liveness");
    for (let b = 0; b < this.cfg.count; b++) liveIn.addTo(b, this.live, b * this.words);
    this.touched = new Uint32Array(this.cfg.count * this.words);
    this.written = new Uint32Array(this.cfg.count * this.words);
    this.at = new Int32Array(func.nextInst).fill(-1);
    this.flat.insts.forEach((inst, i) => {
      this.at[inst.id] = i;
    });
    for (let b = 0; b < this.cfg.count; b++) this.summarize(b);
    this.collective = Uint8Array.from(this.cfg.blocks, (b) => (b.insts.some(isCollective) ? 1 : 0));
  }

  run(): number {
    let moved = 0;
    const { rpo } = this.cfg;
    for (let k = rpo.length - 1; k > 0; k--) moved += this.block(rpo[k] as number);
    if (moved > 0) touch(this.func);
    return moved;
  }

  private summarize(b: number): void {
    const row = b * this.words;
    this.touched.fill(0, row, row + this.words);
    this.written.fill(0, row, row + this.words);
    for (const inst of (this.cfg.blocks[b] as Block).insts) this.add(inst, this.touched, this.written, row);
  }

  /** Adds what an instruction touches and writes to two sets. */
  private add(inst: Inst, touched: Uint32Array, written: Uint32Array, row: number): void {
    const { flat } = this;
    const i = this.at[inst.id] as number;
    for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++)
      setRange(touched, row, flat.useUnit[u] as number, flat.useWidth[u] as number);
    for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
      setRange(touched, row, flat.defUnit[d] as number, flat.defWidth[d] as number);
      setRange(written, row, flat.defUnit[d] as number, flat.defWidth[d] as number);
    }
  }

  /** The nearest dominator that is in no deeper loop, −1 for none. */
  private above(b: number): number {
    let d = this.dom.idom[b] as number;
    while (d >= 0 && (this.loops.depth[d] as number) > (this.loops.depth[b] as number)) d = this.dom.idom[d] as number;
    return d;
  }

  private block(b: number): number {
    const d = this.above(b);
    if (d < 0) return 0;
    const block = this.cfg.blocks[b] as Block;
    if (!block.insts.some((inst) => this.wanted(inst))) return 0;
    const paths = new PathsBetween(this, this.cfg, this.dom, d, b);
    if ([d, ...paths.inner].some((x) => this.collective[x] === 1)) return 0;
    const last = terminator(this.cfg.blocks[d] as Block);
    if (last !== null) this.add(last, paths.noWrite, paths.scratch, 0);
    const straight =
      paths.inner.length === 0 &&
      last?.form.flow === "exit" &&
      this.cfg.predStart[b + 1]! - this.cfg.predStart[b]! === 1;
    const stays: Inst[] = [];
    const goes: Inst[] = [];
    let [waits, collects] = [false, false];
    const { insts } = block;
    for (let k = 0; k < insts.length; k++) {
      const inst = insts[k] as Inst;
      const left = stays.length + insts.length - k - 1;
      collects ||= isCollective(inst);
      if (left > 0 && !collects && this.wanted(inst) && this.may(inst, paths, insts, k, straight && !waits))
        goes.push(inst);
      else {
        stays.push(inst);
        this.add(inst, paths.noWrite, paths.noRead, 0);
        waits ||= meets(inst);
      }
    }
    if (goes.length === 0) return 0;
    this.move(b, d, stays, goes, paths);
    return goes.length;
  }

  private wanted(inst: Inst): boolean {
    const { what = "all", select } = this.options;
    if (!isSpeculable(inst)) return false;
    if (what === "loads" && !guardsOf(inst.form, this.func.target).write) return false;
    return select?.(inst) ?? true;
  }

  private may(inst: Inst, paths: PathsBetween, insts: readonly Inst[], k: number, warp: boolean): boolean {
    const { flat } = this;
    const i = this.at[inst.id] as number;
    for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
      const first = flat.defUnit[d] as number;
      for (let u = first; u < first + (flat.defWidth[d] as number); u++) {
        if (hasBit(paths.noWrite, 0, u)) return false;
        if (warpFile(flat.units.file[u]) && !warp) return false;
      }
    }
    for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
      const first = flat.useUnit[u] as number;
      for (let unit = first; unit < first + (flat.useWidth[u] as number); unit++)
        if (hasBit(paths.noRead, 0, unit)) return false;
    }
    return !paths.cyclic || this.invariant(inst, insts, k);
  }

  /** In a cycle without D: nothing after it in the block writes what it touches, and it reads nothing that it writes. */
  private invariant(inst: Inst, insts: readonly Inst[], k: number): boolean {
    const own = new Uint32Array(this.words);
    const writes = new Uint32Array(this.words);
    const i = this.at[inst.id] as number;
    const { flat } = this;
    this.add(inst, own, writes, 0);
    for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
      const first = flat.useUnit[u] as number;
      for (let unit = first; unit < first + (flat.useWidth[u] as number); unit++)
        if (hasBit(writes, 0, unit)) return false;
    }
    const after = new Uint32Array(this.words);
    const scratch = new Uint32Array(this.words);
    for (let n = k + 1; n < insts.length; n++) this.add(insts[n] as Inst, scratch, after, 0);
    for (let w = 0; w < this.words; w++) if (((own[w] as number) & (after[w] as number)) !== 0) return false;
    return true;
  }

  private move(b: number, d: number, stays: Inst[], goes: Inst[], paths: PathsBetween): void {
    const { cfg, words } = this;
    const to = cfg.blocks[d] as Block;
    (cfg.blocks[b] as Block).insts = stays;
    const end = to.insts.length - (terminator(to) === null ? 0 : 1);
    to.insts = [...to.insts.slice(0, end), ...goes, ...to.insts.slice(end)];
    for (const inst of goes) inst.control = null;
    const made = new Uint32Array(words);
    const scratch = new Uint32Array(words);
    for (const inst of goes) this.add(inst, scratch, made, 0);
    for (const x of [...paths.inner, b])
      for (let w = 0; w < words; w++)
        this.live[x * words + w] = (this.live[x * words + w] as number) | (made[w] as number);
    this.summarize(b);
    this.summarize(d);
  }

  /** Live units before a block, and what it touches and writes. */
  summary(b: number): { live: Uint32Array; touched: Uint32Array; written: Uint32Array } {
    const row = (set: Uint32Array): Uint32Array => set.subarray(b * this.words, (b + 1) * this.words);
    return { live: row(this.live), touched: row(this.touched), written: row(this.written) };
  }
}

/** The blocks between a block and its dominator, and which units that forbids. */
class PathsBetween {
  readonly inner: number[] = [];
  /** The block can come to itself again without its dominator. */
  readonly cyclic: boolean;
  /** Units that what moves must not write, and must not read. */
  readonly noWrite: Uint32Array;
  readonly noRead: Uint32Array;
  readonly scratch: Uint32Array;

  constructor(hoister: Hoister, cfg: Cfg, dom: DominatorTree, d: number, b: number) {
    const words = hoister.summary(b).live.length;
    this.noWrite = new Uint32Array(words);
    this.noRead = new Uint32Array(words);
    this.scratch = new Uint32Array(words);
    const on = new Uint32Array(wordsFor(cfg.count));
    setBit(on, 0, d);
    const work = [b];
    let again = false;
    for (let at = work.pop(); at !== undefined; at = work.pop())
      for (let e = cfg.predStart[at] as number; e < (cfg.predStart[at + 1] as number); e++) {
        const p = cfg.pred[e] as number;
        if (p === b) again = true;
        // Blocks that nothing reaches are on no path.
        if (hasBit(on, 0, p) || p === b || !dominates(dom, d, p)) continue;
        setBit(on, 0, p);
        this.inner.push(p);
        work.push(p);
      }
    this.cyclic = again;
    const or = (to: Uint32Array, from: Uint32Array): void => {
      for (let w = 0; w < words; w++) to[w] = (to[w] as number) | (from[w] as number);
    };
    for (const x of this.inner) {
      const s = hoister.summary(x);
      or(this.noWrite, s.touched);
      or(this.noRead, s.written);
    }
    clearBit(on, 0, d);
    for (const x of [d, ...this.inner])
      for (let e = cfg.succStart[x] as number; e < (cfg.succStart[x + 1] as number); e++) {
        const s = cfg.succ[e] as number;
        if (s !== b && !hasBit(on, 0, s)) or(this.noWrite, hoister.summary(s).live);
      }
  }
}
