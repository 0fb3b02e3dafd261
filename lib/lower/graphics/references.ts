/**
 * Textures, samplers and surfaces that PTX names (`.global .texref t`). ptxas gives each that a kernel names a word of constant bank 0 after the
 * parameters, which the driver fills with its number (measured on sm_75, 80, 86, 89, 90, 100, 120):
 *
 *     sm_90 on   after the parameters of the kernel of the module that has most, from sm_100 on at a multiple of 16 bytes; textures and samplers in
 *                the order in which the kernel's text names them, functions where they are first called; then surfaces in theirs
 *     before     after the kernel's own parameters; a texture with a sampler of its own (`texmode_independent`) shares a word with it, so there is one for
 *                each pair
 *
 * What stands where no path leads counts, too. The address of a reference is a handle: the word, and above it the bit that `istypep` asks for.
 */
import { constBank, imm, part, RZ } from "../../ori/operand.js";
import type { Operand, Reference, ReferenceKind, ReferenceWord } from "../../ori/types.js";
import type {
  Block,
  Declaration,
  FunctionItem,
  Initializer,
  Module,
  NameOperand,
  Operand as PtxOperand,
  Variable,
} from "../../ptx/ast.js";
import type { Target } from "../../target/types.js";
import { calleeOf } from "../call-graph.js";
import type { Context } from "../context.js";
import { Refusal } from "../refusal.js";
import type { Scope } from "../scope.js";

const kinds: Readonly<Record<string, ReferenceKind>> = {
  texref: "texture",
  samplerref: "sampler",
  surfref: "surface",
};

/** What a type of PTX refers to; null for types of values. */
export const referenceKind = (type: string): ReferenceKind | null =>
  Object.hasOwn(kinds, type) ? (kinds[type] as ReferenceKind) : null;

/** Bits of the upper word of an address. */
export const kindBits: Readonly<Record<ReferenceKind, number>> = {
  texture: 0x20000000,
  sampler: 0x40000000,
  surface: 0x80000000,
};

// ------------------------------------------------------------------------------------------------ declarations

const UNSAID = 0xff;
const addressModes = ["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"];
const filters = ["nearest", "linear"];
/** Bytes of a sampler's initial value, by its fields; what else may be said leaves none (measured). */
const samplerFields: readonly { readonly name: string; readonly values: readonly string[] }[] = [
  { name: "addr_mode_0", values: addressModes },
  { name: "addr_mode_1", values: addressModes },
  { name: "addr_mode_2", values: addressModes },
  { name: "filter_mode", values: filters },
];

function samplerInit(init: Initializer | null): number {
  const bytes = samplerFields.map(() => UNSAID);
  for (const e of init?.kind === "list" ? init.elements : []) {
    if (e.kind !== "field") throw new Refusal();
    const at = samplerFields.findIndex((f) => f.name === e.name);
    if (at < 0) continue;
    const value = e.arg.kind === "symbol" ? (samplerFields[at]?.values.indexOf(e.arg.name) ?? -1) : -1;
    if (value < 0) throw new Refusal();
    bytes[at] = value;
  }
  return bytes.reduce((sum, b, k) => sum + b * 256 ** k, 0);
}

/** A reference of the module; others than plain ones are refused. */
export function declaredReference(d: Declaration, v: Variable, kind: ReferenceKind): Reference {
  if (d.space !== "global" || d.vector !== null || v.count !== null || v.dims.length > 0) throw new Refusal();
  return { name: v.name, kind, init: kind === "sampler" ? samplerInit(v.init) : 0 };
}

// ------------------------------------------------------------------------------------------------ places

/** What the kernels of a module may name, and how. */
export interface ReferenceRules {
  /** The module's scope. */
  readonly scope: Scope;
  readonly functions: ReadonlyMap<string, FunctionItem>;
  readonly target: Target;
  /** Textures and samplers are named apart. */
  readonly independent: boolean;
}

export const isIndependent = (module: Module): boolean => module.target?.names.includes("texmode_independent") === true;

interface Use {
  readonly texture: string | null;
  readonly sampler: string | null;
  readonly surface: string | null;
}

const NONE: Use = { texture: null, sampler: null, surface: null };

