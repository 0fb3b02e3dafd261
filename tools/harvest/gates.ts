/**
 * Step `gates`: which PTX instructions each target variant (plain, `f`, `a`) takes, learned from what ptxas refuses. The
 * disassembler does not tell: plain and `a` targets decode the same words. One kernel per mnemonic goes to every variant;
 * a last line that no target takes keeps ptxas from generating code, so that the front end alone answers.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkModule } from "../../lib/ptx/check.js";
import { parse } from "../../lib/ptx/index.js";
import { tool } from "../../test/oracle/tools.js";
import { moduleText, refusals } from "./compile.js";
import { allKernels, type Kernel } from "./kernels/index.js";

export const VARIANTS: readonly string[] =
  "75 80 86 87 88 89 90 90a 100 100f 100a 103 103f 103a 110 110f 110a 120 120f 120a 121 121f 121a".split(" ");

/** Instructions of a tested line, without operands. */
export function mnemonicOf(tested: string): string {
  const inner = tested
    .replace(/^\{\s*|\s*\}$/g, "")
    .split(";")
    .map((s) => s.trim())
    .filter((s) => s !== "" && !s.startsWith(".reg"));
  return [...new Set(inner.map((s) => s.split(/\s/)[0]!))].join(" ");
}

/** One kernel per mnemonic and form of its operands: control flow, whose lines hold several statements, is left out. */
export function gateKernels(): ReadonlyMap<string, Kernel> {
  const out = new Map<string, Kernel>();
  for (const k of allKernels()) {
    const m = mnemonicOf(k.tested);
    if (/\.param|:|^@/.test(m.replaceAll("::", ""))) continue;
    if (!out.has(m)) out.set(m, k);
  }
  return out;
}

const PART = 1500;

