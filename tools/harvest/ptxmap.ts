/**
 * Step `ptxmap`: which machine instructions ptxas chooses for each PTX instruction, from the results of `compile`. What is
 * kept is the mnemonics of both sides. Where a kernel tests its instruction between set-up code (addresses, loads of the
 * operands, stores of the result), that code is left out on both sides.
 */
import { folded, mnemonicOf } from "./gates.js";
import { REFUSED } from "./ptx.js";

const PTX_SETUP =
  /^(mov\.|mad\.lo\.u32$|add\.u32$|mul\.wide\.u32$|add\.s64$|ld\.param\.|ld\.global\.[busf]\d+$|st\.global\.b\d+$|cvt\.u32\.u8$)/;
const SASS_SETUP =
  /^(LDG|STG|U?MOV|IMAD\.(MOV|U32|WIDE|IADD)|S2U?R|U?LEA|ULDC|LDCU?|R2UR|U?I?ADD3?|UIADD3|VIADD|PRMT|NOP|ELECT|PLOP3|CS2R|U?SHF)\b/;

/** The instruction that a line tests. */
export function testedPtx(tested: string): string | null {
  const m = mnemonicOf(tested);
  if (m === "" || /\.param$|:|^@/.test(m.replaceAll("::", ""))) return null;
  const all = m.split(" ");
  const own = all.filter((x) => !PTX_SETUP.test(x));
  return own.length > 0 ? own.join(" ") : all[0]!;
}

/** Mnemonics of the machine instructions; of several equal ones in a row one, where there is set-up code. */
export function chosenSass(sass: string, setup: boolean): string {
  const all = sass.split(" ; ").map((t) => t.replace(/^@!?U?P\w+ /, "").split(" ")[0]!);
  if (!setup) return all.join(" ");
  const own = all.filter((x) => !SASS_SETUP.test(x));
  return (own.length > 0 ? own : all).filter((x, i, list) => x !== list[i - 1]).join(" ");
}

/** Rows of `ptx-O3.tsv` by target → text: rows of targets and sequences, and the PTX instructions that they stand for. */
export function ptxMapText(tables: ReadonlyMap<string, readonly string[]>, level: string): string {
  const found = new Map<string, Map<string, Set<string>>>();
  for (const [sm, rows] of tables)
    for (const row of rows) {
      const [tested, sass] = row.split("\t") as [string, string];
      if (sass.startsWith(REFUSED)) continue;
      const ptx = testedPtx(tested);
      if (ptx === null) continue;
      const by = found.get(ptx) ?? new Map<string, Set<string>>();
      found.set(ptx, by);
      by.set(sm, (by.get(sm) ?? new Set()).add(chosenSass(sass, mnemonicOf(tested).includes(" "))));
    }
  const groups = new Map<string, string[]>();
  for (const [ptx, by] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const targets = new Map<string, string[]>();
    for (const [sm, chosen] of by) {
      const text = [...chosen].sort().join(" | ");
      targets.set(text, [...(targets.get(text) ?? []), sm]);
    }
    const key = [...targets].map(([text, sms]) => `  ${sms.join(",")}: ${text}`).join("\n");
    groups.set(key, [...(groups.get(key) ?? []), ptx]);
  }
  const head = `# Machine instructions that ptxas 13.0.88 -${level} chooses: written by tools/harvest/index.ts ptxmap --level ${level}.
# PTX instructions (braces join those that differ in one word), then per target what one of them becomes: mnemonics, "|" between
# the choices for different operands (registers, constants, parameters). Set-up code of the test is left out.
`;
  return `${head}${[...groups].map(([key, list]) => `${folded(list).join(" , ")}\n${key}\n`).join("")}`;
}
