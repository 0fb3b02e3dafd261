/**
 * How a texture instruction gets its words: coordinates in a, what follows them in b (measured; `test/oracle/textures.test.ts`):
 *
 *     sm_90 on     TEX.LL d2, d, {x,y,z}, {level}, UR, …           handle in uniform registers
 *     before       TEX.SCR.LL d2, d, {x,y}, {z,level}, bank, word  at most four words: the first half in a, the others in b
 *                  TEX.SCR.B.LL d2, d, {x,y}, {handle,level}       a handle in a register is the first word after the coordinates
 *                  TEX.B.LL d2, d, {x,y,z}, {handle,level}         more than four
 *                  TXD.B d2, d, {handle,x,y}, {dx…}                the first of all
 */
import { tryForm } from "../../isa/form.js";
import { imm, RZ } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Context } from "../context.js";
import { Refusal } from "../refusal.js";
import { type Handle, noSampler, registerHandle, row, rowOrZero, uniformHandle } from "./handle.js";

export interface Words {
  readonly op: "TEX" | "TLD" | "TLD4" | "TXD";
  /** Of TLD4. */
  readonly component?: string;
  /** Results are wanted as halves. */
  readonly half: boolean;
  /** Modifiers after these, in their order; empty ones do not count. */
  readonly words: readonly string[];
  readonly dim: number;
  /** Components that are wanted; all with halves. */
  readonly mask: number;
  readonly a: readonly Operand[];
  readonly b: readonly Operand[];
}

/** Words of packed coordinates. */
const PACKED = 4;

interface Given {
  readonly marks: readonly string[];
  readonly a: Operand;
  readonly b: Operand;
  readonly where: Readonly<Record<string, Operand>>;
}

/** Both registers of packed words are there, whether they count or not. */
const pairOf = (c: Context, words: readonly Operand[]): Operand =>
  rowOrZero(c, words.length === 1 ? [...words, RZ()] : words);

function packed(c: Context, w: Words, own: readonly Operand[]): Omit<Given, "where"> {
  const mark = own.length > 0 ? ["B"] : [];
  if (w.op === "TXD") return { marks: mark, a: row(c, [...own, ...w.a]), b: row(c, w.b) };
  const all = [...w.a, ...own, ...w.b];
  if (all.length > PACKED) return { marks: mark, a: row(c, w.a), b: rowOrZero(c, [...own, ...w.b]) };
  const half = Math.ceil(all.length / 2);
  return { marks: ["SCR", ...mark], a: pairOf(c, all.slice(0, half)), b: pairOf(c, all.slice(half)) };
}

function give(c: Context, w: Words, handle: Handle): Given {
  switch (handle.kind) {
    case "uniform":
    case "reference": {
      const ur = uniformHandle(c, handle, 2);
      return { marks: [], a: row(c, w.a), b: rowOrZero(c, w.b), where: { ur, sampler: noSampler(c) } };
    }
    case "constant":
      return { ...packed(c, w, []), where: { bank: imm(0), word: imm(handle.word) } };
    case "register":
      return { ...packed(c, w, [registerHandle(c, handle.value)]), where: {} };
  }
}

/** The components that the mask names, two in d and the others in d2, as f32, or two pairs of f16 in a register each where the instruction converts them: with packed words only (measured). */
export interface Fetched {
  readonly d: Operand;
  readonly d2: Operand;
  readonly halves: boolean;
}

function count(mask: number): number {
  return [0, 1, 2, 3].filter((k) => (mask >> k) & 1).length;
}

/** Emits the instruction; `p` is its predicate. */
export function fetch(c: Context, handle: Handle, w: Words, p: Operand | null): Fetched {
  const { marks, a, b, where } = give(c, w, handle);
  const scattered = marks.includes("SCR");
  const halves = w.half && scattered;
  const name = [
    w.op,
    scattered ? "SCR" : "",
    w.component ?? "",
    marks.includes("B") ? "B" : "",
    halves ? "F16.RN" : "",
    ...w.words,
  ];
  const form = tryForm(name.filter((x) => x !== "").join("."));
  if (form === null) throw new Refusal();
  const wanted = halves ? 2 : count(w.mask);
  const per = halves ? 1 : 2;
  const d = c.temp(Math.min(per, wanted));
  const d2 = wanted > per ? c.temp(wanted - per) : RZ();
  c.builder.emit(form, { ...(p === null ? {} : { p }), d2, d }, { a, b, ...where, dim: imm(w.dim), mask: imm(w.mask) });
  return { d, d2, halves };
}
