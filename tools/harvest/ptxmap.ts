/**
 * Step `ptxmap`: which machine instructions ptxas chooses for each PTX instruction, from the results of `compile`. What is
 * kept is the mnemonics of both sides. Where a kernel tests its instruction between set-up code (addresses, loads of the
 * operands, stores of the result), that code is left out on both sides.
 */
import { folded, mnemonicOf, unfolded } from "./gates.js";
import { type Level, type PtxRow, REFUSED } from "./ptx.js";

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

/** Where a kernel was compiled: level and target, `O3 90a`. */
export interface Column {
  readonly level: Level;
  readonly sm: string;
}

const LEVELS: readonly Level[] = ["O0", "O3"];
const HEAD = `# Machine instructions that ptxas 13.0.88 chooses: written by tools/harvest/index.ts ptxmap.
# PTX instructions (braces join those that differ in one word); under them one line per choice: levels and targets where it holds,
# mnemonics for operands in registers ("*3": three in a row). Where a compiled target is not named the instruction is refused. Set-up code of the test is
# left out. Compiled:
`;

/** `O0 75,80-89 O3 all`: targets by level, in the order of `all`; neighbours there make a range. */
export function columnsText(columns: readonly Column[], all: readonly Column[]): string {
  return LEVELS.flatMap((level) => {
    const order = all.filter((c) => c.level === level).map((c) => c.sm);
    const mine = new Set(columns.filter((c) => c.level === level).map((c) => c.sm));
    if (mine.size === 0) return [];
    if (mine.size === order.length) return [`${level} all`];
    const runs: string[][] = [];
    order.forEach((sm, i) => {
      if (!mine.has(sm)) return;
      if (i > 0 && mine.has(order[i - 1]!)) runs.at(-1)!.push(sm);
      else runs.push([sm]);
    });
    return [`${level} ${runs.map((r) => (r.length > 2 ? `${r[0]}-${r.at(-1)}` : r.join())).join()}`];
  }).join(" ");
}

function columnsOf(text: string, all: readonly Column[]): Column[] {
  const words = text.split(" ");
  return LEVELS.flatMap((level) => {
    const at = words.indexOf(level);
    if (at < 0) return [];
    const order = all.filter((c) => c.level === level);
    const place = (sm: string): number => order.findIndex((c) => c.sm === sm);
    return words[at + 1]! === "all"
      ? order
      : words[at + 1]!.split(",").flatMap((range) => {
          const [from, to = from] = range.split("-") as [string, string?];
          return order.slice(place(from), place(to) + 1);
        });
  });
}

/**
 * Rows of PTX lines and what became of them, in the order of the kernels, by column → text. The first kernel of a PTX
 * instruction that is not refused speaks for it: the lists begin with operands in registers.
 */
export function ptxMapText(tables: readonly (readonly [column: Column, rows: Iterable<PtxRow>])[]): string {
  const all = tables.map(([c]) => c);
  const found = new Map<string, Map<number, string>>();
  tables.forEach(([, rows], column) => {
    for (const [tested, sass] of rows) {
      if (sass.startsWith(REFUSED)) continue;
      const ptx = testedPtx(tested);
      if (ptx === null) continue;
      const by = found.get(ptx) ?? new Map<number, string>();
      found.set(ptx, by);
      if (!by.has(column)) by.set(column, chosenSass(sass, mnemonicOf(tested).includes(" ")));
    }
  });
  const groups = new Map<string, string[]>();
  for (const [ptx, by] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const where = new Map<string, Column[]>();
    for (const [column, text] of [...by].sort(([a], [b]) => a - b)) {
      where.set(text, [...(where.get(text) ?? []), all[column]!]);
    }
    const key = [...where].map(([text, columns]) => `  ${columnsText(columns, all)}: ${counted(text)}`).join("\n");
    groups.set(key, [...(groups.get(key) ?? []), ptx]);
  }
  const asked = LEVELS.flatMap((level) => {
    const sms = all.filter((c) => c.level === level).map((c) => c.sm);
    return sms.length > 0 ? [`#   ${level} ${sms.join()}`] : [];
  });
  return `${HEAD}${asked.join("\n")}\n${[...groups].map(([key, list]) => `${folded(list).join(" , ")}\n${key}\n`).join("")}`;
}

/** `MOV MOV MOV` → `MOV*3`. */
export function counted(sass: string): string {
  return sass.replace(/(?<!\S)(\S+)(?: \1(?!\S))+/g, (run, one: string) => `${one}*${run.split(" ").length}`);
}

const uncounted = (sass: string): string =>
  sass.replace(/(\S+)\*(\d+)/g, (_, one: string, n: string) => new Array(Number(n)).fill(one).join(" "));

/** What ptxas makes of PTX instructions, as `data/ptx-sass.txt` has it. */
export class PtxMap {
  /** What was compiled. */
  readonly columns: readonly Column[];
  private readonly choices = new Map<string, Map<Column, string>>();

  /** `text`: of the file. */
  constructor(text: string) {
    const lines = text.split("\n");
    this.columns = lines.flatMap((line) => {
      const m = /^# {3}(O\d) (.*)/.exec(line);
      return m ? m[2]!.split(",").map((sm) => ({ level: m[1] as Level, sm })) : [];
    });
    let names: readonly string[] = [];
    for (const line of lines) {
      if (line === "" || line.startsWith("#")) continue;
      const m = /^ {2}([^:]*): (.*)/.exec(line);
      if (!m) {
        names = line.split(" , ").flatMap(unfolded);
        for (const name of names) this.choices.set(name, new Map());
        continue;
      }
      const sass = uncounted(m[2]!);
      for (const column of columnsOf(m[1]!, this.columns))
        for (const name of names) this.choices.get(name)!.set(column, sass);
    }
  }

  /** All PTX instructions that any of the targets takes. */
  get instructions(): Iterable<string> {
    return this.choices.keys();
  }

  /**
   * Mnemonics of the machine instructions, separated by spaces; `(none)` where the instruction vanished or could not be told
   * from its neighbours. Null where ptxas refuses it, or where it was not asked: `columns` tells which.
   */
  choiceOf(ptx: string, level: Level, sm: string): string | null {
    const column = this.columns.find((c) => c.level === level && c.sm === sm);
    return (column && this.choices.get(ptx)?.get(column)) ?? null;
  }
}
