/**
 * Words that ptxas never wrote: nvlink is asked whether each stands for itself. They are put, as such, at the beginning of a small function;
 * those that it makes again from what it took them for are said truly. `Bytes` of each come with the answer (sizesOf).
 */
import { compile } from "../../lib/compile.js";
import { EIATTR } from "../../lib/elf/cubin/attributes.js";
import { readCapsule, writeCapsule } from "../../lib/elf/cubin/capmerc.js";
import { decodeInfo, encodeInfo, infoWords, wordsRecord } from "../../lib/elf/cubin/info.js";
import type { TargetName } from "../../lib/target/index.js";
import { CAPSULE, finalizing, linked, replaced, sectionsOf, wordsOf } from "./objects.js";

const CARRIER = (arch: string): string =>
  `.version 9.0\n.target ${arch}\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n`;

/** Words of one question. */
const MOST = 1500;

/**
 * For each word the bytes of the Mercury instruction, 0 where it does not stand for itself; with `item`, four bytes that name one, whether
 * the word is that.
 */
export function probe(
  dir: string,
  words: readonly Uint32Array[],
  arch: TargetName,
  item: Uint8Array | null = null,
): number[] {
  return probeItems(
    dir,
    words.map((word) => ({ word, item })),
    arch,
  );
}

/** A word and what is said of it: an item, or null where it is to stand for itself. */
export interface Said {
  readonly word: Uint32Array;
  readonly item: Uint8Array | null;
}

/** The same where an item is said of each word; records may be whole. */
export function probeItems(dir: string, said: readonly Said[], arch: TargetName): number[] {
  const carrier = compile(CARRIER(arch), { target: arch, opt: 1, relocatable: true }).cubin;
  if (carrier === null) throw new Error(`no carrier for ${arch}`);
  return ask(dir, said, arch, carrier);
}

function ask(dir: string, said: readonly Said[], arch: TargetName, carrier: Uint8Array): number[] {
  if (said.length === 0) return [];
  const sizes = said.length > MOST ? null : once(dir, said, arch, carrier);
  if (sizes !== null) return sizes;
  if (said.length === 1) return [0];
  const half = said.length >> 1;
  return [...ask(dir, said.slice(0, half), arch, carrier), ...ask(dir, said.slice(half), arch, carrier)];
}

/** Null if nvlink refuses or the answers cannot be told apart. */
function once(dir: string, said: readonly Said[], arch: TargetName, carrier: Uint8Array): number[] | null {
  const words = said.map((s) => s.word);
  const sections = sectionsOf(carrier);
  const text = wordsOf(sections.get(".text.k")!);
  const all = new Uint32Array(words.length * 4 + text.length);
  words.forEach((w, i) => {
    all.set(w, i * 4);
  });
  all.set(text, words.length * 4);
  const old = readCapsule(sections.get(`${CAPSULE}k`)!)!;
  const count = all.length / 4;
  const capsule = writeCapsule({
    textSection: old.textSection,
    units: [
      ...said.map(({ item }, first) => ({ first, words: 1, item })),
      ...old.units.map((u) => ({ ...u, first: u.first + words.length })),
    ],
  });
  const records = decodeInfo(sections.get(".nv.merc.nv.info.k")!);
  if (!records.ok) throw new Error("unreadable");
  const asked = Array.from({ length: count * 2 }, (_, i) => i * 16);
  const change = finalizing(sections);
  change.set(".text.k", new Uint8Array(all.buffer));
  change.set(`${CAPSULE}k`, capsule);
  const kept = records.value.filter((r) => r.code !== EIATTR.EXIT_INSTR_OFFSETS);
  change.set(".nv.merc.nv.info.k", encodeInfo([...kept, wordsRecord(EIATTR.EXIT_INSTR_OFFSETS, asked)]));
  const made = linked(dir, replaced(carrier, change), arch.slice(3));
  if (typeof made === "string") return null;
  const out = sectionsOf(made);
  const again = wordsOf(out.get(".text.k")!);
  const info = decodeInfo(out.get(".nv.info.k") ?? new Uint8Array(0));
  if (!info.ok) return null;
  const answer = info.value.filter((r) => r.code === EIATTR.EXIT_INSTR_OFFSETS).flatMap(infoWords);
  if (answer.length !== asked.length) return null;
  const starts = answer.flatMap((to, i) => (to !== 0 || i === 0 ? [{ mercury: i * 16, text: to }] : []));
  // A word that is dropped or becomes several moves all that follow.
  if (again.length < (words.length + 2) * 4 || starts.length < words.length + 1) return null;
  if (starts.slice(0, words.length + 1).some((s, i) => s.text !== i * 16)) return null;
  for (let k = 0; k < 8; k++) if (again[words.length * 4 + k] !== text[k] && k % 4 !== 3) return null;
  return words.map((w, i) => {
    const at = i * 4;
    const same = [0, 1, 2].every((k) => again[at + k] === w[k]) && ((again[at + 3]! ^ w[3]!) & 0x1ff) === 0;
    return same ? starts[i + 1]!.mercury - starts[i]!.mercury : 0;
  });
}
