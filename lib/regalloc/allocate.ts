/**
 * The allocator's driver: one register file after the other, each until it fits. Files from which values are spilled
 * into another file come before that file, so that the homes made for them are allocated in their turn; what spilling
 * adds (copies, loads, stores) never mentions a file that is already done.
 */
import { hasProducts } from "../analysis/products.js";
import { type Diagnostic, diagnostic, notSupported } from "../diagnostics.js";
import { InternalError } from "../errors.js";
import { FIRST_KEPT_UNIFORM } from "../isa/abi.js";
import { watched } from "../knobs/reads.js";
import { insertAt, removeInst, touch } from "../ori/index.js";
import { File, type Func, Kind } from "../ori/types.js";
import { fail, ok, type Result } from "../result.js";
import type { FileResult } from "./attempt.js";
import { colorFile } from "./color.js";
import { gatherFacts } from "./facts.js";
import { dropIdentityCopies, setUpFrame, toPhysical } from "./finish.js";
import { flatten } from "./flat.js";
import { FIRST_UNIFORM, type FileInfo, files, REPORTED_EXTRA, STACK_POINTER } from "./geometry.js";
import { keepBarriers } from "./kept.js";
import { defaultKnobs, policiesOf } from "./policies.js";
import { serializeProducts, unfitProduct, valuesOfProducts } from "./products.js";
import { computeRanges, occupiedPoints, type Ranges } from "./ranges.js";
import { type Spiller, spillValues } from "./spill.js";
import type { AllocationOptions, AllocationResult, AllocatorKnobs, SpillSlot, ValueFacts } from "./types.js";

/** Spill rounds after which something must be wrong: each round but the last turns at least one value into memory. */
const ROUND_LIMIT = 10_000;

/**
 * Gives every virtual register of `func` a physical one, in place. Afterwards `func.virtual` is false, operands hold
 * physical numbers with `sub` 0, and `func.used` and `func.frame.spill*` are set. Values that find no register live in
 * local memory above `frame.localBytes`; when the frame is not empty the allocator lowers the stack pointer (the value
 * bound to R1) by the frame's size right after its load in the entry block, so lowering emits that load only.
 *
 * Fails with ptxas's message when even spilling everything leaves an instruction without enough registers.
 */
export function allocate(func: Func, options: AllocationOptions = {}): Result<AllocationResult> {
  const refused = refusal(func);
  if (refused !== null) return fail([refused]);
  const work = new Work(func, options);
  for (const info of files) {
    const stuck = work.allocateFile(info);
    if (stuck !== null) return fail([stuck]);
  }
  return ok(work.finish(), work.told);
}

/** Read or write all predicates at once, without an operand that says so. */
const namesHiddenRegisters: ReadonlySet<string> = new Set(["P2R", "R2P"]);

function refusal(func: Func): ReturnType<typeof notSupported> | null {
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      if (inst.form.flow === "call" && func.callEdges !== true && inst.passed === undefined)
        return notSupported(`register allocation around ${inst.form.name}`, inst.loc);
      if (inst.form.pseudo || namesHiddenRegisters.has(inst.form.op)) {
        throw new InternalError(`${inst.form.name} cannot stand in a function on virtual registers`, {
          phase: "AllocateRegisters",
          func: func.name,
        });
      }
    }
  }
  return null;
}

/** Trips of loops by the knob, null where it is not set or no number. */
function tripsOf({ trips }: AllocatorKnobs): number | null {
  const n = Number(trips);
  return trips.trim() === "" || !Number.isFinite(n) || n < 1 ? null : n;
}

class Work {
  private readonly func: Func;
  private readonly options: AllocationOptions;
  private readonly spiller: Spiller;
  private readonly slots: SpillSlot[] = [];
  private readonly places = new Map<File, Int16Array>();
  private ranges: Ranges | null = null;
  private stackPointer = -1;
  private rounds = 0;
  private keptBarriers = false;
  /** Messages that stop nothing. */
  readonly told: Diagnostic[] = [];
  private readonly knobs: AllocatorKnobs;

  constructor(func: Func, options: AllocationOptions) {
    this.func = func;
    this.options = options;
    this.knobs = watched({ ...defaultKnobs, ...options.knobs }, defaultKnobs, options.onKnob);
    this.spiller = {
      func,
      stackPointer: () => this.findStackPointer(),
      areaStart: Math.ceil(func.frame.localBytes / 4) * 4,
      temporaries: new Set(),
      slots: this.slots,
      wide: { left: this.knobs.spillBudget },
    };
  }

