/** Kernels of the corpus in closures and translated: the same buffers, the same counts. */
import { compile } from "../../../lib/compile.js";
import { type EngineChoice, runLaunchFile } from "../../../lib/sim/index.js";
import { corpus, corpusPtx } from "../../corpus/cases.js";

test.each(corpus.map((c) => [c.name, c] as const))("%s does the same in closures and translated", (name, c) => {
  const { cubin } = compile(corpusPtx(name as never, "sm_90"), { target: "sm_90" });
  if (cubin === null) throw new Error("not compiled");
  const outcome = (engine: EngineChoice): unknown => {
    const file = { ...c.launch, print: Object.keys(c.launch.expect) };
    const done = runLaunchFile(cubin, file, {
      readFile: () => null,
      launch: (device, module, options) => device.launch(module, { ...options, engine }),
    });
    return done.json;
  };
  const closures = outcome("closures");
  expect(outcome("wasm")).toEqual(closures);
  expect(outcome("auto")).toEqual(closures);
});
