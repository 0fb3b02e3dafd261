/** No sentence of a notebook tells a figure that no cell computes; the checker itself finds those that are planted. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(__dirname, "../..");
const check = (...args: readonly string[]) => {
  const { status, stdout } = spawnSync(process.execPath, [path.join(root, "tools/notebook-figures.cjs"), ...args], {
    encoding: "utf8",
  });
  return { status, lines: stdout.trim().split("\n") };
};

const markdown = (source: string) => ({ cell_type: "markdown", source });
const code = (source: string, text = "") => ({ cell_type: "code", source, outputs: [{ text }] });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "ptxlab-figures-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const written = (name: string, ...cells: readonly object[]): string => {
  const file = path.join(folder, name);
  writeFileSync(file, JSON.stringify({ cells }));
  return file;
};

test("the notebooks of the project hold none", () => {
  const files = readdirSync(path.join(root, "notebooks")).filter((f) => f.endsWith(".ipynb"));
  const { status, lines } = check(...files.map((f) => path.join(root, "notebooks", f)));
  expect(lines).toEqual([`${files.length} notebooks, 0 figures that no cell computes`]);
  expect(status).toBe(0);
});

test("what the code is given may be told; what a run brings about may not", () => {
  const file = written(
    "a.ipynb",
    markdown("Blocks of 16 × 16 threads at `-O2`, sm_90, three kernels; 277 instructions, seven phases."),
    code('const size = 16; const kernels = ["a", "b", "c"]; console.log(size, kernels);', "277"),
  );
  expect(check(file)).toEqual({
    status: 1,
    lines: [
      `${file}, cell 1: no cell is given '277', which the text tells`,
      `${file}, cell 1: no cell is given 'seven', which the text tells`,
      "1 notebooks, 2 figures that no cell computes",
    ],
  });
});

test("a figure that is part of a printed sentence is found; one that is computed, and the text of a program, are not", () => {
  const file = written(
    "b.ipynb",
    code(`const n = 4; console.log(\`the best of ten: \${n} cycles, 12 fewer at -O1\`);`),
    code(`const ptx = \`.version 8.0\n.target \${'sm_90'}\nadd.s32 %r1, %r1, 5;\`; console.log(ptx.length);`),
  );
  const { lines } = check(file);
  expect(lines.map((l) => /'(\w+)' is written/.exec(l)?.[1])).toEqual(["ten", "12", undefined]);
});

test("sentences that a run of today prints with other figures are stale; times are not compared", () => {
  const kept = written("c.ipynb", code("a", "the kernel takes 100 cycles\ntook 5 ms\n"));
  const again = mkdtempSync(path.join(folder, "again-"));
  writeFileSync(
    path.join(again, "c.ipynb"),
    JSON.stringify({ cells: [code("a", "the kernel takes 98 cycles\ntook 7 ms\n")] }),
  );
  expect(check("--kept", again, kept).lines).toEqual([
    `${kept}, cell 1: kept 'the kernel takes 100 cycles', computed 'the kernel takes 98 cycles'`,
    "1 notebooks, 1 figures that no cell computes",
  ]);
});
