/** Textures, samplers and surfaces that code names (`.texref`, `.samplerref`, `.surfref`): what a launch binds to the names. */
import type { ArgumentDevice } from "./arguments.js";
import { surfaceHandle, textureHandle } from "./arguments.js";
import { SAMPLER_SHIFT } from "./texture/record.js";
import type { Bound } from "./types.js";

/** A word of constant bank 0 that gets the number of what is bound to a name. */
export interface ReferencedWord {
  readonly name: string;
  readonly kind: "texture" | "sampler" | "surface";
  /** Bytes from the start of the bank. */
  readonly offset: number;
  /** The number stands above that of a texture. */
  readonly above: boolean;
}

/** Makes an object of a binding once; its number, or why there is none. */
export function bindings(
  bound: Readonly<Record<string, Bound>>,
  device: ArgumentDevice,
): (name: string, kind: ReferencedWord["kind"]) => number | string {
  const numbers = new Map<string, number>();
  return (name, kind) => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const b = Object.hasOwn(bound, name) ? bound[name] : undefined;
    if (b === undefined) return `nothing is bound to the ${kind} "${name}"`;
    if ("surface" in b !== (kind === "surface")) return `"${name}" names a ${kind}`;
    const handle = "surface" in b ? surfaceHandle(b.surface, device) : textureHandle(b.texture, device);
    if (typeof handle === "string") return handle;
    const number = Number(handle & 0xffffffffn);
    numbers.set(name, number);
    return number;
  };
}

/** Fills in the words of a kernel; an error text, or "". */
export function placeReferences(
  bank: DataView,
  words: readonly ReferencedWord[],
  bound: Readonly<Record<string, Bound>>,
  device: ArgumentDevice,
): string {
  const numberOf = bindings(bound, device);
  for (const w of words) {
    const number = numberOf(w.name, w.kind);
    if (typeof number === "string") return number;
    if (w.offset + 4 > bank.byteLength) return `the word of "${w.name}" lies outside constant bank 0`;
    bank.setInt32(w.offset, bank.getInt32(w.offset, true) | (w.above ? number << SAMPLER_SHIFT : number), true);
  }
  return "";
}
