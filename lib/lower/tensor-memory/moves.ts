/**
 * Tensor memory and registers (`tcgen05.ld`, `st`: LDTM, STTM), copies into it from shared memory (`cp`: UTCCP) and within (`shift`), and what
 * waits for loads and stores. Forms as ptxas has them on sm_100a (facts/ptx-to-sass).
 *
 * The half shape 16x32bx2 is two instructions, for the lower and for the upper lanes, which write the same registers: the second of a load
 * leaves those of the lower lanes as they are (`writesSomeLanes`).
 */
import { imm } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import { memoryAddress } from "../address.js";
import { addressIn } from "../async/operands.js";
import { eachLane, toUniform } from "../async/uniform.js";
import type { Context } from "../context.js";
import { at, type Lowering, operands } from "../family.js";
import { finishFragment, fragmentOut, readFragment } from "../matrix/fragment.js";
import { allTogether } from "../matrix/together.js";
import type { Modifiers } from "../modifiers.js";
import { Refusal } from "../refusal.js";
import { B64, type PtxType, typeNamed } from "../types.js";

const B32: PtxType = typeNamed("b32") as PtxType;

interface Shape {
  /** Modifier of the machine instruction. */
  readonly lanes: string;
  /** Registers of one repetition. */
  readonly words: number;
}

const shapes: Readonly<Record<string, Shape>> = {
  "32x32b": { lanes: "", words: 1 },
  "16x64b": { lanes: ".16dp64bit", words: 1 },
  "16x128b": { lanes: ".16dp128bit", words: 2 },
  "16x256b": { lanes: ".16dp256bit", words: 4 },
};
const HALVES = [".16dp32bit_t0_t15", ".16dp32bit_t16_t31"] as const;

/** A tensor memory address with what is added to it: uniform, since all lanes name the same. */
function place(c: Context, o: PtxOperand): readonly [base: Operand, offset: number] {
  const { base, offset } = memoryAddress(c, addressIn(o), "shared");
  return [base, offset];
}

function integer(o: PtxOperand): number {
  if (o.kind !== "int" || o.hi !== 0) throw new Refusal();
  return o.lo;
}

/** Modifiers of a load that also reduces (`ld.red`). */
function reduction(m: Modifiers): string {
  const op = m.need(["min", "max"]).toUpperCase();
  const [abs, nan] = [m.flag("abs"), m.flag("NaN")];
  const type = m.need(["f32", "s32", "u32"]);
  if ((abs || nan) && type !== "f32") throw new Refusal();
  return `.${op}${abs ? "ABS" : ""}${type === "u32" ? "" : `.${type.toUpperCase()}`}${nan ? ".NAN" : ""}`;
}

export const moves: Lowering = (c, i, m) => {
  const loads = i.modifiers[0] === "ld";
  const reduces = loads && m.flag("red");
  m.need(["sync"]);
  // ptxas takes loads and stores without it, too.
  m.flag("aligned");
  const shape = m.need([...Object.keys(shapes), "16x32bx2"]);
  const times = m.need(["x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"]);
  const packed = !reduces && m.flag(loads ? "pack::16b" : "unpack::16b") ? (loads ? ".PACK16BIT" : ".EXPAND16BIT") : "";
  const reduced = reduces ? reduction(m) : "";
  if (!reduces) m.need(["b32"]);
  const halves = shape === "16x32bx2";
  const list = operands(i, 2 + Number(halves) + Number(reduces));
  // What a load gives comes first, what a store takes last.
  const data = at(list, loads ? 0 : list.length - 1);
  const value = reduces ? at(list, 1) : null;
  const where = list.slice(loads ? 1 + Number(reduces) : 0);
  const count = Number(times.slice(1)) * (shapes[shape]?.words ?? 1);
  const head = reduces ? "LDTM.STAT" : loads ? "LDTM" : "STTM";
  const name = (lanes: string): string => `${head}${lanes}${times === "x1" ? "" : `.${times}`}${packed}${reduced}`;
  const [address, offset] = place(c, at(where, 0));
  const second = halves ? offset + integer(at(where, 1)) : 0;
  const stored = loads ? null : c.materialize(readFragment(c, data, count, B32), count);
  allTogether(c);
  const base = toUniform(c, [address]);
  const parts = halves
    ? ([
        [HALVES[0], offset],
        [HALVES[1], second],
      ] as const)
    : ([[shapes[shape]!.lanes, offset]] as const);
  if (stored !== null) {
    for (const [lanes, off] of parts) c.emit(name(lanes), [], [base, imm(off), stored]);
    return;
  }
  const d = fragmentOut(c, data, count, B32);
  const e = value === null ? null : c.out(value, B32);
  const load = (to: Operand, most: Operand | null, [lanes, off]: readonly [string, number]): void => {
    c.emit(name(lanes), most === null ? [to] : [to, most], [base, imm(off)]);
  };
  for (const p of parts) load(d, e, p);
  finishFragment(c, data, d, B32);
};

/** Stores are waited for by a fence; what was loaded is waited for where it is used. */
export const waits: Lowering = (c, i, m) => {
  operands(i, 0);
  for (const w of ["sync", "aligned"]) m.need([w]);
  allTogether(c);
  if (i.modifiers[0] === "wait::st") c.emit("FENCE.VIEW.ASYNC.T", [], []);
  else c.emit("NOP", [], []);
};

/** `.2CTA` or nothing. */
export const takePair = (m: Modifiers): string =>
  m.need(["cta_group::1", "cta_group::2"]).endsWith("2") ? ".2CTA" : "";

/** PTX shape → modifier of UTCCP. */
const copies: Readonly<Record<string, string>> = {
  "128x256b": "",
  "4x256b": ".4dp256bit",
  "128x128b": ".128dp128bit",
  "64x128b.warpx2::02_13": ".2x64dp128bit_lw02_lw13",
  "64x128b.warpx2::01_23": ".2x64dp128bit_lw01_lw23",
  "32x128b.warpx4": ".4x32dp128bit",
};

export const copy: Lowering = (c, i, m) => {
  const [to, from] = operands(i, 2) as [PtxOperand, PtxOperand];
  const pair = takePair(m);
  const shape = m.need(["128x256b", "4x256b", "128x128b", "64x128b", "32x128b"]);
  const multicast = m.oneOf(["warpx2::02_13", "warpx2::01_23", "warpx4"]);
  const lanes = copies[multicast === null ? shape : `${shape}.${multicast}`];
  if (lanes === undefined) throw new Refusal();
  const format = m.flag("b8x16")
    ? { b6x16_p32: ".U6x16P32", b4x16_p64: ".U4x16P64" }[m.need(["b6x16_p32", "b4x16_p64"])]
    : "";
  const [base, offset] = place(c, to);
  const descriptor = c.materialize(c.read(from, B64), 2);
  eachLane(c, () =>
    c.emit(`UTCCP.T.S${pair}${lanes}${format}`, [], [toUniform(c, [base]), imm(offset), toUniform(c, [descriptor])]),
  );
};

export const shift: Lowering = (c, i, m) => {
  const [where] = operands(i, 1) as [PtxOperand];
  const pair = takePair(m);
  m.need(["down"]);
  const [base, offset] = place(c, where);
  eachLane(c, () => c.emit(`UTCSHIFT${pair}.DOWN`, [], [toUniform(c, [base]), imm(offset)]));
};
