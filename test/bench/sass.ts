/**
 * Instruction rates of the codec: the corpus's machine code, function by function, its distinct words, and its words with
 * random operands, for which nothing is kept from before. `decode+print` goes from words to text; `through objects` makes the
 * instruction in between.
 */
import { compile } from "../../lib/compile.js";
import { codeTexts, decodeCode, decodeInst, encodeInst, isEncodable, renderInst } from "../../lib/sass/index.js";
import { type Target, target } from "../../lib/target/index.js";
import { corpus, corpusPtx, corpusTargets } from "../corpus/cases.js";
import { random } from "../corpus/random.js";
import { perSecond, row } from "./measure.js";

export function benchSass(): void {
  console.log("\nmachine code: million instructions per second of processor time");
  row(["words", "count", "decode", "decode+print", "through objects", "encode"]);
  for (const name of corpusTargets) {
    const t = target(name);
    const functions = corpus.flatMap((c) =>
      compile(corpusPtx(c.name, name), { target: name, opt: 0 }).functions.map((f) => f.code!.words),
    );
    const distinct = distinctWords(functions);
    for (const [what, parts] of [
      ["corpus", functions],
      ["distinct", [distinct]],
      ["random", [randomOperands(distinct, t)]],
    ] as const) {
      const insts = parts.flatMap((p) => decodeCode(p, t)).map((i) => i!);
      const out = new Uint32Array(4);
      const rate = (body: () => void): string => ((insts.length * perSecond(body)) / 1e6).toFixed(2);
      row([
        `${name} ${what}`,
        String(insts.length),
        rate(() => {
          for (const words of parts) decodeCode(words, t);
        }),
        rate(() => {
          for (const words of parts) codeTexts(words, t);
        }),
        rate(() => {
          for (const words of parts) for (const inst of decodeCode(words, t)) renderInst(inst!, { isa: t.isa });
        }),
        rate(() => {
          for (let i = 0; i < insts.length; i++) encodeInst(insts[i]!, t, out, 0, 16 * i);
        }),
      ]);
    }
  }
}

function distinctWords(functions: readonly Uint32Array[]): Uint32Array {
  const seen = new Map<string, Uint32Array>();
  for (const words of functions)
    for (let at = 0; at < words.length; at += 4) {
      const word = words.slice(at, at + 4);
      seen.set(word.join(), word);
    }
  return Uint32Array.from([...seen.values()].flatMap((w) => [...w]));
}

/** Each word with bits 71:16 random, if that is an instruction. */
function randomOperands(words: Uint32Array, t: Target): Uint32Array {
  const r = random(t.isa);
  const out: number[] = [];
  for (let at = 0; at < words.length; at += 4)
    for (let n = 0; n < 4; n++) {
      const word = words.slice(at, at + 4);
      word[0] = (word[0]! & 0xffff) | (r.u32() & 0xffff0000);
      word[1] = r.u32();
      word[2] = (word[2]! & ~0xff) | r.below(256);
      const inst = decodeInst(word, 0, t);
      if (inst !== null && isEncodable(inst, t)) out.push(...word);
    }
  return Uint32Array.from(out);
}
