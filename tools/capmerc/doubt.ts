/**
 * What lines claim beyond the evidence, so that nvlink can be asked: words with a modifier that no measured word of the same line has
 * beside the same zero registers, and words with a zero register, or none, where no measured word of the line has that.
 */
import { capsuleOf } from "../../lib/elf/cubin/capmerc-derive.js";
import type { MercuryTable } from "../../lib/elf/cubin/capmerc-lines.js";
import { decodeCode, renderInst } from "../../lib/sass/index.js";
import { type TargetName, target as targetOf } from "../../lib/target/index.js";
import { PT, RZ, setBit } from "./bits.js";
import { isGenerated, type Unit } from "./evidence.js";
import { type Leaf, lineKnows } from "./leaf.js";
import type { Said } from "./probe.js";
import { bitsAt, type Operand, shapeOf } from "./shape.js";

/** Any control word that no instruction refuses: stall 1, no scoreboards. */
const CONTROL = 0x7f1 << 9;
/** Fields of more bits are numbers, no modifiers. */
const MODIFIER = 8;
/** A register and a predicate that are not zero; every alignment takes the register. */
const REGISTER = 8;
const PREDICATE = 1;

/** One SM of each kind: what the words of a line mean may depend on it. */
export const judges: readonly TargetName[] = ["sm_100", "sm_103", "sm_110", "sm_120"];

function put(w: Uint32Array, from: number, length: number, value: number): Uint32Array {
  const out = w.slice();
  for (let i = 0; i < length; i++) {
    const b = from + i;
    out[b >> 5] = (out[b >> 5]! & ~(1 << (b & 31))) >>> 0;
    if ((value >> i) & 1) setBit(out, b);
  }
  return out;
}

/** Lines for words alone, by opcode, in the order in which they decide. */
function lineFinder(leaves: readonly Leaf[]): (w: Uint32Array) => Leaf | undefined {
  const by = new Map<number, Leaf[]>();
  for (const l of leaves) {
    if (l.shape.words > 1 || l.context !== "-") continue;
    const opcode = l.value[0]! & 0xfff;
    const list = by.get(opcode);
    if (list === undefined) by.set(opcode, [l]);
    else list.push(l);
  }
  return (w) => by.get(w[0]! & 0xfff)?.find((l) => lineKnows(l, w));
}

/** Whether the instruction table of an SM has a word, without names for values that do not exist. */
export function isLegal(word: Uint32Array, arch: TargetName): boolean {
  const w = word.slice();
  w[3] = (w[3]! & 0x1ff) | CONTROL;
  const target = targetOf(arch);
  const inst = decodeCode(w, target)[0] ?? null;
  return inst !== null && !/INVALID|\?\?\?/.test(renderInst(inst, { isa: target.isa }));
}

/** Words in no order that matters; each once. */
export function claims(leaves: readonly Leaf[], units: readonly Unit[]): Uint32Array[] {
  const lineOf = lineFinder(leaves);
  const measured = new Map<Leaf, Uint32Array[]>();
  for (const { words, context, item } of units) {
    if (words.length > 1 || context !== "-") continue;
    if (item !== "1" && isGenerated(Uint8Array.from(Buffer.from(item, "hex")))) continue;
    const line = lineOf(words[0]!);
    // Where code goes depends on where the word stands.
    if (line === undefined || line.item === "?" || line.shape.operands.some((o) => o.kind === "label")) continue;
    const list = measured.get(line);
    if (list === undefined) measured.set(line, [words[0]!]);
    else list.push(words[0]!);
  }
  const out = new Map<string, Uint32Array>();
  for (const [line, words] of measured)
    for (const w of beyond(line, words))
      if (lineOf(w) === line && shapeOf([w])?.name === line.shape.name && judges.some((arch) => isLegal(w, arch)))
        out.set(w.join(), w);
  return [...out.values()];
}

const zero = (o: Operand): number => (o.kind === "r" ? RZ : PT);

function beyond({ shape }: Leaf, words: readonly Uint32Array[]): Uint32Array[] {
  const modifiers = shape.groups.filter((g) => g.length <= MODIFIER);
  const operands = shape.operands.filter((o) => o.kind === "r" || o.kind === "p");
  const pattern = (w: Uint32Array): string =>
    operands.map((o) => (bitsAt(w, o.from, o.length) === zero(o) ? "z" : "x")).join("");
  const first = new Map<string, Uint32Array>();
  const seen = new Set<string>();
  for (const w of words) {
    const p = pattern(w);
    if (!first.has(p)) first.set(p, w);
    modifiers.forEach((g, k) => {
      seen.add(`${k} ${bitsAt(w, g.from, g.length)} ${p}`);
    });
  }
  const out: Uint32Array[] = [];
  for (const [p, w] of first) {
    modifiers.forEach((g, k) => {
      for (let v = 0; v < 2 ** g.length; v++) if (!seen.has(`${k} ${v} ${p}`)) out.push(put(w, g.from, g.length, v));
    });
    operands.forEach((o, k) => {
      const other = p[k] === "z" ? (o.kind === "r" ? REGISTER : PREDICATE) : zero(o);
      const changed = put(w, o.from, o.length, other);
      if (!first.has(pattern(changed))) out.push(changed);
    });
  }
  return out;
}

/** What a table says of a word alone, and of how many bytes; null where it says nothing. */
export function saidOf(word: Uint32Array, arch: TargetName, table: MercuryTable): (Said & { size: number }) | null {
  // The loop that closes a function follows.
  const words = Uint32Array.from([...word, 0x00fc7947, 0xfffffffc, 0x0383ffff, 0x000fc000]);
  const made = capsuleOf(words, 1, { paramBase: targetOf(arch).constants.paramBase, compiled: true, table });
  return "unknown" in made ? null : { word, item: made.units[0]!.item, size: made.addresses[1]! };
}
