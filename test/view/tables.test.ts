import fc from "fast-check";
import {
  bufferTable,
  code,
  compareBuffers,
  diff,
  diffLines,
  displaySymbol,
  listing,
  stages,
  table,
} from "../../lib/view/index.js";

test("a table aligns numbers to the right and text to the left", () => {
  const { text, html } = table(
    [
      { name: "a", n: 1 },
      { name: "long", n: 12345678 },
      { name: "<b>", n: 0.5 },
    ],
    { title: "T" },
  );
  expect(text).toBe(["T", "name           n", "a              1", "long  12,345,678", "<b>        0.500"].join("\n"));
  expect(html).toContain("&lt;b&gt;");
  expect(html).not.toContain("<b>");
});

test("a table counts the rows that it leaves out", () => {
  const { text } = table(
    Array.from({ length: 30 }, (_, i) => ({ i })),
    { maxRows: 10 },
  );
  expect(text.split("\n")).toHaveLength(12);
  expect(text).toContain("… 20 more rows");
});

test("views are HTML with plain text beside it", async () => {
  const view = code("a < b", { title: "x" });
  expect(await view[displaySymbol]()).toEqual({ "text/html": view.html, "text/plain": "x\na < b" });
});

test("a listing names each PTX line once and shows only columns with values", () => {
  const { text } = listing([
    { label: "entry", address: 0, sass: "LDC R1, c[0x0][0x28]" },
    { address: 16, sass: "IADD3 R2, R2, R3, RZ", ptxLine: 7, ptx: "  add.s32 %r1, %r2, %r3;", live: 9 },
    { address: 32, sass: "NOP", ptxLine: 7, ptx: "  add.s32 %r1, %r2, %r3;", live: 10 },
  ]);
  expect(text).toBe(
    [
      "line  PTX                     address  SASS                  live",
      "entry:",
      "                                 0000  LDC R1, c[0x0][0x28]",
      "   7  add.s32 %r1, %r2, %r3;     0010  IADD3 R2, R2, R3, RZ     9",
      "                                 0020  NOP                     10",
    ].join("\n"),
  );
});

test("stages that change nothing are folded to a line", () => {
  const { text, html } = stages(
    [
      { stage: "a", text: "x" },
      { stage: "b", text: "x" },
      { stage: "c", text: "y", note: "1 line" },
    ],
    { open: "c" },
  );
  expect(text).toBe("== a\nx\n== b (unchanged)\n== c (1 line)\ny");
  expect(html.match(/<details/g)).toHaveLength(2);
  expect(html.match(/<details open/g)).toHaveLength(1);
});

describe("buffers", () => {
  test("equal means equal bits by default; zeros of both signs and NaN are equal", () => {
    const same = compareBuffers({
      name: "x",
      actual: Float32Array.of(1, -0, Number.NaN),
      expected: Float32Array.of(1, 0, Number.NaN),
    });
    expect(same.differing).toBe(0);
    const off = compareBuffers({ name: "x", actual: [1, 2, 3.5], expected: [1, 2, 3] });
    expect(off).toMatchObject({ differing: 1, largestAbsolute: 0.5, first: [{ index: 2, actual: 3.5, expected: 3 }] });
  });
  test("a tolerance forgives, but still tells the largest difference", () => {
    const r = compareBuffers({ name: "x", actual: [100.5], expected: [100], relative: 0.01 });
    expect(r).toMatchObject({ differing: 0, largestAbsolute: 0.5, largestRelative: 0.005 });
  });
  test("a number that became NaN differs under any tolerance", () => {
    expect(compareBuffers({ name: "x", actual: [Number.NaN], expected: [1], absolute: 1e9 }).differing).toBe(1);
  });
  test("64-bit integers differ in their last bit", () => {
    const r = compareBuffers({
      name: "x",
      actual: BigInt64Array.of(2n ** 62n + 1n),
      expected: BigInt64Array.of(2n ** 62n),
    });
    expect(r.differing).toBe(1);
  });
  test("a missing element differs", () => {
    expect(compareBuffers({ name: "x", actual: [1], expected: [1, 2] }).differing).toBe(1);
    expect(bufferTable([{ name: "x", actual: [1], expected: [1, 2] }]).equal).toBe(false);
    expect(bufferTable([{ name: "x", actual: [1], expected: [1] }]).equal).toBe(true);
  });
});

describe("diff", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
  const shortest = (a: readonly string[], b: readonly string[]): number => {
    // Edits by the longest common subsequence, the textbook way.
    const rows = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
    for (let i = a.length - 1; i >= 0; i--)
      for (let j = b.length - 1; j >= 0; j--)
        rows[i]![j] = a[i] === b[j] ? rows[i + 1]![j + 1]! + 1 : Math.max(rows[i + 1]![j]!, rows[i]![j + 1]!);
    return a.length + b.length - 2 * rows[0]![0]!;
  };
  test("leads from one text to the other by a shortest script", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const lines = diffLines(a, b);
        expect(lines.filter((l) => l.kind !== "added").map((l) => l.text)).toEqual(a);
        expect(lines.filter((l) => l.kind !== "removed").map((l) => l.text)).toEqual(b);
        expect(lines.filter((l) => l.kind !== "same")).toHaveLength(shortest(a, b));
      }),
      { seed: 1, numRuns: 300 },
    );
  });
  test("folds what did not change", () => {
    const before = Array.from({ length: 20 }, (_, i) => `line ${i}`);
    const after = before.map((l, i) => (i === 10 ? "new" : l));
    expect(diff(before.join("\n"), after.join("\n"), { context: 1 }).text).toBe(
      [
        "1 lines removed, 1 added",
        "⋯ 9 unchanged",
        "  line 9",
        "- line 10",
        "+ new",
        "  line 11",
        "⋯ 8 unchanged",
      ].join("\n"),
    );
    expect(diff("x", "x").text).toBe("no difference");
  });
});
