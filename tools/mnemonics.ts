/** Multisets of mnemonics, as ours are held against ptxas's. */

/** Mnemonic → how often; `@` before guarded ones. */
export type Bag = ReadonlyMap<string, number>;

/** What stands around a body and differs by its frame alone. */
const frameOnly = /^@?(LDC|ULDC|LDCU|S2R|S2UR|LDG|STG|EXIT|NOP|RET)/;
const opposites: Readonly<Record<string, string>> = { GE: "LT", NE: "EQ", LE: "GT" };

/** A copy counts as MOV however it is written, a comparison as its opposite (the polarity of a predicate is free). */
function mnemonicOf(line: string): string {
  const text = line.replace(/^@!?U?P\d+ /, "@");
  const word = text.split(" ")[0] as string;
  if (/^@?(MOV|IMAD\.MOV)/.test(word) || (/^@?HFMA2/.test(word) && /-RZ, RZ/.test(line)))
    return word.startsWith("@") ? "@MOV" : "MOV";
  return word.replace(/^(@?U?ISETP)\.(GE|NE|LE)\b/, (_, p: string, c: string) => `${p}.${opposites[c]}`);
}

/** What the lines consist of, less loads, stores, constants, special registers and the end. */
export function mnemonicsOf(lines: readonly string[]): Bag {
  const bag = new Map<string, number>();
  for (const line of lines) {
    const word = mnemonicOf(line);
    if (!frameOnly.test(word)) bag.set(word, (bag.get(word) ?? 0) + 1);
  }
  return bag;
}

/** What the bag has beyond the frame, as text: `2 IADD3, -1 MOV`. */
export function beyond(bag: Bag, frame: Bag): string {
  const rest: string[] = [];
  for (const word of [...new Set([...bag.keys(), ...frame.keys()])].sort()) {
    const n = (bag.get(word) ?? 0) - (frame.get(word) ?? 0);
    if (n !== 0) rest.push(`${n} ${word}`);
  }
  return rest.join(", ");
}