  /** Null when the file fits, after as many spill rounds as it takes. */
  allocateFile(info: FileInfo): ReturnType<typeof diagnostic> | null {
    const registers = this.limit(info);
    const { knobs } = this;
    for (let round = 0; round < ROUND_LIMIT; round++) {
      this.ranges ??= computeRanges(flatten(this.func));
      const facts = gatherFacts(this.ranges, info.file, (v) => this.spiller.temporaries.has(v), tripsOf(knobs), knobs);
      const result = colorFile({
        ranges: this.ranges,
        info,
        registers,
        facts,
        policies: { ...policiesOf(knobs, "lowest"), ...this.options.policies },
        knobs,
        preferring:
          this.options.numbering === "lowest" || this.options.policies !== undefined ? null : policiesOf(knobs),
        enough: info.name === "R" && this.options.enough !== undefined ? this.options.enough - REPORTED_EXTRA : 0,
        first: info.name === "UR" && this.options.numbering !== "lowest" ? FIRST_UNIFORM : 0,
        round,
        observe: this.options.observe ?? null,
      });
      if (result.stuck !== null || result.spills.length > 0) {
        if (this.endsProducts(info, registers, result)) continue;
      }
      if (result.stuck !== null) return this.failure(info, registers);
      if (result.spills.length === 0) {
        if (info.name === "B" && !this.keptBarriers && keepBarriers(this.func, result.assignment)) {
          this.keptBarriers = true;
          touch(this.func);
          this.ranges = null;
          continue;
        }
        this.places.set(info.file, result.assignment);
        this.tellPlaces(info, round, this.ranges, facts.values, result.assignment);
        return null;
      }
      this.rounds++;
      if (this.func.frame.spillBytes === 0) this.func.frame.localBytes = this.spiller.areaStart;
      if (this.loadStackFirst()) this.ranges = computeRanges(flatten(this.func));
      spillValues(this.spiller, this.ranges, result.spills);
      touch(this.func);
      this.ranges = null;
    }
    throw new InternalError("spilling does not end", { phase: "AllocateRegisters", func: this.func.name });
  }

  /** Values of products in flight cannot be spilled: whether they ended, and the file is to be tried anew. */
  private endsProducts({ file }: FileInfo, registers: number, { stuck, spills }: FileResult): boolean {
    const { func } = this;
    if (file !== File.R || !hasProducts(func)) return false;
    const held = valuesOfProducts(func);
    if (stuck === null && !spills.some((v) => held.has(v.id))) return false;
    const told = serializeProducts(func, registers + REPORTED_EXTRA);
    if (told === null) return false;
    this.told.push(told);
    touch(func);
    this.ranges = null;
    return true;
  }

  private tellPlaces(
    { file }: FileInfo,
    round: number,
    ranges: Ranges,
    values: readonly ValueFacts[],
    assignment: Int16Array,
  ): void {
    const { values: table } = this.func;
    this.options.observe?.({
      kind: "placed",
      file,
      round,
      insts: ranges.flat.insts,
      intervals: () =>
        values.map((v) => ({
          value: v.id,
          name: table.name(v.id),
          register: assignment[v.id] as number,
          width: v.width,
          fixed: table.fixed(v.id) >= 0,
          temporary: v.temporary,
          points: occupiedPoints(ranges, v.id),
        })),
    });
  }

  /**
   * Spill code may come anywhere, also before where a schedule has put the load of the stack pointer for the readers that
   * it knew: the load goes to the front. Says whether it moved.
   */
  private loadStackFirst(): boolean {
    const entry = this.func.blocks[0];
    if (entry === undefined) return false;
    const sp = this.findStackPointer();
    const at = entry.insts.findIndex((i) => i.dsts.some((d) => d.kind === Kind.Reg && d.id === sp));
    if (at <= 0) return false;
    const load = entry.insts[at]!;
    removeInst(this.func, entry, load);
    insertAt(this.func, entry, 0, load);
    return true;
  }

  finish(): AllocationResult {
    const { func } = this;
    const assignment = new Int16Array(func.values.count).fill(-1);
    for (const places of this.places.values()) {
      places.forEach((r, v) => {
        if (r >= 0) assignment[v] = r;
      });
    }
    toPhysical(func, assignment);
    if (this.options.keepCopies !== true) dropIdentityCopies(func);
    setUpFrame(func);
    func.milestone = "allocated";
    return { func, registers: func.used.R + REPORTED_EXTRA, assignment, spills: this.slots, rounds: this.rounds };
  }

  private limit(info: FileInfo): number {
    const own = info.name === "UR" && this.func.kind === "func" ? FIRST_KEPT_UNIFORM : info.registers;
    const ceiling = Math.min(own, this.options.ceilings?.[info.name] ?? own);
    if (info.name !== "R" || this.options.maxRegisters === undefined) return ceiling;
    return Math.min(ceiling, this.options.maxRegisters - REPORTED_EXTRA);
  }

  private failure(info: FileInfo, registers: number): ReturnType<typeof diagnostic> {
    const count = info.name === "R" ? registers + REPORTED_EXTRA : registers;
    const unfit = info.name === "R" ? unfitProduct(this.func, count) : null;
    if (unfit !== null) return unfit;
    return diagnostic(
      "fatal",
      `Register allocation failed with register count of '${count}'. Compile the program with a higher register target`,
    );
  }

  private findStackPointer(): number {
    if (this.stackPointer >= 0) return this.stackPointer;
    const { values } = this.func;
    for (let v = 0; v < values.count; v++) {
      if (values.file(v) === files[files.length - 1]?.file && values.fixed(v) === STACK_POINTER) {
        this.stackPointer = v;
        return v;
      }
    }
    this.stackPointer = values.add(files[files.length - 1]?.file as File, 1, "SP", STACK_POINTER);
    return this.stackPointer;
  }
}
