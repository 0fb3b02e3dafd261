/**
 * The scheduler's picture of time: how far two dependent instructions must stand apart, and which pipe an instruction
 * occupies for how long. The default asks the latency tables; a model is a value, so that an experiment can wrap one and
 * perturb it. Cycles are issue cycles of one warp.
 *
 * Variable latencies are expectations: they steer the order, correctness is the scoreboards' affair.
 */
import { IMPLICIT } from "../analysis/flat.js";
import { handoverDistance, isProduct, isWait } from "../analysis/products.js";
import { rawDistance, setToWait, timingOf, warDistance, wawDistance } from "../isa/latency.js";
import type { Form } from "../isa/types.js";
import { type OnKnob, watched } from "../knobs/reads.js";
import { Kind, type MachineInst } from "../ori/types.js";
import type { Target } from "../target/types.js";
import { pipeIndex, resourceOf } from "./pipes.js";

/** What an instruction occupies and when its results are there. */
export interface Occupancy {
  /** Index into `executionPipes`. */
  readonly pipe: number;
  /** Index into `resources`. */
  readonly resource: number;
  /** Cycles before the pipe takes another instruction of the warp. */
  readonly interval: number;
  /** Cycles to the results. */
  readonly latency: number;
  /** Results are guarded by a scoreboard. */
  readonly write: boolean;
  /** Operands are read late, guarded by a scoreboard. */
  readonly read: boolean;
  /** Least cycles before the next instruction of the warp. */
  readonly minStall: number;
}

/** The distances that the scheduler keeps; what a notebook replaces to try other machines. */
export interface LatencyModel {
  /** Pipe, interval, latency and scoreboards of an instruction. */
  occupancy(inst: MachineInst): Occupancy;
  /** Cycles from issue of the producer to issue of the reader. `src` −1 is the guard; IMPLICIT slots name no operand. */
  raw(producer: MachineInst, dst: number, consumer: MachineInst, src: number): number;
  /** Cycles from the first instruction to the second, whose definition `dst2` overwrites definition `dst` of the first. */
  waw(first: MachineInst, dst: number, second: MachineInst, dst2: number): number;
  /** Cycles from a read of source `src` to the instruction whose definition `dst` overwrites it. */
  war(reader: MachineInst, src: number, writer: MachineInst, dst: number): number;
}

/** Numbers that knobs and experiments set; what is left out comes from the latency tables. */
export interface LatencyOverrides {
  /** Results of shared, texture and 64-bit or special-function instructions. */
  readonly ldsLatency?: number;
  /** Cycles to the result of a texture instruction. */
  readonly texLatency?: number;
  /** Cycles to the result of a conversion or a transcendental. */
  readonly xuLatency?: number;
  /** Results of other instructions whose results scoreboards guard. */
  readonly readLatency?: number;
  /** Tests of a barrier in shared memory. */
  readonly phasechkLatency?: number;
  /** Operands read late: cycles until they may be overwritten (an estimate, not measured). */
  readonly readSbLatency?: number;
  /** Cycles until an asynchronous copy has read its operands. */
  readonly readSbLdgstsLatency?: number;
  /** Cycles until a double precision matrix product has read its operands. */
  readonly readSbDmmaLatency?: number;
  /** Operands read late are free when the reader's results are there. */
  readonly readSbUseLatency?: boolean;
  /** Copies between registers are there at once: they are expected to vanish. */
  readonly identityMove?: boolean;
  /** Barriers of a CTA. */
  readonly syncsLatency?: number;
  /** Issue intervals by pipe name of the latency tables: `{ ALU: 4 }`. */
  readonly busy?: Readonly<Record<string, number>>;
  /** Issue intervals by mnemonic (`FFMA`), and by mnemonic with all modifiers; they win over those of pipes. */
  readonly opBusy?: Readonly<Record<string, number>>;
  /** Cycles for which a form keeps its pipe, by the form's text. */
  readonly formBusy?: Readonly<Record<string, number>>;
}

/** Units that share a pipe of the latency tables with others and have a busy time of their own (wiki page 63). */
const units: readonly (readonly [name: RegExp, unit: string])[] = [
  [/^DMMA/, "DMMA"],
  [/^IMMA/, "IMMA"],
  [/^[HIQB]GMMA/, "GMMA"],
  [/^HMMA.*\.16816\b/, "HMMA16816"],
  [/^HMMA.*\.1688\b/, "HMMA1688"],
  [/^QMMA\.SF/, "MXQMMA"],
  [/^QMMA/, "QMMA"],
  [/^OMMA/, "OMMA"],
  [/^IMAD\.WIDE/, "FMAWide"],
  [/^(LD|ST)[GL]?\b/, "LSUL1"],
];

const isCopy = ({ form, srcs }: MachineInst): boolean => form.op === "MOV" && srcs[0]?.kind === Kind.Reg;

/** Cycles until a load or store has read its operands, when nothing else is said. */
export const READ_RELEASE = 10;

/** The model of a target's latency tables. */
export function latencyModel(target: Target, overrides: LatencyOverrides = {}, onKnob?: OnKnob): LatencyModel {
  return new TableModel(target, overrides, onKnob);
}

