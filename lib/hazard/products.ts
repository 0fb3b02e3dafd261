/**
 * Products of a warp group (HGMMA and its kin) in the checker: they read and write registers after their issue, until a
 * WARPGROUP.DEPBAR has waited for the group that the last of them closed (gsb0). Products keep their order among themselves, so one
 * may add to the accumulators that another is still at work on.
 *
 * What a product reads must have been there when WARPGROUP.ARRIVE last handed registers over: every other write leaves a mark
 * (UNFENCED) on its registers, which an ARRIVE takes away where the write is done by then. As ptxas 13.0.88 has it: distances and
 * waits for the products' operands are kept up to the ARRIVE, and ARRIVE itself stands some cycles ahead.
 */
import { arriveDistance, arriveToProduct } from "../isa/latency.js";
import { Kind } from "../isa/operand.js";
import { File } from "../isa/types.js";
import { PRODUCT_ORDER } from "./order.js";
import type { Report } from "./report.js";
import { ARRIVE_UNIT, GROUP_SB, type Sites } from "./sites.js";
import { FIXED_WRITE, isPending, PENDING_READ, PENDING_WRITE, type State, UNFENCED } from "./state.js";

const GROUP = 1 << GROUP_SB;
const REGISTERS = 256;
/** Of an UNFENCED mark: not there for a product to read, not there as its accumulator. */
const OPERAND = 1;
const ACCUMULATOR = 2;
const OLDEST = 7;

export class Products {
  private readonly fromArrive: number;

  constructor(
    private readonly sites: Sites,
    private readonly state: State,
    private readonly found: Report,
  ) {
    this.fromArrive = arriveToProduct(sites.target);
  }

  isProduct(i: number): boolean {
    return this.sites.order[i] === PRODUCT_ORDER;
  }

  /** Does product i go on with the accumulators of the product after entry e? */
  chains(i: number, slot: number, e: number): boolean {
    const inst = this.sites.asked[i]!;
    return this.state.order[e] === PRODUCT_ORDER && inst.form.srcs[slot]?.name === "c";
  }

  /** Before an instruction of the group. */
  check(i: number): void {
    const { sites, state, found } = this;
    for (let k = sites.readStart[i]!; k < sites.readStart[i + 1]!; k++) {
      const u = sites.readUnit[k]!;
      if (u >= REGISTERS) continue;
      const bit = sites.asked[i]!.form.srcs[sites.readSlot[k]!]?.name === "c" ? ACCUMULATOR : OPERAND;
      for (let e = state.head[u]!; e >= 0; e = state.next[e]!)
        if (state.kind[e] === UNFENCED && (state.mask[e]! & bit) !== 0) found.unfenced(i, state.source[e]!, u);
    }
    for (let e = state.head[ARRIVE_UNIT]!; e >= 0; e = state.next[e]!) {
      const cycles = state.now - state.time[e]!;
      if (cycles < this.fromArrive) found.arrival(i, state.source[e]!, this.fromArrive, cycles);
    }
  }

  /** A product is in flight; when it closes its group, all before it are counted. */
  enter(i: number): void {
    const { sites, state } = this;
    for (let k = sites.readStart[i]!; k < sites.readStart[i + 1]!; k++)
      if (sites.readUnit[k]! < REGISTERS) this.add(PENDING_READ, i, sites.readUnit[k]!, sites.readSlot[k]!);
    for (let k = sites.writeStart[i]!; k < sites.writeStart[i + 1]!; k++)
      this.add(PENDING_WRITE, i, sites.writeUnit[k]!, sites.writeSlot[k]!);
    if ((sites.writeSb[i]! & GROUP) === 0) return;
    for (let u = 0; u < REGISTERS; u++)
      for (let e = state.head[u]!; e >= 0; e = state.next[e]!) {
        if (!isPending(state.kind[e]!) || state.order[e] !== PRODUCT_ORDER) continue;
        if (state.mask[e] === GROUP) state.followers[e] = Math.min(OLDEST, state.followers[e]! + 1);
        else {
          state.mask[e] = GROUP;
          state.time[e] = state.now + sites.ripe[i]!;
        }
      }
  }

  private add(kind: number, i: number, u: number, slot: number): void {
    const { state } = this;
    const source = i * 32 + slot + 2;
    for (let e = state.head[u]!; e >= 0; e = state.next[e]!)
      if (state.kind[e] === kind && state.source[e] === source && state.mask[e] === 0) return;
    const e = state.add(u, kind, source, state.now, this.sites.guard[i]!);
    state.order[e] = PRODUCT_ORDER;
  }

  /** A register is written by something else than a product. */
  mark(i: number, u: number, slot: number): void {
    if (u >= REGISTERS || this.keeps(i)) return;
    const e = this.state.add(u, UNFENCED, i * 32 + slot + 2, this.state.now, 0);
    this.state.mask[e] = OPERAND | ACCUMULATOR;
  }

  /** `MOV R35, R35`, which ptxas -O1 leaves after the ARRIVE: the value is the same before and after. */
  private keeps(i: number): boolean {
    const { form, dsts, srcs } = this.sites.asked[i]!;
    const [to, from] = [dsts[0], srcs[0]];
    return form.op === "MOV" && from!.kind === Kind.Reg && from!.file === to!.file && from!.id === to!.id;
  }

  /** What is done by now is handed over. */
  arrive(i: number): void {
    const { state } = this;
    for (let u = 0; u < REGISTERS; u++) {
      let under = false;
      for (let e = state.head[u]!; e >= 0; e = state.next[e]!)
        if (state.kind[e] === PENDING_WRITE && state.order[e] !== PRODUCT_ORDER) under = true;
      let before = -1;
      for (let e = state.head[u]!; e >= 0; ) {
        const left = state.kind[e] === UNFENCED ? this.late(state.source[e]!, state.now - state.time[e]!, under) : -1;
        if (left === 0) e = state.drop(u, before, e);
        else {
          if (left > 0) state.mask[e] = left;
          before = e;
          e = state.next[e]!;
        }
      }
    }
    while (state.head[ARRIVE_UNIT]! >= 0) state.drop(ARRIVE_UNIT, -1, state.head[ARRIVE_UNIT]!);
    state.add(ARRIVE_UNIT, FIXED_WRITE, i * 32 + 2, state.now, 0);
  }

  /** For which uses the result of an instruction is not there so many cycles after its issue. */
  private late(source: number, cycles: number, inFlight: boolean): number {
    const inst = this.sites.asked[source >> 5]!;
    const slot = (source & 31) - 2;
    if (this.sites.timing[source >> 5]!.write) return inFlight ? OPERAND | ACCUMULATOR : 0;
    if (inst.dsts[slot]!.file !== File.R) return 0;
    const { target } = this.sites;
    const operand = cycles < arriveDistance(inst, slot, false, target) ? OPERAND : 0;
    return operand | (cycles < arriveDistance(inst, slot, true, target) ? ACCUMULATOR : 0);
  }
}
