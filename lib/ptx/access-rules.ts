import type { AccessRule, Beside } from "./spec/accesses.js";

/** The modifiers of a load or store, with what its rules ask beside them. */
export interface AccessWords {
  readonly name: string;
  readonly words: readonly string[];
  /** The state space it names. */
  readonly space: string | null;
  readonly sm: number;
  /** Of the whole access. */
  readonly bits: number;
}

/** What the rules say of an access, in their order. */
export function accessComplaints(list: readonly AccessRule[], access: AccessWords): string[] {
  const out: string[] = [];
  for (const rule of list) {
    const word = access.words.find((w) => rule.words.has(w));
    if (word === undefined) continue;
    const beside = found(rule.beside, access);
    if (beside === null) continue;
    out.push(
      rule.message
        .replace("%", word)
        .replace("$", word.slice(word.lastIndexOf(":") + 1))
        .replace("&", beside)
        .replace("@", access.name),
    );
  }
  return out;
}

/** What stands beside the word as the rule asks; null where nothing does. */
function found(beside: Beside, access: AccessWords): string | null {
  switch (beside.kind) {
    case "with":
      return access.words.find((w) => beside.words.has(w)) ?? null;
    case "without":
      return access.words.some((w) => beside.words.has(w)) ? null : "";
    case "in":
      return access.space !== null && beside.words.has(access.space) ? access.space : null;
    case "outside":
      return access.space !== null && beside.words.has(access.space) ? null : "";
    case "of":
      return access.name === beside.name ? "" : null;
    case "below":
      return access.sm < beside.sm ? "" : null;
    case "narrow":
      return access.bits === 256 ? null : "";
  }
}
