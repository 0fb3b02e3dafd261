/**
 * Is each control word one that the machine knows? (read off which words nvdisasm refuses,
 * and held against every word of ptxas's corpus output.)
 */
import { controlOf } from "../sass/decode.js";
import type { Paths } from "./paths.js";
import type { Report } from "./report.js";
import { drains, type Sites } from "./sites.js";

export function checkWords(
  sites: Sites,
  paths: Paths,
  reached: readonly boolean[],
  words: Uint32Array,
  report: Report,
): void {
  paths.blocks.forEach((b, id) => {
    if (!reached[id]) return;
    for (let i = b.start; i < b.end; i++) checkWord(sites, words, i, i === b.end - 1 && paths.jumps[id] === 1, report);
    if (paths.open[id] === 1)
      report.alone("unknown", b.end - 1, "goes where no table says: what is after it was checked from its start only");
  });
}

function checkWord(sites: Sites, words: Uint32Array, i: number, jumps: boolean, report: Report): void {
  const inst = sites.insts[i] ?? null;
  if (inst === null) {
    report.alone("unknown", i, "is not in the instruction table: what it reads and writes is not known");
    return;
  }
  const c = controlOf(words[4 * i + 3]!);
  const t = sites.timing[i]!;
  const least = jumps ? 1 : t.minStall;
  if (sites.illegal[i] === 1)
    report.alone("control", i, `stall ${c.stall}, yield ${c.yield} and reuse ${c.reuse} do not go together here`);
  if (c.writeSb === 6 || c.readSb === 6) report.alone("control", i, "scoreboard 6 does not exist");
  if (c.writeSb < 6 && !t.write) report.alone("control", i, `sets SB${c.writeSb} for a result, but never lowers it`);
  if (c.readSb < 6 && !t.read) report.alone("control", i, `sets SB${c.readSb} for its operands, but never lowers it`);
  for (let s = 0; s < 4; s++)
    if ((c.reuse >> s) & 1 && c.yield === 1 && sites.reuseUnit[4 * i + s]! < 0)
      report.alone("control", i, `keeps operand ${s} for reuse, which is no register`);
  if (c.stall < least && !drains(c))
    report.alone("stall", i, `holds back the next instruction ${c.stall} cycles, ${least} are needed`, least, c.stall);
}
