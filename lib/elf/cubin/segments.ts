/**
 * Program headers (measured on ptxas 13.0.88). Runs of allocated sections with the same permissions make a segment each; before
 * sm_90 constants and code share one that can be executed.
 */
import { type ElfSegment, PF, PT, roundUp, SHF, SHT } from "../elf64.js";
import type { PlacedSection } from "../elf64-write.js";
import { SHF_MERCURY } from "./sections.js";

interface Run {
  flags: number;
  readonly sections: PlacedSection[];
}

function runsOf(placed: readonly PlacedSection[], modern: boolean): Run[] {
  const runs: Run[] = [];
  for (const p of placed) {
    const { flags } = p.draft;
    if ((flags & SHF.Alloc) === 0 || (flags & SHF_MERCURY) !== 0) continue;
    const execute = !modern || (flags & SHF.Exec) !== 0;
    const want = (flags & SHF.Write) !== 0 ? PF.R | PF.W : execute ? PF.R | PF.X : PF.R;
    const last = runs[runs.length - 1];
    if (last !== undefined && last.flags === want) last.sections.push(p);
    else runs.push({ flags: want, sections: [p] });
  }
  return runs;
}

/** Bytes that the run covers in the file, up to where its first section without contents would begin. */
function fileSize(run: Run): number {
  const start = run.sections[0]!.offset;
  let end = start;
  for (const p of run.sections) {
    end = Math.max(end, p.offset + p.filesz);
    if (p.draft.type === SHT.Nobits) break;
  }
  return end - start;
}

function memorySize(run: Run): number {
  let size = fileSize(run);
  for (const p of run.sections) if (p.draft.type === SHT.Nobits) size = roundUp(size, p.draft.align) + p.memsz;
  return size;
}

export function segments(placed: readonly PlacedSection[], tableOffset: number, modern: boolean): ElfSegment[] {
  const runs = runsOf(placed, modern);
  const count = runs.length + 2;
  const table = (type: number): ElfSegment => ({
    type,
    flags: modern ? PF.R : PF.R | PF.X,
    offset: tableOffset,
    vaddr: 0,
    paddr: 0,
    filesz: count * 56,
    memsz: count * 56,
    align: 8,
  });
  const loads = runs.map((run) => ({
    type: PT.Load,
    flags: run.flags,
    offset: run.sections[0]!.offset,
    vaddr: 0,
    paddr: 0,
    filesz: fileSize(run),
    memsz: memorySize(run),
    align: 8,
  }));
  const phdr = table(PT.Phdr);
  const own = table(PT.Load);
  return modern ? [phdr, own, ...loads] : [phdr, ...loads, own];
}
