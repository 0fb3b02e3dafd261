/**
 * Atomics as loops around a compare-and-swap: memory is read, the new value made, and written if memory is still what was read.
 * Loops and instructions as of ptxas (facts/ptx-to-sass).
 */
import { imm, part, RZ, select } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import { type Address, moved } from "./address.js";
import { type Atomic, scopeName, type Values } from "./atomic-types.js";
import type { Context } from "./context.js";
import { skip } from "./place.js";
import { Refusal } from "./refusal.js";
import { registersOf } from "./types.js";
import * as wide from "./wide.js";

/** Memory that a loop works on: shared memory by its own address, or any by a generic one. */
export type Memory = "shared" | "generic";

/** Loads what other threads may write meanwhile. */
export function loadWatched(
  c: Context,
  where: Address,
  width: number,
  memory: "shared" | "generic" | "global",
): Operand {
  const size = width === 2 ? ".64" : "";
  const old = c.temp(width);
  const weak = c.target.has("memoryDescriptor") ? "" : ".SYS";
  const descriptor = memory === "shared" ? [] : [skip()];
  const name = { shared: `LDS${weak === "" ? "" : ".U"}`, generic: "LD.E", global: "LDG.E" }[memory];
  const form = `${name}${size}${memory === "shared" ? "" : weak}`;
  c.emit(form, [old], [where.base, skip(), imm(where.offset), ...descriptor]);
  return old;
}

/** Tries until nobody wrote between reading and writing; gives the value replaced. `written`: the value where it is written as it is. */
export function spin(
  c: Context,
  a: Atomic,
  where: Address,
  value: Operand,
  memory: Memory,
  written: Operand = value,
): Operand {
  const width = registersOf(a.type);
  const size = width === 2 ? ".64" : "";
  const loop = c.newBlock();
  c.watching.retries.add(loop);
  c.start(loop);
  const done = c.newBlock();
  const old = loadWatched(c, where, width, memory);
  const next = extremum(a) ? written : applied(c, a, old, value);
  if (extremum(a)) {
    // Nothing to write where memory has the result already.
    const kept = wide.compare64(c, a.op === "max" ? "LE" : "GE", a.type.cls === "s", c.words(value), c.words(old));
    c.branch(done, c.when(kept));
    c.start(c.newBlock());
  }
  const place = [where.base, skip(), imm(where.offset)];
  const swapped = c.predicate();
  if (memory === "shared" && c.target.has("castPredicate")) {
    c.emit(`ATOMS.CAST.SPIN${size}`, [swapped, skip()], [...place, old, next]);
  } else {
    const success = c.temp(width);
    if (memory === "shared") c.emit(`ATOMS.CAST.SPIN${size}`, [skip(), success], [...place, old, next]);
    else c.emit(`ATOM.E.CAST.SPIN${size}`, [skip(), success], [...place, skip(), old, next]);
    if (width === 2) wide.compare64(c, "EQ", false, c.words(success), [imm(1), RZ()], swapped);
    else c.emit("ISETP.EQ.U32.AND", [swapped], [success, imm(1)]);
  }
  c.branch(loop, c.when(swapped, true));
  c.start(done);
  return old;
}

/** The least or the greatest of what is in memory and the value, of 64 bits. */
function extremum(a: Atomic): boolean {
  return (a.op === "min" || a.op === "max") && a.type.bits === 64;
}

