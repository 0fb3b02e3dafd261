/** Kernels in Triton's style: at -O0 and at the default level they verify and compute what they should. */
import { compile } from "../../../lib/compile.js";
import { runLaunchFile } from "../../../lib/sim/index.js";
import { corpusTargets } from "../cases.js";
import { tritonStyle, tritonStylePtx } from "./cases.js";

describe.each(corpusTargets)("%s", (target) => {
  for (const opt of [0, 3])
    test.each(tritonStyle.map((c) => [c.name, c] as const))(`%s -O${opt}`, (name, c) => {
      const made = compile(tritonStylePtx(name), { target, opt, verify: true });
      expect(made.diagnostics).toEqual([]);
      const ran = runLaunchFile(made.cubin!, c.launch, { readFile: () => null });
      expect(ran.lines.filter(() => ran.status !== 0)).toEqual([]);
      expect(ran.status).toBe(0);
    });
});

test("a wrong expectation is noticed", () => {
  for (const { name, launch } of tritonStyle) {
    const made = compile(tritonStylePtx(name), { target: "sm_90" , opt: 0});
    const [[buffer, { values, ...tolerance }]] = Object.entries(launch.expect) as [[string, { values: number[] }]];
    const wrong = { [buffer]: { values: values.map((v, i) => (i === 0 ? v + 1 : v)), ...tolerance } };
    expect(runLaunchFile(made.cubin!, { ...launch, expect: wrong }, { readFile: () => null }).status).toBe(1);
  }
});
