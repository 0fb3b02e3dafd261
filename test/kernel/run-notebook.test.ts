import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { compile } from "../../lib/index";
import { corpusPtx } from "../corpus/cases";

jest.setTimeout(60_000);

const runner = path.resolve(__dirname, "../../kernel/run-notebook.cjs");

interface Output {
  readonly output_type: string;
  readonly name?: string;
  readonly text?: readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
  readonly metadata?: unknown;
  readonly ename?: string;
}
interface Executed {
  readonly status: number | null;
  readonly stdout: string;
  readonly cells: readonly { readonly execution_count: number | null; readonly outputs: readonly Output[] }[];
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "ptxlab-notebook-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function execute(...sources: readonly string[]): Executed {
  const cells = sources.map((source, i) => ({
    cell_type: "code",
    id: `c${i}`,
    execution_count: 99,
    metadata: {},
    outputs: [{ output_type: "stream", name: "stdout", text: ["old\n"] }],
    source: source.split(/(?<=\n)/),
  }));
  const notebook = { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 };
  const [from, to] = [path.join(folder, "in.ipynb"), path.join(folder, "out.ipynb")];
  writeFileSync(from, JSON.stringify(notebook));
  const { status, stdout } = spawnSync(process.execPath, [runner, from, to], { encoding: "utf8" });
  return { status, stdout, cells: JSON.parse(readFileSync(to, "utf8")).cells };
}

test("outputs land under their cells in nbformat's shape", () => {
  const { status, cells } = execute(
    'console.log("a\\nb"); console.error("c"); process.stdout.write("d"); 1 + 1',
    '({ [Symbol.for("Jupyter.display")]: async () => ({ "text/html": "<p>\\nx", "image/png": "AAAA" }), [Symbol.for("ptxlab.display.metadata")]: () => ({ "image/png": { width: 1 } }) })',
    "const x = 3;",
  );
  expect(status).toBe(0);
  expect(cells.map((c) => c.execution_count)).toEqual([1, 2, 3]);
  expect(cells[0]?.outputs).toEqual([
    { output_type: "stream", name: "stdout", text: ["a\n", "b\n"] },
    { output_type: "stream", name: "stderr", text: ["c\n"] },
    { output_type: "stream", name: "stdout", text: ["d"] },
    { output_type: "execute_result", execution_count: 1, data: { "text/plain": ["2"] }, metadata: {} },
  ]);
  expect(cells[1]?.outputs[0]?.data).toMatchObject({ "text/html": ["<p>\n", "x"], "image/png": "AAAA" });
  expect(cells[1]?.outputs[0]?.metadata).toEqual({ "image/png": { width: 1 } });
  expect(cells[2]?.outputs).toEqual([]);
});

test("a compilation's charts stand below it, live, with a picture each; elsewhere it holds the pictures itself", async () => {
  const ptx = corpusPtx("saxpy", "sm_90");
  // Where cells find the library: in the repository.
  const out = path.resolve(__dirname, "../../out");
  mkdirSync(out, { recursive: true });
  rmSync(folder, { recursive: true });
  folder = mkdtempSync(path.join(out, "notebook-"));
  const again = 'import { display } from "ptxlab/view"; await display(c);';
  const { status, cells } = execute(`%%ptx c -arch=sm_90\n${ptx}`, again);
  expect(status).toBe(0);
  for (const [k, cell] of cells.entries()) {
    const [whole, ...charts] = cell.outputs;
    expect(whole!.output_type).toBe(k === 0 ? "execute_result" : "display_data");
    expect(String(whole!.data!["text/html"])).not.toContain("data:image/png");
    expect(charts.map((o) => o.output_type)).toEqual(["display_data", "display_data", "display_data"]);
    for (const { data } of charts)
      expect(Object.keys(data!).sort()).toEqual(["application/vnd.vegalite.v5+json", "image/png", "text/plain"]);
  }
  const alone = compile(ptx, { target: "sm_90" }) as unknown as Record<symbol, () => Promise<Record<string, string>>>;
  expect((await alone[Symbol.for("Jupyter.display")]!())["text/html"]).toContain("data:image/png;base64,");
});

test("the first failing cell ends it with status 1; later cells are clean", () => {
  const { status, stdout, cells } = execute("1", "throw new TypeError('no')", "3");
  expect(status).toBe(1);
  expect(stdout).toContain("[2] FAILED TypeError: no");
  expect(cells.map((c) => c.execution_count)).toEqual([1, 2, null]);
  expect(cells.map((c) => c.outputs.map((o) => o.ename ?? o.output_type))).toEqual([
    ["execute_result"],
    ["TypeError"],
    [],
  ]);
});

test("messages about a text of a cell name its own line", () => {
  const made = (text: string) =>
    `({ ok: false as const, text: ${text}, diagnostics: [{ severity: "error", message: "bad", span: { line: 2, column: 3 } }] })`;
  const { cells } = execute(
    "const there = `one\ntwo`;\n0",
    made("there"),
    `1;\n${made("`a\nb`")}`,
    made("'x' + 'y\\nz'"),
  );
  const errors = cells.map((c) => c.outputs.flatMap((o) => (o.name === "stderr" ? (o.text ?? []) : [])));
  expect(errors).toEqual([[], ["In[1]:2:3 - error: bad\n"], ["In[3]:3:3 - error: bad\n"], []]);
});

test("what a timer or a promise throws names the line of its cell", () => {
  for (const made of [
    "setTimeout(() => {\n  const gone: { x: number } | null = null;\n  gone!['x'];\n}, 10);",
    "void (async () => {\n  await null;\n  throw new TypeError('no');\n})();",
  ]) {
    const { status, stdout, cells } = execute(`${made}\nawait new Promise((r) => setTimeout(r, 60));`, "2");
    expect(status).toBe(1);
    expect(stdout).toContain("[1] FAILED TypeError");
    const told = (cells[0]?.outputs.at(-1) as { traceback?: string[] } | undefined)?.traceback ?? [];
    expect(told.some((l) => /In\[1\]:3:\d+/.test(l))).toBe(true);
    expect(told.some((l) => l.startsWith(">   3 | "))).toBe(true);
    expect(cells[1]?.outputs).toEqual([]);
  }
});

test("a display method that throws fails the cell", () => {
  const { status, cells } = execute('({ [Symbol.for("Jupyter.display")]: () => { throw new Error("ugly"); } })');
  expect(status).toBe(1);
  expect(cells[0]?.outputs[0]?.ename).toBe("Error");
});

test("display() shows in between, and updates what it showed before", () => {
  const show =
    'const show = (globalThis as any)[Symbol.for("ptxlab.display")] as (v: unknown, o?: object) => Promise<void>;';
  const { cells } = execute(
    `${show}\nconsole.log("first"); await show("one", { id: "bar" }); console.log("last"); await show("two", { id: "bar", update: true });`,
    'await show("three", { id: "bar", update: true });',
  );
  const plain = (o: Output): unknown => o.data?.["text/plain"] ?? o.text;
  expect(cells[0]?.outputs.map(plain)).toEqual([["first\n"], ["three"], ["last\n"]]);
  expect(cells[1]?.outputs).toEqual([]);
});

test("cells run in the notebook's folder", () => {
  const { cells } = execute("process.cwd()");
  expect(cells[0]?.outputs[0]?.data?.["text/plain"]).toEqual([folder]);
});
