/**
 * The independent checker of register allocation. It knows nothing of how registers were chosen and trusts nothing the
 * allocator says: it compares the function before (virtual) with the function after (physical), instruction by
 * instruction by id, and follows what every physical register and every word of the spill area holds.
 *
 * The abstract state maps a location (register or stack word) to the set of virtual units (value × sub-register) whose
 * current value it holds on *every* path. An instruction of the program checks that each register it reads holds the
 * unit that it named before, and its results replace what their registers held and make all other places of those units
 * stale. What only the allocator can have inserted (copies, spills, reloads) moves sets between locations. Paths join
 * by intersection, except that a unit which nothing on a path has defined yet may be anywhere there.
 *
 *     before  %7 = …            after   R4 = …            R4: {7}
 *                                       STL [R1+8], R4    [8]: {7}
 *             %9 = …                    R4 = …            R4: {9}
 *                                       LDL R5, [R1+8]    R5: {7}
 *             … = %7 + %9               … = R5 + R4       ✓
 *
 * After regalloc2's and V8's checkers in idea (style.md §12); nothing here is shared with the allocator.
 */
import { INCOMING, isClobbered, RETURN_ADDRESS } from "../isa/abi.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import { GuardedHolds, type UnderGuard } from "./check-guarded.js";
import { type Effect, inserted, isPlainCopy } from "./check-inserted.js";
import { FRAME_READY, Locations } from "./check-locations.js";
import { isGuarded, State, Units } from "./check-state.js";
import { checkWarp } from "./check-warp.js";

/** Something the allocation got wrong. `inst` is the instruction's id in the allocated function, −1 for the function. */
export interface AllocationFinding {
  /** What is wrong, in a sentence. */
  readonly message: string;
  /** Id of the block, −1 for none. */
  readonly block: number;
  /** Id of the instruction, −1 for none. */
  readonly inst: number;
}

/**
 * Proves that the allocated function `after` computes what `before` (a snapshot taken before `allocate`) does: every
 * physical read sees, on all paths, the register of the virtual value that the same instruction named before.
 * Instructions correspond by id; instructions of `after` that `before` lacks must be copies, spills or reloads. Returns
 * everything it finds wrong; an empty list is the proof.
 */
export function checkAllocation(before: Func, after: Func): AllocationFinding[] {
  const c = new Checker(before, after);
  if (c.sameShape()) c.solve();
  return c.findings;
}

/** One step of a block: an instruction of both functions, of `before` alone (dropped) or of `after` alone (inserted). */
interface Step {
  readonly old: Inst | null;
  readonly now: Inst | null;
}

const names = ["", "R", "UR", "P", "UP", "B"];
/** Highest usable register of each file, by File. */
const highest = [-1, 252, 254, 6, 6, 15];
const STACK_POINTER = 1;

class Checker {
  readonly findings: AllocationFinding[] = [];
  private readonly before: Func;
  private readonly after: Func;
  private readonly units: Units;
  private readonly locations: Locations;
  private readonly frameBytes: number;
  private steps: Step[][] = [];
  /** Where findings are recorded; null while the fixed point is sought. */
  private reporting = false;
  private at = { block: -1, inst: -1 };
  private readonly guarded = new GuardedHolds();
  /** The guard of the instruction at hand that is not simply true. */
  private under: UnderGuard | null = null;

  constructor(before: Func, after: Func) {
    this.before = before;
    this.after = after;
    this.units = new Units(before);
    this.frameBytes = after.frame.localBytes + after.frame.spillBytes;
    this.locations = new Locations(after.frame.localBytes, this.frameBytes);
  }

  private fault(message: string): void {
    if (this.reporting) this.findings.push({ message, ...this.at });
  }

  private say(message: string): void {
    this.findings.push({ message, block: -1, inst: -1 });
  }

  /** Same blocks, same edges, the old instructions in the old order. */
  sameShape(): boolean {
    const { before, after } = this;
    if (after.virtual) this.say("the function still holds virtual registers");
    if (before.blocks.length !== after.blocks.length) this.say("blocks were added or removed");
    for (let i = 0; i < before.blocks.length && this.findings.length === 0; i++) {
      const a = before.blocks[i] as Block;
      const b = after.blocks[i] as Block;
      const ids = (list: readonly Block[]): string => list.map((x) => x.id).join();
      if (a.id !== b.id || ids(a.succs) !== ids(b.succs)) this.say(`block ${a.id} or its successors changed`);
    }
    if (this.findings.length > 0) return false;
    const known = new Set<number>();
    for (const b of before.blocks) for (const inst of b.insts) known.add(inst.id);
    this.steps = before.blocks.map((b, i) => this.align(b, after.blocks[i] as Block, known));
    return this.findings.length === 0;
  }

