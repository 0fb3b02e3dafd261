/**
 * The instruction table against nvdisasm: every line of it on every SM, with random values in all fields. What the tool
 * prints as undefined (`INVALID3`, `???5`) is left out.
 */

import type { CodeLine } from "../../lib/isa/lines.js";
import { parseInst } from "../../lib/isa/parse.js";
import { sregName } from "../../lib/isa/sreg.js";
import { renderInst } from "../../lib/isa/text.js";
import { decodeInst } from "../../lib/sass/decode.js";
import { encodeInst } from "../../lib/sass/encode.js";
import { type TargetName, target } from "../../lib/target/index.js";
import { disassembleWords } from "./nvdisasm.js";
import { randomWords } from "./sass-words.js";
import { describeOracle } from "./tools.js";

const targets = [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121];
/** The first of each generation; the others share nearly all of their lines. */
const thorough: ReadonlySet<number> = new Set([75, 90, 100]);

const all256 = Array.from({ length: 256 }, (_, i) => i);
/** S2R of every special register. */
const reads = Uint32Array.from(all256.flatMap((i) => [0x00007919, 0, i << 8, 0x000fe200]));

const nameOf = (l: CodeLine): string => `${l.line.row.row.op} ${l.opcode.toString(16)} line ${l.line.index}`;

describeOracle("instruction table", () => {
  for (const sm of targets) {
    describe(`sm_${sm}`, () => {
      const t = target(`sm_${sm}` as TargetName);
      // Asked when the tests run: the body of a skipped `describe` runs too.
      let words: Uint32Array;
      let lines: readonly CodeLine[];
      let theirs: readonly (string | null)[];
      let registers: readonly (string | null)[];
      beforeAll(() => {
        ({ words, lines } = randomWords(sm, thorough.has(sm) ? 12 : 5, 20250 + sm));
        const both = new Uint32Array(words.length + reads.length);
        both.set(words);
        both.set(reads, words.length);
        const texts = disassembleWords(sm, both);
        theirs = texts.slice(0, lines.length);
        registers = texts.slice(lines.length);
      }, 60_000);
      const defined = (i: number): boolean => theirs[i] !== null && !/INVALID|\?\?\?/.test(theirs[i]!);

      test("text equals nvdisasm's", () => {
        const wrong: string[] = [];
        let compared = 0;
        lines.forEach((line, i) => {
          if (!defined(i)) return;
          compared++;
          const inst = decodeInst(words, 4 * i, t, 16 * i);
          const ours = inst ? renderInst(inst, { isa: sm }) : "(unknown)";
          if (ours !== theirs[i]) wrong.push(`${nameOf(line)}: ${theirs[i]} | ${ours}`);
        });
        expect(wrong).toEqual([]);
        expect(compared).toBeGreaterThan(lines.length * 0.9);
      });

      test("names of the special registers", () => {
        expect(all256.map((i) => `S2R R0, ${sregName(i, sm)}`)).toEqual(registers);
      });

      test("every line was met", () => {
        const met = new Set(lines.filter((_, i) => theirs[i] !== null).map(nameOf));
        const never = [...new Set(lines.map(nameOf))].filter((n) => !met.has(n));
        expect(never).toEqual([]);
      });

      test("words → instruction → words differs only in bits that no text shows", () => {
        const again = new Uint32Array(words.length);
        lines.forEach((_, i) => {
          if (!defined(i)) return;
          const inst = decodeInst(words, 4 * i, t, 16 * i)!;
          encodeInst(inst, t, again, 4 * i, 16 * i);
        });
        const wrong: string[] = [];
        let same = 0;
        let all = 0;
        lines.forEach((line, i) => {
          if (!defined(i)) return;
          all++;
          let equal = true;
          for (let k = 4 * i; k < 4 * i + 4; k++) equal &&= again[k] === words[k];
          if (equal) same++;
          else if (renderInst(decodeInst(again, 4 * i, t, 16 * i)!, { isa: sm }) !== theirs[i])
            wrong.push(nameOf(line));
        });
        expect(wrong).toEqual([]);
        expect(same / all).toBeGreaterThan(0.995);
      });

      test("text → words → text", () => {
        const wrong: string[] = [];
        const word = new Uint32Array(4);
        lines.forEach((line, i) => {
          if (!defined(i)) return;
          const parsed = parseInst(theirs[i]!, { isa: sm });
          if (!parsed.ok) {
            wrong.push(`${nameOf(line)}: ${parsed.message}`);
            return;
          }
          // The control word stands beside the text.
          const { control } = decodeInst(words, 4 * i, t, 16 * i)!;
          encodeInst({ ...parsed.inst, control }, t, word, 0, 16 * i);
          const back = renderInst(decodeInst(word, 0, t, 16 * i)!, { isa: sm });
          if (back !== theirs[i]) wrong.push(`${nameOf(line)}: ${theirs[i]} | ${back}`);
        });
        expect(wrong).toEqual([]);
      });
    });
  }
});
