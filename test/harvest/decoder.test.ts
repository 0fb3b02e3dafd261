/** How the harvest asks a tool that refuses, ends or hangs: on a tool that only these tests know. */
import { readFileSync } from "node:fs";
import { Nvdisasm, type Silence } from "../../tools/harvest/decoder";
import { hexWord, type Word, wordOf } from "../../tools/harvest/word";
import { program, type Ran } from "../oracle/tools";

/** Bits 0-11 say what the tool does with a word. */
const [GOOD, BAD, NAMELESS, ENDS, HANGS, SILENT] = [1, 2, 3, 4, 5, 6] as const;
const word = (what: number, n: number): Word => wordOf(what | (n << 12), n, 0, 0);

/** Speaks as the disassembler: one complaint a word, on the error stream; texts only where there is none. */
class FakeTool {
  runs = 0;
  /** Whether a hanging word hangs; a busy machine does so once. */
  hangs = (): boolean => true;

  readonly ask = (_sm: string, file: string): Ran => {
    this.runs++;
    const bytes = Uint8Array.from(readFileSync(file));
    const words = new Uint32Array(bytes.buffer);
    let [stdout, stderr] = ["", ""];
    for (let i = 0; i < words.length; i += 4) {
      const address = (4 * i).toString(16);
      switch (words[i]! & 0xfff) {
        case GOOD:
          stdout += `        /*${address}*/                   FOO R${words[i + 1]} ;\n`;
          break;
        case BAD:
          stderr += `tool error   : Operand at address 0x${address}\ntool error   : Illegal instruction found\n`;
          break;
        case NAMELESS:
          stderr += "tool error   : Something somewhere\n";
          break;
        case ENDS:
          return { status: 255, stdout: "", stderr: `${stderr}tool fatal   : too much at address 0x00000000\n` };
        case HANGS:
          if (this.hangs()) return { status: null, stdout: "", stderr };
          stdout += `        /*${address}*/                   SLOW ;\n`;
          break;
        case SILENT:
          return { status: null, stdout: "", stderr: "" };
        default:
          stderr += `tool error   : Unrecognized operation at address 0x${address}\ntool error   : Illegal instruction found\n`;
      }
    }
    return stderr === "" ? { status: 0, stdout, stderr } : { status: 1, stdout: "", stderr };
  };
}

function asked(words: readonly Word[], fake = new FakeTool(), known: string[] = []) {
  const silent: [string, Silence][] = [];
  const d = new Nvdisasm("0", { ask: fake.ask, silent: (w, how) => silent.push([w, how]), unanswered: known });
  try {
    return { answers: d.decode(words).map((a) => a.text ?? a.state), silent, runs: fake.runs };
  } finally {
    d.close();
  }
}

const many = Array.from({ length: 300 }, (_, i) => word(i % 5 === 0 ? BAD : GOOD, i));
const expected = many.map((_, i) => (i % 5 === 0 ? "refused" : `FOO R${i}`));

test("words that end the tool or keep it are left out, all others are answered", () => {
  const words = many.slice();
  const stops = [word(ENDS, 7), word(HANGS, 8), word(ENDS, 9)];
  [20, 21, 299].forEach((at, i) => {
    words[at] = stops[i]!;
  });
  words[100] = word(NAMELESS, 1);
  const { answers, silent, runs } = asked(words);
  const want = expected.slice();
  for (const at of [20, 21, 299]) want[at] = "unanswered";
  want[100] = "refused";
  expect(answers).toEqual(want);
  expect(silent).toEqual(stops.map((w, i) => [hexWord(w), i === 1 ? "late" : "ended"]));
  expect(runs).toBeLessThan(12);
});

test("where many words end the tool, the later ones take their neighbours with them", () => {
  const words = Array.from({ length: 900 }, (_, i) => word(i % 3 === 1 ? ENDS : GOOD, i));
  const { answers, silent, runs } = asked(words);
  expect(runs).toBeLessThan(50);
  expect(answers.slice(0, 60)).toEqual(words.slice(0, 60).map((_, i) => (i % 3 === 1 ? "unanswered" : `FOO R${i}`)));
  expect(answers.filter((a, i) => a !== "unanswered" && a !== `FOO R${i}`)).toEqual([]);
  expect(silent).toHaveLength(answers.filter((a) => a === "unanswered").length);
  expect(silent.filter(([, how]) => how === "ended").length).toBeGreaterThan(24);
});

test("a word that stops the tool before it says anything is found by halving", () => {
  const words = many.slice();
  words[50] = word(SILENT, 3);
  const { answers, silent } = asked(words);
  expect(answers).toEqual(expected.map((a, i) => (i === 50 ? "unanswered" : a)));
  expect(silent).toEqual([[hexWord(words[50]!), "late"]]);
});

test("words without an answer are not asked again", () => {
  const w = word(HANGS, 8);
  const { answers, runs, silent } = asked([w, word(GOOD, 1)], new FakeTool(), [hexWord(w)]);
  expect(answers).toEqual(["unanswered", "FOO R1"]);
  expect([runs, silent]).toEqual([1, []]);
});

test("a slow run is not blamed on a word that is answered alone", () => {
  const fake = new FakeTool();
  let left = 2;
  fake.hangs = () => left-- > 0;
  expect(asked([word(GOOD, 1), word(HANGS, 2), word(GOOD, 3)], fake)).toMatchObject({
    answers: ["FOO R1", "SLOW", "FOO R3"],
    silent: [],
  });
});

test("a program is killed at its limit, and what it printed is kept", () => {
  const script = "process.stdout.write('begun'); setInterval(() => {}, 1000)";
  const endless = program(process.execPath, ["-e", script], { timeout: 1500 });
  expect(endless.status).toBeNull();
  expect(program(process.execPath, ["-e", "process.exit(3)"]).status).toBe(3);
});