  private align(old: Block, now: Block, known: ReadonlySet<number>): Step[] {
    const steps: Step[] = [];
    let i = 0;
    for (const inst of now.insts) {
      if (!known.has(inst.id)) {
        steps.push({ old: null, now: inst });
        continue;
      }
      while (i < old.insts.length && (old.insts[i] as Inst).id !== inst.id)
        steps.push({ old: old.insts[i++] as Inst, now: null });
      if (i === old.insts.length)
        this.findings.push({ message: "the instruction moved", block: now.id, inst: inst.id });
      else steps.push({ old: old.insts[i++] as Inst, now: inst });
    }
    while (i < old.insts.length) steps.push({ old: old.insts[i++] as Inst, now: null });
    return steps;
  }

  /** Sweeps until the states at block entries no longer shrink, then once more to report. */
  solve(): void {
    const { blocks } = this.before;
    const position = new Map(blocks.map((b, i) => [b.id, i]));
    const preds: number[][] = blocks.map(() => []);
    blocks.forEach((b, i) => {
      for (const s of b.succs) (preds[position.get(s.id) as number] as number[]).push(i);
    });
    const outs: (State | null)[] = blocks.map(() => null);
    for (let changed = true; changed; ) {
      changed = false;
      for (let b = 0; b < blocks.length; b++) {
        const state = this.enter(b, preds[b] as number[], outs);
        if (state === null) continue;
        this.run(b, state);
        const old = outs[b] as State | null;
        if (old?.equals(state)) continue;
        outs[b] = state;
        changed = true;
      }
    }
    this.reporting = true;
    for (let b = 0; b < blocks.length; b++) {
      const state = this.enter(b, preds[b] as number[], outs);
      // Unreachable code has no path to be right on.
      if (state !== null) this.run(b, state);
    }
    const { before, after, units, locations } = this;
    checkWarp({ before, after, units, locations, outs }, (block, message) => {
      this.findings.push({ message, block: block.id, inst: block.insts[block.insts.length - 1]?.id ?? -1 });
    });
  }

  /** The state at the start of a block; null while no path to it has been walked. */
  private enter(b: number, preds: readonly number[], outs: readonly (State | null)[]): State | null {
    let state: State | null = b === 0 ? new State(this.units.count) : null;
    if (state !== null) this.receive(state);
    for (const p of preds) {
      const out = outs[p];
      if (out !== null && out !== undefined) state = state === null ? out.copy() : State.join(state, out);
    }
    return state;
  }

  /** What a function finds in registers: what is passed, and what it must keep. */
  private receive(state: State): void {
    for (const [location] of this.keptLocations()) state.set(location, [this.atEntry(location)]);
    const { values, kind } = this.before;
    if (kind !== "func") return;
    for (let v = 0; v < values.count; v++) {
      const register = values.fixed(v);
      if (register < 0) continue;
      for (let k = 0; k < values.width(v); k++) {
        const location = this.locations.register(values.file(v), register + k);
        state.set(location, [...state.get(location), this.units.of(v, k)]);
        state.defined[this.units.of(v, k)] = 1;
      }
    }
  }

  private run(b: number, state: State): void {
    const block = this.before.blocks[b] as Block;
    this.guarded.clear();
    for (const step of this.steps[b] as Step[]) {
      this.at = { block: block.id, inst: (step.now ?? step.old)?.id ?? -1 };
      if (step.old === null) this.insertedStep(step.now as Inst, state, b === 0);
      else if (step.now === null) this.dropped(step.old, state);
      else this.kept(step.old, step.now, state);
      if (step.old !== null) this.units.define(step.old, state.defined);
    }
  }

  // ---- instructions of the program ----

  private kept(old: Inst, now: Inst, state: State): void {
    if (old.form !== now.form || old.dsts.length !== now.dsts.length || old.srcs.length !== now.srcs.length) {
      this.fault(`${old.form.name} became ${now.form.name}`);
      return;
    }
    this.under = null;
    this.readGuard(old, now, state);
    const g = old.guard;
    if (g !== null && g.id !== ZERO_REG) this.under = { guard: this.units.of(g.id, 0), not: g.not };
    old.srcs.forEach((o, i) => {
      this.read(o, now.srcs[i] as Operand, state);
    });
    const passed = this.passed(old, now, state);
    const { under } = this;
    const taken = new Set<number>();
    const writes: { unit: number; location: number; keeps: boolean; part: boolean }[] = [];
    const results = [...old.dsts.map((o, i) => [o, now.dsts[i]]), ...passed] as [Operand, Operand][];
    results.forEach(([o, p]) => {
      if (!this.sameButRegister(o, p) || o.kind !== Kind.Reg || o.id === ZERO_REG) return;
      const base = this.place(o, p.id);
      if (base < 0) return;
      const part = o.part.startsWith(".H") || o.part.startsWith(".B");
      const merges = isGuarded(old.guard) || part;
      for (let k = 0; k < o.width; k++) {
        const unit = this.units.of(o.id, o.sub + k);
        const location = base + k;
        if (taken.has(location)) this.fault(`two results in ${this.locations.name(location)}`);
        taken.add(location);
        // Under a guard the old value may survive: unless it was there, the register holds neither for certain.
        const keeps = !merges || state.defined[unit] === 0 || state.holds(location, unit);
        writes.push({ unit, location, keeps, part });
      }
    });
    for (const w of writes) {
      state.forget(w.unit);
      this.guarded.forget(w.unit);
    }
    for (const w of writes) {
      this.guarded.write(w.location, w.unit, w.part || under?.guard === w.unit ? null : under);
      this.guardStack(w.location, w.unit, state);
      state.set(w.location, w.keeps ? [w.unit] : []);
    }
  }

