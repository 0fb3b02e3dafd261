import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderDiagnostic } from "../../lib/diagnostics.js";
import { analyze, parse, print } from "../../lib/ptx/index.js";
import { random } from "../corpus/random.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const corpus = join(__dirname, "../corpus/ptx");
const bad = join(__dirname, "../ptx/bad");

/** ptxas's messages about a file, the closing one left out. */
function ask(dir: string, name: string, arch: string): { accepted: boolean; messages: readonly string[] } {
  const run = tool("ptxas", ["-arch", arch, "-O0", name, "-o", join(dir, "out.cubin")], { cwd: dir });
  return {
    accepted: run.status === 0,
    messages: run.stderr.split("\n").filter((l) => l.trim() !== "" && !l.includes("aborted due")),
  };
}

describeOracle("the PTX front end against ptxas", () => {
  test("malformed files: the recorded answers are current, and ours agree", () => {
    const expected = JSON.parse(readFileSync(join(bad, "expected.json"), "utf8")) as Record<
      string,
      { arch: string; messages: string[] }
    >;
    const rest: string[] = [];
    inScratch((dir) => {
      for (const [name, answer] of Object.entries(expected)) {
        const text = readFileSync(join(bad, name), "utf8");
        writeFileSync(join(dir, name), text);
        const [first] = ask(dir, name, answer.arch).messages;
        expect(first).toBe(answer.messages[0]);
        const ours = analyze(text, { target: answer.arch, file: name }).diagnostics[0];
        if ((ours === undefined ? undefined : renderDiagnostic(ours, name)) !== first) rest.push(`${name}: ${first}`);
      }
    });
    const total = Object.keys(expected).length;
    console.log([`first message equal: ${total - rest.length} of ${total}`, ...rest].join("\n"));
    expect(total).toBeGreaterThanOrEqual(60);
    expect(total - rest.length).toBeGreaterThanOrEqual(50);
  });

  test.each(["sm_75", "sm_90", "sm_100"])("printed corpus makes the same cubin (%s)", (arch) => {
    inScratch((dir) => {
      mkdirSync(join(dir, "a"));
      mkdirSync(join(dir, "b"));
      for (const name of readdirSync(join(corpus, arch)).filter((f) => f.endsWith(".ptx"))) {
        const text = readFileSync(join(corpus, arch, name), "utf8");
        const m = parse(text);
        if (!m.ok) throw new Error(name);
        writeFileSync(join(dir, "a", "k.ptx"), text);
        writeFileSync(join(dir, "b", "k.ptx"), print(m.value));
        for (const d of ["a", "b"]) {
          const run = tool("ptxas", ["-arch", arch, "k.ptx", "-o", "k.cubin"], { cwd: join(dir, d) });
          expect([name, run.stderr]).toEqual([name, ""]);
        }
        expect(readFileSync(join(dir, "a", "k.cubin")).equals(readFileSync(join(dir, "b", "k.cubin")))).toBe(true);
      }
    });
  });

  test("seeded damage: ptxas and we accept and refuse the same", () => {
    const files = readdirSync(join(corpus, "sm_90")).filter((f) => f.endsWith(".ptx"));
    const r = random(11);
    const total = 200;
    let verdict = 0;
    const rest: string[] = [];
    inScratch((dir) => {
      for (let n = 0; n < total; n++) {
        const text = damage(readFileSync(join(corpus, "sm_90", files[r.below(files.length)] as string), "latin1"), r);
        writeFileSync(join(dir, "k.ptx"), text);
        const theirs = ask(dir, "k.ptx", "sm_90");
        const ours = analyze(text, { target: "sm_90", file: "k.ptx" });
        if (ours.ok === theirs.accepted) verdict++;
        else rest.push(`${theirs.messages[0] ?? "accepted"} | ${ours.diagnostics[0]?.message ?? "accepted"}`);
      }
    });
    console.log([`same verdict: ${verdict} of ${total}`, ...rest].join("\n"));
    expect(verdict / total).toBeGreaterThanOrEqual(0.95);
  }, 120_000);

  test.each(["75", "90a", "120"])(
    "everything nvcc makes of device sort, scan and reduce for sm_%s is clean",
    (sm) => {
      inScratch((dir) => {
        writeFileSync(join(dir, "k.cu"), SOURCE);
        const run = tool("nvcc", ["-std=c++17", "-ptx", "-lineinfo", `-arch=sm_${sm}`, "k.cu", "-o", "k.ptx"], {
          cwd: dir,
        });
        expect(run.status).toBe(0);
        const r = analyze(readFileSync(join(dir, "k.ptx"), "latin1"), { target: `sm_${sm}`, file: "k.ptx" });
        expect(r.diagnostics).toEqual([]);
        expect(r.ok).toBe(true);
      });
    },
    300_000,
  );
});

/** One token of one statement deleted, doubled, or exchanged for one from elsewhere in the file. */
function damage(text: string, r: { below(n: number): number }): string {
  const lines = text.split("\n");
  const at = lines.map((_, i) => i).filter((i) => /;\s*$/.test(lines[i] as string));
  const k = at[r.below(at.length)] as number;
  const tokens = (lines[k] as string).match(/\s+|[\w.%$:]+|./g) as string[];
  const t = r.below(tokens.length);
  const other = (lines[at[r.below(at.length)] as number] as string).match(/[\w.%$:]+/g) ?? ["x"];
  const replacement = ["", `${tokens[t]} ${tokens[t]}`, other[r.below(other.length)] as string][r.below(3)] as string;
  tokens.splice(t, 1, replacement);
  lines[k] = tokens.join("");
  return lines.join("\n");
}

const SOURCE = `
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_reduce.cuh>
template <class T> void all(T* p, T* q, int n, void* t, size_t& b) {
  cub::DeviceRadixSort::SortPairs(t, b, p, q, p, q, n);
  cub::DeviceScan::ExclusiveSum(t, b, p, q, n);
  cub::DeviceReduce::Sum(t, b, p, q, n);
}
template void all<int>(int*, int*, int, void*, size_t&);
template void all<double>(double*, double*, int, void*, size_t&);
`;
