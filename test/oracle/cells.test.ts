/** `%%cuda` cells need the real nvcc. */
import path from "node:path";
import type { CellResult, CudaCompilation } from "../../lib/present/index.js";
import { cellHead, runCell } from "../../lib/present/index.js";
import { describeOracle } from "./tools.js";

const folder = path.resolve(__dirname, "../..");

function cuda(first: string, body: string): CellResult {
  const source = `%%cuda ${first}\n${body}`;
  const head = cellHead(source);
  if (!("language" in head)) throw new Error(head.message);
  return runCell(source, head, { file: "In[1]", folder });
}

describeOracle("%%cuda", () => {
  test("gives the compilation of nvcc's PTX, with the text of both", () => {
    const r = cuda("k -arch sm_90 -O0 -DN=3", "__global__ void k(float *x) { x[threadIdx.x] *= N; }");
    if (!r.ok) throw new Error(r.diagnostics.map((d) => d.message).join("\n"));
    const value = r.value as CudaCompilation;
    expect(value.functions.map((f) => f.name)).toEqual(["_Z1kPf"]);
    expect(value.cuda).toContain("x[threadIdx.x] *= N;");
    expect(value.text).toContain(".target sm_90");
    expect(value.cubin).not.toBeNull();
  });

  test("an nvcc that cannot be run is named", () => {
    const before = process.env.PTXLAB_NVCC;
    process.env.PTXLAB_NVCC = "/nowhere/nvcc";
    const r = cuda("k", "__global__ void k() {}");
    if (before === undefined) delete process.env.PTXLAB_NVCC;
    else process.env.PTXLAB_NVCC = before;
    expect(r.ok ? [] : r.diagnostics.map((d) => d.message)).toEqual(["cannot run /nowhere/nvcc (ENOENT)"]);
  });

  test("nvcc's messages stand at their place in the cell, with their details; warnings too", () => {
    const say = (r: CellResult): string[] =>
      (r.ok ? r.warnings : r.diagnostics).map((d) => `${d.span?.line}:${d.span?.column} ${d.severity}: ${d.message}`);
    expect(say(cuda("k -arch sm_90", "__global__ void k(float *x) {\n\ty = 1;\n  x[0] = 1 + threadIdx;\n}"))).toEqual([
      '3:2 error: identifier "y" is undefined',
      '4:12 error: no operator "+" matches these operands; operand types are: int + const uint3',
    ]);
    expect(say(cuda("k -arch sm_90", "#include <nowhere.h>"))).toEqual([
      "2:10 error: nowhere.h: No such file or directory",
    ]);
    expect(say(cuda("k -arch sm_90", "__global__ void k() {\n  int unused = 1;\n}"))).toEqual([
      '3:7 warning: variable "unused" was declared but never referenced',
    ]);
  });

  test("what is said about nvcc's PTX, and the code, stand at the CUDA they came from", () => {
    // A function of a header that another one of it calls, both inlined.
    const refused = cuda(
      "k -arch sm_80",
      "__global__ void k(cudaTextureObject_t t, float *x) {\n  x[0] = tex3DGrad<float>(t, 1.f, 2.f, 3.f, make_float4(1, 2, 3, 4), make_float4(4, 3, 2, 1));\n}",
    );
    expect(refused.ok ? [] : refused.diagnostics.map((d) => [d.span?.line, d.message])).toEqual([
      [3, expect.stringMatching(/^not supported yet: tex\.grad\.3d.* \(PTX line \d+\)$/)],
    ]);
    const r = cuda("k -arch sm_90", "__global__ void k(float *x) {\n  x[threadIdx.x] = 2;\n}");
    if (!r.ok) throw new Error("refused");
    const value = r.value as CudaCompilation;
    expect(value.text).not.toMatch(/\.loc|\.file|debug/);
    const lines = value.text.split("\n");
    expect(lines).toHaveLength(value.cudaPlaces.length);
    const store = lines.findIndex((l) => l.includes("st.global"));
    expect(value.cudaPlaces[store]).toMatchObject({ line: 3, column: 3 });
  });
});
