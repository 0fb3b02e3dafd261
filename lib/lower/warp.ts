/**
 * Warp-wide instructions: shuffles, votes, matches, reductions. The lanes named by the mask are brought together first (WARPSYNC), since
 * lanes of a warp run independently.
 */
import { imm, not, PT, RZ } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { Refusal } from "./refusal.js";
import { convergeMask } from "./sync.js";
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
  convergeMask(c, mask);
  c.emit(`SHFL.${mode.toUpperCase()}`, [p, d], [c.materialize(a), lane, clamp]);
};

/** A ballot that leaves out lanes which are active but not in the mask (they vote under another one). */
function ballot(c: Context, p: Operand, mask: Operand): Operand {
  const all = c.temp();
  c.emit("VOTE.ANY", [all, PT()], [p]);
  if (mask.kind === Kind.Imm && mask.value === 0xffffffff) return all;
  return c.op("LOP3.LUT", [all, mask, RZ(), imm(0xc0)]);
}

const vote: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  m.need(["sync"]);
  const mode = m.need(["all", "any", "uni", "ballot"]);
  const type = m.type();
  const p = c.read(at(ops, 1), PRED);
  const mask = c.read(at(ops, 2), U32);
  if (type.name !== (mode === "ballot" ? "b32" : "pred")) throw new Refusal();
  convergeMask(c, mask);
  if (mode === "ballot") {
    c.move(c.inPlace(at(ops, 0), U32), ballot(c, p, mask));
    return;
  }
  const d = c.out(at(ops, 0), PRED);
  if (mask.kind === Kind.Imm && mask.value === 0xffffffff) {
    c.emit(mode === "uni" ? "VOTE.EQ" : `VOTE.${mode.toUpperCase()}`, [RZ(), d], [p]);
    return;
  }
  // any: some lane of the mask votes; all: none votes against; uni: one of the two sides is empty.
  const none = mode === "any" ? null : c.predicate();
  if (none !== null) c.emit("ISETP.EQ.U32.AND", [mode === "all" ? d : none], [ballot(c, not(p), mask), RZ()]);
  if (mode === "any") c.emit("ISETP.NE.U32.AND", [d], [ballot(c, p, mask), RZ()]);
  if (mode === "uni") c.emit("ISETP.EQ.U32.OR", [d], [ballot(c, p, mask), RZ(), none as Operand]);
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
  convergeMask(c, mask);
  if (mode === "any") {
    const same = c.op(`MATCH.ANY${size}`, [a]);
    c.emit("LOP3.LUT", [c.out(target, U32)], [same, mask, RZ(), imm(0xc0)]);
    return;
  }
  const d = c.out(target.kind === "pair" ? target.first : target, U32);
  if (c.target.has("memoryDescriptor")) {
    const p = target.kind === "pair" ? c.inPlace(target.second, PRED) : PT();
    c.emit(`MATCH.ALL${size}`, [p, d], [a]);
    return;
  }
  // sm_75: all match when the lanes that match this one are all that are active (as ptxas does it).
  const same = c.op(`MATCH.ANY${size}`, [a]);
  const active = c.temp();
  c.emit("VOTE.ANY", [active, PT()], [PT()]);
  const p = target.kind === "pair" ? c.out(target.second, PRED) : c.predicate();
  c.emit("ISETP.EQ.U32.AND", [p], [same, active]);
  c.emit("SEL", [d], [active, RZ(), p]);
};

/** Reduction over the lanes of the mask; the result comes in a uniform register. */
const redux: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  m.need(["sync"]);
  const op = m.need(["add", "min", "max", "and", "or", "xor"]);
  const type = m.need(["u32", "s32", "b32"]);
  if (!c.target.has("redux")) throw new Refusal();
  const logic = op === "and" || op === "or" || op === "xor";
  if (logic !== (type === "b32")) throw new Refusal();
  const a = c.materialize(c.read(at(ops, 1), U32));
  const mask = c.read(at(ops, 2), U32);
  const names = { add: ".SUM", min: ".MIN", max: ".MAX", and: "", or: ".OR", xor: ".XOR" } as const;
  const result = c.builder.ur(1);
  convergeMask(c, mask);
  const extremum = (op === "min" || op === "max") && c.target.has("credux");
  const form = extremum ? `CREDUX${names[op]}` : `REDUX${names[op]}`;
  c.emit(`${form}${type === "s32" ? ".S32" : ""}`, [result], [a]);
  c.emit("MOV", [c.inPlace(at(ops, 0), U32)], [result]);
};

export const warpFamily: Family = { shfl, vote, activemask, match, redux };
