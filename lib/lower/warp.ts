/**
 * Warp-wide instructions: shuffles, votes, matches, reductions. The lanes named by the mask are brought together first (WARPSYNC), since
 * lanes of a warp run independently; gather.ts sees to those that come to different places of the program.
 */
import { imm, not, PT, RZ } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { together } from "./gather.js";
import { Refusal } from "./refusal.js";
import { PRED, registersOf, U32 } from "./types.js";

const shfl: Lowering = (c, i, m) => {
  const ops = operands(i, 5);
  m.need(["sync"]);
  const mode = m.need(["up", "down", "bfly", "idx"]);
  m.need(["b32"]);
  const [a, b, segment, mask] = [1, 2, 3, 4].map((k) => c.read(at(ops, k), U32)) as [
    Operand,
    Operand,
    Operand,
    Operand,
  ];
  const target = at(ops, 0);
  const d = c.inPlace(target.kind === "pair" ? target.first : target, U32);
  const p = target.kind === "pair" ? c.inPlace(target.second, PRED) : PT();
  const lane = b.kind === Kind.Imm ? imm(b.value & 31) : b;
  const clamp = segment.kind === Kind.Imm ? imm(segment.value & 0x1fff) : segment;
  const from = c.materialize(a);
  together(c, `shfl.${mode}`, mask, false, () => {
    c.emit(`SHFL.${mode.toUpperCase()}`, [p, d], [from, lane, clamp]);
  });
};

const EVERYBODY = 0xffffffff;

/** A ballot of the lanes that are together. */
function ballot(c: Context, p: Operand): Operand {
  const all = c.temp();
  c.emit("VOTE.ANY", [all, PT()], [p]);
  return all;
}

/** Leaves out lanes which are there but not in the mask (they vote under another one). */
function masked(c: Context, lanes: Operand, mask: Operand): Operand {
  if (mask.kind === Kind.Imm && mask.value === EVERYBODY) return lanes;
  return c.op("LOP3.LUT", [lanes, mask, RZ(), imm(0xc0)]);
}

const vote: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  m.need(["sync"]);
  const mode = m.need(["all", "any", "uni", "ballot"]);
  const type = m.type();
  const p = c.read(at(ops, 1), PRED);
  const mask = c.read(at(ops, 2), U32);
  if (type.name !== (mode === "ballot" ? "b32" : "pred")) throw new Refusal();
  const kind = `vote.${mode}`;
  const d = mode === "ballot" ? c.inPlace(at(ops, 0), U32) : c.out(at(ops, 0), PRED);
  if (mode !== "ballot" && c.target.has("collective")) {
    together(c, kind, mask, true, () => {
      c.emit(mode === "uni" ? "VOTE.EQ" : `VOTE.${mode.toUpperCase()}`, [RZ(), d], [p]);
    });
    return;
  }
  const lanes: Operand[] = [];
  together(c, kind, mask, false, () => {
    if (mode !== "all") lanes.push(ballot(c, p));
    if (mode === "all" || mode === "uni") lanes.push(ballot(c, not(p)));
  });
  const [first, second] = lanes.map((l) => masked(c, l, mask)) as [Operand, Operand];
  if (mode === "ballot") {
    c.move(d, first);
    return;
  }
  // any: some lane of the mask votes; all: none votes against; uni: one of the two sides is empty.
  if (mode === "any") c.emit("ISETP.NE.U32.AND", [d], [first, RZ()]);
  if (mode === "all") c.emit("ISETP.EQ.U32.AND", [d], [first, RZ()]);
  if (mode === "uni") {
    const none = c.predicate();
    c.emit("ISETP.EQ.U32.AND", [none], [second, RZ()]);
    c.emit("ISETP.EQ.U32.OR", [d], [first, RZ(), none]);
  }
};

const activemask: Lowering = (c, i, m) => {
  m.need(["b32"]);
  c.emit("VOTE.ANY", [c.inPlace(at(operands(i, 1), 0), U32), PT()], [PT()]);
};