/** What instructions name, in the order of the text. */
function usesOf(kernel: FunctionItem, r: ReferenceRules): Use[] {
  const uses: Use[] = [];
  const seen = new Set<string>();
  const kindOf = (name: string, hidden: ReadonlySet<string>): ReferenceKind | null => {
    const e = hidden.has(name) ? null : r.scope.find(name);
    return e?.kind === "reference" ? e.of.kind : null;
  };
  const name = (o: PtxOperand, hidden: ReadonlySet<string>): void => {
    if (o.kind === "name") {
      const kind = kindOf(o.name, hidden);
      if (kind !== null) uses.push({ ...NONE, [kind]: o.name });
    } else if (o.kind === "address") {
      const kind = o.base === null ? null : kindOf(o.base, hidden);
      const [second] = o.rest;
      const sampler = second?.kind === "name" && kindOf(second.name, hidden) === "sampler" ? second.name : null;
      if (kind !== null) uses.push({ ...NONE, [kind]: o.base, ...(sampler !== null && { sampler }) });
    }
  };
  const functionBody = (item: FunctionItem): void => {
    if (item.body === null || seen.has(item.name)) return;
    seen.add(item.name);
    walk(item.body, new Set([...(item.params ?? []), ...(item.returns ?? [])].map((p) => p.name)));
  };
  const walk = (b: Block, outer: ReadonlySet<string>): void => {
    const own = [...b.statements.others()].flatMap((s) =>
      s.kind === "declaration" ? s.variables.map((v) => v.name) : [],
    );
    const hidden = own.length === 0 ? outer : new Set([...outer, ...own]);
    for (const s of b.statements) {
      if (s.kind === "block") walk(s, hidden);
      if (s.kind !== "instruction") continue;
      for (const o of s.operands) name(o, hidden);
      const called = r.functions.get(s.opcode === "call" ? (calleeOf(s) ?? "") : "");
      if (called !== undefined) functionBody(called);
    }
  };
  functionBody(kernel);
  return uses;
}

interface Slot {
  texture: string | null;
  sampler: string | null;
}

/** The words of a kernel, in the order in which its text names what they stand for; `start`: bytes in bank 0 from which on there may be some. */
export function placeReferences(kernel: FunctionItem, r: ReferenceRules, start: number): ReferenceWord[] {
  const paired = r.independent && !r.target.has("uniformHandles");
  const slots: Slot[] = [];
  const surfaces: string[] = [];
  const named: { readonly kind: ReferenceKind; readonly name: string; readonly slot: Slot | null }[] = [];
  const put = (slot: Slot, kind: "texture" | "sampler", name: string): void => {
    if (!slots.includes(slot)) slots.push(slot);
    slot[kind] = name;
    named.push({ kind, name, slot });
  };
  const apart = (kind: "texture" | "sampler", name: string | null): void => {
    if (name !== null && !slots.some((s) => s[kind] === name)) put({ texture: null, sampler: null }, kind, name);
  };
  const together = (texture: string, sampler: string): void => {
    if (slots.some((s) => s.texture === texture && s.sampler === sampler)) return;
    const free = slots.find((s) => s.texture === texture && s.sampler === null);
    const slot = free ?? { texture: null, sampler: null };
    if (free === undefined) put(slot, "texture", texture);
    put(slot, "sampler", sampler);
  };
  for (const u of usesOf(kernel, r)) {
    if (u.surface !== null && !surfaces.includes(u.surface)) {
      surfaces.push(u.surface);
      named.push({ kind: "surface", name: u.surface, slot: null });
    }
    if (paired && u.texture !== null && u.sampler !== null) together(u.texture, u.sampler);
    else {
      apart("texture", u.texture);
      apart("sampler", u.sampler);
    }
  }
  const first = Math.ceil(start / 4) * 4;
  return named.map(({ kind, name, slot }) => ({
    kind,
    name,
    offset: first + 4 * (slot === null ? slots.length + surfaces.indexOf(name) : slots.indexOf(slot)),
  }));
}

// ------------------------------------------------------------------------------------------------ use

/** The reference that a name stands for; null for anything else. */
export function referenceNamed(c: Context, name: string): Reference | null {
  const e = c.find(name);
  return e?.kind === "reference" ? e.of : null;
}

/** Number of the word of a reference in constant bank 0; of a texture with a sampler in the same word, that one. */
export function referenceWord(c: Context, r: Reference, sampler: Reference | null = null): number {
  const words = (c.func.references ?? []).filter((w) => w.name === r.name);
  const of = (w: ReferenceWord): boolean =>
    (c.func.references ?? []).some((o) => o.offset === w.offset && o.name === sampler?.name);
  const found = sampler === null ? words[0] : words.find(of);
  // Functions that are called have no parameters in the bank.
  if (found === undefined) throw new Refusal();
  return found.offset / 4;
}

/** What ptxas adds to the word in an address before sm_90. */
const ADDRESS = 0x80000000;

/** The address that `mov` gives. */
export function referenceAddress(c: Context, o: NameOperand): Operand | null {
  const r = referenceNamed(c, o.name);
  if (r === null) return null;
  // Before sm_90 the word is shared with samplers that have nothing to do with it.
  if (o.offset !== 0 || o.index !== null || o.component !== null || sharesWords(c)) throw new Refusal();
  const d = c.temp(2);
  const word = constBank(0, 4 * referenceWord(c, r));
  if (c.target.has("uniformHandles")) c.move(part(d, 0), word);
  else c.emit("LOP3.LUT", [part(d, 0)], [c.materialize(imm(ADDRESS)), word, RZ(), imm(0xfc)]);
  c.move(part(d, 1), imm(kindBits[r.kind]));
  return d;
}

/** Textures and samplers of the module share words. */
export const sharesWords = (c: Context): boolean => c.module.independent && !c.target.has("uniformHandles");
