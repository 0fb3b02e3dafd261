/** Pages show the recorded figures, and each record has a command that can print it again. */
import { readFileSync } from "node:fs";
import { documents, readRecords, withFigures } from "../../tools/figures/pages.js";
import { figures } from "../../tools/figures/table.js";

test("values on pages are the recorded ones", () => {
  for (const page of documents()) {
    const text = readFileSync(page, "utf8");
    expect(withFigures(text, readRecords())).toBe(text);
  }
});

test("each record is of a command in the table, with its values", () => {
  for (const [name, record] of Object.entries(readRecords())) {
    expect([name, record.command, Object.keys(record.values)]).toEqual([
      name,
      figures.get(name)?.command,
      Object.keys(figures.get(name)?.takes ?? {}),
    ]);
  }
});

test("a page that names a figure nobody recorded is refused", () => {
  const records = { a: { command: "", date: "", commit: "", machine: "", values: { x: "2" } } };
  expect(withFigures("| 1<!--a.x--> |", records)).toBe("| 2<!--a.x--> |");
  expect(withFigures("**1<!--a.x-->** %", records)).toBe("**2<!--a.x-->** %");
  expect(() => withFigures("1<!--a.y-->", records)).toThrow("no figure a.y is recorded");
});
