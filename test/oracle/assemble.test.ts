/** ptxas's cubins of the corpus as text and back; nvdisasm reads the cubins that are made of the text alone as the originals. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { assembleCubin, assemblyText } from "../../lib/assemble.js";
import { readCubin } from "../../lib/elf/index.js";
import { nvdisasm } from "./listing.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const ptx = resolve(__dirname, "../corpus/ptx");

describeOracle("asm(dis(x)) of ptxas's cubins", () => {
  test.each([75, 90, 100])("sm_%d", (sm) => {
    let instructions = 0;
    let alone = 0;
    let asWords = 0;
    let whole = 0;
    inScratch((dir) => {
      const files = readdirSync(join(ptx, `sm_${sm}`)).filter((f) => f.endsWith(".ptx"));
      for (const [file, level] of files.sort().flatMap((f) => [[f, "-O0"] as const, [f, "-O3"] as const])) {
        const path = join(dir, "k.cubin");
        const ran = tool("ptxas", [`-arch=sm_${sm}`, level, join(ptx, `sm_${sm}`, file), "-o", path]);
        if (ran.status !== 0) throw new Error(ran.stderr);
        const bytes = new Uint8Array(readFileSync(path));
        const cubin = readCubin(bytes);
        if (!cubin.ok) throw new Error(cubin.diagnostics[0]!.message);
        const text = assemblyText(cubin.value);
        asWords += text.match(/\.word/g)?.length ?? 0;
        const blank = bytes.slice();
        for (const f of cubin.value.functions) {
          instructions += f.words.length / 4;
          const s = cubin.value.elf.sections[f.section]!;
          blank.fill(0, s.offset, s.offset + s.size);
        }
        const again = assembleCubin(text, blank);
        expect(again.ok && Buffer.from(again.value).equals(bytes)).toBe(true);
        const made = assembleCubin(text);
        if (!made.ok) throw new Error(`${file} ${level}: ${made.diagnostics[0]!.message}`);
        if (text.includes("\n.container ")) {
          whole++;
          expect([file, Buffer.from(made.value).equals(bytes)]).toEqual([file, true]);
          continue;
        }
        alone++;
        const words = readCubin(made.value);
        expect(words.ok && words.value.functions.map((f) => [f.name, f.words.join()])).toEqual(
          cubin.value.functions.map((f) => [f.name, f.words.join()]),
        );
        if (alone % 4 !== 0) continue;
        const listing = nvdisasm(made.value);
        expect(listing.ran.stderr).toBe("");
        expect([...listing.functions]).toEqual([...nvdisasm(bytes).functions]);
      }
    });
    console.log(`sm_${sm}: ${instructions} instructions, ${alone} cubins by link, ${whole} with their container`);
    expect(asWords).toBe(0);
    expect(instructions).toBeGreaterThan(4000);
    expect(alone).toBeGreaterThan(20);
    expect(whole).toBeGreaterThan(5);
  });
});
