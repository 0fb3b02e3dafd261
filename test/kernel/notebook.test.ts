/** The notebooks of the project run from the first cell to the last, without Jupyter. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

jest.setTimeout(180_000);

const root = path.resolve(__dirname, "../..");
const notebooks = readdirSync(path.join(root, "notebooks")).filter((f) => f.endsWith(".ipynb"));

interface Cell {
  readonly cell_type: string;
  readonly outputs: readonly { readonly data?: Readonly<Record<string, unknown>> }[];
}

test.each(notebooks)("%s", (name) => {
  const folder = mkdtempSync(path.join(tmpdir(), "ptxlab-notebooks-"));
  try {
    const out = path.join(folder, name);
    const args = [path.join(root, "kernel/run-notebook.cjs"), path.join(root, "notebooks", name), out];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (status !== 0 && process.env.PTXLAB_OPTUNA !== "required" && /'optuna'/.test(stdout)) {
      // A study without the notebooks' own Python: what is missing is told, and how to get it.
      expect(stdout).toContain("pip install -r requirements.txt");
      return;
    }
    expect(`${status} ${stdout}`).toMatch(/^0 /);
    const cells: Cell[] = JSON.parse(readFileSync(out, "utf8")).cells;
    const pictures = cells.flatMap((c) => c.outputs ?? []).filter((o) => o.data?.["image/png"]);
    expect(pictures.length).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("committed notebooks hold the outputs of a clean run, and stay small", () => {
  for (const name of notebooks) {
    const text = readFileSync(path.join(root, "notebooks", name), "utf8");
    expect(text.length).toBeLessThan(1_500_000);
    const code = JSON.parse(text).cells.filter((c: Cell) => c.cell_type === "code");
    expect(code.map((c: { execution_count: number }) => c.execution_count)).toEqual(
      code.map((_: Cell, i: number) => i + 1),
    );
  }
});
