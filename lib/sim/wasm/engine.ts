/**
 * Decides what is translated, and when: blocks are counted where control can come to, a block that has run often is translated with
 * all that have run at all. One set of blocks for warps with all lanes active, one for the others.
 */
import { Kind } from "../../isa/operand.js";
import type { GlobalMemory } from "../memory.js";
import { fma64 } from "../number/f64.js";
import { mufu32 } from "../number/mufu.js";
import { Rounding } from "../number/rounding.js";
import type { Program } from "../program.js";
import { ordersAccesses } from "../races/meaning.js";
import type { Cta } from "../state.js";
import { slotOf } from "./access.js";
import { type Arena, arenaOf } from "./arena.js";
import { BlockProducts } from "./block-products.js";
import { wasm } from "./host.js";
import { Liveness } from "./liveness.js";
import { relaxedFmaIsExact } from "./relaxed.js";
import { type Translation, translationOf } from "./segments.js";
import { type Run, translate } from "./translate.js";

/**
 * What a launch needs of translated code: nothing more; to be told of every instruction (its `Observer`); that too, and that what touches memory or
 * orders accesses runs in closures.
 */
export const Variant = { Plain: 0, Observed: 1, Watched: 2 } as const;
export type Variant = (typeof Variant)[keyof typeof Variant];

/** Told of instructions of the warp that runs, before they are done: the registers and predicates that say what they touch stand. */
export interface Observer {
  observe(pcs: readonly number[], active: number): void;
}

/** Visits after which a block is translated; what has been translated waits for more the next time. */
const OFTEN = 256;
const MOST_OFTEN = 1 << 14;
/** The same of a launch that is known to be long, for warps of which some lanes are active. */
const SOON = 64;
/** The same of a launch that is observed: what tells of instructions in closures takes longer. */
const OBSERVED = 16;
/** Most instructions of a program that is translated as a whole before all of it has run. */
const SMALL = 2000;
/** Most instructions of a module. */
const LONGEST = 20_000;

/** Entries of `Flavour.entry`: nothing here; a block that is counted; from here on, numbers of entries. */
export const Entry = { None: 0, Counted: 1, First: 2 } as const;

/** The code for warps with all 32 lanes active, or for all others. */
export class Flavour {
  readonly entry: Int32Array;
  readonly visits: Uint32Array;
  run: Run | null = null;
  limit: number;

  constructor(
    readonly full: boolean,
    leaders: Uint8Array,
    limit: number,
  ) {
    this.entry = new Int32Array(leaders);
    this.visits = new Uint32Array(leaders.length);
    this.limit = limit;
  }
}

/** The engine of a program; `eager`: everything is translated at once. Null where it cannot be: no WebAssembly, another memory. */
export function engineOf(program: Program, global: GlobalMemory, eager: boolean, variant: Variant): Engine | null {
  if (wasm === null) return null;
  const known = program.engines[variant];
  // Not a map beside the programs: weak ones keep short-lived programs alive for long.
  const engine = known instanceof Engine && known.eager === eager ? known : new Engine(program, global, eager, variant);
  program.engines[variant] = engine;
  return engine.global === global ? engine : null;
}

/** Is there code that launches of the program on this memory can use at once? */
export function isTranslated({ engines }: Program, global: GlobalMemory, variant: Variant): boolean {
  const engine = engines[variant];
  return (
    engine instanceof Engine && engine.global === global && (engine.full.run !== null || engine.masked.run !== null)
  );
}

/** Instructions to which control comes otherwise than from the one before: there a group can be sent into translated code. */
function leadersOf(program: Program): Uint8Array {
  const { insts } = program;
  const leaders = new Uint8Array(insts.length);
  for (const f of program.functions) {
    if (f.count === 0) continue;
    leaders[f.first] = 1;
    for (let pc = f.first; pc < f.first + f.count; pc++) {
      const inst = insts[pc];
      if (!inst) continue;
      if (inst.form.flow !== "next" || inst.form.op === "BAR") leaders[pc + 1] = 1;
      for (const o of inst.srcs)
        if (o.kind === Kind.Label && Number.isInteger(o.value / 16)) leaders[f.first + o.value / 16] = 1;
    }
  }
  return leaders;
}

/** Is the instruction something to the race detector? */
function isWatched(program: Program, pc: number): boolean {
  const inst = program.insts[pc];
  if (!inst) return false;
  const { op, memory } = inst.form;
  return (
    (memory !== null && memory.space !== "const" && memory.space !== "param") || ordersAccesses(inst) || op === "BAR"
  );
}

export class Engine {
  readonly full: Flavour;
  readonly masked: Flavour;
  private readonly leaders: Uint8Array;
  private readonly translations: (Translation | null | undefined)[];
  private arena: Arena | null = null;
  /** Products of warp groups and of tensor memory; null while nothing is in the arena. */
  products: BlockProducts | null = null;
  /** Blocks are translated that have not run, too. */
  private whole: boolean;
  /** What the running launch gives. */
  private launch: {
    readonly banks: readonly Int32Array[];
    readonly warps: number;
    readonly sharedBytes: number;
    readonly observer: Observer;
  } | null = null;
  /** Visits after which the first blocks are translated. */
  private readonly often: number;

