/** What ptxas makes of the corpus, at -O0 and -O3: decoded to nvdisasm's text and re-encoded to the same words. */
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { renderInst } from "../../lib/isa/text.js";
import { decodeInst } from "../../lib/sass/decode.js";
import { encodeInst } from "../../lib/sass/encode.js";
import { listingLines } from "../../lib/sass/print.js";
import { type TargetName, target } from "../../lib/target/index.js";
import { disassembleWords, textSections } from "./nvdisasm.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const ptx = resolve(__dirname, "../corpus/ptx");

/** SM → the SM whose PTX of the corpus is compiled for it. */
const sources: Readonly<Record<number, number>> = {
  75: 75,
  80: 75,
  86: 75,
  88: 75,
  89: 75,
  90: 90,
  100: 100,
  103: 100,
  110: 100,
  120: 90,
  121: 100,
};

interface Sample {
  readonly words: Uint32Array;
  readonly theirs: readonly (string | null)[];
}

/** All distinct words of the corpus at a level; the place of a word is its index. */
function sample(sm: number, level: string): Sample {
  const seen = new Set<string>();
  const all: number[] = [];
  inScratch((dir) => {
    const source = join(ptx, `sm_${sources[sm]}`);
    for (const file of readdirSync(source).sort()) {
      if (!file.endsWith(".ptx")) continue;
      const cubin = join(dir, `${file}.cubin`);
      const ran = tool("ptxas", [`-arch=sm_${sm}`, level, join(source, file), "-o", cubin]);
      if (ran.status !== 0) throw new Error(ran.stderr);
      for (const words of textSections(cubin).values()) {
        for (let at = 0; at + 3 < words.length; at += 4) {
          const key = words.subarray(at, at + 4).join();
          if (seen.has(key)) continue;
          seen.add(key);
          all.push(...words.subarray(at, at + 4));
        }
      }
    }
  });
  const words = Uint32Array.from(all);
  return { words, theirs: disassembleWords(sm, words) };
}

describeOracle("ptxas's code of the corpus", () => {
  for (const sm of Object.keys(sources).map(Number)) {
    const t = target(`sm_${sm}` as TargetName);
    for (const level of ["-O0", "-O3"]) {
      test(`sm_${sm} ${level}`, () => {
        const { words, theirs } = sample(sm, level);
        const unknown = new Map<string, number>();
        const wrong: string[] = [];
        const again = new Uint32Array(4);
        theirs.forEach((text, i) => {
          expect(text).not.toBeNull();
          const inst = decodeInst(words, 4 * i, t, 16 * i);
          if (!inst) {
            const name = text!.replace(/^@\S+ /, "").split(" ")[0]!;
            unknown.set(name, (unknown.get(name) ?? 0) + 1);
            return;
          }
          const ours = renderInst(inst, { isa: t.isa });
          if (ours !== text) wrong.push(`${text} | ${ours}`);
          encodeInst(inst, t, again, 0, 16 * i);
          if (again.join() !== words.subarray(4 * i, 4 * i + 4).join()) wrong.push(`re-encoded: ${text}`);
        });
        expect(wrong).toEqual([]);
        expect([...unknown]).toEqual([]);
      });
    }
  }

  test("listings: labels and places as nvdisasm -c gives them", () => {
    inScratch((dir) => {
      for (const [sm, name, level] of [
        [90, "bitonic", "-O3"],
        [75, "reduction", "-O0"],
        [100, "switch_table", "-O3"],
      ] as const) {
        const cubin = join(dir, `${name}.cubin`);
        const ran = tool("ptxas", [`-arch=sm_${sm}`, level, join(ptx, `sm_${sm}`, `${name}.ptx`), "-o", cubin]);
        expect(ran.stderr).toBe("");
        const theirs = instructionsOf(tool("nvdisasm", ["-c", cubin]).stdout);
        for (const [kernel, words] of textSections(cubin)) {
          const ours = listingLines({ name: kernel, words, target: target(`sm_${sm}` as TargetName) });
          const body = ours.filter((l) => theirs.has(l.address));
          expect(body.map((l) => l.text)).toEqual(body.map((l) => theirs.get(l.address)));
          expect(body.length).toBeGreaterThan(20);
        }
      }
    });
  });
});

/** Address → text of nvdisasm's listing, without annotations. */
function instructionsOf(stdout: string): Map<number, string> {
  const out = new Map<number, string>();
  for (const m of stdout.matchAll(/\/\*([0-9a-f]{4,})\*\/\s+([^;\n]*?)\s*(?:\(\*.*?\*\))?;/g))
    out.set(Number.parseInt(m[1]!, 16), m[2]!.replace(/\s+/g, " "));
  return out;
}
