/** Layouts measured on ptxas 13.0.88; test/oracle/elf.test.ts repeats the measurements. */
import { layoutShared, moduleVariables, placeInOrder, placeSorted } from "../../lib/elf/cubin/place";
import type { ModuleSymbol } from "../../lib/ori/types";
import { code, program, variable } from "./program";

const offsets = (placed: readonly { symbol: ModuleSymbol; offset: number }[]): Record<string, number> =>
  Object.fromEntries(placed.map((p) => [p.symbol.name, p.offset]));
const global = (name: string, align: number, size: number): ModuleSymbol => variable(name, "global", { align, size });

test("globals sort by alignment, then size; equal ones in the order of ptxas's merge sort", () => {
  const nine = "ABCDEFGHI".split("").map((n) => global(n, "GH".includes(n) ? 4 : 8, n === "D" ? 32 : 8));
  expect(offsets(placeSorted(nine).placed)).toEqual({
    I: 0,
    A: 8,
    E: 0x10,
    C: 0x18,
    B: 0x20,
    F: 0x28,
    D: 0x30,
    G: 0x50,
    H: 0x58,
  });
  const four = "ABCD".split("").map((n) => global(n, 8, 8));
  expect(offsets(placeSorted(four).placed)).toEqual({ C: 0, A: 8, D: 0x10, B: 0x18 });
  const mixed = [
    global("g6", 4, 4),
    global("g1", 1, 3),
    global("g2", 8, 8),
    global("g3", 2, 6),
    global("g4", 4, 4),
    global("g5", 16, 4),
  ];
  const region = placeSorted(mixed);
  expect(offsets(region.placed)).toEqual({ g5: 0, g2: 8, g6: 0x10, g4: 0x14, g3: 0x18, g1: 0x1e });
  expect([region.size, region.align]).toEqual([0x21, 16]);
});

test("constants keep their order", () => {
  const list = [4, 1, 8, 4, 8].map((align, i) => variable(`c${i}`, "const", { align, size: align === 1 ? 3 : align }));
  expect(offsets(placeInOrder(list).placed)).toEqual({ c0: 0, c1: 4, c2: 8, c3: 0x10, c4: 0x18 });
});

test("visible variables come first; externs and shared memory have no place", () => {
  const all = [
    variable("a", "global"),
    variable("b", "const", { linkage: "visible" }),
    variable("c", "global", { linkage: "weak" }),
    variable("d", "global", { linkage: "extern" }),
    variable("e", "shared"),
  ];
  expect(moduleVariables(program("sm_90", [], all)).map((s) => s.name)).toEqual(["b", "c", "a"]);
});

describe("shared memory", () => {
  const k = code("k", "sm_90");
  const shared = (name: string, align: number, size: number, users = ["k"]): ModuleSymbol =>
    variable(name, "shared", { align, size, users });

  test("only what the kernel mentions, in order, after what the system reserves", () => {
    const p = program(
      "sm_90",
      [k],
      [shared("l1", 1, 1), shared("l2", 4, 4), shared("x", 8, 8, ["other"]), shared("s1", 1, 3), shared("s2", 8, 8)],
    );
    const layout = layoutShared(p, k, 0x400, false);
    expect(Object.fromEntries(layout.offsets)).toEqual({ l1: 0x400, l2: 0x404, s1: 0x408, s2: 0x410 });
    expect([layout.size, layout.align, layout.needed, layout.used]).toEqual([0x418, 8, true, true]);
  });

  test("extern arrays begin together at the end; the section exists even where nobody uses it", () => {
    const p = program("sm_75", [k], [shared("s", 4, 0x34), shared("dyn", 8, 0, []), shared("dyn2", 4, 0)]);
    const layout = layoutShared(p, k, 0, false);
    expect(layout.offsets.get("dyn")).toBe(0x40);
    expect(layout.offsets.get("dyn2")).toBe(0x40);
    expect([layout.size, layout.align]).toEqual([0x40, 16]);
    const idle = layoutShared(p, { name: "idle" }, 0, false);
    expect([idle.size, idle.needed, idle.used]).toEqual([0, true, false]);
    expect(layoutShared(p, { name: "idle" }, 0, true).needed).toBe(false);
  });
});