/** Message by mnemonic, for those that a target refuses. */
export function askVariant(sm: string, kernels: ReadonlyMap<string, Kernel>): Map<string, string> {
  const out = new Map<string, string>();
  const all = [...kernels];
  const dir = mkdtempSync(join(tmpdir(), "harvest-gates-"));
  try {
    for (let i = 0; i < all.length; i += PART) {
      let part = all.slice(i, i + PART);
      for (;;) {
        const list = part.map(([, k]) => k);
        const { text, starts } = moduleText(list, sm);
        const file = join(dir, "k.ptx");
        writeFileSync(file, `${text}.visible .entry stop() {\n nothing;\n}\n`);
        const ran = tool("ptxas", [`-arch=sm_${sm}`, file, "-o", join(dir, "k.cubin")]);
        const end = text.split("\n").length;
        const lines = ran.stderr.split("\n").filter((l) => Number(/line (\d+);/.exec(l)?.[1] ?? 0) < end);
        const bad = refusals(lines.join("\n"), list, starts);
        for (const [j, message] of bad) out.set(part[j]![0], message);
        if (ran.stderr.includes("'nothing'")) break;
        // A fatal error ends the file: the rest is asked again without it.
        const last = Math.max(...bad.keys());
        if (!Number.isFinite(last)) throw new Error(`sm_${sm}: ptxas stopped early: ${ran.stderr.slice(-300)}`);
        part = part.slice(last + 1);
      }
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  return out;
}

/** Mnemonics with the same verdicts. */
export interface GateRow {
  /** Targets that take them. */
  readonly targets: readonly string[];
  /** What the others say; `#` stands for the target, `@` for the mnemonic's own words where they differ. */
  readonly messages: readonly string[];
  readonly mnemonics: readonly string[];
}

/** Rows of mnemonics that some variants take and others refuse. */
export function gateRows(
  verdicts: ReadonlyMap<string, ReadonlyMap<string, string>>,
  mnemonics: Iterable<string>,
): GateRow[] {
  const rows = new Map<string, { targets: string[]; messages: string[]; mnemonics: string[] }>();
  for (const m of mnemonics) {
    const targets: string[] = [];
    const messages = new Set<string>();
    for (const [sm, refused] of verdicts) {
      const message = refused.get(m);
      if (message === undefined) targets.push(sm);
      else messages.add(message.replaceAll(`'sm_${sm}'`, "'#'"));
    }
    if (targets.length === 0 || messages.size === 0) continue;
    const key = `${targets.join(" ")} | ${[...messages].join(" & ")}`;
    const row = rows.get(key);
    if (row) row.mnemonics.push(m);
    else rows.set(key, { targets, messages: [...messages], mnemonics: [m] });
  }
  return [...rows.values()];
}

const HEAD = `# Which target variants take which PTX instructions: written by tools/harvest/index.ts gates, from what ptxas 13.0.88 refuses.
# Three lines a row: the variants that take them, what the others are told (# is the variant), the mnemonics.
# A mnemonic is tried with one set of operands; braces join those that differ in one word.
`;

export function gatesText(rows: readonly GateRow[]): string {
  const blocks = rows.map(
    (r) => `${r.targets.join(" ")}\n${r.messages.join(" & ")}\n${folded(r.mnemonics).join(" , ")}\n`,
  );
  return `${HEAD}\n${blocks.join("\n")}`;
}

export function readGates(text: string): GateRow[] {
  return text
    .split("\n\n")
    .filter((b) => b.trim() !== "" && !b.startsWith("#"))
    .map((b) => {
      const [targets, messages, mnemonics] = b.trim().split("\n");
      return {
        targets: targets!.split(" "),
        messages: messages!.split(" & "),
        mnemonics: mnemonics!.split(" , ").flatMap(unfolded),
      };
    });
}

/** Joins mnemonics that differ in one word, word by word: `add.{f16,bf16}`. */
export function folded(mnemonics: readonly string[]): string[] {
  let list = [...mnemonics];
  const longest = Math.max(...list.map((m) => m.split(".").length));
  for (let at = 0; at < longest; at++) {
    const groups = new Map<string, string[]>();
    for (const m of list) {
      const words = m.split(".");
      const word = words[at];
      const key = word === undefined || word.includes(" ") ? `${m} alone` : words.with(at, "\0").join(".");
      groups.set(key, [...(groups.get(key) ?? []), m]);
    }
    list = [...groups].map(([key, ms]) =>
      ms.length === 1 ? ms[0]! : key.replace("\0", `{${ms.map((m) => m.split(".")[at]!).join(",")}}`),
    );
  }
  return list;
}

export function unfolded(pattern: string): string[] {
  const m = /\{([^{}]*)\}/.exec(pattern);
  if (!m) return [pattern];
  return m[1]!
    .split(",")
    .flatMap((w) => unfolded(pattern.slice(0, m.index) + w + pattern.slice(m.index + m[0].length)));
}

/** Errors of our own checks. */
export function refusedHere(kernel: Kernel, sm: string): string[] {
  const parsed = parse(moduleText([kernel], sm).text);
  const all = parsed.ok ? checkModule(parsed.value, { target: `sm_${sm}` }) : parsed.diagnostics;
  return all.filter((d) => d.severity !== "warning").map((d) => d.message);
}

export interface GateComparison {
  readonly questions: number;
  /** Both take it, or both refuse it. */
  readonly alike: number;
  /** And ptxas's first message is among ours. */
  readonly message: number;
  /** `ptxas | ours` with one example each. */
  readonly differences: ReadonlyMap<string, { count: number; readonly example: string }>;
}

/** Our checks against verdicts of ptxas, on the mnemonics that variants differ in. */
export function compareGates(
  rows: readonly GateRow[],
  verdicts: ReadonlyMap<string, ReadonlyMap<string, string>>,
  kernels: ReadonlyMap<string, Kernel>,
): GateComparison {
  let [questions, alike, message] = [0, 0, 0];
  const differences = new Map<string, { count: number; example: string }>();
  for (const m of rows.flatMap((r) => r.mnemonics))
    for (const [sm, refused] of verdicts) {
      const ours = refusedHere(kernels.get(m)!, sm);
      const theirs = refused.get(m);
      questions++;
      const same = (theirs === undefined) === (ours.length === 0);
      if (same) alike++;
      if (same && (theirs === undefined || ours.includes(theirs))) {
        message++;
        continue;
      }
      const key = `${theirs ?? "taken"} | ${ours[0] ?? "taken"}`.replaceAll(`'sm_${sm}'`, "'#'");
      const d = differences.get(key);
      if (d) d.count++;
      else differences.set(key, { count: 1, example: `sm_${sm} ${m}` });
    }
  return { questions, alike, message, differences };
}