  /** What calls and returns take by the ABI; returns the registers that a call sets, in pairs as before and now. */
  private passed(old: Inst, now: Inst, state: State): [Operand, Operand][] {
    if (old.passed === undefined || now.passed === undefined) {
      if (old.passed !== now.passed) this.fault("what is passed changed");
      return [];
    }
    const { uses, defs } = now.passed;
    old.passed.uses.forEach((o, i) => {
      this.read(o, uses[i] as Operand, state);
    });
    if (old.form.flow === "return") this.returns(state);
    if (old.form.flow === "call") this.called(state);
    return old.passed.defs.map((o, i) => [o, defs[i] as Operand]);
  }

  /** After a call the registers that its callee need not keep hold nothing. */
  private called(state: State): void {
    for (const file of [File.R, File.UR, File.P, File.UP, File.B])
      for (let n = 0; n <= (highest[file] as number); n++)
        if (file !== File.R || n !== STACK_POINTER)
          if (isClobbered(file, n)) {
            state.set(this.locations.register(file, n), []);
            this.guarded.drop(this.locations.register(file, n));
          }
  }

  /** Where a function returns, what it keeps is as it was. */
  private returns(state: State): void {
    for (const [location, name] of this.keptLocations())
      if (!state.holds(location, this.atEntry(location))) this.fault(`${name} is not given back`);
    if (this.frameBytes > 0 && state.holds(FRAME_READY, 0)) this.fault("the stack pointer is not given back");
  }

  /** A mark for what a register held as the function was entered. */
  private atEntry(location: number): number {
    return -1 - location;
  }

  private keptLocations(): [number, string][] {
    if (this.before.kind !== "func") return [];
    const list: [number, string][] = [];
    for (const file of [File.R, File.B])
      for (let n = 0; n <= (highest[file] as number); n++)
        if (!isClobbered(file, n) && !(file === File.R && (n === STACK_POINTER || n >> 1 === RETURN_ADDRESS >> 1)))
          list.push([this.locations.register(file, n), `${names[file]}${n}`]);
    return list;
  }

  /** R1 belongs to the stack pointer alone. */
  private guardStack(location: number, unit: number, state: State): void {
    if (location !== this.locations.register(File.R, STACK_POINTER)) return;
    if (this.before.values.fixed(this.units.owner(unit)) !== STACK_POINTER)
      this.fault("the stack pointer is overwritten");
    state.set(FRAME_READY, []);
  }

  private readGuard(old: Inst, now: Inst, state: State): void {
    const a = old.guard;
    const b = now.guard;
    if (a === null || b === null || a.id === ZERO_REG || b.id === ZERO_REG) {
      const plain = (g: typeof a): boolean => !isGuarded(g);
      if (
        !(plain(a) && plain(b)) &&
        !(a !== null && b !== null && a.id === b.id && a.not === b.not && a.file === b.file)
      ) {
        this.fault("the guard changed");
      }
      return;
    }
    if (a.file !== b.file || a.not !== b.not) this.fault("the guard changed");
    this.expect(this.locations.register(b.file, b.id), this.units.of(a.id, 0), state);
    if (b.id < 0 || b.id > (highest[b.file] as number)) this.fault(`${names[b.file]}${b.id} does not exist`);
  }

