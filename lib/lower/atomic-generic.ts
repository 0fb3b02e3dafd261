/**
 * Atomics on generic addresses that global memory alone does at once (facts/ptx-to-sass): the predicate says whether it did. If not, the
 * address is in shared memory of this block, of another block of the cluster, or local, where nobody else comes:
 *
 *     ATOM.E… P, d, [a], v;  @P  done
 *     QSPC.E.S P, [a];       @!P next     a loop around ATOMS.CAST.SPIN;  done
 *     QSPC.E.D P, [a];       @!P local    a loop around ATOM.E.CAST.SPIN; done      sums of f32 and f64, with clusters
 *     local: load, operation, store
 *
 * Exchange and compare-and-swap are done in shared memory, too, so they lack the parts between.
 */
import { imm, part, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Address } from "./address.js";
import { applied, spin } from "./atomic-loop.js";
import { type Atomic, machineType, scopeName, type Values } from "./atomic-types.js";
import type { Context } from "./context.js";
import { skip } from "./place.js";
import { registersOf } from "./types.js";
import * as wide from "./wide.js";

/** Does it; gives what was in memory, where it is wanted. */
export function genericAtomic(
  c: Context,
  a: Atomic,
  where: Address,
  values: Values,
  descriptor: Operand,
  wanted: boolean,
): Operand {
  const old = wanted ? c.temp(registersOf(a.type)) : RZ(registersOf(a.type));
  // ptxas keeps the copies out of the loops of float sums, on most SMs of all but extrema and literals (facts/ptx-to-sass).
  const float = a.type.name === "f32" || a.type.name === "f64";
  const copied = c.target.has("sharedResultsCopied") && a.literal === null && a.op !== "min" && a.op !== "max";
  const kept = float || copied;
  const replaced = (was: Operand): void => {
    if (wanted) c.move(old, was, kept ? "kept" : undefined);
  };
  const p = c.predicate();
  const done = c.newBlock();
  const address = [where.base, skip(), imm(where.offset)];
  const form = `ATOM.E.${a.op.toUpperCase()}${machineType(a)}${scopeName(c, a.scope)}`;
  c.emit(form, [p, old], [...address, descriptor, ...values]);
  c.branch(done, c.when(p));
  c.start(c.newBlock());
  if (a.op !== "exch" && a.op !== "cas") {
    inSpace(c, where, "S", done, () => {
      // ptxas makes the literal of an extremum again for the loop.
      const again = a.literal !== null && (a.op === "min" || a.op === "max");
      const part = sharedPart(c, where);
      const written = again ? c.copied(a.literal as Operand, "kept") : values[0];
      replaced(spin(c, a, part, values[0], "shared", written));
    });
    if (float && c.target.has("clusters"))
      inSpace(c, where, "D", done, () => replaced(spin(c, a, where, values[0], "generic")));
  }
  alone(c, a, where, values, old, wanted);
  c.start(done);
  return old;
}

/** Does `body` where the address is in the space, and goes on after all of it. */
function inSpace(
  c: Context,
  where: Address,
  space: "S" | "D",
  done: ReturnType<Context["newBlock"]>,
  body: () => void,
): void {
  const inside = c.predicate();
  c.emit(`QSPC.E.${space}`, [inside, RZ()], [where.base, imm(where.offset)]);
  const next = c.newBlock();
  c.branch(next, c.when(inside, true));
  c.start(c.newBlock());
  body();
  c.branch(done);
  c.start(next);
}

/** The same place by its shared address: the low word, within the window where the address carries no rank. */
function sharedPart(c: Context, where: Address): Address {
  const low = part(where.base, 0);
  // ptxas names the low word twice: as a part of the pair, and as an address (facts/ptx-to-sass).
  if (c.target.has("clusters"))
    return { base: c.copied(c.copied(low, "apart"), "kept"), offset: where.offset, variable: null };
  const sum = where.offset === 0 ? low : c.op("IADD3", [low, imm(where.offset), RZ()]);
  return { base: c.op("LOP3.LUT", [sum, imm(0xffffff), RZ(), imm(0xc0)]), offset: 0, variable: null };
}

/** Memory of this thread. */
function alone(c: Context, a: Atomic, where: Address, values: Values, result: Operand, wanted: boolean): void {
  const old = wanted ? result : c.temp(registersOf(a.type));
  const width = registersOf(a.type);
  const size = width === 2 ? ".64" : "";
  const weak = c.target.has("memoryDescriptor") ? "" : ".SYS";
  const address = [where.base, skip(), imm(where.offset)];
  c.emit(`LD.E${size}${weak}`, [old], [...address, c.descriptor]);
  const made = next(c, a, old, values);
  const byFma = a.literal === null ? !(wanted && c.target.has("barriersEmptied")) : a.cluster;
  if (a.op === "add" && width === 2 && byFma) upperByFma(c);
  c.emit(`ST.E${size}${weak}`, [], [...address, c.descriptor, made]);
}

/** The upper word of this sum is ptxas's IMAD.X, however little there is in the block (on sm_75 where nobody reads what was there before; not with a literal but in a cluster). */
function upperByFma(c: Context): void {
  const { insts } = c.builder.block;
  const sum = insts.at(-1);
  if (sum?.form.name !== "IADD3.X" || !c.target.has("fmaSums")) return;
  insts.pop();
  const [x, y, , carry] = sum.srcs as [Operand, Operand, Operand, Operand];
  c.emit("IMAD.X", [sum.dsts[0] as Operand], [c.materialize(x), imm(1), c.materialize(y), carry]);
}

function next(c: Context, a: Atomic, old: Operand, values: Values): Operand {
  if (a.op === "exch") return values[0];
  if (a.op !== "cas") return applied(c, a, old, values[0]);
  const d = c.temp(2);
  const [expected, changed] = values as [Operand, Operand];
  const same = wide.compare64(c, "EQ", false, c.words(old), c.words(expected));
  wide.select64(c, c.words(d), c.words(changed), c.words(old), same);
  return d;
}
