/**
 * Evidence: every different unit of the capsules that ptxas writes, a line each:
 *
 *     WORDS CONTEXT ITEM SIZE COUNT
 *
 * WORDS: bits 104:0 of each word in hexadecimal, joined by `+`. CONTEXT: `L` for the lower half of a 64-bit comparison, the opcode of
 * the instruction that lanes execute together next for a WARPSYNC alone, else `-`. ITEM: hexadecimal, or `1` where the word stands
 * for itself. SIZE: bytes of the Mercury instruction by nvlink, 0 where it was not asked.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SEVERAL } from "../../lib/elf/cubin/capmerc.js";
import { bodyLength, follower, lowerHalf } from "../../lib/elf/cubin/capmerc-derive.js";
import { quad } from "../../lib/elf/cubin/capmerc-lines.js";
import { type FunctionFacts, functionsOf, sectionsOf, sizesOf } from "./objects.js";

export interface Unit {
  readonly words: readonly Uint32Array[];
  readonly context: string;
  readonly item: string;
  readonly size: number;
  readonly count: number;
  /** Only seen where PTX spells an instruction in a way that few programs do (logic.ts). */
  readonly rare: boolean;
}

export class Evidence {
  private readonly counts = new Map<string, number>();
  functions = 0;
  /** Objects whose sizes nvlink did not tell. */
  readonly unsized: string[] = [];

  add(dir: string, file: Uint8Array, sm: string): void {
    const functions = functionsOf(sectionsOf(file));
    if (functions.length === 0) return;
    const sizes = sizesOf(dir, file, sm);
    if (typeof sizes === "string") this.unsized.push(sizes.split("\n")[0]!);
    for (const f of functions) this.take(f, typeof sizes === "string" ? null : sizes.get(f.name)!);
  }

  private take(f: FunctionFacts, sizes: readonly number[] | null): void {
    this.functions++;
    const end = bodyLength(f.words);
    const real = f.units.filter((u) => !isGenerated(u.item));
    const agree =
      sizes !== null &&
      sizes.length >= real.length &&
      real.every((u, i) => u.item === null || recordSize(u.item) === sizes[i]);
    let at = 0;
    for (const u of f.units) {
      const generated = isGenerated(u.item);
      const size = agree && !generated ? sizes[at]! : 0;
      if (!generated) at++;
      if (u.first >= end) continue;
      const words: string[] = [];
      for (let i = 0; i < u.words; i++) words.push(wordHex(f.words, u.first + i));
      const item = u.item === null ? "1" : Buffer.from(u.item).toString("hex");
      const key = `${words.join("+")} ${contextOf(f.words, u.first, u.words, end)} ${item} ${size}`;
      this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    }
  }

  write(path: string): void {
    const lines = [...this.counts].map(([key, n]) => `${key} ${n}`).sort();
    writeFileSync(path, `${lines.join("\n")}\n`);
  }

  get distinct(): number {
    return this.counts.size;
  }
}

export function isGenerated(item: Uint8Array | null): boolean {
  return item !== null && ((item[0]! >> 4) & 7) === SEVERAL && (item[0]! & 15) === 0;
}

export function recordSize(item: Uint8Array): number {
  return (((item[0]! >> 4) & 7) === SEVERAL ? item[2]! & 15 : item[0]! & 15) * 16;
}

export function wordHex(words: Uint32Array, index: number): string {
  const b = index * 4;
  const part = (v: number): string => (v >>> 0).toString(16).padStart(8, "0");
  return (part(words[b + 3]! & 0x1ff) + part(words[b + 2]!) + part(words[b + 1]!) + part(words[b]!)).slice(5);
}

function contextOf(words: Uint32Array, first: number, count: number, end: number): string {
  if (count > 1) return "-";
  if (lowerHalf(words, first, end)) return "L";
  if ((words[first * 4]! & 0xfff) !== 0x348) return "-";
  const next = follower(words, first + 1, end);
  return next < end ? (words[next * 4]! & 0xfff).toString(16).padStart(3, "0") : "-";
}

export const evidenceFolder = ".cache/capmerc";

export function evidencePath(name: string): string {
  mkdirSync(evidenceFolder, { recursive: true });
  return join(evidenceFolder, `${name}.txt`);
}

/** The same unit of several files once. */
export function readEvidence(names: (name: string) => boolean): Unit[] {
  const merged = new Map<string, number>();
  const usual = new Set<string>();
  if (!existsSync(evidenceFolder)) throw new Error(`no evidence in ${evidenceFolder}: gather first`);
  for (const file of readdirSync(evidenceFolder).sort()) {
    if (!file.endsWith(".txt") || !names(file.slice(0, -4))) continue;
    for (const line of readFileSync(join(evidenceFolder, file), "utf8").trim().split("\n")) {
      if (line === "") continue;
      const cut = line.lastIndexOf(" ");
      const key = line.slice(0, cut);
      if (!file.startsWith("logic-")) usual.add(key);
      merged.set(key, (merged.get(key) ?? 0) + Number(line.slice(cut + 1)));
    }
  }
  return [...merged.keys()].sort().map((key) => {
    const [words, context, item, size] = key.split(" ");
    return {
      words: words!.split("+").map(quad),
      context: context!,
      item: item!,
      size: Number(size),
      count: merged.get(key)!,
      rare: !usual.has(key),
    };
  });
}