  private read(o: Operand, p: Operand, state: State): void {
    if (!this.sameButRegister(o, p)) return;
    if (o.kind === Kind.Reg && o.id !== ZERO_REG) {
      const base = this.place(o, p.id);
      if (base < 0) return;
      for (let k = 0; k < o.width; k++) this.expect(base + k, this.units.of(o.id, o.sub + k), state);
    } else if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) {
      this.expect(this.locations.register(this.before.values.file(o.index), p.index), this.units.of(o.index, 0), state);
    }
  }

  private expect(location: number, unit: number, state: State): void {
    if (
      location === this.locations.register(File.R, STACK_POINTER) &&
      this.frameBytes > 0 &&
      !state.holds(FRAME_READY, 0)
    ) {
      this.fault("the stack pointer is used before the frame is set up");
    }
    const seen = this.under !== null && this.guarded.holds(location, unit, this.under);
    if (state.defined[unit] === 1 && !seen && !state.holds(location, unit)) {
      this.fault(`${this.locations.name(location)} does not hold ${this.units.name(unit)} on every path`);
    }
  }

  /** Everything but register numbers is as before. */
  private sameButRegister(o: Operand, p: Operand): boolean {
    const same =
      o.kind === p.kind &&
      o.file === p.file &&
      o.width === p.width &&
      o.mods === p.mods &&
      o.part === p.part &&
      this.expectedValue(o) === p.value &&
      o.high === p.high &&
      o.sym === p.sym &&
      (o.kind === Kind.Reg ? (o.id === ZERO_REG) === (p.id === ZERO_REG) : o.id === p.id) &&
      (o.index < 0 ? o.index === p.index : p.index >= 0);
    if (!same) this.fault("an operand changed in more than its register");
    return same;
  }

  /** Offsets of parameters on the stack count from the lowered stack pointer. */
  private expectedValue(o: Operand): number {
    const incoming =
      this.before.kind === "func" && o.kind === Kind.Imm && o.value >= INCOMING && o.value < 2 * INCOMING;
    return incoming ? o.value - INCOMING + this.frameBytes : o.value;
  }

  /** Location of the first register of an operand; −1 (reported) when no such registers exist. */
  private place(o: Operand, id: number): number {
    const align = o.width <= 1 ? 1 : o.width === 2 ? 2 : 4;
    if (id < 0 || id + o.width - 1 > (highest[o.file] as number)) {
      this.fault(`${names[o.file]}${id} with width ${o.width} does not exist`);
      return -1;
    }
    if (id % align !== 0) this.fault(`${names[o.file]}${id} is not aligned for width ${o.width}`);
    const bound = this.before.values.fixed(o.id);
    if (bound >= 0 && id !== bound + o.sub)
      this.fault(`${this.units.name(this.units.of(o.id, 0))} is bound to register ${bound}`);
    return this.locations.register(o.file, id);
  }

  /** A copy that is gone: what held its source now holds its result too. */
  private dropped(old: Inst, state: State): void {
    const to = old.dsts[0];
    const from = old.srcs[0];
    if (to === undefined || from === undefined || !isPlainCopy(old)) {
      this.fault(`${old.form.name} is missing`);
      return;
    }
    for (let k = 0; k < to.width; k++) {
      const d = this.units.of(to.id, to.sub + k);
      const s = this.units.of(from.id, from.sub + k);
      if (d === s) continue;
      state.forget(d);
      this.guarded.forget(d);
      state.share(s, d);
    }
  }

  // ---- what the allocator inserted ----

  private insertedStep(now: Inst, state: State, inEntry: boolean): void {
    const effect = inserted(now, this.locations);
    if (effect.fault !== "") this.fault(effect.fault);
    if (effect.usesStack && !state.holds(FRAME_READY, 0)) this.fault("local memory is used before the frame is set up");
    if (effect.lowersBy > 0) this.lower(effect, now, state, inEntry);
    if (effect.lowersBy < 0) this.raise(effect, now, state);
    this.guarded.move(effect.moves, !isGuarded(now.guard));
    const sets = effect.moves.map((m) => this.moved(m.from, m.predicatesOnly, state));
    effect.moves.forEach((m, i) => {
      const set = sets[i] as readonly number[];
      if (m.to === this.locations.register(File.R, STACK_POINTER)) this.fault("the stack pointer is overwritten");
      state.set(m.to, isGuarded(now.guard) ? set.filter((u) => state.holds(m.to, u)) : set);
    });
  }

  private moved(from: number, predicatesOnly: boolean, state: State): readonly number[] {
    const set = from < 0 ? [] : state.get(from);
    return predicatesOnly ? set.filter((u) => u >= 0 && this.units.isPredicate(u)) : set;
  }

  /** A function that is called raises the stack pointer again. */
  private raise(effect: Effect, now: Inst, state: State): void {
    if (this.before.kind !== "func" || isGuarded(now.guard) || !state.holds(FRAME_READY, 0))
      this.fault("the stack pointer is raised where it was not lowered");
    if (-effect.lowersBy !== this.frameBytes)
      this.fault("the stack pointer is raised by another size than the frame's");
    state.set(FRAME_READY, []);
  }

  private lower(effect: Effect, now: Inst, state: State, inEntry: boolean): void {
    if (!inEntry || isGuarded(now.guard) || state.holds(FRAME_READY, 0) || effect.lowersBy !== this.frameBytes) {
      this.fault("the frame is not set up once, in the entry block, by its size");
    }
    state.set(FRAME_READY, [0]);
  }
}
