/** Pages that tables and notebooks make. */
import { knobs } from "../../lib/knobs/index.js";
import { intrinsics } from "../../lib/lower/builtins/intrinsics.js";
import { ocgBuiltins } from "../../lib/lower/builtins/ocg.js";
import { phases } from "../../lib/phases/index.js";
import { builtinPage, gallery, knobPage, phasePage } from "../../tools/reference/pages.js";

/** Cells of the rows of a table in Markdown. */
const rowsOf = (page: { content: string | Uint8Array }): string[][] =>
  String(page.content)
    .split("\n")
    .filter((l) => l.startsWith("| `") || /^\| \d/.test(l))
    .map((l) =>
      l
        .replaceAll("\\|", "/")
        .split("|")
        .slice(1, -1)
        .map((c) => c.trim()),
    );

test("every knob with a name has its row, under the heading that fits", () => {
  const rows = rowsOf(knobPage());
  expect(rows.map((r) => r[0]).sort()).toEqual(knobs.map((k) => `\`${k.name}\``).sort());
  expect(new Set(rows.map((r) => r.length))).toEqual(new Set([7]));
  const [acting = "", idle = ""] = String(knobPage().content).split("## Knobs that nothing reads");
  const some = knobs.find((k) => k.readBy !== null)!;
  expect(acting).toContain(`\`${some.name}\``);
  expect(idle).not.toContain(`\`${some.name}\``);
});

test("every phase has its row, in order", () => {
  const rows = rowsOf(phasePage());
  expect(rows.map((r) => r[1])).toEqual(phases.map((p) => `\`${p.name}\``));
  expect(new Set(rows.map((r) => r.length))).toEqual(new Set([8]));
});

test("every built-in operation and every function of ptxas has its row", () => {
  const rows = rowsOf(builtinPage());
  const names = rows.map((r) => (r.length === 5 ? r[0] : r[1]));
  expect(names).toEqual([...ocgBuiltins, ...intrinsics].map((b) => `\`${b.name}\``));
});

test("the gallery has each picture under its heading", () => {
  const png = Buffer.from("picture").toString("base64");
  const pages = gallery([
    {
      file: "01-x.ipynb",
      cells: [
        { cell_type: "markdown", source: ["# Title\n", "words"] },
        { cell_type: "markdown", source: "## Part" },
        {
          cell_type: "code",
          source: "1",
          outputs: [{ data: { "image/png": png, "text/plain": ["said [in]\n", "more"] } }, {}],
        },
      ],
    },
    { file: "02-y.ipynb", cells: [{ cell_type: "code", source: "1", outputs: [] }] },
  ]);
  expect(pages.map((p) => p.name)).toEqual(["gallery.md", "gallery/01-1.png"]);
  expect(String(pages[1]!.content)).toBe("picture");
  expect(String(pages[0]!.content)).toContain(
    "## Title\n\nPart: said in\n\n[![said in](gallery/01-1.png)](../../notebooks/01-x.ipynb)",
  );
});
