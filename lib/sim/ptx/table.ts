/** Every instruction that is known, by its first word; where one word has integer, float and approximate forms, types and words choose. */
import type { Build } from "./code.js";
import { approximate } from "./ops/approximate.js";
import { atomics } from "./ops/atomic.js";
import { comparisons } from "./ops/compare.js";
import { control } from "./ops/control.js";
import { convert } from "./ops/convert.js";
import { floats } from "./ops/float.js";
import { integers } from "./ops/integer.js";
import { memory } from "./ops/memory.js";
import { surfaces } from "./ops/surface.js";
import { textures } from "./ops/texture.js";
import { video } from "./ops/video.js";
import { warps } from "./ops/warp.js";
import { typeNamed } from "./types.js";

const others: Readonly<Record<string, Build>> = {
  ...comparisons,
  ...memory,
  ...atomics,
  ...warps,
  ...control,
  ...video,
  ...textures,
  ...surfaces,
  cvt: convert,
};

function own(table: Readonly<Record<string, Build>>, name: string): Build | null {
  return Object.hasOwn(table, name) ? table[name]! : null;
}

/** Null: not known. */
export function builderOf(opcode: string, modifiers: readonly string[]): Build | null {
  const other = own(others, opcode);
  if (other !== null) return other;
  if (modifiers.includes("approx") || modifiers.includes("full")) return own(approximate, opcode);
  const float = modifiers.some((m) => (typeNamed(m)?.format ?? null) !== null);
  return own(float ? floats : integers, opcode);
}

/** The first words that are known, sorted. */
export function knownInstructions(): readonly string[] {
  return [...new Set([others, approximate, floats, integers].flatMap((t) => Object.keys(t)))].sort();
}
