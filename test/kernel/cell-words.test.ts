/** Completion and hover in cells of PTX, SASS and CUDA C++. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { completeCell, inspectCell } from "../../lib/index";

/** The cursor is at `|`. */
const at = (cell: string): [string, number] => [cell.replace("|", ""), cell.indexOf("|")];
const complete = (cell: string): readonly string[] => completeCell(...at(cell)).candidates;
const inspect = (cell: string): string | null => inspectCell(...at(cell));

test("what a cell can be, for what it can be compiled", () => {
  expect(complete("%%p|")).toEqual(["%%ptx"]);
  expect(complete("%%ptx k -arch sm_10|")).toEqual(["sm_100", "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_103f"]);
  expect(complete("%%ptx k -max|")).toEqual(["-maxrregcount"]);
});

test("PTX: instructions, their modifiers and types, special and own registers, directives", () => {
  expect(complete("%%ptx k\n  cop|")).toEqual(["copysign"]);
  expect(complete("%%ptx k\n  add.r|")).toEqual(["add.rm", "add.rn", "add.rp", "add.rz"]);
  expect(complete("%%ptx k\n  add.rn.f6|")).toEqual(["add.rn.f64"]);
  expect(complete("%%ptx k\nmov.u32 %mine, %tid.x;\n  add %mi|")).toEqual(["%mine"]);
  expect(complete("%%ptx k\n  mov.u32 %r1, %clock|")).toEqual(["%clock64", "%clock_hi"]);
  expect(complete("%%ptx k\n.ver|")).toEqual([".version"]);
  expect(completeCell(...at("%%ptx k\n  cop|"))).toMatchObject({ start: 10, end: 13 });
});

test("SASS: mnemonics", () => {
  expect(complete("%%sass k\n  IADD|")).toContain("IADD3");
  expect(complete("%%sass k\n  IMAD.WI|")).toEqual(["IMAD.WIDE"]);
  expect(complete("%%sass k\n  LDG.E.CONST|")).toEqual(["LDG.E.CONSTANT"]);
});

test("CUDA: words of the language and of the cell, built-in variables, PTX within asm", () => {
  expect(complete("%%cuda k\n  reinter|")).toEqual(["reinterpret_cast"]);
  expect(complete("%%cuda k\n  p[threadI|")).toEqual(["threadIdx"]);
  expect(complete("%%cuda k\n  p[threadIdx.|")).toEqual(["threadIdx.x", "threadIdx.y", "threadIdx.z"]);
  expect(complete("%%cuda k\nint mine_alone; min|")).toContain("mine_alone");
  expect(complete("%%cuda k -ar|")).toEqual(["-arch"]);
  expect(complete('%%cuda k\n  asm("{ cop|')).toEqual(["copysign"]);
  expect(complete('%%cuda k\n  asm volatile("mov.u32 %0, %%clock6|')).toEqual(["%clock64"]);
  // What follows the text of asm is C++ again.
  expect(complete('%%cuda k\n  asm("ret;" :: "reinter|')).toEqual(["reinterpret_cast"]);
  expect(inspect('%%cuda k\n  asm("mov.u32 %0, %%cluster|id.x;" : "=r"(a));')).toMatch(/^%clusterid: special register/);
  expect(inspect('%%cuda k\n  asm("copy|sign.f32 %0, %1, %2;" : "=f"(a));')).toMatch(/^copysign\n/);
});

describe("CUDA: what the headers of nvcc declare", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ptxlab-nvcc-"));
    mkdirSync(join(folder, ".oracle/bin"), { recursive: true });
    mkdirSync(join(folder, ".oracle/include/crt"), { recursive: true });
    const says = `#!/bin/sh\necho '#$ INCLUDES="-I${folder}/.oracle/include"  ' >&2\n`;
    writeFileSync(join(folder, ".oracle/bin/nvcc"), says, { mode: 0o755 });
    const headers = {
      "device_launch_parameters.h": "uint3 __device_builtin__ __STORAGE__ threadIdx;\n",
      "crt/host_defines.h": "#define __global__ \\\n        __location__(global)\n",
      "crt/device_functions.h": [
        "/**",
        " * \\ingroup CUDA_MATH",
        " * \\brief Multiply \\p x by",
        " * \\cuda_math_formula 2 \\times y \\end_cuda_math_formula",
        " *",
        " * More.",
        " */",
        "__DEVICE_FUNCTIONS_DECL__ __device_builtin__ unsigned int   __mine(unsigned int x, int *y);",
        "extern __DEVICE_FUNCTIONS_DECL__ __device_builtin__ float __mine(float x);",
        "void __other(int x) { __device_thing(x); }",
      ].join("\n"),
      "more.h": "__CUDA_FP16_DECL__ __half __more(const __half a);\n",
    };
    for (const [name, text] of Object.entries(headers)) writeFileSync(join(folder, ".oracle/include", name), text);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const completeHere = (cell: string): readonly string[] => completeCell(...at(cell), folder).candidates;
  const inspectHere = (cell: string): string | null => inspectCell(...at(cell), folder);

  test("functions, qualifiers, variables; of other headers where the cell includes them", () => {
    expect(completeHere("%%cuda k\n__|")).toEqual(["__global__", "__mine"]);
    expect(completeHere("%%cuda k\n#include <more.h>\n__m|")).toEqual(["__mine", "__more"]);
  });
  test("declarations and their sentence", () => {
    expect(inspectHere("%%cuda k\n__mi|ne(1, p)")).toBe(
      "unsigned int __mine(unsigned int x, int *y)\nfloat __mine(float x)\n\nMultiply x by 2 * y",
    );
    expect(inspectHere("%%cuda k\nthread|Idx.x")).toBe("uint3 threadIdx");
    expect(inspectHere("%%cuda k\nnothing|")).toBeNull();
  });
});

test("what a word is", () => {
  expect(inspect("%%sass k\n  IADD|3.X R0, R1")).toMatch(/^IADD3\n\nd = a \+ b \+ c; .*\n\nOperands: d co:P=PT/);
  expect(inspect("%%ptx k\n  mov.u32 %r1, %cluster|id.x;")).toBe(
    "%clusterid: special register, .v4.u32 (.x .y .z .w), from sm_90 and PTX 7.8 on",
  );
  expect(inspect("%%ptx k\n  copy|sign.f32 a, b;")).toMatch(/^copysign\n {2}\.f32 \| \.f64: d, a, a/);
  expect(inspect("%%ptx k\n  no|thing")).toBeNull();
});
