/** Texts straight from words are those of the decoded instructions, whatever was printed before. */

import { tableFor } from "../../lib/isa/compiled";
import { renderInst } from "../../lib/isa/text";
import { decodeCode } from "../../lib/sass/decode";
import { codeTexts } from "../../lib/sass/word-text";
import { type TargetName, target } from "../../lib/target/index";
import { random } from "../corpus/random";

/** Words of every line, all other bits random; two of three with a control word that is seldom refused. */
function randomWords(isa: number, perLine: number, seed: number): Uint32Array {
  const r = random(seed);
  const words: number[] = [];
  for (const { mask, value } of tableFor(isa).allLines())
    for (let n = 0; n < perLine; n++) {
      const word = [0, 1, 2, 3].map((k) => (r.u32() & ~mask[k]!) | value[k]!);
      if (n % 3 > 0) word[3] = (word[3]! & 0x1ff) | 0x000fe200;
      words.push(...word);
    }
  return Uint32Array.from(words);
}

test.each(["sm_75", "sm_90", "sm_100"] as const)("%s", (name: TargetName) => {
  const t = target(name);
  const words = randomWords(t.isa, 12, t.isa);
  const label = (o: { readonly value: number }): string => `L${o.value}`;
  const plain = decodeCode(words, t).map((inst) => (inst === null ? null : renderInst(inst, { isa: t.isa })));
  const labelled = decodeCode(words, t).map((inst) => (inst === null ? null : renderInst(inst, { isa: t.isa, label })));
  expect(plain.filter((text) => text !== null).length).toBeGreaterThan(plain.length / 2);
  for (let round = 0; round < 2; round++) {
    expect(codeTexts(words, t)).toEqual(plain);
    expect(codeTexts(words, t, { label })).toEqual(labelled);
  }
});