/** A fresh op(old, value) as the atomic does it. */
export function applied(c: Context, a: Atomic, old: Operand, value: Operand): Operand {
  const { op, type } = a;
  const d = c.temp(registersOf(type));
  const [x, y] = [c.words(old), c.words(value)];
  if (type.name === "f32") c.emit("FADD", [d], [value, old]);
  else if (type.name === "f64") c.emit("DADD", [d], [value, old]);
  else if (type.name === "f16x2") c.emit("HADD2", [d], [old, value]);
  else if (type.name === "bf16x2") c.emit("HADD2.BF16_V2", [d], [old, value]);
  else if (type.bits !== 64) throw new Refusal();
  else if (op === "add") wide.add64(c, c.words(d), y, x);
  else if (op === "min" || op === "max") {
    const p = wide.compare64(c, op === "max" ? "GT" : "LT", type.cls === "s", x, y);
    wide.select64(c, c.words(d), x, y, p);
  } else {
    const lut = op === "and" ? 0xc0 : op === "or" ? 0xfc : op === "xor" ? 0x3c : null;
    if (lut === null) throw new Refusal();
    for (const w of [0, 1] as const) c.emit("LOP3.LUT", [part(d, w)], [x[w], y[w], RZ(), imm(lut)]);
  }
  return d;
}

/** Compare-and-swap of a word; gives what was there. */
function swapWord(c: Context, a: Atomic, where: Address, expected: Operand, next: Operand): Operand {
  const seen = c.temp();
  const place = [where.base, skip(), imm(where.offset)];
  if (a.space === "shared") c.emit("ATOMS.CAS", [skip(), seen], [...place, expected, next]);
  else {
    const form = `${a.space === "global" ? "ATOMG" : "ATOM"}.E.CAS${scopeName(c, a.scope)}`;
    c.emit(form, [skip(), seen], [...place, skip(), expected, next]);
  }
  return seen;
}

/**
 * 16 bits within their word, which a byte permutation puts in their place: 0x3254 takes the lower half from a second operand,
 * 0x5410 the upper half from the second operand's lower one, 0x7610 from its upper one (a sum is made of both halves). A swap is tried
 * again only when the other half has changed.
 */
export function narrowAtomic(c: Context, a: Atomic, where: Address, values: Values): Operand {
  const swap = a.op === "cas";
  const memory = a.space === "shared" || a.space === "global" ? a.space : "generic";
  const { base } = where.offset === 0 ? where : moved(c, where);
  const low = c.word(base, 0);
  const word = c.op("LOP3.LUT", [low, imm(0xfffffffd), RZ(), imm(0xc0)]);
  const half = c.op("LOP3.LUT", [low, imm(2), RZ(), imm(0xc0)]);
  const amount = c.op("SHF.L.U32", [half, imm(3), RZ()]);
  const lower = c.predicate();
  c.emit("ISETP.EQ.U32.AND", [lower], [half, RZ()]);
  const selector = c.op("SEL", [c.op("MOV", [imm(0x3254)]), imm(swap ? 0x5410 : 0x7610), lower]);
  const upper = (): Operand => (a.cluster ? c.copied(c.copied(c.word(base, 1), "apart"), "kept") : c.word(base, 1));
  const place: Address = { base: base.width === 1 ? word : c.pair(word, upper()), offset: 0, variable: null };
  const old = c.temp();
  c.move(old, loadWatched(c, place, 1, memory));
  const loop = c.newBlock();
  c.watching.retries.add(loop);
  c.start(loop);
  const again = c.predicate();
  let seen: Operand;
  if (swap) {
    const [expected, next] = values.map((v) => c.op("PRMT", [old, selector, v])) as [Operand, Operand];
    const rest = c.op("PRMT", [expected, selector, RZ()]);
    seen = swapWord(c, a, place, expected, next);
    c.emit("ISETP.NE.U32.AND", [again], [c.op("PRMT", [seen, selector, RZ()]), rest]);
  } else {
    const sum = c.op(`HADD2${a.type.cls === "bf" ? ".BF16_V2" : ""}`, [old, select(values[0], ".H0_H0")]);
    seen = swapWord(c, a, place, old, c.op("PRMT", [old, selector, sum]));
    c.emit("ISETP.NE.U32.AND", [again], [seen, old]);
  }
  // The copy for the next turn stays in ptxas's code of a swap (facts/ptx-to-sass).
  c.move(old, swap ? c.copied(seen, "kept") : seen);
  c.branch(loop, c.when(again));
  c.start(c.newBlock());
  return c.op("SHF.R.U32.HI", [RZ(), amount, seen]);
}
