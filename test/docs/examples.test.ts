/** Every example of the documentation runs: the first hour's commands and cells in order, the formats' files; links between pages lead somewhere. Needs the build. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

jest.setTimeout(300_000);

const root = resolve(__dirname, "../..");
const docs = join(root, "docs");
const page = (name: string): string => readFileSync(join(docs, name), "utf8");

/** Code blocks of a page, in order. */
const blocks = (text: string): { readonly kind: string; readonly code: string }[] =>
  [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, kind, code]) => ({ kind: kind!, code: code! }));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ptxlab-docs-"));
  cpSync(join(root, "examples/hour"), folder, { recursive: true });
  // Cells find the library by its name.
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function ptxlab(line: string): { readonly status: number | null; readonly said: string } {
  const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "bin/ptxlab"), ...args.slice(1)], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, said: stdout + stderr };
}

test("the first hour", () => {
  const all = blocks(page("tutorial.md"));
  const said = new Map<string, string>();
  for (const { kind, code } of all)
    for (const line of kind === "sh" ? code.trim().split("\n") : []) {
      const { status, said: text } = ptxlab(line);
      expect([line, status, status === 0 ? "" : text]).toEqual([line, 0, ""]);
      said.set(line.split(" ").slice(0, 2).join(" "), text);
    }
  expect(said.get("ptxlab repeat")).toBe("16 rows: all agree\n");
  expect(said.get("ptxlab query")!.trim().split("\n")).toHaveLength(1 + 2 * 4);
  const cells = all.filter((b) => b.kind === "ts").map((b) => b.code);
  // Inside of the checkout, where `import "ptxlab"` finds the build.
  const input = JSON.stringify({ cwd: join(root, "examples/hour"), cells });
  const host = spawnSync(process.execPath, [join(root, "test/kernel/host.cjs")], { input, encoding: "utf8" });
  const outcomes = JSON.parse(host.stdout) as { readonly ok: boolean; readonly error?: unknown }[];
  expect(outcomes.map((o) => o.error)).toEqual(cells.map(() => undefined));
});

test("the formats", () => {
  const examples = blocks(page("formats.md"));
  expect(examples.map((b) => b.kind)).toEqual(["json launch", "json texture", "json sweep"]);
  for (const { kind, code } of examples) writeFileSync(join(folder, `${kind.split(" ")[1]}.json`), code);
  expect(ptxlab("ptxlab compile scale.ptx -arch sm_90 -o scale.cubin").status).toBe(0);
  expect(ptxlab("ptxlab run scale.cubin --launch launch.json")).toMatchObject({ status: 0 });
  expect(ptxlab("ptxlab compile ramp.ptx -arch sm_90 -o ramp.cubin").status).toBe(0);
  expect(ptxlab("ptxlab run ramp.cubin --launch texture.json")).toMatchObject({ status: 0 });
  expect(ptxlab("ptxlab sweep sweep.json")).toMatchObject({ status: 0, said: expect.stringContaining("4 points") });
});

test("links between pages lead somewhere", () => {
  const pages = [".", "figures"]
    .flatMap((folder) => readdirSync(join(docs, folder)).map((f) => join(folder, f)))
    .filter((f) => f.endsWith(".md"))
    .concat("../README.md", "../CONTRIBUTING.md");
  const broken = pages.flatMap((name) =>
    [...page(name).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].flatMap(([, link]) => {
      const away = /^[a-z]+:/.test(link!);
      return away || existsSync(resolve(dirname(join(docs, name)), link!)) ? [] : [`${name}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});
