/** What code decides about control flow: branches, indirect branches, convergence regions, copies of the body's operation. */
import { disassemble } from "../../lib/disassemble.js";
import { readCubin } from "../../lib/elf/index.js";
import { unwrap } from "../../lib/result.js";

/** Mnemonic (with `@` before guarded ones) → how often. */
export type Bag = Readonly<Record<string, number>>;

const bodyOperation: Readonly<Record<string, RegExp>> = {
  imad: /^IMAD$/,
  ffma: /^FFMA/,
  mufu: /^MUFU/,
  ldg: /^LDG/,
  stg: /^STG/,
  lds: /^LDS/,
  sts: /^STS/,
  dfma: /^DFMA/,
};

/** The decision in words that can be compared. */
export function decisionOf(bag: Bag, kind: string): string {
  const count = (re: RegExp): number =>
    Object.entries(bag).reduce((n, [m, k]) => n + (re.test(m.replace("@", "")) ? k : 0), 0);
  const op = bodyOperation[kind];
  const body = op === undefined ? "" : ` body ${count(op)}`;
  return `branches ${count(/^BRA/)} indirect ${count(/^(BRX|JMX)/)} regions ${count(/^BSSY/)}${body}`;
}

/** Instructions per kernel, the padding at the end left out. */
export function listings(cubin: Uint8Array): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const f of disassemble(unwrap(readCubin(cubin)))) {
    const lines = f.instructions.map((x) => x.text);
    while (/^(NOP|BRA)/.test(lines.at(-1) ?? "")) lines.pop();
    found.set(f.name, lines);
  }
  return found;
}

export function bagOf(lines: readonly string[]): Bag {
  const bag: Record<string, number> = {};
  for (const line of lines) {
    const [first = "", second = ""] = line.split(" ");
    const m = first.startsWith("@") ? `@${second}` : first;
    bag[m] = (bag[m] ?? 0) + 1;
  }
  return bag;
}
