/**
 * Step `compare`: a harvested map against the instruction table of lib/isa. Every encoding must have a line, and
 * every value of every enumeration that the harvest saw must be known: the word is taken, and its text is what the map
 * says. Asks no tool.
 */

import { tableFor } from "../../lib/isa/compiled.js";
import { renderInst } from "../../lib/isa/text.js";
import { decodeInst } from "../../lib/sass/decode.js";
import type { Target } from "../../lib/target/index.js";
import { type MapReader, predictText, type ReadEntry } from "./map.js";
import { agree, relative, tokens } from "./text.js";
import { hexWord, keyName, setField, type Word, wordFromHex } from "./word.js";

export interface TableDifference {
  readonly key: string;
  readonly mnemonic: string;
  /** Lowest bit and width of the field, null for the base word. */
  readonly field: string | null;
  readonly kind: "no line" | "refused here" | "text";
  /** Values of the field. */
  readonly values: readonly string[];
  /** Word, text of the map, text of the table. */
  readonly example: string;
}

export interface TableComparison {
  readonly encodings: number;
  readonly without: readonly string[];
  readonly words: number;
  readonly known: number;
  readonly differences: readonly TableDifference[];
}

/** Largest table of which every value is compared; of larger ones as many, evenly spread. */
const VALUES = 512;

export function compareTable(map: MapReader, target: Target): TableComparison {
  const table = tableFor(target.isa);
  const without: string[] = [];
  const found = new Map<string, { d: TableDifference; values: string[] }>();
  let words = 0;
  let known = 0;
  for (const [key, entries] of [...map.byKey].sort(([a], [b]) => a - b)) {
    if (table.at(key).lines.length === 0) {
      without.push(`${keyName(key)} ${entries[0]!.map.mnemonic}`);
      continue;
    }
    for (const e of entries) {
      let base: string | null = null;
      for (const { word, field, value } of wordsOf(e)) {
        words++;
        const fault = faultOf(e, word, target);
        if (fault === null) {
          known++;
          continue;
        }
        if (field === null) base = fault.kind;
        // Follows from the base word's fault.
        else if (base === fault.kind) continue;
        const d = {
          key: keyName(key),
          mnemonic: e.map.mnemonic ?? "?",
          field,
          kind: fault.kind,
          example: fault.example,
        };
        const id = [d.key, d.field, d.kind].join();
        const same = found.get(id);
        if (same) same.values.push(value);
        else found.set(id, { d: { ...d, values: [] }, values: [value] });
      }
    }
  }
  const differences = [...found.values()].map(({ d, values }) => ({ ...d, values: [...new Set(values)] }));
  return { encodings: map.byKey.size, without, words, known, differences };
}

/** The base word, and a word for each value of each enumeration. */
function* wordsOf(e: ReadEntry): Generator<{ word: Word; field: string | null; value: string }> {
  const base = wordFromHex(e.map.base);
  yield { word: base, field: null, value: "" };
  for (const f of e.fields) {
    const values = Object.keys(f.map.values ?? {});
    const step = Math.max(1, values.length / VALUES);
    for (let i = 0; i < values.length; i += step) {
      const value = values[Math.floor(i)]!;
      const word = base.slice();
      setField(word, f.bits, BigInt(value));
      yield { word, field: `${f.bits[0]}:${f.map.width}`, value };
    }
  }
}

function faultOf(e: ReadEntry, word: Word, target: Target): { kind: "refused here" | "text"; example: string } | null {
  const said = predictText(e, word);
  // A value that the map knows only beside others.
  if (said === null) return null;
  const inst = decodeInst(word, 0, target, 0);
  if (inst === null) return { kind: "refused here", example: `${hexWord(word)} ${said.join(" ")}` };
  const text = renderInst(inst, { isa: target.isa });
  const t = tokens(text);
  if (agree(said, e.map.pc_relative ? relative(t, 0) : t)) return null;
  return { kind: "text", example: `${hexWord(word)} ${said.join(" ")} | ${text}` };
}
