/** Real kernels through the SSA window and out of it, with all checkers on: the simulator must find the same results. */
import { compile } from "../../lib/compile.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import { corpus, corpusPtx } from "../corpus/cases.js";

const namedPhases = "EarlyOriSimpleLiveDead+GenerateMovPhi+OriSimpleLiveDead+OriRemoveNopCode";

test.each(corpus.map((c) => [c.name, c] as const))("%s", (name, c) => {
  let phis = 0;
  const made = compile(corpusPtx(name, "sm_90"), {
    target: "sm_90",
    opt: 0,
    verify: true,
    phases: { namedPhases },
    observe: (e) => {
      if (e.kind !== "after" || e.phase !== "GenerateMovPhi") return;
      expect(e.func.milestone).toBe("ssa");
      phis += e.text().match(/MOV\.PHI/g)?.length ?? 0;
    },
  });
  expect(made.diagnostics).toEqual([]);
  expect(runLaunchFile(made.cubin as Uint8Array, c.launch, { readFile: () => null }).status).toBe(0);
  // A kernel with a loop has joins.
  if (["sgemm", "mandelbrot", "scan"].includes(name)) expect(phis).toBeGreaterThan(0);
});
