/**
 * Issue ports of one SM by dense number: what takes one instruction of the warp at a time. Which opcode issues where stands
 * in lib/isa/latency/ports.ts.
 */

import type { Form } from "../../isa/form.js";
import { latencyTables } from "../../isa/latency/index.js";
import { type InstTiming, setToWait, timingOf } from "../../isa/latency.js";
import type { Inst } from "../../ori/types.js";
import { ZERO_REG } from "../../ori/types.js";
import type { Target } from "../../target/types.js";
import type { Prepared } from "./prepare.js";

type Holds = readonly (readonly [port: number, cycles: number])[];

export class Ports {
  private readonly ids = new Map<string, number>();
  /** By form. */
  private readonly ports: number[] = [];
  private readonly held: Holds[] = [];

  constructor(private readonly target: Target) {}

  of(inst: Inst): number {
    return this.ports[inst.form.id] ?? this.make(inst);
  }

  /** Cycles that the instruction's own port takes nothing else. One that never executes holds it a cycle only. */
  interval(inst: Inst, t: InstTiming): number {
    const g = inst.guard;
    return g?.not === true && g.id === ZERO_REG ? 1 : t.interval;
  }

  /** Other ports that it holds; `of` must have been asked before. */
  others(form: Form): Holds {
    return this.held[form.id]!;
  }

  private make(inst: Inst): number {
    const { id, op, mods } = inst.form;
    const tables = latencyTables(this.target.sm);
    const port = this.id(tables.issuePortOf(op, mods) ?? timingOf(inst, this.target).pipe);
    this.ports[id] = port;
    this.held[id] = tables.holdsOf(op, mods).map((h) => [this.id(h.port), h.cycles] as const);
    return port;
  }

  private id(port: string): number {
    let n = this.ids.get(port);
    if (n === undefined) {
      n = this.ids.size;
      this.ids.set(port, n);
    }
    return n;
  }
}

/** Least cycles between an instruction that sets a scoreboard, for its result or not, and one that waits (null: any). */
export function setToWaitOf(p: Prepared, setter: number, waiter: number | null, result: boolean): number {
  const inst = p.flat.insts[setter]!;
  const { target } = p.func;
  if (result && waiter !== null) {
    const known = latencyTables(target.sm).setToWaitOf(inst.form.op, inst.form.mods);
    if (known) return p.timing[waiter]!.pipe === p.timing[setter]!.pipe ? known.own : known.other;
  }
  return setToWait(inst, target);
}

/** More ports than any SM has. */
export const PORTS = 32;