/** What single numbers are when nobody sets them: as the tables say. */
const ofTables: LatencyOverrides = Object.fromEntries(
  [
    "ldsLatency",
    "texLatency",
    "xuLatency",
    "readLatency",
    "phasechkLatency",
    "readSbLatency",
    "readSbLdgstsLatency",
    "readSbDmmaLatency",
    "readSbUseLatency",
    "identityMove",
    "syncsLatency",
  ].map((name) => [name, undefined]),
);

/** By the form's number: its unit, "" where the pipe is all. */
const unitsOfForms: string[] = [];

function unitOf({ id, name }: Form): string {
  unitsOfForms[id] ??= units.find(([pattern]) => pattern.test(name))?.[1] ?? "";
  return unitsOfForms[id];
}

class TableModel implements LatencyModel {
  private readonly byForm: (Occupancy | undefined)[] = [];
  private readonly overrides: LatencyOverrides;
  /** Pipes and units whose busy time was asked for. */
  private readonly asked = new Set<string>();

  constructor(
    private readonly target: Target,
    private readonly given: LatencyOverrides,
    private readonly onKnob: OnKnob | undefined,
  ) {
    this.overrides = watched(given, ofTables, onKnob);
  }

  occupancy(inst: MachineInst): Occupancy {
    let o = this.byForm[inst.form.id];
    if (o === undefined) {
      o = this.make(inst);
      this.byForm[inst.form.id] = o;
    }
    return o;
  }

  private make(inst: MachineInst): Occupancy {
    const t = timingOf(inst, this.target);
    return {
      pipe: pipeIndex(t.pipe),
      resource: resourceOf(inst.form, t.pipe),
      interval: this.busy(inst, t.pipe) ?? t.interval,
      latency: this.expected(inst, t.pipe) ?? (t.write ? this.overrides.readLatency : undefined) ?? t.latency,
      write: t.write,
      read: t.read,
      minStall: t.minStall,
    };
  }

  private busy({ form }: MachineInst, pipe: string): number | undefined {
    const { busy, opBusy, formBusy } = this.given;
    const { onKnob } = this;
    if (this.asked.size === 0) {
      onKnob?.("formBusy", formBusy, undefined);
      onKnob?.("opBusy", opBusy, undefined);
    }
    const own = formBusy?.[form.name] ?? opBusy?.[form.op];
    if (own !== undefined || (busy === undefined && onKnob === undefined)) return own;
    for (const name of [unitOf(form), pipe]) {
      if (name === "") continue;
      if (!this.asked.has(name)) onKnob?.(`busy${name}`, busy?.[name], undefined);
      this.asked.add(name);
      if (busy?.[name] !== undefined) return busy[name];
    }
    return undefined;
  }

  private expected(inst: MachineInst, pipe: string): number | undefined {
    const o = this.overrides;
    const { op, memory } = inst.form;
    if (op === "LDS" || op === "LDSM") return o.ldsLatency;
    if (op === "BAR") return o.syncsLatency;
    if (inst.form.name.startsWith("SYNCS.PHASECHK")) return o.phasechkLatency;
    if (pipe === "TEX") return o.texLatency;
    if (pipe === "XU" && memory === null) return o.xuLatency;
    return undefined;
  }

  raw(producer: MachineInst, dst: number, consumer: MachineInst, src: number): number {
    const p = this.occupancy(producer);
    if (p.write) return Math.max(p.latency, setToWait(producer, this.target));
    if (this.overrides.identityMove === true && isCopy(producer)) return 1;
    const handed = dst === IMPLICIT || src === IMPLICIT ? this.handover(producer, dst, consumer, false) : 0;
    if (handed > 0) return handed;
    return Math.max(1, rawDistance(producer, dst, consumer, src, this.target));
  }

  /** Cycles between an instruction that touches registers and the one that hands them to products or back; 0 for others. */
  private handover(first: MachineInst, dst: number, second: MachineInst, accumulator: boolean): number {
    const distance = handoverDistance(first, dst, second, accumulator, this.target);
    // What the products have worked out is expected at their end: what stands between has that much time.
    if (distance > 0 && isProduct(first.form.op) && isWait(second))
      return Math.max(distance, this.occupancy(first).latency);
    return distance;
  }

  waw(first: MachineInst, dst: number, second: MachineInst, dst2: number): number {
    const p = this.occupancy(first);
    if (p.write) return Math.max(p.latency, setToWait(first, this.target));
    const handed = dst === IMPLICIT || dst2 === IMPLICIT ? this.handover(first, dst, second, true) : 0;
    if (handed > 0) return handed;
    return Math.max(1, wawDistance(first, dst, second, dst2, this.target));
  }

  war(reader: MachineInst, src: number, writer: MachineInst, dst: number): number {
    const o = this.overrides;
    if (src !== -1 && this.occupancy(reader).read) {
      const { op } = reader.form;
      if (o.readSbUseLatency === true) return this.occupancy(reader).latency;
      if (op === "LDGSTS") return o.readSbLdgstsLatency ?? o.readSbLatency ?? READ_RELEASE;
      if (op === "DMMA") return o.readSbDmmaLatency ?? o.readSbLatency ?? READ_RELEASE;
      return o.readSbLatency ?? READ_RELEASE;
    }
    if (reader.form.op === "WARPGROUP" || writer.form.op === "WARPGROUP") return 1;
    return Math.max(1, warDistance(reader, src, writer, dst, this.target));
  }
}
