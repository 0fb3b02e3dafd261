/**
 * Mnemonics of our code beside ptxas's, as multisets. What the frame needs is left out (loads of parameters and inputs, stores,
 * thread indices); a copy is MOV however it is written, and a comparison may be its opposite, since polarity is free.
 */
import { disassemble } from "../../lib/disassemble.js";
import { readCubin } from "../../lib/elf/index.js";
import { unwrap } from "../../lib/result.js";

const frame = /^@?(LDC|ULDC|LDCU|S2R|S2UR|LDG|STG|EXIT|NOP|RET)\b/;
const copies = /^@?(MOV|IMAD\.MOV)/;
const opposite: Readonly<Record<string, string>> = { GE: "LT", NE: "EQ", LE: "GT" };

/** The mnemonic as it counts, "@" before guarded ones; null: it belongs to the frame. */
export function mnemonicOf(text: string): string | null {
  const plain = text.replace(/^@!?U?P\d+ /, "@");
  const m = plain.split(" ")[0] as string;
  if (frame.test(m)) return null;
  if (copies.test(m) || (/^@?HFMA2/.test(m) && plain.includes("-RZ, RZ"))) return m.startsWith("@") ? "@MOV" : "MOV";
  return m.replace(/^(@?U?ISETP)\.(GE|NE|LE)\b/, (_, op: string, c: string) => `${op}.${opposite[c]}`);
}

/** The multiset of each kernel of a cubin, as sorted text, by the kernel's name. */
export function mnemonicsOf(cubin: Uint8Array): Map<string, string> {
  const found = new Map<string, string>();
  for (const f of disassemble(unwrap(readCubin(cubin)))) {
    const lines = f.instructions.map((x) => x.text);
    while (/^(NOP|BRA)/.test(lines.at(-1) ?? "")) lines.pop();
    const kept = lines.map(mnemonicOf).filter((m) => m !== null);
    found.set(f.name, kept.sort().join(" "));
  }
  return found;
}

/** Words of each kernel of a cubin, by name. */
export function wordsOf(cubin: Uint8Array): Map<string, string> {
  return new Map(unwrap(readCubin(cubin)).functions.map((f) => [f.name, [...f.words].join()]));
}