const match: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  const mode = m.need(["any", "all"]);
  m.need(["sync"]);
  const type = m.type();
  if (type.cls !== "b" || type.bits < 32 || type.bits > 64) throw new Refusal();
  const a = c.materialize(c.read(at(ops, 1), type), registersOf(type));
  const mask = c.read(at(ops, 2), U32);
  const size = type.bits === 64 ? ".U64" : "";
  const target = at(ops, 0);
  const kind = `match.${mode}.${type.name}`;
  const same = c.temp();
  if (mode === "any") {
    together(c, kind, mask, false, () => c.emit(`MATCH.ANY${size}`, [same], [a]));
    c.emit("LOP3.LUT", [c.out(target, U32)], [same, mask, RZ(), imm(0xc0)]);
    return;
  }
  const d = c.out(target.kind === "pair" ? target.first : target, U32);
  if (c.target.has("collective")) {
    const p = target.kind === "pair" ? c.inPlace(target.second, PRED) : PT();
    together(c, kind, mask, true, () => c.emit(`MATCH.ALL${size}`, [p, d], [a]));
    return;
  }
  // All match when the lanes that match this one are all that are there (as ptxas does it on these targets).
  const active = c.temp();
  together(c, kind, mask, false, () => {
    c.emit(`MATCH.ANY${size}`, [same], [a]);
    c.emit("VOTE.ANY", [active, PT()], [PT()]);
  });
  const p = target.kind === "pair" ? c.out(target.second, PRED) : c.predicate();
  const there = masked(c, active, mask);
  c.emit("ISETP.EQ.U32.AND", [p], [masked(c, same, mask), there]);
  c.emit("SEL", [d], [there, RZ(), p]);
};

/** Reduction over the lanes of the mask; the result comes in a uniform register. */
const redux: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  m.need(["sync"]);
  const op = m.need(["add", "min", "max", "and", "or", "xor"]);
  const bars = m.flag("abs");
  const nan = m.flag("NaN");
  const type = m.need(["u32", "s32", "b32", "f32"]);
  if (!c.target.has("redux")) throw new Refusal();
  if (type === "f32" ? op !== "min" && op !== "max" : bars || nan) throw new Refusal();
  if (type === "f32" && !c.target.has("credux")) throw new Refusal();
  const logic = op === "and" || op === "or" || op === "xor";
  if (logic !== (type === "b32")) throw new Refusal();
  const a = c.materialize(c.read(at(ops, 1), U32));
  const mask = c.read(at(ops, 2), U32);
  const names = { add: ".SUM", min: ".MIN", max: ".MAX", and: "", or: ".OR", xor: ".XOR" } as const;
  const result = c.builder.ur(1);
  const extremum = (op === "min" || op === "max") && c.target.has("credux");
  const form = extremum ? `CREDUX${names[op]}` : `REDUX${names[op]}`;
  const d = c.inPlace(at(ops, 0), U32);
  // The uniform register is read before anybody else can write it.
  together(c, `redux.${op}.${type}${nan ? ".NaN" : ""}${bars ? ".abs" : ""}`, mask, true, () => {
    const suffix = type === "f32" ? `.F32${nan ? ".NAN" : ""}` : type === "s32" ? ".S32" : "";
    c.emit(`${form}${bars ? "ABS" : ""}${suffix}`, [result], [a]);
    c.emit("MOV", [d], [result]);
  });
};

/** One lane of the mask: whether this is it, and which it is. */
const elect: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  m.need(["sync"]);
  const target = at(ops, 0);
  if (target.kind !== "pair") throw new Refusal();
  const mask = c.read(at(ops, 1), U32);
  const d = c.out(target.first, U32);
  const p = c.inPlace(target.second, PRED);
  const lane = c.builder.ur(1);
  together(c, "elect", mask, true, () => {
    c.emit("ELECT", [p, lane], []);
    c.emit("MOV", [d], [lane]);
  });
};

export const warpFamily: Family = { shfl, vote, activemask, match, redux, elect };
