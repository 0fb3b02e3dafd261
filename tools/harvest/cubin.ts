/** The smallest cubin that the disassembler takes: one `.text` section per function and nothing else. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SHT } from "../../lib/elf/elf64.js";
import { type SectionDraft, StringTable, section, symbolBytes, writeElf } from "../../lib/elf/elf64-write.js";
import { textSections } from "../../test/oracle/nvdisasm.js";
import { tool } from "../../test/oracle/tools.js";
import { keyOf, type Word } from "./word.js";

/** What a target's files begin with, and the words that end a function there: EXIT and a branch to itself. */
export interface Template {
  readonly machine: number;
  readonly osabi: number;
  readonly abiVersion: number;
  readonly flags: number;
  readonly tail: readonly Word[];
}

/** Reads the template off a kernel that does nothing. */
export function templateOf(sm: string): Template {
  const dir = mkdtempSync(join(tmpdir(), "harvest-template-"));
  try {
    const ptx = join(dir, "k.ptx");
    const cubin = join(dir, "k.cubin");
    writeFileSync(ptx, `.version 9.0\n.target sm_${sm}\n.address_size 64\n.visible .entry k() { ret; }\n`);
    const ran = tool("ptxas", [`-arch=sm_${sm}`, ptx, "-o", cubin]);
    if (ran.status !== 0) throw new Error(ran.stderr);
    const head = readFileSync(cubin);
    const code = textSections(cubin).get("k")!;
    const words = Array.from({ length: code.length >> 2 }, (_, i) => code.slice(4 * i, 4 * i + 4));
    const at = words.findIndex((w) => keyOf(w) === 0x94d);
    const exit = words[at];
    const branch = words.slice(at).find((w) => keyOf(w) === 0x947);
    if (exit === undefined || branch === undefined) throw new Error(`sm_${sm}: no EXIT and BRA in an empty kernel`);
    return {
      machine: head.readUInt16LE(18),
      osabi: head[7]!,
      abiVersion: head[8]!,
      flags: head.readUInt32LE(48),
      tail: [exit, branch],
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Functions f0, f1 … of one word each, with the template's tail; `registers`: registers per thread that they say. */
export function functionsOf(t: Template, words: readonly Word[], registers = 0): Uint8Array {
  const strings = new StringTable();
  const names = section({ name: ".shstrtab", type: SHT.Strtab });
  const strtab = section({ name: ".strtab", type: SHT.Strtab });
  const symtab = section({ name: ".symtab", type: SHT.Symtab, align: 8, entsize: 24, link: strtab, info: 1 });
  const code = words.map((w, i) => {
    const data = new Uint32Array([w, ...t.tail].flatMap((x) => [...x]));
    return section({
      name: `.text.f${i}`,
      type: SHT.Progbits,
      flags: 6,
      align: 128,
      link: symtab,
      info: (registers << 24) | 4,
      data: new Uint8Array(data.buffer),
    });
  });
  const sections: SectionDraft[] = [names, strtab, symtab, ...code];
  const symbols = code.map((s, i) => ({
    name: `f${i}`,
    bind: 1,
    type: 2,
    other: 0x10,
    section: s,
    value: 0,
    size: s.data!.length,
  }));
  symtab.data = symbolBytes(symbols, strings, (s) => sections.indexOf(s) + 1);
  strtab.data = strings.bytes();
  return writeElf({ ...t, type: 2, sections, names, segments: () => [] });
}
