/**
 * Handles of texture and surface objects, and the parts of their operands.
 *
 * From sm_90 on ptxas takes handles for the same in all lanes and brings them to uniform registers. Before, a handle that is a kernel parameter is named
 * by its place in constant bank 0, and any other is in a register (measured on sm_75, 80, 86, 89 with handles of either kind).
 */
import { clone, constBank, imm, part, RZ } from "../../ori/operand.js";
import type { Block, Operand, Reference } from "../../ori/types.js";
import type { AddressOperand, Block as Body, Instruction, Operand as PtxOperand } from "../../ptx/ast.js";
import { toUniform } from "../async/uniform.js";
import type { Context } from "../context.js";
import { skip } from "../place.js";
import { Refusal } from "../refusal.js";
import { B64, type PtxType, typeNamed } from "../types.js";
import { referenceNamed, referenceWord } from "./references.js";

export const B32: PtxType = typeNamed("b32") as PtxType;

/** Where the machine finds the handle. */
export type Handle =
  | { readonly kind: "uniform"; readonly value: PtxOperand }
  | { readonly kind: "register"; readonly value: PtxOperand }
  /** Number of the word in constant bank 0. */
  | { readonly kind: "constant"; readonly word: number }
  /** A reference, and the sampler that is named with it: the words that stand for them in constant bank 0. */
  | { readonly kind: "reference"; readonly word: number; readonly sampler: number | null };

/** A handle that comes in uniform registers. */
export type UniformHandle = Extract<Handle, { kind: "uniform" | "reference" }>;

/** The names that an operand names: itself, or the elements in its braces. */
function namesIn(o: PtxOperand): readonly string[] {
  if (o.kind === "name") return [o.name];
  if (o.kind === "vector" || o.kind === "list") return o.elements.flatMap(namesIn);
  if (o.kind === "pair") return [...namesIn(o.first), ...namesIn(o.second)];
  return [];
}

/** What writes each register of a body, by name; null where several instructions do (or one register hides another). */
type Writers = ReadonlyMap<string, Instruction | null>;
const writersOf: WeakMap<Body, Writers> = new WeakMap();

function writers(body: Body): Writers {
  const known = writersOf.get(body);
  if (known !== undefined) return known;
  const out = new Map<string, Instruction | null>();
  const walk = (b: Body): void => {
    for (const s of b.statements) {
      if (s.kind === "block") walk(s);
      else if (s.kind === "instruction")
        for (const o of s.operands.slice(0, 1)) for (const name of namesIn(o)) out.set(name, out.has(name) ? null : s);
    }
  };
  walk(body);
  writersOf.set(body, out);
  return out;
}

/** The place of the parameter that is all that a name ever stands for. */
function parameterWord(c: Context, name: string): number | null {
  if (c.kernelBody === null || c.inside.length > 0) return null;
  const load = writers(c.kernelBody).get(name);
  if (load === undefined || load === null || load.opcode !== "ld" || load.guard !== null) return null;
  const [space, type, ...rest] = load.modifiers;
  if (space !== "param" || !["b64", "u64", "s64"].includes(type ?? "") || rest.length > 0) return null;
  const from = load.operands[1];
  if (from?.kind !== "address" || from.base === null || from.rest.length > 0) return null;
  const v = c.variableOf(from.base);
  if (v === null || v.space !== "param") return null;
  const bytes = c.target.constants.paramBase + v.offset + from.offset;
  return bytes % 4 === 0 ? bytes / 4 : null;
}

/** `[handle, coordinates]` of an object or a reference; `[texture, sampler, coordinates]` of references only. */
export function object(
  c: Context,
  o: PtxOperand,
): { readonly handle: Handle; readonly coordinates: readonly PtxOperand[] } {
  if (o.kind !== "address" || o.rest.length < 1 || o.rest.length > 2) throw new Refusal();
  const [sampler, where] = (o.rest.length === 1 ? [null, o.rest[0]] : o.rest) as [PtxOperand | null, PtxOperand];
  const handle = handleIn(c, { ...o, rest: [] }, sampler);
  return { handle, coordinates: where.kind === "vector" ? where.elements : [where] };
}

