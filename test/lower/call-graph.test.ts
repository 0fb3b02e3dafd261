/** Which functions are inlined. */
import { callGraph } from "../../lib/lower/call-graph";
import { parse } from "../../lib/ptx/index";

function inlined(text: string): string[] {
  const module = parse(`.version 9.0\n.target sm_75\n.address_size 64\n${text}`);
  if (!module.ok) throw new Error(module.diagnostics.map((d) => d.message).join("\n"));
  return [...callGraph(module.value).inlined].sort();
}

/** A function of `n` additions that calls others. */
function func(name: string, n: number, calls: readonly string[] = [], linkage = ""): string {
  const body = [
    ...Array.from({ length: n }, () => "add.u32 %r, %r, 1;"),
    ...calls.map((c) => `call ${c}, ();`),
    "ret;",
  ];
  return `${linkage}.func ${name}() { .reg .u32 %r; ${body.join(" ")} }\n`;
}

const kernel = (...calls: string[]): string => `.entry k() { ${calls.map((c) => `call ${c}, ();`).join(" ")} ret; }\n`;

test("small ones everywhere, large ones where they are called at one place", () => {
  const text = func("small", 5) + func("large", 200) + func("twice", 200) + func("huge", 5000);
  expect(inlined(text + kernel("small", "small", "large", "twice", "twice", "huge"))).toEqual(["large", "small"]);
});

test("a function counts with what is inlined into it", () => {
  const text = func("a", 60) + func("b", 60, ["a"]) + kernel("a", "b", "b");
  expect(inlined(text)).toEqual(["a"]);
});

test("none that may call itself, also around a circle or by another name; none that the linker may replace", () => {
  expect(inlined(func("self", 1, ["self"]) + kernel("self"))).toEqual([]);
  const circle = `.func b();\n${func("a", 1, ["b"])}${func("b", 1, ["c"])}`;
  expect(inlined(`.func c();\n${circle}${func("c", 1, ["a"])}${func("out", 1, ["a"])}${kernel("out")}`)).toEqual([
    "out",
  ]);
  expect(
    inlined(`.visible .func alias();\n${func("f", 1, ["alias"], ".visible ")}.alias alias, f;\n${kernel("f")}`),
  ).toEqual([]);
  expect(inlined(func("w", 1, [], ".weak ") + kernel("w"))).toEqual([]);
});

test("twenty levels of two calls each: as much as a few hundred instructions, not a million", () => {
  const levels = Array.from({ length: 20 }, (_, k) => func(`f${k}`, 3, k === 0 ? [] : [`f${k - 1}`, `f${k - 1}`]));
  const names = inlined(levels.join("") + kernel("f19"));
  expect(names.length).toBeLessThan(20);
  expect(names).toContain("f0");
});
