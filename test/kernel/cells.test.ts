/** Cells as the kernel and the notebook runner run them. Needs the build: cells import `ptxlab` as a package. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

jest.setTimeout(60_000);

const root = path.resolve(__dirname, "../..");

interface Outcome {
  readonly ok: boolean;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly ename: string; readonly evalue: string; readonly traceback: readonly string[] };
}

function runCells(...cells: readonly string[]): Outcome[] {
  const input = JSON.stringify({ cwd: path.join(root, "notebooks"), cells });
  const host = spawnSync(process.execPath, [path.join(__dirname, "host.cjs")], { input, encoding: "utf8" });
  if (host.status !== 0) throw new Error(host.stderr);
  return JSON.parse(host.stdout);
}

const text = (outcome: Outcome | undefined): unknown => outcome?.data?.["text/plain"];

describe("cells", () => {
  test("share variables, functions, types, imports; the last expression is the result", () => {
    const out = runCells(
      'import * as path from "node:path";\ninterface P { x: number }\nconst p: P = { x: 1 };',
      "function twice(q: P): number { return 2 * q.x; }",
      "p.x = 21; twice(p)",
      'path.join("a", "b")',
      "await new Promise<void>((resolve) => setTimeout(resolve, 1)); 'after'",
      "const silent = 1;",
      "undefined",
    );
    expect(out.map((o) => o.ok)).toEqual(out.map(() => true));
    expect(out.map(text)).toEqual([undefined, undefined, "42", "a/b", "after", undefined, undefined]);
  });

  test("a variable of an earlier cell may be the shorthand of a property", () => {
    const out = runCells(
      "const folder = 'a';\nlet n = 1;",
      "const of = (o: { folder: string; n: number }) => o.folder + o.n;\nn = 2;\nof({ folder, n })",
      "function inner(n: number) { return { folder, n }; }\n[inner(5), { n: 3, folder }, await Promise.resolve({ n })]",
    );
    expect(out.map((o) => o.error)).toEqual([undefined, undefined, undefined]);
    expect(text(out[1])).toBe("a2");
    expect(text(out[2])).toBe("[ { folder: 'a', n: 5 }, { n: 3, folder: 'a' }, { n: 2 } ]");
  });

  test("a stage's result shows its value or its diagnostics, a namespace its names", () => {
    const out = runCells(
      'import * as ptxlab from "ptxlab";\nptxlab.lower(ptxlab.unwrap(ptxlab.parse(".version 8.0\\n.target sm_90\\n.address_size 64\\n.entry k() { ret; }")), { target: "sm_90" })',
      'ptxlab.parse("garbage <")',
      "ptxlab.knobs",
      "({ ok: true, value: 1, diagnostics: [], more: 2 })",
      "({ ok: false, diagnostics: 3 })",
    );
    expect(text(out[0])).toMatch(/^Result, ok; its value:\nProgram for sm_90: 1 function\n/);
    expect(text(out[1])).toMatch(/^Result, not ok\nfatal: Missing .version directive/);
    expect(text(out[2])).toMatch(/^Namespace of \d+ names: findKnob, knobCount, knobs, /);
    expect(out.slice(3).map(text)).toEqual([
      "{ ok: true, value: 1, diagnostics: [], more: 2 }",
      "{ ok: false, diagnostics: 3 }",
    ]);
  });

  test("are checked strictly, with positions in the cell", () => {
    const out = runCells(
      "const a = 1;\nconst s: string =\n  a;",
      "let u: string | undefined;\nu.length",
      "const x = ;",
      "a",
    );
    expect(out[0]?.error?.ename).toBe("TypeScript");
    expect(out[0]?.error?.evalue).toBe("2:7 - Type 'number' is not assignable to type 'string'.");
    expect(out[0]?.error?.traceback.slice(0, 4)).toEqual([
      "In[1]:2:7 - Type 'number' is not assignable to type 'string'.",
      "    1 | const a = 1;",
      ">   2 | const s: string =",
      "      |       ^",
    ]);
    expect(out[1]?.error?.evalue).toContain("2:1 - ");
    expect(out[2]?.error?.evalue).toBe("1:11 - Expression expected.");
    // A cell that does not compile declares nothing.
    expect(out[3]?.error?.evalue).toBe("1:1 - Cannot find name 'a'.");
  });

  test("report what they throw with lines of the cells it passed through", () => {
    const out = runCells(
      "interface Gone { a: number }\n// a comment\nfunction boom(g: Gone): never {\n  throw new RangeError('bad ' + g.a);\n}",
      "const before = 1;\n\nboom({ a: before });",
      "await Promise.resolve();\nboom({ a: 2 });",
      "throw 'text'",
      "const later = async () => { await null; null!.x; };\nawait later();",
      // Older values outlive a cell that fails to make new ones.
      "const kept = 1;",
      "const kept = JSON.parse('no JSON') as string;",
      "kept",
    );
    expect(out[1]?.error).toEqual({
      ename: "RangeError",
      evalue: "bad 1",
      traceback: [
        "RangeError: bad 1",
        "    at boom (In[1]:4:9)",
        "    at In[2]:3:1",
        "",
        "    3 | function boom(g: Gone): never {",
        ">   4 |   throw new RangeError('bad ' + g.a);",
        "      |         ^",
        "    5 | }",
      ],
    });
    expect(out[2]?.error?.traceback.slice(0, 3)).toEqual([
      "RangeError: bad 2",
      "    at boom (In[1]:4:9)",
      "    at In[3]:2:1",
    ]);
    expect(out[3]?.error).toMatchObject({ ename: "string", evalue: "'text'" });
    expect(out[4]?.error?.ename).toBe("TypeScript");
    expect([out[6]?.error?.ename, text(out[7])]).toEqual(["SyntaxError", "1"]);
  });

  test("show what the library threw at its own TypeScript", () => {
    const [out] = runCells('import { code } from "ptxlab/view";\ncode(null as unknown as string);');
    expect(out?.error?.ename).toBe("TypeError");
    expect(out?.error?.traceback.join("\n")).toMatch(/at cut \(lib\/view\/text\.ts:\d+:\d+\)/);
    expect(out?.error?.traceback).toContain(">   2 | code(null as unknown as string);");
  });

  test("are told where their phase bodies and policies fail, by phase, cell and line", () => {
    const ptx = ".version 8.0\\n.target sm_90\\n.address_size 64\\n.visible .entry k() {\\n  ret;\\n}\\n";
    const messages = "ptxlab.summary(made)";
    const out = runCells(
      `import * as ptxlab from "ptxlab";\nconst ptx = "${ptx}";\nfunction boom(): never {\n  throw new Error("mine");\n}`,
      `const made = ptxlab.compile(ptx, { target: "sm_90", phases: { bodies: {\n  OriCopyProp: (func) => {\n    const x: any = func.name;\n    x.foo();\n  },\n} } });\n${messages}`,
      `const made = ptxlab.compile(ptx, { target: "sm_90", allocation: { observe: boom } });\n${messages}`,
    );
    expect(text(out[1])).toMatch(/given for phase 'OriCopyProp' failed: TypeError: .*, at OriCopyProp \(In\[2\]:4:7\)/);
    expect(text(out[2])).toMatch(
      /given for phase 'AllocateRegisters' failed: Error: mine, at .*boom.* \(In\[1\]:4:9\)/,
    );
  });

  test("see the types of the built library, and what it shows", () => {
    const out = runCells(
      'import { table, mixChart } from "ptxlab/view";\nconst n: number = table([{ a: 1 }]).text;',
      'import { table, mixChart } from "ptxlab/view";\ntable([{ a: 1 }])',
      'mixChart([{ name: "FFMA", count: 3 }])',
    );
    expect(out[0]?.error?.evalue).toBe("2:7 - Type 'string' is not assignable to type 'number'.");
    expect(out[1]?.data).toMatchObject({ "text/plain": "a\n1" });
    expect(Object.keys(out[2]?.data ?? {}).sort()).toEqual([
      "application/vnd.vegalite.v5+json",
      "image/png",
      "text/plain",
    ]);
  });

  test("see a module that was rebuilt when they import it again", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "ptxlab-modules-"));
    const file = JSON.stringify(path.join(folder, "inner.js"));
    writeFileSync(path.join(folder, "inner.js"), "exports.version = 1;");
    writeFileSync(path.join(folder, "outer.js"), "exports.version = require('./inner.js').version;");
    const load = `require(${JSON.stringify(path.join(folder, "outer.js"))}).version`;
    const out = runCells(
      load,
      `import * as fs from "node:fs"; fs.writeFileSync(${file}, "exports.version = 2;"); fs.utimesSync(${file}, 1, 1);`,
      load,
    );
    rmSync(folder, { recursive: true });
    expect([text(out[0]), text(out[2])]).toEqual(["1", "2"]);
  });
});

describe("cells in other languages", () => {
  const ptx = [
    ".version 9.0",
    ".target sm_90",
    ".address_size 64",
    ".visible .entry k(.param .u64 p)",
    "{",
    "  .reg .b64 %rd<2>;",
    "  ld.param.u64 %rd1, [p];",
    "  st.global.u64 [%rd1], %rd1;",
    "  ret;",
    "}",
  ].join("\n");

  const sass = ".target sm_90\n.entry e\n.registers 10\n.code\ne:\n    B------ R- W- Y S15   EXIT ;\n.end\n";
  const groups = {
    ptx: [`%%ptx k -O0\n${ptx}`, "k.functions.map((f) => f.name).join() + k.target.name", "k.nothing"],
    mistake: [`%%ptx bad\n${ptx.replace("st.global.u64", "st.globe.u64")}`, "bad"],
    sass: [`%%sass e\n${sass}`, "e.cubin.functions[0]!.words.length / 4", `%%sass f\n${sass.replace("EXIT", "LEAVE")}`],
    heads: [
      "%%ptx",
      "\n  %%fortran x",
      "%%ptx x -arch sm_20",
      "%%ptx x -o file",
      "%%ptx x -fast",
      "%%cuda 1x",
      "%%ptx class",
      `%%ptx x -arch sm_75\n${ptx}`,
      `\n%%ptx x -e other\n${ptx}`,
    ],
    again: [`%%ptx k -O1\n${ptx.replace("ret;", "rett;")}`, "k.ok", `%%sass k\n${sass}`, "k.bytes.length > 0", "k.ok"],
  };
  let out: Record<keyof typeof groups, readonly Outcome[]>;
  // All in one session: most of the time is its start.
  beforeAll(() => {
    const all = runCells(...Object.values(groups).flat());
    const parts = Object.entries(groups).map(([name, cells]) => [name, all.splice(0, cells.length)]);
    out = Object.fromEntries(parts) as typeof out;
  });

  test("%%ptx defines a compilation that shows code and file, and has its type", () => {
    const [shown, used, wrong] = out.ptx;
    expect(shown?.ok).toBe(true);
    expect(text(shown)).toMatch(/^Compilation for sm_90: cubin of \d+ bytes/);
    const html = String(shown?.data?.["text/html"]);
    // Code is coloured word by word.
    const words = html.replace(/<[^>]*>/g, "");
    for (const part of ["STG.E.64", "st.global.u64"]) expect(words).toContain(part);
    for (const part of ['download="k.cubin"', "warps per SM"]) expect(html).toContain(part);
    // The charts are told in words as well; the NOPs after the code are no instructions.
    const charts = /k: live registers: R \d+[\s\S]*k: occupancy: 64 of 64 warps[\s\S]*k: \d+ cycles of one warp/;
    expect(text(shown)).toMatch(charts);
    expect(html).not.toContain("NOP");
    expect(text(used)).toBe("ksm_90");
    expect(wrong?.error?.evalue).toBe("1:3 - Property 'nothing' does not exist on type 'FinishedCompilation'.");
  });

  test("mistakes stand at their line of the cell, and the variable stays undefined", () => {
    const [failed, used] = out.mistake;
    expect(failed?.error?.ename).toBe("PTX");
    expect(failed?.error?.evalue).toMatch(/^9:\d+ - .*globe/);
    expect(failed?.error?.traceback).toContain(">   9 |   st.globe.u64 [%rd1], %rd1;");
    expect(used?.error?.evalue).toBe("1:1 - Cannot find name 'bad'.");
  });

  test("%%sass assembles", () => {
    const [shown, used, failed] = out.sass;
    expect(text(shown)).toMatch(/^Cubin for sm_90: \d+ bytes$/m);
    expect(text(used)).toBe("1");
    expect(failed?.error?.evalue).toBe('7:5 - unknown instruction "LEAVE"');
  });

  test("the first line is judged, wherever it stands; what is said without a line is about its options", () => {
    expect(out.heads.map((o) => o.error?.evalue)).toEqual([
      "1:1 - %%ptx wants the name of a variable: %%ptx NAME [options]",
      "2:1 - unknown cell language %%fortran: ptxlab knows %%ptx, %%cuda, %%sass",
      expect.stringMatching(/^1:1 - Value 'sm_20' is not defined for option 'gpu-name': sm_75 sm_80 .* sm_121f$/),
      "1:1 - option '-o' has no meaning in a cell: -arch -O -maxrregcount -lineinfo -c -e -override-directive-values -fmad",
      "1:1 - Unknown option 'fast'; a cell takes -arch -O -maxrregcount -lineinfo -c -e -override-directive-values -fmad",
      "1:1 - %%cuda wants the name of a variable: %%cuda NAME [options]",
      "1:1 - 'class' cannot be the name of a variable",
      "1:1 - SM version specified by .target is higher than default SM version assumed",
      "2:1 - Unknown function other",
    ]);
  });

  test("a new value replaces the old one and its type; a mistake leaves both", () => {
    expect(out.again.map((o) => o.ok)).toEqual([false, true, true, true, false]);
    expect(out.again[4]?.error?.evalue).toBe("1:3 - Property 'ok' does not exist on type 'Assembled'.");
  });
});
