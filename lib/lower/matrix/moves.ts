/** `ldmatrix`, `stmatrix`, `movmatrix`: 8 × 8 matrices and their fragments between shared memory and registers. */
import { imm } from "../../ori/operand.js";
import type { AddressOperand, Operand as PtxOperand } from "../../ptx/ast.js";
import { memoryAddress } from "../address.js";
import { at, type Lowering, operands } from "../family.js";
import type { Modifiers } from "../modifiers.js";
import { skip } from "../place.js";
import { Refusal } from "../refusal.js";
import { type PtxType, typeNamed, U32 } from "../types.js";
import { finishFragment, fragmentOut, readFragment } from "./fragment.js";
import { allTogether } from "./together.js";

const B32: PtxType = typeNamed("b32") as PtxType;

interface Shape {
  /** PTX shape, transposition and types → elements and layout of the machine instruction. */
  readonly size: string;
  readonly layout: string;
  /** Registers per matrix. */
  readonly words: number;
}

/** Shape, `.trans`, types (facts/ptx-to-sass: LDSM, STSM on sm_75, 80, 90a, 100a, 120a). */
const loads: Readonly<Record<string, Shape>> = {
  "m8n8.b16": { size: "16", layout: "M88", words: 1 },
  "m8n8.trans.b16": { size: "16", layout: "MT88", words: 1 },
  "m16n16.trans.b8": { size: "8", layout: "MT1616", words: 2 },
  "m16n16.trans.b8x16.b6x16_p32": { size: "U6x16P32TO8", layout: "MT1616", words: 2 },
  "m16n16.trans.b8x16.b4x16_p64": { size: "U4x16P64TO8", layout: "MT1616", words: 2 },
  "m8n16.b8x16.b6x16_p32": { size: "U6x16P32TO8", layout: "M816", words: 1 },
  "m8n16.b8x16.b4x16_p64": { size: "U4x16P64TO8", layout: "M816", words: 1 },
};

const stores: Readonly<Record<string, Shape>> = {
  "m8n8.b16": { size: "16", layout: "M88", words: 1 },
  "m8n8.trans.b16": { size: "16", layout: "MT88", words: 1 },
  "m16n8.trans.b8": { size: "8", layout: "MT168", words: 1 },
};

function takeShape(m: Modifiers, known: Readonly<Record<string, Shape>>): { shape: Shape; count: number } {
  m.need(["sync"]);
  m.need(["aligned"]);
  const shape = m.need(["m8n8", "m16n16", "m8n16", "m16n8"]);
  const count = Number(m.need(["x1", "x2", "x4"]).slice(1));
  const trans = m.flag("trans") ? ".trans" : "";
  m.oneOf(["shared", "shared::cta"]);
  const to = m.need(["b16", "b8", "b8x16"]);
  const from = to === "b8x16" ? `.${m.need(["b6x16_p32", "b4x16_p64"])}` : "";
  const found = known[`${shape}${trans}.${to}${from}`];
  if (found === undefined) throw new Refusal();
  return { shape: found, count };
}

const form = (op: string, s: Shape, count: number): string =>
  `${op}.${s.size}.${s.layout}${count === 1 ? "" : `.${count}`}`;

function address(o: PtxOperand): AddressOperand {
  if (o.kind !== "address" || o.rest.length > 0) throw new Refusal();
  return o;
}

export const ldmatrix: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const { shape, count } = takeShape(m, loads);
  const where = memoryAddress(c, address(at(ops, 1)), "shared");
  const d = fragmentOut(c, at(ops, 0), count * shape.words, B32);
  allTogether(c);
  c.emit(form("LDSM", shape, count), [d], [where.base, skip(), imm(where.offset)]);
  finishFragment(c, at(ops, 0), d, B32);
};

export const stmatrix: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const { shape, count } = takeShape(m, stores);
  const where = memoryAddress(c, address(at(ops, 0)), "shared");
  const data = c.materialize(readFragment(c, at(ops, 1), count * shape.words, B32), count * shape.words);
  allTogether(c);
  c.emit(form("STSM", shape, count), [], [where.base, skip(), imm(where.offset), data]);
};

export const movmatrix: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  m.need(["sync"]);
  m.need(["aligned"]);
  m.need(["m8n8"]);
  m.need(["trans"]);
  m.need(["b16"]);
  const a = c.materialize(c.read(at(ops, 1), U32));
  const d = c.out(at(ops, 0), U32);
  allTogether(c);
  c.emit("MOVM.16.MT88", [d], [a]);
};
