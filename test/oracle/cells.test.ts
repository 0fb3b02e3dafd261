/** `%%cuda` cells need the real nvcc. */
import path from "node:path";
import type { CellResult, CudaCompilation } from "../../lib/present/index.js";
import { cellHead, runCell } from "../../lib/present/index.js";
import { describeOracle } from "./tools.js";

const folder = path.resolve(__dirname, "../..");

function cuda(first: string, body: string): CellResult {
  const source = `%%cuda ${first}\n${body}`;
  const head = cellHead(source);
  if (typeof head === "string") throw new Error(head);
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

  test("nvcc's errors stand at their line of the cell", () => {
    const r = cuda("k -arch sm_90", "__global__ void k(float *x) {\n  y = 1;\n}");
    expect(r.ok ? [] : r.diagnostics.map((d) => `${d.span?.line}: ${d.severity}: ${d.message}`)).toEqual([
      '3: error: identifier "y" is undefined',
    ]);
  });
});