function samplerNamed(c: Context, o: PtxOperand): Reference {
  const of = o.kind === "name" && o.offset === 0 && o.index === null ? referenceNamed(c, o.name) : null;
  if (of?.kind !== "sampler") throw new Refusal();
  return of;
}

/** `[handle]`. */
export function handleIn(c: Context, o: PtxOperand, sampler: PtxOperand | null = null): Handle {
  if (o.kind !== "address" || o.base === null || o.offset !== 0 || o.rest.length > 0) throw new Refusal();
  const { base } = o as AddressOperand & { base: string };
  const reference = referenceNamed(c, base);
  if (reference !== null) {
    const own = sampler === null ? null : samplerNamed(c, sampler);
    if (!c.target.has("uniformHandles")) return { kind: "constant", word: referenceWord(c, reference, own) };
    return {
      kind: "reference",
      word: referenceWord(c, reference),
      sampler: own === null ? null : referenceWord(c, own),
    };
  }
  if (sampler !== null) throw new Refusal();
  const value = { kind: "name", name: base, component: null, offset: 0, index: null } as const;
  if (c.target.has("uniformHandles")) return { kind: "uniform", value };
  const word = parameterWord(c, base);
  return word === null ? { kind: "register", value } : { kind: "constant", word };
}

/** The low word of a handle in brackets. */
export function handleWord(c: Context, o: PtxOperand): Operand {
  if (o.kind !== "address" || o.base === null || o.offset !== 0 || o.rest.length > 0) throw new Refusal();
  const reference = referenceNamed(c, o.base);
  if (reference !== null) return c.materialize(constBank(0, 4 * referenceWord(c, reference)));
  const value = { kind: "name", name: o.base, component: null, offset: 0, index: null } as const;
  if (c.registerOf(value) === null) throw new Refusal();
  return registerHandle(c, value);
}

/** The handle's 20 bits of texture and 12 of sampler. */
export const registerHandle = (c: Context, handle: PtxOperand): Operand =>
  part(c.materialize(c.read(handle, B64), 2), 0);

/** Handles that a block has loaded, by their words and the registers that they take. */
const loaded: WeakMap<Block, Map<string, Operand>> = new WeakMap();

/** A handle in constant bank 0, once for each block. */
function loadedHandle(c: Context, word: number, width: 1 | 2, sampler: number | null = null): Operand {
  const { block } = c.builder;
  const known = loaded.get(block) ?? new Map<string, Operand>();
  loaded.set(block, known);
  const key = `${word} ${width} ${sampler}`;
  const found = known.get(key);
  if (found !== undefined) return clone(found);
  const d = c.builder.ur(width);
  const load = c.target.has("ldcu") ? "LDCU" : "ULDC";
  c.emit(load, [part(d, 0)], [constBank(0, 4 * word)]);
  if (width === 2 && sampler === null) c.emit("UMOV", [part(d, 1)], [imm(0)]);
  else if (width === 2) c.emit(load, [part(d, 1)], [constBank(0, 4 * (sampler as number))]);
  known.set(key, d);
  return d;
}

/** The same in uniform registers, with the sampler's or a zero above where the slot takes two of them. A kernel parameter is loaded there at once, as ptxas -O1 does. */
export function uniformHandle(c: Context, handle: UniformHandle, width: 1 | 2): Operand {
  if (handle.kind === "reference") return loadedHandle(c, handle.word, width, handle.sampler);
  const word = handle.value.kind === "name" ? parameterWord(c, handle.value.name) : null;
  if (word !== null) return loadedHandle(c, word, width);
  const value = registerHandle(c, handle.value);
  return toUniform(c, width === 1 ? [value] : [value, imm(0)]);
}

/** The slot of a sampler of its own: unused, and left out from sm_100 on. */
export const noSampler = (c: Context): Operand => (c.target.has("ldcu") ? skip() : imm(0));

/** Consecutive registers with these words. */
export function row(c: Context, words: readonly Operand[]): Operand {
  const d = c.temp(words.length);
  words.forEach((w, k) => {
    c.move(part(d, k), w);
  });
  return d;
}

/** As `row`; nothing for no words. */
export const rowOrZero = (c: Context, words: readonly Operand[]): Operand =>
  words.length === 0 ? RZ() : row(c, words);

export const read32 = (c: Context, o: PtxOperand): Operand => c.read(o, B32);