  constructor(
    private readonly program: Program,
    readonly global: GlobalMemory,
    readonly eager: boolean,
    readonly variant: Variant,
  ) {
    this.leaders = leadersOf(program);
    this.whole = eager;
    this.translations = new Array(program.insts.length);
    this.often = eager ? 1 : variant === Variant.Plain ? OFTEN : OBSERVED;
    this.full = new Flavour(true, this.leaders, this.often);
    this.masked = new Flavour(false, this.leaders, this.often);
  }

  /** A launch begins. */
  begin(banks: readonly Int32Array[], warps: number, sharedBytes: number, observer: Observer): void {
    this.launch = { banks, warps, sharedBytes, observer };
    this.arena?.begin(banks, warps, sharedBytes);
    this.products?.begin();
  }

  /** It has ended. */
  end(): void {
    this.launch = null;
  }

  /** The launch is known to be long: what comes next is translated at once. */
  hurry(): void {
    if (this.full.run !== null) return;
    this.whole ||= this.program.insts.length <= SMALL;
    this.full.limit = 1;
    this.masked.limit = Math.min(SOON, this.masked.limit);
  }

  /** A CTA starts. */
  start(cta: Cta): void {
    if (this.arena === null) return;
    if (cta.warps[0]!.base === 0) this.arena.adopt(cta);
    else this.arena.place(cta);
  }

  /** Counts a visit of the block at `pc`; true: code was translated, and the CTAs have moved. */
  visit(flavour: Flavour, pc: number, ctas: () => Iterable<Cta>): boolean {
    if (++flavour.visits[pc]! < flavour.limit) return false;
    const arena = this.enter(ctas);
    if (arena === null) {
      // Never again.
      flavour.entry.fill(Entry.None);
      return false;
    }
    this.translate(flavour, arena);
    return true;
  }

  /** Moves the CTAs into the arena, unless they are there; null: there is none. Who holds registers must look for them again. */
  enter(ctas: () => Iterable<Cta>): Arena | null {
    if (this.arena !== null) return this.arena;
    this.arena = arenaOf(this.global);
    if (this.arena === null) return null;
    const { banks, warps, sharedBytes } = this.launch!;
    this.arena.begin(banks, warps, sharedBytes);
    for (const cta of ctas()) this.arena.adopt(cta);
    this.products = new BlockProducts(this.arena);
    return this.arena;
  }

  private translationAt(pc: number): Translation | null {
    let t = this.translations[pc];
    if (t === undefined) {
      t = this.variant === Variant.Watched && isWatched(this.program, pc) ? null : translationOf(this.program, pc);
      this.translations[pc] = t;
    }
    return t;
  }

  private translate(flavour: Flavour, arena: Arena): void {
    // Who is told runs slowly otherwise, so that one module for all pays sooner.
    this.whole ||= this.variant !== Variant.Plain && this.program.insts.length <= SMALL;
    const blocks: [number, number][] = [];
    const { leaders } = this;
    const n = leaders.length;
    let size = 0;
    for (let pc = 0; pc < n && size < LONGEST; pc++) {
      if (leaders[pc] === 0 || !(this.whole || flavour.visits[pc]! > 0)) continue;
      let to = pc + 1;
      while (to < n && leaders[to] === 0) to++;
      blocks.push([pc, to]);
      size += to - pc;
    }
    let liveness: Liveness | null = null;
    const made = translate(
      this.program,
      blocks,
      flavour.full,
      relaxedFmaIsExact(),
      this.variant !== Variant.Plain,
      (pc) => this.translationAt(pc),
      (group) => (group.first.space === "global" ? arena.slot(slotOf(group)) : 0),
      (register, pc) => {
        // All blocks have been looked at by then.
        liveness ??= new Liveness(this.program, (at) => this.translations[at]);
        return liveness.isLive(register, pc);
      },
    );
    const instance = new wasm!.Instance(new wasm!.Module(made.bytes), {
      env: {
        memory: arena.memory,
        find: (id: number, low: number, high: number) => arena.find(id, low, high),
        fma64: (a: number, b: number, c: number) => fma64(a, b, c, Rounding.RN),
        log2: mufu32.LG2,
        exp2: mufu32.EX2,
        sin: mufu32.SIN,
        cos: mufu32.COS,
        tanh: mufu32.TANH,
        observe: (id: number, active: number) => {
          this.launch!.observer.observe(made.observed[id]!, active);
        },
      },
    });
    flavour.run = instance.exports.run as Run;
    for (const [from, to] of blocks) for (let pc = from; pc < to; pc++) flavour.entry[pc] = Entry.None;
    made.entries.forEach((pc, i) => {
      if (pc >= 0) flavour.entry[pc] = Entry.First + i;
    });
    flavour.limit = Math.min(2 * Math.max(flavour.limit, this.often), MOST_OFTEN);
  }
}
