/** Textures, samplers and surfaces that PTX names: what kernels read, against plain TypeScript and the interpreter; what is refused. */
import { reportLines } from "../../lib/cli/report";
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf/index";
import { lower } from "../../lib/lower/index";
import { parseFunc, printFunc } from "../../lib/ori/index";
import { parse } from "../../lib/ptx/index";
import { unwrap } from "../../lib/result";
import { runLaunchFile, simulate } from "../../lib/sim/index";
import { interpretLaunchFile, PtxDevice } from "../../lib/sim/ptx/index";
import { verifyCubin } from "../../lib/verify";
import { expected, independent, launchOf, unified } from "./reference-kernels";

const MODES = { unified, independent };
const cases = (["unified", "independent"] as const).flatMap((mode) =>
  (["sm_75", "sm_86", "sm_90", "sm_100", "sm_120"] as const).map((target) => ({ mode, target })),
);

test.each(cases)("$mode mode on $target", ({ mode, target }) => {
  for (const opt of [0, 1, 3] as const) {
    const compiled = compile(MODES[mode](target), { target, opt });
    expect(compiled.diagnostics).toEqual([]);
    expect(verifyCubin(unwrap(readCubin(compiled.cubin!)))).toEqual([]);
    const { options, out } = launchOf(mode);
    expect(unwrap(simulate(compiled.cubin!, options)).fault).toBeNull();
    expect([...out.slice(0, 36)]).toEqual(expected[mode].flat());
  }
});

test.each(["unified", "independent"] as const)("the interpreter, %s mode", (mode) => {
  const device = new PtxDevice();
  const { options, out } = launchOf(mode);
  expect(unwrap(device.launch(unwrap(device.load(MODES[mode]("sm_90"))), options)).fault).toBeNull();
  expect([...out.slice(0, 36)]).toEqual(expected[mode].flat());
});

test("launch files bind names", () => {
  const image = { shape: "2d", size: [2, 2], type: "f32", channels: 1 };
  const file = {
    buffers: {
      texels: { type: "f32", values: [1, 2, 3, 4] },
      words: { type: "u32", length: 4 },
      out: { type: "f32", length: 36 },
    },
    textures: { t: { buffer: "texels", ...image } },
    surfaces: { s: { buffer: "words", shape: "1d", size: [4], type: "u32", channels: 1 } },
    references: { a: { texture: "t" }, b: { texture: "t" }, s: { surface: "s" } },
    launches: [{ kernel: "first", block: 2, params: [{ buffer: "out" }] }],
    expect: { words: { values: [0, 1, 0, 0] } },
  };
  const none = { readFile: (): null => null };
  const ptx = unified("sm_90");
  const { cubin } = compile(ptx, { target: "sm_90" });
  expect(runLaunchFile(cubin!, file, none)).toMatchObject({ status: 0, json: { error: null } });
  expect(interpretLaunchFile(ptx, file, none.readFile)).toMatchObject({ status: 0, json: { error: null } });
});

const nothing = { spillStores: 0, spillLoads: 0, time: 0, routines: [] };

test("what a kernel names is told with its registers, below sm_90", () => {
  const told = (target: "sm_75" | "sm_90", text: string): string =>
    reportLines(unwrap(readCubin(compile(text, { target }).cubin!)), target, () => nothing).find((l) =>
      l.includes("Used"),
    )!;
  // As ptxas -v says.
  expect(told("sm_75", independent("sm_75"))).toMatch(/380 bytes cmem\[0\], 2 textures, 1 surfaces, 2 samplers$/);
  expect(told("sm_90", independent("sm_90"))).toMatch(/used 0 barriers$/);
});

test("what is not bound, or bound to something else, is said", () => {
  const { cubin } = compile(unified("sm_90"), { target: "sm_90" });
  const { options } = launchOf("unified");
  const said = (references: typeof options.references): string =>
    simulate(cubin!, { ...options, references: { ...options.references, ...references } }).diagnostics[0]!.message;
  const { a, s } = options.references!;
  expect(simulate(cubin!, { ...options, references: { s: s!, b: a! } }).diagnostics[0]!.message).toBe(
    'nothing is bound to the texture "a"',
  );
  expect(said({ a: s! })).toBe('"a" names a texture');
  expect(said({ s: a! })).toBe('"s" names a surface');
});

test("words of references are kept in the text of a function", () => {
  const program = unwrap(lower(unwrap(parse(independent("sm_75"))), { target: "sm_75" }));
  const again = unwrap(parseFunc(printFunc(program.funcs[0]!)));
  expect(again.references).toEqual(program.funcs[0]!.references);
  expect(again.references!.map((r) => `${r.name} ${r.offset}`)).toEqual([
    "b 360",
    "around 360",
    "a 364",
    "edge 364",
    "a 368",
    "around 368",
    "b 372",
    "edge 372",
    "s 376",
  ]);
});

const HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n.global .texref t;\n.global .texref many[2];\n";
const body = (text: string): string => `.visible .entry k() {\n.reg .b64 %d; .reg .f32 %f<4>;\n${text}\nret;\n}`;

test("arrays of references, their places in memory and -c are refused with their line", () => {
  const lines = (text: string, relocatable = false): string[] =>
    compile(text, { target: "sm_90", relocatable }).diagnostics.map((d) => `${d.span?.line} ${d.message}`);
  expect(lines(HEAD + body(""))).toEqual(["5 not supported yet: .global variable many"]);
  const one = HEAD.replace(/.*many.*\n/, "");
  expect(lines(one + body("mov.u64 %d, t+8;"))).toEqual(["7 not supported yet: mov.u64 %d, t+8"]);
  expect(lines(one + body(""), true)).toEqual(["4 not supported yet: .global variable t"]);
});

test("predicates beside registers in vectors are refused by their name: ptxas takes them, PTX gives them no meaning", () => {
  const text = (line: string): string =>
    `.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b64 %d; .reg .b32 %r; .reg .pred %p;\n${line}\nret;\n}`;
  const said = (line: string): string | undefined => compile(text(line), { target: "sm_90" }).diagnostics[0]?.message;
  expect(said("st.global.v2.b32 [%d], {%p, %r};")).toBe("not supported yet: a predicate in a vector of 'st'");
  expect(said("ld.global.v2.b32 {%r, %p}, [%d];")).toBe("not supported yet: a predicate in a vector of 'ld'");
  expect(said("st.global.v2.b32 [%d], {%p, %p};")).toBe("Arguments mismatch for instruction 'st'");
});
