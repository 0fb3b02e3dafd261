/**
 * Conversions between the addresses of a space and generic ones (cvta), and the question which space a generic address is in (isspacep).
 *
 * Shared and local memory have windows (QSPC knows them), constants and kernel parameters stand at addresses that the driver
 * writes into bank 0; what else QSPC.G says yes to is global memory (facts/ptx-to-sass; ptxas 13.0.88).
 */
import { constBank, imm, not, PT, RZ, sreg } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { extendAddress, variableAddress } from "./move.js";
import { Refusal } from "./refusal.js";
import { SHARED_WINDOW_HIGH, windowBase } from "./special.js";
import { PRED, U64 } from "./types.js";
import { add64, compare64, sub64, type Words } from "./wide.js";

const spaces = [
  "global",
  "shared",
  "shared::cta",
  "shared::cluster",
  "local",
  "const",
  "param",
  "param::entry",
] as const;
type Space = (typeof spaces)[number];

const cvta: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const toSpace = m.flag("to");
  const space = m.need(spaces);
  const type = m.type();
  if (type.bits !== 64) throw new Refusal();
  const source = at(ops, 1);
  const address = source.kind === "name" ? variableAddress(c, source) : null;
  const value = c.materialize(address === null ? c.read(source, U64) : extendAddress(c, address, U64), 2);
  const d = c.out(at(ops, 0), type);
  if (space === "global") c.move(d, value);
  else if (space.startsWith("shared") && c.target.has("clusters")) sharedOfCluster(c, d, value, toSpace);
  else if (toSpace) sub64(c, c.words(d), c.words(value), baseOf(c, space));
  else add64(c, c.words(d), c.words(value), baseOf(c, space));
};

/** With clusters the shared window fills its upper half alone. */
function sharedOfCluster(c: Context, d: Operand, value: Operand, toSpace: boolean): void {
  const [low, high] = c.words(d);
  c.move(low, c.word(value, 0));
  if (toSpace) c.move(high, RZ());
  else c.emit("S2R", [high], [sreg(SHARED_WINDOW_HIGH)]);
}

/** The generic address of the first byte of a space. */
function baseOf(c: Context, space: Space): Words {
  switch (space) {
    case "local":
      return windowBase(c, "localWindow");
    case "const":
      return windowBase(c, "constantWindow");
    case "param":
    case "param::entry":
      return parameters(c);
    default:
      return windowBase(c, "sharedWindow");
  }
}

/** Before sm_90 bank 0 as a whole has an address. */
function parameters(c: Context): Words {
  const window = windowBase(c, "paramWindow");
  if (c.target.has("clusters")) return window;
  const d = c.words(c.temp(2));
  add64(c, d, window, [imm(c.target.constants.paramBase), RZ()]);
  return d;
}

/** first ≤ a, and a < end (a ≤ last where `closed`). */
function between(c: Context, a: Words, first: Words, end: Words, closed: boolean): Operand {
  const beyond = compare64(c, closed ? "GT" : "GE", false, a, end);
  const p = c.predicate();
  const lower = c.predicate();
  c.emit("ISETP.GE.U32.AND", [lower], [a[0], first[0]]);
  c.emit("ISETP.GE.U32.AND.EX", [p], [a[1], first[1], not(beyond), lower]);
  return p;
}

function inConstants(c: Context, a: Words): Operand {
  const bytes = c.module.constantBytes();
  if (bytes === null) throw new Refusal();
  const first = windowBase(c, "constantWindow");
  const end = c.words(c.temp(2));
  add64(c, end, first, [imm(bytes), RZ()]);
  return between(c, a, first, end, false);
}

function inParameters(c: Context, a: Words): Operand {
  const { paramEnd } = c.target.constants;
  const first = parameters(c);
  let end: Words;
  if (c.target.has("clusters")) end = windowBase(c, "paramEnd");
  else {
    // The end of the parameters as an offset in bank 0.
    end = c.words(c.temp(2));
    add64(c, end, windowBase(c, "paramWindow"), [c.op("LDC", [constBank(0, paramEnd)]), RZ()]);
  }
  return between(c, a, first, end, true);
}

const isspacep: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const space = m.need(spaces);
  const a = c.materialize(c.read(at(ops, 1), U64), 2);
  const d = c.out(at(ops, 0), PRED);
  const query = (window: string, p: Operand): void => {
    c.emit(`QSPC.E.${window}`, [p, RZ()], [a]);
  };
  switch (space) {
    case "const":
      c.move(d, inConstants(c, c.words(a)));
      break;
    case "param":
    case "param::entry":
      c.move(d, inParameters(c, c.words(a)));
      break;
    case "global": {
      const p = c.predicate();
      query("G", p);
      const q = inConstants(c, c.words(a));
      c.emit("PLOP3.LUT", [d, PT()], [p, not(q), PT(), imm(0x80), imm(0)]);
      break;
    }
    default:
      query({ local: "L", shared: "S", "shared::cta": "S", "shared::cluster": "D" }[space], d);
  }
};

export const spaceFamily: Family = { cvta, isspacep };
