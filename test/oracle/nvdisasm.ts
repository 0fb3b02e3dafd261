/**
 * nvdisasm on bare words, in batches. `--binary` reads a whole file, complains about every bad word by its address and
 * then prints nothing: those words are taken out and the rest is asked again.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inScratch, type Ran, tool } from "./tools.js";

/** What nvdisasm makes of words. */
export interface Disassembled {
  /** Text of each word; null for words that it refuses and for those that it takes but prints as nothing. */
  readonly text: readonly (string | null)[];
  readonly refused: ReadonlySet<number>;
}

/** Text of each word (four u32 each) as code at byte 16·index; null for words that the tool refuses. */
export function disassembleWords(sm: number, words: Uint32Array): (string | null)[] {
  return [...askWords(sm, words).text];
}

/** As `disassembleWords`, and which words are refused; `fatal` are those that end the tool, they count as refused. */
export function askWords(
  sm: number,
  words: Uint32Array,
  fatal: (index: number) => boolean = () => false,
): Disassembled {
  const text: (string | null)[] = new Array(words.length >> 2).fill(null);
  const refused = new Set<number>();
  inScratch((dir) => {
    const file = join(dir, "words.bin");
    const kept = words.slice();
    const asked = (part: Uint32Array): Ran => {
      writeFileSync(file, new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
      return tool("nvdisasm", ["--binary", `SM${sm}`, "-raw", file]);
    };
    for (let i = 0; i < text.length; i++) {
      if (!fatal(i)) continue;
      refused.add(i);
      kept.set(nop, 4 * i);
    }
    for (let round = 0; round < 60; round++) {
      const ran = asked(kept);
      if (ran.status === 0) {
        readLines(ran.stdout, text, refused);
        return;
      }
      if (!dropBad(ran.stderr, kept, refused)) throw new Error(`nvdisasm: ${ran.stderr.slice(0, 300)}`);
    }
    throw new Error("nvdisasm: too many rounds");
  });
  return { text, refused };
}

/** NOP, so that the words after keep their addresses. */
export const nop: readonly number[] = [0x00007918, 0, 0, 0x000fe200];

function dropBad(stderr: string, kept: Uint32Array, refused: Set<number>): boolean {
  let any = false;
  for (const m of stderr.matchAll(/address 0x([0-9a-f]+)/g)) {
    const i = Number.parseInt(m[1]!, 16) >> 4;
    if (refused.has(i)) continue;
    refused.add(i);
    kept.set(nop, 4 * i);
    any = true;
  }
  return any;
}

function readLines(stdout: string, out: (string | null)[], refused: ReadonlySet<number>): void {
  for (const m of stdout.matchAll(/\/\*([0-9a-f]{4,})\*\/\s+([^;]*?)\s*;/g)) {
    const i = Number.parseInt(m[1]!, 16) >> 4;
    if (!refused.has(i)) out[i] = m[2]!.replace(/\s+/g, " ");
  }
}

/** Words of the `.text` sections of a cubin, by section name. */
export function textSections(path: string): Map<string, Uint32Array> {
  const d = readFileSync(path);
  const at = Number(d.readBigUInt64LE(0x28));
  const count = d.readUInt16LE(0x3c);
  const header = (i: number) => {
    const p = at + 64 * i;
    return {
      name: d.readUInt32LE(p),
      type: d.readUInt32LE(p + 4),
      offset: Number(d.readBigUInt64LE(p + 24)),
      size: Number(d.readBigUInt64LE(p + 32)),
    };
  };
  const names = header(d.readUInt16LE(0x3e)).offset;
  const out = new Map<string, Uint32Array>();
  for (let i = 0; i < count; i++) {
    const h = header(i);
    const end = d.indexOf(0, names + h.name);
    const name = d.toString("latin1", names + h.name, end);
    if (!name.startsWith(".text.") || h.type === 8) continue;
    const bytes = new Uint8Array(h.size);
    bytes.set(d.subarray(h.offset, h.offset + h.size));
    out.set(name.slice(6), new Uint32Array(bytes.buffer));
  }
  return out;
}
