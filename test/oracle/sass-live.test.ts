/**
 * Live registers of decoded code beside nvdisasm's (`-lrm count`), on the corpus as ptxas -O0 and -O3 make it.
 *
 * nvdisasm takes calls by the calling convention and results under a uniform guard as certain: `asNvdisasm`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type CubinFunction, infoWords, readCubin } from "../../lib/elf/index.js";
import { decodeCode, type LiveCount, liveCounts } from "../../lib/sass/index.js";
import { type TargetName, target } from "../../lib/target/index.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const ptx = resolve(__dirname, "../corpus/ptx");
const columns: Readonly<Record<string, keyof LiveCount>> = { GPR: "r", UGPR: "ur", PRED: "p", UPRED: "up" };

function tables(f: CubinFunction): Map<number, number[]> {
  const out = new Map<number, number[]>();
  for (const r of f.info) {
    const words = r.name === "INDIRECT_BRANCH_TARGETS" ? infoWords(r) : [];
    for (let i = 0; i + 2 < words.length; i += 3 + words[i + 2]!)
      out.set(words[i]!, words.slice(i + 3, i + 3 + words[i + 2]!));
  }
  return out;
}

/** Function → byte offset → counts in the order of nvdisasm's columns. */
function real(path: string): { names: string[]; counts: Map<string, Map<number, number[]>> } {
  const { stdout } = tool("nvdisasm", ["-c", "-lrm", "count", path]);
  const head = stdout.split("\n").find((l) => /\/\/ \| GPR/.test(l))!;
  const names = head
    .split("// |")[1]!
    .split("|")
    .map((s) => s.trim())
    .filter((s) => s !== "");
  const counts = new Map<string, Map<number, number[]>>();
  for (const section of stdout.split(/^(?=\.text\.)/m).slice(1)) {
    const rows = new Map<number, number[]>();
    for (const m of section.matchAll(/^\s+\/\*([0-9a-f]{4,})\*\/.*?\/\/ \|(.*)$/gm))
      rows.set(Number.parseInt(m[1]!, 16), m[2]!.split("|").slice(0, names.length).map(Number));
    counts.set(/^\.text\.([\w$]+)/.exec(section)![1]!, rows);
  }
  return { names, counts };
}

describeOracle("live registers", () => {
  test.each([75, 90, 100])("sm_%d", (sm) => {
    const t = target(`sm_${sm}` as TargetName);
    let compared = 0;
    const different: string[] = [];
    let calling = 0;
    inScratch((dir) => {
      const files = readdirSync(join(ptx, `sm_${sm}`))
        .filter((f) => f.endsWith(".ptx"))
        .sort();
      for (const [file, level] of files.flatMap((f) => [[f, "-O0"] as const, [f, "-O3"] as const])) {
        const path = join(dir, "k.cubin");
        const ran = tool("ptxas", [`-arch=sm_${sm}`, level, join(ptx, `sm_${sm}`, file), "-o", path]);
        if (ran.status !== 0) throw new Error(ran.stderr);
        const cubin = readCubin(new Uint8Array(readFileSync(path)));
        if (!cubin.ok) throw new Error(cubin.diagnostics[0]!.message);
        const { names, counts } = real(path);
        for (const f of cubin.value.functions) {
          const insts = decodeCode(f.words, t);
          if (insts.some((i) => i!.form.flow === "call")) calling++;
          const ours = liveCounts(insts, {
            entries: f.ranges.map((r) => r.offset),
            targets: tables(f),
            asNvdisasm: f.registers,
          });
          for (const [offset, theirs] of counts.get(f.name)!) {
            compared++;
            const mine = names.map((n) => ours[offset >> 4]![columns[n]!]);
            if (mine.join() !== theirs.join()) different.push(`${file} ${level} ${offset}: ${theirs} | ${mine}`);
          }
        }
      }
    });
    console.log(`sm_${sm}: ${compared} instructions compared, ${calling} functions with calls`);
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(3000);
    expect(calling).toBeGreaterThan(0);
  });
});
