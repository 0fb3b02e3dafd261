/**
 * Removal of dead code (EarlyOriSimpleLiveDead, OriSimpleLiveDead, OriPerformLiveDead…).
 *
 * An instruction is alive when it has an effect of its own (stores, barriers, control flow, anything without results)
 * or when it defines a value that a living instruction reads. Everything else goes. Working from the living end removes
 * counters that only feed themselves, which liveness alone would keep.
 *
 *     MOV %R1, 0x1          (dead: only %R1 of the next line reads it)
 *     IADD3 %R1, %R1, …     (dead: only itself reads it)
 *     STG [%R2], %R3        (alive)
 *
 * ptxas removes dead code at -O0 too (measured: an unused IADD3 and IMAD are gone, their loads stay). Loads count as
 * pure unless their form says otherwise (volatile, atomics).
 */
import { analysis, type DefUse, type Flat } from "../analysis/index.js";
import { rewriteBlock } from "../ori/editor.js";
import { File, type Func, type Inst, Kind, type Operand, ZERO_REG } from "../ori/types.js";
import { saying } from "./notes.js";

/** Generation at which a function was last found free of dead code: asking again costs nothing. */
const clean = new WeakMap<Func, number>();

/** Removes dead instructions; returns how many. Virtual registers only. */
export function removeDeadCode(func: Func): number {
  if (!func.virtual || clean.get(func) === func.generation) return 0;
  const flat = analysis(func, "flat");
  const alive = func.milestone === "ssa" ? markUnits(func, flat) : mark(func, flat, analysis(func, "defUse"));
  const say = saying(func);
  let at = 0;
  let removed = 0;
  for (const block of alive.includes(0) ? func.blocks : []) {
    rewriteBlock(func, block, (inst, out) => {
      if (alive[at++] === 1) out.push(inst);
      else {
        removed++;
        say?.("removed", inst, "nothing that has an effect reads its result");
      }
    });
  }
  clean.set(func, func.generation);
  return removed;
}

/** What stays whoever reads its results. */
function hasEffect(func: Func, inst: Inst): boolean {
  const { form } = inst;
  if (form.sideEffect || form.flow !== "next" || inst.said === "volatile") return true;
  if (form.memory !== null && form.memory.access !== "load") return true;
  let results = 0;
  for (const o of inst.dsts) {
    if (o.kind === Kind.None) continue;
    results++;
    // The stack pointer has readers that the code does not show.
    if (o.id !== ZERO_REG && (o.file === File.B || isBound(func, o))) return true;
  }
  return results === 0;
}

function isBound(func: Func, o: Operand): boolean {
  return func.values.fixed(o.id) >= 0;
}

function mark(func: Func, flat: Flat, du: DefUse): Uint8Array {
  const alive = new Uint8Array(flat.insts.length);
  const needed = new Uint8Array(func.values.count);
  const work: number[] = [];
  flat.insts.forEach((inst, i) => {
    if (!hasEffect(func, inst)) return;
    alive[i] = 1;
    work.push(i);
  });
  const { owner } = flat.units;
  for (let i = work.pop(); i !== undefined; i = work.pop()) {
    for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
      const v = owner[flat.useUnit[u] as number] as number;
      if (needed[v] === 1) continue;
      needed[v] = 1;
      for (let d = du.defStart[v] as number; d < (du.defStart[v + 1] as number); d++) {
        const def = du.def[d] as number;
        if (alive[def] === 1) continue;
        alive[def] = 1;
        work.push(def);
      }
    }
  }
  return alive;
}

/** As `mark`, for each register of a wide value by itself: in the SSA window copies of parts are gone and leave such halves. */
function markUnits(func: Func, flat: Flat): Uint8Array {
  const count = flat.insts.length;
  const { next, last } = definitionsOf(flat);
  const alive = new Uint8Array(count);
  const needed = new Uint8Array(flat.units.count);
  const work: number[] = [];
  for (let i = 0; i < count; i++) {
    if (!hasEffect(func, flat.insts[i] as Inst)) continue;
    alive[i] = 1;
    work.push(i);
  }
  for (let i = work.pop(); i !== undefined; i = work.pop()) {
    for (let s = flat.useStart[i] as number; s < (flat.useStart[i + 1] as number); s++) {
      for (let k = 0; k < (flat.useWidth[s] as number); k++) {
        const u = (flat.useUnit[s] as number) + k;
        if (needed[u] === 1) continue;
        needed[u] = 1;
        for (let at = last[u] as number; at >= 0; at = next[at * 2] as number) {
          const def = next[at * 2 + 1] as number;
          if (alive[def] === 1) continue;
          alive[def] = 1;
          work.push(def);
        }
      }
    }
  }
  return alive;
}

/** For each unit a chain of its definitions: entry `last[u]`, then `next[2n]`; `next[2n + 1]` is the instruction. */
function definitionsOf(flat: Flat): { readonly next: readonly number[]; readonly last: Int32Array } {
  const last = new Int32Array(flat.units.count).fill(-1);
  const next: number[] = [];
  for (let i = 0; i < flat.insts.length; i++) {
    for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
      for (let k = 0; k < (flat.defWidth[d] as number); k++) {
        const u = (flat.defUnit[d] as number) + k;
        next.push(last[u] as number, i);
        last[u] = next.length / 2 - 1;
      }
    }
  }
  return { next, last };
}
